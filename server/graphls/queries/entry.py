"""Entry: a route, tool, command or job, what stands behind it and what tests it.

Owns: telling entries apart by name, path or id; the walk from an entry's handlers on.
Must not know: frameworks, rules, records, LSP types.
Invariant: a name with several meanings is refused with its candidates; what the walk left out is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import edge_order
from graphls.graph.edges import RawEdge, edges_of, edges_to
from graphls.graph.errors import AmbiguousSymbol, UnknownSymbol
from graphls.graph.identity import end_id, end_name
from graphls.graph.request_budget import PartOfBudget, spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.url_paths import RequestPath, fits, route_segments
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.completeness import CoverageClaim, union_of
from graphls.queries.entry_contract import PROCEDURE, EntryContract, entry_contract
from graphls.queries.entry_list import handling_of
from graphls.queries.impact import AffectedNode, ImpactQuery, impact

MAX_DEPTH = 6
MAX_LIMIT = 1_000
_TEST_DEPTH = 3
_FEW = 20
_PART: Final = 0.7
"""Of the budget: the rest is for saying how complete the answer is."""
_PATH: Final = re.compile(r"/\w|\w\.\w")
_AROUND: Final = "`'\"()[],;!?"


@attrs.frozen
class EntryAnswer:
    """The entry, with its direct edges. `needs`: what its handlers lead to, nearest first."""

    entry: DerivedNode
    edges: tuple[RawEdge, ...]
    handlers: tuple[SymbolRef, ...]
    needs: tuple[AffectedNode, ...]
    tests: tuple[AffectedNode, ...]
    """Tests that reach a handler."""
    coverage: Coverage
    contract: EntryContract
    inline: bool
    """What it runs is written in its place, and `handlers` are what that calls."""


def find_entry(snapshot: Snapshot, text: str) -> DerivedNode:
    """The one entry that an id, a name or the path of a route means. Raises UnknownSymbol, AmbiguousSymbol."""
    query = text.strip()
    known = [node for node in _every_node(snapshot) if not node.in_document]
    known += () if snapshot.derivation is None else snapshot.derivation.operations(snapshot)
    found = [node for node in known if query in (end_id(snapshot, node), end_name(snapshot, node), node.name)]
    found = found or [node for node in known if query and query == node.name.partition(" ")[2]]
    keys = "/" + query.replace(".", "/")
    found = found or [node for node in known if node.subkind == PROCEDURE and node.name.endswith(f" {keys}")]
    found = found or routes_at(known, query)
    found = [node for node in found if not node.test] or found
    if len(found) == 1:
        return found[0]
    if found:
        raise AmbiguousSymbol(query, _candidates(snapshot, found))
    low = query.lower()
    close = [node for node in known if low and low in node.name.lower() and not node.test]
    raise UnknownSymbol(query, _candidates(snapshot, close[:_FEW]), entries=True)


def routes_in_words(snapshot: Snapshot, text: str) -> Sequence[DerivedNode]:
    """Routes of the program whose paths stand among words: `POST /items/42 fails`, `the handler of items.move`."""
    paths = [word.strip(_AROUND) for word in text.split() if _PATH.search(word) is not None]
    if not paths:
        return ()
    known = [node for node in _every_node(snapshot) if node.kind == "route" and not node.test]
    return tuple(dict.fromkeys(node for path in paths for node in routes_at(known, path)))


def _every_node(snapshot: Snapshot) -> Iterator[DerivedNode]:
    """Derived nodes of all files. Before links are whole each file has some of its own made, so it is work."""
    derivation = snapshot.derivation
    if derivation is None:
        return
    for path in snapshot.shards:
        spend()
        yield from derivation.nodes(snapshot, path)


def routes_at(known: Sequence[DerivedNode], query: str) -> list[DerivedNode]:
    """Routes that answer a path as a client or a log has it: with values for parameters, with or without what stands
    before it. Those that spell most of it."""
    first, _, rest = query.partition(" ")
    method, path = (first.upper(), rest.strip()) if rest else ("", query)
    segments = tuple(part for part in path.partition("?")[0].split("/") if part)
    if not segments or " " in path:
        return []
    wanted = [RequestPath(segments, based=True), *(RequestPath(segments[at:], based=False) for at in range(1, 4))]
    found: dict[tuple[int, int], list[DerivedNode]] = {}
    for node in known:
        methods, _, declared = node.name.partition(" ")
        if node.kind != "route" or not declared or (method and method not in methods.split("|")):
            continue
        for shorter, asked in enumerate(wanted):
            if asked.segments and (alike := fits(asked, route_segments(declared))) > 0:
                found.setdefault((shorter, -alike), []).append(node)
                break
    return found[min(found)] if found else []


def entry(snapshot: Snapshot, node: DerivedNode, depth: int = 2, limit: int = 100) -> EntryAnswer:
    """What an entry needs, and its tests: as many as are found by most of the budget."""
    depth, limit = min(max(depth, 1), MAX_DEPTH), min(max(limit, 1), MAX_LIMIT)
    handlers, inline = handling_of(snapshot, node)
    edges = list(edges_of(snapshot, node))
    contract = entry_contract(snapshot, node, () if inline else handlers)
    needs: dict[object, AffectedNode] = {}
    tests: dict[object, AffectedNode] = {}
    claims: list[CoverageClaim] = []
    truncated = False
    part = PartOfBudget(_PART)
    with part:
        edges += edges_to(snapshot, node)
        for handler in handlers:
            below = impact(snapshot, ImpactQuery(handler, "downstream", depth, limit=limit, counted=False))
            truncated = truncated or below.coverage.truncated
            claims.append(below.coverage.claim)
            for one in below.affected:
                if one.node not in handlers:
                    needs.setdefault(one.node, one)
            if inline:
                continue  # tests of what it calls run something else
            above = impact(snapshot, ImpactQuery(handler, "upstream", _TEST_DEPTH, limit=limit, counted=False))
            truncated = truncated or above.coverage.truncated
            claims.append(above.coverage.claim)
            for one in above.affected:
                if one.test:
                    tests.setdefault(one.node, one)
    near = sorted(needs.values(), key=lambda one: one.depth)
    left = max(len(near) - limit, 0)
    truncated = truncated or part.is_spent or left > 0
    coverage = coverage_for(snapshot, union_of(claims), truncated=truncated, omitted=left, empty=not handlers)
    return EntryAnswer(
        node,
        tuple(sorted(edges, key=edge_order)),
        handlers,
        tuple(near[:limit]),
        tuple(tests.values()),
        coverage,
        contract,
        inline,
    )


def _candidates(snapshot: Snapshot, found: list[DerivedNode]) -> list[str]:
    """Names, or ids where a name is that of several."""
    names = Counter(end_name(snapshot, node) for node in found)
    return [name if names[name := end_name(snapshot, node)] == 1 else end_id(snapshot, node) for node in found]
