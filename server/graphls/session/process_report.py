"""Process report: chains of calls from entries, as faces show them.

Owns: the records of an answer, which communities a chain passes.
Must not know: layout, how chains are found.
Invariant: every chain says that it is a heuristic: its confidence, and which steps are only possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from graphls.analysis.communities import can_find_communities, file_communities
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.request_budget import spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Answer, answer
from graphls.queries.node_views import Presenter
from graphls.queries.process_records import PROCESS_RULE, passed_communities, process_id
from graphls.queries.processes import MOST, Process, files_of, process_name, processes

_COMMUNITIES: Final = Memo["Mapping[str, str]"]("communities by import")


@attrs.frozen(kw_only=True)
class StepView:
    """One step. `kind`: of the edge that leads here, "" at the entry."""

    order: int
    symbol: str
    at: str
    kind: str
    confidence: float
    possible: bool


@attrs.frozen(kw_only=True)
class ProcessView:
    """A chain from an entry to an end. `confidence`: the product of its steps; `declared`: a rule says that a program
    is entered there; `communities`: those whose files it passes, null where nobody knows."""

    id: str
    name: str
    confidence: float
    declared: bool
    files: int
    communities: tuple[str, ...] | None
    steps: tuple[StepView, ...]


@attrs.frozen(kw_only=True)
class ProcessReport:
    """Chains: those of declared entries first. `rule`: how they are found; `cut`: entries that lead further than was
    looked."""

    rule: str
    entries: int
    declared: int
    cut: int
    processes: tuple[ProcessView, ...]


def process_report(
    snapshot: Snapshot, through: SymbolRef | None = None, limit: int = 20, scope: str = ""
) -> tuple[Answer, ProcessReport]:
    """The envelope and the records of an answer."""
    found = processes(snapshot, through, min(limit, MOST), scope)
    communities = communities_by_import(snapshot) if found.processes else None
    things = Presenter(snapshot)
    report = ProcessReport(
        rule=PROCESS_RULE,
        entries=found.entries,
        declared=found.declared,
        cut=found.cut,
        processes=tuple(_view(things, one, communities) for one in found.processes),
    )
    return answer(snapshot, found.coverage), report


def communities_by_import(snapshot: Snapshot) -> Mapping[str, str] | None:
    """The community of each file, by imports alone: which files belong together must not rest on what history there
    is."""
    if not can_find_communities():
        return None
    found = file_communities(Views(snapshot), None).communities
    names = {str(path): one.name for one in found for path in one.members}
    return names if spent_reason() else _COMMUNITIES.put(snapshot, names)


def known_community(snapshot: Snapshot, path: FilePath) -> str:
    """The community of a file, where somebody has asked for communities of chains; else ""."""
    return (_COMMUNITIES.get(snapshot) or {}).get(path, "")


def _view(things: Presenter, one: Process, communities: Mapping[str, str] | None) -> ProcessView:
    snapshot, files = things.snapshot, files_of(one)
    passed = None if communities is None else passed_communities(one, communities)
    nodes = [things.node(step.place) for step in one.steps]
    return ProcessView(
        id=process_id(snapshot, one),
        name=process_name(snapshot, one),
        confidence=one.confidence,
        declared=one.declared,
        files=len(files),
        communities=passed,
        steps=tuple(
            StepView(order=order, symbol=node.symbol, at=node.at, kind=step.kind, confidence=step.confidence,
                     possible=step.possible)
            for order, (node, step) in enumerate(zip(nodes, one.steps, strict=True))
        ),
    )  # fmt: skip
