"""Places: what the uses of a workspace mean and where its places are used, as flow needs it.

Owns: graphls' own answer for a use, the uses of a place with their files, the functions that a call of one may run.
Must not know: what is passed, what follows.
Invariant: a place is given by the row that stands for it; what a checker said has no part in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from typing import Final, TypeAlias

import attrs

from graphls.analysis.flow.passing import FilePassing, Takes, passing_of
from graphls.analysis.frameworks.marks import use_at
from graphls.facts.columns import Column, ColumnSearch, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ConstructKind, DefinitionFlag, DefinitionKind, Role, ScopeKind
from graphls.facts.links import EXTERNAL, OWN_FILE, Links
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edges import edges_of, edges_to
from graphls.graph.nodes import container, outer_functions
from graphls.graph.open_names import packed_number, same_name
from graphls.graph.snapshot import Snapshot, SymbolRef, rows_of
from graphls.languages.registry import capabilities_for

Use: TypeAlias = "tuple[FilePath, int]"
"""A file and a row of its occurrences."""

MOST_USES: Final = 1000
"""Uses of one place that are looked at; what is used more often may hold anything."""
_USING: Final = frozenset(("calls", "instantiates", "accesses", "references", "decorates", "renders", "type_ref"))
_EXTENDING: Final = "extends"
_STANDING_IN: Final = frozenset(("overrides", "implements"))
_PLAIN: Final = frozenset((Role.CALL, Role.IMPORT, Role.EXPORT, Role.WRITE, Role.DELETE, Role.TYPE, Role.KEYWORD))
"""What a use does that hands nothing on."""
FUNCTIONS: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))
GIVING: Final = FUNCTIONS | {DefinitionKind.PROPERTY}
RUNNING: Final = FUNCTIONS | {DefinitionKind.CLASS}
HOLDING: Final = frozenset(
    (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD, DefinitionKind.PARAMETER)
)


_MEMBERS: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.PROPERTY, DefinitionKind.FIELD))
_COMPUTED: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.FIELD))
_MEMBER_ROLES: Final = frozenset((Role.CALL, Role.READ, Role.WRITE, Role.DELETE))
MOST_FILES: Final = 100
"""Files that may spell the name of a member."""
_MOST_FILES = 16
_MOST_AT_HAND: Final = 64


class TooManyError(Exception):
    """More is possible than is told apart."""


class Places:
    """Meanings and uses in one snapshot; remembers what it looked up."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = attrs.evolve(snapshot, verification=None, derivation=None)
        self._facts: dict[FilePath, FileFacts] = {}
        self._passing: dict[FilePath, FilePassing] = {}
        self._restated: dict[tuple[SymbolRef, bool], tuple[SymbolRef, ...]] = {}
        self._meant: dict[FilePath, dict[int, tuple[SymbolRef, ...]]] = {}
        self._whole: dict[FilePath, Links] = {}
        self._uses: dict[SymbolRef, tuple[Use, ...] | None] = {}
        self._bindings: dict[FilePath, dict[int, list[int]]] = {}
        self._searches: dict[FilePath, ColumnSearch] = {}
        self._spelled: dict[tuple[FilePath, int], dict[SymbolRef, list[int]]] = {}
        """Uses of one name in a file, by what they may mean."""
        self._parameters: dict[SymbolRef, Sequence[int]] = {}
        self._filled: dict[SymbolRef, Sequence[SymbolRef]] = {}
        self._rare: dict[tuple[str, str], bool] = {}
        self._members: dict[tuple[SymbolRef, str], tuple[SymbolRef, ...]] = {}
        self._related: dict[tuple[SymbolRef, bool], tuple[SymbolRef, ...]] = {}

    def facts(self, path: FilePath) -> FileFacts:
        """Those of one file; of the last files they are at hand."""
        known = self._facts.get(path)
        if known is None:
            if len(self._facts) >= _MOST_AT_HAND:
                self._facts.clear()
                self._passing.clear()
            known = self._facts[path] = self.snapshot.facts(path)
        return known

    def passing(self, path: FilePath) -> FilePassing:
        """What one file passes on; likewise."""
        known = self._passing.get(path)
        if known is None:
            self.facts(path)
            known = self._passing[path] = passing_of(self.snapshot, path)
        return known

    def standing(self, place: SymbolRef) -> SymbolRef:
        """The place that stands for all bindings of its name."""
        if place.definition < 0:
            return place
        return SymbolRef(place.file, addresses(self.snapshot, place.file).rows[place.definition])

    def kind(self, place: SymbolRef) -> int:
        """DefinitionKind of a place; -1 for a module."""
        if place.definition < 0:
            return -1
        return self.facts(place.file).definitions.kind[place.definition]

    def rows(self, place: SymbolRef) -> Sequence[int]:
        """All bindings that a place stands for."""
        known = self._bindings.get(place.file)
        if known is None:
            if len(self._bindings) >= _MOST_FILES:
                self._bindings.clear()
            known = self._bindings[place.file] = {}
            for row, standing in enumerate(addresses(self.snapshot, place.file).rows):
                known.setdefault(standing, []).append(row)
        return known.get(place.definition, ())

    def prepare(self, path: FilePath, uses: Collection[int]) -> None:
        """Looks up several uses at once."""
        known = self._meant.setdefault(path, {})
        missing = sorted({use for use in uses if use not in known})
        if not missing:
            return
        links = self._whole.get(path)
        if links is None:
            links = self.snapshot.known_links(path)
            if links is None:
                links = self.snapshot.own_links_at(path, missing)
            else:
                self._whole[path] = links
        for use in missing:
            known[use] = tuple(dict.fromkeys(self._targets(path, links, use)))

    def linked_constructs(self, path: FilePath, rows: Sequence[int]) -> Set[int]:
        """Those of some constructs of which links say what they run."""
        links = self._whole.get(path) or self.snapshot.known_links(path)
        if links is None:
            owners = {self.facts(path).constructs.owner[row] for row in rows}
            uses = self.facts(path).occurrences.owner
            mine = [use for use, owner in enumerate(uses) if owner in owners]
            links = self.snapshot.own_links_at(path, mine, constructs=True)
        return set(links.implicit.occurrence)

    def meant(self, path: FilePath, use: int) -> tuple[SymbolRef, ...]:
        """The places in the workspace that a use may mean."""
        known = self._meant.get(path)
        if known is None or use not in known:
            self.prepare(path, (use,))
        return self._meant[path][use]

    def _targets(self, path: FilePath, links: Links, use: int) -> Iterator[SymbolRef]:
        table = links.targets
        for row in rows_of(table, use):
            symbol = table.symbol[row]
            if symbol == EXTERNAL or symbol < 0:
                continue
            if table.file[row] == OWN_FILE:
                yield SymbolRef(path, addresses(self.snapshot, path).rows[symbol])
                continue
            file = FilePath(links.files[table.file[row]])
            symbols = addresses(self.snapshot, file).symbols
            if symbol < len(symbols) and symbols[symbol] >= 0:
                yield SymbolRef(file, symbols[symbol])

    def is_local(self, place: SymbolRef) -> bool:
        """Whether no other scope can write to it."""
        return addresses(self.snapshot, place.file).slots[place.definition] < 0

    def uses(self, place: SymbolRef) -> tuple[Use, ...]:
        """The uses that may mean a place. Raises TooManyError."""
        if place not in self._uses:
            found = tuple(self._find_uses(place))
            self._uses[place] = found if len(found) <= MOST_USES else None
        known = self._uses[place]
        if known is None:
            raise TooManyError
        return known

    def _find_uses(self, place: SymbolRef) -> Iterator[Use]:
        there = addresses(self.snapshot, place.file)
        if there.slots[place.definition] < 0:
            yield from self._uses_of_local(place)
            return
        seen: set[Use] = set()
        for edge in edges_to(self.snapshot, place):
            if edge.kind not in _USING or edge.attributes.get("implicit"):
                continue
            for file, start, _ in edge.sites:
                use = (file, use_at(self.facts(file), start))
                if use[1] >= 0 and use not in seen and place in self.meant(*use):
                    seen.add(use)
                    yield use

    def _uses_of_local(self, place: SymbolRef) -> Iterator[Use]:
        facts = self.facts(place.file)
        name = facts.definitions.name[place.definition]
        known = self._spelled.get((place.file, name))
        if known is None:
            named = self._search(place.file, facts.occurrences.name).rows(name)
            self.prepare(place.file, named)
            known = self._spelled[place.file, name] = {}
            for use in named:
                for meant in self.meant(place.file, use):
                    known.setdefault(meant, []).append(use)
        yield from [(place.file, use) for use in known.get(place, ())]

    def above(self, method: SymbolRef) -> tuple[SymbolRef, ...]:
        """A function, and what it overrides: a call of any of these may run it."""
        return self._standing_in(method, below=False)

    def below(self, method: SymbolRef) -> tuple[SymbolRef, ...]:
        """A function, and what overrides it."""
        return self._standing_in(method, below=True)

    def _standing_in(self, method: SymbolRef, *, below: bool) -> tuple[SymbolRef, ...]:
        known = self._related.get((method, below))
        if known is None:
            found = {method: None}
            queue = [method] if self.kind(method) == DefinitionKind.METHOD else []
            for one in queue:
                edges = edges_to(self.snapshot, one) if below else edges_of(self.snapshot, one)
                for edge in edges:
                    other = edge.source if below else edge.target
                    if edge.kind in _STANDING_IN and isinstance(other, SymbolRef) and other not in found:
                        found[other] = None
                        queue.append(other)
            known = self._related[method, below] = tuple(found)
        return known

    def maker(self, function: SymbolRef) -> SymbolRef | None:
        """The class whose constructor a function is."""
        makers = addresses(self.snapshot, function.file).constructors
        return next((SymbolRef(function.file, cls) for cls, row in makers.items() if row == function.definition), None)

    def runs(self, place: SymbolRef) -> Iterator[SymbolRef]:
        """The functions that a call of a place runs: of a class its constructor."""
        kind = self.kind(place)
        if kind in FUNCTIONS:
            yield place
        elif kind == DefinitionKind.CLASS:
            maker = addresses(self.snapshot, place.file).constructors.get(place.definition)
            if maker is not None:
                yield SymbolRef(place.file, maker)

    def inner(self, function: SymbolRef) -> Iterator[SymbolRef]:
        """The functions declared inside of one that it gives back."""
        facts = self.facts(function.file)
        body, table = facts.definitions.body[function.definition], facts.definitions
        for row in rows_with(table.scope, body) if body >= 0 else ():
            if table.kind[row] in FUNCTIONS and outer_functions(facts, row)[:1] == (function.definition,):
                yield SymbolRef(function.file, row)

    def outer(self, function: SymbolRef) -> SymbolRef | None:
        """The function around one that gives it back."""
        found = outer_functions(self.facts(function.file), function.definition)
        return SymbolRef(function.file, found[0]) if found else None

    def is_handed_on(self, place: SymbolRef) -> bool:
        """Whether anything but a call by its name can lead to a function or class, as far as names tell."""
        facts = self.facts(place.file)
        if any(row in facts.decorators.definition for row in self.rows(place)):
            return True
        name = facts.strings[facts.definitions.name[place.definition]]
        if any(self._is_read(path, name) for path in self.snapshot.files_with_name(name)):
            return True
        return self.kind(place) == DefinitionKind.METHOD and next(self.computing(place), None) is not None

    def is_given_away(self, place: SymbolRef) -> bool:
        """Whether uses of a function or class, or decorators above it, hand it on."""
        if any(row in self.facts(place.file).decorators.definition for row in self.rows(place)):
            return True
        return any(self.facts(file).occurrences.role[use] not in _PLAIN for file, use in self.uses(place))

    def _is_read(self, path: FilePath, name: str) -> bool:
        if not self.snapshot.shards[path].language:
            return False
        facts = self.facts(path)
        number = facts.strings.index(name) if name in facts.strings else -1
        uses, imports = facts.occurrences, facts.imports
        if any(uses.role[use] not in _PLAIN for use in self._search(path, uses.name).rows(number)):
            return True
        brought = (imports.definition[row] for row in rows_with(imports.name, number))
        return any(row >= 0 and facts.definitions.name[row] != number for row in brought)

    def _search(self, path: FilePath, names: Column) -> ColumnSearch:
        """Uses by name. Those of the files that were asked about last are remembered."""
        known = self._searches.get(path)
        if known is None:
            if len(self._searches) >= _MOST_FILES:
                self._searches.clear()
            known = self._searches[path] = ColumnSearch(names)
        return known

    # ---- members by names that are worked out

    def computed(self, path: FilePath, use: int) -> Iterator[SymbolRef]:
        """The methods that a lookup by the beginning of a name may find: of the class around, and of those below it."""
        receiver, prefix = self.passing(path).computed[use]
        for cls in self._classes_of(path, receiver):
            for one in (cls, *self._below_class(cls)):
                yield from self._methods(one, prefix)

    def computing(self, method: SymbolRef) -> Iterator[Use]:
        """The inverse: lookups that may find a method."""
        facts = self.facts(method.file)
        name = facts.strings[facts.definitions.name[method.definition]]
        owner = container(facts, method.definition)
        if owner < 0 or facts.definitions.kind[owner] != DefinitionKind.CLASS:
            return
        own = self.standing(SymbolRef(method.file, owner))
        for cls in (own, *self._above_class(own)):
            if "getattr" not in self.facts(cls.file).strings:
                continue
            for use, (receiver, prefix) in self.passing(cls.file).computed.items():
                if name.startswith(prefix) and cls in self._classes_of(cls.file, receiver):
                    yield cls.file, use

    def _classes_of(self, path: FilePath, receiver: int) -> Iterator[SymbolRef]:
        """The class of a receiver."""
        facts = self.facts(path)
        for place in self.meant(path, receiver):
            if self.kind(place) != DefinitionKind.PARAMETER or place.file != path:
                continue
            if facts.definitions.flags[place.definition] & DefinitionFlag.RECEIVER:
                function = self.function_of(place)
                owner = -1 if function is None else container(facts, function.definition)
                if owner >= 0 and facts.definitions.kind[owner] == DefinitionKind.CLASS:
                    yield self.standing(SymbolRef(path, owner))

    def _methods(self, cls: SymbolRef, prefix: str) -> Iterator[SymbolRef]:
        facts = self.facts(cls.file)
        table = facts.definitions
        body = table.body[cls.definition]
        for row in rows_with(table.scope, body) if body >= 0 else ():
            if table.kind[row] in _COMPUTED and facts.strings[table.name[row]].startswith(prefix):
                yield self.standing(SymbolRef(cls.file, row))

    def _above_class(self, cls: SymbolRef) -> Sequence[SymbolRef]:
        return self._kin(cls, below=False)

    def _below_class(self, cls: SymbolRef) -> Sequence[SymbolRef]:
        return self._kin(cls, below=True)

    def _kin(self, cls: SymbolRef, *, below: bool) -> Sequence[SymbolRef]:
        known = self._related.get((cls, below))
        if known is None:
            found: dict[SymbolRef, None] = {}
            queue = [cls]
            for one in queue:
                for edge in edges_to(self.snapshot, one) if below else edges_of(self.snapshot, one):
                    other = edge.source if below else edge.target
                    new = isinstance(other, SymbolRef) and other != cls and other not in found
                    if edge.kind == _EXTENDING and new and isinstance(other, SymbolRef):
                        found[other] = None
                        queue.append(other)
            known = self._related[cls, below] = tuple(found)
        return known

    # ---- receivers and members

    def owner_of_receiver(self, parameter: SymbolRef) -> tuple[SymbolRef, Takes] | None:
        """The class whose object, or which itself, a receiver is; None for other parameters."""
        table = self.facts(parameter.file).definitions
        if not table.flags[parameter.definition] & DefinitionFlag.RECEIVER:
            return None
        function = self.function_of(parameter)
        cls = None if function is None else self.class_of(function)
        if function is None or cls is None:
            return None
        own = table.flags[function.definition] & DefinitionFlag.CLASSMETHOD
        return cls, Takes.VALUE if own else Takes.RESULT

    def receivers(self, cls: SymbolRef, takes: Takes) -> Iterator[SymbolRef]:
        """The inverse."""
        facts = self.facts(cls.file)
        table = facts.definitions
        for row in self._declared(cls, GIVING):
            for parameter in rows_with(table.scope, table.body[row]) if table.body[row] >= 0 else ():
                one = SymbolRef(cls.file, parameter)
                if table.kind[parameter] == DefinitionKind.PARAMETER and self.owner_of_receiver(one) == (cls, takes):
                    yield one

    def class_of(self, member: SymbolRef) -> SymbolRef | None:
        """The class that declares a member."""
        facts = self.facts(member.file)
        owner = container(facts, member.definition)
        if owner < 0 or facts.definitions.kind[owner] != DefinitionKind.CLASS:
            return None
        return self.standing(SymbolRef(member.file, owner))

    def _declared(self, cls: SymbolRef, kinds: Collection[int]) -> Iterator[int]:
        table = self.facts(cls.file).definitions
        body = table.body[cls.definition]
        for row in rows_with(table.scope, body) if body >= 0 else ():
            if table.kind[row] in kinds:
                yield row

    def is_rare(self, path: FilePath, name: str) -> bool:
        """Whether a file of the language declares the name for others, and not too many spell it."""
        key = self.snapshot.shards[path].language, name
        if key not in self._rare:
            few = self.is_defined(path, name) and len(self.snapshot.files_with_name(name)) <= MOST_FILES
            self._rare[key] = few
        return self._rare[key]

    def is_defined(self, path: FilePath, name: str) -> bool:
        """Whether a file of the language of another declares a name for others."""
        return same_name(packed_number(name, 0)) in self.snapshot.defined_names(self.snapshot.shards[path].language)

    def is_open_member(self, path: FilePath, use: int) -> bool:
        """Whether links do not know what a use of a member means, and flow may."""
        facts = self.facts(path)
        table = facts.occurrences
        known = table.base[use] < 0 or table.role[use] not in _MEMBER_ROLES
        return not known and self.is_rare(path, facts.strings[table.name[use]]) and not self.meant(path, use)

    def open_uses(self, member: SymbolRef) -> Iterator[Use]:
        """Uses of members that may mean one, as links do not know what they mean."""
        facts = self.facts(member.file)
        if facts.definitions.kind[member.definition] not in _MEMBERS or self.class_of(member) is None:
            return
        name = facts.strings[facts.definitions.name[member.definition]]
        if not self.is_rare(member.file, name):
            return
        for path in self.snapshot.files_with_name(name):
            there = self.facts(path)
            number = there.strings.index(name) if name in there.strings else -1
            named = list(rows_with(there.occurrences.name, number))
            self.prepare(path, named)
            yield from ((path, use) for use in named if self.is_open_member(path, use))

    def classes_called(self, method: SymbolRef) -> Iterator[SymbolRef]:
        """The classes of the objects that run a method where they are called."""
        if self.kind(method) == DefinitionKind.METHOD and self.name(method) in self._calling(method.file):
            yield from self.families(method)

    def called_of(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        """The inverse: what a call of an object of a class runs."""
        if self.kind(cls) == DefinitionKind.CLASS:
            for name in self._calling(cls.file):
                yield from self.members(cls, name)

    def _calling(self, path: FilePath) -> Sequence[str]:
        known = capabilities_for(path)
        if known is None or known.run_by_construct is None:
            return ()
        return [name for choice in known.run_by_construct(ConstructKind.CALL, "") for name in choice]

    def name(self, place: SymbolRef) -> str:
        """That of a definition."""
        facts = self.facts(place.file)
        return facts.strings[facts.definitions.name[place.definition]]

    def members(self, cls: SymbolRef, name: str) -> tuple[SymbolRef, ...]:
        """The methods, properties and fields of a name that an object of a class has; where the workspace declares none
        for it, those that objects of classes below it have."""
        key = cls, name
        known = self._members.get(key)
        if known is None:
            above = (self._member(one, name) for one in (cls, *self._above_class(cls)))
            first = next((one for one in above if one is not None), None)
            if first is not None:
                known = (first,)
            else:
                below = (self._member(one, name) for one in self._below_class(cls))
                known = tuple(dict.fromkeys(one for one in below if one is not None))
            self._members[key] = known
        return known

    def _member(self, cls: SymbolRef, name: str) -> SymbolRef | None:
        facts = self.facts(cls.file)
        for row in self._declared(cls, _MEMBERS):
            if facts.strings[facts.definitions.name[row]] == name:
                return self.standing(SymbolRef(cls.file, row))
        return None

    def restated(self, member: SymbolRef, *, below: bool) -> tuple[SymbolRef, ...]:
        """The members of the name of a field in classes below; or the fields of the name of a member in those above."""
        key = member, below
        known = self._restated.get(key)
        if known is None:
            own = self.class_of(member) if self.kind(member) in _COMPUTED else None
            kin = () if own is None else self._below_class(own) if below else self._above_class(own)
            others = (self._member(cls, self.name(member)) for cls in kin)
            found = (one for one in others if one is not None)
            known = tuple(one for one in found if below or self.kind(one) == DefinitionKind.FIELD)
            self._restated[key] = known
        return known

    def filled_fields(self, cls: SymbolRef) -> Sequence[SymbolRef]:
        """The declared fields that a call of a class fills in their order, where no constructor is written."""
        known = self._filled.get(cls)
        if known is None:
            line = [*reversed(self._above_class(cls)), cls]
            written = any(one.definition in addresses(self.snapshot, one.file).constructors for one in line)
            fields = {} if written else {self.name(field): field for one in line for field in self._typed(one)}
            known = self._filled[cls] = tuple(fields.values())
        return known

    def _typed(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        table = self.facts(cls.file).definitions
        for row in self._declared(cls, (DefinitionKind.FIELD,)):
            if table.type[row] >= 0 and not table.flags[row] & DefinitionFlag.INSTANCE:
                yield self.standing(SymbolRef(cls.file, row))

    def families(self, member: SymbolRef) -> Iterator[SymbolRef]:
        """The classes whose objects may have a member: that which declares it, those above and below."""
        own = self.class_of(member)
        if own is not None:
            yield from (own, *self._above_class(own), *self._below_class(own))

    # ---- parameters

    def parameters(self, function: SymbolRef) -> Sequence[int]:
        """Rows of the parameters that calls fill, in order."""
        known = self._parameters.get(function)
        if known is None:
            table = self.facts(function.file).definitions
            body = table.body[function.definition]
            rows = [row for row in rows_with(table.scope, body) if table.kind[row] == DefinitionKind.PARAMETER]
            filled = [row for row in rows if not table.flags[row] & DefinitionFlag.RECEIVER]
            known = self._parameters[function] = filled if body >= 0 else ()
        return known

    def function_of(self, parameter: SymbolRef) -> SymbolRef | None:
        """The function whose parameter it is."""
        facts = self.facts(parameter.file)
        scope = facts.definitions.scope[parameter.definition]
        owner = facts.scopes.owner[scope]
        if owner < 0 or facts.scopes.kind[scope] != ScopeKind.FUNCTION:
            return None
        place = self.standing(SymbolRef(parameter.file, owner))
        return place if self.kind(place) in GIVING else None

    def is_called(self, use: Use) -> bool:
        """Whether a use is of what is called there."""
        return self.facts(use[0]).occurrences.role[use[1]] in (Role.CALL, Role.DECORATE, Role.RENDER)
