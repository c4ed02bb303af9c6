"""Given parameters: what the callers of a function hand to one of its parameters.

Owns: finding calls of a function by its name, or by that of its module where the module is the function.
Must not know: rules, what the arguments are.
Invariant: only calls whose name resolves to the function; the names that were searched for are noted by who watches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

import attrs

from graphls.analysis.frameworks.arguments import choose_argument
from graphls.analysis.frameworks.dependency_recorder import files_naming
from graphls.analysis.frameworks.texts import chain_end, code_of
from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import import_key, marked_key
from graphls.facts.kinds import DefinitionKind, ExpressionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef, Target

_Means: TypeAlias = "Callable[[FilePath, int], Sequence[Target]]"
_WHOLE: Final = ("default", "export=")
"""What a function is called that a module gives when nothing is named."""
MAX_FILES: Final = 40
"""Of a function with more callers nothing is said of what it is given."""


@attrs.frozen
class GivenArgument:
    """What one call hands over: the last name of it, and whether that is called there."""

    file: FilePath
    use: int
    made: bool


def arguments_given(snapshot: Snapshot, parameter: SymbolRef, means: _Means) -> Iterator[GivenArgument]:
    """What calls hand to a parameter. `means`: what a use resolves to."""
    facts = snapshot.facts(parameter.file)
    table = facts.definitions
    function = facts.scopes.owner[table.scope[parameter.definition]]
    if function < 0 or table.kind[function] != DefinitionKind.FUNCTION:
        return
    places = _places(facts, parameter.definition)
    name = facts.strings[table.name[function]]
    key = import_key(parameter.file)
    key = import_key(parameter.file.rpartition("/")[0]) if key == "index" else key
    # What has a name may be what the module gives as well: `module.exports = routes`.
    names = {marked_key(key) for text in facts.strings if text in _WHOLE} | {name} - {*_WHOLE}
    files = sorted({path for one in names for path in files_naming(snapshot, one)})
    for caller in files if len(files) <= MAX_FILES else ():
        calls = _CallsInFile(snapshot, caller, SymbolRef(parameter.file, function), name, key)
        yield from calls.arguments(places, means)


def _places(facts: FileFacts, parameter: int) -> tuple[str, ...]:
    """Where in a call the argument stands: its position, its name."""
    table = facts.definitions
    beside = [
        row
        for row, kind in enumerate(table.kind)
        if kind == DefinitionKind.PARAMETER and table.scope[row] == table.scope[parameter]
    ]
    beside.sort(key=lambda row: table.start[row])
    return str(beside.index(parameter)), facts.strings[table.name[parameter]]


class _CallsInFile:
    """Calls of one function in one file."""

    def __init__(self, snapshot: Snapshot, path: FilePath, function: SymbolRef, name: str, key: str) -> None:
        self._snapshot = snapshot
        self._path = path
        self._function = function
        self._name = name
        self._key = key
        self._facts = snapshot.facts(path)
        self._code = code_of(snapshot, path)

    def arguments(self, places: Sequence[str], means: _Means) -> Iterator[GivenArgument]:
        """What stands as that argument, where it has a name."""
        for end in (*self._named(means), *self._required()):
            argument = choose_argument(self._code.arguments(end), places)
            if argument is None:
                continue
            behind = self._code.callee_end(argument.start, argument.end)
            use = chain_end(self._facts, self._code, argument.start, argument.end if behind < 0 else behind)
            if use >= 0:
                yield GivenArgument(self._path, use, behind >= 0)

    def _named(self, means: _Means) -> Iterator[int]:
        """Ends of the names by which the function is called."""
        uses, names = self._facts.occurrences, frozenset(self._called())
        for use, role in enumerate(uses.role):
            if role != Role.CALL or self._facts.strings[uses.name[use]] not in names:
                continue
            if any(target.place == self._function for target in means(self._path, use)):
                yield uses.end[use]

    def _called(self) -> Iterator[str]:
        """Names that the function may have in the file."""
        imports, table, strings = self._facts.imports, self._facts.definitions, self._facts.strings
        yield self._name
        for row, definition in enumerate(imports.definition):
            module = strings[imports.module[row]] if imports.module[row] >= 0 else ""
            named = strings[imports.name[row]] if imports.name[row] >= 0 else ""
            if definition >= 0 and (named == self._name or self._is_module(module)):
                yield strings[table.name[definition]]
        expressions = self._facts.expressions
        for row, value in enumerate(table.value):
            brought = value >= 0 and expressions.kind[value] == ExpressionKind.MODULE
            if brought and self._is_module(strings[expressions.a[value]]):
                yield strings[table.name[row]]

    def _is_module(self, module: str) -> bool:
        return bool(module) and import_key(module) == self._key

    def _required(self) -> Iterator[int]:
        """Ends of `require("./routes")` that is called there."""
        imports, snapshot = self._facts.imports, self._snapshot
        links = snapshot.reader.links_at(snapshot, snapshot.shards[self._path], (), True, False)
        for row, imported in enumerate(links.module_targets.occurrence):
            place = snapshot.module_target(self._path, links, row).place
            if place is not None and place.file == self._function.file:
                yield imports.end[imported]
