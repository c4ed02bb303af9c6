"""Open files outlive a fault of what they keep.

Owns: what an open document says when reading with a memory of an earlier text fails.
Must not know: sessions, how a memory works.
Invariant: the answer is that of a reading from scratch, and the fault is told in the log.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest
from tree_sitter import Node, Parser, Tree

from graphls.facts.codec import encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.extract import grammars
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.python.provider import PROVIDER
from graphls.languages.python.syntax import extraction
from graphls.languages.registry import provider_for
from graphls.languages.typescript.syntax import mending
from graphls.session.documents.document import AppliedChange, TextChange, apply, open_document
from graphls.session.documents.open_files import REMEMBER_FROM_BYTES, REUSE_FROM_BYTES, SLOW_FROM_BYTES, OpenFile
from graphls.session.index.extraction import understand

PATH = FilePath("a.py")
ONE = b"def f(x):\n    return x.y\n\n\n"
TEXT = ONE * (REMEMBER_FROM_BYTES // len(ONE) + 1)


def _broken(*_: object) -> Node:
    raise IndexError


def test_a_lasting_fault_is_told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    held = OpenFile(PATH, TEXT, PROVIDER)
    assert held.parse() is not None
    data = TEXT.replace(b"x.y", b"x.z", 1)
    monkeypatch.setattr(extraction, "patch_facts", _broken)
    held.change(data, [])
    with caplog.at_level(logging.ERROR):
        assert held.parse() is not None
    assert "read from scratch" in caplog.text


def test_what_no_memory_can_be_read_with_is_read_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "patch_facts", _broken)
    made = OpenFile(PATH, TEXT, PROVIDER).parse()
    facts, surface = understand(PROVIDER, PATH, TEXT)
    assert made is not None
    assert (encode(made.facts), encode(made.surface)) == (encode(facts), encode(surface))


def test_what_cannot_be_read_at_all_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphls.session.documents.open_files.understand", _broken)
    with pytest.raises(IndexError):
        OpenFile(PATH, TEXT, PROVIDER).parse()


def test_a_memory_that_fails_once_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    held = OpenFile(PATH, TEXT, PROVIDER)
    held.parse()
    whole, failed = extraction.patch_facts, [False]

    def once(data: bytes, root: Node, memory: FragmentCache) -> FileFacts | None:
        if failed[0]:
            return whole(data, root, memory)
        failed[0] = True
        raise IndexError

    monkeypatch.setattr(extraction, "patch_facts", once)
    for name in (b"x.z", b"x.q"):
        data = TEXT.replace(b"x.y", name, 1)
        held.change(data, [])
        made = held.parse()
        facts, surface = understand(PROVIDER, PATH, data)
        assert made is not None
        assert (encode(made.facts), encode(made.surface)) == (encode(facts), encode(surface))
    assert failed == [True]


class CountingParser:
    """A parser that notes each text it parses, and whether by an earlier tree."""

    def __init__(self, parser: Parser, parsed: list[bool]) -> None:
        self._parser, self._parsed, self.language = parser, parsed, parser.language

    def parse(self, data: bytes, before: Tree | None = None, **limits: Any) -> Tree:
        self._parsed.append(before is not None)
        return self._parser.parse(data, **limits) if before is None else self._parser.parse(data, before, **limits)


@pytest.mark.parametrize(
    ("path", "part", "broken", "parses"),
    [
        (FilePath("a.py"), b"class A%d:\n    def f(self, x):\n        return x.y\n\n\n", b"class (\n", [False]),
        # Once more for what the grammar might not know, where the text has something that may be such.
        (FilePath("a.ts"), b"class A%d {\n  f(x: any) {\n    return x.y;\n  }\n}\n\n", b"function (\n", [False]),
        (FilePath("a.ts"), b"type A%d = { readonly in?: any };\n", b"function (\n", [False, False]),
    ],
)
def test_a_broken_text_is_parsed_once_an_edit(
    path: FilePath, part: bytes, broken: bytes, parses: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And again by the tree before once it is whole; each time it says what a reading from scratch says."""
    provider = provider_for(path)
    assert provider is not None
    text = b"".join(part % number for number in range(REUSE_FROM_BYTES // len(part) + 1))
    document = open_document("k", 1, text.decode(), "x")
    held, parsed, make = OpenFile(path, document.data, provider), list[bool](), grammars.parser
    held.parse()

    def counting(name: str) -> CountingParser:
        return CountingParser(make(name), parsed)

    def said(text: str, start: int, end: int) -> list[bool]:
        nonlocal document
        changed = apply(document, document.version + 1, [TextChange(text, ((0, start), (0, end)))], "utf-8")
        assert isinstance(changed, AppliedChange)
        document = changed.document
        held.change(document.data, changed.edits)
        with monkeypatch.context() as patched:
            patched.setattr(grammars, "parser", counting)
            patched.setattr(mending, "parser", counting)
            parsed.clear()
            made = held.parse()
            counted = list(parsed)
        facts, surface = understand(provider, path, document.data)
        assert made is not None
        assert (encode(made.facts), encode(made.surface)) == (encode(facts), encode(surface))
        return counted

    first = broken.decode()
    said(first, 0, 0)
    for number in range(3):
        assert said("a", len(first) - 1 + number, len(first) - 1 + number) == parses
    assert said("", 0, len(first) + 2) == [False], "whole again"
    assert said("\n", 0, 0) == [True]


def test_a_text_that_was_refused_at_once_tells_nothing_of_the_next_one() -> None:
    """An edit may make it one that takes seconds: who asks about another file does not wait for that."""
    path = FilePath("a.svelte")
    held = OpenFile(path, b"<div>" * (SLOW_FROM_BYTES // 4), provider_for(path))
    with pytest.raises(grammars.ParserTooSlow):
        held.parse()
    assert held.is_slow
