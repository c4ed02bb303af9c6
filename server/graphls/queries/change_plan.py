"""Change plan: every site that a change of one symbol has to edit, in an order to work in.

Owns: which uses a change of signature, a rename, a move or a deletion touches, and how sure each is.
Must not know: layout, JSON, disk, version control.
Invariant: each site is an occurrence of the graph; what may be one more site is in the coverage.

A signature changes with its whole family: what a member overrides and what overrides it. A constructor is run where its
class, or a class that inherits it, is instantiated.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import EdgeKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.node_table import is_import
from graphls.graph.nodes import is_test_file
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import constructors
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.class_names import class_name_sites, parts_of
from graphls.queries.completeness import CoverageClaim
from graphls.queries.find import FindQuery, find
from graphls.queries.impact import AffectedNode, ImpactQuery, impact
from graphls.queries.implicit_calls import constructs_of, implicit_calls_to
from graphls.queries.references import CALLING, Reference, References, bindings_of, call_references, references
from graphls.queries.rows import CALLABLE, class_around, name_of
from graphls.queries.type_hierarchy import (
    all_subtypes,
    has_kin,
    is_class,
    member,
    overridden_members,
    overriding_members,
)

Change = Literal["signature", "rename", "move", "delete"]
SURE: Final = 0.75
"""From this confidence on a use is certain, unless it may mean several things."""
AMBIGUOUS: Final = "may mean something else"
"""Why a use is only possible: another thing may be meant."""
CONSTRUCTS: Final = "a use of its constructor"
"""What a certain site is that spells the class and means a constructor of it."""
_BRINGING: Final = frozenset({Role.IMPORT, Role.EXPORT})
_SURE_KIN: Final = ("", "overrides it", "its constructor")
_TEST_STEPS: Final = 2
_PART_OF_FAMILY: Final = 0.6
"""Of the budget of a request, up to which members that change along are sought."""
_MOST_NAMESAKES: Final = 20
_MOST_TESTS: Final = 2_000


@attrs.frozen
class PlannedSite:
    """One place to edit. `why` says why it is only possible, or what a certain one is besides a use."""

    file: FilePath
    start: int
    owner: int
    certain: bool
    why: str


@attrs.frozen
class ChangePlan:
    """Sites in an order to work in: the declaration's file, those of members that change along, others, tests."""

    change: Change
    place: SymbolRef
    sites: tuple[PlannedSite, ...]
    tests: tuple[AffectedNode, ...]
    """Tests that reach the symbol, nearest first."""
    coverage: Coverage
    namesakes: tuple[SymbolRef, ...] = ()
    """What else is declared under the name, and no part of the plan: copies, parallel implementations."""


def change_plan(snapshot: Snapshot, place: SymbolRef, change: Change) -> ChangePlan:
    """What a change of a symbol has to edit; what is known of it, where a request may do no more."""
    search = _SiteSearch(snapshot, place, change, constructs=change != "move")
    with contextlib.suppress(BudgetSpentError):
        search.run()
    sites, family = search.ordered(), tuple(search.family)
    reached = impact(snapshot, ImpactQuery(target=place, depth=_TEST_STEPS, limit=_MOST_TESTS))
    return ChangePlan(
        change=change,
        place=place,
        sites=sites,
        tests=tuple(one for one in reached.affected if one.kind == "test"),
        coverage=coverage_for(snapshot, CoverageClaim(uses_of=family)),
        namesakes=_namesakes(snapshot, place),
    )


def _namesakes(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """Of what a module itself declares; members of other classes are a matter of receivers."""
    if place.definition == NONE or class_around(snapshot.facts(place.file), place.definition) != NONE:
        return ()
    name = name_of(snapshot.facts(place.file), place.definition)
    found = (match.place for match in find(snapshot, FindQuery(name, "exact", limit=_MOST_NAMESAKES)).matches)
    return tuple(
        other
        for other in found
        if other != place
        and class_around(snapshot.facts(other.file), other.definition) == NONE
        and not is_import(snapshot, other)
    )


def planned_sites(
    snapshot: Snapshot, place: SymbolRef, change: Change, *, constructs: bool = True
) -> tuple[tuple[PlannedSite, ...], tuple[SymbolRef, ...]]:
    """The sites of a change in their order, and the members that change along with the symbol, itself first.
    `constructs`: those that run it without naming it too."""
    search = _SiteSearch(snapshot, place, change, constructs=constructs and change != "move")
    search.run()
    return search.ordered(), tuple(search.family)


class _SiteSearch:
    """Collects the sites of one change."""

    def __init__(self, snapshot: Snapshot, place: SymbolRef, change: Change, *, constructs: bool) -> None:
        self._snapshot = snapshot
        self._place = place
        self._change = change
        self._constructs = constructs
        self._name = self._name_of(place)
        self._found: dict[tuple[FilePath, int], PlannedSite] = {}
        self._declared: set[FilePath] = {place.file}
        self.family: dict[SymbolRef, str] = {place: ""}

    def run(self) -> None:
        """Own sites first: a site is taken once, under the surest reason."""
        self._add_declaration(self._place, "")
        self._add_uses(self._place, "")
        if self._change == "rename":
            self._add_called_like_class()
        with PartOfBudget(_PART_OF_FAMILY):
            self._add_family()
        for kin, why in self.family.items():
            if kin != self._place:
                self._add_declaration(kin, why)
                self._add_uses(kin, why)
        if self._change == "signature":
            self._add_inherited_constructor()
        if self._change == "delete" and is_class(self._snapshot, self._place):
            self._add_member_uses()

    def ordered(self) -> tuple[PlannedSite, ...]:
        """By file: the own one, those of other declarations, others, tests; then by position."""
        return tuple(sorted(self._found.values(), key=lambda site: (*self._rank(site.file), site.file, site.start)))

    def _rank(self, path: FilePath) -> tuple[int, bool]:
        if path == self._place.file:
            return 0, False
        group = 3 if is_test_file(path) else 1 if path in self._declared else 2
        return group, comes_last(self._snapshot, path)

    def _add_family(self) -> None:
        """Members that have to change along. A move or a deletion leaves them as they are."""
        if self._change in ("move", "delete") or not has_kin(self._snapshot, self._place):
            return
        if self._name in constructors():
            return
        for below in overriding_members(self._snapshot, self._place):
            self.family.setdefault(below, "overrides it")
        for above in overridden_members(self._snapshot, self._place):
            self.family.setdefault(above, "it overrides this")
            for below in overriding_members(self._snapshot, above):
                self.family.setdefault(below, "overrides the same")

    def _add_called_like_class(self) -> None:
        """Constructors, and uses of them, spell the class; a class that is declared in parts has one name."""
        for part in parts_of(self._snapshot, self._place):
            self.family.setdefault(part, "a part of it")
        for site in class_name_sites(self._snapshot, self._place):
            why = "its constructor" if site.use.binding else CONSTRUCTS if site.certain else AMBIGUOUS
            self._add(attrs.evolve(site.use, start=site.start), why, certain=site.certain)

    def _add_declaration(self, kin: SymbolRef, why: str) -> None:
        if kin.definition == NONE:
            return
        self._declared.add(kin.file)
        for binding in bindings_of(self._snapshot, kin):
            self._add(binding, why or "declaration", certain=why in _SURE_KIN or self._change == "rename")

    def _add_uses(self, kin: SymbolRef, why: str) -> None:
        for use in self._uses(kin).uses:
            doubt = self._doubt(use) or ("" if why in _SURE_KIN or self._change == "rename" else why)
            self._add(use, doubt, certain=not doubt)
        if self._constructs:
            self._add_constructs(kin)

    def _add_constructs(self, kin: SymbolRef) -> None:
        """Constructs that run a method without naming it: which of them stop working is for the reader to say."""
        for edge in implicit_calls_to(self._snapshot, kin):
            owner = edge.source.definition if isinstance(edge.source, SymbolRef) else NONE
            for file, start, _ in edge.sites:
                why = f"implicit: {constructs_of(edge)}"
                self._found.setdefault((file, start), PlannedSite(file, start, owner, certain=False, why=why))

    def _uses(self, kin: SymbolRef) -> References:
        """The uses that the change touches."""
        found = references(self._snapshot, kin)
        wanted = self._wanted(kin)
        uses = [use for use in found.uses if wanted(use)]
        if self._change == "signature" and self._calls_matter(kin):
            known = {(use.file, use.start) for use in uses}
            calls = call_references(self._snapshot, kin).uses
            uses += [use for use in calls if (use.file, use.start) not in known]
        return attrs.evolve(found, uses=tuple(uses))

    def _wanted(self, kin: SymbolRef) -> Callable[[Reference], bool]:
        if self._change == "signature":
            return lambda use: use.role not in _BRINGING and (use.edge in CALLING or self._is_value(kin, use))
        if self._change == "rename":
            return self._spells_name
        if self._change == "move":
            return lambda use: use.role in _BRINGING or self._is_qualified(use)
        return lambda use: True

    def _is_value(self, kin: SymbolRef, use: Reference) -> bool:
        """Any use of what is not called; of what is called those that hand it on."""
        if not self._calls_matter(kin):
            return True
        return use.edge in (EdgeKind.REFERENCES, EdgeKind.ACCESSES) and use.role == Role.READ

    def _doubt(self, use: Reference) -> str:
        """Why a use may be none that has to be edited."""
        if use.ambiguous:
            return AMBIGUOUS
        if use.confidence < SURE:
            return f"{use.confidence:.0%} sure"
        handed_on = self._change == "signature" and use.edge not in CALLING and self._calls_matter(self._place)
        return "handed on as a value" if handed_on else ""

    def _add_inherited_constructor(self) -> None:
        """Who makes an instance of a class below runs the constructor that it inherits."""
        owner = self._class_of_constructor()
        if owner is None:
            return
        names = constructors()
        held = [own for name in names if (own := member(self._snapshot, owner, name)) is not None]
        for own in held if owner == self._place else ():
            self.family.setdefault(own, "its constructor")
            self._add_declaration(own, "its constructor")
            self._add_uses(own, "")
        for below in all_subtypes(self._snapshot, owner):
            if all(member(self._snapshot, below, name) is None for name in names):
                for use in call_references(self._snapshot, below).uses:
                    self._add(use, self._doubt(use), certain=not self._doubt(use))

    def _class_of_constructor(self) -> SymbolRef | None:
        if is_class(self._snapshot, self._place):
            return self._place
        if not self._is_member(self._place) or self._name not in constructors():
            return None
        return SymbolRef(self._place.file, class_around(self._snapshot.facts(self._place.file), self._place.definition))

    def _add_member_uses(self) -> None:
        """What is done with instances of a class that goes."""
        facts = self._snapshot.facts(self._place.file)
        table = facts.definitions
        inside = range(table.full_start[self._place.definition], table.full_end[self._place.definition])
        for row in range(len(table)):
            if class_around(facts, row) == self._place.definition:
                for use in references(self._snapshot, SymbolRef(self._place.file, row)).uses:
                    if use.file != self._place.file or use.start not in inside:
                        self._add(use, f"uses {name_of(facts, row)} of it", certain=False)

    def _add(self, use: Reference, why: str, *, certain: bool) -> None:
        known = self._found.get((use.file, use.start))
        if known is None or (certain and not known.certain):
            owner = use.owner if not use.binding else NONE
            self._found[use.file, use.start] = PlannedSite(use.file, use.start, owner, certain, why)

    # ---------------------------------------------------------------- what a use is

    def _spells_name(self, use: Reference) -> bool:
        uses = self._snapshot.facts(use.file)
        spelled = uses.strings[uses.occurrences.name[use.row]]
        # A module is written as its dotted name; what was imported under another name keeps it.
        return self._place.definition == NONE or spelled == self._name or self._is_called_so(use.file, spelled)

    def _is_called_so(self, path: FilePath, spelled: str) -> bool:
        """Whether code of another language calls the symbol by this name: `total` for `getTotal`."""
        known = self._snapshot.capabilities(self._place.file)
        there = self._snapshot.shards[path].language
        if known is None or known.interop_names is None or not known.is_named_otherwise(there, self._kind(self._place)):
            return False
        return spelled in known.interop_names(self._name)

    def _is_qualified(self, use: Reference) -> bool:
        """Behind a dot it is reached through the module that it leaves."""
        if self._is_member(self._place):
            return False
        text = self._snapshot.text(use.file) or b""
        return text[: use.start].rstrip()[-1:] == b"." if use.start <= len(text) else False

    def _name_of(self, place: SymbolRef) -> str:
        return "" if place.definition == NONE else name_of(self._snapshot.facts(place.file), place.definition)

    def _is_member(self, place: SymbolRef) -> bool:
        return place.definition != NONE and class_around(self._snapshot.facts(place.file), place.definition) != NONE

    def _calls_matter(self, place: SymbolRef) -> bool:
        return self._kind(place) in CALLABLE or is_class(self._snapshot, place)

    def _kind(self, place: SymbolRef) -> int:
        if place.definition == NONE or not self._snapshot.shards[place.file].language:
            return NONE
        return self._snapshot.facts(place.file).definitions.kind[place.definition]


def count_by_file(tests: tuple[AffectedNode, ...]) -> Mapping[FilePath, int]:
    """Files of tests with how many are in each, in the order of the tests."""
    counts: dict[FilePath, int] = {}
    for path in _files(tests):
        counts[path] = counts.get(path, 0) + 1
    return counts


def _files(tests: tuple[AffectedNode, ...]) -> Iterator[FilePath]:
    for one in tests:
        if not isinstance(one.node, str):
            yield one.node.file
