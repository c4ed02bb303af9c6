"""Find: symbols of the workspace by name.

Owns: exact, prefix and fuzzy matching, the order of matches; when a text is taken for words (see `find_words`).
Must not know: LSP types, URIs, positions of the client.
Invariant: the order is a function of the snapshot and the request; every match has a range.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DIAGNOSTIC, DerivedNode
from graphls.graph.diagnoses import diagnostics_of
from graphls.graph.identity import diagnostic_name
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import qualified_name
from graphls.graph.partly_read import files_with_unread_word, unread_words_at
from graphls.graph.request_budget import is_spent_to, spend, spent_reason, until_spent
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, Next
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.find_documents import SAME_NAME, declared_like
from graphls.queries.find_filter import HEADING, NO_FILTER, FindFilter
from graphls.queries.find_locals import local_declarations, spellings
from graphls.queries.find_words import by_words, words_of
from graphls.queries.findable import FindableNames, blocks_of, names_in, takes_line
from graphls.queries.rows import TYPES, written_name

Mode = Literal["exact", "prefix", "fuzzy"]
MAX_TEXT = 200
QUALITIES: Final = ("exact", "case", "prefix", "humps", "inside", "scattered", "words", "someWords")
"""`words`: all words of the text are in the name, around it or in its documentation; `someWords`: most of them are."""
_SAME_NAME, _SCATTERED_QUALITY = QUALITIES.index("case"), QUALITIES.index("scattered")
_SEVERAL: Final = 2
_WORDS, _SOME_WORDS = QUALITIES.index("words"), QUALITIES.index("someWords")

_ORDER = {
    DefinitionKind.CLASS: 0,
    DefinitionKind.INTERFACE: 0,
    DefinitionKind.ENUM: 0,
    DefinitionKind.TYPE_ALIAS: 0,
    DefinitionKind.FUNCTION: 1,
    DefinitionKind.METHOD: 2,
    DefinitionKind.PROPERTY: 2,
}
_ORDERS: Mapping[int, int] = {int(kind): order for kind, order in _ORDER.items()}
_SCATTERED = 2
"""Texts of this length and shorter are not looked for letter by letter."""
_HUMP = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])|[^A-Za-z0-9]")


@attrs.frozen
class FindQuery:
    """What to look for. `container.name` asks for members of a container."""

    text: str
    mode: Mode = "fuzzy"
    only: FindFilter = NO_FILTER
    limit: int = 100
    locals: bool = False
    """Also what functions declare under the very name, where others that can be seen from outside have it too."""
    documents: bool = False
    """Also what schemas declare: tables, messages, types."""


@attrs.frozen
class SymbolMatch:
    """One symbol found. `quality`: index of QUALITIES."""

    place: SymbolRef
    name: str
    kind: DefinitionKind
    container: str
    quality: int


@attrs.frozen
class SymbolMatches:
    """Best matches first."""

    matches: tuple[SymbolMatch, ...]
    total: int
    derived: tuple[DerivedNode, ...] = ()
    """Behind the symbols: routes, tools, tests where a request names these kinds, else what schemas declare."""
    whole: bool = True
    """Nothing else fits as well: false where only some of the words were found, or not all was looked at."""
    listed: bool = False
    """Everything of kinds that no name binds was looked at: that there is none is known."""

    @property
    def partial(self) -> bool:
        """The matches have most of the words that were asked for, none has all."""
        return any(match.quality == _SOME_WORDS for match in self.matches[:1])

    @property
    def coverage(self) -> Coverage:
        """Whether there may be more: where nothing is found, names that are not searched may fit."""
        omitted = max(self.total - len(self.matches) - len(self.derived), 0)
        gaps = () if (self.total or self.listed) and self.whole else (Gap(Cause.NOT_SEARCHED, "in", 0),)
        return Coverage(truncated=omitted > 0, omitted=omitted, completeness=Completeness(gaps))

    @property
    def next_step(self) -> Next:
        """What to do with the answer."""
        return (
            Next()
            if self.total
            else Next("outside", reason="no name in the workspace is like that, and no local one is spelled so")
        )


_STEP = 100
"""Names that may match for one step of a request's work."""
_PART_OF_NAMES, _PART_OF_MATCHES, _FEW = 0.6, 0.75, 50
"""Of a request: up to which names are compared, and up to which those that match are looked up; how many take next to
nothing."""
_Line: TypeAlias = tuple[FilePath, FindableNames, int, bool]
_Rank: TypeAlias = tuple[int, bool, int, int, int, str, FilePath, int]
"""Quality, whether a tool or somebody else made the file,
order of the kind, whether it is nested, length of the name, name, file, row of the surface's symbols."""


def find(snapshot: Snapshot, query: FindQuery) -> SymbolMatches:
    """Symbols whose names match, best first. Locals of functions are found by their whole name, parameters never."""
    text = query.text.strip()[:MAX_TEXT]
    if query.only.derived:
        return _with_derived(snapshot, query, text)
    found = _symbols(snapshot, query, text)
    name = text.replace(":", ".").rpartition(".")[2]
    unread = any(unread_words_at(snapshot, path, name) for path in files_with_unread_word(snapshot, name))
    # Another of this name may be declared where code was not read in full.
    found = attrs.evolve(found, whole=False) if unread else found
    return _with_documents(snapshot, query, text, found) if query.documents else found


def _with_documents(snapshot: Snapshot, query: FindQuery, text: str, found: SymbolMatches) -> SymbolMatches:
    """With what schemas declare. However many symbols are like the text, what is called so itself is shown."""
    declared, whole = declared_like(snapshot, text, query.mode, query.only)
    same = sum(quality <= SAME_NAME for quality, _ in declared)
    room = max(query.limit - len(found.matches), min(same, query.limit // 2))
    shown = tuple(node for _, node in declared[:room])
    return attrs.evolve(
        found,
        matches=found.matches[: query.limit - len(shown)],
        total=found.total + len(declared),
        derived=shown,
        whole=found.whole and whole,
    )


def _with_derived(snapshot: Snapshot, query: FindQuery, text: str) -> SymbolMatches:
    low = text.lower()
    named = [
        node
        for node in until_spent(_derived_nodes(snapshot, query.only))
        if query.only.takes_derived(snapshot, node)
        and (_names(node, low) if query.mode == "fuzzy" else _begins(node, low, whole=query.mode == "exact"))
    ]
    symbols = _symbols(snapshot, query, text) if query.only.symbols else SymbolMatches((), 0)
    left = max(query.limit - len(symbols.matches), 0)
    listed = query.only.derived == frozenset((DIAGNOSTIC,)) and not spent_reason()
    return SymbolMatches(symbols.matches, symbols.total + len(named), tuple(named[:left]), symbols.whole, listed)


def _derived_nodes(snapshot: Snapshot, only: FindFilter) -> Iterator[DerivedNode]:
    """Derived nodes of the files that may have those that are asked for."""
    if DIAGNOSTIC in only.derived:
        for path in snapshot.shards:
            if only.takes_file(snapshot, path):
                yield from diagnostics_of(snapshot, path)
    if snapshot.derivation is None or only.derived == frozenset((DIAGNOSTIC,)):
        return
    headings = only.derived == frozenset((HEADING,))
    for path, shard in snapshot.shards.items():
        # What code declares takes much more work than what a document does.
        if only.takes_file(snapshot, path) and not (headings and shard.language):
            yield from snapshot.derivation.nodes(snapshot, path)


def _names(node: DerivedNode, low: str) -> bool:
    """Whether a text, or each of its words, is part of a name."""
    name = diagnostic_name(node).lower() if node.kind == DIAGNOSTIC else node.name.lower()
    return low in name or all(word in name for word in low.split())


def _begins(node: DerivedNode, low: str, *, whole: bool) -> bool:
    """Whether a name, or the path of a route behind its method, is or begins with a text."""
    names = (node.name.lower(), node.name.lower().partition(" ")[2])
    return low in names if whole else any(name.startswith(low) for name in names)


def _symbols(snapshot: Snapshot, query: FindQuery, text: str) -> SymbolMatches:
    """By the text as a name; several words, or what no name is like, by words. What functions declare inside
    themselves is looked for where nothing that other files can see is called exactly so."""
    found = _find_by_name(snapshot, query, text)
    if not query.locals and any(match.quality <= _SAME_NAME for match in found.matches[:1]):
        return found
    container, _, name = text.replace(":", ".").rpartition(".")
    # Who writes the beginning of a name sees what others see.
    if query.mode != "prefix" and name.replace("$", "_").isidentifier():
        found = _with_locals(snapshot, query, found, (name,), container)
    words = words_of(text) if query.mode != "exact" and not found.matches else ()
    if len(words) < _SEVERAL:
        return found
    found = _find_by_words(snapshot, query, words)
    unsure = query.mode == "fuzzy" and (found.partial or not found.matches)
    return _with_locals(snapshot, query, found, spellings(words), "") if unsure else found


def _with_locals(
    snapshot: Snapshot, query: FindQuery, others: SymbolMatches, names: Sequence[str], container: str
) -> SymbolMatches:
    """What functions declare under these names, before what others only resemble; variables only where no name does."""

    def wanted(place: SymbolRef) -> bool:
        return query.only.takes_file(snapshot, place.file) and query.only.takes(snapshot, place.file, place.definition)

    declared = local_declarations(snapshot, names, container, wanted)
    like = any(match.quality < _SCATTERED_QUALITY for match in others.matches[:1])
    found = [one for one in declared.found if one.lasting or not like]
    if not found:
        return attrs.evolve(others, whole=others.whole and declared.whole)
    matches = tuple(SymbolMatch(one.place, one.name, one.kind, one.container, 0) for one in found)
    if others.partial:
        return SymbolMatches(matches[: query.limit], len(matches), whole=declared.whole)
    same = [match for match in others.matches if match.quality <= _SAME_NAME]
    listed = (*same, *matches, *others.matches[len(same) :])
    return SymbolMatches(listed[: query.limit], len(matches) + others.total, whole=declared.whole)


def _find_by_words(snapshot: Snapshot, query: FindQuery, words: Sequence[str]) -> SymbolMatches:
    orders = [_ORDERS.get(kind, 3) for kind in DefinitionKind]
    ranks, whole = by_words(snapshot, words, query.only, orders)
    matches: dict[SymbolRef, SymbolMatch] = {}
    for rank in ranks:
        if len(matches) >= query.limit:
            break
        match = _match(snapshot, _SOME_WORDS if rank.missing else _WORDS, rank.path, rank.row)
        if match is not None:
            matches.setdefault(match.place, match)
    return SymbolMatches(tuple(matches.values()), len(ranks), whole=whole)


def _find_by_name(snapshot: Snapshot, query: FindQuery, text: str) -> SymbolMatches:
    container, _, name = text.replace(":", ".").rpartition(".")
    if not name:
        return SymbolMatches((), 0)
    # What begins with the text comes before all else: mostly it fills the answer, and the others need not be compared.
    found: list[_Rank] = []
    others: list[tuple[FilePath, FindableNames, int]] = []
    deferred = query.mode == "fuzzy" and len(name.lower()) > _SCATTERED
    for path, names, line, begins in until_spent(_in_steps(_lines(snapshot, query, name))):
        if not takes_line(snapshot, query.only, (path, names, line)):
            continue
        if container and not _is_member(snapshot, path, names.rows[line], (container, name)):
            continue
        if deferred and not begins:
            others.append((path, names, line))
        else:
            _add_ranks(snapshot, found, (path, names, line), name, query.mode)
    matches: dict[SymbolRef, SymbolMatch] = {}
    _take(snapshot, found, query.limit, matches)
    total = len(found) + len(others)
    if len(matches) < query.limit and others:
        found = []
        for other in others:
            _add_ranks(snapshot, found, other, name, query.mode)
        _take(snapshot, found, query.limit, matches)
    return SymbolMatches(tuple(matches.values()), max(total, len(matches)))


def _in_steps(lines: Iterator[_Line]) -> Iterator[_Line]:
    """Lines, some of which are one step of work."""
    for number, line in enumerate(lines):
        if number % _STEP == 0:
            spend()
        yield line


def _lines(snapshot: Snapshot, query: FindQuery, name: str) -> Iterator[_Line]:
    """Files with their lists, lines of these that may match, and whether the name there begins with the text."""
    pattern = _line(name, query.mode)
    if query.mode == "exact":
        for path in snapshot.files_with_name(name):
            if query.only.takes_file(snapshot, path):
                names = names_in(snapshot, path)
                for match in pattern.finditer(names.text):
                    yield path, names, bisect_right(names.starts, match.start()) - 1, True
        return
    for block in blocks_of(snapshot, query.only):
        if is_spent_to(_PART_OF_NAMES if query.limit > _FEW else _PART_OF_MATCHES):
            return
        for file, line, begins in block.matches(pattern, name.lower()):
            yield block.paths[file], block.names[file], line, begins


def _add_ranks(
    snapshot: Snapshot, found: list[_Rank], at: tuple[FilePath, FindableNames, int], text: str, mode: Mode
) -> None:
    path, names, line = at
    name = names.name(line)
    good = quality(name, text, mode)
    if good is not None:
        order = _ORDERS.get(names.kinds[line], 3)
        found.append(
            (good, comes_last(snapshot, path), order, names.nested[line], len(name), name, path, names.rows[line])
        )


def _take(snapshot: Snapshot, found: list[_Rank], limit: int, matches: dict[SymbolRef, SymbolMatch]) -> None:
    """Adds the best to the matches, until there are enough."""
    found.sort()
    for rank in found:
        if len(matches) >= limit or is_spent_to(_PART_OF_MATCHES):
            return
        good, *_, path, row = rank
        match = _match(snapshot, good, path, row)
        if match is not None:
            matches.setdefault(match.place, match)


def quality(name: str, text: str, mode: Mode) -> int | None:
    """How well a name matches, smaller is better; None when it does not."""
    if name == text:
        return 0
    if mode == "exact":
        return None
    low, want = name.lower(), text.lower()
    if low == want:
        return 1
    if low.startswith(want):
        return 2
    if mode == "prefix":
        return None
    if _humps(name, want):
        return 3
    if want in low:
        return 4
    return 5 if _is_subsequence(low, want) else None


def _humps(name: str, want: str) -> bool:
    """Whether the wanted text is made of beginnings of the name's parts, in order: `gQS` in `get_query_set`."""
    states = {0}
    for part in _HUMP.findall(name):
        low = part.lower()
        if low[0] not in want or not part[0].isalnum():
            continue
        for at in tuple(states):
            length = 0
            while at + length < len(want) and length < len(low) and want[at + length] == low[length]:
                length += 1
                states.add(at + length)
    return len(want) in states


def _is_subsequence(low: str, want: str) -> bool:
    position = 0
    for character in want:
        position = low.find(character, position) + 1
        if not position:
            return False
    return len(want) > _SCATTERED


def prepare(snapshot: Snapshot, stop: Callable[[], bool]) -> None:
    """Does beforehand what the first question would have to do, until `stop` says so."""
    for path in snapshot.files():
        if stop():
            return
        names_in(snapshot, path)
    for _ in blocks_of(snapshot):
        if stop():
            return


def _line(name: str, mode: Mode) -> re.Pattern[str]:
    """A pattern that every line of a good name matches, and that takes in the rest of the line.

    Names are in lower case but for `exact`. The letters of a fuzzy text are taken where they come first, for good: so
    a line is read once, whatever the text.
    """
    if mode == "exact":
        return re.compile(f"^{re.escape(name)}$", re.MULTILINE)
    low = name.lower()
    if mode == "prefix":
        return re.compile(f"^{re.escape(low)}[^\n]*", re.MULTILINE)
    letters = "".join(rf"[^\n{re.escape(letter)}]*+{re.escape(letter)}" for letter in low[1:])
    return re.compile(rf"{re.escape(low[0])}{letters}[^\n]*")


_SET: Final = frozenset({DefinitionKind.METHOD, DefinitionKind.FUNCTION})
_MEMBERS: Final = frozenset({DefinitionKind.METHOD, DefinitionKind.FIELD, DefinitionKind.CLASS})
"""What may be declared outside of the type that it is in."""


def _is_member(snapshot: Snapshot, path: FilePath, row: int, named: tuple[str, str]) -> bool:
    """Whether a symbol is in a container, or is declared as if it were: `User.find = function () {}` in a module."""
    container, name = named
    if _is_in_container(snapshot, path, row, container):
        return True
    surface = snapshot.surface(path)
    table = surface.symbols
    if table.kind[row] not in _SET or surface.strings[table.name[row]].lower() != name.lower():
        return False
    definition = snapshot.definition_of_symbol(path, row)
    written = written_name(snapshot.facts(path), definition) if definition != NONE else ""
    return written.lower() == f"{container}.{name}".lower()


def _is_in_container(snapshot: Snapshot, path: FilePath, row: int, container: str) -> bool:
    whole = f"{snapshot.module_name(path).dotted}.{_container(snapshot, path, row)}".rstrip(".").lower()
    low = container.lower()
    return whole == low or whole.endswith(f".{low}")


def _container(snapshot: Snapshot, path: FilePath, row: int) -> str:
    surface, names = snapshot.surface(path), list[str]()
    table, owner = surface.symbols, surface.symbols.owner[row]
    if table.kind[row] in _MEMBERS and (owner == NONE or table.kind[owner] not in TYPES):
        # Declared outside of its type: what stands before the name is in the facts alone.
        definition = snapshot.definition_of_symbol(path, row)
        return qualified_name(snapshot.facts(path), definition).rpartition(".")[0] if definition != NONE else ""
    while owner != NONE:
        names.append(surface.strings[surface.symbols.name[owner]])
        owner = surface.symbols.owner[owner]
    return ".".join(reversed(names))


def _match(snapshot: Snapshot, good: int, path: FilePath, row: int) -> SymbolMatch | None:
    definition = snapshot.definition_of_symbol(path, row)
    if definition == NONE:
        return None
    surface = snapshot.surface(path)
    dotted, inner = snapshot.module_name(path).dotted, _container(snapshot, path, row)
    return SymbolMatch(
        place=SymbolRef(path, definition),
        name=surface.strings[surface.symbols.name[row]],
        kind=DefinitionKind(surface.symbols.kind[row]),
        container=f"{dotted}:{inner}" if inner else dotted,
        quality=good,
    )
