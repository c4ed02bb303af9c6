"""Callback arguments: what a call hands to the function that it is given.

Owns: which calls of a file hand something to which parameter.
Must not know: what the calls are called; that takes resolution.
Invariant: only the first parameter of a function that stands in the place of the handler, or is named there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from graphls.analysis.frameworks.marks import marks
from graphls.analysis.frameworks.rules import RuleSet
from graphls.analysis.frameworks.texts import chain_end, code_of
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

_HEAD = re.compile(rb"(?:async\b\s*)?(?:function\b\s*\*?\s*[\w$]*\s*)?\(?\s*\Z")
"""What stands before the first parameter."""


@attrs.frozen
class CallbackArgument:
    """One call that may hand something on."""

    use: int
    parameter: int
    """The parameter of a function that is written out there, or -1."""
    named: int
    """The use that names the function, or -1."""


def callback_arguments(snapshot: Snapshot, path: FilePath, rules: RuleSet) -> Iterator[CallbackArgument]:
    """The calls of a file that may hand something to a function, by the last names of what they call."""
    facts, code = snapshot.facts(path), code_of(snapshot, path)
    for use in marks(snapshot, snapshot.shards[path], rules).called:
        handlers = rules.callbacks.get(facts.strings[facts.occurrences.name[use]])
        if handlers is None:
            continue
        argument = code.place(code.arguments(facts.occurrences.end[use]), handlers)
        if argument is None:
            continue
        if code.is_function(argument.start, argument.end):
            parameter = _first(facts, code.data, argument.start, argument.end)
            if parameter >= 0:
                yield CallbackArgument(use, parameter, -1)
        else:
            named = chain_end(facts, code, argument.start, argument.end)
            if named >= 0:
                yield CallbackArgument(use, -1, named)


def first_parameter(facts: FileFacts, function: int) -> int:
    """The first parameter of a function with a name, -1 where it has none."""
    scopes, table = facts.scopes.owner, facts.definitions
    bound = (row for row, kind in enumerate(table.kind) if kind == DefinitionKind.PARAMETER)
    return next((row for row in bound if scopes[table.scope[row]] == function), -1)


def _first(facts: FileFacts, data: bytes, start: int, end: int) -> int:
    table = facts.definitions
    for row, at in enumerate(table.start):
        if start <= at < end and table.kind[row] == DefinitionKind.PARAMETER:
            return row if _HEAD.match(data, start, at) else -1
    return -1
