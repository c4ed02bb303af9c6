"""Fixtures: which function a parameter of a test is filled by.

Owns: the fixtures that a file offers, the search from class to module to the files above.
Must not know: what tests call, plugins outside the workspace.
Invariant: the nearest fixture of the name wins, as the test runner has it; a name that is found nowhere has no edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import attrs

from graphls.analysis.frameworks.arguments import chosen
from graphls.analysis.frameworks.declared import Handler, tied
from graphls.analysis.frameworks.marks import Marks, Tests
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.strings import followed
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import container, opener
from graphls.graph.snapshot import Place

_NO_FIXTURE = int(
    DefinitionFlag.RECEIVER | DefinitionFlag.VARIADIC | DefinitionFlag.KEYWORDS | DefinitionFlag.DEFAULTED
)
_SURE = 0.95


@attrs.frozen(eq=False)
class Offered:
    """Fixtures of one file: by class row (-1 for the module) and name."""

    own: Mapping[tuple[int, str], int]
    names: Mapping[int, str]
    """Row of a fixture -> the name that tests know it by."""


def offered(file: FileRules, marks: Marks) -> Offered:
    """Functions of a file that fixture rules speak of."""
    own: dict[tuple[int, str], int] = {}
    facts = file.facts
    for match, row in file.decorated(marks):
        if match.rule.yields != "fixture":
            continue
        given = file.code.arguments(facts.occurrences.end[match.use])
        said = chosen(given, match.rule.argument)
        name = file.code.literal(said.start, said.end) if said else None
        own[container(facts, row), name or facts.strings[facts.definitions.name[row]]] = row
    return Offered(own, {row: name for (_, name), row in own.items()})


Offers = Callable[[FilePath], Offered]


class Fixtures:
    """The search for fixtures; `offers` gives the fixtures of any file."""

    def __init__(self, file: FileRules, nearby: tuple[str, ...], offers: Offers) -> None:
        self._file = file
        self._nearby = nearby
        self._offers = offers

    def edges(self, marks: Marks) -> Iterator[RawEdge]:
        """From each test or fixture of the file to the fixtures that its parameters name."""
        file, facts = self._file, self._file.facts
        own = self._offers(file.path)
        parameters, tests, filled = _parameters(facts), Tests(facts, file.path), _filled(file, marks)
        for row in marks.takers:
            if row not in own.names and row not in tests:
                continue
            given = filled.get(row, frozenset()) | filled.get(container(facts, row), frozenset())
            for parameter in parameters.get(row, ()):
                name = facts.strings[facts.definitions.name[parameter]]
                found = self._found(row, name) if name not in given else None
                if found is not None:
                    start, end = facts.definitions.start[parameter], facts.definitions.end[parameter]
                    handler = Handler(found, start, end, "name", _SURE)
                    yield tied(file.path, Place(file.path, row), "references", handler, {"via": "fixture"})

    def _found(self, row: int, name: str) -> Place | None:
        path, around = self._file.path, container(self._file.facts, row)
        for place in self._candidates(path, around, name):
            # A fixture that takes its own name means the one that it replaces.
            if place != Place(path, row):
                return place
        return None

    def _candidates(self, path: FilePath, around: int, name: str) -> Iterator[Place]:
        own = self._offers(path).own
        if around >= 0 and (around, name) in own:
            yield Place(path, own[around, name])
        yield from self._in_module(path, name)
        folder, shards = path.rpartition("/")[0], self._file.snapshot.shards
        while True:
            for base in self._nearby:
                shared = FilePath(f"{folder}/{base}" if folder else base)
                if shared != path and shared in shards and shards[shared].language:
                    yield from self._in_module(shared, name)
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    def _in_module(self, path: FilePath, name: str) -> Iterator[Place]:
        offers = self._offers(path)
        if (-1, name) in offers.own:
            yield Place(path, offers.own[-1, name])
            return
        for row in _imports_named(self._file.snapshot.facts(path), name):
            place = followed(self._file.snapshot, Place(path, row))
            if place.file != path and self._offers(place.file).names.get(place.definition) == name:
                yield place


def _filled(file: FileRules, marks: Marks) -> Mapping[int, frozenset[str]]:
    """Function or class -> names of parameters that a decorator fills, so that no fixture does."""
    found: dict[int, frozenset[str]] = {}
    for match, row in file.decorated(marks):
        if match.rule.yields != "filled":
            continue
        given = file.code.arguments(file.facts.occurrences.end[match.use])
        said = chosen(given, match.rule.argument)
        if said is not None and chosen(given, ("indirect",)) is None:
            texts = [text for text, _, _ in file.code.strings(said.start, said.end)]
            names = {name.strip() for text in texts for name in text.split(",")}
            found[row] = found.get(row, frozenset()) | names
    return found


def _imports_named(facts: FileFacts, name: str) -> Iterator[int]:
    table = facts.definitions
    for row in facts.imports.definition:
        if row >= 0 and table.scope[row] == 0 and facts.strings[table.name[row]] == name:
            yield row


def _parameters(facts: FileFacts) -> Mapping[int, list[int]]:
    """Parameters that a caller must fill, by function."""
    found: dict[int, list[int]] = {}
    table = facts.definitions
    for row, kind in enumerate(table.kind):
        if kind == DefinitionKind.PARAMETER and not table.flags[row] & _NO_FIXTURE:
            found.setdefault(opener(facts, table.scope[row]), []).append(row)
    return found
