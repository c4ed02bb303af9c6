"""Syntax errors: a text with syntax errors that lie in known pieces of it.

Owns: whether errors lie in pieces, and how problems are added to the facts of a text.
Must not know: any particular language, what a problem is called.
Invariant: problems come last: their words are behind all strings that the text itself says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import attrs
from tree_sitter import Node, Tree

from graphls.facts.columns import ColumnPacker, Problems
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind
from graphls.languages.extract.grammars import parse, parser

PROBLEMS: Final = 50
"""So many are said of one file."""
_CLOSED_BY: Final = {"(": ")", "[": "]", "{": "}"}

Problem: TypeAlias = tuple[int, int, str]
"""Where it begins and ends, and what it is."""


def confined(node: Node, others: Mapping[tuple[int, int], tuple[int, int]]) -> bool:
    """Whether nothing is broken outside of a node and of others, which all are: by where these begin and end, their
    kind and how many nodes they have."""
    inner, around, met = node, node.parent, 0
    while around is not None:
        if around.is_error:
            return False
        pending = [part for part in around.children if part.has_error and part.id != inner.id]
        while pending:
            part = pending.pop()
            if others.get((part.start_byte, part.end_byte)) == (part.kind_id, part.descendant_count):
                met += 1
            elif part.is_error or part.is_missing:
                return False
            else:
                pending += [inside for inside in part.children if inside.has_error]
        inner, around = around, around.parent
    return met == len(others)


def broken_bytes(tree: Tree) -> int:
    """How many bytes of a tree make no sense; what is missing counts as one."""
    found, pending = 0, [tree.root_node]
    while pending:
        node = pending.pop()
        if node.is_error:
            found += max(1, node.end_byte - node.start_byte)
        elif node.is_missing:
            found += 1
        elif node.has_error:
            pending += node.children
    return found


def least_broken(tree: Tree, text: bytes, grammar: str, margin: int = 0) -> Tree:
    """A tree, or that of another way to write its text where less of it makes no sense. `margin`: so many bytes more
    may be broken there."""
    other = parse(parser(grammar), text)
    return other if broken_bytes(other) < broken_bytes(tree) + margin else tree


def mended_tree(data: bytes, tree: Tree, readable: Callable[[bytes], bytes], grammar: str) -> Tree:
    """The tree of a text, or of one that is written otherwise where that is less broken; a text that is sound is left
    as it is. `readable`: gives a text of the same length."""
    if not tree.root_node.has_error:
        return tree
    text = readable(data)
    return tree if text == data else least_broken(tree, text, grammar)


def with_problems(facts: FileFacts, texts: dict[str, int], found: list[Problem]) -> FileFacts:
    """The facts of a text without problems, with these. `texts`: the number of each string."""
    strings = list(facts.strings)
    known: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    for start, end, text in found:
        number = texts.get(text, known.get(text, -1))
        if number < 0:
            number = known[text] = len(strings)
            strings.append(text)
        rows.append((int(ProblemKind.SYNTAX), start, end, number))
    packing = ColumnPacker()
    packing.rows(rows)
    return attrs.evolve(facts, strings=tuple(strings), problems=Problems.from_valid_columns(next(packing.packed())))


def unfinished(root: Node, start: int, end: int) -> tuple[int, int]:
    """Where a broken stretch of many lines is to be mended: the last bracket in it that nothing closes, else the last
    word or sign that no construct took in."""
    node: Node | None = root
    while node is not None and not (node.is_error and node.start_byte == start and node.end_byte == end):
        node = next((part for part in node.children if part.start_byte <= start and end <= part.end_byte), None)
    if node is None:
        return start, end
    opened: list[Node] = []
    last: Node | None = None
    for part in node.children:
        if part.type in _CLOSED_BY:
            opened.append(part)
        elif opened and _CLOSED_BY[opened[-1].type] == part.type:
            opened.pop()
        if not part.is_named:
            last = part
    found = opened[-1] if opened else last
    return (start, end) if found is None else (found.start_byte, found.end_byte)


def syntax_problems(data: bytes, root: Node, sound: Callable[[Node], bool] | None = None) -> list[Problem]:
    """Broken nodes, outermost first; without those that are `sound` to who reads them, though not to the grammar.

    A query would do, but takes quadratic time below a node with many children."""
    rows: list[Problem] = []
    pending = [root] if root.has_error else []
    while pending and len(rows) < PROBLEMS:
        node = pending.pop()
        start, end = node.start_byte, node.end_byte
        if node.is_error and not (sound is not None and sound(node)):
            near = " ".join(data[start : min(end, start + 160)].decode("utf-8", "replace").split())[:40]
            rows.append((start, end, f"Syntax error near `{near}`." if near else "Syntax error."))
        elif node.is_missing:
            rows.append((start, end, f"Syntax error: `{node.type}` is missing here."))
        pending.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)
    return sorted(rows)
