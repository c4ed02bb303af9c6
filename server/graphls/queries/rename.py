"""Rename: the edits that give a symbol another name.

Owns: what may be renamed, the text of each edit, names that would get in each other's way.
Must not know: LSP types, disk, how uses are found.
Invariant: an edit stands on the old name, letter by letter. What is not sure to mean the symbol is an edit with a
    reason, so that someone looks at it, or the refusal says how many there are; nothing is left out silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Resolution, Role, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.derived_edges import edges_by_rules_to
from graphls.graph.edge_refs import node_of
from graphls.graph.edges import edge_refs_of_kinds
from graphls.graph.errors import GraphError
from graphls.graph.evidence import SYNTAX, TOOL_MADE
from graphls.graph.identity import symbol_name
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import symbol_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.capabilities import Capabilities
from graphls.languages.registry import constructors
from graphls.queries.change_plan import AMBIGUOUS, CONSTRUCTS, PlannedSite, planned_sites
from graphls.queries.class_names import DESTROYS, class_labels, constructed_class, names_constructors, parts_of
from graphls.queries.completeness import Cause, CoverageClaim, OpenSite, open_sites
from graphls.queries.declared_above import augmentations
from graphls.queries.documented_names import documented_parameter, linked_in_comments, listed_in_class
from graphls.queries.implicit_calls import runs_unnamed
from graphls.queries.outside_bases import outside_base
from graphls.queries.position import NameAtOffset, name_at
from graphls.queries.references import bindings, references
from graphls.queries.rename_arms import Name, NameArms
from graphls.queries.rows import class_around, name_of, rows_with, string_index
from graphls.queries.symbol import meaning_of, symbol, symbol_place
from graphls.queries.type_hierarchy import all_subtypes, all_supertypes, family, has_kin, is_class, member

_INHERITED: Final = ("overrides", "implements")
_WORDS: Final[Mapping[Cause, str]] = {
    Cause.UNKNOWN_RECEIVER: "a member of a value of unknown type",
    Cause.UNBOUND_NAME: "a name that nothing binds",
    Cause.STRING: "a string that spells the name",
    Cause.UNRESOLVED_IMPORT: "a name from a module that was not found",
    Cause.UNREAD: "a word in a file that no language reads",
    Cause.CANDIDATES: "one of many things",
}
_PLAIN: Final = frozenset({Role.READ, Role.CALL, Role.WRITE, Role.INHERIT, Role.DECORATE, Role.TYPE, Role.RENDER})
_NAMING: Final = frozenset({Role.IMPORT, Role.EXPORT, Role.KEYWORD, Role.TEXT})
_MODULE_SCOPE: Final = 0
_OUTSIDE: Final = frozenset({ScopeKind.MODULE, ScopeKind.NAMESPACE})
_MEMBERS: Final = frozenset({ScopeKind.CLASS, ScopeKind.OBJECT})
_QUOTES: Final = b"\"'`"
_WORD: Final = re.compile(rb"\w+")
_REACHES: Final = (b".", b"->", b"::")
_QUOTED: Final = (b'"', b"'", b"`")


class RenameRefused(GraphError):
    """The symbol cannot be renamed so; the sentence says why."""

    def __init__(self, message: str) -> None:
        super().__init__("graphls.renameRefused", message)


@attrs.frozen
class RenameEdit:
    """One stretch of a file and its new text. `doubt`: why someone should look at it first, "" where it is certain."""

    file: FilePath
    start: int
    end: int
    text: str
    doubt: str


@attrs.frozen
class Rename:
    """All edits, certain and possible ones, by file and position."""

    place: SymbolRef
    name: str
    edits: tuple[RenameEdit, ...]
    moved: FilePath | None = None
    """What the file of the symbol has to be called then, where it must be called like it."""

    @property
    def doubtful(self) -> int:
        """How many edits someone should look at."""
        return sum(bool(edit.doubt) for edit in self.edits)


def renamed_at(snapshot: Snapshot, path: FilePath, offset: int) -> tuple[NameAtOffset, SymbolRef]:
    """The name at a position, and what is called so. Raises RenameRefused."""
    at = name_at(snapshot, path, offset)
    if at is None:
        raise RenameRefused("No name stands here. Put the cursor on the name of a declaration or of a use.")
    found = meaning_of(snapshot, at)
    if not found.places:
        outside = f"{found.externals[0]} is declared outside the workspace" if found.externals else ""
        raise RenameRefused(f"{outside or 'What this name means is not known'}, so it cannot be renamed.")
    at, places = _of_class(snapshot, at, _bound_at(snapshot, at) or found.places)
    place = places[0]
    related = {*family(snapshot, place), *parts_of(snapshot, place)} if len(places) > 1 else set(places)
    if not related.issuperset(places):
        names = ", ".join(symbol_name(snapshot, one) for one in places[:5])
        raise RenameRefused(f"The name may mean {len(places)} things: {names}. Rename one at its declaration.")
    _refuse_fixed(snapshot, place)
    text = (snapshot.text(path) or b"")[at.start : at.end].decode("utf-8", "replace")
    if text != name_of(snapshot.facts(place.file), place.definition):
        declared = symbol_name(snapshot, place)
        raise RenameRefused(f"{text!r} is another name of {declared}. Rename that at its declaration.")
    return at, place


def _of_class(
    snapshot: Snapshot, at: NameAtOffset, places: Sequence[SymbolRef]
) -> tuple[NameAtOffset, Sequence[SymbolRef]]:
    """Where a constructor is meant and its class spelled, the class. A name begins behind the `~` of a destructor."""
    text = (snapshot.text(at.file) or b"")[at.start : at.end].decode("utf-8", "replace")
    found: dict[SymbolRef, None] = {}
    for place in places:
        cls = constructed_class(snapshot, place)
        spelled = cls is not None and name_of(snapshot.facts(cls.file), cls.definition) == text.removeprefix(DESTROYS)
        found[cls if cls is not None and spelled else place] = None
    destroys = text.startswith(DESTROYS) and found.keys().isdisjoint(places)
    return attrs.evolve(at, start=at.start + len(DESTROYS)) if destroys else at, tuple(found)


def _bound_at(snapshot: Snapshot, at: NameAtOffset) -> tuple[SymbolRef, ...]:
    """The variable that `{ x }` of a pattern binds: whoever renames there means that, not the key."""
    if at.definition == NONE or at.occurrence == NONE:
        return ()
    facts = snapshot.facts(at.file)
    table = facts.definitions
    reads = facts.occurrences.role[at.occurrence] == Role.READ and table.kind[at.definition] != DefinitionKind.IMPORT
    if not reads or facts.scopes.kind[table.scope[at.definition]] in _MEMBERS:
        return ()
    return (symbol_place(snapshot, SymbolRef(at.file, at.definition)),)


def rename(snapshot: Snapshot, place: SymbolRef, name: str) -> Rename:
    """The edits that give a symbol, and what overrides it or is overridden by it, a new name. Raises RenameRefused."""
    _refuse_fixed(snapshot, place)
    old = name_of(snapshot.facts(place.file), place.definition)
    _refuse_name(snapshot.capabilities(place.file), name)
    if old == name:
        return Rename(place, name, ())
    _refuse_short_key(snapshot, place)
    plans = [planned_sites(snapshot, one, "rename", constructs=False) for one in _declared_alike(snapshot, place)]
    sites = [site for found, _ in plans for site in found]
    kin = tuple(dict.fromkeys(one for _, family in plans for one in family))
    bases: set[str] = set()
    for one in kin:
        _refuse_fixed(snapshot, one)
        _refuse_taken(snapshot, one, name)
        bases.add(_possible_base(snapshot, one))
    doubt = next((f"{base}, which is not read, may declare it" for base in sorted(bases) if base), "")
    if not doubt and _has_twins(snapshot, kin):
        doubt = "other types have a member of this name, and the shape of types decides which are meant"
    edits, arms = _Edits(snapshot, old, name, kin), _Arms(snapshot, old, kin, sites)
    for site in sites:
        if not arms.leaves(site):
            unsure = doubt and site.why == "declaration"
            edits.add_site(attrs.evolve(site, certain=False, why=doubt) if unsure else arms.settled(site))
    edits.put(arms.edits(name))
    for one in kin:
        edits.add_edges(one)
        edits.add_augmentations(one)
    edits.add_documented()
    for open_site in open_sites(snapshot, CoverageClaim(uses_of=kin)):
        edits.add_open(open_site)
    _refuse_shadowed(snapshot, place, edits.plain_uses(), name)
    _refuse_captured(snapshot, place, name)
    return Rename(place, name, edits.ordered(), _file_of_class(snapshot, place, name))


def _file_of_class(snapshot: Snapshot, place: SymbolRef, name: str) -> FilePath | None:
    known, facts = snapshot.capabilities(place.file), snapshot.facts(place.file)
    if known is None or not known.class_names_file or not is_class(snapshot, place):
        return None
    folder, slash, base = place.file.rpartition("/")
    stem, dot, ending = base.partition(".")
    outermost = facts.scopes.kind[facts.definitions.scope[place.definition]] in _OUTSIDE
    if not outermost or stem != name_of(facts, place.definition):
        return None
    moved = FilePath(f"{folder}{slash}{name}{dot}{ending}")
    if moved in snapshot.shards:
        raise RenameRefused(f"{place.file} must be called like its class, and {moved} exists already.")
    return moved


def _refuse_fixed(snapshot: Snapshot, place: SymbolRef) -> None:
    """Of modules, of what runs without being named, and of what stands in for something outside, the name is not the
    workspace's to choose."""
    if place.definition == NONE:
        raise RenameRefused(f"{place.file} is a module: its name is that of its file. Rename the file.")
    name = name_of(snapshot.facts(place.file), place.definition)
    if not name:
        raise RenameRefused("What is declared here has no name of its own. Put the cursor on a name.")
    if name.startswith("["):
        raise RenameRefused(f"{name} is what a symbol names. Put the cursor on {name[1:-1]}, the name of the symbol.")
    table = snapshot.facts(place.file).definitions
    if table.start[place.definition] == table.end[place.definition]:
        raise RenameRefused(f"A macro writes {name}: nothing spells it where it is declared. Rename it by hand.")
    known = snapshot.capabilities(place.file)
    flags = snapshot.facts(place.file).definitions.flags[place.definition]
    if flags & DefinitionFlag.DEFAULT_EXPORT and known is not None and name in known.reserved:
        raise RenameRefused(f"{name} is a word of the language: what is exported so has no name of its own.")
    implied = known is not None and known.is_implied_name is not None and known.is_implied_name(name)
    if implied or runs_unnamed(snapshot, place) or name in constructors():
        raise RenameRefused(f"{name} is run by the language under this name.")
    if comes_last(snapshot, place.file):
        raise RenameRefused(f"{place.file} was written by a tool or comes from elsewhere.")
    # A class stands in for nothing that it implements: its name is its own.
    for ref in () if is_class(snapshot, place) else edge_refs_of_kinds(snapshot, place, _INHERITED, incoming=False):
        target = node_of(ref.target_key)
        if isinstance(target, str):
            raise RenameRefused(f"{name} stands in for {target}, which is declared outside the workspace.")


def _declared_alike(snapshot: Snapshot, place: SymbolRef) -> Sequence[SymbolRef]:
    """The place, and what else its scope declares under the name: the other arm of a condition, a type beside a value.
    Methods that are told apart by their parameters are things of their own."""
    facts, known = snapshot.facts(place.file), snapshot.capabilities(place.file)
    table, row = facts.definitions, place.definition
    if table.kind[row] == DefinitionKind.METHOD and known is not None and known.tier == "typed":
        return (place,)
    same = (
        symbol_row(facts, other) for other in rows_with(table.name, table.name[row]) if _is_sibling(facts, row, other)
    )
    return tuple(dict.fromkeys((place, *(SymbolRef(place.file, other) for other in same))))


def _is_sibling(facts: FileFacts, row: int, other: int) -> bool:
    table = facts.definitions
    # A method that is declared outside of its type shares a scope with what it has nothing to do with.
    alike = (table.kind[row] == DefinitionKind.METHOD) == (table.kind[other] == DefinitionKind.METHOD)
    return alike and table.scope[row] == table.scope[other] and table.kind[other] != DefinitionKind.IMPORT


def _refuse_short_key(snapshot: Snapshot, place: SymbolRef) -> None:
    """What reads the key `x` of `{ x }` is known as a use of the variable, which stays."""
    facts = snapshot.facts(place.file)
    start, end = facts.definitions.start[place.definition], facts.definitions.end[place.definition]
    used = next(rows_with(facts.occurrences.start, start), NONE) != NONE
    if used and _is_key(snapshot, place) and _is_short(snapshot.text(place.file) or b"", end):
        name = name_of(facts, place.definition)
        raise RenameRefused(f"{name} is a key and a variable in one. Write `{name}: {name}` first, then rename either.")


def _is_key(snapshot: Snapshot, place: SymbolRef) -> bool:
    facts = snapshot.facts(place.file)
    return facts.scopes.kind[facts.definitions.scope[place.definition]] == ScopeKind.OBJECT


def _is_short(text: bytes, end: int) -> bool:
    """Whether what stands behind a key ends it: `{ x, y = 1 }`, and neither `{ x: 1 }` nor `{ x() {} }`."""
    return text[end:].lstrip()[:1] in (b",", b"}", b"=")


def _has_twins(snapshot: Snapshot, kin: Sequence[SymbolRef]) -> bool:
    """Whether types that no declaration ties together may have the member in common, since their shape decides."""
    place = kin[0]
    known, facts = snapshot.capabilities(place.file), snapshot.facts(place.file)
    if (
        known is None
        or not known.structural
        or facts.scopes.kind[facts.definitions.scope[place.definition]] not in _MEMBERS
    ):
        return False
    name = name_of(facts, place.definition)
    for path in snapshot.files_with_name(name):
        if snapshot.shards[path].language == known.name:
            own = snapshot.facts(path)
            for row in rows_with(own.definitions.name, string_index(own, name)):
                inside = own.scopes.kind[own.definitions.scope[row]] in _MEMBERS
                if inside and SymbolRef(path, symbol_row(own, row)) not in kin:
                    return True
    return False


def _possible_base(snapshot: Snapshot, place: SymbolRef) -> str:
    """A class from outside that may declare a member of this name; "" where none can. Raises RenameRefused where it
    does."""
    base = outside_base(snapshot, place)
    name = name_of(snapshot.facts(place.file), place.definition)
    if base is not None and base.how == "declares":
        raise RenameRefused(f"{name} stands in for {base.dotted}.{name}, which is declared outside the workspace.")
    if base is not None and base.how == "looks up":
        raise RenameRefused(f"{base.dotted}, outside the workspace, looks {name} up by this name.")
    return "" if base is None else base.dotted


def _refuse_name(known: Capabilities | None, name: str) -> None:
    if not name.replace("$", "_").isidentifier() or (known is not None and name in known.reserved):
        raise RenameRefused(f"{name!r} cannot be the name of a declaration.")


def _refuse_taken(snapshot: Snapshot, place: SymbolRef, name: str) -> None:
    """Two declarations of one name in one scope, or in classes above and below, are one thing."""
    facts = snapshot.facts(place.file)
    number, scope = string_index(facts, name), facts.definitions.scope[place.definition]
    same = rows_with(facts.definitions.name, number) if number != NONE else iter(())
    taken = next((row for row in same if facts.definitions.scope[row] == scope), NONE)
    if taken != NONE:
        raise RenameRefused(f"{symbol_name(snapshot, SymbolRef(place.file, taken))} is declared there already.")
    if is_class(snapshot, place) and names_constructors(snapshot, place) and member(snapshot, place, name) is not None:
        raise RenameRefused(f"{symbol_name(snapshot, place)} has a member {name!r}, which would be called like it.")
    owner = class_around(facts, place.definition)
    if owner == NONE:
        return
    around = SymbolRef(place.file, owner)
    for other in (*all_supertypes(snapshot, around), *all_subtypes(snapshot, around)):
        if member(snapshot, other, name) is not None:
            raise RenameRefused(f"{symbol_name(snapshot, other)} has a member {name!r} already.")


def _refuse_shadowed(snapshot: Snapshot, place: SymbolRef, uses: Sequence[tuple[FilePath, int]], name: str) -> None:
    """A use must not come to mean another declaration that is nearer to it."""
    for path, row in uses:
        facts = snapshot.facts(path)
        home = facts.definitions.scope[place.definition] if path == place.file else NONE
        if any(_binds(facts, scope, name) for scope in _scopes_up_to(facts, facts.occurrences.scope[row], home)):
            line = facts.line_column(facts.occurrences.start[row])[0] + 1
            raise RenameRefused(f"{name!r} means something else already in {path}:{line}, where it would stand.")


def _refuse_captured(snapshot: Snapshot, place: SymbolRef, name: str) -> None:
    """A use of the new name, of something further out, must not come to mean what is renamed."""
    facts = snapshot.facts(place.file)
    number, home = string_index(facts, name), facts.definitions.scope[place.definition]
    if number == NONE or facts.scopes.kind[home] == ScopeKind.CLASS:
        return
    uses = facts.occurrences
    for row in rows_with(uses.name, number):
        inner = _scopes_up_to(facts, uses.scope[row], home)
        inside = inner[-1:] != [_MODULE_SCOPE] or home == _MODULE_SCOPE
        if _is_plain(facts, row) and inside and not any(_binds(facts, scope, name) for scope in inner):
            line = facts.line_column(uses.start[row])[0] + 1
            raise RenameRefused(f"{name!r} in {place.file}:{line} would come to mean what is renamed.")


def _scopes_up_to(facts: FileFacts, scope: int, home: int) -> Sequence[int]:
    """Scopes from one outwards, without `home` and what is around it."""
    found: list[int] = []
    while scope != home and scope >= 0:
        found.append(scope)
        scope = facts.scopes.parent[scope] if scope else NONE
    return found


def _binds(facts: FileFacts, scope: int, name: str) -> bool:
    number = string_index(facts, name)
    rows = rows_with(facts.definitions.name, number) if number != NONE else iter(())
    return any(facts.definitions.scope[row] == scope for row in rows)


def _is_plain(facts: FileFacts, row: int) -> bool:
    """Whether scopes decide what a use means."""
    return facts.occurrences.base[row] == NONE and facts.occurrences.role[row] in _PLAIN


class _Arms:
    """Names that several bindings of a scope give, of which the symbol is one or is brought in by one."""

    def __init__(
        self, snapshot: Snapshot, spelled: str, kin: Sequence[SymbolRef], sites: Sequence[PlannedSite]
    ) -> None:
        self._kin, self._names = kin, NameArms(snapshot, spelled)
        through = {(site.file, site.start): self._names.of_use(site.file, site.start) for site in sites if _split(site)}
        found = {name for name in through.values() if name is not None and self._names.is_shared(name, kin)}
        self._renamed = {name for name in found if any(self._names.declares(name, one) for one in kin)}
        self._kept = found - self._renamed
        self._through = {where for where, name in through.items() if name in self._renamed}
        left = {where for where, name in through.items() if name in self._kept}
        self._left = left | {(name.file, start) for name in self._kept for start in self._staying(name)}

    def _staying(self, name: Name) -> Iterator[int]:
        yield from self._names.plain_uses(name)
        yield from self._names.aliases(name)

    def leaves(self, site: PlannedSite) -> bool:
        """Whether a use goes through a name that stays."""
        return (site.file, site.start) in self._left

    def settled(self, site: PlannedSite) -> PlannedSite:
        """A use of a name that is renamed with all its bindings, whichever of them is meant."""
        sure = (site.file, site.start) in self._through
        return attrs.evolve(site, certain=True, why="") if sure else site

    def edits(self, new: str) -> Iterator[RenameEdit]:
        """Those of imports, and of uses of a renamed name that mean another binding of it."""
        for name in self._kept:
            for edit in self._names.kept_imports(name, new, self._kin):
                yield RenameEdit(edit.file, edit.start, edit.start, edit.text, "")
        for name in self._renamed:
            for start in self._names.plain_uses(name):
                yield RenameEdit(name.file, start, start, new, "")
            for edit in self._names.renamed_imports(name, new):
                yield RenameEdit(edit.file, edit.start, edit.start, edit.text, "")


def _split(site: PlannedSite) -> bool:
    return not site.certain and site.why == AMBIGUOUS


class _Edits:
    """Edits by place, each once, under the surest reason."""

    def __init__(self, snapshot: Snapshot, old: str, new: str, kin: Sequence[SymbolRef]) -> None:
        self._snapshot, self._old, self._new = snapshot, old, new
        self._spelled = old.encode()
        self._found: dict[tuple[FilePath, int], RenameEdit] = {}
        self._kin = kin
        self._members = any(has_kin(snapshot, one) or _is_key(snapshot, one) for one in kin)
        self._bound = {(use.file, use.start) for one in kin for use in bindings(snapshot, symbol(snapshot, one))}

    def add_site(self, site: PlannedSite) -> None:
        """A use or a declaration. What runs a method without naming it stays as it is, and so does a key of the same
        name that holds the symbol."""
        declares = (site.file, site.start) in self._bound
        known = declares or self._members or site.why == CONSTRUCTS or self._is_behind_itself(site)
        known = known or self._is_of_other_language(site.file)
        holders = () if known else self._reached_through(site.file, site.start)
        if holders and not any(map(self._may_take_over, holders)):
            return
        taken_over = "a member of an object that takes it over by its name" if holders else ""
        self._add(site.file, site.start, taken_over if site.certain else site.why)

    def _is_of_other_language(self, path: FilePath) -> bool:
        """Whether a use is by code of another language, which reaches the symbol through what has no place: a class
        that the machine has for a file."""
        shards = self._snapshot.shards
        return all(shards[path].language != shards[one.file].language for one in self._kin)

    def add_augmentations(self, place: SymbolRef) -> None:
        """What blocks for other modules declare under the name, which is one thing with it where they are for its."""
        for other in augmentations(self._snapshot, place):
            start = self._snapshot.facts(other.file).definitions.start[other.definition]
            self._add(other.file, start, "a block for another module declares this name")

    def _is_behind_itself(self, site: PlannedSite) -> bool:
        """Behind the name of a class its own name is its constructor's: `using A::A`."""
        text = self._snapshot.text(site.file) or b""
        return text[: site.start].endswith(self._spelled + b"::") and is_class(self._snapshot, self._kin[0])

    def _may_take_over(self, holder: SymbolRef) -> bool:
        """Whether what is before a dot may have the symbol as a member without a key that says so: objects are spread
        out where types are a matter of their shape. A key of its own stays."""
        known = self._snapshot.capabilities(holder.file)
        if known is None or not known.structural:
            return False
        if holder.definition == NONE:
            return True
        facts = self._snapshot.facts(holder.file)
        table, row = facts.definitions, holder.definition
        own = range(table.full_start[row], table.full_end[row])
        keys = rows_with(table.name, string_index(facts, self._old))
        return not any(table.start[key] in own and facts.scopes.kind[table.scope[key]] in _MEMBERS for key in keys)

    def _reached_through(self, path: FilePath, start: int) -> Sequence[SymbolRef]:
        """What is before the dot that a use stands behind, where that is no module or namespace; the file itself where
        only its value is known."""
        facts = self._snapshot.facts(path)
        uses, table = facts.occurrences, facts.expressions
        use = next(rows_with(uses.start, start), NONE)
        base = uses.base[use] if use != NONE and uses.role[use] not in _NAMING else NONE
        if base == NONE or self._is_of_module(path, use) or not self._may_stand_behind(path, start):
            return ()
        unnamed = (SymbolRef(path, NONE),)
        if table.kind[base] not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
            return unnamed
        before = next(rows_with(uses.start, table.c[base]), NONE)
        targets = self._snapshot.targets(path, before) if before != NONE else ()
        if not targets or any(self._is_namespace(target.place) for target in targets):
            return ()
        return tuple(target.place for target in targets if target.place is not None) or unnamed

    def _may_stand_behind(self, path: FilePath, start: int) -> bool:
        """Whether a value or a type may be before a use: where types are no matter of shape, a dot says so."""
        known = self._snapshot.capabilities(path)
        before = (self._snapshot.text(path) or b"")[:start].rstrip()
        return known is None or known.structural or before.endswith(_REACHES)

    def _is_of_module(self, path: FilePath, use: int) -> bool:
        """Whether what stands before the dot is a module, however it got there: `(await import("m")).x`."""
        return any(target.resolution == Resolution.IMPORT for target in self._snapshot.targets(path, use))

    def _is_namespace(self, place: SymbolRef | None) -> bool:
        if place is None or place.definition == NONE:
            return place is not None
        # An interface and a namespace may be declared under one name.
        alike = _declared_alike(self._snapshot, place)
        kinds = {self._snapshot.facts(one.file).definitions.kind[one.definition] for one in (place, *alike)}
        return not kinds.isdisjoint((DefinitionKind.NAMESPACE, DefinitionKind.IMPORT))

    def put(self, edits: Iterable[RenameEdit]) -> None:
        """Edits of known text, each on the old name; they take the place of others."""
        for edit in edits:
            end = edit.start + len(self._spelled)
            if (self._snapshot.text(edit.file) or b"")[edit.start : end] == self._spelled:
                self._found[edit.file, edit.start] = attrs.evolve(edit, end=end)

    def add_open(self, site: OpenSite) -> None:
        """A use that may mean the symbol."""
        self._add(site.file, site.start, _WORDS.get(site.cause, str(site.cause)))

    def add_documented(self) -> None:
        """What documentation says of a parameter, the lists of members of a class, and links in comments of files that
        name the symbol by itself."""
        for one in self._kin:
            documented, listed = documented_parameter(self._snapshot, one), listed_in_class(self._snapshot, one)
            for start in (*documented, *listed, *class_labels(self._snapshot, one)):
                self._add(one.file, start, "")
        files = {path for path, _ in self._found if self._snapshot.shards[path].language}
        for one in self._kin:
            for path in files:
                for start in linked_in_comments(self._snapshot, path, one):
                    self._add(path, start, "")

    def add_edges(self, kin: SymbolRef) -> None:
        """What rules, manifests and documents know of it: strings that end in its name, parameters that ask for it."""
        for edge in edges_by_rules_to(self._snapshot, kin):
            if edge.provenance in (SYNTAX, TOOL_MADE):
                continue
            for path, start, end in edge.sites:
                text = (self._snapshot.text(path) or b"")[start:end]
                at = text.rfind(self._spelled)
                if at >= 0 and at + len(self._spelled) == len(text.rstrip(_QUOTES)):
                    self._add(path, start + at, f"named by {edge.provenance.replace('_', ' ')}")
                    self._add_parameter(path, start + at)

    def _add_parameter(self, path: FilePath, start: int) -> None:
        """A parameter that is called so in order to be given the symbol: its uses change with it."""
        if self._snapshot.shards[path].language:
            table = self._snapshot.facts(path).definitions
            for row in rows_with(table.start, start):
                for use in references(self._snapshot, SymbolRef(path, row)).uses:
                    self._add(use.file, use.start, "a use of the parameter that asks for it")

    def ordered(self) -> tuple[RenameEdit, ...]:
        """By file and position."""
        return tuple(self._found[key] for key in sorted(self._found))

    def plain_uses(self) -> Sequence[tuple[FilePath, int]]:
        """File and row of the certain uses that scopes decide: not behind a dot, no keyword, no import."""
        return [(edit.file, row) for edit in self._found.values() if not edit.doubt for row in self._rows(edit)]

    def _rows(self, edit: RenameEdit) -> Iterator[int]:
        if self._snapshot.shards[edit.file].language:
            facts = self._snapshot.facts(edit.file)
            yield from (row for row in rows_with(facts.occurrences.start, edit.start) if _is_plain(facts, row))

    def _add(self, path: FilePath, start: int, doubt: str) -> None:
        text = self._snapshot.text(path) or b""
        start += text[start : start + 1] in _QUOTED
        end = start + len(self._spelled)
        if self._add_accessor(path, start, text, doubt) or text[start:end] != self._spelled:
            return
        known = self._found.get((path, start))
        if known is None or (known.doubt and not doubt):
            self._found[path, start] = RenameEdit(path, start, end, self._text(path, start), doubt)

    def _add_accessor(self, path: FilePath, start: int, text: bytes, doubt: str) -> bool:
        """A use by code of another language, which may call the symbol otherwise: a property that is a method here."""
        place = self._kin[0]
        known = self._snapshot.capabilities(place.file)
        if known is None or known.interop_names is None or known.interop_renamed is None:
            return False
        found = _WORD.match(text, start)
        word = found[0].decode() if found is not None else ""
        there = self._snapshot.shards[path].language
        kind = NONE if place.definition == NONE else self._snapshot.facts(place.file).definitions.kind[place.definition]
        if not known.is_named_otherwise(there, kind) or word not in known.interop_names(self._old):
            return False
        if there == known.name and word == self._old and text[start + len(word) : start + len(word) + 1] != b"(":
            return False  # the field itself
        now = known.interop_renamed(self._old, self._new, word, kind)
        doubt = doubt if now else "a property there: nothing of the new name is one"
        edit = RenameEdit(path, start, start + len(word), now or self._new, doubt)
        before = self._found.get((path, start))
        if before is None or (before.doubt and not doubt):
            self._found[path, start] = edit
        return True

    def _text(self, path: FilePath, start: int) -> str:
        """`{ x }` is a key and a variable in one: the half that is not renamed has to be written."""
        if not self._snapshot.shards[path].language:
            return self._new
        facts = self._snapshot.facts(path)
        table = facts.definitions
        row = next(rows_with(table.start, start), NONE)
        use = next(rows_with(facts.occurrences.start, start), NONE)
        if row == NONE or use == NONE or table.kind[row] == DefinitionKind.IMPORT:
            return self._new
        text = self._snapshot.text(path) or b""
        if facts.occurrences.role[use] != Role.READ or not _is_short(text, start + len(self._spelled)):
            return self._new
        literal = facts.scopes.kind[table.scope[row]] == ScopeKind.OBJECT
        # In a literal the key is declared and the variable used; in a pattern it is the other way round.
        renames_key = ((path, start) in self._bound) == literal
        return f"{self._new}: {self._old}" if renames_key else f"{self._old}: {self._new}"
