"""Verification: how what a checker said enters a snapshot.

Owns: the seam between own links and verified ones, the codes that mark a link as verified, their wire names.
Must not know: which checker, how it was asked, where answers are kept.
Invariant: a snapshot's id does not depend on its verification; one snapshot sees one state of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol
from weakref import ref

import attrs

from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.graph.memo import MemoTable, share_without_links

if TYPE_CHECKING:
    from graphls.graph.snapshot import End, Shard, Snapshot

GROUNDS = MemoTable[FilePath, tuple[ref[Links], str]]("grounds", rests_on_links=False)
"""What own links rest on, as `compilers` keeps it."""
CONFIGURED = MemoTable[str, str]("configured", rests_on_links=False)
"""Digests of the files that decide how checkers read a workspace, likewise."""


class Tier(IntEnum):
    """Values of `Links.rules` for targets that no rule of graphls found. Rules of resolvers are 0 or more."""

    COMPILER_CHECKED = -2
    """A checker resolved it, and found no error in the module it is in."""
    COMPILER_UNCHECKED = -3
    """A checker resolved it; the module has errors, or was not checked yet."""
    LSP_RESOLVED = -4
    """A language server that is no checker resolved it."""
    SCIP_IMPORTED = -5


@attrs.frozen
class VerificationResult:
    """What verification came to for one answer."""

    checked: int = 0
    """Uncertain sites of the answer that a checker settled; 0 as well when all of the workspace is settled."""
    left_out: int | None = 0
    """Uncertain sites without an answer; a file that there was no time for counts as one. None: not counted."""
    reason: str = ""
    """Why sites were left out, "" when none were."""


class ModuleProblem(Protocol):
    """One thing that a checker finds wrong with a module. Offsets are bytes."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def code(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def source(self) -> str: ...


@attrs.frozen
class Extent:
    """How much of a workspace is verified."""

    uncertain: int
    """Sites that graphls is not sure of."""
    left_out: int
    """Those of them about which there is no answer."""
    modules: int
    """Modules that were judged as a whole."""
    clean: int
    """Those without an error."""


@attrs.frozen
class FileProblem:
    """One thing that is wrong with a file: a `ModuleProblem` of its text, or of a log of another tool."""

    start: int
    end: int
    code: str
    severity: str
    message: str
    source: str


class ReportedProblems(Protocol):
    """What logs of other tools say of a workspace, as of one moment."""

    @property
    def digest(self) -> str:
        """Names the logs: equal digests, equal answers."""
        ...

    def problems(self, snapshot: Snapshot, path: FilePath) -> Sequence[FileProblem]:
        """What they say of one file, plain ones too, by position."""
        ...


class Verification(Protocol):
    """What checkers said about the sites of a workspace, as of one moment."""

    @property
    def digest(self) -> str:
        """Names the answers: equal digests, equal answers."""
        ...

    def may_answer(self, shard: Shard) -> bool:
        """Whether there may be an answer for a file with these contents."""
        ...

    def verified_inputs(self, snapshot: Snapshot, shard: Shard) -> Sequence[object] | None:
        """What its verified links come from besides own links and all that these rest on: equal parts, equal links.

        None where they hold for one state of the workspace only.
        """
        ...

    def links(self, snapshot: Snapshot, shard: Shard, own: Links) -> Links:
        """Links of a file with every verified answer in the place of a guess. `own` itself where there is none."""
        ...

    def links_at(self, snapshot: Snapshot, shard: Shard, own: Links, occurrences: Collection[int]) -> Links:
        """The same for links that have the rows of these occurrences, and need not have others."""
        ...

    def locations(self, snapshot: Snapshot, shard: Shard, occurrence: int) -> Sequence[tuple[FilePath, int, int]]:
        """Where the name at an occurrence leads, as far as that is no definition of the graph: stretches of files."""
        ...

    def reaching(self, ends: Collection[End]) -> Collection[FilePath]:
        """Files about which some answer may lead to one of these ends."""
        ...

    def problems(self, snapshot: Snapshot, shard: Shard) -> Sequence[ModuleProblem]:
        """What is wrong with a module, as far as it was judged."""
        ...

    def extent(self, snapshot: Snapshot) -> Extent:
        """How much of a snapshot is verified."""
        ...


def with_verification(snapshot: Snapshot, verification: Verification | None) -> Snapshot:
    """The same contents, seen with this verification."""
    if snapshot.verification is verification:
        return snapshot
    seen = attrs.evolve(snapshot, verification=verification)
    share_without_links(snapshot, seen)
    return seen


def with_result(snapshot: Snapshot, result: VerificationResult) -> Snapshot:
    """The same snapshot, handed out for one answer."""
    seen = attrs.evolve(snapshot, verification_result=result)
    # The same contents and the same verification: what was kept for one is right for the other.
    object.__setattr__(seen, "memo", snapshot.memo)
    return seen


def strength(rule: int) -> int:
    """The better the provenance of a link, the larger; 0 for what graphls found itself."""
    return _STRENGTHS.get(rule, 0)


def tier_of(rule: int) -> Tier | None:
    """The tier of a link by its value in `Links.rules`; None for one that graphls found itself."""
    return Tier(rule) if rule <= Tier.COMPILER_CHECKED else None


def provenance(rule: int) -> str:
    """The wire name of a link's provenance by its value in `Links.rules`."""
    tier = tier_of(rule)
    return "syntax_inferred" if tier is None else tier.name.lower()


_STRENGTHS: Mapping[int, int] = {
    Tier.COMPILER_CHECKED: 4,
    Tier.COMPILER_UNCHECKED: 3,
    Tier.LSP_RESOLVED: 2,
    Tier.SCIP_IMPORTED: 1,
}
