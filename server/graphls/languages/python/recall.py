"""Recall: functions whose text an earlier reading of the same file has seen.

Owns: which functions are kept, under what they are found again.
Must not know: what is in a function, who edits.
Invariant: with a memory or without, of any earlier text, extraction gives the same facts.

A function directly in a module or a class says the same wherever it stands, apart from numbers of rows and offsets:
what it says depends on its text, and on the few things about the reader that are part of `Key`.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from tree_sitter import Node

from graphls.languages.pieces import (
    DEFINED,
    DEFINITIONS,
    OUTER_SCOPES,
    SCOPE,
    Columns,
    Piece,
)
from graphls.languages.python.draft import READ, Draft, Frame, Level, Rule

Key: TypeAlias = tuple[bytes, int, int, bool, int, int, int, int]
"""Text, number of nodes, level and enumeration of the frame, kind of the scope, depth, flags of bindings and uses."""

_AROUND: Final = [0] * 15
"""Stands for the definition around a function."""


def recalled(draft: Draft, node: Node, rule: Rule) -> bool:
    """Reads a function from memory, or into it; False where it must be read as if there were none."""
    memory = draft.memory
    frame = draft.frame
    if memory is None or frame.declared or _in_function(frame) or node.has_error:
        return False
    kind = draft.scopes[draft.scope][0]
    start = node.start_byte
    key: Key = (
        draft.data[start : node.end_byte],
        node.descendant_count,
        frame.level,
        frame.enum,
        kind,
        draft.depth,
        draft.bind_flags,
        draft.use_flags,
    )
    piece = memory.recall(key)
    if piece is None:
        said = _read(draft, node, rule)
        if said.problems:
            return False
        piece = Piece(said, start)
    memory.keep(key, piece)
    _put(draft, piece, start)
    return True


def _in_function(frame: Frame | None) -> bool:
    """Bodies of functions are measured as a whole, with whatever is declared in them."""
    while frame is not None:
        if frame.level == Level.FUNCTION:
            return True
        frame = frame.parent
    return False


def _read(draft: Draft, node: Node, rule: Rule) -> Draft:
    """A draft of the function alone."""
    outer = draft.frame
    inside = 0 if draft.scope == 0 else OUTER_SCOPES - 1
    owner = -1 if outer.definition < 0 else 0
    frame = Frame(outer.level, owner, inside, enum=outer.enum, parent=outer.parent)
    said = Draft(draft.data, draft.rules, frame)
    said.scopes += [list(draft.scopes[0]), list(draft.scopes[draft.scope])]
    said.definitions.append(list(_AROUND))
    said.scope, said.owner, said.depth = inside, -1 if draft.owner < 0 else 0, draft.depth
    said.bind_flags, said.use_flags = draft.bind_flags, draft.use_flags
    said.full, said.block_end = draft.full, draft.block_end
    rule(said, node, 0, READ)
    # Facts refer to no text of their own: the bytes of a file that has changed since are let go of.
    said.data = b""
    return said


def _put(draft: Draft, piece: Piece, start: int) -> None:
    placed = piece.put(draft, start)
    said = piece.said
    if not isinstance(said, Draft):
        return
    if said.augmented:
        draft.augmented += placed.listed(Columns(said.augmented, DEFINITIONS))
    for definition, scope in said.nonlocals:
        draft.nonlocals.append((placed.value(DEFINED, definition), placed.value(SCOPE, scope)))
    if said.exports:
        draft.exports.update([placed.strings[name] for name in said.exports])
