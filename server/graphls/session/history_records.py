"""History records: what version control says of files and symbols as records of the graph.

Owns: nodes `person` and `risk_signal`, edges `owned_by` and `co_changes_with`.
Must not know: how history was read, encoding.
Invariant: every number is a raw measure of the window that its record names; a file without a commit in the window has
    no record, which is not zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import attrs

from graphls.analysis.git_signals import FileAuthor, GitSignals
from graphls.analysis.risk import HistoryWindow, RiskSignal, co_change_rows, day_of, file_risks, history_window
from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of, format_id
from graphls.graph.edge_records import AttachedEdge, plain_edge
from graphls.graph.export import AttachedNode
from graphls.graph.identity import node_id, range_of
from graphls.graph.records import Json, Node
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.line_history import SymbolChanges

PERSON: Final = "person"
SIGNAL: Final = "risk_signal"
_OBSERVED: Final = "process_observed"
_MOST_OWNERS: Final = 10


def history_nodes(
    snapshot: Snapshot, signals: GitSignals, symbols: Mapping[FilePath, Iterable[SymbolChanges]]
) -> Iterator[AttachedNode]:
    """People with the files that they changed, and measures of files. `symbols`: commits that touched the symbols of
    single files."""
    yield from _people(snapshot, signals)
    window = history_window(signals)
    for risk in sorted(file_risks(snapshot, signals, tuple(snapshot.shards)), key=lambda one: one.file):
        place = SymbolRef(FilePath(risk.file), -1)
        score: dict[str, Json] = {"hotspot": risk.hotspot, "rank": risk.rank}
        for row in risk.signals:
            yield _signal(snapshot, place, row, window, score if row.signal == "churn" else {})
        for one in symbols.get(place.file, ()):
            if one.definition >= 0:
                measures = {"commits": one.commits, "authors": one.authors, "last_seen": day_of(one.last_seen)}
                found = RiskSignal("churn", "git", measures)
                yield _signal(snapshot, SymbolRef(place.file, one.definition), found, window, {})


def history_edges(snapshot: Snapshot, signals: GitSignals) -> Iterator[tuple[FilePath, AttachedEdge]]:
    """Pairs of files that changed together at least three times, each once, by the first of their paths."""
    for path, other, hidden in co_change_rows(snapshot, signals):
        one, two = SymbolRef(path, -1), SymbolRef(FilePath(other.path), -1)
        edge = plain_edge(node_id(snapshot, one), node_id(snapshot, two), "co_changes_with", _OBSERVED)
        measures: dict[str, Json] = {"count": other.count, "hidden": hidden, "last_seen": day_of(other.last_seen)}
        edge = attrs.evolve(edge, attributes={"input": "git", **measures})
        yield path, AttachedEdge(edge, "module" if snapshot.shards[path].language else "file", two)


def hot_files(snapshot: Snapshot, signals: GitSignals, most: int) -> tuple[FilePath, ...]:
    """Files that at least nine in ten have a lower score than, highest first."""
    ranked = [path for path in snapshot.shards if signals.ranks.get(path, 0.0) >= 90 and snapshot.shards[path].language]
    return tuple(sorted(ranked, key=lambda path: (-signals.files[path].hotspot, path))[:most])


def _people(snapshot: Snapshot, signals: GitSignals) -> Iterator[AttachedNode]:
    names: dict[str, str] = {}
    owned: dict[str, list[tuple[FilePath, FileAuthor]]] = {}
    for path in snapshot.shards:
        known = signals.files.get(path)
        for author in known.authors[:_MOST_OWNERS] if known is not None else ():
            names.setdefault(author.email, author.name)
            owned.setdefault(author.email, []).append((path, author))
    for email in sorted(owned):
        id = format_id("n", digest_of("", email, PERSON))
        node = Node(
            id=id, kind=PERSON, name=names[email], qualified_name=email, provenance=_OBSERVED,
            attributes={"input": "git", "files": len(owned[email])},
        )  # fmt: skip
        yield AttachedNode(node, [_owned_by(snapshot, id, *one) for one in owned[email]])


def _owned_by(snapshot: Snapshot, person: str, path: FilePath, author: FileAuthor) -> AttachedEdge:
    place = SymbolRef(path, -1)
    edge = plain_edge(node_id(snapshot, place), person, "owned_by", _OBSERVED)
    measures: dict[str, Json] = {
        "share": author.share, "commits": author.commits, "added": author.added, "deleted": author.deleted,
        "last_seen": day_of(author.last_seen),
    }  # fmt: skip
    return AttachedEdge(attrs.evolve(edge, attributes={"input": "git", **measures}), PERSON, place)


def _signal(
    snapshot: Snapshot, place: SymbolRef, row: RiskSignal, window: HistoryWindow, score: Mapping[str, Json]
) -> AttachedNode:
    owner = node_id(snapshot, place)
    id = format_id("n", digest_of(owner, row.signal, row.input, SIGNAL))
    where = None
    if place.definition >= 0:
        table = snapshot.facts(place.file).definitions
        where = range_of(snapshot, place.file, table.start[place.definition], table.end[place.definition])
    measures: dict[str, Json] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in row.measures.items()
    }
    node = Node(
        id=id,
        kind=SIGNAL,
        subkind=row.signal,
        name=row.signal,
        qualified_name=row.signal,
        file=place.file,
        range=where,
        full_range=where,
        provenance=_OBSERVED,
        attributes={
            "signal": row.signal,
            "input": row.input,
            "measures": {**measures, **score},
            "window": {"commits": window.commits, "since": window.since, "head": window.head},
            "caveats": list(window.caveats),
        },
    )
    return AttachedNode(node, [AttachedEdge(plain_edge(owner, id, "contains", _OBSERVED), SIGNAL, place)])
