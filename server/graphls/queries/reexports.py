"""Re-exports: names of other modules that a module offers as its own.

Owns: re-exports by name, stars and the modules that they stand for, what such a module offers in turn.
Must not know: version control, protocols.
Invariant: a name is one that importers of the module can have; what is brought in for the module's own use is none.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_of
from graphls.graph.node_records import FileNodes
from graphls.graph.nodes import container, is_lasting, is_node
from graphls.graph.snapshot import Snapshot, SymbolRef

_DEEP: Final = 5
_RE_EXPORT: Final = "api_member"
_STAR: Final = int(DefinitionFlag.STAR)
_NAMELESS: Final = ("*", "default")


def reexported_names(snapshot: Snapshot, path: FilePath) -> set[str]:
    """Names that a module gives on, one by one or by a star."""
    facts, nodes, imports = snapshot.facts(path), FileNodes(snapshot, path), _imports(snapshot, path)
    table = facts.definitions
    found = {
        facts.strings[table.name[row]]
        for row in imports
        if not table.flags[row] & _STAR and is_node(facts, row) and nodes.node(row).kind == _RE_EXPORT
    }
    for module in _starred(snapshot, path, imports):
        found |= _offered(snapshot, module, 1)
    return found - {*_NAMELESS}


def _imports(snapshot: Snapshot, path: FilePath) -> list[int]:
    """Bindings of imports that are the module's."""
    facts = snapshot.facts(path)
    kinds = facts.definitions.kind
    return [row for row in range(len(kinds)) if kinds[row] == DefinitionKind.IMPORT and is_lasting(facts, row)]


def _starred(snapshot: Snapshot, path: FilePath, imports: list[int]) -> list[FilePath]:
    """Modules that stars stand for."""
    table = snapshot.facts(path).definitions
    spans = [(table.full_start[row], table.full_end[row]) for row in imports if table.flags[row] & _STAR]
    found: dict[FilePath, None] = {}
    for edge in edges_of(snapshot, SymbolRef(path, -1)) if spans else ():
        target = edge.target
        if edge.kind == "imports" and isinstance(target, SymbolRef) and target.definition < 0:
            for file, start, _ in edge.sites:
                if file == path and any(first <= start < last for first, last in spans):
                    found[target.file] = None
    return list(found)


def _offered(snapshot: Snapshot, path: FilePath, depth: int) -> set[str]:
    """What a star of a module brings: what it lists, else what it exports, with what it gives on."""
    facts = snapshot.facts(path)
    table = facts.definitions
    nodes = FileNodes(snapshot, path)
    found = {
        facts.strings[table.name[row]]
        for row in range(len(table))
        if is_lasting(facts, row) and container(facts, row) < 0 and is_node(facts, row) and nodes.node(row).exported
    }
    found |= set(snapshot.surface(path).exports or ())
    for module in _starred(snapshot, path, _imports(snapshot, path)) if depth < _DEEP else ():
        found |= _offered(snapshot, module, depth + 1)
    return found
