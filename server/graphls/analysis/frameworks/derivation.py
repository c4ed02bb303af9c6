"""Derivation: everything that framework rules derive, asked for by file or by place.

Owns: which files to look at, what is remembered for one snapshot.
Must not know: any particular framework, records, output.
Invariant: an edge to a place is among the edges from its source's file, and the reverse; links are graphls' own.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cached_property, lru_cache
from typing import Final

from graphls.analysis.frameworks.arguments import strings
from graphls.analysis.frameworks.declared import Declared, Derivations, Handler, derivations, tied
from graphls.analysis.frameworks.exercised import exercised
from graphls.analysis.frameworks.fixtures import Fixtures, Offered, offered
from graphls.analysis.frameworks.manifests import entry_points, is_manifest
from graphls.analysis.frameworks.marks import NOTHING, Marks, marks
from graphls.analysis.frameworks.naming import Naming
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import RuleSet, rule_set
from graphls.analysis.frameworks.strings import named_by
from graphls.facts.links import WHOLE_MODULE
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.derivation import Derived
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import node_row
from graphls.graph.snapshot import Place, Snapshot
from graphls.settings import Settings

_KEPT: Final = "frameworks"
_EMPTY: Final = Derivations()
_NO_FIXTURES: Final = Offered({}, {})
_BY_STRING: Final = 0.8


@lru_cache(maxsize=8)
def _frameworks(rules: RuleSet) -> Frameworks:
    return Frameworks(rules)


def derivation_for(settings: Settings) -> Frameworks | None:
    """What the settings ask for: equal settings, the same derivation; None when it is switched off."""
    chosen = settings.frameworks
    if not chosen.enabled:
        return None
    return _frameworks(rule_set(tuple(chosen.rules), tuple(chosen.disabled), chosen.strings))


class Frameworks:
    """The `Derivation` by rules about frameworks, strings and manifests."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    @property
    def digest(self) -> str:
        """Names the rules: equal digests, equal answers."""
        return self.rules.digest

    def nodes(self, snapshot: Snapshot, path: FilePath) -> tuple[Derived, ...]:
        """Routes and tools of one file, in source order."""
        return self._memory(snapshot).of(path).nodes

    def edges_from(self, snapshot: Snapshot, path: FilePath) -> tuple[RawEdge, ...]:
        """Derived edges whose source is in one file."""
        return self._memory(snapshot).of(path).edges

    def edges_to(self, snapshot: Snapshot, place: Place) -> tuple[RawEdge, ...]:
        """Derived edges that end at one place, by file of the source."""
        memory = self._memory(snapshot)
        found = (edge for path in memory.files_about(place) for edge in memory.of(path).edges)
        return tuple(edge for edge in found if edge.target == place)

    def handlers_at(self, snapshot: Snapshot, place: Place) -> tuple[RawEdge, ...]:
        """Those of `edges_to` that are of the kind `handles`, for less work."""
        memory = self._memory(snapshot)
        found = (edge for path in memory.files_about(place, handling=True) for edge in memory.of(path).edges)
        return tuple(edge for edge in found if edge.target == place and edge.kind == "handles")

    def all_nodes(self, snapshot: Snapshot) -> tuple[Derived, ...]:
        """Routes and tools of all files, by file and position."""
        memory = self._memory(snapshot)
        return tuple(node for path in snapshot.shards for node in memory.of(path).nodes)

    def _memory(self, snapshot: Snapshot) -> _Memory:
        known = snapshot.kept.get(_KEPT)
        if not isinstance(known, _Memory) or known.rules is not self.rules:
            known = snapshot.kept[_KEPT] = _Memory(snapshot, self.rules)
        return known


class _Memory:
    """What was derived from one snapshot so far."""

    def __init__(self, snapshot: Snapshot, rules: RuleSet) -> None:
        # Kept with the snapshot that it is about: what is derived rests on own links, whatever a checker said.
        self.rules = rules
        self._snapshot = snapshot
        self._naming = Naming(snapshot, rules)
        self._files: dict[FilePath, Derivations] = {}
        self._offered: dict[FilePath, Offered] = {}

    def of(self, path: FilePath) -> Derivations:
        """All that is derived from one file."""
        known = self._files.get(path)
        if known is None:
            known = self._files[path] = self._derive(path)
        return known

    def files_about(self, place: Place, *, handling: bool = False) -> Iterator[FilePath]:
        """Files whose derived edges may end at a place, in order of path. `handling`: only what it handles is asked."""
        snapshot, names = self._snapshot, tuple(self._names_of(place))
        found = {place.file, *self._manifests}
        mentioning = {path for name in names for path in snapshot.files_with_name(name)} - found
        reaching = self._reaching(place) if mentioning else frozenset[FilePath]()
        fixture = bool(names) and place.definition in self._offers(place.file).names
        for path in mentioning:
            known = marks(snapshot, snapshot.shards[path], self.rules)
            if handling:
                # A handler is linked to, or spelled by a string.
                wanted = known.called and (path in reaching or not known.tails.isdisjoint(names))
                found.update({path} if wanted else ())
                continue
            linked = (known.called or known.members) and path in reaching
            if linked or known.assigned or (fixture and known.takers) or not known.tails.isdisjoint(names):
                found.add(path)
        yield from sorted(found)

    def _reaching(self, place: Place) -> Set[FilePath]:
        """Files whose links may lead to a place."""
        if place.definition < 0:
            ends = [(place.file, WHOLE_MODULE)]
        else:
            symbols = addresses(self._snapshot, place.file).symbols
            ends = [(place.file, symbol) for symbol, row in enumerate(symbols) if row == place.definition]
        reaching = self._snapshot.reaching(ends)
        return {*reaching.files, *reaching.unsure}

    @cached_property
    def _manifests(self) -> tuple[FilePath, ...]:
        return tuple(path for path in self._snapshot.shards if is_manifest(path))

    def _names_of(self, place: Place) -> Iterator[str]:
        snapshot = self._snapshot
        if not snapshot.shards[place.file].language:
            return
        if place.definition < 0:
            yield snapshot.module_name(place.file).dotted.rpartition(".")[2]
            return
        facts = snapshot.facts(place.file)
        yield facts.strings[facts.definitions.name[place.definition]]
        name = self._offers(place.file).names.get(place.definition)
        if name is not None:
            yield name

    def _derive(self, path: FilePath) -> Derivations:
        snapshot, shard = self._snapshot, self._snapshot.shards[path]
        if is_manifest(path):
            return derivations(path, entry_points(snapshot, path), ())
        if not shard.language:
            return _EMPTY
        found = marks(snapshot, shard, self.rules)
        if found is NOTHING:
            return _EMPTY
        file = FileRules(snapshot, path, self.rules, self._naming)
        declared: Iterator[Declared] = file.declared(found)
        return derivations(path, declared, self._edges(file, found))

    def _edges(self, file: FileRules, found: Marks) -> Iterator[RawEdge]:
        if found.takers:
            yield from Fixtures(file, self.rules.nearby, self._offers).edges(found)
        if found.members:
            yield from exercised(file, found)
        yield from self._texts(file, found)
        yield from self._assigned(file, found)

    def _offers(self, path: FilePath) -> Offered:
        known = self._offered.get(path)
        if known is None:
            found = marks(self._snapshot, self._snapshot.shards[path], self.rules)
            known = _NO_FIXTURES
            if found.decorated:
                known = offered(FileRules(self._snapshot, path, self.rules, self._naming), found)
            self._offered[path] = known
        return known

    def _texts(self, file: FileRules, found: Marks) -> Iterator[RawEdge]:
        """References by strings that spell a dotted name."""
        literals, facts = file.facts.literals, file.facts
        for row in found.texts:
            text = facts.strings[literals.text[row]]
            yield from self._named(file, (text, literals.start[row], literals.end[row]), literals.owner[row], "string")

    def _assigned(self, file: FileRules, found: Marks) -> Iterator[RawEdge]:
        """References by any strings in the value of a setting."""
        table = file.facts.definitions
        for row in found.assigned:
            for text in strings(file.text, table.end[row], table.full_end[row]):
                if "." not in text[0]:
                    yield from self._named(file, text, -1, "setting")

    def _named(self, file: FileRules, text: tuple[str, int, int], owner: int, via: str) -> Iterator[RawEdge]:
        spelled, start, end = text
        place = named_by(self._snapshot, spelled, file.path, words=via == "setting")
        if place is None or place == Place(file.path, -1):
            return
        source = Place(file.path, node_row(file.facts, owner))
        if place != source:
            handler = Handler(place, start, end, "name", _BY_STRING)
            yield tied(file.path, source, "references", handler, {"via": via})
