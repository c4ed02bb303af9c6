"""Equal to scratch: whatever the order of edits, the graph is that of a fresh index.

Owns: random edits of real files, on disk and in buffers, one at a time and in bulk.
Must not know: what facts or links say.
Invariant: facts, surfaces, links, names and packages are equal to the byte, file by file; so is the export.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.session import open_files
from graphls.session.documents import ByteEdit
from graphls.session.session import Session
from increment.workbench import anew, everything, exported, from_scratch, key, session_over, settle, write

BLOCKS = (
    b"def pasted(first, second=1):\n    return first.other(second)\n",
    b"class Pasted(Base):\n    field: int = 1\n\n    def method(self):\n        return self.field\n",
    b"from . import util\nfrom .util import *\n",
    b'"""',
    b"(",
    b"    return\n",
    b"\xf0\x9f\x90\x8d = '\xc3\xa9'\n",
)


def real_files() -> Mapping[str, bytes]:
    """A small package that is always installed."""
    spec = find_spec("pathspec")
    assert spec is not None
    assert spec.submodule_search_locations
    root = Path(spec.submodule_search_locations[0])
    found = {f"pathspec/{path.relative_to(root).as_posix()}": path.read_bytes() for path in sorted(root.rglob("*.py"))}
    return {path: data for path, data in found.items() if len(data) < 30_000}


FILES = real_files()


class Editor:
    """Does random things to the files of a session."""

    def __init__(self, session: Session, root: Path) -> None:
        self.session = session
        self.root = root
        self.buffers: dict[FilePath, bytes] = {}

    def paths(self) -> list[FilePath]:
        return sorted(key(path.relative_to(self.root).as_posix()) for path in self.root.rglob("*.py"))

    def pick(self, number: int) -> FilePath:
        paths = self.paths()
        return paths[number % len(paths)]

    def replace(self, path: FilePath, start: int, end: int, text: bytes) -> None:
        """In the buffer, with the edit that a kept tree needs."""
        if path not in self.buffers:
            self.buffers[path] = (self.root / path).read_bytes()
            self.session.open(path, self.buffers[path])
        old = LineIndex(self.buffers[path])
        new = old.edited(start, end, text)
        points = old.row_column(start), old.row_column(end), new.row_column(start + len(text))
        self.buffers[path] = new.data
        self.session.change(path, new.data, [ByteEdit(start, end, start + len(text), *points)])

    def typed(self, number: int, at: int, block: bytes) -> None:
        path = self.pick(number)
        data = self.buffers.get(path) or (self.root / path).read_bytes()
        text = data.decode("utf-8", "replace")
        start = len(text[: at % (len(text) + 1)].encode())
        self.replace(path, start, start, block)

    def deleted(self, number: int, at: int, block: bytes) -> None:
        path = self.pick(number)
        lines = LineIndex(self.buffers.get(path) or (self.root / path).read_bytes())
        first = at % lines.line_count
        start, end = lines.offset(first, 0, "utf-8"), lines.offset(first + len(block) % 4, 0, "utf-8")
        self.replace(path, start, end, b"")

    def renamed(self, number: int, at: int, block: bytes) -> None:
        path = self.pick(number)
        if path not in self.buffers:
            target = key(f"pathspec/moved_{at % 5}.py")
            (self.root / path).replace(self.root / target)
            self.session.files_changed([path, target])
            self.close(target)

    def created(self, number: int, at: int, block: bytes) -> None:
        path = key(f"pathspec/new_{at % 3}.py")
        (self.root / path).write_bytes(block)
        self.session.files_changed([path])

    def removed(self, number: int, at: int, block: bytes) -> None:
        path = self.pick(number)
        if path.count("/") and path != "pathspec/__init__.py":
            (self.root / path).unlink()
            self.session.files_changed([path])
            self.close(path)

    def saved(self, number: int, at: int, block: bytes) -> None:
        for path, data in self.buffers.items():
            (self.root / path).write_bytes(data)
        self.session.files_changed(list(self.buffers))

    def bulk(self, number: int, at: int, block: bytes) -> None:
        for path in self.paths()[::2]:
            (self.root / path).write_bytes((self.root / path).read_bytes() + block)
        self.session.rescan()

    def asked(self, number: int, at: int, block: bytes) -> None:
        snapshot = self.session.snapshot()
        for path in list(snapshot.files())[:5]:
            snapshot.links(path)

    def close(self, path: FilePath) -> None:
        if self.buffers.pop(path, None) is not None:
            self.session.close_document(path)


ACTIONS = ("typed", "typed", "deleted", "deleted", "renamed", "created", "removed", "saved", "bulk", "asked")
STEPS = st.tuples(
    st.sampled_from(ACTIONS),
    st.integers(0, 1000),
    st.integers(0, 20_000),
    st.sampled_from((*BLOCKS, b"x", b"\n", b".")),
)


@given(steps=st.lists(STEPS, min_size=1, max_size=12))
@settings(max_examples=12)
def test_any_edits_end_where_a_fresh_index_begins(steps: list[tuple[str, int, int, bytes]]) -> None:
    # Small files are worth no memory to their editor; here each has one.
    with tempfile.TemporaryDirectory() as folder, patch.object(open_files, "REMEMBER_FROM_BYTES", 0):
        root = Path(folder, "space")
        write(root, FILES)
        with session_over(root) as session:
            editor = Editor(session, root)
            for action, number, at, block in steps:
                getattr(editor, action)(number, at, block)
            snapshot = settle(session)
            assert snapshot.pending == ()
            shown = everything(snapshot)
            assert sorted(path for path in shown if path.endswith(".py")) == sorted({*editor.paths(), *editor.buffers})
            assert shown == from_scratch(snapshot)
            assert exported(snapshot) == exported(anew(snapshot))


@pytest.mark.parametrize("size", [400])
def test_large_open_file_keeps_its_tree_and_its_facts(tmp_path: Path, size: int) -> None:
    """Large files reuse their tree: after each keystroke facts equal those of a full parse."""
    text = b"".join(b"def f%d(a, b):\n    return a.m(b)[%d] + f'{a}'\n\n" % (n, n) for n in range(size * 4))
    write(tmp_path, {"large.py": text})
    with session_over(tmp_path) as session:
        editor = Editor(session, tmp_path)
        for at, block in ((1000, b"x"), (1000, b"("), (1001, b")"), (2000, b"\n"), (0, b'"""doc"""\n'), (40_000, b"'")):
            editor.replace(key("large.py"), at, at, block)
            assert everything(settle(session)) == from_scratch(session.snapshot())
