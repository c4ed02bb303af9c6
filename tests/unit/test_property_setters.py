"""Property setters: nodes of their own, which code runs that writes the property.

Owns: samples with the calls that writing gives, what stays one symbol all the same.
Must not know: formats, editors.
Invariant: what one place is asked for agrees with what the whole file says.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from, edges_of, edges_to
from graphls.graph.identity import node_id, symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.lsp.hover_text import HoverContext, plain
from graphls.queries.call_hierarchy import callees, callers
from graphls.queries.code_lens import lens_counts, lenses
from graphls.queries.hover import hover
from graphls.queries.references import references
from graphls.queries.rename import rename
from graphls.queries.symbol import meaning
from graphls.queries.symbol_lookup import find_symbol, one_symbol
from graphls.session.memory import snapshot_of

PYTHON = {
    "box.py": """
class Box:
    def __init__(self):
        self.size = 1

    @property
    def size(self): return self.read()

    @size.setter
    def size(self, value): self.store(value)

    @size.deleter
    def size(self): self.drop()

    def read(self): ...
    def store(self, value): ...
    def drop(self): ...

class Small(Box):
    @property
    def size(self): return 0

    @size.setter
    def size(self, value): ...
""",
    "use.py": """
from box import Box

def read(box: Box): return box.size

def write(box: Box): box.size = 3

def grow(box: Box): box.size += 3

def clear(box: Box): del box.size
""",
}
TYPESCRIPT = {
    "box.ts": "export class Box {\n  get size(): number { return this.read(); }\n"
    "  set size(value: number) { this.store(value); }\n  read() { return 1; }\n  store(value: number) {}\n}\n",
    "use.ts": 'import { Box } from "./box";\n'
    "export function read(box: Box) { return box.size; }\nexport function write(box: Box) { box.size = 3; }\n",
}
CALLS = {
    "python": (
        PYTHON,
        {
            "read -> Box.size (accesses)", "write -> Box.size (accesses)", "write -> Box.<set>size (calls)",
            "grow -> Box.size (accesses)", "grow -> Box.<set>size (calls)", "clear -> Box.size (accesses)",
            "clear -> Box.<delete>size (calls)", "Box.__init__ -> Box.size (accesses)",
            "Box.__init__ -> Box.<set>size (calls)", "Box.<set>size -> Box.size (accesses)",
            "Box.<delete>size -> Box.size (accesses)", "Box.size -> Box.read (calls)",
            "Box.<set>size -> Box.store (calls)", "Box.<delete>size -> Box.drop (calls)",
            "Small.<set>size -> Small.size (accesses)", "Small.size -> Box.size (overrides)",
            "Small.<set>size -> Box.<set>size (overrides)",
        },
    ),
    "typescript": (
        TYPESCRIPT,
        {
            "read -> Box.size (accesses)", "write -> Box.size (accesses)", "write -> Box.<set>size (calls)",
            "Box.size -> Box.read (calls)", "Box.<set>size -> Box.store (calls)",
        },
    ),
}  # fmt: skip
KINDS = frozenset(("calls", "accesses", "overrides"))


def _name(snapshot: Snapshot, place: object) -> str:
    return symbol_name(snapshot, place).partition(":")[2] if isinstance(place, SymbolRef) else str(place)


def _places(snapshot: Snapshot) -> list[SymbolRef]:
    ends = (
        end for path in snapshot.files() for edge in edges_from(snapshot, path) for end in (edge.source, edge.target)
    )
    return [end for end in dict.fromkeys(ends) if isinstance(end, SymbolRef)]


def _spelled(edges: Iterable[RawEdge]) -> set[str]:
    return {str(edge) for edge in edges}


@pytest.mark.parametrize("language", CALLS)
def test_what_writing_runs(language: str) -> None:
    files, wanted = CALLS[language]
    snapshot = snapshot_of(files)
    found = [edge for path in snapshot.files() for edge in edges_from(snapshot, path) if edge.kind in KINDS]
    spelled = {f"{_name(snapshot, edge.source)} -> {_name(snapshot, edge.target)} ({edge.kind})" for edge in found}
    assert spelled == wanted
    setting = [edge for edge in found if edge.kind == "calls" and "<" in _name(snapshot, edge.target)]
    assert setting
    assert all(edge.attributes == {"implicit": "attribute"} for edge in setting)


@pytest.mark.parametrize("language", CALLS)
def test_both_ends_agree(language: str) -> None:
    snapshot = snapshot_of(CALLS[language][0])
    whole = [edge for path in snapshot.files() for edge in edges_from(snapshot, path)]
    for place in _places(snapshot):
        cold = snapshot_of(CALLS[language][0])
        assert _spelled(edges_of(cold, place)) == _spelled(edge for edge in whole if edge.source == place)
        assert _spelled(edges_to(cold, place)) == _spelled(edge for edge in whole if edge.target == place)


def test_it_is_one_symbol() -> None:
    snapshot = snapshot_of(PYTHON)
    path = FilePath("box.py")
    text = PYTHON["box.py"]
    setter = one_symbol(snapshot, "box:Box.<set>size")
    assert find_symbol(snapshot, node_id(snapshot, setter)) == (setter,)
    getter = one_symbol(snapshot, "box:Box.size")
    named = meaning(snapshot, path, text.index("size(self, value)"))
    assert named is not None
    assert named.places == (getter,)
    bound = [{use.start for use in references(snapshot, place).bindings} for place in (setter, getter)]
    assert bound[0] == bound[1]
    assert len(bound[0]) == 4
    edits = {(edit.file, edit.start) for edit in rename(snapshot, getter, "length").edits}
    assert {start for file, start in edits if file == path} >= {
        at for at in range(len(text)) if text.startswith("size", at) and not text.startswith("sized", at)
    }


def test_who_reads_or_writes_it_calls_it() -> None:
    snapshot = snapshot_of(PYTHON)
    getter, setter = one_symbol(snapshot, "box:Box.size"), one_symbol(snapshot, "box:Box.<set>size")
    assert {_name(snapshot, one.place) for one in callers(snapshot, getter).calls} == {
        "Box.__init__", "read", "write", "grow", "clear",
    }  # fmt: skip
    assert [_name(snapshot, one.place) for one in callees(snapshot, setter)] == ["Box.store"]
    assert [_name(snapshot, one.place) for one in callees(snapshot, one_symbol(snapshot, "use:grow"))] == [
        "Box.size", "Small.size", "Box.<set>size", "Small.<set>size",
    ]  # fmt: skip
    at = PYTHON["box.py"].index("size(self): return self.read()")
    found = hover(snapshot, FilePath("box.py"), at)
    assert found is not None
    assert "Called by 5 callers at 5 sites" in plain(found, HoverContext())
    lens = next(one for one in lenses(snapshot, FilePath("box.py")) if one.place == getter)
    assert lens_counts(snapshot, lens.place).use.callers == 5
    assert setter not in [one.place for one in lenses(snapshot, FilePath("box.py"))]
