"""Objects: what an organisation's store holds, and under which names.

Owns: names of objects, signed packs of facts, plain states as JSON.
Must not know: what is read or linked, engines.
Invariant: an object is written whole; what is not there, or is no such object, is as if it had never been made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

import attrs

from graphls.store.blobs import BlobStore, Kind
from graphls.store.remote_objects import ObstoreObjects
from graphls.store.remote_packs import PackTransfer, pull_pack, push_pack, signing_key

CATALOGUE: Final = "catalogue.json"
_LARGEST_STATE: Final = 2_000_000_000
"""The catalogue takes 3 to 4 kB a repository."""
LARGEST_TABLE: Final = 8_000_000_000


@attrs.frozen
class OrgStore:
    """An object store by its address. `signed`: packs carry a signature by the secret in GRAPHLS_CACHE_KEY, which each
    machine has from its own environment."""

    url: str
    signed: bool

    def check(self) -> None:
        """Whether it can be written, and what signs packs is there. Raises RemoteError."""
        self._key()
        self.write("probe", b"graphls\n")

    def push(self, blobs: BlobStore, name: str, entries: Mapping[Kind, Sequence[str]]) -> PackTransfer:
        """Shares entries under a name. Raises RemoteError."""
        return push_pack(blobs, self._objects(), name, self._key(), entries)

    def pull(self, blobs: BlobStore, name: str) -> PackTransfer:
        """Takes in what has a name; what is damaged or signed otherwise is a problem in the result. Raises
        RemoteError."""
        return pull_pack(blobs, self._objects(), name, self._key())

    def has_pack(self, name: str) -> bool:
        """Whether something was shared under a name. Raises RemoteError."""
        return self._objects().exists(f"names/{name}")

    def read(self, name: str) -> bytes | None:
        """An object, None where there is none. Raises RemoteError."""
        return self._objects().read(name, LARGEST_TABLE)

    def write(self, name: str, data: bytes) -> None:
        """Makes or replaces an object. Raises RemoteError."""
        self._objects().write(name, data)

    def state(self, name: str) -> Mapping[str, object]:
        """What a state says, nothing where there is none that can be read. Raises RemoteError."""
        raw = self._objects().read(name, _LARGEST_STATE)
        try:
            held: object = json.loads(raw or b"{}")
        except (ValueError, RecursionError):
            return {}
        return cast("Mapping[str, object]", held) if isinstance(held, dict) else {}

    def put_state(self, name: str, state: Mapping[str, object]) -> None:
        """Raises RemoteError."""
        text = json.dumps(state, sort_keys=True, ensure_ascii=True, indent=1)
        self._objects().write(name, text.encode())

    def _objects(self) -> ObstoreObjects:
        return ObstoreObjects(self.url)

    def _key(self) -> bytes:
        return signing_key() if self.signed else b""


def table_object(table: str, repository: str) -> str:
    """Where rows of a repository are: a layout of partitions as Hive has it."""
    return f"records/table={table}/repository={repository}/part-0.parquet"


def state_object(repository: str) -> str:
    """Where it stands what is known of a repository."""
    return f"states/{repository}.json"


def join_object(repository: str) -> str:
    """Where it stands what the crossings of a repository rest on."""
    return f"joins/{repository}.json"
