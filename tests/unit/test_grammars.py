"""Grammars: where the grammar of a language is found.

Owns: grammars of the grammar package, those with wheels of their own, those that are nowhere.
Must not know: what nodes mean.
Invariant: a grammar that is not there raises GrammarMissing and nothing else.
"""

from __future__ import annotations

import tracemalloc

import pytest

from graphls.languages.extract import grammars
from graphls.languages.extract.grammars import (
    STAND_ALONE,
    GrammarMissing,
    ParserTooSlow,
    kind,
    language,
    parse,
    parser,
)


@pytest.mark.parametrize("name", ["python", "go", *STAND_ALONE])
def test_grammars_load(name: str) -> None:
    assert language(name).node_kind_count > 10
    assert not parser(name).parse(b"").root_node.has_error


def test_a_grammar_that_is_nowhere_is_named() -> None:
    with pytest.raises(GrammarMissing, match="no grammar for nowhere"):
        language("nowhere")
    with pytest.raises(GrammarMissing, match="has no node"):
        kind("go", "no_such_node")


def test_a_text_that_is_mended_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block that is left open makes those behind it dearer, in time and memory: 23 seconds for 114,000 bytes."""
    monkeypatch.setattr(grammars, "MOST_SECONDS", 0.2)
    reader, broken = parser("bash"), b"f() {\n  x=]; if ((\n" * 6_000
    with pytest.raises(ParserTooSlow, match="left open"):
        parse(reader, broken)
    sound = b"f() { g; }\n" * 6_000
    tree = parse(reader, sound)
    assert not tree.root_node.has_error, "nothing is left of the text before"
    assert not parse(reader, sound, tree).root_node.has_error


def test_nothing_stays_of_a_long_text_that_was_parsed() -> None:
    """A server parses a file at each keystroke: it kept every text, twice over."""
    text = b"def f(x): return f(x)\n" * 4_000
    reader = parser("python")
    tree = parse(reader, text)
    tracemalloc.start()
    try:
        for _ in range(4):
            tree = parse(reader, text)
            assert tree.root_node.children[-1].text == b"def f(x): return f(x)", "nodes still tell their text"
        del tree
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < len(text) / 2
