"""Messages: results of the own requests; `params` has what is asked.

Owns: their fields, defaults and names; docs/lsp-extensions.md describes each.
Must not know: how a request is answered.
Invariant: a field never changes its meaning; new fields have defaults. On the wire names are camelCase.
"""

from __future__ import annotations

from typing import Any, Literal

import attrs
from lsprotocol import types

from graphls.lsp.protocol import RawJson
from graphls.queries.annotation_views import ChangeNotes


@attrs.frozen(kw_only=True)
class NextStep:
    """What to do with an answer: `answer` from it, `inspect` more, look `outside`, `clarify` between candidates."""

    kind: Literal["answer", "inspect", "outside", "clarify"] = "answer"
    request: str | None = None
    symbol: str | None = None
    candidates: tuple[str, ...] = ()
    reason: str | None = None


@attrs.frozen(kw_only=True)
class VerificationView:
    """What a checker settled for this answer. `left_out`: uncertain places without its word; null: not counted."""

    checked: int
    left_out: int | None
    reason: str | None


@attrs.frozen(kw_only=True)
class CauseView:
    """Why something may be missing: how many uses of what was asked about (`in`) or inside of it (`out`); for `limit`
    how much is left out, 0 where not counted; for `pending` files. `shown`: those of the `count` that the answer has as
    possible."""

    cause: str
    direction: Literal["in", "out"]
    count: int
    shown: int = 0


@attrs.frozen(kw_only=True)
class OpenUseView:
    """A use that may belong to an answer: why it is open, where it is, its line of code, the symbol around it, and what
    it may mean: no `candidates` where there are more than five, `candidateCount` of them."""

    cause: str
    direction: Literal["in", "out"]
    name: str
    file: str
    location: types.Location
    text: str
    owner: str
    candidates: tuple[str, ...]
    candidate_count: int


@attrs.frozen(kw_only=True)
class AnswerEnvelope:
    """What every answer says about itself."""

    snapshot: str
    revision: int
    fresh: bool
    pending: tuple[str, ...]
    pending_count: int
    complete: bool
    causes: tuple[CauseView, ...] = ()
    unresolved_sites: int
    unresolved: tuple[OpenUseView, ...] = ()
    truncated: bool
    omitted: int
    cursor: str | None = None
    next: NextStep
    verification: VerificationView | None = None


# Answers have hundreds of nodes and edges: these are written as they go out. What they hold:


class NodeJson(RawJson):
    """A node: `id`, `kind`, `name`, `symbol`, and where these are known `module`, `package`, `language`, `file`, `uri`,
    `range`, `fullRange`, `subkind`, `signature`, `doc`, `depth`. Ranges are in the client's encoding."""

    __slots__ = ()


class EdgeJson(RawJson):
    """An edge: `id`, `kind`, `source`, `target`, `provenance`, `resolution` or null, `confidence`, `ambiguous`,
    `siteCount`, `attributes`; `sites` only when asked for, at most 20. Where these were not all resolved alike,
    each has its `provenance`, `resolution` and `confidence`; the edge has those of the weakest."""

    __slots__ = ()


class AffectedJson(RawJson):
    """A node that a change may reach: `node`, `depth`, `confidence`, `via`, `test`; `possible`: only through a member
    of another class that the changed one may stand in for, or the reverse; `diagnostics`: how many it has, if any."""

    __slots__ = ()


@attrs.frozen(kw_only=True)
class NeighborhoodResult(AnswerEnvelope):
    root: NodeJson
    nodes: list[NodeJson]
    edges: list[EdgeJson]
    total: int | None = None


@attrs.frozen(kw_only=True)
class FoundNode:
    node: NodeJson
    match: Literal["exact", "case", "prefix", "humps", "inside", "scattered", "words", "someWords", "ranked"]
    score: float | None = None
    words: list[str] | None = None


@attrs.frozen(kw_only=True)
class FindResult(AnswerEnvelope):
    matches: list[FoundNode]
    total: int


@attrs.frozen(kw_only=True)
class EdgeGroupView:
    kind: str
    direction: Literal["in", "out"]
    count: int
    edges: list[EdgeJson]


@attrs.frozen(kw_only=True)
class NodeResult(AnswerEnvelope):
    node: NodeJson
    members: list[NodeJson]
    edges: list[EdgeGroupView]
    nodes: list[NodeJson]
    """The nodes at the other ends."""


@attrs.frozen(kw_only=True)
class PathView:
    nodes: list[str]
    edges: list[EdgeJson]
    confidence: float
    parallel: list[EdgeJson]
    """Further edges between the same nodes."""


@attrs.frozen(kw_only=True)
class TraceResult(AnswerEnvelope):
    paths: list[PathView]
    nodes: list[NodeJson]
    visited: int
    exhausted: bool
    """Everything within the depth was visited: no path means that there is none."""


@attrs.frozen(kw_only=True)
class ImpactResult(AnswerEnvelope):
    seeds: list[NodeJson]
    affected: list[AffectedJson]
    edges: list[EdgeJson]
    """Those that were walked, between seeds and affected nodes."""
    edges_omitted: int
    diagnostics: int
    """Of the seeds: what the text, a checker and logs of linters say is wrong with them."""
    tests: list[str]
    routes: list[str]
    """Routes and tools among what is affected."""
    processes: list[str] | None
    """Chains of calls from an entry that pass the seeds, `entry -> end`; null where they are not known."""
    communities: list[str] | None
    """Communities of files that seeds and affected nodes belong to, that with most first; null where nobody asked for
    those of the workspace."""
    packages: list[str]
    by_depth: list[int] | None
    importers: int | None
    """Bindings of imports, and modules, that only bring in what is affected; null where the answer was cut."""


@attrs.frozen(kw_only=True)
class HunkView:
    """Lines from 0, the end is not part, that stand where `removed` lines stood."""

    start_line: int
    end_line: int
    removed: int


@attrs.frozen(kw_only=True)
class ChangedFileView:
    file: str
    uri: str
    status: Literal["added", "modified", "deleted", "renamed"]
    old_file: str | None = None
    hunks: list[HunkView]
    reason: str = ""
    """Why the file has no symbols here."""


@attrs.frozen(kw_only=True)
class ChangedNodeView:
    node: NodeJson
    lines: int
    added: bool
    diagnostics: int


@attrs.frozen(kw_only=True)
class RemovedView:
    file: str
    name: str
    kind: str
    mentions: int
    mentioned_in: list[str]


@attrs.frozen(kw_only=True)
class SymbolStateView:
    """Where a symbol stands, the last line included; `hash` of its text, as in records."""

    start_line: int
    end_line: int
    hash: str | None


@attrs.frozen(kw_only=True)
class SymbolDeltaView:
    """What became of one symbol. `drift`: how what other code sees of it changed."""

    file: str
    symbol: str
    name: str
    language: str
    kind: str
    subkind: str
    action: Literal["added", "deleted", "modified"]
    before: SymbolStateView | None
    after: SymbolStateView | None
    line_delta: int
    drift: Literal["", "removed", "hidden", "signature"]


@attrs.frozen(kw_only=True)
class ChangedLinkView:
    """A link; `change` is null where both states have it."""

    edge: EdgeJson
    change: Literal["added", "removed"] | None


@attrs.frozen(kw_only=True)
class ChangedEndView:
    """A node at the end of a link that neither changed nor is affected. `gone`: only the state before has it."""

    node: NodeJson
    gone: bool


@attrs.frozen(kw_only=True)
class ChangedImpactResult(AnswerEnvelope):
    files: list[ChangedFileView]
    nodes: list[ChangedNodeView]
    removed: list[RemovedView]
    affected: list[AffectedJson]
    tests: list[str]
    packages: list[str]
    by_depth: list[int] | None
    importers: int | None
    """Bindings of imports, and modules, that only bring in what is affected; null where the answer was cut."""
    notes: ChangeNotes
    """Decisions that govern what changed, history of the files, files that mostly change together with them."""
    deltas: list[SymbolDeltaView] | None
    """Null where there was no time left to look at the state before."""
    links: list[ChangedLinkView] | None = None
    """Added and removed ones first; only where they were asked for."""
    links_omitted: int | None = None
    ends: list[ChangedEndView] | None = None


@attrs.frozen(kw_only=True)
class SelectedTestView:
    """`ids`: what the runner calls it. `why`: the way from the test to what changes."""

    ids: list[str]
    runner: str
    certainty: Literal["certain", "possible", "unresolved", "import"]
    steps: int
    why: str
    node: NodeJson


@attrs.frozen(kw_only=True)
class RunRecordView:
    """A record of test runs. `made`: when, as ISO 8601; `decided`: tests of which it says what they run; `undecided`:
    the others, which the graph judges."""

    made: str
    decided: int
    undecided: int


@attrs.frozen(kw_only=True)
class TestsResult(AnswerEnvelope):
    """Surest and nearest first. `whole`: changes that any test may meet; `importing`: tests that only import it."""

    changed: list[NodeJson]
    tests: list[SelectedTestView]
    importing: int
    whole: list[str]
    record: RunRecordView | None


@attrs.frozen(kw_only=True)
class EntryRowView:
    node: NodeJson
    handlers: list[NodeJson]


@attrs.frozen(kw_only=True)
class EntriesResult(AnswerEnvelope):
    entries: list[EntryRowView]


@attrs.frozen(kw_only=True)
class MapModuleView:
    name: str
    parts: tuple[str, ...]
    file: str
    uri: str
    test: bool
    layer: str


@attrs.frozen(kw_only=True)
class MapImportView:
    """`lines` count from 0, as positions do. `against`: how many are against the declared layers."""

    source: int
    target: int
    count: int
    later: int
    lines: tuple[int, ...]
    against: int


@attrs.frozen(kw_only=True)
class MapResult(AnswerEnvelope):
    """`unfolded`: packages to show open at first, by parts with `/` between; `cycles`: among what is then seen;
    `layers`: the declared ones that have a module here, from the highest to the lowest."""

    modules: list[MapModuleView]
    imports: list[MapImportView]
    unfolded: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    layers: tuple[tuple[str, ...], ...]


@attrs.frozen(kw_only=True)
class ChangedRecordView:
    fields: list[str]
    before: Any
    after: Any


@attrs.frozen(kw_only=True)
class DiffResult(AnswerEnvelope):
    """Records as an export writes them."""

    before: str
    after: str
    files_added: list[str]
    files_removed: list[str]
    files_changed: list[str]
    added: list[Any]
    removed: list[Any]
    changed: list[ChangedRecordView]
    moved: int
    counts: list[int]
    names: Any
    """Id -> how people write what stands at an end of an edge."""
    without_flow: list[str]
    """Files whose calls by flow were not compared, as there was no time for them."""


@attrs.frozen(kw_only=True)
class VerdictView:
    node: str
    symbol: str
    useful: bool
    task: str
    pack: str
    root: str
    counts: bool
    """False: the code around the node changed since."""


@attrs.frozen(kw_only=True)
class FeedbackResult(AnswerEnvelope):
    verdicts: list[VerdictView]
    erased: int


@attrs.frozen(kw_only=True)
class EntryResult(AnswerEnvelope):
    entry: NodeJson
    edges: list[EdgeJson]
    handlers: list[NodeJson]
    needs: list[AffectedJson]
    """What the handlers lead to, nearest first."""
    tests: list[AffectedJson]


@attrs.frozen(kw_only=True)
class StopView:
    why: str
    count: int
    """Modules that import it, where that is the reason."""
    node: NodeJson


@attrs.frozen(kw_only=True)
class TourResult(AnswerEnvelope):
    stops: list[StopView]


@attrs.frozen(kw_only=True)
class SummaryResult(AnswerEnvelope):
    summary: Any


@attrs.frozen(kw_only=True)
class StatusResult(AnswerEnvelope):
    status: Any
    session: Any = None


@attrs.frozen(kw_only=True)
class EvidenceView:
    location: types.Location
    note: str
    node: str | None = None


@attrs.frozen(kw_only=True)
class FindingView:
    id: str
    rule: str
    category: str
    priority: str
    confidence: str
    title: str
    pressure: str
    suggestions: tuple[str, ...]
    risks: tuple[str, ...]
    measures: Any
    caveats: tuple[str, ...]
    status: str
    reason: str
    evidence_tier: str
    tool: str
    evidence: list[EvidenceView]
    review: Any = None


@attrs.frozen(kw_only=True)
class FindingsResult(AnswerEnvelope):
    findings: list[FindingView]
    failures: list[str]
    files_left_out: int


@attrs.frozen(kw_only=True)
class RiskResult(AnswerEnvelope):
    risk: Any


@attrs.frozen(kw_only=True)
class HealthResult(AnswerEnvelope):
    health: Any


@attrs.frozen(kw_only=True)
class PackResult(AnswerEnvelope):
    pack: Any
    text: str | None = None


@attrs.frozen(kw_only=True)
class ExportResult(AnswerEnvelope):
    counts: Any
    degraded: bool
    destination: str | None = None
    content: str | None = None


@attrs.frozen(kw_only=True)
class ExplainResult(AnswerEnvelope):
    explanation: Any


@attrs.frozen(kw_only=True)
class SchemaResult:
    version: str
    schema: Any
