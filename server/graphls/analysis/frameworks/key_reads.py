"""Key reads: where code reads a key of the environment.

Owns: keys behind names that stand for the environment, keys that members of classes of settings read.
Must not know: any particular library, which keys there are.
Invariant: a key is written out where it is read; one that is worked out is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.analysis.frameworks.arguments import choose_argument
from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.marks import Marks
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import applies_to
from graphls.facts.kinds import DefinitionKind, Role
from graphls.graph.nodes import node_row, use_at
from graphls.graph.snapshot import SymbolRef

_KEY: Final = re.compile(
    rb"!?\s*(?:\?\.|\.)?\s*(?:(?:get|pop|setdefault|has|fetch|str|int|bool|getenv)\s*)?(?:<[^<>()]*>)?"
    rb"[\[(]\s*[rub]?(?:\"([A-Za-z_]\w*)\"|'([A-Za-z_]\w*)'|`([A-Za-z_]\w*)`)|\s*(?:\?\.|\.)([A-Z_][A-Z0-9_]*)\b"
)
_PASSED: Final = re.compile(rb"\s*(?:\.\s*get\s*)?[\[(]\s*([A-Za-z_]\w*)\s*[\]),]")
_WORD: Final = re.compile(r"[A-Za-z_]\w*\Z")
_HANDED: Final = 0.9
_MEMBERS: Final = (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD)


def key_reads(file: FileRules, marks: Marks) -> Iterator[ContractUse]:
    """Keys that one file reads, in source order."""
    yield from _behind_names(file, marks)
    yield from _by_members(file, marks)


def _behind_names(file: FileRules, marks: Marks) -> Iterator[ContractUse]:
    uses = file.facts.occurrences
    file.naming.prepare(file.path, marks.read)
    for use in marks.read:
        found = _KEY.match(file.code.data, uses.end[use])
        passed = _PASSED.match(file.code.data, uses.end[use]) if found is None else None
        if found is None and passed is None:
            continue
        match = file.match(use, file.rules.reads)
        rule = match.rule.name if match is not None else _written(file, use)
        if rule is None:
            continue
        if found is None:
            yield from _handed_on(file, passed.start(1), rule) if passed is not None else ()
            continue
        group = found.lastindex or 0
        source = SymbolRef(file.path, node_row(file.facts, uses.owner[use]))
        key = found[group].decode("ascii", "replace")
        confidence = match.confidence if match is not None else 0.9
        yield ContractUse("key", key, source, *found.span(group), confidence, rule=rule)


def _handed_on(file: FileRules, at: int, rule: str) -> Iterator[ContractUse]:
    """Keys that calls of this file give to the function whose parameter stands at an offset."""
    uses, table = file.facts.occurrences, file.facts.definitions
    name = use_at(file.facts, at)
    places = [target.place for target in file.naming.targets(file.path, name)] if name >= 0 else []
    if len(places) != 1 or places[0] is None or places[0].file != file.path or places[0].definition < 0:
        return
    parameter = places[0].definition
    function = file.facts.scopes.owner[table.scope[parameter]]
    if table.kind[parameter] != DefinitionKind.PARAMETER or function < 0:
        return
    scope = table.scope[parameter]
    rows = [
        row for row, there in enumerate(table.scope) if there == scope and table.kind[row] == DefinitionKind.PARAMETER
    ]
    position, called = str(rows.index(parameter)), table.name[function]
    for use in range(len(uses.start)):
        if uses.name[use] != called or uses.role[use] != Role.CALL:
            continue
        if SymbolRef(file.path, function) not in [target.place for target in file.naming.targets(file.path, use)]:
            continue
        given = choose_argument(
            file.code.arguments(uses.end[use]), (position, file.facts.strings[table.name[parameter]])
        )
        for text, start, end in file.code.strings(given.start, given.end) if given is not None else ():
            if _WORD.match(text) and (start - 1, end + 1) == (given.start if given else -1, given.end if given else -1):
                source = SymbolRef(file.path, node_row(file.facts, uses.owner[use]))
                yield ContractUse("key", text, source, start, end, _HANDED, rule=rule)


def _written(file: FileRules, use: int) -> str | None:
    """The rule for a name as written, which nothing binds: `import.meta.env`."""
    uses = file.facts.occurrences
    name = file.facts.strings[uses.name[use]]
    for pattern in file.rules.reads.get(name, ()):
        spelled = pattern.text.encode()
        start = uses.end[use] - len(spelled)
        before = file.code.data[max(start - 1, 0) : start]
        bound = before.isalnum() or before in (b"_", b".", b"$")
        alike = file.code.data[max(start, 0) : uses.end[use]] == spelled and not bound
        if pattern.rule.bare and alike and applies_to(pattern.rule, file.path):
            return None if file.naming.targets(file.path, use) else pattern.rule.name
    return None


def _by_members(file: FileRules, marks: Marks) -> Iterator[ContractUse]:
    """Members of a class of settings, which are read by their names in capital letters."""
    table, strings = file.facts.definitions, file.facts.strings
    for cls in marks.keyed:
        rule = _of_settings(file, cls)
        if rule is None:
            continue
        for row, scope in enumerate(table.scope):
            if scope == table.body[cls] and table.kind[row] in _MEMBERS:
                name = strings[table.name[row]]
                if not name.startswith("_") and name != "model_config":
                    source = SymbolRef(file.path, node_row(file.facts, row))
                    yield ContractUse("key", name.upper(), source, table.start[row], table.end[row], 0.9, rule=rule)


def _of_settings(file: FileRules, cls: int) -> str | None:
    above = file.naming.ancestors(SymbolRef(file.path, cls))
    for pattern in file.rules.bases:
        if pattern.rule.yields == "key" and applies_to(pattern.rule, file.path) and any(map(pattern.matches, above)):
            return pattern.rule.name
    return None
