"""Proxies: variables that libraries make stand for what a function gives, or a member of a context, each time anew.

Owns: which variables those are, by the calls of libraries that make them, and what using a member of one runs.
Must not know: edges, any language.
Invariant: a variable is a proxy only where such a call stands as its value; what stands behind it must be a function by
    name, what a lambda calls, or a member of a class that the type of the context names.

    user = LocalProxy(lambda: load_user())      # `user.name` runs `load_user`
    request = LocalProxy(context, "request")    # `request.args` reads `Context.request`
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from graphls.analysis.flow.places import HOLDING, Places, Use
from graphls.analysis.flow.receivers import RunMember
from graphls.analysis.flow.values import Destination
from graphls.analysis.frameworks.arguments import Argument
from graphls.analysis.frameworks.texts import code_of
from graphls.facts.columns import rows_with
from graphls.facts.kinds import DefinitionKind, EdgeKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import SymbolRef

_CALLS: Final = EdgeKind.CALLS.name.lower()
_ACCESSES: Final = EdgeKind.ACCESSES.name.lower()
_DESCRIPTOR: Final = "descriptor"
_FUNCTIONS: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))
_MEMBERS: Final = (DefinitionKind.PROPERTY, DefinitionKind.METHOD)
_MEMBER_SIGNS: Final = (b".", b"[")
_LAMBDA: Final = b"lambda"


class Proxies:
    """Those of one snapshot; remembers what it looked up."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._by_language: dict[str, Mapping[SymbolRef, tuple[SymbolRef, ...]]] = {}

    def uses(self, path: FilePath, uses: Iterable[int]) -> Iterator[tuple[int, tuple[RunMember, ...]]]:
        """Those of some uses that are of a proxy and take a member of it, with what they run."""
        run = self._all(path)
        if not run:
            return
        places = self._places
        facts = places.facts(path)
        names, strings = {places.name(proxy) for proxy in run}, facts.strings
        # One use is asked for at a time: to look up its name costs less than to look for the names among all strings.
        wanted = [
            use for use in uses if strings[facts.occurrences.name[use]] in names and self._takes_member(path, use)
        ]
        places.prepare(path, wanted)
        for use in wanted:
            found = [one for proxy in places.meant(path, use) for one in run.get(proxy, ())]
            if found:
                yield use, tuple(dict.fromkeys(map(self._member, found)))

    def uses_of(self, place: SymbolRef) -> Iterator[Use]:
        """Uses of proxies that may run a place, more than really do."""
        if self._places.kind(place) in (*_FUNCTIONS, *_MEMBERS):
            for proxy, run in self._all(place.file).items():
                if place in run:
                    yield from self._places.every_use(proxy)

    def _member(self, place: SymbolRef) -> RunMember:
        is_property = self._places.kind(place) == DefinitionKind.PROPERTY
        return RunMember(_ACCESSES if is_property else _CALLS, place, _DESCRIPTOR)

    def _takes_member(self, path: FilePath, use: int) -> bool:
        """Whether a use takes a member or an element of what it names."""
        table = self._places.facts(path).occurrences
        end = table.end[use]
        return (
            table.role[use] != Role.WRITE and code_of(self._places.snapshot, path).data[end : end + 1] in _MEMBER_SIGNS
        )

    def _all(self, path: FilePath) -> Mapping[SymbolRef, tuple[SymbolRef, ...]]:
        """What using a proxy runs, of those in files of the language of one."""
        snapshot, known = self._places.snapshot, self._places.snapshot.capabilities(path)
        if known is None or not known.proxy_makers:
            return {}
        language = snapshot.shards[path].language
        found = self._by_language.get(language)
        if found is None:
            words = sorted({_last(dotted) for dotted in known.proxy_makers})
            files = dict.fromkeys(file for word in words for file in snapshot.files_with_name(word))
            found = self._by_language[language] = {
                proxy: run
                for file in files if snapshot.shards[file].language == language
                for proxy, run in self._read(file, known.proxy_makers)
            }  # fmt: skip
        return found

    def _read(
        self, path: FilePath, makers: Mapping[str, tuple[int, int]]
    ) -> Iterator[tuple[SymbolRef, tuple[SymbolRef, ...]]]:
        spend()
        places = self._places
        facts = places.facts(path)
        uses = facts.occurrences
        for dotted, (given, member) in makers.items():
            word = _last(dotted)
            rows = rows_with(uses.name, facts.strings.index(word)) if word in facts.strings else ()
            for use in rows:
                if uses.role[use] != Role.CALL or dotted not in places.externals(path, use):
                    continue
                arguments = code_of(places.snapshot, path).arguments(uses.end[use])
                run = tuple(dict.fromkeys(self._run(path, arguments, given, member)))
                for way in places.passing(path).ways.of(use) if run else ():
                    if way.destination == Destination.BOUND and not way.inside:
                        yield places.canonical(SymbolRef(path, way.row)), run

    def _run(self, path: FilePath, arguments: Sequence[Argument], given: int, member: int) -> Iterator[SymbolRef]:
        """What stands behind a call: of the argument at one position, or the member of it that another one names."""
        places, by_position = self._places, [one for one in arguments if not one.keyword]
        if len(by_position) <= given:
            return
        data, argument = code_of(places.snapshot, path).data, by_position[given]
        calls = data.startswith(_LAMBDA, argument.start)
        for use in self._uses_in(path, argument.start, argument.end):
            if (places.facts(path).occurrences.role[use] == Role.CALL) != calls:
                continue
            for meant in places.meant(path, use):
                if places.kind(meant) in _FUNCTIONS:
                    yield meant
                elif places.kind(meant) in HOLDING and 0 <= member < len(by_position):
                    name = by_position[member]
                    yield from self._named(
                        meant, data[name.start : name.end].strip().strip(b"\"'").decode("utf-8", "replace")
                    )

    def _named(self, context: SymbolRef, name: str) -> Iterator[SymbolRef]:
        """The member of a name that the classes have which the declaration of a context names."""
        places = self._places
        table = places.facts(context.file).definitions
        for row in places.rows(context):
            for use in self._uses_in(context.file, table.end[row], table.full_end[row]):
                for cls in places.meant(context.file, use):
                    if places.kind(cls) == DefinitionKind.CLASS:
                        members = places.classes.members(cls, name)
                        yield from (one for one in members if places.kind(one) in _MEMBERS)

    def _uses_in(self, path: FilePath, start: int, end: int) -> Sequence[int]:
        """The uses of a stretch, with what they mean at hand."""
        starts = self._places.facts(path).occurrences.start
        found = range(bisect_left(starts, start), bisect_left(starts, end))
        self._places.prepare(path, found)
        return found


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]
