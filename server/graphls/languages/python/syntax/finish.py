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
from graphls.languages.extract.facts_builder import D_FLAGS, D_NAME, D_SCOPE
from graphls.languages.extract.tables import file_facts, mark_exports, sort_definitions
from graphls.languages.python.syntax.facts_builder import GLOBAL, PyFactsBuilder
from graphls.languages.python.syntax.problems import syntax_problems

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)


def finish(builder: PyFactsBuilder, root: Node, doc: str) -> FileFacts:
    """The facts of a draft."""
    bind_nonlocals(builder)
    builder.definitions += bound_by_augmenting(builder, 0)
    sort_definitions(builder)
    if builder.exports:
        mark_exports(builder, builder.exports, 0)
    _find_problems(builder, root)
    return file_facts(builder, doc)


def bind_nonlocals(builder: PyFactsBuilder) -> None:
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


def _find_problems(builder: PyFactsBuilder, root: Node) -> None:
    for start, end, text in syntax_problems(builder.data, root):
        builder.problems.append((int(ProblemKind.SYNTAX), start, end, builder.text(text)))
