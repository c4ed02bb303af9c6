"""Injected parameters: which function's result fills a parameter of a test or of a fixture, from both ends.

Owns: reading that from the edges that the rules derive.
Must not know: how fixtures are found, what is done with their results.
Invariant: the parameter is that at which the edge to the fixture has its site.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.snapshot import Snapshot, SymbolRef


class FixtureParameters:
    """Those of one snapshot. `edges_from` gives what is derived from a file, `edges_to` what leads to a fixture."""

    def __init__(
        self,
        snapshot: Snapshot,
        edges_from: Callable[[FilePath], Iterable[RawEdge]],
        edges_to: Callable[[SymbolRef], Iterable[RawEdge]],
    ) -> None:
        self._snapshot = snapshot
        self._edges_from = edges_from
        self._edges_to = edges_to
        self._fillers: dict[FilePath, Mapping[int, Sequence[SymbolRef]]] = {}

    def fillers(self, parameter: SymbolRef) -> Sequence[SymbolRef]:
        """The fixtures whose results a parameter takes."""
        known = self._fillers.get(parameter.file)
        if known is None:
            found: dict[int, list[SymbolRef]] = {}
            for edge in _by_fixture(self._edges_from(parameter.file)):
                for _, start, _ in edge.sites:
                    if isinstance(edge.target, SymbolRef):
                        found.setdefault(start, []).append(edge.target)
            known = self._fillers[parameter.file] = found
        if not known:
            return ()
        return known.get(self._snapshot.facts(parameter.file).definitions.start[parameter.definition], ())

    def filled(self, function: SymbolRef) -> Sequence[SymbolRef]:
        """The parameters that take what a fixture gives."""
        found: dict[SymbolRef, None] = {}
        for edge in _by_fixture(self._edges_to(function)):
            for file, start, _ in edge.sites:
                table = self._snapshot.facts(file).definitions
                rows = table.rows_where("start", start)
                found.update(
                    (SymbolRef(file, row), None) for row in rows if table.kind[row] == DefinitionKind.PARAMETER
                )
        return tuple(found)


def _by_fixture(edges: Iterable[RawEdge]) -> Iterator[RawEdge]:
    return (edge for edge in edges if edge.attributes.get("via") == "fixture")
