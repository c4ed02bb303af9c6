"""Dotted names of Python are read off the text; what they say is what their nodes say."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.python.syntax import expressions
from graphls.languages.registry import provider_for

ROOT = Path(__file__).parents[2]
TRICKY = b"""
import a.b.c as d
getattr(d, "None"); getattr(d, "True"); getattr(d, "a")
d.a.b.c.d.a.b.c.d.a.b
None.a; True.a.b; None . a; (None).a; a.None_
a . b; a.\\
b; a. b .c; (a  # comment
.b.c)
a.b.c = a.b = a.a
del a.b, a.a.b
a.b += a.b
f"{a.b} {a.b.c!r}"
1.0.a; 1 .a; "".a.b; a().b.c; a[b.c].d
\xc3\xa9.a.\xc3\xa9; a.\xef\xac\x81.b; a.fi.b
class A(a.b, metaclass=a.c):
    x: a.b = a.b.c

    @a.b.c
    def f(self, p: "a.b" = a.c) -> a.b.c:
        self.a.b = p.a
        return self.a.b(*a.b, **a.c)
"""
BROKEN = b"a.b.c\ndef (:\n    a.b.\n    a.b.c(a.b\n"


def encoded(data: bytes) -> bytes:
    provider = provider_for(FilePath("a.py"))
    assert provider is not None
    return encode(provider.extract(FilePath("a.py"), data, provider.parser(FilePath("a.py")).parse(data)))


def sources() -> list[bytes]:
    files = [*(ROOT / "fixtures").rglob("*.py"), *(ROOT / "server" / "graphls" / "languages" / "python").glob("*.py")]
    return [TRICKY, BROKEN, *(file.read_bytes() for file in sorted(files))]


def test_text_says_what_nodes_say(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = sources()
    by_text = [encoded(text) for text in texts]
    monkeypatch.setattr(expressions, "DOTS", 0)
    for text, known in zip(texts, by_text, strict=True):
        assert encoded(text) == known, text[:200]


def test_constants_are_no_names_where_strings_spell_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "CONSTANTS", frozenset[bytes]())
    by_text = encoded(TRICKY)
    monkeypatch.setattr(expressions, "DOTS", 0)
    assert encoded(TRICKY) != by_text
