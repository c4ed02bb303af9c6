"""Other limits hold for files that were read before, though nothing of these changed on disk."""

from __future__ import annotations

import os
from pathlib import Path

import attrs

from graphls.facts.paths import FilePath
from graphls.session.session import Session
from graphls.settings import Settings
from graphls.settings.folder_limits import FolderLimits
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, write

FILES = {
    "large.py": "def large(): ...\n" + "# much\n" * 200,
    "small.py": "def small(): ...\n",
    "line.py": "x = '" + "y" * 900 + "'\n",
}
PATHS = tuple(map(FilePath, sorted(FILES)))


def _files(session: Session) -> set[str]:
    assert session.wait("complete", 60)
    return {path for path in session.snapshot().files() if path in PATHS}


def _written(folder: Path) -> None:
    """Files that nobody changed of late: those that are younger are read again at each walk."""
    write(folder, FILES)
    for name in FILES:
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))


def _with(settings: Settings, **limits: int) -> Settings:
    return attrs.evolve(settings, files=attrs.evolve(settings.files, **limits))


def test_limits_that_change_while_a_session_runs(tmp_path: Path) -> None:
    _written(tmp_path / "w")
    for store in (None, BlobStore(StoreOptions(str(tmp_path / "cache")))):
        with session_over(tmp_path / "w", store) as session:
            assert _files(session) == {"large.py", "small.py", "line.py"}
            session.configure(_with(Settings(), max_bytes=1000))
            assert _files(session) == {"small.py", "line.py"}
            session.configure(_with(Settings(), max_line_bytes=500))
            assert _files(session) == {"large.py", "small.py"}
            session.configure(Settings())
            assert _files(session) == {"large.py", "small.py", "line.py"}


def test_limits_of_one_folder_that_change_while_a_session_runs(tmp_path: Path) -> None:
    for name in ("one", "two"):
        _written(tmp_path / name)
    session = Session(Workspace.of([str(tmp_path / name) for name in ("one", "two")]))
    session.start()
    try:
        for limits, left_out in (
            (None, set[str]()),
            (FolderLimits(folder="two", max_bytes=1000), {"two/large.py"}),
            (FolderLimits(folder="two", max_line_bytes=500), {"two/line.py"}),
            (None, set[str]()),
        ):
            files = attrs.evolve(Settings().files, folders=() if limits is None else (limits,))
            session.configure(attrs.evolve(Settings(), files=files))
            assert session.wait("complete", 60)
            found = {path for path in session.snapshot().files() if path.endswith(".py")}
            assert found == {f"{name}/{path}" for name in ("one", "two") for path in FILES} - left_out
    finally:
        session.close()
