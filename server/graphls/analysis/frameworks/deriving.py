"""Deriving: what one file declares and refers to by framework rules, with what that rests on.

Owns: the order of the rules for one file, the fixtures that files offer.
Must not know: any particular framework, who asks, other snapshots.
Invariant: a function of the snapshot; the grounds name every file that was looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

import attrs

from graphls.analysis.frameworks.declared import Derivations, Handler, derivations, tied
from graphls.analysis.frameworks.exercised import exercised
from graphls.analysis.frameworks.filed import filed
from graphls.analysis.frameworks.fixtures import Fixtures, Offered, offered
from graphls.analysis.frameworks.manifests import entry_points, is_manifest
from graphls.analysis.frameworks.marks import NOTHING, Marks, marks
from graphls.analysis.frameworks.mounts import mounts_of
from graphls.analysis.frameworks.naming import Naming
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import RuleSet
from graphls.analysis.frameworks.stored import Held
from graphls.analysis.frameworks.strings import named_by
from graphls.analysis.frameworks.suites import tests_by_call
from graphls.analysis.frameworks.watching import Grounds, Watch, things
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import lasting_row, node_row
from graphls.graph.snapshot import Place, Snapshot

_EMPTY: Final = Derivations()
_NO_FIXTURES: Final = Offered({}, {})
_BY_STRING: Final = 0.8


class Deriving:
    """The rules over the files of one snapshot."""

    def __init__(self, snapshot: Snapshot, rules: RuleSet) -> None:
        self._snapshot = snapshot
        self._rules = rules
        self._offered: dict[FilePath, tuple[Offered, Grounds]] = {}

    def derive(self, path: FilePath) -> Held:
        """All that is derived from one file."""
        snapshot, shard = self._snapshot, self._snapshot.shards[path]
        plain = Grounds(frozenset((path,)))
        if is_manifest(path):
            watch = Watch(snapshot)
            found = derivations(path, entry_points(watch.snapshot, path), ())
            watch.files.add(path)
            return Held(found, watch.grounds())
        found = marks(snapshot, shard, self._rules) if shard.language else NOTHING
        if found is NOTHING:
            return Held(_EMPTY, plain)
        watch = Watch(snapshot)
        file = FileRules(watch.snapshot, path, self._rules, Naming(watch.snapshot, self._rules))
        declared = chain(file.declared(found), filed(file, found), tests_by_call(file, found))
        made = derivations(path, declared, self._edges(file, found, watch), mounts_of(file, found))
        made = attrs.evolve(made, edges=tuple(_between_nodes(file, made.edges)))
        return Held(made, watch.grounds())

    def offers(self, path: FilePath) -> Offered:
        """Fixtures of one file."""
        return self._offering(path)[0]

    def _edges(self, file: FileRules, found: Marks, watch: Watch) -> Iterator[RawEdge]:
        def offers(path: FilePath) -> Offered:
            known, grounds = self._offering(path)
            watch.join(grounds)
            return known

        if found.takers:
            yield from Fixtures(file, self._rules.nearby, offers).edges(found)
        if found.members:
            yield from exercised(file, found)
        yield from _texts(file, found)
        yield from _assigned(file, found)

    def _offering(self, path: FilePath) -> tuple[Offered, Grounds]:
        known = self._offered.get(path)
        if known is None:
            known = self._offered[path] = self._offer(path)
        return known

    def _offer(self, path: FilePath) -> tuple[Offered, Grounds]:
        found = marks(self._snapshot, self._snapshot.shards[path], self._rules)
        if not found.decorated:
            return _NO_FIXTURES, Grounds(frozenset((path,)))
        watch = Watch(self._snapshot)
        file = FileRules(watch.snapshot, path, self._rules, Naming(watch.snapshot, self._rules))
        return offered(file, found), watch.grounds()


def _between_nodes(file: FileRules, edges: Iterable[RawEdge]) -> Iterator[RawEdge]:
    """What starts at a variable of a function starts at the function; what ends at one, or at a parameter, is none."""
    for edge in edges:
        source, target = edge.source, edge.target
        if isinstance(target, Place) and target.definition >= 0:
            there = things(file.snapshot, target.file).addresses
            if there.slots[target.definition] < 0:
                continue
        if isinstance(source, Place):
            row = lasting_row(file.facts, source.definition)
            edge = edge if row == source.definition else attrs.evolve(edge, source=Place(source.file, row))
        yield edge


def _texts(file: FileRules, found: Marks) -> Iterator[RawEdge]:
    """References by strings that spell a dotted name."""
    literals, facts = file.facts.literals, file.facts
    for row in found.texts:
        text = facts.strings[literals.text[row]]
        yield from _named(file, (text, literals.start[row], literals.end[row]), literals.owner[row], "string")


def _assigned(file: FileRules, found: Marks) -> Iterator[RawEdge]:
    """References by any strings in the value of a setting."""
    table = file.facts.definitions
    for row in found.assigned:
        for text in file.code.strings(table.end[row], table.full_end[row]):
            if "." not in text[0]:
                yield from _named(file, text, row, "setting")


def _named(file: FileRules, text: tuple[str, int, int], owner: int, via: str) -> Iterator[RawEdge]:
    spelled, start, end = text
    place = named_by(file.snapshot, spelled, file.path, words=via == "setting")
    if place is None or place == Place(file.path, -1):
        return
    source = Place(file.path, node_row(file.facts, owner))
    if place != source:
        handler = Handler(place, start, end, "name", _BY_STRING)
        yield tied(file.path, source, "references", handler, {"via": via})
