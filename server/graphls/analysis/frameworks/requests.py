"""Requests: calls that ask for a path of some server.

Owns: method and path of one call.
Must not know: any particular client, which routes there are.
Invariant: nothing is evaluated; what is worked out is a hole in the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.marks import Marks
from graphls.analysis.frameworks.routes import BY_NAME, FileRules, RuleMatch
from graphls.analysis.frameworks.rules import applies_to
from graphls.facts.kinds import DefinitionKind
from graphls.graph.nodes import node_row
from graphls.graph.snapshot import SymbolRef
from graphls.graph.url_paths import HOLE, request_path
from graphls.settings.framework_rules import FrameworkRule

ANY_METHOD: Final = "*"
_TYPES: Final = (DefinitionKind.TYPE_ALIAS, DefinitionKind.INTERFACE)
_GENERATED: Final = 0.9
"""How sure a call is that tools wrote, in whose place nothing else stands."""


def requests_of(file: FileRules, marks: Marks) -> Iterator[ContractUse]:
    """What one file asks for, in source order."""
    asking = _asking(file, marks)
    file.naming.prepare(file.path, asking)
    for use in asking:
        match = file.match(use, file.rules.requests)
        if match is not None:
            yield from _request(file, match)
    if marks.literal:
        yield from _members(file)


def _asking(file: FileRules, marks: Marks) -> list[int]:
    """Those of the marked calls that are given text. That is known sooner than what they call: most calls of `get` look
    up a key."""
    if not marks.requested:
        return []
    rules = [one.rule for patterns in file.rules.requests.values() for one in patterns]
    ways = {(rule.argument, rule.curried): rule for rule in rules if applies_to(rule, file.path)}.values()
    return [use for use in marks.requested if any(_spells_text(file, use, rule) for rule in ways)]


def _spells_text(file: FileRules, use: int, rule: FrameworkRule) -> bool:
    """Whether a call by a rule would be given something that spells text, where the rule takes a path from."""
    argument = file.code.place(file.given(RuleMatch(rule, use, "", BY_NAME)), rule.argument)
    return argument is not None and file.spelled.of(argument.start, argument.end) is not None


def _request(file: FileRules, match: RuleMatch) -> Iterator[ContractUse]:
    given = file.given(match)
    argument = file.code.place(given, match.rule.argument)
    if argument is None:
        return
    text = file.spelled.of(argument.start, argument.end)
    if text is None:
        return
    prefix = file.prefix(match)
    if prefix and not re.match(r"\w+:|//", text) and not text.startswith(HOLE):
        text = f"{prefix.rstrip('/')}/{text.lstrip('/')}"
    if request_path(text) is None:
        return
    methods = file.methods(match, given)
    method = methods[0] if len(methods) == 1 else ANY_METHOD
    confidence = _GENERATED if match.confidence == BY_NAME and match.rule.files else match.confidence
    source = SymbolRef(file.path, node_row(file.facts, file.facts.occurrences.owner[match.use]))
    yield ContractUse(
        "http", f"{method} {text}", source, argument.start, argument.end, confidence, rule=match.rule.name
    )


def _members(file: FileRules) -> Iterator[ContractUse]:
    """Members of types that tools wrote for what a call is given: `url: "/users/{id}"`."""
    table = file.facts.definitions
    for rule in file.rules.literals:
        names = "|".join(map(re.escape, rule.match)).encode()
        member = (
            re.compile(rb"\b(?:" + names + rb")\??:\s*([\"'])(/[^\"'\n]*)\1") if applies_to(rule, file.path) else None
        )
        for found in member.finditer(file.code.data) if member is not None else ():
            holders = (
                row
                for row, scope in enumerate(table.scope)
                if scope == 0 and table.full_start[row] <= found.start() < table.full_end[row]
            )
            row = next(holders, -1)
            if row >= 0 and table.kind[row] in _TYPES:
                name = f"{ANY_METHOD} {found[2].decode('utf-8', 'replace')}"
                place = SymbolRef(file.path, node_row(file.facts, row))
                yield ContractUse("http", name, place, *found.span(2), _GENERATED, rule=rule.name)
