"""Params: what the own requests are asked.

Owns: their fields, defaults and names; docs/lsp-extensions.md describes each.
Must not know: how a request is answered.
Invariant: a field never changes its meaning; new fields have defaults. On the wire names are camelCase.
"""

from __future__ import annotations

from typing import Final, Literal

import attrs
from lsprotocol import types

from graphls.queries.impact import MAX_DEPTH as MAX_IMPACT_DEPTH
from graphls.queries.impact import MAX_EDGES
from graphls.queries.trace import MAX_DEPTH as MAX_TRACE_DEPTH
from graphls.session.disk_observer import FreshnessMode

_COUNT: Final = attrs.validators.ge(0)
_STEPS: Final = attrs.validators.ge(1)
_IMPACT_STEPS: Final = attrs.validators.and_(_STEPS, attrs.validators.le(MAX_IMPACT_DEPTH))
_TRACE_STEPS: Final = attrs.validators.optional(attrs.validators.and_(_STEPS, attrs.validators.le(MAX_TRACE_DEPTH)))
"""No search looks further: who asks for more is told."""
_SHARE: Final = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class GraphParams:
    """What every own request has."""

    freshness: FreshnessMode = "prefer-fresh"
    """Answer at once from what is known, look at the disk before, or wait for what changed there."""


@attrs.frozen(kw_only=True)
class SubjectParams(GraphParams):
    """The subject: `node` (id), `symbol`, `textDocument` with `position`, or a whole `textDocument`."""

    text_document: types.TextDocumentIdentifier | None = None
    position: types.Position | None = None
    node: str | None = None
    symbol: str | None = None


@attrs.frozen(kw_only=True)
class NeighborhoodParams(SubjectParams):
    depth: int = attrs.field(default=1, validator=_STEPS)
    direction: Literal["in", "out", "both"] = "both"
    edge_kinds: tuple[str, ...] = ()
    node_kinds: tuple[str, ...] = ()
    min_confidence: float = attrs.field(default=0.0, validator=_SHARE)
    provenance: tuple[str, ...] = ()
    limit: int = attrs.field(default=200, validator=_COUNT)
    cursor: str = ""
    ranked: bool = False
    include_sites: bool = False
    unresolved: int = attrs.field(default=0, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class FindParams(GraphParams):
    text: str = ""
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    under: str = ""
    severities: tuple[str, ...] = ()
    mode: Literal["exact", "prefix", "fuzzy"] = "fuzzy"
    by: Literal["names", "words", "vectors", "both", "task"] = "names"
    limit: int = attrs.field(default=50, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class NodeParams(SubjectParams):
    limit: int = attrs.field(default=50, validator=_COUNT)
    include_sites: bool = False
    unresolved: int = attrs.field(default=0, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class TraceParams(GraphParams):
    source: SubjectParams
    target: SubjectParams | None = None
    direction: Literal["in", "out", "both"] = "out"
    kinds: tuple[str, ...] = ()
    depth: int | None = attrs.field(default=None, validator=_TRACE_STEPS)
    """At most 12; 12 to a target, else 6, where it is left out."""
    paths: int = 5
    min_confidence: float = attrs.field(default=0.0, validator=_SHARE)
    include_sites: bool = False
    unresolved: int = attrs.field(default=0, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class ImpactParams(SubjectParams):
    direction: Literal["upstream", "downstream"] = "upstream"
    depth: int = attrs.field(default=3, validator=_IMPACT_STEPS)
    kinds: tuple[str, ...] = ()
    min_confidence: float = attrs.field(default=0.0, validator=_SHARE)
    include_tests: bool = True
    limit: int = attrs.field(default=500, validator=_COUNT)
    edges: int = MAX_EDGES
    include_sites: bool = False
    unresolved: int = attrs.field(default=0, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class ChangedImpactParams(GraphParams):
    changes: Literal["unstaged", "staged", "all", "compare", "unsaved"] = "all"
    base: str = ""
    """The branch, tag or commit to compare with; with `...` behind it, where it was left."""
    depth: int = attrs.field(default=3, validator=_IMPACT_STEPS)
    min_confidence: float = attrs.field(default=0.0, validator=_SHARE)
    include_tests: bool = True
    limit: int = attrs.field(default=500, validator=_COUNT)
    links: int = attrs.field(default=0, validator=_COUNT)
    """How many links to give, at most."""
    unresolved: int = attrs.field(default=0, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class TestsParams(SubjectParams):
    """Of a subject, or without one of what edits touch."""

    changes: Literal["unstaged", "staged", "all", "compare", "unsaved"] = "all"
    base: str = ""
    limit: int = attrs.field(default=0, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class DiffParams(GraphParams):
    before: str = "HEAD"
    after: str = ""
    """Empty: the files as they are now."""
    edges: Literal["changed", "all"] = "changed"
    limit: int = attrs.field(default=1_000, validator=_COUNT)


@attrs.frozen(kw_only=True)
class FeedbackParams(GraphParams):
    """`node` with `useful` says something; `erase` forgets what was said about `node`, or all; neither lists."""

    node: str = ""
    useful: bool | None = None
    task: str = ""
    pack: str = ""
    erase: bool = False


@attrs.frozen(kw_only=True)
class ScopeParams(GraphParams):
    scope: str = ""
    at: str = ""


@attrs.frozen(kw_only=True)
class FindingsParams(GraphParams):
    scope: str = ""
    rules: tuple[str, ...] = ()
    least: Literal["P1", "P2", "P3", "info"] = "info"
    status: tuple[Literal["open", "suppressed", "rejected", "deferred", "baselined", "stale"], ...] = ("open",)
    limit: int = attrs.field(default=500, validator=_COUNT)


@attrs.frozen(kw_only=True)
class PackParams(GraphParams):
    task: str = ""
    files: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    budget: int | None = None
    format: Literal["json", "compact", "markdown"] = "json"
    weights: dict[str, float] = attrs.field(factory=dict[str, float])
    explain: bool = False
    tests: bool | None = None
    """Hold tests too; decided by the task when left out."""
    at: str = ""


@attrs.frozen(kw_only=True)
class ExportParams(GraphParams):
    scope: str = ""
    mode: Literal["checked", "allow-errors"] = "checked"
    verify: Literal["none", "available"] = "none"
    """Own links alone, or with the answers of the checker that are known."""
    format: str = "jsonl"
    kinds: tuple[str, ...] = ()
    sites: bool = False
    findings: bool = False
    """Architecture findings too."""
    derived: tuple[str, ...] = ()
    """Records that are made from the graph, history and reports: `history`, `coverage`, `processes` ..."""
    destination: str | None = None
    """A path inside the workspace; without it the content comes inline, capped."""
    overwrite: bool = False
    """Replace a file at `destination` that is no export."""
    at: str = ""


@attrs.frozen(kw_only=True)
class ExplainParams(GraphParams):
    edge: str | None = None
    """Id of an edge, with the node it starts at."""
    node: str | None = None
    pack: PackParams | None = None

    @property
    def at(self) -> str:
        """The commit is that of the pack."""
        return self.pack.at if self.pack is not None else ""


@attrs.frozen(kw_only=True)
class EntryParams(GraphParams):
    name: str
    """Name of a route, tool, command or job, path of a route, or id."""
    depth: int = attrs.field(default=2, validator=_IMPACT_STEPS)
    limit: int = attrs.field(default=100, validator=_COUNT)
    unresolved: int = attrs.field(default=0, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class EntriesParams(GraphParams):
    scope: str = ""
    limit: int = attrs.field(default=500, validator=_COUNT)
    tests: bool = False
    at: str = ""


@attrs.frozen(kw_only=True)
class RiskParams(GraphParams):
    scope: str = ""
    limit: int = attrs.field(default=20, validator=_COUNT)


@attrs.frozen(kw_only=True)
class HealthParams(GraphParams):
    scope: str = ""
    limit: int = attrs.field(default=20, validator=_COUNT)


@attrs.frozen(kw_only=True)
class TourParams(GraphParams):
    scope: str = ""
    limit: int = attrs.field(default=40, validator=_COUNT)
    at: str = ""


@attrs.frozen(kw_only=True)
class StatusParams(GraphParams):
    pass


@attrs.frozen(kw_only=True)
class NoParams:
    pass
