"""Linked: a workspace as a user has it, for measurements in one process.

Owns: a session with the libraries of an environment, in which every file is linked; its end.
Must not know: what is measured.
Invariant: nothing is asked of a checker; the cache is the caller's folder or one that is dropped at the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from graphls.session.session import Options, Session
from graphls.settings.tree import Python, Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

_PATIENCE = 900


@contextmanager
def linked(root: Path, environment: str = "", cache: str = "") -> Generator[Session]:
    """The session of a folder once all is linked."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(python=Python(environment=environment))
        session = Session(
            Workspace.of([str(root)]), settings, BlobStore(StoreOptions(cache or folder)), Options(libraries=True)
        )
        session.start()
        try:
            if not session.wait("complete", _PATIENCE):
                raise SystemExit(f"{root} was not linked in time")
            yield session
        finally:
            session.close()
