"""Import cycle: modules that need each other while they are being imported.

Owns: which imports count, finding the cycles, choosing the one to show.
Must not know: how imports were resolved.
Invariant: every file is in at most one finding; the cycle shown is a shortest one of its group.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import ImportEdge, Views, is_test
from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import DefinitionKind, ImportFlag, Role
from graphls.facts.paths import FilePath
from graphls.graph.components import components
from graphls.graph.snapshot import SymbolRef
from graphls.languages.registry import is_stub

_LATER = ImportFlag.TYPE_CHECKING | ImportFlag.LOCAL | ImportFlag.MAIN_GUARD | ImportFlag.DYNAMIC
_TYPES = frozenset({DefinitionKind.INTERFACE, DefinitionKind.TYPE_ALIAS})
Graph = Mapping[FilePath, Mapping[FilePath, ImportEdge]]


def check(views: Views) -> Iterator[Claim]:
    """One claim for each group of modules that import each other."""
    edges = tuple(_edges(views))
    graph = _graph(views, edges, {})
    # What a compiler takes out is only asked about where it matters.
    graph = _graph(views, edges, {path: number for number, group in enumerate(components(graph)) for path in group})
    for group in components(graph):
        cycle = _shortest(graph, frozenset(group))
        if cycle:
            yield _claim(views, sorted(group), cycle)


def _graph(views: Views, edges: Sequence[ImportEdge], groups: Mapping[FilePath, int]) -> Graph:
    """At most one edge from file to file; one that takes a name is the stronger evidence. `groups`, where there are
    any: only edges inside of one."""
    graph: dict[FilePath, dict[FilePath, ImportEdge]] = {}
    for edge in edges:
        if groups and (groups.get(edge.source, -1) != groups.get(edge.target, -2) or _is_erased(views, edge)):
            continue
        known = graph.setdefault(edge.source, {}).get(edge.target)
        if known is None or (edge.named and not known.named):
            graph[edge.source][edge.target] = edge
    return graph


def _edges(views: Views) -> Iterator[ImportEdge]:
    """Imports that count; of a scope those that lead from its files on, as every cycle through one of these does."""
    if not views.scope:
        yield from (edge for edge in views.imports() if _counts(views, edge))
        return
    waiting = [path for path in views.snapshot.files() if views.in_scope(path)]
    seen = set(waiting)
    while waiting:
        for edge in views.imports_of(waiting.pop()):
            if _counts(views, edge):
                yield edge
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)


def _counts(views: Views, edge: ImportEdge) -> bool:
    known = views.snapshot.capabilities(edge.source)
    loads = known is None or known.imports_load
    return loads and not (edge.flags & _LATER or is_test(edge.source) or is_stub(edge.source))


def _is_erased(views: Views, edge: ImportEdge) -> bool:
    """Whether nothing is left of an import when the file runs: it takes what is only a type, or uses it as one."""
    known = views.snapshot.capabilities(edge.source)
    if not edge.named or known is None or not known.erases_type_imports:
        return False
    return views.per_links("erased imports", edge.source, edge.end, lambda: _takes_only_types(views, edge))


def _takes_only_types(views: Views, edge: ImportEdge) -> bool:
    uses = views.snapshot.facts(edge.source).occurrences
    at = bisect_left(uses.start, edge.end) - 1
    if at < 0 or uses.start[at] < edge.start or uses.role[at] != Role.IMPORT:
        return False
    targets = [target.place for target in views.snapshot.targets(edge.source, at)]
    if targets and all(place is not None and _is_type(views, place) for place in targets):
        return True
    # A member of that name (`other.Client`) is no use of what is imported.
    bare = (row for row in rows_with(uses.name, uses.name[at]) if uses.base[row] == NONE)
    roles = {uses.role[row] for row in bare} - {Role.IMPORT}
    return bool(roles) and roles <= {Role.TYPE}


def _is_type(views: Views, place: SymbolRef) -> bool:
    return place.definition >= 0 and views.snapshot.facts(place.file).definitions.kind[place.definition] in _TYPES


def _shortest(graph: Graph, group: frozenset[FilePath]) -> tuple[ImportEdge, ...]:
    """A shortest cycle inside the group; among equals the first by path."""
    best: tuple[ImportEdge, ...] = ()
    for start in sorted(group):
        found = _back_to(start, graph, group, len(best))
        if found and (not best or len(found) < len(best)):
            best = found
        if len(best) == 2:
            break
    return best


def _back_to(start: FilePath, graph: Graph, group: frozenset[FilePath], limit: int) -> tuple[ImportEdge, ...]:
    """Breadth first from a file to itself, not as far as `limit` when that is set."""
    paths: deque[tuple[ImportEdge, ...]] = deque([()])
    seen: set[FilePath] = set()
    while paths:
        path = paths.popleft()
        if limit and len(path) + 1 >= limit:
            return ()
        here = path[-1].target if path else start
        for target, edge in sorted(graph.get(here, {}).items()):
            if target == start:
                return (*path, edge)
            if target in group and target not in seen:
                seen.add(target)
                paths.append((*path, edge))
    return ()


def _claim(views: Views, group: list[FilePath], cycle: tuple[ImportEdge, ...]) -> Claim:
    modules = [views.module(edge.source) for edge in cycle]
    chain = " -> ".join([*modules, modules[0]])
    certain = all(edge.named and not edge.flags & ImportFlag.CONDITIONAL for edge in cycle)
    larger = f" It is the shortest cycle in a group of {len(group)} modules." if len(group) > len(cycle) else ""
    return Claim(
        key=tuple(views.module(path) for path in group),
        title=f"Import cycle: {chain}",
        pressure=f"These modules import each other while they load: {chain}.{larger}",
        confidence="high" if certain else "medium",
        priority="P2" if certain else "P3",
        evidence=tuple(_evidence(views, edge) for edge in cycle),
        suggestions=(
            "Move what both need to a module of its own.",
            "Import inside the function that needs it, or under TYPE_CHECKING when only annotations do.",
        ),
        risks=("Which module is imported first decides whether the import works.",),
        measures={
            "modules": len(group),
            "cycle_length": len(cycle),
            "group": tuple(views.module(p) for p in group[:50]),
        },
        caveats=("Imports by computed name are not seen.",),
    )


def _evidence(views: Views, edge: ImportEdge) -> Evidence:
    what = "a name from " if edge.named else ""
    note = f"{views.module(edge.source)} imports {what}{views.module(edge.target)}"
    return Evidence(edge.source, edge.start, edge.end, note, SymbolRef(edge.source, -1))


RULE = Rule(
    code="arch.import_cycle",
    category="architecture",
    priority="P2",
    title="Import cycle",
    doc="""Modules that import each other at module level while the program runs. Imports under TYPE_CHECKING, in
    functions and in the part that runs as a program do not count, nor do test files, nor imports of TypeScript of which
    only types are used.""",
    check=check,
)
