"""Snapshot identity: what the id of a graph depends on, and what not.

Owns: pairs of workspaces that differ in one thing, with an environment that is made by hand.
Must not know: how ids are computed.
Invariant: equal ids, equal exports; folders, time stamps and unused variables of the system change neither.
"""

from __future__ import annotations

import os
import shutil
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from graphls.graph.export import ExportOptions, export
from graphls.graph.merkle import snapshot_id
from graphls.session.session import Session, SessionOptions
from graphls.settings import Settings, merge
from graphls.sources.workspace import Workspace
from increment.session_folder import PATIENCE, settle, write

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.12"\n',
    "src/shop/__init__.py": "",
    "src/shop/core.py": "import box\n\n\ndef sold():\n    return box.Box().get().low()\n",
}
BOX = {"box/__init__.py": "class Box:\n    def get(self) -> 'Box': ...\n    def low(self) -> int: ...\n"}
LESS = {"box/__init__.py": "class Box:\n    def get(self) -> 'Box': ...\n"}


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)


def environment(prefix: Path, files: Mapping[str, str], version: str = "3.12", *, recorded: bool = True) -> None:
    """A virtual environment with one distribution."""
    packages = prefix / "lib" / f"python{version}" / "site-packages"
    write(packages, files)
    write(prefix, {"pyvenv.cfg": f"home = /usr/bin\nversion = {version}.1\n"})
    if recorded:
        lines = [
            f"{path},sha256={urlsafe_b64encode(sha256(text.encode()).digest()).decode().rstrip('=')},{len(text)}\n"
            for path, text in files.items()
        ]
        script = f"../../../bin/box,sha256={sha256(str(prefix).encode()).hexdigest()},9\n"
        write(packages, {"box-1.0.dist-info/RECORD": "".join([*lines, script, "box-1.0.dist-info/RECORD,,\n"])})


def shown(root: Path, table: Mapping[str, object] | None = None) -> tuple[str, bytes]:
    """The id, and the whole export."""
    settings = merge(table or {}, {}, trusted=True)[0] if table else Settings()
    session = Session(Workspace.of([str(root)]), settings, options=SessionOptions(libraries=True))
    session.start()
    try:
        assert session.wait("complete", PATIENCE)
        snapshot = settle(session)
        lines = export(snapshot, ExportOptions(mode="allow-errors")).lines()
        return snapshot_id(snapshot), b"".join(lines)
    finally:
        session.close()


def _moved(root: Path) -> None:
    environment(root / ".venv", BOX)


def _elsewhere(root: Path) -> None:
    environment(root.parent / "envs" / root.name, BOX)
    os.environ["VIRTUAL_ENV"] = str(root.parent / "envs" / root.name)


def _touched(root: Path) -> None:
    environment(root / ".venv", BOX)
    for path in (root / ".venv").rglob("*"):
        os.utime(path, (10**9, 10**9))


def _copied(root: Path) -> None:
    environment(root / "first", BOX)
    shutil.copytree(root / "first", root / ".venv")
    shutil.rmtree(root / "first")


def _other_packages(root: Path) -> None:
    environment(root / ".venv", LESS)


def _unrecorded(root: Path) -> None:
    environment(root / ".venv", LESS, recorded=False)


def _edited(root: Path) -> None:
    environment(root / ".venv", BOX)
    packages = root / ".venv" / "lib" / "python3.12" / "site-packages"
    write(packages, LESS)


def _other_version(root: Path) -> None:
    environment(root / ".venv", BOX, "3.11")


def _older_python(root: Path) -> None:
    write(root, {"pyproject.toml": FILES["pyproject.toml"].replace("3.12", "3.9")})


def _node_modules(root: Path) -> None:
    environment(root / ".venv", BOX)
    write(root, {"node_modules/left/index.js": "exports.pad = 1\n", "node_modules/.package-lock.json": "{}"})


def _nothing(root: Path) -> None:
    pass


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[str, bytes]]:
    monkeypatch.setenv("VIRTUAL_ENV", "")

    def make(name: str, prepare: Callable[[Path], None], **settings: object) -> tuple[str, bytes]:
        root = tmp_path / name
        write(root, FILES)
        prepare(root)
        return shown(root, settings)

    return make


@pytest.mark.parametrize(
    "other", [_moved, _elsewhere, _touched, _copied, _node_modules], ids=lambda made: made.__name__
)
def test_same_contents_have_one_id_and_one_export(
    made: Callable[..., tuple[str, bytes]], other: Callable[[Path], None]
) -> None:
    assert made("one", _moved) == made("elsewhere-and-otherwise-called", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_moved, _nothing),
        (_moved, _other_packages),
        (_moved, _unrecorded),
        (_moved, _edited),
        (_moved, _other_version),
        (_nothing, _older_python),
    ],
    ids=["no environment", "other packages", "packages without a record", "edited in place", "version", "requires"],
)
def test_what_resolution_reads_outside_is_in_the_id(
    made: Callable[..., tuple[str, bytes]], one: Callable[[Path], None], other: Callable[[Path], None]
) -> None:
    (first, text), (second, another) = made("one", one), made("two", other)
    assert first != second
    assert (
        text.partition(b"\n")[2] != another.partition(b"\n")[2]
        or "version" in other.__name__
        or "python" in other.__name__
    )


def test_settings_that_change_the_graph_are_in_the_id(made: Callable[..., tuple[str, bytes]]) -> None:
    plain, named = made("one", _nothing), made("two", _nothing, python={"roots": ["src/shop"]})
    assert plain[0] != named[0]
    assert made("three", _nothing, python={"roots": ["src"]}) == plain
