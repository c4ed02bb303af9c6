"""Made properties: members of classes that a call makes of functions, and what using these members runs.

Owns: which members those are, by the calls of libraries that make properties.
Must not know: who uses the members, edges, any language.
Invariant: a member is made so only where the call stands as its value; what the call is given must be a function by
    name.

    class Response:
        def get_data(self): ...
        data = property(get_data)     # reading `data` runs `get_data`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, NamedTuple, TypeAlias

from graphls.analysis.flow.class_members import FIELDS
from graphls.analysis.flow.places import Places
from graphls.analysis.flow.values import Destination, Leaf, Takes
from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import SymbolRef

_RUNS: TypeAlias = Mapping[int, tuple[SymbolRef, ...]]
"""Roles of uses -> what they run."""
_FUNCTIONS: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.FUNCTION))
_NOTHING: Final[_RUNS] = {}


class _Members(NamedTuple):
    """Of one language: what the members are called, and functions -> the members that are made of them."""

    names: Set[str]
    made_of: Mapping[SymbolRef, Sequence[SymbolRef]]


class MadeProperties:
    """Those of one snapshot; remembers what it looked up."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._in_files: dict[FilePath, Mapping[SymbolRef, _RUNS]] = {}
        self._by_language: dict[str, _Members] = {}

    def names(self, path: FilePath) -> Set[str]:
        """What members made so are called in files of the language of one."""
        return self._all(path).names

    def _files(self, path: FilePath) -> Iterator[FilePath]:
        """Files of the language of one that may make such members."""
        snapshot = self._places.snapshot
        language, known = snapshot.shards[path].language, snapshot.capabilities(path)
        words = () if known is None else sorted({_last(dotted) for dotted in known.property_makers})
        for file in dict.fromkeys(file for word in words for file in snapshot.files_with_name(word)):
            if snapshot.shards[file].language == language:
                yield file

    def run_by(self, member: SymbolRef, role: int) -> tuple[SymbolRef, ...]:
        """The functions that a use of a member runs, by the role of the use."""
        if self._places.kind(member) not in FIELDS:
            return ()
        return self._of(member.file).get(member, _NOTHING).get(role, ())

    def made_of(self, function: SymbolRef) -> Sequence[SymbolRef]:
        """The members that are made of a function."""
        return self._all(function.file).made_of.get(function, ())

    def _all(self, path: FilePath) -> _Members:
        """Those in files of the language of one."""
        language = self._places.snapshot.shards[path].language
        found = self._by_language.get(language)
        if found is None:
            names, made_of = set[str](), dict[SymbolRef, list[SymbolRef]]()
            for member, runs in (one for file in self._files(path) for one in self._of(file).items()):
                names.add(self._places.name(member))
                for function in dict.fromkeys(one for functions in runs.values() for one in functions):
                    made_of.setdefault(function, []).append(member)
            found = self._by_language[language] = _Members(names, made_of)
        return found

    def _of(self, path: FilePath) -> Mapping[SymbolRef, _RUNS]:
        found = self._in_files.get(path)
        if found is None:
            spend()
            found = self._in_files[path] = dict(self._read(path))
        return found

    def _read(self, path: FilePath) -> Iterator[tuple[SymbolRef, _RUNS]]:
        places, known = self._places, self._places.snapshot.capabilities(path)
        facts = places.facts(path)
        for dotted, arguments in () if known is None else known.property_makers.items():
            for use in _calls(facts, _last(dotted)):
                if dotted not in places.externals(path, use):
                    continue
                runs = {role: tuple(self._given(path, use, *where)) for role, where in arguments.items()}
                for way in places.passing(path).ways.of(use):
                    if way.destination == Destination.BOUND and not way.inside:
                        yield places.canonical(SymbolRef(path, way.row)), runs

    def _given(self, path: FilePath, use: int, position: int, keyword: str) -> Iterator[SymbolRef]:
        """The functions that a call is given as one argument."""
        places = self._places
        for argument in places.passing(path).given.of(use):
            if argument.keyword == keyword or (not argument.keyword and argument.position == position):
                for leaf in filter(_is_value, argument.leaves):
                    yield from (one for one in places.meant(path, leaf.use) if places.kind(one) in _FUNCTIONS)


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def _is_value(leaf: Leaf) -> bool:
    return leaf.use >= 0 and leaf.takes in (Takes.VALUE, Takes.BARE) and not leaf.inside


def _calls(facts: FileFacts, word: str) -> Iterator[int]:
    """Uses of a file that call a plain name."""
    if word in facts.strings:
        uses = facts.occurrences
        for use in rows_with(uses.name, facts.strings.index(word)):
            if uses.role[use] == Role.CALL and uses.base[use] < 0:
                yield use
