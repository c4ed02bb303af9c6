"""Members that macros write in structs that lie in each other: what is found, and that depth alone makes no work."""

from __future__ import annotations

import re

from graphls.facts.paths import FilePath
from graphls.languages.c.provider import PROVIDER
from graphls.languages.c.syntax import written_members

PATH = FilePath("a.c")
_INNER = re.compile(rb"\{[^{}]*\}")


def _members(text: str) -> list[str]:
    facts = PROVIDER.read(PATH, text.encode())
    return [facts.strings[name] for name in facts.definitions.name]


def test_members_that_a_macro_writes_are_those_of_the_struct_around_it() -> None:
    text = "#define MORE int x; int y;\nstruct A { struct { int in; } sub; MORE struct { int deep; } last; };\n"
    assert {"x", "y", "in", "deep", "sub", "last"} <= set(_members(text))


def test_what_stands_in_braces_is_left_out_in_one_walk() -> None:
    for text in (b"a {b {c} d} e {f} g", b"} a {b} {", b"{{a} {b", b"{a\n{b}\n} c", b"", b"{}{}}{{}"):
        rest = text
        while (found := _INNER.search(rest)) is not None:
            blank = bytes(byte if byte == ord("\n") else ord(" ") for byte in found[0][:-1])
            rest = rest[: found.start()] + blank + b";" + rest[found.end() :]
        assert written_members.emptied(text) == rest


def test_a_macro_of_structs_in_structs_is_read_to_a_depth() -> None:
    depth = 20_000
    text = f"#define M {'struct { ' * depth}int a;{' };' * depth}\nstruct A {{ M }};\nint after;\n"
    assert "after" in _members(text)
