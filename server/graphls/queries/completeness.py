"""Completeness: whether an answer holds all that it claims to hold, and what it may lack.

Owns: the causes for which something may be missing, how often each applies, the sites behind them.
Must not know: how an answer was found, protocols, words for people.
Invariant: the same claim about the same snapshot has the same gaps on every face; a gap is counted in full or not at
    all.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import Role
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.file_edges import ends_of
from graphls.graph.memo import MemoTable
from graphls.graph.mentions import files_mentioning
from graphls.graph.nodes import owners_of
from graphls.graph.open_names import KINDS, OpenKind, open_rows, outside_module, packed_number, same_name
from graphls.graph.open_view import open_names
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, has_stand_ins, is_spent, spend, spent_reason
from graphls.graph.snapshot import UNLISTED, Snapshot, SymbolRef
from graphls.graph.unread_words import unread_files
from graphls.languages.registry import constructors
from graphls.queries.declared_above import uses_of_declarations_above
from graphls.queries.implicit_calls import runs_unnamed
from graphls.queries.left_out_uses import left_out_uses
from graphls.queries.outside_bases import OutsideBase, outside_base
from graphls.queries.outside_names import may_be_inside
from graphls.queries.partly_read_uses import uses_in_stretches, words_inside
from graphls.queries.rows import class_around, name_of, rows_between, string_index
from graphls.queries.visible import Visible, visible

if TYPE_CHECKING:
    from graphls.graph.computed_names import ComputedName
    from graphls.graph.evidence import RawEdge
    from graphls.graph.unread_uses import UnreadUse


class Cause(StrEnum):
    """Why something may be missing. The values are the words on the wire; the list is closed."""

    UNKNOWN_RECEIVER = "unknown_receiver"
    """A member of a value whose type is not known, or that has no such member as far as is known; or one that leads to
    what a class above declares, while what was asked about only assigns it."""
    UNBOUND_NAME = "unbound_name"
    """A plain name that nothing binds."""
    STRING = "string"
    """A string that spells the name, or is put together so that it may, where code looks names up by strings."""
    UNRESOLVED_IMPORT = "unresolved_import"
    """A name from a module that was not found, and that may be one of the workspace."""
    STEP_LIMIT = "step_limit"
    """Resolving the use took too many steps."""
    CANDIDATES = "too_many_candidates"
    """More things may be meant than are told apart."""
    FAILED_LINKS = "failed_links"
    """The file could not be resolved at all."""
    UNREAD = "unread_files"
    """A word in a file that no language reads, where such files name code: notebooks, templates, configuration; or in
    code that was not read in full, as it is nested too deeply or was not understood."""
    VALUE = "passed_value"
    """A callable that is handed on as a value, so that whoever has the value may call it; only for questions about
    calls."""
    IMPLICIT = "implicit_calls"
    """Constructs that run a method without naming it (`len(x)`, `with x:`), on values whose type is not known; nobody
    counts them."""
    OUTSIDE = "used_outside"
    """A class outside the workspace declares the member as well, or is not read and may: code outside may use it, and
    nobody counts that."""
    SPELLED = "spelled_in_code"
    """An entry of a document: code may spell its name in strings, and nobody counts that."""
    RANKING = "ranking"
    """What belongs to a task is judged by rank: how much is linked to what was asked for and not shown, 0 where nobody
    can count it."""
    LIMIT = "limit"
    """The answer was cut; how much is left out, 0 where that was not counted."""
    UNLINKED = "unlinked_files"
    """Files that are not linked yet and may use it under names that nobody followed: it has too many."""
    UNLISTED = "unread_folders"
    """Folders, among them whole repositories of the workspace, that could not be listed: nobody knows what is in
    them."""
    PENDING = "pending"
    """Files that changed and are not read yet."""
    NOT_SEARCHED = "not_searched"
    """Nothing was found by a name, and names that are local to functions are searched only as a whole."""
    TIME_LIMIT = "time_limit"
    """The request took all the time that one request may take, and ended with what it had."""
    EARLIER = "earlier_calls"
    """Calls that a search had no time to find are those of the state before the last edits: some may no longer be
    there."""
    FAILED_RULES = "failed_rules"
    """Rules that could not be applied, or did not finish: what they would have found is not there."""
    MEMORY_LIMIT = "memory_limit"
    """The server is at its limit of memory: what takes more work is not answered."""


_CAUSES: Final[Mapping[int, Cause]] = {
    OpenKind.RECEIVER: Cause.UNKNOWN_RECEIVER,
    OpenKind.NAME: Cause.UNBOUND_NAME,
    OpenKind.STRING: Cause.STRING,
    OpenKind.IMPORT: Cause.UNRESOLVED_IMPORT,
    OpenKind.LIMIT: Cause.STEP_LIMIT,
    OpenKind.FAILED: Cause.FAILED_LINKS,
    OpenKind.CANDIDATES: Cause.CANDIDATES,
    OpenKind.OUTSIDE: Cause.UNRESOLVED_IMPORT,
    OpenKind.KEY: Cause.UNKNOWN_RECEIVER,
}
_SPENT: Final[Mapping[str, Cause]] = {"time": Cause.TIME_LIMIT, "memory": Cause.MEMORY_LIMIT}
SITES: Final = frozenset({*_CAUSES.values(), Cause.UNREAD})
"""Causes that are counted in uses: each has a place in the code."""
_ORDER: Final = {cause: number for number, cause in enumerate(Cause)}
_HIDDEN: Final = ("_", "#")
"""How names of members begin that a class does not share by custom."""
_MEMO: Final = MemoTable["tuple[str, str]", "Sequence[int]"]("open uses by name")


UseSite: TypeAlias = "tuple[FilePath, int]"
"""A file and where in it a name begins."""


@attrs.frozen
class CoverageClaim:
    """What an answer says it holds all of."""

    uses_of: tuple[SymbolRef, ...] = ()
    """Places all of whose uses are in it."""
    uses_in: tuple[SymbolRef, ...] = ()
    """Places of which it has all that they use."""
    entries: tuple[DerivedNode, ...] = ()
    """Entries of documents all of whose uses in documents are in it."""
    shown: frozenset[UseSite] = frozenset()
    """Uses that the answer has an edge for, which links may leave open: what flows to them is possible."""


def sites_of(edges: Iterable[RawEdge]) -> frozenset[UseSite]:
    """Where the code spells the edges."""
    return frozenset((path, start) for edge in edges for path, start, _ in edge.sites)


def union_of(claims: Iterable[CoverageClaim]) -> CoverageClaim:
    """What several parts of one answer say together."""
    parts = tuple(claims)
    return CoverageClaim(
        tuple(dict.fromkeys(place for claim in parts for place in claim.uses_of)),
        tuple(dict.fromkeys(place for claim in parts for place in claim.uses_in)),
        tuple(dict.fromkeys(entry for claim in parts for entry in claim.entries)),
        frozenset(site for claim in parts for site in claim.shown),
    )


@attrs.frozen
class Gap:
    """One cause. `direction`: `in` for uses of what was asked about, `out` for uses inside of it. `shown`: those of the
    `count` that the answer has as possible."""

    cause: Cause
    direction: Literal["in", "out"]
    count: int
    shown: int = 0


@attrs.frozen
class Completeness:
    """What an answer may lack: nothing where there are no gaps."""

    gaps: tuple[Gap, ...] = ()

    def along(self, *gaps: Gap) -> Completeness:
        """With further gaps, as far as they count anything."""
        more = tuple(gap for gap in gaps if gap.count)
        return Completeness((*self.gaps, *more)) if more else self

    @property
    def sites(self) -> int:
        """Uses that may belong to the answer."""
        return sum(gap.count for gap in self.gaps if gap.cause in SITES)

    @property
    def incoming_sites(self) -> int:
        """Those that may be uses of what was asked about."""
        return sum(gap.count for gap in self.gaps if gap.direction == "in" and gap.cause in SITES)


def rules_that_failed(number: int) -> Completeness:
    """That of findings, of which some rules have none to show because they could not be applied."""
    return Completeness().along(Gap(Cause.FAILED_RULES, "in", number))


@attrs.frozen
class OpenSite:
    """A use that may belong to an answer."""

    file: FilePath
    row: int
    """Of Occurrences, -1 in a file that no language reads."""
    start: int
    end: int
    """Bytes."""
    name: str
    cause: Cause
    direction: Literal["in", "out"]
    owner: int
    """Definition around it, -1 for the module."""


@attrs.frozen(kw_only=True)
class OpenUse:
    """A use that may belong to an answer; line and column count from 1. `candidates`: symbols that it may mean, none
    where there are more than five; `candidate_count`: how many there are."""

    cause: str
    direction: Literal["in", "out"]
    name: str
    file: str
    line: int
    column: int
    text: str
    """Its line of code, capped."""
    owner: str
    """Symbol around it."""
    candidates: tuple[str, ...]
    candidate_count: int


_BEFORE_WORDS: Final = 0.92
"""Part of the time of a request in which it is counted what an answer lacks."""
COMPLETE: Final = Completeness()
NOTHING_CLAIMED: Final = CoverageClaim()


def completeness(snapshot: Snapshot, claim: CoverageClaim) -> Completeness:
    """What an answer with this claim may lack. Of a request whose budget is spent, but for what it takes to put two
    thousand nodes into words, that alone is known."""
    if not spent_reason():
        with contextlib.suppress(BudgetSpentError), PartOfBudget(_BEFORE_WORDS):
            return _completeness(snapshot, claim)
    return Completeness(spent_gaps())


def spent_gaps() -> tuple[Gap, ...]:
    """What the budget of the present request left out; nobody knows how much."""
    reason = spent_reason()
    stand_ins = (Gap(Cause.EARLIER, "in", 0),) if has_stand_ins() else ()
    return (Gap(_SPENT[reason], "in", 0), *stand_ins) if reason else ()


def _completeness(snapshot: Snapshot, claim: CoverageClaim) -> Completeness:
    found: Counter[tuple[Literal["in", "out"], Cause]] = Counter()
    seen = _visible(snapshot, claim.uses_of)
    name_numbers: dict[str, set[int]] = {}
    for (language, name), kinds in _names(snapshot, seen).items():
        name_numbers.setdefault(language, set()).add(packed_number(name, 0))
        for kind, count in enumerate(open_counts(snapshot, language, name)):
            if count and kind in kinds:
                found["in", _CAUSES[kind]] += count
    found.update(("in", _CAUSES[kind]) for _, _, kind in _calls_of_names(snapshot, seen))
    found["in", Cause.UNKNOWN_RECEIVER] += sum(1 for _ in uses_of_declarations_above(snapshot, seen))
    for place in seen:
        for kind in _own_binding(snapshot, place, seen[place]):
            found["in", _CAUSES[kind]] -= 1
    for place in dict.fromkeys(claim.uses_in):
        # A use inside that spells a name which was asked about is counted already.
        for number in _owned_numbers(snapshot, place, name_numbers):
            found["out", _CAUSES[number & (KINDS - 1)]] += 1
    if any(_has_more_names(snapshot, place) for place in seen):
        found["in", Cause.UNLINKED] = len(snapshot.not_linked())
    computed = len(_computed(snapshot, seen))
    if computed:
        found["in", Cause.STRING] += computed
    found["in", Cause.UNLISTED] = unread_folders(snapshot) * bool(seen)
    words = chain(uses_in_stretches(snapshot, seen), left_out_uses(snapshot, seen))
    found["in", Cause.UNREAD] = len(_unread(snapshot, seen)) + sum(1 for _ in words)
    found["out", Cause.UNREAD] = sum(1 for _ in words_inside(snapshot, claim.uses_in))
    shown = _shown(snapshot, claim.shown, seen) if claim.shown else Counter[Cause]()
    gaps = [
        Gap(cause, direction, count, min(shown[cause], count) if direction == "in" else 0)
        for (direction, cause), count in found.items()
        if count > 0
    ]
    if any(runs_unnamed(snapshot, place) for place in seen):
        gaps.append(Gap(Cause.IMPLICIT, "in", 0))
    if any(used_outside(snapshot, place) is not None for place in seen):
        gaps.append(Gap(Cause.OUTSIDE, "in", 0))
    gaps += (Gap(Cause.SPELLED, "in", 0) for _ in claim.entries[:1])
    return Completeness(tuple(sorted(gaps, key=lambda gap: (gap.direction, _ORDER[gap.cause]))))


def _shown(snapshot: Snapshot, sites: Set[UseSite], seen: Mapping[SymbolRef, Visible]) -> Counter[Cause]:
    """How many of the open uses that may mean a place are among these sites."""
    shown: Counter[Cause] = Counter()
    files = {path for path, _ in sites}
    for (language, name), kinds in _names(snapshot, seen).items():
        for path in files:
            if snapshot.shards[path].language == language:
                starts = snapshot.facts(path).occurrences.start
                rows = (kind for row, kind in _rows_spelling(snapshot, path, name) if (path, starts[row]) in sites)
                shown.update(_CAUSES[kind] for kind in rows if kind in kinds)
    return shown


def unread_folders(snapshot: Snapshot) -> int:
    """How many folders, or whole repositories, are in the workspace and could not be listed."""
    return sum(1 for one in snapshot.skipped if one.reason.startswith(UNLISTED))


def open_sites(snapshot: Snapshot, claim: CoverageClaim) -> Iterator[OpenSite]:
    """The uses behind the gaps that the answer does not show as possible, those of what was asked about first, each by
    file and position; of the files that a request has the time for."""
    seen: set[tuple[FilePath, int]] = set()
    asked = _visible(snapshot, claim.uses_of)
    own = {
        (place.file, snapshot.facts(place.file).definitions.start[place.definition])
        for place in asked
        if place.definition != NONE
    }
    incoming = [
        (path, row, kind)
        for (language, name), kinds in _names(snapshot, asked).items()
        for path in snapshot.files_with_name(name)
        if snapshot.shards[path].language == language and not is_spent()
        for row, kind in _rows_spelling(snapshot, path, name)
        if kind in kinds and (path, snapshot.facts(path).occurrences.start[row]) not in own
    ]
    incoming += _calls_of_names(snapshot, asked)
    incoming += ((path, row, OpenKind.RECEIVER) for path, row in uses_of_declarations_above(snapshot, asked))
    for path, row, kind in sorted(incoming):
        seen.add((path, row))
        if not claim.shown or (path, snapshot.facts(path).occurrences.start[row]) not in claim.shown:
            yield _site(snapshot, path, row, kind, "in")
    for use, name in sorted(_computed(snapshot, asked).items(), key=lambda item: (item[0].file, item[0].start)):
        yield OpenSite(use.file, NONE, use.start, use.end, name, Cause.STRING, "in", NONE)
    for use, name in sorted(_unread(snapshot, asked).items(), key=lambda item: (item[0].file, item[0].start)):
        yield OpenSite(use.file, NONE, use.start, use.end, name, Cause.UNREAD, "in", NONE)
    for path, start, word in sorted(chain(uses_in_stretches(snapshot, asked), left_out_uses(snapshot, asked))):
        yield OpenSite(path, NONE, start, start + len(word.encode()), word, Cause.UNREAD, "in", NONE)
    for path, start, word in sorted(words_inside(snapshot, claim.uses_in)):
        yield OpenSite(path, NONE, start, start + len(word.encode()), word, Cause.UNREAD, "out", NONE)
    for place in dict.fromkeys(claim.uses_in):
        for row, kind in _rows_inside(snapshot, place):
            if (place.file, row) not in seen:
                yield _site(snapshot, place.file, row, kind, "out")


def used_outside(snapshot: Snapshot, place: SymbolRef) -> OutsideBase | None:
    """The class outside through which code outside may use a member without naming it as the workspace does."""
    base = outside_base(snapshot, place)
    if base is None or runs_unnamed(snapshot, place):
        return None
    name = name_of(snapshot.facts(place.file), place.definition)
    hidden = base.how == "unread" and name.startswith(_HIDDEN)
    return None if hidden or name in constructors() else base


def _calls_of_names(snapshot: Snapshot, seen: Mapping[SymbolRef, Visible]) -> Iterator[tuple[FilePath, int, int]]:
    """File, row and OpenKind of the open uses that call something by a name which only calls mean."""
    wanted = {(snapshot.shards[place.file].language, how.called) for place, how in seen.items() if how.called}
    for language, name in sorted(wanted):
        for path in snapshot.files_with_name(name):
            if snapshot.shards[path].language == language:
                spend()
                roles = snapshot.facts(path).occurrences.role
                rows = _rows_spelling(snapshot, path, name)
                yield from ((path, row, kind) for row, kind in rows if roles[row] == Role.CALL)


def open_counts(snapshot: Snapshot, language: str, name: str) -> Sequence[int]:
    """Uses of a name, in files of one language, that may mean anything called so; by OpenKind."""
    # Seeds of one question share their names, and so do the questions about one place.
    memo = _MEMO.of(snapshot)
    known = memo.get((language, name))
    if known is None:
        number = packed_number(name, 0)
        total = snapshot.own_open_counts(language, number) if number in snapshot.defined_names(language) else None
        # A checker only takes away from these.
        sure = total is not None and (snapshot.verification is None or not any(total))
        known = memo[language, name] = total if total is not None and sure else _sum_counts(snapshot, language, name)
    return known


def _sum_counts(snapshot: Snapshot, language: str, name: str) -> Sequence[int]:
    found = [0] * KINDS
    for path in snapshot.files_with_name(name):
        if snapshot.shards[path].language == language:
            spend()
            for kind, count in enumerate(_counts(snapshot, path, name)):
                found[kind] += count
    return found


def _counts(snapshot: Snapshot, path: FilePath, name: str) -> Sequence[int]:
    names = open_names(snapshot, path)
    found = [0] * KINDS
    if names is None:
        for _, kind in _rows_spelling(snapshot, path, name):
            found[kind] += 1
        return found
    doubtful = [count for module, count in names.outside_of(name) if may_be_inside(snapshot, path, module)]
    found[:] = names.counts(name)
    found[OpenKind.OUTSIDE] = sum(doubtful)
    return found


def _visible(snapshot: Snapshot, places: Iterable[SymbolRef]) -> Mapping[SymbolRef, Visible]:
    """The names that uses of places spell."""
    code_places = (place for place in dict.fromkeys(places) if snapshot.shards[place.file].language)
    return {place: visible(snapshot, place) for place in code_places}


def _names(snapshot: Snapshot, seen: Mapping[SymbolRef, Visible]) -> Mapping[tuple[str, str], Set[int]]:
    """All of these names by language, with the kinds of uses that count."""
    found: dict[tuple[str, str], Set[int]] = {}
    for place, how in seen.items():
        for name in how.names:
            key = snapshot.shards[place.file].language, name
            found[key] = found.get(key, frozenset()) | how.kinds
    return found


def _computed(snapshot: Snapshot, seen: Mapping[SymbolRef, Visible]) -> Mapping[ComputedName, str]:
    """Places that look up a name which they put together and that one of the places may have."""
    # Neither these patterns nor those of unread files are loaded by who only says how fresh a graph is.
    from graphls.graph.computed_names import computed_uses

    found: dict[ComputedName, str] = {}
    for place, how in seen.items():
        if place.definition != NONE:
            for name in how.names:
                found.update((use, name) for use in computed_uses(snapshot, place.file, name))
    return found


def _own_binding(snapshot: Snapshot, place: SymbolRef, how: Visible) -> Iterator[int]:
    """The kind of the open use that binds the place itself: the key of a pattern that takes an unknown value apart."""
    if place.definition == NONE or not how.names:
        return
    facts = snapshot.facts(place.file)
    start, starts = facts.definitions.start[place.definition], facts.occurrences.start
    rows = [
        row
        for row in rows_between(starts, start, start + 1)
        if facts.strings[facts.occurrences.name[row]] == how.names[0]
    ]
    if rows:
        left = open_rows(facts, snapshot.links_at(place.file, rows), rows)
        yield from (kind for _, kind in left if kind in how.kinds)


def _unread(snapshot: Snapshot, seen: Mapping[SymbolRef, Visible]) -> Mapping[UnreadUse, str]:
    """Uses in files that no language reads, with the names of what they may mean."""
    if not seen or not unread_files(snapshot):
        return {}
    from graphls.graph.unread_uses import unread_uses

    found: dict[UnreadUse, str] = {}
    for place, how in seen.items():
        for use in unread_uses(snapshot, place, how.names):
            found.setdefault(use, how.names[0])
    return found


def _has_more_names(snapshot: Snapshot, place: SymbolRef) -> bool:
    if not snapshot.shards[place.file].language or not snapshot.not_linked():
        return False
    return files_mentioning(snapshot, place, ends_of(snapshot, place)).cut


def is_member(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is reached through a receiver, which may be unknown."""
    return place.definition != NONE and class_around(snapshot.facts(place.file), place.definition) != NONE


def _rows_spelling(snapshot: Snapshot, path: FilePath, name: str) -> Iterator[tuple[int, int]]:
    """Open uses of a name in a file, each with its OpenKind."""
    facts = snapshot.facts(path)
    number = string_index(facts, name)
    rows = list(rows_with(facts.occurrences.name, number)) if number != NONE else []
    if rows:
        links = snapshot.links_at(path, rows)
        for row, kind in open_rows(facts, links, rows):
            if kind != OpenKind.OUTSIDE or may_be_inside(snapshot, path, outside_module(links, row)):
                yield row, kind


def _owned_numbers(snapshot: Snapshot, place: SymbolRef, name_numbers: Mapping[str, Set[int]]) -> Iterator[int]:
    """Numbers of the open uses inside a place that may mean something of the workspace."""
    language = snapshot.shards[place.file].language
    if not language:
        return
    besides, defined = name_numbers.get(language, frozenset()), snapshot.defined_names(language)
    names = open_names(snapshot, place.file)
    if names is not None:
        numbers: Iterable[int] = names.of(place.definition)
    else:
        facts = snapshot.facts(place.file)
        strings, uses = facts.strings, facts.occurrences.name
        numbers = [packed_number(strings[uses[row]], kind) for row, kind in _rows_owned(snapshot, place)]
    for number in numbers:
        name = same_name(number)
        if name in defined and name not in besides:
            yield number


def _rows_inside(snapshot: Snapshot, place: SymbolRef) -> Iterator[tuple[int, int]]:
    """The same as rows, each with its OpenKind."""
    language = snapshot.shards[place.file].language
    if language:
        facts, defined = snapshot.facts(place.file), snapshot.defined_names(language)
        for row, kind in _rows_owned(snapshot, place):
            if packed_number(facts.strings[facts.occurrences.name[row]], 0) in defined:
                yield row, kind


def _rows_owned(snapshot: Snapshot, place: SymbolRef) -> Iterator[tuple[int, int]]:
    """Open uses that belong to a place, and not to something inside of it."""
    facts = snapshot.facts(place.file)
    owners = owners_of(facts, place.definition)
    rows = [row for row, owner in enumerate(facts.occurrences.owner) if owner in owners]
    found = open_rows(facts, snapshot.links_at(place.file, rows), set(rows)) if rows else ()
    yield from ((row, kind) for row, kind in found if kind != OpenKind.OUTSIDE)


def _site(snapshot: Snapshot, path: FilePath, row: int, kind: int, direction: Literal["in", "out"]) -> OpenSite:
    facts = snapshot.facts(path)
    uses = facts.occurrences
    name = facts.strings[uses.name[row]]
    return OpenSite(path, row, uses.start[row], uses.end[row], name, _CAUSES[kind], direction, uses.owner[row])
