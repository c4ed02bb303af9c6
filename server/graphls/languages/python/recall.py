"""Recall: functions whose text an earlier reading of the same file has seen.

Owns: which functions are kept, under what they are found again.
Must not know: what is in a function, who edits.
Invariant: with a memory or without, of any earlier text, extraction gives the same facts.

A function directly in a module or a class says the same wherever it stands, apart from numbers of rows and offsets:
what it says depends on its text, and on the few things about the reader that are part of `Key`.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from tree_sitter import Node

from graphls.facts.file_facts import FileFacts
from graphls.languages.broken import with_problems
from graphls.languages.draft import D_NAME, D_SCOPE
from graphls.languages.patching import edited_spot, replaced
from graphls.languages.pieces import (
    DEFINED,
    DEFINITIONS,
    OUTER_DEFINITIONS,
    OUTER_SCOPES,
    SCOPE,
    Columns,
    Laid,
    Memory,
    Piece,
    Spot,
    extents,
)
from graphls.languages.python.draft import READ, Draft, Frame, Level, Rule
from graphls.languages.python.finish import bound_by_augmenting, sort_definitions, syntax_problems

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
    start = node.start_byte
    key = _key(draft, node)
    piece = memory.recall(key)
    if piece is None:
        said = _read(draft, node, rule)
        if said.problems:
            return False
        piece = Piece(said, start)
    memory.keep(key, piece)
    first = extents(draft)
    _put(draft, piece, start)
    memory.note(draft, Spot(key, piece, _stand(draft, memory, rule)), node, first)
    return True


@final
class Stand:
    """Where the reader stood when it came to a function."""

    def __init__(self, draft: Draft, rule: Rule) -> None:
        self.frame = draft.frame
        self.scope = draft.scope
        self.rule = rule
        self.reader: Draft = _around(draft)

    def same(self, draft: Draft, rule: Rule) -> bool:
        """Whether the reader stands so again."""
        reader = self.reader
        return (
            self.frame is draft.frame
            and self.scope == draft.scope
            and self.rule is rule
            and (reader.depth, reader.bind_flags, reader.use_flags) == (draft.depth, draft.bind_flags, draft.use_flags)
        )


def _stand(draft: Draft, memory: Memory, rule: Rule) -> Stand:
    last = memory.last_stand()
    return last if isinstance(last, Stand) and last.same(draft, rule) else Stand(draft, rule)


def patched(data: bytes, root: Node, memory: Memory) -> FileFacts | None:
    """The facts of a text of which one function says something else than when it was read last; None where more may."""
    laid = memory.laid
    if laid is None or not memory.first_try(data):
        return None
    found = edited_spot(laid, data, root)
    if found is None:
        return None
    stand = found.spot.stand
    if not isinstance(stand, Stand):
        return None
    reader = stand.reader
    reader.data = data
    key = _key(reader, found.node)
    piece = None if found.node.has_error else memory.known.get(key)
    if piece is None:
        piece = Piece(_read(reader, found.node, stand.rule), found.node.start_byte)
    reader.data = b""
    made = replaced(memory, found, key, piece) if _alone(laid, found.spot.piece, piece) else None
    if made is not None and root.has_error:
        made = laid.said = with_problems(made, laid.texts, syntax_problems(data, root))
    return made


def _alone(laid: Laid, before: Piece, now: Piece) -> bool:
    """Whether what a function says has no part in what only the whole file decides."""
    said, old = now.said, before.said
    if not isinstance(said, Draft) or not isinstance(old, Draft):
        return False
    if said.problems or said.augmented or said.nonlocals or said.exports or old.exports:
        return False
    return not laid.outer_bindings or _bound_outside(said) == _bound_outside(old)


def _bound_outside(said: Draft) -> set[tuple[int, str]]:
    """What a function binds in the scopes around it."""
    rows = said.definitions[OUTER_DEFINITIONS:]
    return {(row[D_SCOPE], said.strings[row[D_NAME]]) for row in rows if row[D_SCOPE] < OUTER_SCOPES}


def _key(draft: Draft, node: Node) -> Key:
    frame = draft.frame
    return (
        draft.data[node.start_byte : node.end_byte],
        # What is broken, the text alone does not decide: it is never found under this.
        -1 if node.has_error else node.descendant_count,
        frame.level,
        frame.enum,
        draft.scopes[draft.scope][0],
        draft.depth,
        draft.bind_flags,
        draft.use_flags,
    )


def _around(draft: Draft) -> Draft:
    """A reader that stands where another one does, with nothing read."""
    inside = 0 if draft.scope == 0 else OUTER_SCOPES - 1
    made = Draft(b"", draft.rules, draft.frame)
    around = list(draft.scopes[draft.scope])
    around[1], around[4] = (0, 0) if inside else (-1, -1)
    made.scopes += [list(draft.scopes[0]), around]
    made.scope, made.owner, made.depth = inside, -1 if draft.owner < 0 else 0, draft.depth
    made.bind_flags, made.use_flags = draft.bind_flags, draft.use_flags
    made.full, made.block_end = draft.full, draft.block_end
    return made


def _in_function(frame: Frame | None) -> bool:
    """Bodies of functions are measured as a whole, with whatever is declared in them."""
    while frame is not None:
        if frame.level == Level.FUNCTION:
            return True
        frame = frame.parent
    return False


def _read(draft: Draft, node: Node, rule: Rule) -> Draft:
    """A draft of the function alone."""
    said, outer = _around(draft), draft.frame
    owner = -1 if outer.definition < 0 else 0
    said.data, said.broken = draft.data, node.has_error
    said.frame = Frame(outer.level, owner, said.scope, enum=outer.enum, parent=outer.parent)
    said.definitions.append(list(_AROUND))
    rule(said, node, 0, READ)
    if not said.nonlocals:
        # What is bound inside, the function alone decides.
        said.definitions += bound_by_augmenting(said, OUTER_SCOPES)
        if not said.augmented:
            sort_definitions(said)
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
