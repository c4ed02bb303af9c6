"""Editor: random edits of the files of a workspace, and what a session makes of them.

Owns: edits on disk and in buffers, one at a time and in bulk; the session beside a fresh one at the end.
Must not know: what facts or links say, which languages there are.
Invariant: after any steps facts, surfaces, links, names and the export are those of a fresh index, to the byte.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

from hypothesis import strategies as st

from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.session.documents import open_files
from graphls.session.documents.document import ByteEdit
from graphls.session.link import link_reuse
from graphls.session.session import Session
from increment.session_folder import anew, everything, exported, from_scratch, key, session_over, settle, write

Step = tuple[str, int, int, bytes]
"""What is done, to which file, where, with which text."""

ACTIONS = ("typed", "typed", "deleted", "deleted", "renamed", "created", "removed", "saved", "bulk", "asked")


def steps_with(blocks: Sequence[bytes], most: int) -> st.SearchStrategy[list[Step]]:
    """Random steps that paste these texts among others."""
    texts = st.sampled_from((*blocks, b"x", b"\n", b"."))
    step = st.tuples(st.sampled_from(ACTIONS), st.integers(0, 1000), st.integers(0, 20_000), texts)
    return st.lists(step, min_size=1, max_size=most)


def assert_as_fresh(files: Mapping[str, bytes], endings: tuple[str, ...], steps: Sequence[Step]) -> None:
    """Takes the steps in a session over the files, and compares it with a fresh one."""
    # Small files are worth no memory to their editor; here each has one.
    # Few readers are linked anew without a look at what has changed; here each is looked at.
    # In half of the runs each open file is one for which nobody waits who asks about others.
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(open_files, "REMEMBER_FROM_BYTES", 0),
        patch.object(open_files, "SLOW_FROM_BYTES", 0 if len(steps) % 2 else open_files.SLOW_FROM_BYTES),
        patch.object(open_files, "SLOW_SECONDS", -1.0),
        patch.object(link_reuse, "FEW", 0),
    ):
        root = Path(folder, "space")
        write(root, files)
        with session_over(root) as session:
            editor = Editor(session, root, endings)
            for action, number, at, block in steps:
                getattr(editor, action)(number, at, block)
            snapshot = settle(session)
            assert snapshot.pending == ()
            shown = everything(snapshot)
            there = {*editor.paths(), *editor.buffers}
            assert sorted(path for path in shown if path.endswith(endings)) == sorted(there)
            assert shown == from_scratch(snapshot)
            assert exported(snapshot) == exported(anew(snapshot))


def beside(path: FilePath, name: str) -> FilePath:
    """The path of a file in the folder of another, which may be the root."""
    return key("".join((*path.rpartition("/")[:2], name)))


class Editor:
    """Does random things to the files of a session that have one of these endings."""

    def __init__(self, session: Session, root: Path, endings: tuple[str, ...]) -> None:
        self.session = session
        self.root = root
        self.endings = endings
        self.buffers: dict[FilePath, bytes] = {}

    def paths(self) -> list[FilePath]:
        found = (path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file())
        return sorted(key(path) for path in found if path.endswith(self.endings))

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
            name = path.rpartition("/")[2]
            target = beside(path, f"moved_{at % 5}{name[max(name.rfind('.'), 0) :]}")
            (self.root / path).replace(self.root / target)
            self.session.files_changed([path, target])
            self.close(target)

    def created(self, number: int, at: int, block: bytes) -> None:
        path = beside(self.pick(number), f"new_{at % 3}{self.endings[at % len(self.endings)]}")
        if path not in self.buffers:
            (self.root / path).write_bytes(block)
            self.session.files_changed([path])

    def removed(self, number: int, at: int, block: bytes) -> None:
        path = self.pick(number)
        if len(self.paths()) > 1:
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
