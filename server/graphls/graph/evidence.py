"""Evidence: what the places in a text where an edge can be seen say together.

Owns: the relation between two places, how sites become one edge, the words for kinds, access and provenance.
Must not know: which occurrences there are, ids, records.
Invariant: the weakest site of an edge decides how far it is trusted, whatever the order of its sites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import attrs

from graphls.facts.kinds import ConstructKind, EdgeKind, ImportFlag, OccurrenceFlag, Resolution, Role
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import SymbolRef
from graphls.graph.verification import Tier, provenance, strength

Site = tuple[FilePath, int, int]
"""File, first byte, byte after the last."""

SYNTAX = "syntax_inferred"
TOOL_MADE = "generated"

READ, WRITE = 1, 2
ACCESS: Mapping[int, str] = {READ: "read", WRITE: "write", READ | WRITE: "read_write"}
KINDS = [kind.name.lower() for kind in EdgeKind]
_RESOLUTIONS = [resolution.name.lower() for resolution in Resolution]
_ALSO_WRITE = int(OccurrenceFlag.ALSO_WRITE)
_IMPORT_FLAGS = {
    int(ImportFlag.TYPE_CHECKING): "type_checking",
    int(ImportFlag.LOCAL): "local",
    int(ImportFlag.CONDITIONAL): "conditional",
}


class SiteEvidence(NamedTuple):
    """How the name at one site was resolved."""

    provenance: str
    resolution: str | None
    confidence: float


@attrs.frozen
class RawEdge:
    """One relation between two places, or from a place to a dotted name outside the workspace.

    What no binding site stands for (`DerivedNode`) may be at either end.
    """

    source: SymbolRef | DerivedNode
    target: SymbolRef | DerivedNode | str
    kind: str
    provenance: str
    resolution: str | None
    """None where nothing had to be resolved."""
    confidence: float
    """Provenance, resolution and confidence are those of the weakest site; see `weakest`."""
    ambiguous: bool
    sites: tuple[Site, ...]
    attributes: Mapping[str, str | bool] = attrs.field(factory=dict[str, "str | bool"])
    implied: bool = False
    """No site spells the target: an import brings in a module that it does not name."""
    site_evidence: tuple[SiteEvidence, ...] = ()
    """Of each site, in their order; empty where all are like the edge."""

    @property
    def evidence(self) -> SiteEvidence:
        """What the edge as a whole rests on."""
        return SiteEvidence(self.provenance, self.resolution, self.confidence)

    def sites_with_evidence(self) -> Iterator[tuple[Site, SiteEvidence]]:
        """Each site with what it rests on, by file and position."""
        if len(self.sites) < 2:
            return iter([(site, self.evidence) for site in self.sites])
        each = self.site_evidence or (self.evidence,) * len(self.sites)
        return iter(sorted(zip(self.sites, each, strict=True), key=lambda pair: pair[0]))


@attrs.define(slots=True)
class EdgeEvidence:
    """What the sites of one edge say together."""

    confidence: int
    """Of the first site; with its resolution and rule that of all as long as `each` is None."""
    resolution: int
    ambiguous: bool
    access: int
    sites: list[tuple[int, int]]
    imported: int = -1
    """Import flags that hold at every site, -1 where there is no import."""
    rule: int = 0
    """The value in `Links.rules`."""
    implied: bool = False
    implicit: int = 0
    """Bits of the kinds of constructs that the sites are; 0 where they name the target."""
    each: list[tuple[int, int, int]] | None = None
    """Confidence, resolution and rule of each site, where they differ."""

    def add(self, site: tuple[int, int], certainty: tuple[int, int, bool], access: int, rule: int) -> None:
        """One site more. A site that several targets of one use lead from counts once."""
        confidence, resolution, ambiguous = certainty
        self.ambiguous = self.ambiguous and ambiguous
        self.access |= access
        if self.sites and self.sites[-1] == site:
            return
        if self.each is not None:
            self.each.append((confidence, resolution, rule))
        elif (confidence, resolution, rule) != (self.confidence, self.resolution, self.rule):
            first = (self.confidence, self.resolution, self.rule)
            self.each = [*(first for _ in self.sites), (confidence, resolution, rule)]
        self.sites.append(site)


Key = tuple[int, str, FilePath | None, int | str]
"""Source row, kind, file of the target (None outside), row or dotted name."""
Where = tuple[FilePath | None, int | str]
PlaceOf = Callable[[int, int], Where | None]


def edge_of(path: FilePath, key: Key, evidence: EdgeEvidence, *, generated: bool) -> RawEdge:
    """The edge that the evidence is for."""
    source, kind, file, row = key
    attributes: dict[str, str | bool] = {}
    if evidence.access:
        attributes["access"] = ACCESS[evidence.access]
    if evidence.implicit:
        attributes["implicit"] = _words(evidence.implicit)
    if evidence.imported > 0:
        attributes.update({name: True for flag, name in _IMPORT_FLAGS.items() if evidence.imported & flag})
    each = tuple(_site_evidence(*item, generated) for item in evidence.each) if evidence.each is not None else ()
    whole = (
        weakest_evidence(each)
        if each
        else _site_evidence(evidence.confidence, evidence.resolution, evidence.rule, generated)
    )
    return RawEdge(
        source=SymbolRef(path, source),
        target=str(row) if file is None else SymbolRef(file, int(row)),
        kind=kind,
        provenance=whole.provenance,
        resolution=whole.resolution,
        confidence=whole.confidence,
        ambiguous=evidence.ambiguous,
        sites=tuple((path, start, end) for start, end in evidence.sites),
        attributes=attributes,
        implied=evidence.implied,
        site_evidence=each,
    )


@lru_cache(maxsize=1024)
def _words(implicit: int) -> str:
    return ",".join(sorted(kind.name.lower() for kind in ConstructKind if implicit >> kind & 1))


@lru_cache(maxsize=1024)
def _site_evidence(confidence: int, resolution: int, rule: int, generated: bool) -> SiteEvidence:
    where = TOOL_MADE if generated else provenance(rule)
    return SiteEvidence(where, _RESOLUTIONS[resolution], confidence / 100)


def weakest_evidence(each: Iterable[SiteEvidence]) -> SiteEvidence:
    """What an edge as a whole rests on: of the sites of the lowest tier the one of the least confidence."""
    return min(each, key=lambda one: (_TIERS.get(one.provenance, 0), one.confidence, one.resolution or ""))


_TIERS: Mapping[str, int] = {tier.name.lower(): strength(tier) for tier in Tier}


def provenance_of(generated: bool) -> str:
    """Where a fact about a file comes from: a file that a tool wrote says nothing by hand."""
    return TOOL_MADE if generated else SYNTAX


def joint_certainty(places: Sequence[Where | None], certainty: tuple[int, int, bool]) -> tuple[int, int, bool]:
    """Several targets of one use: no choice at all where they are one node, as overloads of a function are."""
    confidence, how, _ = certainty
    if len(places) > 1 and len(set(places)) == 1:
        return min(100, confidence * len(places)), how, False
    return confidence, how, True


def access_of(role: int, flags: int) -> int:
    """How an occurrence uses what it names: READ, WRITE or both."""
    if flags & _ALSO_WRITE:
        return READ | WRITE
    return WRITE if role in (Role.WRITE, Role.DELETE) else READ
