"""C mending: what the grammar does not know, and what it costs to find that out.

Owns: parses from scratch of a broken text, the tree that they begin with.
Must not know: facts.
Invariant: a text has one mended tree, whatever tree was there before.
"""

from __future__ import annotations

from typing import Any

import pytest
from tree_sitter import Node, Parser, Point, Tree

from graphls.facts.paths import FilePath
from graphls.languages.c.cpp.dialect import is_cpp
from graphls.languages.c.syntax import mending
from graphls.languages.c.syntax.declaring_macros import without_declaring
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


@pytest.mark.parametrize("harmful", [0, 6, 15])
def test_one_place_that_does_harm_is_found_in_few_tries(harmful: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A header of 100 kB was parsed 25 times, 12 of these to find one word that has to stay."""
    words = [b"WORD_%02d" % number for number in range(16)]
    text = b" x ".join(words)
    tried = list[bytes]()

    def broken(other: bytes, before: Tree) -> tuple[Tree, int]:
        tried.append(other)
        return before, 1000 if words[harmful] not in other else sum([word in other for word in words])

    work = mending._Tries("c", len(text))  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(work, "tried", broken)
    tree = parser("c").parse(text)
    blank = b" x ".join([b" " * 7] * 16)
    made, _, left = mending._helping(text, blank, tree, 16, work)  # pyright: ignore[reportPrivateUsage]
    assert made.split() == [*[b"x"] * harmful, words[harmful], *[b"x"] * (15 - harmful)]
    assert left == 1
    assert len(tried) <= 8


def test_conditions_far_from_what_is_broken_are_left_alone() -> None:
    """Those around a whole header break nothing, and without them all of it is parsed again."""
    body = b"int f(int a) { return a; }\n" * 40
    data = b"#ifndef A_H\n" + body + b"int g(int a) { return a $ ; }\n" + body + b"#endif\n"
    tried = list[bytes]()
    real = grammars.parse

    def parse(reader: Parser, data: bytes, before: Tree | None = None, work: ParserWork | None = None) -> Tree:
        tried.append(data)
        return real(reader, data, before, work)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mending, "parse", parse)
        text, _ = mending.mended_cpp(data, None)
    assert text == data
    assert tried == [data]


def test_what_a_file_is_tried_with_grows_with_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = list[int]()

    def parse(reader: Parser, data: bytes, before: Tree | None, work: ParserWork) -> Tree:
        work.looks += 500
        looks.append(500)
        return parser("c").parse(b"")

    monkeypatch.setattr(mending, "parse", parse)
    for size, most in ((1_000, 1), (100_000, 7)):
        work = mending._Tries("c", size)  # pyright: ignore[reportPrivateUsage]
        looks.clear()
        for _ in range(100):
            if not work.are_over():
                work.tried(b"", parser("c").parse(b""))
        assert len(looks) == most


HEADERS = {
    b"#if __cplusplus > 201703L\nnamespace std {\n}\n#endif\n": True,
    b"#ifndef A_H\n#define A_H 1\n#if __cplusplus >= 201103L\nclass A;\n#else\n# error old\n#endif\n#endif\n": True,
    b'#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\nclass A;\n#endif\n': False,
    b"int f(void);\n#if __cplusplus > 201703L\nnamespace std {\n}\n#endif\n": False,
}


@pytest.mark.parametrize("text", HEADERS)
def test_a_header_that_declares_for_one_language_only_is_in_that(text: bytes) -> None:
    """Those of the standard library stand in `#if __cplusplus > 201703L`, and were read as C."""
    assert is_cpp(FilePath("a.h"), text) == HEADERS[text]


DECLARED = b"""
OLD_SINCE_3 X509_REQ *made(const X509_REQ *one);
__owur SSL_CTX *given(SSL_CTX *one);
__owur STACK_OF(X509_NAME) *listed(const char *file);
typedef api_value(API_CALL *called)(api_env env);
void API_NOTHROW *allocated(int size);
"""


def test_types_in_capital_letters_stay_and_macros_around_them_go() -> None:
    """Of 110 kB of `ssl.h` a third was one broken place, and functions that give such types were calls."""
    text, tree = mending.mended(DECLARED, parser("c").parse(DECLARED))
    assert not tree.root_node.has_error
    assert (
        text.split()
        == (
            b"X509_REQ *made(const X509_REQ *one); SSL_CTX *given(SSL_CTX *one); X509_NAME *listed(const char *file);"
            b" typedef api_value( *called)(api_env env); void *allocated(int size);"
        ).split()
    )


def test_macros_that_declare_over_several_lines_are_one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five texts of `core_dispatch.h` were tried, each as broken as the first, for 2.3 of 3.5 seconds a megabyte."""
    given = b"".join(
        b"#define N_%d %d\nMAKE_FUNC(const type *,\n    name_%d, (const char *one,\n        int two[]))\n" % ((at,) * 3)
        for at in range(200)
    )
    text = b"typedef int first;\n" + given + b"\ntypedef int last;\n"
    tree = parser("c").parse(text)
    assert tree.root_node.has_error
    tried = list[int]()
    other = mending._Tries.tried  # pyright: ignore[reportPrivateUsage]

    def counted(tries: Any, text: bytes, before: Tree) -> tuple[Tree, int]:
        made = other(tries, text, before)
        tried.append(made[1])
        return made

    monkeypatch.setattr(mending._Tries, "tried", counted)  # pyright: ignore[reportPrivateUsage]
    mended, found = mending.mended(text, tree)
    assert tried == [0]
    assert not found.root_node.has_error
    assert len(mended) == len(text)
    assert b"MAKE_FUNC" not in mended
    assert b"typedef int last;" in mended


@pytest.mark.parametrize(
    "text",
    [
        b"DEFINED(int,\n    name)\n{\n    return 1;\n}\n",
        b"RESULT(int,\n    wide)\nname(int a);\n",
        b"int a = VALUE(1,\n    2)\n    + 3;\n",
        b"CALLED(1,\n    2);\n",
    ],
)
def test_macros_that_something_belongs_to_stay(text: bytes) -> None:
    assert without_declaring(text, parser("c").parse(text)) == text


def test_many_broken_places_in_one_line_are_looked_at_once() -> None:
    line = b"typedef a<1>::type b SOME_WORD; typedef $ ; " * 100
    tree = parser("cpp").parse(line)
    stretches = mending._stretches(tree.root_node, line, 1)  # pyright: ignore[reportPrivateUsage]
    assert len(stretches) == 1


def _nodes(root: Node) -> list[tuple[str, int, int, Point]]:
    found: list[tuple[str, int, int, Point]] = []
    pending = [root]
    while pending:
        node = pending.pop()
        found.append((node.type, node.start_byte, node.end_byte, node.start_point))
        pending += node.children
    return found
