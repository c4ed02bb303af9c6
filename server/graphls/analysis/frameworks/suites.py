"""Suites: tests that are calls, with the names of the suites around them.

Owns: nodes of such tests and what they exercise.
Must not know: any particular framework, routes.
Invariant: a test exercises what the function that is handed to the call calls, and nothing in tests.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from graphls.analysis.frameworks.declared_nodes import DeclaredNode, DerivedSpan
from graphls.analysis.frameworks.inline import calls_inside
from graphls.analysis.frameworks.marks import Marks
from graphls.analysis.frameworks.routes import FileRules, RuleMatch

_BETWEEN = " > "


@attrs.frozen
class _TestCall:
    """A call with a name and a function."""

    match: RuleMatch
    name: str
    computed: bool
    start: int
    end: int
    full_end: int
    run: tuple[int, int]


def tests_by_call(file: FileRules, marks: Marks) -> Iterator[DeclaredNode]:
    """Tests of one file, in source order."""
    blocks = [block for match in file.called(marks) if (block := _block(file, match)) is not None]
    around: list[_TestCall] = []
    for block in sorted(blocks, key=lambda block: block.start):
        while around and around[-1].full_end <= block.start:
            around.pop()
        around.append(block)
        if block.match.rule.yields == "suite":
            continue
        name = _BETWEEN.join(part.name for part in around if part.name)
        about: dict[str, str | bool] = {"rule": block.match.rule.name}
        if any(part.computed for part in around):
            about["computed"] = True
        yield DeclaredNode(
            kind="test",
            subkind=block.match.rule.subkind,
            name=name or "(test)",
            span=DerivedSpan(block.start, block.end, block.start, block.full_end),
            confidence=block.match.confidence,
            attributes=tuple(about.items()),
            tested=calls_inside(file.snapshot, file.path, block.run, outside_tests=True),
        )


def _block(file: FileRules, match: RuleMatch) -> _TestCall | None:
    rule = match.rule
    if rule.yields not in ("test", "suite"):
        return None
    given = file.given(match)
    run = file.code.place(given, rule.handler)
    if run is None:
        return None
    name_argument = file.code.place(given, rule.argument)
    name = file.code.literal(name_argument.start, name_argument.end) if name_argument is not None else None
    start, end = file.facts.occurrences.start[match.use], file.facts.occurrences.end[match.use]
    last = max(argument.end for argument in given)
    return _TestCall(match, name or "", name is None, start, end, last + 1, (run.start, run.end))
