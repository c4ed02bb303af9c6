"""Linked: a workspace as a user has it, for measurements in one process.

Owns: a session with the libraries of an environment, in which every file is linked; its end.
Must not know: what is measured.
Invariant: nothing is asked of a checker, and what a session does ahead of questions is done; the cache is the caller's
    folder or one that is dropped at the end.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from graphls.session.session import Session, SessionOptions
from graphls.settings.tree import PythonSettings, Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

_PATIENCE = 900
_IDLE = 0.02


@contextmanager
def linked(root: Path, environment: str = "", cache: str = "") -> Generator[Session]:
    """The session of a folder once all is linked."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(python=PythonSettings(environment=environment))
        session = Session(
            Workspace.of([str(root)]),
            settings,
            BlobStore(StoreOptions(cache or folder)),
            SessionOptions(libraries=True),
        )
        session.start()
        try:
            if not session.wait("complete", _PATIENCE):
                raise SystemExit(f"{root} was not linked in time")
            _rest()
            yield session
        finally:
            session.close()


def _rest() -> None:
    """Waits until this process does nothing of its own accord."""
    used = -1.0
    while time.process_time() - used > _IDLE:
        used = time.process_time()
        time.sleep(1)
