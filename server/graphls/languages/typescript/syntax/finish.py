"""Finish: a draft becomes file facts.

Owns: members that only the whole file decides, source order of definitions, problems.
Must not know: how rows came about.
Invariant: rows refer to each other exactly as in the draft, whatever order they end in.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Final

from tree_sitter import Node

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind
from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_FLAGS,
    D_KIND,
    D_NAME,
    D_OWNER,
    D_SCOPE,
    D_START,
    EXPRESSION,
    U_OWNER,
    USE,
)
from graphls.languages.extract.syntax_errors import Problem
from graphls.languages.extract.tables import file_facts
from graphls.languages.extract.yielding import yield_now
from graphls.languages.typescript.syntax.expandos import place_expandos
from graphls.languages.typescript.syntax.facts_builder import (
    FUNCTION,
    FUNCTION_VALUE,
    METHOD,
    OVERLOAD,
    PARAMETER_VALUE,
    STATIC,
    TsFactsBuilder,
)

PROBLEMS: Final = 50


def finish(builder: TsFactsBuilder, doc: str) -> FileFacts:
    """The facts of a draft."""
    dropped = place_expandos(builder)
    yield_now()
    _mark_overloads(builder, 0)
    yield_now()
    _sort_definitions(builder, dropped)
    builder.regions.sort(key=_outer_first)
    return file_facts(builder, doc)


def sort_rows(part: TsFactsBuilder, least: int) -> None:
    """What `finish` does to rows that stand in scopes from this one on, done to a part that is put in later."""
    _mark_overloads(part, least)
    _sort_definitions(part, set())
    part.regions.sort(key=_outer_first)


def without_expandos(part: TsFactsBuilder, least: int) -> TsFactsBuilder:
    """A copy of a part whose expandos all declare nothing, its rows as `finish` leaves them; `least` as above."""
    result = TsFactsBuilder(
        b"", rules=part.rules, kinds=part.kinds, script=part.script, ambient=part.ambient, frame=part.frame
    )
    result.strings, result.texts = part.strings, part.texts
    result.literal_rows, result.modules, result.nothing = part.literal_rows, part.modules, part.nothing
    result.lists, result.items, result.narrowings = part.lists, part.items, part.narrowings
    result.scopes = [list(row) for row in part.scopes]
    result.definitions = [list(row) for row in part.definitions]
    result.imports = [list(row) for row in part.imports]
    result.expressions, result.occurrences, result.regions = part.expressions[:], part.occurrences[:], part.regions[:]
    result.decorators, result.bases, result.returns = part.decorators[:], part.bases[:], part.returns[:]
    result.dispatches, result.metrics, result.literals = part.dispatches[:], part.metrics[:], part.literals[:]
    for expando in part.expandos:
        result.occurrences.extend(expando.use)
    _mark_overloads(result, least)
    _sort_definitions(result, {expando.definition for expando in part.expandos})
    result.regions.sort(key=_outer_first)
    return result


def _outer_first(row: tuple[int, ...]) -> tuple[int, int]:
    return row[1], -row[2]


def _mark_overloads(builder: TsFactsBuilder, least: int) -> None:
    """Signatures of one name in an interface or a declaration file are overloads of each other, in scopes from this
    one on."""
    signatures: dict[tuple[int, int, int], list[list[int]]] = {}
    with_body = {metric[0] for metric in builder.metrics}
    for number, row in enumerate(builder.definitions):
        if row[D_KIND] in (FUNCTION, METHOD) and row[D_BODY] >= 0 and row[D_SCOPE] >= least and number not in with_body:
            key = (row[D_SCOPE], row[D_NAME], row[D_FLAGS] & STATIC)
            signatures.setdefault(key, []).append(row)
    for rows in signatures.values():
        if len(rows) > 1:
            for row in rows:
                row[D_FLAGS] |= OVERLOAD


def _sort_definitions(builder: TsFactsBuilder, dropped: set[int]) -> None:
    """Definitions in order of their names, without those that turned out to be none."""
    starts = [row[D_START] for row in builder.definitions]
    if not dropped and all(before <= after for before, after in pairwise(starts)):
        return
    order = sorted((row for row in range(len(starts)) if row not in dropped), key=lambda row: (starts[row], row))
    place = [-1] * (len(starts) + 1)
    for new, old in enumerate(order):
        place[old] = new
    for gone in dropped:
        owner = builder.definitions[gone][D_OWNER]
        place[gone] = place[owner] if owner not in dropped else -1
    builder.definitions[:] = [builder.definitions[old] for old in order]
    for row in builder.definitions:
        row[D_OWNER] = place[row[D_OWNER]]
    for scope in builder.scopes:
        scope[4] = place[scope[4]]
    for entry in builder.imports:
        entry[3] = place[entry[3]]
    uses = builder.occurrences
    uses[U_OWNER::USE] = [place[owner] for owner in uses[U_OWNER::USE]]
    _renumber_expressions(builder, place)
    builder.literals[:] = [(*row[:3], place[row[3]], *row[4:]) for row in builder.literals]
    builder.dispatches[:] = [(*row[:5], place[row[5]]) for row in builder.dispatches]
    for table in (builder.decorators, builder.bases, builder.returns, builder.metrics):
        table[:] = [(place[row[0]], *row[1:]) for row in table if place[row[0]] >= 0]


def _renumber_expressions(builder: TsFactsBuilder, place: list[int]) -> None:
    rows = builder.expressions
    for at in range(0, len(rows), EXPRESSION):
        if rows[at] in (FUNCTION_VALUE, PARAMETER_VALUE):
            rows[at + 1] = place[rows[at + 1]]


def find_problems(builder: TsFactsBuilder, root: Node) -> None:
    """What of a tree is no code."""
    for start, end, text in syntax_problems(builder.data, root, bool(builder.problems)):
        builder.problems.append((int(ProblemKind.SYNTAX), start, end, builder.text(text)))


def syntax_problems(data: bytes, root: Node, others: bool) -> list[Problem]:
    """The same as rows of their own. `others`: the file has problems of another kind."""
    if not root.has_error:
        return []
    broken = list(islice(_broken(root), 2 * PROBLEMS))
    rows: list[Problem] = []
    understood: set[int] = set()
    for node in (node for node in broken if node.is_error):
        if _is_valid_code(data, node):
            understood.add(node.start_byte)
            continue
        near = data[node.start_byte : min(node.end_byte, node.start_byte + 160)].decode("utf-8", "replace")
        near = " ".join(near.split())[:40]
        rows.append((node.start_byte, node.end_byte, f"Syntax error near `{near}`." if near else "Syntax error."))
    rows += [
        (node.start_byte, node.end_byte, f"Syntax error: `{node.type}` is missing here.")
        for node in broken
        if node.is_missing and node.start_byte not in understood
    ]
    if not rows and not others and not broken:
        rows.append((root.start_byte, root.end_byte, "Syntax error."))
    return sorted(rows)[:PROBLEMS]


def _broken(root: Node) -> Iterator[Node]:
    """Broken nodes, outermost first. A query would do, but takes quadratic time below a node with many children."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            yield node
        pending.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)


def _is_valid_code(data: bytes, node: Node) -> bool:
    """Right code that the grammar does not know: variance, `export type *`, arguments of an imported type."""
    if data[node.start_byte : node.end_byte] in (b"out", b"in", b"in out", b"type"):
        return True
    kinds = {part.type for part in node.named_children}
    if kinds == {"type_arguments"}:
        return True
    parent = node.parent
    return parent is not None and parent.type in ("type_parameter", "type_parameters") and kinds == {"identifier"}
