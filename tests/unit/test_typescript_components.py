"""Components: Vue, Svelte and Astro files as every question sees them, and after any edit.

Owns: what is true of all three kinds of file alike; single uses are labels in fixtures/typescript/resolution.
Must not know: grammars, how a template is read.
Invariant: a kept tree and a fresh one give the same facts.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixture_text import Fixture, fixture
from graphls.facts.codec import encode
from graphls.facts.kinds import DefinitionFlag, ProblemKind
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from
from graphls.graph.identity import end_name
from graphls.graph.snapshot import SymbolRef
from graphls.languages.typescript.provider import PROVIDER
from graphls.queries.definition import definition
from graphls.queries.hover import hover
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.documents import open_files
from graphls.session.documents.document import ByteEdit
from graphls.session.index.extraction import understand
from graphls.session.memory import snapshot_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "typescript" / "resolution"
KINDS = {"vue": "src/App.vue", "svelte": "src/App.svelte", "astro": "src/Page.astro"}
EDGES = {
    "vue": {
        "src/App.vue:default renders src/Child.vue:default",
        "src/App.vue:default renders src/Item.vue:default",
        "src/App.vue:default calls src/App.vue:save",
        "src/App.vue:default calls src/App.vue:add",
        "src/App.vue:default calls src/lib.ts:reset",
        "src/Item.vue:default renders src/Child.vue:default",
    },
    "svelte": {
        "src/App.svelte:default renders src/Other.svelte:default",
        "src/App.svelte:default calls src/App.svelte:go",
        "src/App.svelte:default calls src/lib.ts:helper",
        "src/App.svelte:default calls src/App.svelte:default.row",
        "src/App.svelte:go calls src/lib.ts:helper",
    },
    "astro": {
        "src/Page.astro:default renders src/Card.astro:default",
        "src/Page.astro:default calls src/lib.ts:helper",
    },
}


def case(kind: str) -> Fixture:
    return fixture((FOLDER / f"{kind}.txt").read_text("utf-8"))


@pytest.mark.parametrize("kind", KINDS)
def test_edges(kind: str) -> None:
    snapshot = snapshot_of(case(kind).files)
    edges = (edge for path in snapshot.shards for edge in edges_from(snapshot, path))
    found = {
        f"{end_name(snapshot, edge.source)} {edge.kind} {end_name(snapshot, edge.target)}"
        for edge in edges
        if edge.kind in ("renders", "calls") and isinstance(edge.target, SymbolRef)
    }
    assert found == EDGES[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_component_by_every_question(kind: str) -> None:
    parsed = case(kind)
    snapshot = snapshot_of(parsed.files)
    label = {"vue": "Child", "svelte": "Other", "astro": "Card"}[kind]
    use, home = parsed.named(f"ref:{label}")[0], parsed.one(f"def:{label}")
    path = FilePath(use.path)
    found = definition(snapshot, path, use.end - 1)
    assert found is not None
    assert [(place.file, place.end) for place in found.places] == [(home.path, home.end)]
    place = one_symbol(snapshot, f"{home.path}:default")
    assert isinstance(place, SymbolRef)
    uses = {(use.file, use.end) for use in references(snapshot, place).uses}
    assert {(mark.path, mark.end) for mark in parsed.named(f"ref:{label}")} <= uses
    shown = hover(snapshot, path, use.end - 1)
    assert shown is not None
    assert shown.card is not None
    assert shown.card.signature == "component"
    near = neighborhood(snapshot, place, NeighborhoodQuery(depth=1, direction="in", edge_kinds=frozenset(("renders",))))
    assert path in {edge.source.file for edge in near.edges if isinstance(edge.source, SymbolRef)}


@pytest.mark.parametrize("kind", KINDS)
def test_right_files_have_no_problems(kind: str) -> None:
    snapshot = snapshot_of(case(kind).files)
    for path in snapshot.shards:
        assert not len(snapshot.facts(path).problems), path


def test_what_a_template_hides_is_a_warning_and_hides_no_script() -> None:
    data = b'<template><p :a="b c">{{ ) }}</p></template>\n<script setup>const b = 1</script>'
    path = FilePath("a.vue")
    facts = PROVIDER.extract(path, data, PROVIDER.parser(path).parse(data))
    assert set(facts.problems.kind) == {ProblemKind.PARTIAL}
    assert "b" in {facts.strings[name] for name in facts.definitions.name}
    assert [facts.strings[name] for name in facts.occurrences.name] == ["b", "c"]


def test_a_script_in_another_language_is_said() -> None:
    data = b'<script lang="coffee">a = -> 1</script>\n<p>x</p>'
    path = FilePath("a.vue")
    facts = PROVIDER.extract(path, data, PROVIDER.parser(path).parse(data))
    assert [facts.strings[text] for text in facts.problems.text] == ['Not read: no grammar for lang="coffee".']


def test_every_file_exports_one_component() -> None:
    for kind in KINDS:
        for name, data in case(kind).files.items():
            if name.endswith(tuple(KINDS)):
                path = FilePath(name)
                facts = PROVIDER.extract(path, data, PROVIDER.parser(path).parse(data))
                flags = facts.definitions.flags
                assert sum(bool(flag & DefinitionFlag.DEFAULT_EXPORT) for flag in flags) == 1, name


PIECES = {
    "vue": (
        b"<template><A :b='c'/></template>\n",
        b"<script setup>\nlet c = 1\n</script>\n",
        b"{{ x }}",
        b"<script>",
        b'"',
    ),
    "svelte": (b"<script>\nlet c\n</script>\n", b"{#if a}{b}{/if}", b"{#each a as b}", b"<A {...c}/>", b"{"),
    "astro": (b"---\n", b"{a && <B/>}", b"<script>let z = 1</script>", b"<p>{x}</p>", b"`"),
}
EDITS = st.lists(
    st.tuples(st.sampled_from(("paste", "cut", "move")), st.integers(0, 5000), st.integers(0, 5000), st.integers(0, 4)),
    max_size=6,
)


@pytest.mark.parametrize("kind", KINDS)
@given(edits=EDITS)
@settings(max_examples=60, deadline=None)
def test_a_kept_tree_says_what_a_fresh_one_says(kind: str, edits: list[tuple[str, int, int, int]]) -> None:
    path = FilePath(KINDS[kind])
    data = case(kind).files[path]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_files, "REUSE_FROM_BYTES", 0)
        file = open_files.OpenFile(path, data, PROVIDER)
        file.parse()
        for edit in edits:
            for start, end, text in _steps(edit, data, PIECES[kind]):
                old = LineIndex(data)
                new = old.edited(start, end, text)
                points = old.row_column(start), old.row_column(end), new.row_column(start + len(text))
                data = new.data
                file.change(data, [ByteEdit(start, end, start + len(text), *points)])
            said = file.parse()
            assert said is not None
            assert [encode(said.facts), encode(said.surface)] == [
                encode(part) for part in understand(PROVIDER, path, data)
            ]


def _steps(edit: tuple[str, int, int, int], data: bytes, pieces: tuple[bytes, ...]) -> list[tuple[int, int, bytes]]:
    """One change, or a block of lines cut here and pasted there."""
    what, first, second, piece = edit
    lines = [0, *(at + 1 for at, letter in enumerate(data) if letter == 10), len(data)]
    start = lines[first % len(lines)]
    if what == "paste":
        return [(start, start, pieces[piece])]
    end = lines[min(lines.index(start) + 1 + second % 12, len(lines) - 1)]
    if what == "cut" or end <= start:
        return [(start, end, b"")]
    rest = data[:start] + data[end:]
    places = [0, *(at + 1 for at, letter in enumerate(rest) if letter == 10)]
    to = places[second % len(places)]
    return [(start, end, b""), (to, to, data[start:end])]
