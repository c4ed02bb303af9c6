"""Remote objects: an object store by its address (S3, GCS, Azure, HTTP, a folder), through obstore.

Owns: the only contact with obstore, which is loaded when somebody names a store.
Must not know: what objects hold.
Invariant: whatever goes wrong is a RemoteError in words; credentials are those of the user's environment.
"""

from __future__ import annotations

import importlib.util
from datetime import timedelta
from typing import TYPE_CHECKING

from graphls.store.remote_packs import RemoteError

if TYPE_CHECKING:
    from obstore.store import ObjectStore, RetryConfig

_PATIENCE = 20.0
"""Seconds that a store may take to answer at all."""


class ObstoreObjects:
    """Raises RemoteError for an address that is none."""

    def __init__(self, url: str, patience: float = _PATIENCE) -> None:
        if importlib.util.find_spec("obstore") is None:
            raise RemoteError("a remote cache needs obstore: pip install 'graphls[remote]'")
        from obstore.exceptions import BaseError
        from obstore.store import from_url

        self._url = url
        retries: RetryConfig = {"max_retries": 3, "retry_timeout": timedelta(seconds=patience)}
        try:
            if url.startswith("http://"):
                self._store: ObjectStore = from_url(url, client_options={"allow_http": True}, retry_config=retries)
            elif url.startswith("file://"):
                self._store = from_url(url, mkdir=True)
            else:
                self._store = from_url(url, retry_config=retries)
        except (BaseError, ValueError, TypeError) as error:
            raise RemoteError(f"{url!r} is no address of a store: {_first_line(error)}") from error

    def read(self, name: str, most: int) -> bytes | None:
        """An object, None where there is none."""
        import obstore
        from obstore.exceptions import BaseError

        try:
            found = obstore.get(self._store, name)
            if found.meta["size"] > most:
                raise RemoteError(f"{name} in {self._url} is larger than {most:,} bytes")
            return bytes(found.bytes())
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise RemoteError(f"{name} cannot be read from {self._url}: {_first_line(error)}") from error

    def write(self, name: str, data: bytes) -> None:
        """Makes an object, or replaces it."""
        import obstore
        from obstore.exceptions import BaseError

        try:
            obstore.put(self._store, name, data, use_multipart=False)
        except (BaseError, OSError) as error:
            raise RemoteError(f"{name} cannot be written to {self._url}: {_first_line(error)}") from error

    def exists(self, name: str) -> bool:
        """Whether there is an object."""
        import obstore
        from obstore.exceptions import BaseError

        try:
            obstore.head(self._store, name)
        except FileNotFoundError:
            return False
        except (BaseError, OSError) as error:
            raise RemoteError(f"{self._url} cannot be asked: {_first_line(error)}") from error
        return True


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
