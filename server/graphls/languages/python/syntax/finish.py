"""Finish: a draft becomes file facts.

Owns: source order of definitions, bindings that only the whole file decides, problems.
Must not know: how rows came about.
Invariant: rows refer to each other exactly as in the draft, whatever order they end in.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind, ScopeKind
from graphls.languages.extract.facts_builder import (
    D_FLAGS,
    D_NAME,
    D_OWNER,
    D_SCOPE,
    D_START,
    U_OWNER,
    USE,
)
from graphls.languages.extract.syntax_errors import Problem
from graphls.languages.extract.tables import file_facts, mark_exports
from graphls.languages.python.syntax.facts_builder import GLOBAL, PyFactsBuilder

PROBLEMS: Final = 50
CLASS_SCOPE: Final = int(ScopeKind.CLASS)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)


def finish(builder: PyFactsBuilder, root: Node, doc: str) -> FileFacts:
    """The facts of a draft."""
    _bind_nonlocals(builder)
    builder.definitions += bound_by_augmenting(builder, 0)
    sort_definitions(builder)
    if builder.exports:
        mark_exports(builder, builder.exports, 0)
    _find_problems(builder, root)
    return file_facts(builder, doc)


def _bind_nonlocals(builder: PyFactsBuilder) -> None:
    """A name under `nonlocal` is bound where the nearest function around binds it."""
    if not builder.nonlocals:
        return
    bound = {(row[D_SCOPE], row[D_NAME]) for row in builder.definitions if not row[D_FLAGS] & GLOBAL}
    for definition, scope in builder.nonlocals:
        row = builder.definitions[definition]
        outer = builder.scopes[scope][1]
        while outer > 0 and (builder.scopes[outer][0] != FUNCTION_SCOPE or (outer, row[D_NAME]) not in bound):
            outer = builder.scopes[outer][1]
        row[D_SCOPE] = outer if outer > 0 else scope


def bound_by_augmenting(builder: PyFactsBuilder, least: int) -> list[list[int]]:
    """`x += 1` binds `x` where nothing else does: such rows, in scopes from this one on, which are then decided."""
    mine = [row for row in builder.augmented if row[D_SCOPE] >= least]
    if not mine:
        return mine
    builder.augmented = [row for row in builder.augmented if row[D_SCOPE] < least]
    bound = {(row[D_SCOPE], row[D_NAME]) for row in builder.definitions}
    made: list[list[int]] = []
    for row in mine:
        key = (row[D_SCOPE], row[D_NAME])
        if key not in bound:
            bound.add(key)
            made.append(row)
    return made


def sort_definitions(builder: PyFactsBuilder) -> None:
    """Definitions in order of their names; a decorator's lambda stands before the function it decorates."""
    starts = [row[D_START] for row in builder.definitions]
    if starts == sorted(starts):
        return
    order = sorted(range(len(starts)), key=lambda row: (starts[row], row))
    place = [0] * len(order)
    for new, old in enumerate(order):
        place[old] = new
    place.append(-1)  # what -1 stands for
    builder.definitions[:] = [builder.definitions[old] for old in order]
    for row in builder.definitions:
        row[D_OWNER] = place[row[D_OWNER]]
    for scope in builder.scopes:
        scope[4] = place[scope[4]]
    for entry in builder.imports:
        entry[3] = place[entry[3]]
    uses = builder.occurrences
    uses[U_OWNER::USE] = [place[owner] for owner in uses[U_OWNER::USE]]
    builder.literals[:] = [(*row[:3], place[row[3]], *row[4:]) for row in builder.literals]
    builder.dispatches[:] = [(*row[:5], place[row[5]]) for row in builder.dispatches]
    for table in (builder.decorators, builder.bases, builder.returns, builder.metrics):
        table[:] = [(place[row[0]], *row[1:]) for row in table]


def _find_problems(builder: PyFactsBuilder, root: Node) -> None:
    for start, end, text in syntax_problems(builder.data, root):
        builder.problems.append((int(ProblemKind.SYNTAX), start, end, builder.text(text)))


def syntax_problems(data: bytes, root: Node) -> list[Problem]:
    """Broken nodes, outermost first. A query would do, but takes quadratic time below a node with many children."""
    rows: list[Problem] = []
    pending = [root] if root.has_error else []
    while pending and len(rows) < PROBLEMS:
        node = pending.pop()
        start, end = node.start_byte, node.end_byte
        if node.is_error:
            near = " ".join(data[start : min(end, start + 160)].decode("utf-8", "replace").split())[:40]
            rows.append((start, end, f"Syntax error near `{near}`." if near else "Syntax error."))
        elif node.is_missing:
            rows.append((start, end, f"Syntax error: `{node.type}` is missing here."))
        pending.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)
    return sorted(rows)
