"""Derivation: how nodes and edges that no link gives enter a snapshot.

Owns: the node that no binding site stands for, the seam through which derived nodes and edges are asked for.
Must not know: which rules derive them, frameworks.
Invariant: what is derived is a function of the contents of the snapshot and of the digest; it is marked as derived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import attrs

from graphls.facts.paths import FilePath

if TYPE_CHECKING:
    from graphls.graph.evidence import RawEdge
    from graphls.graph.snapshot import Snapshot, SymbolRef

DERIVED = "derived_advisory"
DIAGNOSTIC = "diagnostic"
"""The kind of what is wrong somewhere: its anchor is its id, see `diagnoses`."""
DOCUMENT_ENTRY = "artifact"
"""The kind of nodes that are parts of configuration and documents."""
CONTENT_HASH = "content_hash"
"""The attribute of a derived node that is the digest of its text."""
Value: TypeAlias = "str | bool | tuple[str, ...]"


@attrs.frozen
class DerivedNode:
    """A thing that code declares without binding a name to it: a route, a command, a tool."""

    file: FilePath
    kind: str
    subkind: str
    name: str
    start: int
    end: int
    full_start: int
    full_end: int
    anchor: str
    """What tells it from those of the same file, kind and name, see `anchors`."""
    provenance: str
    confidence: float
    attributes: tuple[tuple[str, Value], ...]

    @property
    def test(self) -> bool:
        """It is declared by a test, so it is none of the program's."""
        return ("test", True) in self.attributes

    @property
    def in_document(self) -> bool:
        """It is a part of configuration or prose, and nothing through which a program is met."""
        return self.kind == DOCUMENT_ENTRY


NO_CALLS: Final = frozenset({"overrides", "implements", "extends", "aliases", "imports", "contains", "defines"})
"""Kinds of edges that are never among derived calls: who asks for these alone does not wait for calls."""
SUREST_CALL: Final = 0.6
"""No derived call is surer: who wants the surest edges only may have enough of others."""


class DerivedCalls(Protocol):
    """Calls that no link says, of one snapshot. Each of the three says the same of a call."""

    def from_file(self, path: FilePath) -> Iterable[RawEdge]:
        """Those whose source is in one file."""
        ...

    def from_place(self, place: SymbolRef) -> Iterable[RawEdge]:
        """Those whose source is one place."""
        ...

    def to_place(self, place: SymbolRef) -> Iterable[RawEdge]:
        """Those that may run one place, by file of the source."""
        ...

    @property
    def has_earlier(self) -> bool:
        """Whether all those of an earlier state are at hand, for who may not search for as long as it takes."""
        ...

    def earlier_from_place(self, place: SymbolRef) -> Iterable[RawEdge]:
        """Of an earlier state those whose source is one place; they say so."""
        ...

    def earlier_to_place(self, place: SymbolRef) -> Iterable[RawEdge]:
        """Of an earlier state those that ran one place; likewise."""
        ...

    def complete(self) -> None:
        """Finds all of them, so that no question has to. Raises BudgetSpentError."""
        ...


class Derivation(Protocol):
    """What follows from a snapshot by rules about frameworks, strings and manifests."""

    @property
    def digest(self) -> str:
        """Names the rules: equal digests, equal answers."""
        ...

    def nodes(self, snapshot: Snapshot, path: FilePath) -> Sequence[DerivedNode]:
        """Derived nodes of one file, in source order."""
        ...

    def may_declare(self, snapshot: Snapshot, path: FilePath) -> bool:
        """Whether a file may have nodes that are no part of a document and no test, for less work than `nodes`."""
        ...

    def edges_from(self, snapshot: Snapshot, path: FilePath) -> Sequence[RawEdge]:
        """Derived edges whose source is in one file."""
        ...

    def edges_to(self, snapshot: Snapshot, place: SymbolRef | DerivedNode) -> Sequence[RawEdge]:
        """Derived edges that end at one place or node."""
        ...

    def calls(self, snapshot: Snapshot) -> DerivedCalls:
        """Derived calls of one snapshot; they are among none of the edges above."""
        ...

    def handlers_at(self, snapshot: Snapshot, place: SymbolRef) -> Sequence[RawEdge]:
        """Those of `edges_to` that are of the kind `handles`, for less work."""
        ...

    def handled_by(self, snapshot: Snapshot, node: DerivedNode) -> Sequence[RawEdge]:
        """Those of `edges_from` whose source is a node and that are of the kind `handles`, for less work."""
        ...

    def operations(self, snapshot: Snapshot) -> Sequence[DerivedNode]:
        """What schemas and interfaces in documents offer and code answers, by file and position."""
        ...

    def bytes_to_read(self, snapshot: Snapshot, place: SymbolRef, *, handling: bool) -> int:
        """Of files that `edges_to` and `calls` have to go through before they know what leads to a place; `handling`:
        of those of `handlers_at`."""
        ...

    def all_nodes(self, snapshot: Snapshot) -> Sequence[DerivedNode]:
        """Derived nodes of all files, by file and position."""
        ...

    def follow(self, before: Snapshot, snapshot: Snapshot) -> None:
        """Takes over from the snapshot before what holds in the next one."""
        ...

    def prepare(self, snapshot: Snapshot, stop: Callable[[], bool]) -> None:
        """Does beforehand what questions would have to do, until `stop` says so."""
        ...

    def remember(self, snapshot: Snapshot, read: Callable[[Snapshot], bytes | None]) -> None:
        """`read` gives what `stored` of an earlier run gave for the same files and module names."""
        ...

    def stored(self, snapshot: Snapshot, least: int) -> bytes | None:
        """What was derived so far, as bytes; None while less than so many files are new in it."""
        ...
