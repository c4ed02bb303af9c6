"""C mending: what the grammar does not know, and what it costs to find that out.

Owns: parses from scratch of a broken text, the tree that they begin with.
Must not know: facts.
Invariant: a text has one mended tree, whatever tree was there before.
"""

from __future__ import annotations

from typing import Any

import pytest
from tree_sitter import Node, Parser, Point, Tree

from graphls.languages.c.syntax import mending
from graphls.languages.extract import grammars
from graphls.languages.extract.grammars import ParserWork, parser

MACROS = b"""
#ifdef WIDE
static int wide(struct some_value *v, int many) {
#else
static int narrow(struct some_value *v) {
#endif
    LIST_FOREACH(v, other) {
        take(v);
    }
    return API_CALL v->x;
}

EXPORTED_API int first(void) { return 1; }
int second(int a) NOT_NULL_ATTRIBUTE(1) { return a; }
"""
TEXT = b"int before(int a) { return a; }\n" * 60 + MACROS + b"int behind(int a) { return a; }\n" * 60


class Counting:
    """A parser that counts what it parses from scratch."""

    def __init__(self, wrapped: Parser) -> None:
        self.wrapped, self.scratch, self.all = wrapped, 0, 0
        self.language = wrapped.language

    def parse(self, data: bytes, before: Tree | None = None, **limits: Any) -> Tree:
        self.all += 1
        if before is not None:
            return self.wrapped.parse(data, before, **limits)
        self.scratch += 1
        return self.wrapped.parse(data, **limits)


@pytest.mark.parametrize("grammar", ["c", "cpp"])
def test_each_try_parses_what_it_changed(grammar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A C++ file of 17,000 lines was parsed nine times from scratch at each letter."""
    counting = Counting(parser(grammar))

    def counted(name: str) -> Counting:
        return counting

    monkeypatch.setattr(mending, "parser", counted)
    tree = parser(grammar).parse(TEXT)
    text, made = mending.mended(TEXT, tree) if grammar == "c" else mending.mended_cpp(TEXT, tree)
    assert counting.all > 2
    assert counting.scratch == 0
    assert text != TEXT
    assert _nodes(made.root_node) == _nodes(parser(grammar).parse(text).root_node)


def test_a_tree_made_from_an_earlier_one_mends_alike() -> None:
    at = TEXT.index(b"take(v)")
    for piece in (b"x", b"(", b"{", b"}", b";", b"#if 1\n", b"API_CALL "):
        data = TEXT[:at] + piece + TEXT[at:]
        earlier = parser("c").parse(TEXT)
        row, lines = TEXT.count(b"\n", 0, at), piece.count(b"\n")
        column = at - TEXT.rfind(b"\n", 0, at) - 1
        end = Point(row + lines, 0) if lines else Point(row, column + len(piece))
        earlier.edit(at, at, at + len(piece), Point(row, column), Point(row, column), end)
        scratch = mending.mended(data, parser("c").parse(data))
        again = mending.mended(data, parser("c").parse(data, earlier), fresh=False)
        assert (again[0], _nodes(again[1].root_node)) == (scratch[0], _nodes(scratch[1].root_node)), piece


def test_no_more_is_tried_where_it_costs_much_and_stays_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    wholly = b"} } ) {\n" + TEXT + b"= [ ( { ) ] }\n" + TEXT
    counted = list[int]()

    def parse(reader: Parser, data: bytes, before: Tree | None = None, work: ParserWork | None = None) -> Tree:
        made = grammars.parse(reader, data, before, work)
        if work is not None:
            counted.append(work.looks)
        return made

    monkeypatch.setattr(mending, "parse", parse)
    monkeypatch.setattr(mending, "_broken", lambda root: root.end_byte + 1)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType, reportUnknownMemberType]
    mending.mended_cpp(wholly, None)
    every = tuple(counted)
    counted.clear()
    mending.mended_cpp(wholly, None)
    assert tuple(counted) == every  # what a parser did is no matter of time
    assert len(every) > 2
    monkeypatch.setattr(mending, "_MOST_IN_VAIN", 0)
    counted.clear()
    mending.mended_cpp(wholly, None)
    assert counted == [*every[:1]]


def _nodes(root: Node) -> list[tuple[str, int, int, Point]]:
    found: list[tuple[str, int, int, Point]] = []
    pending = [root]
    while pending:
        node = pending.pop()
        found.append((node.type, node.start_byte, node.end_byte, node.start_point))
        pending += node.children
    return found
