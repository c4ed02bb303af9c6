"""Verification: how what a checker said enters a snapshot.

Owns: the seam between own links and verified ones, the codes that mark a link as verified, their wire names.
Must not know: which checker, how it was asked, where answers are kept.
Invariant: a snapshot's id does not depend on its verification; one snapshot sees one state of it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

import attrs

from graphls.facts.links import Links

if TYPE_CHECKING:
    from graphls.graph.snapshot import Shard, Snapshot

KEPT_WITHOUT_LINKS = ("snapshot_id", "frameworks")
"""Names of answers kept with a snapshot that are the same with any verification."""


class Tier(IntEnum):
    """Values of `Links.rules` for targets that no rule of graphls found. Rules of resolvers are 0 or more."""

    COMPILER_CHECKED = -2
    """A checker resolved it, and found no error in the module it is in."""
    COMPILER_UNCHECKED = -3
    """A checker resolved it; the module has errors, or was not checked yet."""
    LSP_RESOLVED = -4
    """A language server that is no checker resolved it."""
    SCIP_IMPORTED = -5


class Verification(Protocol):
    """What checkers said about the sites of a workspace, as of one moment."""

    @property
    def digest(self) -> str:
        """Names the answers: equal digests, equal answers."""
        ...

    def speaks_of(self, shard: Shard) -> bool:
        """Whether there may be an answer for a file with these contents."""
        ...

    def links(self, snapshot: Snapshot, shard: Shard, own: Links) -> Links:
        """Links of a file with every verified answer in the place of a guess. `own` itself where there is none."""
        ...


def verified(snapshot: Snapshot, verification: Verification | None) -> Snapshot:
    """The same contents, seen with this verification."""
    if snapshot.verification is verification:
        return snapshot
    seen = attrs.evolve(snapshot, verification=verification)
    seen.kept.update({name: snapshot.kept[name] for name in KEPT_WITHOUT_LINKS if name in snapshot.kept})
    return seen


def tier_of(rule: int) -> Tier | None:
    """The tier of a link by its value in `Links.rules`; None for one that graphls found itself."""
    return Tier(rule) if rule <= Tier.COMPILER_CHECKED else None


def provenance(rule: int) -> str:
    """The wire name of a link's provenance by its value in `Links.rules`."""
    tier = tier_of(rule)
    return "syntax_inferred" if tier is None else tier.name.lower()
