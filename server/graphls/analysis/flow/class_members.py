"""Class members: what classes of a workspace declare and hand down, as flow needs it.

Owns: members by name, also by names that are worked out; receivers; fields that a call fills; classes above and below.
Must not know: what is passed, what follows.
Invariant: as of `Places`, through which everything is looked up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Final

from graphls.analysis.flow.library_names import FIELD_MAKERS
from graphls.analysis.flow.values import Takes
from graphls.facts.columns import rows_with
from graphls.facts.kinds import (
    ConstructKind,
    DefinitionFlag,
    DefinitionKind,
    ExpressionKind,
    Role,
    ScopeKind,
    UnresolvedReason,
)
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edges import edges_of_kinds
from graphls.graph.nodes import container, last_name, use_at
from graphls.graph.open_names import packed_number, same_name
from graphls.graph.snapshot import SymbolRef

if TYPE_CHECKING:
    from graphls.analysis.flow.places import Places, Use

FUNCTIONS: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))
GIVING: Final = FUNCTIONS | {DefinitionKind.PROPERTY}
_EXTENDING: Final = ("extends",)
FIELDS: Final = frozenset((DefinitionKind.FIELD, DefinitionKind.CONSTANT))
"""What a class may declare to hold a value: by the spelling of its name it may be a constant."""
_COMPUTED: Final = FIELDS | {DefinitionKind.METHOD}
_MEMBERS: Final = _COMPUTED | {DefinitionKind.PROPERTY}
_MEMBER_ROLES: Final = frozenset((Role.CALL, Role.READ, Role.WRITE, Role.DELETE, Role.TEXT))
_NAMES: Final = frozenset((ExpressionKind.NAME, ExpressionKind.MEMBER))
_GIVEN_CLASS: Final = DefinitionFlag.CLASSMETHOD | DefinitionFlag.STATIC
"""Of a function with a receiver: that is the class."""
_MOST_AT_HAND: Final = 16
_MANY_USES: Final = 50_000
_MANY_GIVEN_UP: Final = 1_000
"""Uses in a file, and those of them that links do not know as the file asked too much, from which on flow does not look
for these either."""
MOST_CLASSES: Final = 400
"""Of one file; those above and below the classes of one with more are not looked for."""
MOST_BASES: Final = 64
"""Of one class; one with more counts as below none of them."""
MOST_LEVELS: Final = 32
"""Between a class and those above and below it; what is further away is not looked for."""
MOST_HEIRS: Final = 100
"""Classes below one that may inherit its constructor."""
MOST_FILES: Final = 100
"""Files that may spell the name of a member."""


def is_symbol(name: str) -> bool:
    """Whether a name is that of a member under a symbol: `[kState]`."""
    return name.startswith("[")


class TooManyError(Exception):
    """More is possible than is told apart."""


class ClassMembers:
    """Members of the classes of one snapshot; remembers what it looked up."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._related: dict[tuple[SymbolRef, bool], tuple[SymbolRef, ...]] = {}
        self._next: dict[tuple[SymbolRef, bool], tuple[SymbolRef, ...]] = {}
        self._members: dict[tuple[SymbolRef, str], tuple[SymbolRef, ...]] = {}
        self._restated: dict[tuple[SymbolRef, bool], tuple[SymbolRef, ...]] = {}
        self._crowded: dict[FilePath, bool] = {}
        self._bound: dict[FilePath, dict[int, list[int]]] = {}
        self._given_up: dict[FilePath, Set[int]] = {}
        self._named: dict[SymbolRef, dict[str, int]] = {}
        """First rows of the members that a class itself declares."""
        self._filled: dict[SymbolRef, Sequence[SymbolRef]] = {}
        self._open: dict[SymbolRef, Sequence[Use]] = {}
        self._rare: dict[tuple[str, str], bool] = {}
        self._structural: dict[SymbolRef, bool] = {}

    def computed(self, path: FilePath, use: int) -> Iterator[SymbolRef]:
        """The methods that a lookup by the beginning of a name may find: of the class around, and of those below it."""
        receiver, prefix = self._places.passing(path).computed[use]
        for cls in self._classes_of(path, receiver):
            for one in (cls, *self.below(cls)):
                yield from self._methods(one, prefix)

    def computing(self, method: SymbolRef) -> Iterator[Use]:
        """The inverse: lookups that may find a method."""
        facts = self._places.facts(method.file)
        name = facts.strings[facts.definitions.name[method.definition]]
        owner = container(facts, method.definition)
        if owner < 0 or facts.definitions.kind[owner] != DefinitionKind.CLASS:
            return
        own = self._places.canonical(SymbolRef(method.file, owner))
        for cls in (own, *self.above(own)):
            if "getattr" not in self._places.facts(cls.file).strings:
                continue
            for use, (receiver, prefix) in self._places.passing(cls.file).computed.items():
                if name.startswith(prefix) and cls in self._classes_of(cls.file, receiver):
                    yield cls.file, use

    def _classes_of(self, path: FilePath, receiver: int) -> Iterator[SymbolRef]:
        """The class of a receiver."""
        facts = self._places.facts(path)
        for place in self._places.meant(path, receiver):
            if self._places.kind(place) != DefinitionKind.PARAMETER or place.file != path:
                continue
            if facts.definitions.flags[place.definition] & DefinitionFlag.RECEIVER:
                function = self._places.function_of(place)
                owner = -1 if function is None else container(facts, function.definition)
                if owner >= 0 and facts.definitions.kind[owner] == DefinitionKind.CLASS:
                    yield self._places.canonical(SymbolRef(path, owner))

    def _methods(self, cls: SymbolRef, prefix: str) -> Iterator[SymbolRef]:
        facts = self._places.facts(cls.file)
        table = facts.definitions
        body = table.body[cls.definition]
        for row in self._inside(cls.file, body) if body >= 0 else ():
            if table.kind[row] in _COMPUTED and facts.strings[table.name[row]].startswith(prefix):
                yield self._places.canonical(SymbolRef(cls.file, row))

    def above(self, cls: SymbolRef) -> Sequence[SymbolRef]:
        return self._kin(cls, below=False)

    def below(self, cls: SymbolRef) -> Sequence[SymbolRef]:
        return self._kin(cls, below=True)

    def _kin(self, cls: SymbolRef, *, below: bool) -> Sequence[SymbolRef]:
        known = self._related.get((cls, below))
        if known is None:
            found: dict[SymbolRef, None] = {}
            level: Sequence[SymbolRef] = (cls,)
            for _ in range(MOST_LEVELS):
                if not level:
                    break
                reached = (other for one in level for other in self._next_kin(one, below=below))
                level = [other for other in dict.fromkeys(reached) if other != cls and other not in found]
                found.update(dict.fromkeys(level))
            known = self._related[cls, below] = tuple(found)
        return known

    def _next_kin(self, cls: SymbolRef, *, below: bool) -> Sequence[SymbolRef]:
        """The classes right below or above one."""
        known = self._next.get((cls, below))
        if known is None:
            ends = () if self._is_crowded(cls) else self._extended(cls, below=below)
            found = dict.fromkeys(one for one in ends if one != cls)
            if below:
                known = tuple(one for one in found if self._next_kin(one, below=False))
            else:
                known = tuple(found) if len(found) <= MOST_BASES else ()
            self._next[cls, below] = known
        return known

    def _extended(self, cls: SymbolRef, *, below: bool) -> Iterable[SymbolRef]:
        if below:
            known = self._places.heirs(cls)
        else:
            bases = self._places.bases(cls.file)
            known = None if bases is None else bases.get(cls.definition, ())
        if known is not None:
            return known
        edges = edges_of_kinds(self._places.snapshot, cls, _EXTENDING, incoming=below)
        return [end for edge in edges if isinstance(end := edge.source if below else edge.target, SymbolRef)]

    def constructor(self, cls: SymbolRef) -> SymbolRef | None:
        """The constructor that a call of a class runs: its own, or one that it inherits."""
        for one in (cls, *self.above(cls)):
            row = addresses(self._places.snapshot, one.file).constructors.get(one.definition)
            if row is not None:
                return SymbolRef(one.file, row)
        return None

    def made_by(self, constructor: SymbolRef) -> Sequence[SymbolRef]:
        """The classes whose calls run a constructor: its own, and those that inherit it. Raises TooManyError."""
        cls = self._places.maker(constructor)
        if cls is None:
            return ()
        return (cls, *(one for one in self._heirs(cls) if self.constructor(one) == constructor))

    def filled_below(self, field: SymbolRef) -> Sequence[SymbolRef]:
        """The classes whose calls fill a field, as `filled_fields` says. Raises TooManyError."""
        cls = self.class_of(field)
        if cls is None or field not in self.filled_fields(cls):
            return ()
        return (cls, *(one for one in self._heirs(cls) if field in self.filled_fields(one)))

    def _heirs(self, cls: SymbolRef) -> Sequence[SymbolRef]:
        heirs = self.below(cls)
        if len(heirs) > MOST_HEIRS:
            raise TooManyError
        return heirs

    def _is_crowded(self, cls: SymbolRef) -> bool:
        """Whether the file of a class has so many like it that asking for the edges of each would take too long."""
        known = self._crowded.get(cls.file)
        if known is None:
            table = self._places.facts(cls.file).definitions
            known = self._crowded[cls.file] = table.kind.count(table.kind[cls.definition]) > MOST_CLASSES
        return known

    def owner_of_receiver(self, parameter: SymbolRef) -> tuple[SymbolRef, Takes] | None:
        """The class whose object, or which itself, a receiver is; None for other parameters."""
        table = self._places.facts(parameter.file).definitions
        if not table.flags[parameter.definition] & DefinitionFlag.RECEIVER:
            return None
        function = self._places.function_of(parameter)
        cls = None if function is None else self.class_of(function)
        if function is None or cls is None:
            return None
        own = table.flags[function.definition] & _GIVEN_CLASS
        return cls, Takes.VALUE if own else Takes.RESULT

    def receivers(self, cls: SymbolRef, takes: Takes) -> Iterator[SymbolRef]:
        """The inverse."""
        facts = self._places.facts(cls.file)
        table = facts.definitions
        for row in self._declared(cls, GIVING):
            for parameter in rows_with(table.scope, table.body[row]) if table.body[row] >= 0 else ():
                one = SymbolRef(cls.file, parameter)
                if table.kind[parameter] == DefinitionKind.PARAMETER and self.owner_of_receiver(one) == (cls, takes):
                    yield one

    def class_of(self, member: SymbolRef) -> SymbolRef | None:
        """The class that declares a member."""
        facts = self._places.facts(member.file)
        owner = container(facts, member.definition)
        if owner < 0:
            return None
        cls = self._places.canonical(SymbolRef(member.file, owner))
        if facts.definitions.kind[owner] == DefinitionKind.CLASS:
            return cls
        around = facts.definitions.scope[member.definition]
        is_member = facts.scopes.kind[around] == ScopeKind.CLASS and self._places.makes_objects(cls)
        return cls if is_member else None

    def _declared(self, cls: SymbolRef, kinds: Collection[int]) -> Iterator[int]:
        table = self._places.facts(cls.file).definitions
        scope = self._places.instance_scope(cls)
        for row in self._inside(cls.file, scope) if scope >= 0 else ():
            if table.kind[row] in kinds:
                yield row

    def _inside(self, path: FilePath, scope: int) -> Sequence[int]:
        """Rows of what a scope binds. Those of the files that were asked about last are remembered."""
        known = self._bound.get(path)
        if known is None:
            if len(self._bound) >= _MOST_AT_HAND:
                self._bound.clear()
            known = dict[int, list[int]]()
            for row, around in enumerate(self._places.facts(path).definitions.scope):
                known.setdefault(around, []).append(row)
            self._bound[path] = known
        return known.get(scope, ())

    def is_rare(self, path: FilePath, name: str) -> bool:
        """Whether a file of the language declares the name for others, and not too many spell it."""
        key = self._places.snapshot.shards[path].language, name
        if key not in self._rare:
            defined = is_symbol(name) or self.is_defined(path, name)
            few = defined and len(self._places.snapshot.files_with_name(name)) <= MOST_FILES
            self._rare[key] = few
        return self._rare[key]

    def is_defined(self, path: FilePath, name: str) -> bool:
        """Whether a file of the language of another declares a name for others."""
        return same_name(packed_number(name, 0)) in self._places.snapshot.defined_names(
            self._places.snapshot.shards[path].language
        )

    def is_open_member(self, path: FilePath, use: int) -> bool:
        """Whether links do not know what a use of a member means, and flow may."""
        facts = self._places.facts(path)
        table = facts.occurrences
        if use < 0 or table.base[use] < 0 or table.role[use] not in _MEMBER_ROLES:
            return False
        rare = self.is_rare(path, facts.strings[table.name[use]])
        return rare and use not in self.given_up(path) and self.is_open(self._places.meant(path, use))

    def given_up(self, path: FilePath) -> Set[int]:
        """Uses that links do not know as the file asked too much, where these are many: flow would ask as much for
        each of them."""
        known = self._given_up.get(path)
        if known is None:
            if len(self._given_up) >= _MOST_AT_HAND:
                self._given_up.clear()
            known = self._given_up[path] = self._uses_given_up(path)
        return known

    def _uses_given_up(self, path: FilePath) -> Set[int]:
        # What asks so much is long: of other files not all is linked for this.
        if len(self._places.facts(path).occurrences) < _MANY_USES:
            return frozenset()
        rows = self._places.snapshot.own_links(path).unresolved
        late = rows.rows_where("reason", UnresolvedReason.LIMIT)
        return frozenset(rows.occurrence[row] for row in late) if len(late) >= _MANY_GIVEN_UP else frozenset()

    def is_open(self, meant: Collection[SymbolRef]) -> bool:
        """Whether a use of a member may mean others than links say: none, or what stands for objects of any class."""
        return all(self._is_structural(member) for member in meant)

    def _is_structural(self, member: SymbolRef) -> bool:
        """Whether a class declares it that only says what objects have."""
        known = self._places.snapshot.capabilities(member.file)
        if known is None or not known.structural_bases or member.definition < 0:
            return False
        cls = self.class_of(member)
        if cls is None:
            return False
        if cls not in self._structural:
            above = edges_of_kinds(self._places.snapshot, cls, _EXTENDING, incoming=False)
            names = (edge.target for edge in above if isinstance(edge.target, str))
            self._structural[cls] = not known.structural_bases.isdisjoint(names)
        return self._structural[cls]

    def under_symbol(self, path: FilePath, name: str) -> Iterator[SymbolRef]:
        """The members of the name of a symbol: only who has the symbol can name them, whatever the object is."""
        for other in self._places.snapshot.files_with_name(name) if self.is_rare(path, name) else ():
            facts = self._places.facts(other)
            number = facts.strings.index(name) if name in facts.strings else -1
            for row in facts.definitions.rows_where("name", number):
                if facts.definitions.kind[row] in _MEMBERS:
                    yield self._places.canonical(SymbolRef(other, row))

    def open_uses(self, member: SymbolRef) -> Sequence[Use]:
        """Uses of members that may mean one, as links do not know what they mean."""
        known = self._open.get(member)
        if known is None:
            known = self._open[member] = tuple(self._find_open_uses(member))
        return known

    def _find_open_uses(self, member: SymbolRef) -> Iterator[Use]:
        facts = self._places.facts(member.file)
        name = facts.strings[facts.definitions.name[member.definition]]
        if facts.definitions.kind[member.definition] not in _MEMBERS:
            return
        if not is_symbol(name) and self.class_of(member) is None:
            return
        if not self.is_rare(member.file, name):
            return
        for path in self._places.snapshot.files_with_name(name):
            there = self._places.facts(path)
            number = there.strings.index(name) if name in there.strings else -1
            named = there.occurrences.rows_where("name", number)
            self._places.prepare(path, named)
            yield from ((path, use) for use in named if self.is_open_member(path, use))

    def classes_called(self, method: SymbolRef) -> Iterator[SymbolRef]:
        """The classes of the objects that run a method where they are called."""
        if self._places.kind(method) == DefinitionKind.METHOD and self._places.name(method) in self._calling(
            method.file
        ):
            yield from self.families(method)

    def called_of(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        """The inverse: what a call of an object of a class runs."""
        if self._places.kind(cls) == DefinitionKind.CLASS:
            for name in self._calling(cls.file):
                yield from self.members(cls, name)

    def _calling(self, path: FilePath) -> Sequence[str]:
        known = self._places.snapshot.capabilities(path)
        if known is None or known.run_by_construct is None:
            return ()
        return [name for choice in known.run_by_construct(ConstructKind.CALL, "") for name in choice]

    def members(self, cls: SymbolRef, name: str) -> tuple[SymbolRef, ...]:
        """The methods, properties and fields of a name that an object of a class has; where the workspace declares none
        for it, those that objects of classes below it have, also from other classes above these: what a class asks of
        itself that is only ever a base beside others."""
        key = cls, name
        known = self._members.get(key)
        if known is None:
            known = self.first_member((cls, *self.above(cls)), name)
            if not known:
                below = (self.first_member((one, *self.above(one)), name) for one in self.below(cls))
                known = tuple(dict.fromkeys(one for found in below for one in found))
            self._members[key] = known
        return known

    def first_member(self, line: Iterable[SymbolRef], name: str) -> tuple[SymbolRef, ...]:
        """The member of a name that the first of some classes declares which has one."""
        found = (self._member(one, name) for one in line)
        return next(((one,) for one in found if one is not None), ())

    def declared(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        """What a class itself declares to hold a value."""
        yield from self.own_members(cls, FIELDS)

    def own_members(self, cls: SymbolRef, kinds: Collection[int]) -> Iterator[SymbolRef]:
        """The members of some kinds that a class itself declares."""
        yield from dict.fromkeys(self._places.canonical(SymbolRef(cls.file, row)) for row in self._declared(cls, kinds))

    def _member(self, cls: SymbolRef, name: str) -> SymbolRef | None:
        known = self._named.get(cls)
        if known is None:
            facts = self._places.facts(cls.file)
            known = dict[str, int]()
            for row in self._declared(cls, _MEMBERS):
                known.setdefault(facts.strings[facts.definitions.name[row]], row)
            self._named[cls] = known
        row = known.get(name)
        return None if row is None else self._places.canonical(SymbolRef(cls.file, row))

    def restated(self, member: SymbolRef, *, below: bool) -> tuple[SymbolRef, ...]:
        """The members of the name of a field in classes below; or the fields of the name of a member in those above."""
        key = member, below
        known = self._restated.get(key)
        if known is None:
            own = self.class_of(member) if self._places.kind(member) in _COMPUTED else None
            kin = () if own is None else self.below(own) if below else self.above(own)
            others = (self._member(cls, self._places.name(member)) for cls in kin)
            found = (one for one in others if one is not None)
            known = tuple(one for one in found if below or self._places.kind(one) in FIELDS)
            self._restated[key] = known
        return known

    def filled_fields(self, cls: SymbolRef) -> Sequence[SymbolRef]:
        """The declared fields that a call of a class fills in their order, where no constructor is written."""
        known = self._filled.get(cls)
        if known is None:
            line = [*reversed(self.above(cls)), cls]
            written = any(one.definition in addresses(self._places.snapshot, one.file).constructors for one in line)
            fields = {} if written else {self._places.name(field): field for one in line for field in self._typed(one)}
            known = self._filled[cls] = tuple(fields.values())
        return known

    def types_meant(self, path: FilePath, use: int) -> Iterator[SymbolRef]:
        """The classes that a use of a type means; of another name for one, that."""
        for place in self._places.meant(path, use):
            yield from self._aliased(place) if self._places.kind(place) == DefinitionKind.TYPE_ALIAS else (place,)

    def _aliased(self, alias: SymbolRef) -> Iterator[SymbolRef]:
        """`typedef struct ops Ops`: the class, where the alias stands in the file that declares it or uses its name."""
        facts = self._places.facts(alias.file)
        table = facts.definitions
        value = table.value[alias.definition]
        if value < 0 or facts.expressions.kind[value] not in _NAMES:
            return
        start = facts.expressions.c[value]
        use = use_at(facts, start)
        if use >= 0:
            yield from self._places.meant(alias.file, use)
        else:
            yield from (SymbolRef(alias.file, row) for row in table.rows_where("start", start))

    def uses_as_type(self, cls: SymbolRef) -> Iterator[Use]:
        """Uses of a class by its name and by other names that its file gives it. Raises TooManyError."""
        yield from self._places.uses(cls)
        kinds = self._places.facts(cls.file).definitions.kind
        for row in rows_with(kinds, DefinitionKind.TYPE_ALIAS):
            alias = SymbolRef(cls.file, row)
            if cls in self._aliased(alias):
                yield from self._places.uses(alias)

    def _typed(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        facts = self._places.facts(cls.file)
        table = facts.definitions
        for row in self._declared(cls, FIELDS):
            is_declared = table.type[row] >= 0 or last_name(facts, table.value[row]) in FIELD_MAKERS
            if is_declared and not table.flags[row] & DefinitionFlag.INSTANCE:
                yield self._places.canonical(SymbolRef(cls.file, row))

    def families(self, member: SymbolRef) -> Iterator[SymbolRef]:
        """The classes whose objects may have a member: that which declares it, those above and below, and those beside
        it above a class, where they have none of its name."""
        own = self.class_of(member)
        if own is None:
            return
        line = (own, *self.above(own), *self.below(own))
        yield from line
        name = self._places.name(member)
        beside = dict.fromkeys(one for heir in self.below(own) for one in self.above(heir))
        others = [one for one in beside if one not in line]
        yield from (one for one in others if not self.first_member((one, *self.above(one)), name))
