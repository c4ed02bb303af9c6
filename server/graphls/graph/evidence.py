"""Evidence: what the places in a text where an edge can be seen say together.

Owns: the relation between two places, how sites become one edge, the words for kinds, access and provenance.
Must not know: which occurrences there are, ids, records.
Invariant: the best site of an edge decides how far it is trusted; the order of sites changes nothing but their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from graphls.facts.kinds import EdgeKind, ImportFlag, OccurrenceFlag, Resolution, Role
from graphls.facts.paths import FilePath
from graphls.graph.derivation import Derived
from graphls.graph.snapshot import Place
from graphls.graph.verification import provenance, strength

Site = tuple[FilePath, int, int]
"""File, first byte, byte after the last."""

SYNTAX = "syntax_inferred"
OUTSIDE = "external"
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


@attrs.frozen
class RawEdge:
    """One relation between two places, or from a place to a dotted name outside the workspace.

    What no binding site stands for (`Derived`) may be at either end.
    """

    source: Place | Derived
    target: Place | Derived | str
    kind: str
    provenance: str
    resolution: str | None
    """None where nothing had to be resolved."""
    confidence: float
    ambiguous: bool
    sites: tuple[Site, ...]
    attributes: Mapping[str, str | bool] = attrs.field(factory=dict[str, "str | bool"])
    implied: bool = False
    """No site spells the target: an import brings in a module that it does not name."""


@attrs.define(slots=True)
class Evidence:
    """What the sites of one edge say together: the best of them decides how far it is trusted."""

    confidence: int
    resolution: int
    ambiguous: bool
    access: int
    sites: list[tuple[int, int]]
    imported: int = -1
    """Import flags that hold at every site, -1 where there is no import."""
    rule: int = 0
    """Of the site that is best vouched for: the value in `Links.rules`."""
    implied: bool = False

    def vouch(self, rule: int) -> None:
        if strength(rule) > strength(self.rule):
            self.rule = rule

    def join(self, confidence: int, resolution: int, ambiguous: bool, access: int) -> None:
        if confidence > self.confidence:
            self.confidence, self.resolution = confidence, resolution
        self.ambiguous = self.ambiguous and ambiguous
        self.access |= access


Key = tuple[int, str, FilePath | None, int | str]
"""Source row, kind, file of the target (None outside), row or dotted name."""
Where = tuple[FilePath | None, int | str]
PlaceOf = Callable[[int, int], Where | None]


def edge_of(path: FilePath, key: Key, evidence: Evidence, *, generated: bool) -> RawEdge:
    """The edge that the evidence is for."""
    source, kind, file, row = key
    attributes: dict[str, str | bool] = {}
    if evidence.access:
        attributes["access"] = ACCESS[evidence.access]
    if evidence.imported > 0:
        attributes.update({name: True for flag, name in _IMPORT_FLAGS.items() if evidence.imported & flag})
    return RawEdge(
        source=Place(path, source),
        target=str(row) if file is None else Place(file, int(row)),
        kind=kind,
        provenance=OUTSIDE if file is None else TOOL_MADE if generated else provenance(evidence.rule),
        resolution=_RESOLUTIONS[evidence.resolution],
        confidence=evidence.confidence / 100,
        ambiguous=evidence.ambiguous,
        sites=tuple((path, start, end) for start, end in evidence.sites),
        attributes=attributes,
        implied=evidence.implied,
    )


def provenance_of(generated: bool) -> str:
    """Where a fact about a file comes from: a file that a tool wrote says nothing by hand."""
    return TOOL_MADE if generated else SYNTAX


def joined(places: Sequence[Where | None], said: tuple[int, int, bool]) -> tuple[int, int, bool]:
    """Several targets of one use: no choice at all where they are one node, as overloads of a function are."""
    confidence, how, _ = said
    if len(places) > 1 and len(set(places)) == 1:
        return min(100, confidence * len(places)), how, False
    return confidence, how, True


def access_of(role: int, flags: int) -> int:
    """How an occurrence uses what it names: READ, WRITE or both."""
    if flags & _ALSO_WRITE:
        return READ | WRITE
    return WRITE if role in (Role.WRITE, Role.DELETE) else READ
