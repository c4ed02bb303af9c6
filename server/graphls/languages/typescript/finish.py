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
from graphls.languages.broken import Problem
from graphls.languages.draft import (
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
from graphls.languages.tables import file_facts
from graphls.languages.typescript.draft import (
    FUNCTION,
    FUNCTION_VALUE,
    METHOD,
    OVERLOAD,
    PARAMETER_VALUE,
    STATIC,
    Draft,
)
from graphls.languages.typescript.expandos import place_expandos

PROBLEMS: Final = 50


def finish(draft: Draft, doc: str) -> FileFacts:
    """The facts of a draft."""
    dropped = place_expandos(draft)
    _mark_overloads(draft, 0)
    _sort_definitions(draft, dropped)
    draft.regions.sort(key=_outer_first)
    return file_facts(draft, doc)


def in_source_order(said: Draft, least: int) -> None:
    """What `finish` does to rows that stand in scopes from this one on, done to a part that is put in later."""
    _mark_overloads(said, least)
    _sort_definitions(said, set())
    said.regions.sort(key=_outer_first)


def as_uses(said: Draft, least: int) -> Draft:
    """A copy of a part whose expandos all declare nothing, its rows as `finish` leaves them; `least` as above."""
    made = Draft(b"", rules=said.rules, kinds=said.kinds, script=said.script, ambient=said.ambient, frame=said.frame)
    made.strings, made.texts = said.strings, said.texts
    made.literal_rows, made.modules, made.nothing = said.literal_rows, said.modules, said.nothing
    made.lists, made.items, made.narrowings = said.lists, said.items, said.narrowings
    made.scopes = [list(row) for row in said.scopes]
    made.definitions = [list(row) for row in said.definitions]
    made.imports = [list(row) for row in said.imports]
    made.expressions, made.occurrences, made.regions = said.expressions[:], said.occurrences[:], said.regions[:]
    made.decorators, made.bases, made.returns = said.decorators[:], said.bases[:], said.returns[:]
    made.dispatches, made.metrics, made.literals = said.dispatches[:], said.metrics[:], said.literals[:]
    for expando in said.expandos:
        made.occurrences.extend(expando.use)
    _mark_overloads(made, least)
    _sort_definitions(made, {expando.definition for expando in said.expandos})
    made.regions.sort(key=_outer_first)
    return made


def _outer_first(row: tuple[int, ...]) -> tuple[int, int]:
    return row[1], -row[2]


def _mark_overloads(draft: Draft, least: int) -> None:
    """Signatures of one name in an interface or a declaration file are overloads of each other, in scopes from this
    one on."""
    signatures: dict[tuple[int, int, int], list[list[int]]] = {}
    with_body = {metric[0] for metric in draft.metrics}
    for number, row in enumerate(draft.definitions):
        if row[D_KIND] in (FUNCTION, METHOD) and row[D_BODY] >= 0 and row[D_SCOPE] >= least and number not in with_body:
            key = (row[D_SCOPE], row[D_NAME], row[D_FLAGS] & STATIC)
            signatures.setdefault(key, []).append(row)
    for rows in signatures.values():
        if len(rows) > 1:
            for row in rows:
                row[D_FLAGS] |= OVERLOAD


def _sort_definitions(draft: Draft, dropped: set[int]) -> None:
    """Definitions in order of their names, without those that turned out to be none."""
    starts = [row[D_START] for row in draft.definitions]
    if not dropped and all(before <= after for before, after in pairwise(starts)):
        return
    order = sorted((row for row in range(len(starts)) if row not in dropped), key=lambda row: (starts[row], row))
    place = [-1] * (len(starts) + 1)
    for new, old in enumerate(order):
        place[old] = new
    for gone in dropped:
        owner = draft.definitions[gone][D_OWNER]
        place[gone] = place[owner] if owner not in dropped else -1
    draft.definitions[:] = [draft.definitions[old] for old in order]
    for row in draft.definitions:
        row[D_OWNER] = place[row[D_OWNER]]
    for scope in draft.scopes:
        scope[4] = place[scope[4]]
    for entry in draft.imports:
        entry[3] = place[entry[3]]
    uses = draft.occurrences
    uses[U_OWNER::USE] = [place[owner] for owner in uses[U_OWNER::USE]]
    _renumber_expressions(draft, place)
    draft.literals[:] = [(*row[:3], place[row[3]], *row[4:]) for row in draft.literals]
    draft.dispatches[:] = [(*row[:5], place[row[5]]) for row in draft.dispatches]
    for table in (draft.decorators, draft.bases, draft.returns, draft.metrics):
        table[:] = [(place[row[0]], *row[1:]) for row in table if place[row[0]] >= 0]


def _renumber_expressions(draft: Draft, place: list[int]) -> None:
    rows = draft.expressions
    for at in range(0, len(rows), EXPRESSION):
        if rows[at] in (FUNCTION_VALUE, PARAMETER_VALUE):
            rows[at + 1] = place[rows[at + 1]]


def find_problems(draft: Draft, root: Node) -> None:
    """What of a tree is no code."""
    for start, end, text in syntax_problems(draft.data, root, bool(draft.problems)):
        draft.problems.append((int(ProblemKind.SYNTAX), start, end, draft.text(text)))


def syntax_problems(data: bytes, root: Node, others: bool) -> list[Problem]:
    """The same as rows of their own. `others`: the file has problems of another kind."""
    if not root.has_error:
        return []
    broken = list(islice(_broken(root), 2 * PROBLEMS))
    rows: list[Problem] = []
    understood: set[int] = set()
    for node in (node for node in broken if node.is_error):
        if _understood(data, node):
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


def _understood(data: bytes, node: Node) -> bool:
    """Right code that the grammar does not know: variance, `export type *`, arguments of an imported type."""
    if data[node.start_byte : node.end_byte] in (b"out", b"in", b"in out", b"type"):
        return True
    kinds = {part.type for part in node.named_children}
    if kinds == {"type_arguments"}:
        return True
    parent = node.parent
    return parent is not None and parent.type in ("type_parameter", "type_parameters") and kinds == {"identifier"}
