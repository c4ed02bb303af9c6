"""Finding: what a rule claims, what it rests on, and its stable id.

Owns: the values Evidence, Claim, Rule and Finding.
Must not know: any particular rule, how findings are shown or stored.
Invariant: the id depends on the rule and on names only, so it survives moved lines and edited bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal, NewType, get_args

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of, format_id
from graphls.graph.snapshot import SymbolRef

if TYPE_CHECKING:
    from graphls.analysis.views import Views

FindingId = NewType("FindingId", str)
Category = Literal["architecture", "safety", "idiom", "maintainability", "risk", "external"]
"""`external`: what another tool found."""
Priority = Literal["P1", "P2", "P3", "info"]
Confidence = Literal["high", "medium", "low"]
Status = Literal["open", "suppressed", "rejected", "deferred", "baselined", "stale"]
"""`suppressed` by the code itself; `rejected` and `deferred` by a review; `stale`: another tool said it, of code that
has changed since."""
Verdict = Literal["accept", "reject", "defer"]
"""`accept`: the finding is right, and stays open; `reject`: wrong here, or wanted so; `defer`: right, but later."""
Measure = int | str | tuple[str, ...]

OWN_TOOL: Final = "graphls"
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
PRIORITIES: Final[tuple[Priority, ...]] = ("P1", "P2", "P3", "info")
TIERS: Final = ("compiler_checked", "compiler_unchecked", "scip_imported", "lsp_resolved", "syntax_inferred")
"""Provenance of evidence, strongest first."""


@attrs.frozen
class ReviewMark:
    """What somebody decided about a finding. `outdated`: what the finding says or cites has changed since."""

    verdict: Verdict
    reason: str
    author: str
    outdated: bool = False


@attrs.frozen
class Evidence:
    """One stretch of code that a finding rests on. `place` is the definition it belongs to, where there is one."""

    file: FilePath
    start: int
    end: int
    note: str
    place: SymbolRef | None = None
    tier: str = "syntax_inferred"


@attrs.frozen(kw_only=True)
class Claim:
    """What a rule says. `key` names the subject without positions; the first evidence is where it is shown."""

    key: tuple[str, ...]
    title: str
    pressure: str
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    suggestions: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    measures: Mapping[str, Measure] = attrs.field(factory=dict[str, Measure])
    caveats: tuple[str, ...] = ()
    priority: Priority | None = None
    """Where the rule's own priority does not fit this case."""


@attrs.frozen(kw_only=True)
class Rule:
    """One rule: how it is named, how serious it is, and the function that looks."""

    code: str
    category: Category
    priority: Priority
    title: str
    doc: str
    check: Callable[[Views], Iterable[Claim]]
    enabled: bool = True
    """Whether it looks where the settings do not name it."""

    def level(self, levels: Mapping[str, str]) -> str:
        """What the settings say: a priority, "off", or "" for the rule's own."""
        return levels.get(self.code) or ("" if self.enabled else "off")

    def level_at(self, levels: Mapping[str, str], path: str) -> str:
        """The same for a file: one of several open folders may have its own, by its name."""
        return folder_level(levels, self.code, path) or self.level(levels)

    def looks(self, levels: Mapping[str, str]) -> bool:
        """Whether it is on anywhere."""
        own = (level for key, level in levels.items() if key.startswith("//") and key.endswith(f"/{self.code}"))
        return self.level(levels) != "off" or any(level != "off" for level in own)


def folder_level(levels: Mapping[str, str], code: str, path: str) -> str:
    """What the settings say of a rule in the open folder that a file is in; "" where they say nothing of it."""
    folder = f"//{path.partition('/')[0]}/"
    return levels.get(f"{folder}{code}") or levels.get(f"{folder}*", "")


@attrs.frozen(kw_only=True)
class Finding:
    """A claim with identity and status."""

    id: FindingId
    rule: str
    category: Category
    priority: Priority
    confidence: Confidence
    title: str
    pressure: str
    suggestions: tuple[str, ...]
    risks: tuple[str, ...]
    measures: Mapping[str, Measure]
    caveats: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    status: Status = "open"
    reason: str = ""
    """Why it is not open, in the words of who decided so."""
    review: ReviewMark | None = None
    tool: str = OWN_TOOL
    """Who found it: another name than that of this program for what a SARIF log brought."""

    @property
    def evidence_tier(self) -> str:
        """The weakest provenance among the evidence."""
        return max((item.tier for item in self.evidence), key=_weakness, default=TIERS[-1])

    @property
    def at(self) -> Evidence:
        """Where the finding is shown."""
        return self.evidence[0]


def finding_id(rule: str, key: tuple[str, ...]) -> FindingId:
    """The id of the finding about a subject; a finding is a node, and is named like one."""
    return FindingId(format_id("n", digest_of("architecture_finding", rule, *key)))


def _weakness(tier: str) -> int:
    return TIERS.index(tier) if tier in TIERS else len(TIERS)
