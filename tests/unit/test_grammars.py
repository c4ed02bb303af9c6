"""Grammars: where the grammar of a language is found.

Owns: grammars of the grammar package, those with wheels of their own, those that are nowhere.
Must not know: what nodes mean.
Invariant: a grammar that is not there raises GrammarMissing and nothing else.
"""

from __future__ import annotations

import tracemalloc

import pytest

from graphls.facts.paths import FilePath
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
from graphls.languages.extract.scanner_stacks import MOST_TAGS
from graphls.languages.registry import provider_for


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


@pytest.mark.parametrize("name", ["c", "csharp", "go", "swift", "lua"])
def test_a_short_text_is_given_up_as_a_long_one_is(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """12,000 bytes of this took eight seconds and more."""
    monkeypatch.setattr(grammars, "LEAST_SECONDS", 0.02)
    monkeypatch.setattr(grammars, "SHORT_SECONDS_A_BYTE", 1e-6)
    reader = parser(name)
    with pytest.raises(ParserTooSlow, match="left open"):
        parse(reader, b"[[ " * 9_000 if name == "lua" else b"/* " * 3_000)
    assert parse(reader, b"").root_node.end_byte == 0, "nothing is left of the text before"


_TEMPLATES = {
    "vue": b"<template>%b</template>\n<script setup>\nconst b = []\n</script>\n",
    "svelte": b"<script>\nlet b = [];\n</script>\n%b",
    "astro": b"---\nconst b = [];\n---\n%b",
}


@pytest.mark.parametrize("name", _TEMPLATES)
def test_a_template_with_too_many_open_tags_is_not_parsed(name: str) -> None:
    """The scanner copies all open tags at each token: 255,000 bytes took nine seconds."""
    reader, deep = parser(name), MOST_TAGS + 1
    for opening, closing in ((b"<div>", b"</div>"), (b"<div>", b""), (b"{#each b as a}<p>", b"</p>{/each}")):
        with pytest.raises(ParserTooSlow, match="too deeply"):
            parse(reader, _TEMPLATES[name] % (opening * deep + closing * deep))
    with pytest.raises(ParserTooSlow, match="too deeply"):
        parse(reader, b"<script>let b;</scrip><style>a<!--" + b"<div>" * deep)
    flat = (
        b"<li>a" * deep,
        b"<p>a<br>" * deep,
        b"<div><img></div>" * deep,
        b'<div><a-b :c="() => d" @e="f > 1"/></div>' * deep,
        b"<!-- <div> -->" * deep,
        b"<style>a > b</style>" + b"<div>a</div>" * deep,
        b"</div>" * deep,
        b"{#if a}{:else}{/if}" * deep,
    )
    for text in flat:
        assert parse(reader, _TEMPLATES[name] % text).root_node.end_byte
    assert parse(reader, _TEMPLATES[name].replace(b"const b = []", b"f<string>();" * deep) % b"").root_node.end_byte


def test_strings_in_strings_end_no_process() -> None:
    """The scanner of Kotlin calls abort where 1,024 are open, and the server ended with it."""
    reader = parser("kotlin")
    for text in (b'val a = "${' * 2_000, b'"""${' * 2_000, b'val a = "${ b }\n' * 3_001):
        with pytest.raises(ParserTooSlow, match="too deeply"):
            parse(reader, text)
    sound = b'val a = "${b} ${c("${d}")} \\" // {"\nval e = """${f} " """ // "\nval g = \'"\'\n'
    assert not parse(reader, sound * 1_000).root_node.has_error


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", 'def f(a: "{}"): ...\n'),
        ("A.vue", "<template>\n<b :a='{}'/>\n</template>\n"),
        ("B.svelte", "<b>\n{{ {} }}\n</b>\n"),
        ("C.astro", "---\nlet a = 1\n---\n<b>\n{{ {} }}\n</b>\n"),
    ],
)
@pytest.mark.parametrize("part", ["B", "B, " * 100 + "B"])
def test_parts_of_a_text_have_the_time_of_one_tree(
    name: str, text: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider, path = provider_for(FilePath(name)), FilePath(name)
    assert provider is not None
    # A dotted name alone is no text that a parser has to read.
    data = text.replace("{}", f"list[{part}]").replace("{{", "{").replace("}}", "}").encode()
    tree = provider.parser(path).parse(data)
    provider.extract(path, data, tree)
    monkeypatch.setattr(grammars, "MOST_SECONDS", 0.0)
    monkeypatch.setattr(grammars, "MOST_SECONDS_A_BYTE", 0.0)
    with pytest.raises(grammars.ParserTooSlow):
        provider.extract(path, data, tree)
