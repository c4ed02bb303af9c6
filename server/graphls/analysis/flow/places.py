"""Places: what the uses of a workspace mean and where its places are used, as flow needs it.

Owns: graphls' own answer for a use, the uses of a place with their files, the functions that a call of one may run.
Must not know: what is passed, what follows.
Invariant: a place is given by the row that stands for it; what a checker said has no part in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Final
from weakref import proxy

import attrs

from graphls.analysis.flow.class_members import FUNCTIONS, GIVING, ClassMembers, TooManyError
from graphls.analysis.flow.functional_calls import FunctionalCalls
from graphls.analysis.flow.library_names import GIVING_BACK, WRAPPING
from graphls.analysis.flow.passing import FilePassing, passing_of
from graphls.analysis.flow.values import Takes, written_use
from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    DefinitionFlag,
    DefinitionKind,
    EdgeKind,
    ExpressionKind,
    OccurrenceFlag,
    Role,
    ScopeKind,
)
from graphls.facts.links import EXTERNAL, Links
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edges import edges_of_kinds, override_line
from graphls.graph.evidence import KINDS
from graphls.graph.linked_uses import NO_BASES, Bases, Use, extends, linked_bases, linked_end, linked_heirs, linked_uses
from graphls.graph.memo import Memo, add_view
from graphls.graph.mentions import constructor_words
from graphls.graph.nodes import container, last_name, outer_functions, use_at
from graphls.graph.snapshot import Snapshot, SymbolRef, rows_of
from graphls.linking.libraries import Libraries

MOST_USES: Final = 1000
"""Uses of one place that are looked at; what is used more often may hold anything."""
_CALLING: Final = frozenset(("calls",))
_USING: Final = frozenset(
    (
        EdgeKind.CALLS,
        EdgeKind.INSTANTIATES,
        EdgeKind.ACCESSES,
        EdgeKind.REFERENCES,
        EdgeKind.DECORATES,
        EdgeKind.RENDERS,
        EdgeKind.TYPE_REF,
    )
)
_EDGES: Final = frozenset(KINDS[kind] for kind in _USING)
_PLAIN: Final = frozenset((Role.CALL, Role.IMPORT, Role.EXPORT, Role.WRITE, Role.DELETE, Role.TYPE, Role.KEYWORD))
"""What a use does that hands nothing on."""
RUNNING: Final = FUNCTIONS | {DefinitionKind.CLASS}
HOLDING: Final = frozenset(
    (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD, DefinitionKind.PARAMETER)
)


_DECLARED: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.FIELD))
_TYPES: Final = frozenset((DefinitionKind.INTERFACE, DefinitionKind.TYPE_ALIAS))
_STANDING: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.FIELD))
_NAMING_VALUES: Final = frozenset((DefinitionKind.VARIABLE, DefinitionKind.CONSTANT))
_WRAPPING: Final = GIVING_BACK | WRAPPING
_WRITTEN: Final = frozenset((ExpressionKind.FUNCTION, ExpressionKind.LAMBDA))
_MOST_AT_HAND: Final = 64
_POSITIONS: Final = tuple(str(position) for position in range(8))


_VIEW: Final = Memo["Snapshot"]("what flow reads", rests_on_links=False)
"""One for a snapshot: of what was found by it, some goes and is found again."""


def flow_view(snapshot: Snapshot) -> Snapshot:
    """What flow reads of a snapshot: own links alone, without what is derived."""
    known = _VIEW.get(snapshot)
    if known is not None:
        return known
    view = attrs.evolve(snapshot, verification=None, derivation=None)
    add_view(snapshot, view)
    return _VIEW.put(snapshot, view)


class Places:
    """Meanings and uses in one snapshot; remembers what it looked up."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = flow_view(snapshot)
        self._facts: dict[FilePath, FileFacts] = {}
        self._passing: dict[FilePath, FilePassing] = {}
        self._meant: dict[FilePath, dict[int, tuple[SymbolRef, ...]]] = {}
        self._whole: dict[FilePath, Links] = {}
        self._bases: dict[FilePath, Bases] = {}
        self._making: dict[FilePath, Mapping[int, int]] = {}
        self._uses: dict[SymbolRef, tuple[Use, ...]] = {}
        self._outside: dict[Use, Set[str]] = {}
        self._outside_members: dict[Use, Mapping[str, Set[str]]] = {}
        self._spelled: dict[tuple[FilePath, int], dict[SymbolRef, list[int]]] = {}
        """Uses of one name in a file, by what they may mean."""
        self._parameters: dict[SymbolRef, Sequence[int]] = {}
        self._related: dict[tuple[SymbolRef, bool], tuple[SymbolRef, ...]] = {}
        self.classes = ClassMembers(proxy(self))
        self.functional = FunctionalCalls(proxy(self))

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

    def canonical(self, place: SymbolRef) -> SymbolRef:
        """The place that stands for all bindings of its name."""
        if place.definition < 0:
            return place
        return SymbolRef(place.file, addresses(self.snapshot, place.file).rows[place.definition])

    def kind(self, place: SymbolRef) -> int:
        """DefinitionKind of a place; -1 for a module."""
        if place.definition < 0:
            return -1
        return self.facts(place.file).definitions.kind[place.definition]

    def makes_objects(self, place: SymbolRef) -> bool:
        """Whether it is a class, or a function of which `new` makes objects that have members."""
        kind = self.kind(place)
        return kind == DefinitionKind.CLASS or (
            kind == DefinitionKind.FUNCTION and place.definition in self._constructors(place.file)
        )

    def instance_scope(self, cls: SymbolRef) -> int:
        """The scope that binds what objects of a class, or of such a function, have; -1 for none."""
        if self.kind(cls) == DefinitionKind.CLASS:
            return self.facts(cls.file).definitions.body[cls.definition]
        return self._constructors(cls.file).get(cls.definition, -1)

    def _constructors(self, path: FilePath) -> Mapping[int, int]:
        """The functions of a file that make objects, with the scopes of these."""
        known = self._making.get(path)
        if known is None:
            facts = self.facts(path)
            owners = zip(facts.scopes.owner, facts.scopes.kind, strict=True)
            found = {owner: scope for scope, (owner, kind) in enumerate(owners) if kind == ScopeKind.CLASS}
            kinds = facts.definitions.kind
            known = {row: scope for row, scope in found.items() if row >= 0 and kinds[row] == DefinitionKind.FUNCTION}
            self._making[path] = known
        return known

    def rows(self, place: SymbolRef) -> Sequence[int]:
        """All bindings that a place stands for."""
        return addresses(self.snapshot, place.file).rows_where("rows", place.definition)

    def prepare(self, path: FilePath, uses: Collection[int]) -> None:
        """Looks up several uses at once."""
        known = self._meant.setdefault(path, {})
        missing = sorted({use for use in uses if use >= 0 and use not in known})
        if not missing:
            return
        links = self._whole_links(path) or self.snapshot.own_links_at(path, missing)
        for use in missing:
            known[use] = tuple(dict.fromkeys(self._targets(path, links, use)))

    def _whole_links(self, path: FilePath) -> Links | None:
        """All links of a file, if they were made before."""
        links = self._whole.get(path) or self.snapshot.known_links(path)
        if links is not None:
            self._whole[path] = links
        return links

    def bases(self, path: FilePath) -> Bases | None:
        """What the classes of a file extend; None while its links are not known."""
        known = self._bases.get(path)
        if known is None:
            links = self._whole_links(path)
            known = None if links is None else linked_bases(self.snapshot, path, links)
            if known is not None:
                self._bases[path] = known
        return known

    def heirs(self, cls: SymbolRef) -> Sequence[SymbolRef] | None:
        """The classes that extend one; None while a file that may have one is not linked."""
        return linked_heirs(self.snapshot, cls, self._bases_with)

    def _bases_with(self, path: FilePath, cls: SymbolRef) -> Bases:
        """What the classes of a file extend, if one of them extends this one."""
        links = self._whole_links(path) if path not in self._bases else None
        if links is not None and not extends(self.snapshot, path, links, cls):
            return NO_BASES
        return self.bases(path) or NO_BASES

    def linked_constructs(self, path: FilePath, rows: Sequence[int]) -> Mapping[int, Sequence[SymbolRef]]:
        """Those of some constructs of which links say what they run, with what of the workspace they run."""
        links = self._whole_links(path)
        if links is None:
            owners = {self.facts(path).constructs.owner[row] for row in rows}
            uses = self.facts(path).occurrences.owner
            mine = [use for use, owner in enumerate(uses) if owner in owners]
            links = self.snapshot.own_links_at(path, mine, constructs=True)
        wanted, found = set(rows), dict[int, list[SymbolRef]]()
        for index, row in enumerate(links.implicit.occurrence):
            end = linked_end(self.snapshot, path, links, links.implicit, index) if row in wanted else None
            if end is not None:
                found.setdefault(row, []).append(end)
        return found

    def constructs_running(self, method: SymbolRef) -> Iterator[tuple[FilePath, int]]:
        """The inverse: constructs of which links say that they run a method; maybe others in the same places."""
        for edge in edges_of_kinds(self.snapshot, method, _CALLING, incoming=True):
            for file, start, end in edge.sites if edge.attributes.get("implicit") else ():
                table = self.facts(file).constructs
                yield from ((file, row) for row in rows_with(table.start, start) if table.end[row] == end)

    def meant(self, path: FilePath, use: int) -> tuple[SymbolRef, ...]:
        """The places in the workspace that a use may mean."""
        if use < 0:
            return (self.canonical(SymbolRef(path, written_use(use))),)
        known = self._meant.get(path)
        if known is None or use not in known:
            self.prepare(path, (use,))
        return self._meant[path][use]

    def libraries(self, path: FilePath) -> Libraries | None:
        """Those that the language of a file has."""
        table = self.snapshot.modules.get(self.snapshot.shards[path].language)
        return None if table is None else table.libraries

    def called_outside(self, path: FilePath, use: int) -> Set[str]:
        """The arguments of a call that a function of a library calls: positions and names."""
        known = self._outside.get((path, use))
        if known is None:
            libraries = self.libraries(path)
            outside = tuple(self.externals(path, use))
            called = () if libraries is None else map(libraries.called_arguments, outside)
            language = self.snapshot.capabilities(path)
            calls = None if language is None else language.calls_given
            everywhere = _POSITIONS if calls is not None and any(map(calls, outside)) else ()
            known = self._outside[path, use] = frozenset((*everywhere, *(name for names in called for name in names)))
        return known

    def members_called_outside(self, path: FilePath, use: int) -> Mapping[str, Set[str]]:
        """Arguments of a call, by position and name -> the members that a function of a library calls on these."""
        known = self._outside_members.get((path, use))
        if known is None:
            libraries, found = self.libraries(path), dict[str, set[str]]()
            for called in () if libraries is None else map(libraries.called_members, self.externals(path, use)):
                for argument, members in called.items():
                    found.setdefault(argument, set()).update(members)
            known = self._outside_members[path, use] = found
        return known

    def externals(self, path: FilePath, use: int) -> Iterator[str]:
        """The dotted names of what a use means outside of the workspace."""
        links = self._whole_links(path) or self.snapshot.own_links_at(path, (use,))
        for row in rows_of(links.targets, use):
            if links.targets.symbol[row] == EXTERNAL:
                yield links.externals[links.targets.file[row]]

    def _targets(self, path: FilePath, links: Links, use: int) -> Iterator[SymbolRef]:
        for row in rows_of(links.targets, use):
            end = linked_end(self.snapshot, path, links, links.targets, row)
            if end is not None:
                yield end

    def is_local(self, place: SymbolRef) -> bool:
        """Whether no other scope can write to it."""
        return addresses(self.snapshot, place.file).slots[place.definition] < 0

    def uses(self, place: SymbolRef) -> tuple[Use, ...]:
        """The uses that may mean a place, for what is written or given there. Raises TooManyError."""
        found = self.every_use(place)
        if len(found) > MOST_USES:
            raise TooManyError
        return found

    def every_use(self, place: SymbolRef) -> tuple[Use, ...]:
        """The same without a bound: what a class or function is used for is one list, however long."""
        if place not in self._uses:
            self._uses[place] = tuple(self._find_uses(place))
        return self._uses[place]

    def _find_uses(self, place: SymbolRef) -> Iterator[Use]:
        there = addresses(self.snapshot, place.file)
        if there.slots[place.definition] < 0:
            yield from self._uses_of_local(place)
            return
        uses = linked_uses(self.snapshot, place, _USING)
        if uses is None:
            uses = self._uses_by_edges(place)
        for use in dict.fromkeys(uses):
            if use[1] >= 0 and place in self.meant(*use):
                yield use

    def _uses_by_edges(self, place: SymbolRef) -> Iterator[Use]:
        """The same while files are not linked."""
        for edge in edges_of_kinds(self.snapshot, place, _EDGES, incoming=True):
            for file, start, _ in () if edge.attributes.get("implicit") else edge.sites:
                yield file, use_at(self.facts(file), start)

    def _uses_of_local(self, place: SymbolRef) -> Iterator[Use]:
        facts = self.facts(place.file)
        name = facts.definitions.name[place.definition]
        known = self._spelled.get((place.file, name))
        if known is None:
            named = facts.occurrences.rows_where("name", name)
            self.prepare(place.file, named)
            known = dict[SymbolRef, list[int]]()
            for use in named:
                for meant in self.meant(place.file, use):
                    known.setdefault(meant, []).append(use)
            self._spelled[place.file, name] = known
        yield from [(place.file, use) for use in known.get(place, ())]

    def above(self, method: SymbolRef) -> tuple[SymbolRef, ...]:
        """A function, and what it overrides: a call of any of these may run it."""
        return self._overriding(method, below=False)

    def below(self, method: SymbolRef) -> tuple[SymbolRef, ...]:
        """A function, and what overrides it."""
        return self._overriding(method, below=True)

    def given_for(self, declared: SymbolRef) -> Sequence[SymbolRef]:
        """The members of literals that stand for a declared member and hold what runs where that is called."""
        found = self._overriding(declared, below=True) if self._is_declared(declared) else ()
        return [one for one in found if self._is_given(one)]

    def declared_for(self, given: SymbolRef) -> Sequence[SymbolRef]:
        """The inverse: the declared members that a member of a literal stands for."""
        found = self.above(given) if self._is_given(given) else ()
        return [one for one in found if one != given and self._is_declared(one)]

    def _is_declared(self, member: SymbolRef) -> bool:
        """Whether it is one of a type, without code of its own."""
        if self.kind(member) not in _DECLARED or not self._stands_in(member.file):
            return False
        known = self.snapshot.capabilities(member.file)
        if known is not None and known.declaration_endings and member.file.endswith(known.declaration_endings):
            return True
        facts = self.facts(member.file)
        around = container(facts, member.definition)
        return around >= 0 and facts.definitions.kind[around] in _TYPES

    def _is_given(self, place: SymbolRef) -> bool:
        if self.kind(place) != DefinitionKind.FIELD or not self._stands_in(place.file):
            return False
        facts = self.facts(place.file)
        return facts.scopes.kind[facts.definitions.scope[place.definition]] == ScopeKind.OBJECT

    def _stands_in(self, path: FilePath) -> bool:
        """Whether functions and members of literals may stand for members in the language of a file."""
        known = self.snapshot.capabilities(path)
        return known is not None and known.keys_name_methods

    def _overriding(self, method: SymbolRef, *, below: bool) -> tuple[SymbolRef, ...]:
        known = self._related.get((method, below))
        if known is None:
            kind = self.kind(method)
            has_kin = kind == DefinitionKind.METHOD or (kind in _STANDING and self._stands_in(method.file))
            known = override_line(self.snapshot, method, incoming=below) if has_kin else (method,)
            self._related[method, below] = known
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
            constructor = self.classes.constructor(place)
            if constructor is not None:
                yield constructor

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
        if any(row in facts.decorators.definition for row in self.rows(place)) or self.is_written_value(place):
            return True
        name = facts.strings[facts.definitions.name[place.definition]]
        words = (name, *constructor_words(self.snapshot, place))
        if any(self._is_read(path, word) for path in self.snapshot.files_with_name(name) for word in words):
            return True
        if self.kind(place) == DefinitionKind.CLASS:
            return next(self.classes.receivers(place, Takes.VALUE), None) is not None
        if self.kind(place) != DefinitionKind.METHOD:
            return False
        return next(self.classes.computing(place), None) is not None or bool(self.classes.restated(place, below=False))

    def is_written_value(self, place: SymbolRef) -> bool:
        """Whether a function is written where its value is handed on."""
        kind = self.kind(place)
        is_function = kind == DefinitionKind.FUNCTION or (
            kind == DefinitionKind.METHOD and self.functional.is_known_in(place.file)
        )
        return is_function and written_use(place.definition) in self.passing(place.file).ways

    def is_given_away(self, place: SymbolRef) -> bool:
        """Whether uses of a function or class, or decorators above it, hand it on."""
        if any(row in self.facts(place.file).decorators.definition for row in self.rows(place)):
            return True
        if self.is_written_value(place):
            return True
        return any(self._hands_on(file, use) for file, use in self.uses(place))

    def _hands_on(self, path: FilePath, use: int) -> bool:
        """Whether a use hands on what it names; a function that does nothing but call it stands for it."""
        uses = self.facts(path).occurrences
        if uses.role[use] not in _PLAIN or uses.flags[use] & OccurrenceFlag.REFERRED:
            return True
        if uses.role[use] != Role.CALL or not self.functional.is_known_in(path):
            return False
        return any(way.takes == Takes.VALUE for way in self.passing(path).ways.of(use))

    def _is_read(self, path: FilePath, name: str) -> bool:
        if not self.snapshot.shards[path].language:
            return False
        facts = self.facts(path)
        number = facts.strings.index(name) if name in facts.strings else -1
        uses, imports = facts.occurrences, facts.imports
        if any(self._hands_on(path, use) for use in uses.rows_where("name", number)):
            return True
        brought = (imports.definition[row] for row in rows_with(imports.name, number))
        return any(row >= 0 and facts.definitions.name[row] != number for row in brought)

    def name(self, place: SymbolRef) -> str:
        """That of a definition."""
        facts = self.facts(place.file)
        return facts.strings[facts.definitions.name[place.definition]]

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
        place = self.canonical(SymbolRef(parameter.file, owner))
        return place if self.kind(place) in GIVING else None

    def is_wrapped_function(self, place: SymbolRef) -> bool:
        """Whether a variable is what wraps a function that is written out there, so that it stands for the function:
        `const Row = forwardRef((props, ref) => ...)`."""
        if self.kind(place) not in _NAMING_VALUES:
            return False
        facts = self.facts(place.file)
        table, expressions = facts.definitions, facts.expressions
        for row in self.rows(place):
            value = table.value[row]
            if value < 0 or expressions.kind[value] != ExpressionKind.CALL:
                continue
            callee, given = expressions.a[value], facts.list_at(expressions.b[value])
            if given and last_name(facts, callee) in _WRAPPING and expressions.kind[given[0]] in _WRITTEN:
                return True
        return False

    def is_called(self, use: Use) -> bool:
        """Whether a use is of what is called there."""
        table = self.facts(use[0]).occurrences
        is_referred = table.flags[use[1]] & OccurrenceFlag.REFERRED
        return table.role[use[1]] in (Role.CALL, Role.DECORATE, Role.RENDER) and not is_referred
