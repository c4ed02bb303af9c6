"""Links at: single occurrences mean what the links of their whole file say.

Owns: real files asked row by row, in odd orders, against their links.
Must not know: how names are resolved.
Invariant: equal targets, rules and reasons for every row; nothing depends on what was asked before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from graphls.facts.links import EXTERNAL, Links
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_of, edges_to
from graphls.graph.nodes import is_node
from graphls.graph.snapshot import SymbolRef, rows_of
from graphls.queries.definition import definition
from graphls.queries.hover import hover
from graphls.session.memory import snapshot_of
from graphls.session.session import Session, SessionOptions
from graphls.sources.workspace import Workspace
from increment.session_folder import key, write
from increment.test_equal_to_scratch import FILES


def said(links: Links, occurrence: int) -> tuple[object, ...]:
    """What links say about one occurrence, without numbers that differ between answers."""
    table = links.targets
    rows = [
        (
            links.externals[table.file[row]] if table.symbol[row] == EXTERNAL else links.files[table.file[row]],
            table.symbol[row],
            table.edge[row],
            table.resolution[row],
            table.confidence[row],
            table.ambiguous[row],
            links.rules[row],
        )
        for row in rows_of(table, occurrence)
    ]
    unresolved = links.unresolved
    reasons = [why for at, why in zip(unresolved.occurrence, unresolved.reason, strict=True) if at == occurrence]
    return (*rows, *reasons)


def shuffled(path: FilePath, count: int, seed: int) -> list[int]:
    rows = list(range(count))
    Random(f"{path}{seed}").shuffle(rows)
    return rows


@pytest.mark.parametrize("seed", [1, 2])
def test_single_occurrences_mean_what_the_whole_file_says(tmp_path: Path, seed: int) -> None:
    write(tmp_path, FILES)
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", 120)
        snapshot = session.snapshot()
        asked: Mapping[FilePath, list[tuple[object, ...]]] = {}
        for path in snapshot.files():
            count = len(snapshot.facts(path).occurrences)
            answers = {row: said(snapshot.links_at(path, (row,)), row) for row in shuffled(path, count, seed)}
            asked = {**asked, path: [answers[row] for row in range(count)]}
        assert not session.work.linked
        for path, answers in asked.items():
            links = snapshot.links(path)
            assert answers == [said(links, row) for row in range(len(answers))], path
    finally:
        session.close()


def test_an_answer_links_no_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "def f(): pass\n", "b.py": "from a import f\nf()\n"})
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", 120)
        snapshot = session.snapshot()
        found = [target.place for row in range(3) for target in snapshot.targets(key("b.py"), row)]
        assert [place.file for place in found if place is not None] == ["a.py"] * 3
        assert not session.work.linked
    finally:
        session.close()


def test_a_definition_links_no_file(tmp_path: Path) -> None:
    """Neither of what no manifest declares, nor of what a module that is not there would bring."""
    text = 'import React from "reactive"\nimport { gone } from "./gone"\nReact.use(gone, nobody.knows)\n'
    write(tmp_path, {"a.ts": text, "package.json": '{"name": "p", "dependencies": {"other": "1"}}\n'})
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", 120)
        snapshot = session.snapshot()
        found = [definition(snapshot, key("a.ts"), text.rindex(name)) for name in ("React", "use", "gone", "knows")]
        shown = [[text[place.start : place.end] for place in one.places] if one else None for one in found]
        assert shown == [["React"], [], ["gone"], []]
        assert not session.work.linked
    finally:
        session.close()


CONSTRUCTS = {
    "m.py": "class Box:\n    def __enter__(self): return self\n    def __exit__(self, *a): ...\n"
    "    def __len__(self): return 1\n    def __call__(self): ...\n    def __add__(self, other): return self\n",
    "u.py": """from m import Box
box = Box()
def one():
    with box: pass
def two(default=len(box)):
    def inner(): return box + 1
    return inner, lambda: len(box)
def three(): return box()
class Kept:
    size = len(box)
    def four(self): raise Box
""",
}


def test_constructs_of_one_definition_run_what_the_whole_file_says(tmp_path: Path) -> None:
    """A question about one definition of an edited file looks at no constructs of the others."""
    write(tmp_path, CONSTRUCTS)
    whole = snapshot_of({FilePath(path): text for path, text in CONSTRUCTS.items()})
    facts = whole.facts(FilePath("u.py"))
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", 120)
        for row in [row for row in range(len(facts.definitions)) if is_node(facts, row)]:
            place, found = SymbolRef(FilePath("u.py"), row), list[set[tuple[object, ...]]]()
            for snapshot in (session.snapshot(), whole):
                edges = edges_of(snapshot, place)
                found.append({(edge.kind, str(edge.target), edge.sites, *edge.attributes.values()) for edge in edges})
            assert found[0] == found[1], facts.strings[facts.definitions.name[row]]
        assert not session.work.linked
    finally:
        session.close()


HELD = {
    "m.py": """def f(): ...
def g(): ...
def h(): f()
def listed(function): return function
@listed
def k(): ...
class Box:
    def shut(self): ...
    def open(self): self.shut()
    def later(self): return self.open
first = f
def run(): first()
def turn():
    second = Box().later()
    second()
def start():
    third = listed(k)
    third()
""",
    "u.py": """from m import Box, f, g as other
chosen = other
def call(): chosen()
def plain(given=None):
    f()
    given()
class Small(Box):
    def shut(self): return super().shut()
""",
}


@pytest.mark.parametrize("texts", [CONSTRUCTS, HELD], ids=["constructs", "held"])
def test_edges_to_one_definition_are_those_of_linked_files(tmp_path: Path, texts: dict[str, str]) -> None:
    """Of files that are not linked only uses are looked at that can mean the definition, or run it."""
    write(tmp_path, texts)
    whole = snapshot_of({FilePath(path): text for path, text in texts.items()})
    facts, unnamed = whole.facts(FilePath("m.py")), 0
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", 120)
        for row in [row for row in range(len(facts.definitions)) if is_node(facts, row)]:
            place, found = SymbolRef(FilePath("m.py"), row), list[set[tuple[object, ...]]]()
            for snapshot in (session.snapshot(), whole):
                edges = edges_to(snapshot, place)
                found.append({(edge.kind, str(edge.source), edge.sites, *edge.attributes.values()) for edge in edges})
            assert found[0] == found[1], facts.strings[facts.definitions.name[row]]
            unnamed += sum(len(one) > len(("kind", "source", "sites")) for one in found[0])
        assert unnamed >= 3  # calls that spell another name
    finally:
        session.close()


def test_a_hover_links_no_file(tmp_path: Path) -> None:
    """Neither for the bases of a class, nor, in large files, for what runs it unnamed: that is not counted."""
    large = "class Top:\n    def f(self): ...\nclass Low(Top):\n    def f(self): ...\n" + "x = Low()\n" * 5_000
    write(tmp_path, {"a.py": large})
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", 120)
        at = [large.index(name) for name in ("f(self)", "Low", "f(self): ...\nx")]
        cards = [found.card for offset in at if (found := hover(session.snapshot(), key("a.py"), offset)) is not None]
        assert [card.overrides for card in cards if card is not None] == [(), (), ("a:Top.f",)]
        assert [card.counted for card in cards if card is not None] == [False, False, False]
        assert not session.work.linked
    finally:
        session.close()
