"""Recall: statements and members whose text an earlier reading of the same file has seen.

Owns: which of them are kept, under what they are found again.
Must not know: what is in them, who edits.
Invariant: with a memory or without, of any earlier text, extraction gives the same facts.

What a statement of the module or a member of its classes says depends on its text, and on the few things about the
reader that are part of `Key`; apart from that only on where it stands.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from tree_sitter import Node

from graphls.languages.draft import D_SCOPE
from graphls.languages.pieces import OCCURRENCES, OUTER_SCOPES, Piece
from graphls.languages.typescript.draft import (
    CLASS_SCOPE,
    FUNCTION_SCOPE,
    LAMBDA_SCOPE,
    OBJECT_SCOPE,
    READ,
    WAITING,
    Draft,
    Expando,
    Frame,
    Rule,
)

Key: TypeAlias = tuple[bytes, int, str, int, int, int, int, bool]
"""Text, number of nodes, documentation, kind of the scope, depth, flags of bindings and uses, whether it was mended."""

SHORTEST: Final = 200
"""Bytes of what is worth keeping."""


def recalled(draft: Draft, node: Node, rule: Rule) -> bool:
    """Reads a node from memory, or into it; False where it must be read as if there were none."""
    memory = draft.memory
    if memory is None or draft.script or node.has_error or not _outside(draft):
        return False
    start, end = node.start_byte, node.end_byte
    if end - start < SHORTEST:
        return False
    text = draft.data[start:end]
    if b"infer" in text:
        return False
    doc = draft.strings[draft.doc] if draft.doc >= 0 else "\0"
    kind = draft.scopes[draft.scope][0]
    key: Key = (text, node.descendant_count, doc, kind, draft.depth, draft.bind_flags, draft.use_flags, draft.mended)
    piece = memory.recall(key)
    if piece is None:
        said = _read(draft, node, rule)
        if said.problems or said.heirs or said.exports_given():
            return False
        piece = Piece(said, start)
    memory.keep(key, piece)
    _put(draft, piece, start)
    return True


def _outside(draft: Draft) -> bool:
    """Whether no function is around: bodies of functions are measured as a whole, with whatever is declared in them."""
    scope = draft.scope
    if scope == 0:
        return not draft.frame.function
    if draft.scopes[scope][0] != CLASS_SCOPE or draft.owner != draft.scopes[scope][4]:
        return False
    while scope > 0:
        if draft.scopes[scope][0] in (FUNCTION_SCOPE, LAMBDA_SCOPE, OBJECT_SCOPE):
            return False
        scope = draft.scopes[scope][1]
    return True


def _read(draft: Draft, node: Node, rule: Rule) -> Draft:
    """A draft of the node alone."""
    inside = 0 if draft.scope == 0 else OUTER_SCOPES - 1
    said = Draft(
        draft.data, rules=draft.rules, kinds=draft.kinds, script=False, ambient=draft.ambient, frame=Frame(-1, False)
    )
    around = list(draft.scopes[draft.scope])
    around[1], around[4] = (0, 0) if inside else (-1, -1)
    said.scopes += [list(draft.scopes[0]), around]
    said.definitions.append(list(draft.definitions[draft.owner]) if draft.owner >= 0 else [0] * 15)
    said.scope, said.owner, said.depth = inside, -1 if draft.owner < 0 else 0, draft.depth
    said.bind_flags, said.use_flags = draft.bind_flags, draft.use_flags
    said.full = (node.start_byte, node.end_byte) if inside else (0, 0)
    said.doc = said.text(draft.strings[draft.doc]) if draft.doc >= 0 else -1
    rule(said, node, 0, READ)
    # Facts refer to no text of their own: the bytes of a file that has changed since are let go of.
    said.data = b""
    return said


def _put(draft: Draft, piece: Piece, start: int) -> None:
    placed = piece.put(draft, start)
    said = piece.said
    if not isinstance(said, Draft):
        return
    for expando in said.expandos:
        definition = placed.definitions[expando.definition]
        draft.definitions[definition][D_SCOPE] = WAITING
        base = placed.strings[expando.base] if expando.base >= 0 else -1
        use = tuple([placed.value(what, value) for what, value in zip(OCCURRENCES, expando.use, strict=True)])
        scope = placed.scopes[expando.scope]
        draft.expandos.append(
            Expando(base, scope, expando.prototype, definition=definition, use=use, called=expando.called)
        )
