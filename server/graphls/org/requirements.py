"""Requirements: what an organisation's index needs beside graphls.

Owns: the check before any work begins.
Must not know: what the libraries are used for.
Invariant: who lacks one gets a sentence that says what to install.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from graphls.org.engines import EngineError
from graphls.org.objects import OrgStore

_LIBRARIES: Final = {"duckdb": "DuckDB", "obstore": "obstore"}


def check_requirements(store: OrgStore) -> None:
    """Raises EngineError for a library, RemoteError for a store that cannot be written or a key that is not there."""
    missing = [name for module, name in _LIBRARIES.items() if find_spec(module) is None]
    if missing:
        raise EngineError(f"{', '.join(missing)} not installed here: pip install 'graphls[org]'")
    store.check()
