"""Spelling: what is printed for a declaration finds that declaration, and only names that mean several are refused."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.errors import AmbiguousSymbol
from graphls.graph.identity import node_id, symbol_name
from graphls.graph.node_table import NodeSummaries, cache_nodes, pack_nodes
from graphls.graph.nodes import is_node, owners_of, sources
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spelling import ordinals, suffix
from graphls.queries.symbol_lookup import find_symbol, one_symbol
from graphls.session.memory import snapshot_of

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

TYPESCRIPT = """
export const Schema = object()
export type Schema = Infer<typeof Schema>
interface Box { a: string }
interface Box { b: string }
class Box { c = 1 }
function Page() {}
namespace Page { export const title = "" }
export default Page
function listed() {}
export { listed, listed as other }
function over(a: string): void
function over(a: number): void
function over(a: any) {}
class Point { get x() { return 1 } set x(v) {} }
const table = { "a.b/c": 1, "d:e": 2 }
declare module "./lib" {}
it(() => { const app = () => {}; app() })
it(() => { const app = () => {}; app() })
it(() => { function listed() {} })
"""
PYTHON = """
import sys
if sys.platform == "win32":
    def path(): ...
else:
    def path(): ...
def again(): ...
def again(): ...
try:
    from fast import speed
except ImportError:
    def speed(): ...
class Box:
    @property
    def x(self): ...
    @x.setter
    def x(self, value): ...
    def go(self): ...
class Box:
    def go(self): ...
"""
FILES = {
    "src/page.ts": TYPESCRIPT,
    "src/lib.ts": "export { listed as default, Schema } from './page'\nexport * from './page'\n",
    "src/pass.ts": "import { listed } from './page'\nexport { listed }\nexport { listed as Schema } from './page'\n",
    "box.py": PYTHON,
    "box.pyi": "class Box:\n    def go(self) -> None: ...\n",
    "a/conftest.py": "def fixture(): ...\n",
    "b/conftest.py": "def fixture(): ...\n",
    "pkg/__init__.py": "from pkg.array import array\n",
    "pkg/array.py": "class array: ...\n",
}


def snapshot_of_one(snapshot: Snapshot, path: FilePath) -> Snapshot:
    """The same, of which nobody has asked anything."""
    return attrs.evolve(snapshot, shards={path: attrs.evolve(snapshot.shards[path])})


def declarations(snapshot: Snapshot) -> list[SymbolRef]:
    return [
        SymbolRef(path, row)
        for path in snapshot.files()
        for row in range(-1, len(snapshot.facts(path).definitions))
        if is_node(snapshot.facts(path), row)
        and (row < 0 or snapshot.facts(path).definitions.kind[row] != DefinitionKind.IMPORT)
    ]


def samples() -> dict[str, str | bytes]:
    found: dict[str, str | bytes] = {
        str(path.relative_to(FIXTURES)): path.read_bytes()
        for folder in ("python/facts", "typescript/facts", "python/export")
        for path in sorted((FIXTURES / folder).rglob("*"))
        if path.suffix in (".py", ".pyi", ".ts", ".tsx", ".js", ".vue", ".svelte", ".astro")
    }
    return {**found, **FILES}


def test_what_is_printed_finds_what_it_was_printed_for() -> None:
    snapshot = snapshot_of(samples())
    for place in declarations(snapshot):
        assert find_symbol(snapshot, symbol_name(snapshot, place)) == (place,), symbol_name(snapshot, place)


def test_packed_nodes_spell_the_same() -> None:
    snapshot = snapshot_of(FILES)
    for place in declarations(snapshot):
        fresh = NodeSummaries(snapshot, place.file).summary(place.definition).qualified
        facts, ids = snapshot.facts(place.file), addresses(snapshot, place.file)
        cache_nodes(snapshot, place.file, pack_nodes(facts, place.file, snapshot.shards[place.file].language, ids))
        assert NodeSummaries(snapshot, place.file).summary(place.definition).qualified == fresh
        snapshot.shards[place.file].memo.pop("node table")


def test_a_single_name_is_spelled_as_in_a_list_of_all() -> None:
    snapshot = snapshot_of(samples())
    for path in snapshot.files():
        facts = snapshot.facts(path)
        numbers = ordinals(facts)
        for row in range(-1, len(facts.definitions)):
            assert suffix(snapshot_of_one(snapshot, path), path, row) == (f"#{numbers[row]}" if row in numbers else "")


def test_the_owners_of_a_node_are_those_whose_uses_are_its_own() -> None:
    snapshot = snapshot_of(samples())
    for path in snapshot.files():
        facts = snapshot.facts(path)
        users = sources(facts, set(facts.occurrences.owner))
        for row in range(-1, len(facts.definitions)):
            assert owners_of(facts, row) == {owner for owner, nodes in users.items() if row in nodes}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("src/page.ts:Schema", "export const Schema = object()"),
        ("src/page.ts:Schema#2", "export type Schema"),
        ("src/page.ts:Box", "class Box"),
        ("src/page.ts:Page", "function Page"),
        ("src/page.ts:default", "function Page"),
        ("src/page.ts:listed", "function listed() {}"),
        ("src/page.ts:other", "function listed() {}"),
        ("src/lib.ts:default", "function listed() {}"),
        ("src/lib.ts:Schema", "export const Schema = object()"),
        ("src/pass.ts:listed", "function listed() {}"),
        ("src/pass.ts:Schema", "function listed() {}"),
        ("src/page.ts:over", "function over(a: any)"),
        ("src/page.ts:app#2", "it(() => { const app = () => {}; app() })\nit(() => { function"),
        ("box:path", "def path(): ...\nelse"),
        ("box:again", "def again(): ...\ntry"),
        ("box:again#1", "def again(): ...\ndef again"),
        ("box:speed", "def speed"),
        ("box:Box.go", "def go(self): ...\n"),
        ("a/conftest.py:fixture", "def fixture"),
        ("pkg.array", ""),
        ("pkg:array", "class array"),
    ],
)
def test_meant(text: str, line: str) -> None:
    snapshot = snapshot_of(FILES)
    place = one_symbol(snapshot, text)
    row = place.definition
    start = snapshot.facts(place.file).definitions.full_start[row] if row >= 0 else 0
    code = FILES[place.file]
    begin = code.rfind("\n", 0, start) + 1
    assert line in code[begin : begin + len(line) + 12]


@pytest.mark.parametrize("text", ["src/page.ts:app", "conftest:fixture", "go"])
def test_candidates_can_be_asked_for_as_they_are_printed(text: str) -> None:
    snapshot = snapshot_of(FILES)
    with pytest.raises(AmbiguousSymbol) as refusal:
        one_symbol(snapshot, text)
    assert text not in refusal.value.candidates
    found = [one_symbol(snapshot, candidate) for candidate in refusal.value.candidates]
    assert len(set(found)) == len(found) > 1


def test_an_id_may_stand_before_its_name() -> None:
    snapshot = snapshot_of(FILES)
    place = one_symbol(snapshot, "box:path")
    assert one_symbol(snapshot, f"{node_id(snapshot, place)} (box:path)") == place


def test_a_variable_is_meant_before_the_function_in_its_value() -> None:
    snapshot = snapshot_of({"row.tsx": "export const Row = memo(function Row() {})\n"})
    facts = snapshot.facts(FilePath("row.tsx"))
    meant = one_symbol(snapshot, "row.tsx:Row")
    assert facts.definitions.kind[meant.definition] in (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT)
    (inner,) = (row for row, kind in enumerate(facts.definitions.kind) if kind == DefinitionKind.FUNCTION)
    assert one_symbol(snapshot, symbol_name(snapshot, SymbolRef(meant.file, inner))).definition == inner
