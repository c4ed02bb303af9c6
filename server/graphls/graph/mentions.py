"""Mentions: the files that can hold an edge to a place.

Owns: which names a place is known by, across imports, exports and assignments that rename it.
Must not know: what the mentions mean.
Invariant: a file that is not listed has no occurrence that is linked to the place, unless `cut` says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Final

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import PREFIX, import_key, marked_key
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.links import OWN_FILE, Links
from graphls.facts.paths import FilePath
from graphls.graph.inherited_runs import names_running
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.nodes import container, last_name, outer_functions, passed_occurrence
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import End, Snapshot, SymbolRef, rows_of
from graphls.graph.unnamed_runs import answers_any_name
from graphls.languages.registry import constructors

_DEFAULT: Final = "default"
_AS_DEFAULT = int(DefinitionFlag.DEFAULT_EXPORT)
_IMPORT = int(DefinitionKind.IMPORT)
_FEW = 20
_MANY = 0.1
"""Of files without links, the part from which on reading all links of an earlier run is less work than a look at each
file that spells a name."""
MAX_NAMES = 300
"""Names followed for one place: a thing with more aliases is not worth the search, and the answer says so."""
_MEMO: Final = MemoTable["tuple[SymbolRef, Set[End]]", "tuple[int, Mentions]"]("mentions")
_PASSED: Final = Memo["Mapping[str, Sequence[int]]"]("bindings by what they pass on", rests_on_links=False)
_OTHER: Final = 0
_GIVEN: Final = 1
_MEANT: Final = 2
_NOTHING: Mapping[FilePath, Collection[str]] = {}


@attrs.frozen(eq=False)
class Mentions:
    """Where edges to a place may be."""

    files: tuple[FilePath, ...]
    """Sorted; the place's own file is always one of them."""
    names: tuple[str, ...]
    """What the place is called, by itself and in files that rename it; complete only as far as `unsure` needs it."""
    unsure: Set[FilePath]
    """Those of `files` that are not linked yet: only their occurrences of `names_in` have to be looked at."""
    aliases: Collection[str] = ()
    """Those of the names under which imports and exports give it to other files."""
    bound: Mapping[FilePath, Collection[str]] = _NOTHING
    """Names that single files give it for themselves."""
    cut: bool = False
    """It has more names than were followed."""

    def names_in(self, path: FilePath) -> Collection[str]:
        """What a file may call the place."""
        own = self.bound.get(path)
        return self.names if own is None else (*self.names, *own)


def files_mentioning(snapshot: Snapshot, place: SymbolRef, ends: Collection[End]) -> Mentions:
    """Files to look at for edges to a place that links know as any of `ends`."""
    reaching = snapshot.reaching(ends)
    if _spell_it(snapshot, place, reaching.unsure) > max(_FEW, len(reaching.unsure) * _MANY):
        snapshot.take_in_links()
        reaching = snapshot.reaching(ends)
    linked = {place.file, *reaching.files}
    if not reaching.unsure:
        return Mentions(tuple(sorted(linked)), (), frozenset(), _aliases(snapshot.renamed(ends)))
    memo = _MEMO.of(snapshot)
    key: tuple[SymbolRef, Set[End]] = (place, frozenset(ends))
    known = memo.get(key)
    if known is not None and known[0] == len(reaching.unsure):
        return known[1]
    search = _MentionSearch(snapshot, place, key[1], reaching.unsure)
    search.run()
    files = {*linked, *search.files}
    found = Mentions(
        tuple(sorted(files)),
        tuple(search.names),
        frozenset(files & reaching.unsure),
        tuple(search.aliases),
        search.bound,
        search.cut,
    )
    memo[key] = len(reaching.unsure), found
    return found


def _spell_it(snapshot: Snapshot, place: SymbolRef, unsure: Set[FilePath]) -> int:
    """How many of some files spell a name of the place."""
    if len(unsure) <= _FEW or not snapshot.shards[place.file].language:
        return 0
    return sum(path in unsure for name in _names_of(snapshot, place) for path in snapshot.files_with_name(name))


def with_name(snapshot: Snapshot, unsure: Set[FilePath], name: str) -> Iterator[FilePath]:
    """Those of some files that mention a name or import by a key; a few are quicker looked at than found among all."""
    if len(unsure) <= _FEW:
        return (path for path in sorted(unsure) if has_name(snapshot.facts(path), name))
    return (path for path in snapshot.files_with_name(name) if path in unsure)


def has_name(facts: FileFacts, name: str) -> bool:
    """Whether a file mentions a name, or imports by a key."""
    if name.startswith(PREFIX):
        return any(import_key(facts.strings[module]) == name[1:] for module in set(facts.imports.module))
    return name in facts.strings


def _aliases(renamed: Mapping[FilePath, Collection[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in renamed.values() for name in names if name != _DEFAULT))


class _MentionSearch:
    """Follows a place from file to file by the names that it is given. Only what links confirm is followed."""

    def __init__(self, snapshot: Snapshot, place: SymbolRef, ends: Set[End], unsure: Set[FilePath]) -> None:
        self._snapshot = snapshot
        self._place = place
        self._ends = ends
        self._unsure = unsure
        self.names: dict[str, None] = {}
        self.aliases: dict[str, None] = {}
        self.files: set[FilePath] = set()
        self.bound: dict[FilePath, dict[str, None]] = {}
        self.cut = False
        self._given_back = _giving_back(snapshot, place)
        """The functions around it: calling one of them may give it back."""
        self._modules: dict[FilePath, None] = {}
        """Modules that give it to importers who choose a name of their own."""

    def run(self) -> None:
        place = self._place
        for name in _names_of(self._snapshot, place):
            self._name(name)
        self.files.update(self._every_file())
        if place.definition < 0:
            self._modules[place.file] = None
            self.files.update(path for path in _beneath(self._snapshot, place.file) if path in self._unsure)
        elif self._snapshot.facts(place.file).definitions.flags[place.definition] & _AS_DEFAULT:
            self._modules[place.file] = None
        for name in self._given_back:
            self._name(name)
        for name in tuple(self.names):
            self._look(place.file, name)
        for path, names in self._snapshot.renamed(self._ends).items():
            for name in names:
                self._add_alias(path, name)
        named = modules = 0
        while named < len(self.names) or modules < len(self._modules):
            for name in tuple(self.names)[named:]:
                named += 1
                for path in with_name(self._snapshot, self._unsure, name):
                    spend()
                    self.files.add(path)
                    self._look(path, name)
            for module in tuple(self._modules)[modules:]:
                modules += 1
                self._imported_from(module)
        self._run_by_libraries()
        self._named_by_others()

    def _named_by_others(self) -> None:
        """Files of languages that use the place by name, and may call it as they call such declarations."""
        known = self._snapshot.capabilities(self._place.file)
        if known is None or known.interop_names is None:
            return
        kind = self._kind()
        for name in _names_of(self._snapshot, self._place):
            for other in set(known.interop_names(name)) - {name}:
                for path in with_name(self._snapshot, self._unsure, other):
                    if known.is_named_otherwise(self._snapshot.shards[path].language, kind):
                        spend()
                        self.files.add(path)
                        self.bound.setdefault(path, {})[other] = None

    def _kind(self) -> int:
        place = self._place
        return NONE if place.definition < 0 else self._snapshot.facts(place.file).definitions.kind[place.definition]

    def _run_by_libraries(self) -> None:
        """Members of libraries that run the place, words that name it. Where else these lead is not followed."""
        running, whole = names_running(self._snapshot, self._place)
        self.cut = self.cut or not whole
        for name in running:
            self._name(name)
            self.files.update(with_name(self._snapshot, self._unsure, name))
        for name in constructor_words(self._snapshot, self._place):
            self._name(name)  # in files that spell the class

    def _every_file(self) -> Iterator[FilePath]:
        """Those of the language, where code may run the place without spelling anything of it."""
        if answers_any_name(self._snapshot, self._place):
            language = self._snapshot.shards[self._place.file].language
            yield from (path for path in self._unsure if self._snapshot.shards[path].language == language)

    def _name(self, name: str) -> None:
        if name and name not in self.names:
            if len(self.names) >= MAX_NAMES:
                self.cut = True
            else:
                self.names[name] = None

    def _add_alias(self, path: FilePath, name: str) -> None:
        """A file gives the place to others under a name."""
        if name == _DEFAULT:
            self._modules[path] = None
        else:
            self.aliases[name] = None
            self._name(name)

    def _look(self, path: FilePath, name: str) -> None:
        """How a file that knows the place by a name passes it on."""
        facts = self._snapshot.facts(path)
        if self._given_back:
            for other in _giving_on(facts, name):
                self._name(other)
        passed = _PASSED.once(self._snapshot.shards[path], lambda: _passed_on(facts))
        for row in passed.get(name, ()):
            if facts.definitions.kind[row] != _IMPORT:
                self._name(facts.strings[facts.definitions.name[row]])
            else:
                self._bring(path, facts, row)

    def _bring(self, path: FilePath, facts: FileFacts, row: int) -> bool:
        """Follows a binding that stands for the place, or for what was given it; whether it does."""
        how = self._denoted(path, facts, row)
        if how == _GIVEN and facts.definitions.surface[row] >= 0:
            # Uses of that name mean what was given the place; some of them lead on to it.
            name = facts.strings[facts.definitions.name[row]]
            if name == _DEFAULT:
                self._modules[path] = None
            else:
                self._name(name)
        elif how:
            self._bound(path, facts, row)
        return bool(how)

    def _bound(self, path: FilePath, facts: FileFacts, row: int) -> None:
        table = facts.definitions
        name = facts.strings[table.name[row]]
        if table.flags[row] & _AS_DEFAULT or name == _DEFAULT:
            self._modules[path] = None
        elif table.surface[row] >= 0:
            self._add_alias(path, name)
        elif name not in self.bound.setdefault(path, {}):
            self.bound[path][name] = None
            self._look(path, name)

    def _imported_from(self, module: FilePath) -> None:
        """Files that import a module's default, or the module as a whole, and call that as they like."""
        for key in _keys(self._snapshot, module):
            for path in with_name(self._snapshot, self._unsure, marked_key(key)):
                spend()
                facts = self._snapshot.facts(path)
                if self._place.definition < 0:
                    self.files.add(path)
                    continue
                for row in _whole(facts, key):
                    if self._bring(path, facts, row):
                        self.files.add(path)
                if _index(facts, _DEFAULT) >= 0:
                    # `import("./module")` gives all of it: the default is a member then.
                    self.files.add(path)
                    self.bound.setdefault(path, {})[_DEFAULT] = None

    def _denoted(self, path: FilePath, facts: FileFacts, row: int) -> int:
        """Whether a binding stands for the place, or for what was given it, by the links of what it names."""
        use = passed_occurrence(facts, row)
        if use == NONE:
            return _OTHER
        links = self._snapshot.links_at(path, (use,))
        return max((self._target(path, links, target) for target in rows_of(links.targets, use)), default=_OTHER)

    def _target(self, path: FilePath, links: Links, target: int) -> int:
        file, symbol = links.targets.file[target], links.targets.symbol[target]
        if file == OWN_FILE and symbol >= 0:
            column = self._snapshot.facts(path).definitions.surface
            found = path == self._place.file and (path, column[symbol]) in self._ends
            return _MEANT if found else _OTHER
        if symbol < -1:
            return _OTHER
        end = FilePath(links.files[file]), symbol
        if end in self._ends:
            return _MEANT
        return _GIVEN if symbol >= 0 and self._is_given(*end) else _OTHER

    def _is_given(self, path: FilePath, symbol: int) -> bool:
        """Whether a variable or a member is given what the place is called: whoever uses it may mean the place."""
        row = self._snapshot.definition_of_symbol(path, symbol)
        if row < 0:
            return False
        facts = self._snapshot.facts(path)
        return facts.definitions.kind[row] != _IMPORT and last_name(facts, facts.definitions.value[row]) in self.names


def _passed_on(facts: FileFacts) -> Mapping[str, Sequence[int]]:
    """Names -> the bindings that give what is called so to other files, or import it, under another name."""
    table, strings = facts.definitions, facts.strings
    found: dict[str, list[int]] = {}
    for row, value in enumerate(table.value):
        if value >= 0 and (table.kind[row] == _IMPORT or table.surface[row] >= 0):
            name = last_name(facts, value)
            if name and name != strings[table.name[row]]:
                found.setdefault(name, []).append(row)
    return found


def _giving_back(snapshot: Snapshot, place: SymbolRef) -> tuple[str, ...]:
    """Names of the functions around a function that give it back."""
    if place.definition < 0 or not snapshot.shards[place.file].language:
        return ()
    facts = snapshot.facts(place.file)
    return tuple(facts.strings[facts.definitions.name[row]] for row in outer_functions(facts, place.definition))


def _giving_on(facts: FileFacts, name: str) -> Iterator[str]:
    """Names of the definitions of a file that have a decorator of this name, which may put something in their place,
    and of the functions that give back what this name gives."""
    index = _index(facts, name)
    strings, names = facts.strings, facts.definitions.name
    for use in rows_with(facts.decorators.name, index) if index >= 0 else ():
        row = facts.decorators.definition[use]
        if row >= 0:
            yield strings[names[row]]
    for expression, row in zip(facts.returns.expression, facts.returns.definition, strict=True):
        if index >= 0 and expression >= 0 and last_name(facts, expression) == name:
            yield strings[names[row]]


def _whole(facts: FileFacts, key: str) -> Iterator[int]:
    """Bindings of the default of a module with this key, or of the whole of it."""
    imports, strings = facts.imports, facts.strings
    for definition, name, module in zip(imports.definition, imports.name, imports.module, strict=True):
        if definition >= 0 and (name < 0 or strings[name] == _DEFAULT) and import_key(strings[module]) == key:
            yield definition


def _keys(snapshot: Snapshot, module: FilePath) -> Collection[str]:
    known, table = snapshot.capabilities(module), snapshot.modules.get(snapshot.shards[module].language)
    if known is None or known.import_keys is None or table is None:
        return ()
    return known.import_keys(table.aliases, module)


def _index(facts: FileFacts, name: str) -> int:
    try:
        return facts.strings.index(name)
    except ValueError:
        return NONE


def _names_of(snapshot: Snapshot, place: SymbolRef) -> Iterator[str]:
    facts = snapshot.facts(place.file)
    if place.definition < 0:
        known = snapshot.capabilities(place.file)
        if known is None or known.import_keys is None:
            yield snapshot.module_name(place.file).dotted.rpartition(".")[2]
        return
    name = facts.strings[facts.definitions.name[place.definition]]
    if name != _DEFAULT:
        yield name
    owner = container(facts, place.definition)
    if name in constructors() and owner >= 0:
        yield facts.strings[facts.definitions.name[owner]]


def constructor_words(snapshot: Snapshot, place: SymbolRef) -> tuple[str, ...]:
    """By which words, beside its name, code may name a constructor."""
    known = snapshot.capabilities(place.file)
    if place.definition < 0 or known is None or not known.constructor_words:
        return ()
    table = snapshot.facts(place.file).definitions
    owner = container(snapshot.facts(place.file), place.definition)
    is_method = table.kind[place.definition] == DefinitionKind.METHOD
    is_constructor = is_method and owner >= 0 and table.name[owner] == table.name[place.definition]
    return known.constructor_words if is_constructor else ()


def _beneath(snapshot: Snapshot, package: FilePath) -> Iterator[FilePath]:
    """Files inside a package: `from . import x` means the package without naming it."""
    name = snapshot.module_name(package)
    table = snapshot.modules.get(snapshot.shards[package].language)
    if name.package and table:
        prefix = f"{name.dotted}."
        yield from (path for path, other in table.names.items() if other.dotted.startswith(prefix))
