"""Hover: what is worth knowing about the name at a position, as plain facts.

Owns: which facts, their counts and how sure they are.
Must not know: markdown, LSP types, findings.
Invariant: nothing unknown is stated; a count says how many sites it could not decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.identity import end_name, symbol_name
from graphls.graph.node_table import node_kind
from graphls.graph.nodes import NodeKind
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, has_stand_ins, spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef, Target
from graphls.graph.unnamed_runs import may_run_unnamed
from graphls.graph.verification import provenance
from graphls.linking.libraries import LibraryDefinition
from graphls.queries.completeness import Cause, Completeness
from graphls.queries.document_uses import document_name_at, entry_at
from graphls.queries.entries import entries
from graphls.queries.implicit_calls import implicit_calls_to
from graphls.queries.outside_bases import outside_base
from graphls.queries.position import NameAtOffset
from graphls.queries.redeclarations import redeclarations
from graphls.queries.references import FEW_BYTES, References, call_references, is_countable
from graphls.queries.rows import CALLABLE, TYPES, class_around, is_local, name_of
from graphls.queries.symbol import meaning
from graphls.queries.type_hierarchy import is_class, overridden_members, overriding_members, subtypes

MAX_OTHERS = 5
_PART_OF_DOCUMENTS: Final = 0.06
"""Part of the time of a request in which a document inside of code is looked for."""
_PART: Final = 0.06
"""Of the budget of a request, for callers that do not name it: others wait behind a hover."""


@attrs.frozen
class UseCounts:
    """Who uses a callable or class."""

    callers: int
    sites: int
    sure_sites: int
    """Sites whose confidence is 1."""
    tests: int
    completeness: Completeness
    """What the callers lack."""
    implicit: int | None = 0
    """Further callers, whose constructs run it without naming it; None: not known at once."""

    @property
    def unresolved_sites(self) -> int:
        """Uses of that name that no rule resolves."""
        return self.completeness.sites

    @property
    def values(self) -> int:
        """Where it is handed on as a value, which whoever has it may call."""
        return sum(gap.count for gap in self.completeness.gaps if gap.cause == Cause.VALUE)


@attrs.frozen
class SymbolCard:
    """What is known of one place."""

    place: SymbolRef
    kind: NodeKind
    symbol: str
    signature: str
    doc: str
    line: int
    """From 0."""
    use: UseCounts | None
    overrides: tuple[str, ...]
    overridden_by: int
    subclasses: int
    entries: tuple[str, ...] | None = ()
    """Routes and tools that it handles, those of tests left out; None: not known at once."""
    counted: bool = True
    """False while files that may use it are not linked: then `use`, `overridden_by` and `subclasses` say nothing."""
    cut: bool = False
    """It is not counted because that takes more work than the request may do."""


@attrs.frozen
class Hover:
    """The answer. `card` is None for names outside the workspace."""

    at: NameAtOffset
    card: SymbolCard | None
    confidence: float
    rule: str
    """How the name was resolved; "" at the binding itself."""
    provenance: str
    """Who resolved it; "" at the binding itself."""
    ambiguous: bool
    others: tuple[str, ...]
    """Further targets, or names outside the workspace."""
    outside: LibraryDefinition | None = None
    """Where a library defines the name, when nothing in the workspace does."""


def hover(snapshot: Snapshot, path: FilePath, offset: int) -> Hover | None:
    """What to show at an offset; None when there is no name or nothing is known of it."""
    found = meaning(snapshot, path, offset)
    if found is None:
        return _document_hover(snapshot, path, offset)
    if not (found.places or found.externals):
        return None
    first: Target | None = found.targets[0] if found.targets else None
    places = found.places
    others = (*(symbol_name(snapshot, place) for place in places[1 : MAX_OTHERS + 1]), *found.externals[:MAX_OTHERS])
    return Hover(
        at=found.at,
        card=card(snapshot, places[0]) if places else None,
        confidence=first.confidence if first else 1.0,
        rule=first.resolution.name.lower() if first else "",
        provenance=provenance(first.rule) if first else "",
        ambiguous=bool(first and first.ambiguous),
        others=others,
        outside=snapshot.outside(found.externals[0]) if found.externals and not places else None,
    )


def _document_hover(snapshot: Snapshot, path: FilePath, offset: int) -> Hover | None:
    """What configuration or prose names, or a document inside of code as far as a part of the time tells: what a file
    derives may rest on all files around it, and mostly there is no name."""
    shard, named = snapshot.shards.get(path), None
    with PartOfBudget(_PART_OF_DOCUMENTS if shard is not None and shard.language else 1.0):
        named = document_name_at(snapshot, path, offset)
    if named is None:
        return None
    first, others = named.targets[0], named.targets[1 : MAX_OTHERS + 1]
    return Hover(
        at=NameAtOffset(path, NONE, NONE, named.start, named.end),
        card=card(snapshot, first) if isinstance(first, SymbolRef) else _entry_card(snapshot, first),
        confidence=1.0,
        rule="" if named.own else "name",
        provenance="manifest_declared",
        ambiguous=False,
        others=tuple(end_name(snapshot, target) for target in others),
    )


def _entry_card(snapshot: Snapshot, node: DerivedNode) -> SymbolCard:
    line, symbol = entry_at(snapshot, node)
    return _plain_card(SymbolRef(node.file, NONE), NodeKind(node.kind, node.subkind), symbol, line)


def _plain_card(place: SymbolRef, kind: NodeKind, symbol: str, line: int = 0) -> SymbolCard:
    """What is known of a place in no language."""
    return SymbolCard(
        place=place,
        kind=kind,
        symbol=symbol,
        signature="",
        doc="",
        line=line,
        use=None,
        overrides=(),
        overridden_by=0,
        subclasses=0,
    )


def card(snapshot: Snapshot, place: SymbolRef) -> SymbolCard:
    """What is known of a place; what its own file says, where the request may not do the rest."""
    if not snapshot.shards[place.file].language:
        return _plain_card(place, NodeKind("file", ""), place.file)
    try:
        return _counted_card(snapshot, place)
    except BudgetSpentError:
        plain = _plain_card(place, node_kind(snapshot, place), symbol_name(snapshot, place))
        facts, row = snapshot.facts(place.file), place.definition
        return attrs.evolve(
            plain,
            signature=_signature(facts, row),
            doc=_doc(snapshot, place),
            line=_line(facts, row),
            entries=None,
            counted=False,
            cut=True,
        )


def _counted_card(snapshot: Snapshot, place: SymbolRef) -> SymbolCard:
    facts = snapshot.facts(place.file)
    rows, row = facts.definitions, place.definition
    has_uses = row != NONE and rows.kind[row] in CALLABLE | TYPES and not is_local(facts, row)
    counted = has_uses and is_countable(snapshot, place) and _is_countable_class(snapshot, place)
    same = redeclarations(snapshot, place) if counted else (place,)
    return SymbolCard(
        place=place,
        kind=node_kind(snapshot, place),
        symbol=symbol_name(snapshot, place),
        signature=_signature(facts, row),
        doc=next(filter(None, (_doc(snapshot, one) for one in same)), ""),
        line=_line(facts, row),
        use=_use(snapshot, place) if counted else None,
        overrides=tuple(_overridden(snapshot, place, same))[:MAX_OTHERS],
        overridden_by=len({*overriding_members(snapshot, place)} - {*same}) if counted else 0,
        subclasses=len(subtypes(snapshot, place)) if counted and is_class(snapshot, place) else 0,
        entries=_entries(snapshot, place) if counted else (),
        counted=counted or not has_uses,
    )


def _signature(facts: FileFacts, row: int) -> str:
    signature = NONE if row == NONE else facts.definitions.signature[row]
    return "" if signature == NONE else facts.strings[signature]


def _line(facts: FileFacts, row: int) -> int:
    return 0 if row == NONE else facts.line_column(facts.definitions.start[row])[0]


def _doc(snapshot: Snapshot, place: SymbolRef) -> str:
    facts, row = snapshot.facts(place.file), place.definition
    if row == NONE:
        return facts.doc
    return facts.strings[facts.definitions.doc[row]] if facts.definitions.doc[row] != NONE else ""


def _overridden(snapshot: Snapshot, place: SymbolRef, same: Sequence[SymbolRef]) -> Iterator[str]:
    yield from (symbol_name(snapshot, one) for one in overridden_members(snapshot, place) if one not in same)
    base = outside_base(snapshot, place)
    if base is not None and base.how == "declares":
        yield f"{base.dotted}.{name_of(snapshot.facts(place.file), place.definition)}"


def _entries(snapshot: Snapshot, place: SymbolRef) -> tuple[str, ...] | None:
    if not _is_known_at_once(snapshot, place, handling=True):
        return None
    return tuple(end_name(snapshot, node) for node in entries(snapshot, place) if not node.test)[:MAX_OTHERS]


def _is_countable_class(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Overriding members are found through the subclasses of the class around."""
    owner = class_around(snapshot.facts(place.file), place.definition)
    return owner == NONE or is_countable(snapshot, SymbolRef(place.file, owner))


def _use(snapshot: Snapshot, place: SymbolRef) -> UseCounts:
    found = call_references(snapshot, place)
    held = is_handed_on(found)
    if (held or may_run_unnamed(snapshot, place)) and not _is_known_at_once(snapshot, place):
        return attrs.evolve(use_of(snapshot, found), implicit=None)
    before = spent_reason()
    with PartOfBudget(_PART):
        unnamed = implicit_calls_to(snapshot, place, held=held)
        if spent_reason() == before or has_stand_ins():
            return use_of(snapshot, found, unnamed)
    return attrs.evolve(use_of(snapshot, found), implicit=None)


def _is_known_at_once(snapshot: Snapshot, place: SymbolRef, *, handling: bool = False) -> bool:
    """Whether what is derived about a place needs no more reading than one may wait for."""
    derivation = snapshot.derivation
    return derivation is None or derivation.bytes_to_read(snapshot, place, handling=handling) <= FEW_BYTES


def is_handed_on(found: References) -> bool:
    """Whether a callable is used as a value somewhere."""
    return any(gap.cause == Cause.VALUE for gap in found.completeness.gaps)


def use_of(snapshot: Snapshot, found: References, unnamed: Sequence[RawEdge] = ()) -> UseCounts:
    """Callers and tests among what `call_references` found; `unnamed`: calls by constructs."""
    sites = found.uses
    around = {SymbolRef(use.file, use.owner) for use in sites}
    return UseCounts(
        callers=len(around),
        sites=len(sites),
        sure_sites=sum(1 for use in sites if use.confidence >= 1 and not use.ambiguous),
        tests=sum(1 for place in around if is_test(snapshot, place)),
        completeness=found.completeness,
        implicit=len({edge.source for edge in unnamed}),
    )


def is_test(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is a test that a runner collects."""
    return node_kind(snapshot, place).kind == "test"
