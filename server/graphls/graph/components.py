"""Components: groups of nodes that all reach each other.

Owns: Tarjan's algorithm, without recursion.
Must not know: what the nodes are.
Invariant: groups of two or more, in the order of their least node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

_Name = TypeVar("_Name", bound=str)


def components(graph: Mapping[_Name, Iterable[_Name]]) -> list[tuple[_Name, ...]]:
    """Strongly connected components with more than one node."""
    search = _ComponentSearch(graph)
    for root in sorted(graph):
        search.visit(root)
    return sorted(search.found, key=min)


class _ComponentSearch(Generic[_Name]):
    def __init__(self, graph: Mapping[_Name, Iterable[_Name]]) -> None:
        self.found: list[tuple[_Name, ...]] = []
        self._graph = graph
        self._order: dict[_Name, int] = {}
        self._low: dict[_Name, int] = {}
        self._stack: list[_Name] = []
        self._on_stack: set[_Name] = set()

    def visit(self, root: _Name) -> None:
        if root in self._order:
            return
        work = [self._enter(root)]
        while work:
            node, rest = work[-1]
            fresh = self._next(node, rest)
            if fresh is not None:
                work.append(self._enter(fresh))
                continue
            work.pop()
            if work:
                above = work[-1][0]
                self._low[above] = min(self._low[above], self._low[node])
            if self._low[node] == self._order[node]:
                self._close(node)

    def _enter(self, node: _Name) -> tuple[_Name, Iterator[_Name]]:
        self._order[node] = self._low[node] = len(self._order)
        self._stack.append(node)
        self._on_stack.add(node)
        return node, iter(sorted(self._graph.get(node, ())))

    def _next(self, node: _Name, rest: Iterator[_Name]) -> _Name | None:
        for target in rest:
            if target not in self._order:
                return target
            if target in self._on_stack:
                self._low[node] = min(self._low[node], self._order[target])
        return None

    def _close(self, node: _Name) -> None:
        cut = self._stack.index(node)
        group = self._stack[cut:]
        del self._stack[cut:]
        self._on_stack.difference_update(group)
        if len(group) > 1:
            self.found.append(tuple(sorted(group)))
