"""Change findings: what rules say that compare two states of the code.

Owns: the rule of the public API, which rules need a state before, findings of one change.
Must not know: layout, arguments, how changes were found in version control.
Invariant: what is said of a change is the same in a review and beside the findings of now; each names what was before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.finding import PRIORITIES, Claim, Evidence, Finding, Priority, finding_id, folder_level
from graphls.analysis.findings import FindingSet
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.changed import ChangedImpact, ChangesQuery, changed_impact
from graphls.queries.symbol_deltas import API_MEMBER, RE_EXPORT, SymbolDelta, symbol_deltas
from graphls.session.before import before_edits
from graphls.session.comparing import edits
from graphls.session.size_growth import GROWTH, size_growth
from graphls.settings import Settings
from graphls.sources.limits import SourceLimits
from graphls.sources.workspace import Workspace

DRIFT: Final = "arch.public_api_drift"
_GONE: Final[Mapping[str, str]] = {
    "removed": "is gone", "hidden": "is no longer exported", RE_EXPORT: "is no longer exported from there",
}  # fmt: skip
CHANGE_RULES: Final = (DRIFT, GROWTH)
"""Rules that compare two states."""


def with_change(
    answered: FindingSet, workspace: Workspace, snapshot: Snapshot, settings: Settings, base: str
) -> FindingSet:
    """Findings of now with those of the change since the commit in common with `base`. Raises NoHistory."""
    found = edits(workspace, snapshot, SourceLimits.of(settings.files), "compare", base)
    before = before_edits(snapshot, settings, found, workspace.prefixes)
    impact = changed_impact(snapshot, found, ChangesQuery(1, 0.0, True, 5_000), lambda _: before)
    made = change_findings(snapshot, settings, symbol_deltas(before, snapshot, impact), impact)
    stated = tuple(answered.with_status(snapshot, one) for one in made)
    ordered = sorted((*stated, *answered.findings), key=lambda one: PRIORITIES.index(one.priority))
    return attrs.evolve(answered, findings=tuple(ordered))


def change_findings(
    snapshot: Snapshot, settings: Settings, deltas: Sequence[SymbolDelta], answered: ChangedImpact
) -> tuple[Finding, ...]:
    """What changed of the public API, then what grew."""
    rules = settings.findings.rules
    edited = [file.edit for file in answered.files]
    found = (*_drifted(snapshot, deltas, answered, rules.get(DRIFT)), *size_growth(snapshot, deltas, edited, rules))
    return tuple(one for each in found if (one := _in_folder(each, rules)) is not None)


def _in_folder(finding: Finding, rules: Mapping[str, str]) -> Finding | None:
    """A finding as the settings of its open folder have it."""
    said = folder_level(rules, finding.rule, finding.at.file)
    if said == "off" or (finding.rule == GROWTH and not (said or rules.get(GROWTH))):
        return None
    level = next((one for one in PRIORITIES if one == said), finding.priority)
    return attrs.evolve(finding, priority=level)


def _drifted(
    snapshot: Snapshot, deltas: Sequence[SymbolDelta], answered: ChangedImpact, said: str | None
) -> Iterator[Finding]:
    if said == "off":
        return
    level: Priority | None = next((one for one in PRIORITIES if one == said), None)
    for one in deltas:
        found = _drift_finding(snapshot, one, answered, level) if one.drift else None
        if found is not None:
            yield found


def _drift_finding(
    snapshot: Snapshot, delta: SymbolDelta, answered: ChangedImpact, level: Priority | None
) -> Finding | None:
    """A change of the public API as a finding, at the symbol, or where it was."""
    if delta.file not in snapshot.shards or not snapshot.shards[delta.file].language:
        return None
    mentions = next(
        (one.mentions for one in answered.removed if one.file == delta.file and delta.symbol.endswith(one.qualified)), 0
    )
    reexported = delta.kind == RE_EXPORT or delta.node_kind == API_MEMBER
    if delta.drift == "hidden" or reexported:
        mentions = _named_in_vain(snapshot, delta)
    inherited = delta.drift == "removed" and not reexported and _may_inherit(snapshot, delta)
    claim = _drift_claim(snapshot, delta, mentions, inherited=inherited)
    return Finding(
        id=finding_id(DRIFT, claim.key),
        rule=DRIFT,
        category="architecture",
        priority=level or ("P2" if delta.drift != "signature" and mentions and not inherited else "P3"),
        confidence=claim.confidence,
        title=claim.title,
        pressure=claim.pressure,
        suggestions=claim.suggestions,
        risks=(),
        measures=claim.measures,
        caveats=claim.caveats,
        evidence=claim.evidence,
    )


def _named_in_vain(snapshot: Snapshot, delta: SymbolDelta) -> int:
    """Files with uses of a name that lead nowhere."""
    count = 0
    for path in snapshot.files_with_name(delta.name):
        facts = snapshot.facts(path)
        uses = facts.occurrences
        if path != delta.file and delta.name in facts.strings:
            number = facts.strings.index(delta.name)
            rows = (row for row in range(len(uses.start)) if uses.name[row] == number)
            count += any(not snapshot.targets(path, row) for row in rows)
    return count


def _may_inherit(snapshot: Snapshot, delta: SymbolDelta) -> bool:
    """Whether what is gone was a member of a class that is still there and has bases, which may offer it."""
    owner = delta.symbol.rpartition(":")[2].rpartition(".")[0]
    if not owner:
        return False
    facts = snapshot.facts(delta.file)
    classes = {row for row in facts.bases.definition if row >= 0 and qualified_name(facts, row) == owner}
    return bool(classes)


def _drift_claim(snapshot: Snapshot, delta: SymbolDelta, mentions: int, *, inherited: bool) -> Claim:
    place, facts = delta.place, snapshot.facts(delta.file)
    start = end = 0
    if place is not None and place.definition >= 0:
        table = facts.definitions
        start, end = table.start[place.definition], table.end[place.definition]
    gone = delta.drift != "signature"
    change = f"was {delta.signature_before}, is {delta.signature_after}"
    title, pressure = "has another signature", f"Code outside of the workspace may use it: {change}."
    if gone:
        title = _GONE[RE_EXPORT if delta.kind == RE_EXPORT or delta.node_kind == API_MEMBER else delta.drift]
        pressure = f"Code outside of the workspace may use it: it {title}."
    return Claim(
        key=(delta.drift, delta.symbol, delta.signature_before or "", delta.signature_after or ""),
        title=f"{delta.symbol} {title}",
        pressure=pressure,
        confidence="low" if inherited else "high",
        caveats=("A base of its class may offer it still.",) if inherited else (),
        evidence=(Evidence(delta.file, start, end, "public before the change", place or SymbolRef(delta.file, -1)),),
        suggestions=("Keep the old name or parameters for a release, or say in the changelog that they changed.",),
        measures={"files_that_still_spell_it": mentions} if gone else {},
    )
