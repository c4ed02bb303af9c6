"""Fixtures: which function a parameter of a test is filled by.

Owns: the fixtures that a file offers, the search from class to module to the files above.
Must not know: what tests call, plugins outside the workspace.
Invariant: the nearest fixture of the name wins, as the test runner has it; a name that is found nowhere has no edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import attrs

from graphls.analysis.frameworks.arguments import choose_argument
from graphls.analysis.frameworks.declared_nodes import Handler, edge_to_handler
from graphls.analysis.frameworks.marks import Marks, Tests
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.strings import follow_import
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import container, scope_owner
from graphls.graph.snapshot import SymbolRef

_NO_FIXTURE = int(
    DefinitionFlag.RECEIVER | DefinitionFlag.VARIADIC | DefinitionFlag.KEYWORDS | DefinitionFlag.DEFAULTED
)
_SURE = 0.95


@attrs.frozen(eq=False)
class FileFixtures:
    """Fixtures of one file: by class row (-1 for the module) and name."""

    own: Mapping[tuple[int, str], int]
    names: Mapping[int, str]
    """Row of a fixture -> the name that tests know it by."""


def file_fixtures(file: FileRules, marks: Marks) -> FileFixtures:
    """Functions of a file that fixture rules speak of."""
    own: dict[tuple[int, str], int] = {}
    facts = file.facts
    for match, row in file.decorated(marks):
        if match.rule.yields != "fixture":
            continue
        given = file.code.arguments(facts.occurrences.end[match.use])
        argument = choose_argument(given, match.rule.argument)
        name = file.code.literal(argument.start, argument.end) if argument else None
        own[container(facts, row), name or facts.strings[facts.definitions.name[row]]] = row
    return FileFixtures(own, {row: name for (_, name), row in own.items()})


Offers = Callable[[FilePath], FileFixtures]


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
        parameters, tests, filled = _parameters(facts), Tests(facts, file.path), _decorator_parameters(file, marks)
        for row in marks.takers:
            if row not in own.names and row not in tests:
                continue
            given = filled.get(row, frozenset()) | filled.get(container(facts, row), frozenset())
            for parameter in parameters.get(row, ()):
                name = facts.strings[facts.definitions.name[parameter]]
                found = self._fixture_for(row, name) if name not in given else None
                if found is not None:
                    start, end = facts.definitions.start[parameter], facts.definitions.end[parameter]
                    handler = Handler(found, start, end, "name", _SURE)
                    yield edge_to_handler(
                        file.path, SymbolRef(file.path, row), "references", handler, {"via": "fixture"}
                    )

    def _fixture_for(self, row: int, name: str) -> SymbolRef | None:
        path, around = self._file.path, container(self._file.facts, row)
        for place in self._candidates(path, around, name):
            # A fixture that takes its own name means the one that it replaces.
            if place != SymbolRef(path, row):
                return place
        return None

    def _candidates(self, path: FilePath, around: int, name: str) -> Iterator[SymbolRef]:
        own = self._offers(path).own
        if around >= 0 and (around, name) in own:
            yield SymbolRef(path, own[around, name])
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

    def _in_module(self, path: FilePath, name: str) -> Iterator[SymbolRef]:
        offers = self._offers(path)
        if (-1, name) in offers.own:
            yield SymbolRef(path, offers.own[-1, name])
            return
        for row in _imports_named(self._file.snapshot.facts(path), name):
            place = follow_import(self._file.snapshot, SymbolRef(path, row))
            if place.file != path and self._offers(place.file).names.get(place.definition) == name:
                yield place


def _decorator_parameters(file: FileRules, marks: Marks) -> Mapping[int, frozenset[str]]:
    """Function or class -> names of parameters that a decorator fills, so that no fixture does."""
    found: dict[int, frozenset[str]] = {}
    for match, row in file.decorated(marks):
        if match.rule.yields != "filled":
            continue
        given = file.code.arguments(file.facts.occurrences.end[match.use])
        argument = choose_argument(given, match.rule.argument)
        if argument is not None and choose_argument(given, ("indirect",)) is None:
            texts = [text for text, _, _ in file.code.strings(argument.start, argument.end)]
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
            found.setdefault(scope_owner(facts, table.scope[row]), []).append(row)
    return found
