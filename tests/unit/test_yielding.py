"""Yielding: long reading and linking let other threads have the interpreter, and say the same for it.

Owns: texts longer than a portion, the number of turns.
Must not know: how compiled code is made.
Invariant: a tree that was made in portions is the tree of the text, wherever a portion ends.
"""

from __future__ import annotations

import ast
import gc
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from struct import Struct
from types import FrameType
from typing import SupportsIndex

import pytest
from tree_sitter import Node, Query, QueryCursor

from graphls.context.lexical import index_file
from graphls.facts import columns
from graphls.facts.paths import FilePath
from graphls.languages.extract import facts_builder, grammars, recovery, surfaces, tables
from graphls.languages.extract.yielding import PORTION, Entries, giving_way, release_entries, release_rows
from graphls.languages.incremental import fragments
from graphls.languages.registry import provider_of
from graphls.languages.resolve import context, cycle_guard
from graphls.languages.rust.syntax import macros
from graphls.languages.typescript.types import occurrences
from graphls.session.documents.document import ByteEdit
from graphls.session.documents.open_files import OpenFile
from graphls.session.memory import snapshot_of
from graphls.session.options import SessionOptions
from graphls.session.session import Session
from graphls.session.snapshot_contents import SnapshotContents
from graphls.sources.workspace import Workspace

_LONGEST = 24_000
"""Lines, which compiled take some milliseconds."""
TEXT = "".join(
    f"export function f{number}(é: string) {{ return é + '中{number}'.trim() }}\n" for number in range(2_000)
)


def _shape(root: Node) -> list[tuple[int, int, int]]:
    cursor, found = root.walk(), list[tuple[int, int, int]]()
    while True:
        node = cursor.node
        assert node is not None
        found.append((node.kind_id, node.start_byte, node.end_byte))
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found


@pytest.mark.parametrize("shift", range(4))
def test_a_tree_made_in_portions_is_the_tree_of_the_text(shift: int) -> None:
    data = b"/" * 2 + b"x" * shift + b"\n" + TEXT.encode()
    whole = grammars.parser("typescript").parse(data)
    parts = grammars.parse(grammars.parser("typescript"), data)
    assert _shape(parts.root_node) == _shape(whole.root_node)
    last = parts.root_node.named_children[-1]
    assert last.text == data[last.start_byte : last.end_byte]
    edited = parts.copy()
    edited.edit(2, 2, 3, (0, 2), (0, 2), (0, 3))
    again = data[:2] + b"y" + data[2:]
    assert _shape(grammars.parse(grammars.parser("typescript"), again, edited).root_node) == _shape(
        grammars.parser("typescript").parse(again).root_node
    )


@pytest.mark.parametrize("module", [facts_builder, surfaces, cycle_guard])
def test_long_work_lets_others_have_their_turn(module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = 0

    def counted() -> None:
        nonlocal turns
        turns += 1

    monkeypatch.setattr(module, "yield_now", counted)
    snapshot = snapshot_of({"a.ts": TEXT})
    for path in snapshot.files():
        snapshot.links(path)
    assert turns > 10


def test_an_open_file_that_is_long_is_read_and_linked_giving_way_to_others_without_a_lock(tmp_path: Path) -> None:
    turns: dict[str, int] = {}
    path = FilePath("a.ts")

    def give_way() -> Callable[[], None]:
        def step() -> None:
            there = threading.current_thread().name
            turns[there] = turns.get(there, 0) + 1
            if turns[there] == 1:  # whoever asks about another file is not held up
                asking = threading.Thread(target=session.snapshot, args=(FilePath("b.ts"),))
                asking.start()
                asking.join(60)
                assert not asking.is_alive()

        return step

    (tmp_path / "a.ts").write_text("let a = 1\n")
    (tmp_path / "b.ts").write_text("let b = 1\n")
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(give_way=give_way))
    session.start()
    try:
        assert session.wait("complete", 60)
        session.open(path, TEXT.encode() * 4)
        session.snapshot(path)
        assert session.wait("complete", 60)
        assert sum(turns.values()) > 100
    finally:
        session.close()


def test_words_of_a_file_are_found_and_sorted_in_turns() -> None:
    path = FilePath("a.py")
    snapshot, turns = snapshot_of({path: "".join(f"def f{i}(): return g{i}\n" for i in range(50))}), Counter[str]()
    with giving_way(lambda: turns.update(("turn",))):
        found = index_file(path, snapshot.facts(path), snapshot.text(path) or b"")
    assert turns["turn"] >= len(found.rows) + len(found.terms)


_MANY = range(600)
_SHAPES = {
    "a.php": "<?php\n" + "".join(f"class C{i} {{ function m() {{}} }}\n" for i in _MANY),
    "a.py": "".join(f"class C{i}:\n    def m(self): pass\n" for i in _MANY)
    + "x = {\n"
    + "".join(f"    'k{i}': C{i}(),\n" for i in _MANY)
    + "}\n",
    "a.ts": "const { " + ", ".join(f"a{i}" for i in _MANY) + " } = o;\n" + "".join(f"a{i}();\n" for i in _MANY),
    "a.js": "".join(f"f{i}.prototype.m = function () {{ this.m() }};\nfunction f{i}() {{}}\n" for i in _MANY),
    "a.go": "package a\n" + "".join(f"type T{i} struct {{ a, b T{i} }}\n" for i in _MANY),
    "A.java": "class A {\n" + "".join(f"  A(int a{i}) {{ new A(a{i}); }}\n" for i in _MANY) + "}\n",
}


@pytest.mark.parametrize("name", _SHAPES)
@pytest.mark.parametrize("edited", [False, True])
def test_no_long_text_is_read_without_turns_between(name: str, *, edited: bool) -> None:
    """Counted in lines of the code that is compiled for users, which keeps the interpreter's lock between two turns."""
    path, data = FilePath(name), _SHAPES[name].encode()
    provider = provider_of(path, data)
    assert provider is not None
    file = OpenFile(path, data, provider)
    longest = lines = 0

    def in_line(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal longest, lines
        lines += event == "line"
        longest = max(longest, lines)
        return in_line

    def in_call(frame: FrameType, _event: str, _argument: object) -> object:
        nonlocal lines
        place = Path(frame.f_code.co_filename)
        if "languages" in place.parts and place.stem not in {"yielding", "grammars", "syntax_errors"}:
            return in_line
        lines = 0  # plain Python, in which every call is a turn
        return None

    if edited:
        file.parse()
        middle = data.index(b"7", len(data) // 2)
        point = (data.count(b"\n", 0, middle), middle - data.rfind(b"\n", 0, middle) - 1)
        edit = ByteEdit(middle, middle, middle + 1, point, point, (point[0], point[1] + 1))
        file.change(data[:middle] + b"q" + data[middle:], [edit])
    sys.settrace(in_call)
    try:
        file.parse()
    finally:
        sys.settrace(None)
    assert 0 < longest < _LONGEST


class _Rows(list[int]):
    """Notes how many rows go at once."""

    most = 0

    def __delitem__(self, key: SupportsIndex | slice) -> None:
        assert isinstance(key, slice)
        self.most = max(self.most, len(range(*key.indices(len(self)))))
        super().__delitem__(key)

    def clear(self) -> None:
        self.most = max(self.most, len(self))
        super().clear()


class _Entries(dict[int, int]):
    """Notes how many entries go at once."""

    most = 0

    def clear(self) -> None:
        self.most = max(self.most, len(self))
        super().clear()


def test_what_was_read_goes_in_portions() -> None:
    """A large table that goes in one piece keeps the interpreter's lock all the while."""
    rows, entries = _Rows(range(50_000)), _Entries(dict.fromkeys(range(50000), 0))
    release_rows(rows)
    release_entries(entries)
    assert not rows
    assert not entries
    assert 0 < max(rows.most, entries.most) <= PORTION


@pytest.mark.parametrize("name", ["a.go", "a.py", "a.ts", "A.java"])
def test_what_a_file_was_linked_with_goes_in_portions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    released = 0

    def counted(*tables: Entries) -> None:
        nonlocal released
        released += sum(map(len, tables))
        release_entries(*tables)

    monkeypatch.setattr(context, "release_entries", counted)
    monkeypatch.setattr(occurrences, "release_entries", counted)
    snapshot = snapshot_of({name: _SHAPES[name]})
    for path in snapshot.files():
        snapshot.links(path)
    gc.collect()
    assert released >= len(_MANY)


def test_pieces_of_earlier_texts_go_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    released = 0

    def counted(*tables: Entries) -> None:
        nonlocal released
        released += sum(map(len, tables))
        release_entries(*tables)

    monkeypatch.setattr(fragments, "release_entries", counted)
    path = FilePath("a.py")
    data = "".join(f"def f{number}(a): return a.m{number}()\n" for number in range(600)).encode()
    provider = provider_of(path, data)
    assert provider is not None
    file = OpenFile(path, data, provider)
    file.parse()
    assert not released
    file.forget()
    gc.collect()
    assert released >= 600


@pytest.mark.parametrize("name", _SHAPES)
def test_no_rows_are_left_when_facts_are_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left would go in one piece with the one who made it."""
    path, data = FilePath(name), _SHAPES[name].encode()
    left, released = list[object](), list[int]()

    def noted(*given: list[object]) -> None:
        released.append(sum(map(len, given)))
        release_rows(*given)
        left.extend(row for rows in given for row in rows)

    for module in (tables, surfaces):
        monkeypatch.setattr(module, "release_rows", noted)
    provider = provider_of(path, data)
    assert provider is not None
    OpenFile(path, data, provider).parse()
    assert not left
    assert sum(released) > 5_000


def test_no_query_for_macros_is_given_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query keeps the interpreter's lock to its end."""
    asked = list[int]()

    class Counted:
        def __init__(self, query: Query) -> None:
            self.cursor = QueryCursor(query)

        def captures(self, node: Node) -> dict[str, list[Node]]:
            asked.append(node.descendant_count)
            return self.cursor.captures(node)

    monkeypatch.setattr(macros, "QueryCursor", Counted)
    text = "".join(f"fn f{number}() {{ g!(a{number}, !b); h![]; }}\n" for number in range(2_000)).encode()
    tree = grammars.parse(grammars.parser("rust"), text)
    _, calls, _ = macros.as_calls(text, tree)
    assert len(calls) == 4_000
    assert len(asked) >= 1_000
    assert max(asked) < 11_000
    asked.clear()
    text = text.replace(b"!", b" ")
    assert not macros.as_calls(text, grammars.parse(grammars.parser("rust"), text))[1]
    assert not asked


def test_trees_are_compared_without_keeping_their_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node keeps the children that it was asked for: a long text would be so many objects, that go at once."""
    text = ("x = " + "f(" * 20_000 + "a" + ")" * 20_000 + "\n").encode()
    broken = text.replace(b"a", b"a.")
    most, compared = 0, 0
    compare, before = recovery._compared, 0  # pyright: ignore[reportPrivateUsage]

    def counted(one: Node, other: Node, places: tuple[list[int], list[int]]) -> bool | None:
        nonlocal most, compared, before
        if compared % 100 == 0:  # in a large process each count takes long
            before = before or sys.getallocatedblocks()
            most = max(most, sys.getallocatedblocks() - before)
        compared += 1
        return compare(one, other, places)

    monkeypatch.setattr(recovery, "_compared", counted)
    tree = grammars.parse(grammars.parser("python"), broken)
    recovery.deciding_stretches(broken, tree.root_node, "python")
    assert compared > 40_000
    assert most < compared // 4


def test_a_long_column_is_packed_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = list[int]()

    class Counted(Struct):
        def pack(self, *values: object) -> bytes:
            packed.append(len(values))
            return super().pack(*values)

    monkeypatch.setattr(columns, "Struct", Counted)
    numbers = list(range(-100_000, 100_000))
    assert columns.pack_column(numbers).tolist() == numbers
    assert columns.pack_column([]).tolist() == []
    assert max(packed) < 100_000


def test_what_yields_is_not_compiled() -> None:
    tree = ast.parse((Path(__file__).parents[2] / "hatch_build.py").read_text("utf-8"))
    plain = next(node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PLAIN")
    words = {node.value for node in ast.walk(plain) if isinstance(node, ast.Constant)}
    assert words >= {"grammars", "yielding"}


def test_what_all_files_leave_open_is_counted_in_turns(tmp_path: Path) -> None:
    """Work ahead for the first question goes through all files: an answer is not to wait for it."""
    for number in range(12):
        (tmp_path / f"a{number}.py").write_text(f"def f{number}(x): return x.unknown()\n", "utf-8")
        (tmp_path / f"a{number}.yaml").write_text(f"key: a{number}.f{number}\n", "utf-8")
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(look=False))
    session.start()
    try:
        session.wait("complete", 60)
        snapshot = session.snapshot()
        assert isinstance(snapshot.reader, SnapshotContents)
        turns: list[str] = []
        snapshot.reader.drop_values(snapshot)
        with giving_way(lambda: turns.append("turn")):
            snapshot.reader.prepare(snapshot, lambda: turns.append("step") is not None)
        assert turns.count("turn") >= 12
        assert turns.count("step") >= 4 + 12
        snapshot.reader.drop_values(snapshot)
        with giving_way(lambda: turns.append("late")):
            snapshot.reader.prepare(snapshot, lambda: True)
        assert "late" not in turns
    finally:
        session.close()
