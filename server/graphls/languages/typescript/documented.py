"""Documented: the types that JSDoc comments give to what JavaScript declares.

Owns: types of parameters, results, variables and casts; aliases and imports that only comments make.
Must not know: how comments are written.
Invariant: each name in a comment is recorded once, in the scope of what the comment documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.draft import D_BODY, D_FLAGS, D_SIGNATURE, D_TYPE, D_VALUE
from graphls.languages.typescript.draft import (
    EXPORTED,
    FIELD,
    LAMBDA_SCOPE,
    OBJECT,
    OBJECT_SCOPE,
    PARAMETER,
    TYPE_ALIAS,
    TYPE_ONLY,
    TYPE_PARAMETER,
    TYPE_PARAMETERS,
    TYPED,
    WANTED,
    Draft,
)
from graphls.languages.typescript.jsdoc import Block, Tag

PARAMETERS = ("param", "arg", "argument")
PROPERTIES = ("property", "prop")
RETURNS = ("returns", "return")
NESTED: Final = 8
"""Parts of a name with dots that are followed."""


def note_at(draft: Draft, node: Node) -> Block | None:
    """The comment that documents what a node begins."""
    notes = draft.notes
    return None if notes is None else notes.by_place.get(node.start_byte)


def declared_type(draft: Draft, node: Node) -> int:
    """`/** @type {T} */` before a declaration; -1 for none."""
    block = note_at(draft, node)
    return -1 if block is None else _type_of(draft, block)


def cast_type(draft: Draft, node: Node) -> int:
    """`/** @type {T} */ (value)`."""
    block = note_at(draft, node)
    return -1 if block is None or block.documents != node.start_byte else _type_of(draft, block)


def _type_of(draft: Draft, block: Block) -> int:
    for tag in block.tags:
        if tag.word == "type":
            return _typed(draft, block, tag, ())
    return -1


def begin(draft: Draft, node: Node) -> None:
    """What the comment of a function says, kept for its parameters; type parameters and `this` are bound at once."""
    block = draft.frame.note = note_at(draft, node)
    if block is None:
        return
    _type_parameters(draft, block)
    for tag in block.tags:
        if tag.word == "this" and tag.type is not None:
            outer = _enter(draft, block)
            start = tag.type.start_byte
            row = draft.define(draft.text("this"), PARAMETER, start, start, draft.scope)
            _leave(draft, outer)
            draft.definitions[row][D_TYPE] = _typed(draft, block, tag, ())


def parameter_type(draft: Draft, name: str, position: int) -> int:
    """The type of a parameter by its name; one without a name goes by its place."""
    block = draft.frame.note
    if block is None:
        return -1
    given = [tag for tag in block.tags if tag.word in PARAMETERS and len(tag.path) == 1]
    if name:
        given = [tag for tag in given if tag.path[0] == name]
        return _with_parts(draft, block, given[0]) if given else -1
    return _with_parts(draft, block, given[position]) if position < len(given) else -1


def _with_parts(draft: Draft, block: Block, tag: Tag) -> int:
    parts = [one for one in block.tags if one.word == tag.word and len(one.path) > 1 and one.path[0] == tag.path[0]]
    return _typed(draft, block, tag, parts)


def result_type(draft: Draft) -> int:
    """What the comment says that the function gives back."""
    block = draft.frame.note
    for tag in block.tags if block is not None else ():
        if block is not None and tag.word in RETURNS:
            return _typed(draft, block, tag, ())
    return -1


# ---------------------------------------------------------------- types


def _enter(draft: Draft, block: Block) -> tuple[tuple[int, int], int, int, int, int]:
    outer = draft.full, draft.doc, draft.bind_flags, draft.expected, draft.object_owner
    draft.full = (block.start, block.end)
    draft.go_inside()
    draft.expected = draft.object_owner = -1
    return outer


def _leave(draft: Draft, outer: tuple[tuple[int, int], int, int, int, int]) -> None:
    draft.full, draft.doc, draft.bind_flags, draft.expected, draft.object_owner = outer


def _typed(draft: Draft, block: Block, tag: Tag, parts: Sequence[Tag], owner: int = -1) -> int:
    """The type of a tag; `parts`: tags that say what members it has."""
    outer = _enter(draft, block)
    draft.object_owner = owner
    row = _members(draft, tag, parts, 1) if parts else _read(draft, tag.type)
    if tag.rest and row >= 0:
        row = draft.operator("Array", row)
    _leave(draft, outer)
    return row


def _read(draft: Draft, node: Node | None) -> int:
    if node is None:
        return -1
    known = draft.noted.get(node.start_byte)
    if known is None:
        rules, kinds = draft.rules, draft.kinds
        draft.rules, draft.kinds = draft.note_rules, draft.note_kinds
        known = draft.noted[node.start_byte] = draft.read(node, WANTED, TYPED)
        draft.rules, draft.kinds = rules, kinds
    return known


def _members(draft: Draft, tag: Tag, parts: Sequence[Tag], depth: int) -> int:
    """`{Object} options` and what is said of `options.name`."""
    scope = draft.open_scope(OBJECT_SCOPE, draft.full[0], draft.full[1], draft.take_owner())
    home, draft.scope = draft.scope, scope
    for part in parts:
        if len(part.path) != depth + 1:
            continue
        start = part.end - len(part.path[depth].encode())
        row = draft.define(draft.name(start, part.end), FIELD, start, part.end, scope)
        draft.definitions[row][D_SIGNATURE] = draft.definitions[row][0]
        inner = [other for other in parts if len(other.path) > depth + 1 and other.path[: depth + 1] == part.path]
        draft.scope = home
        nested = bool(inner) and depth < NESTED
        draft.definitions[row][D_TYPE] = _members(draft, part, inner, depth + 1) if nested else _read(draft, part.type)
        draft.scope = scope
    draft.scope = home
    made = draft.expression(OBJECT, scope)
    several = tag.type is not None and tag.type.type == "array_type"
    return draft.operator("Array", made) if several else made


def _type_parameters(draft: Draft, block: Block) -> None:
    for tag in block.tags:
        if tag.word == "template" and len(tag.path) == 1:
            outer = _enter(draft, block)
            start = tag.end - len(tag.path[0].encode())
            row = draft.define(draft.name(start, tag.end), TYPE_PARAMETER, start, tag.end, draft.scope)
            draft.definitions[row][D_TYPE] = _read(draft, tag.type)
            _leave(draft, outer)


# ---------------------------------------------------------------- aliases


def read_notes(draft: Draft) -> None:
    """`@typedef`, `@callback` and `@import`, which bind names of the module wherever they stand."""
    notes = draft.notes
    for block in notes.blocks if notes is not None else ():
        for place, tag in enumerate(block.tags):
            if tag.word == "import" and tag.type is not None:
                outer = _enter(draft, block)
                draft.bind_flags |= TYPE_ONLY
                _read(draft, tag.type)
                _leave(draft, outer)
            elif tag.word in ("typedef", "callback") and len(tag.path) == 1:
                _alias(draft, block, tag, _until_next(block.tags[place + 1 :]))


def _until_next(tags: Sequence[Tag]) -> Sequence[Tag]:
    """The tags that belong to an alias: those before the next one."""
    for place, tag in enumerate(tags):
        if tag.word in ("typedef", "callback"):
            return tags[:place]
    return tags


def _alias(draft: Draft, block: Block, tag: Tag, following: Sequence[Tag]) -> None:
    outer = _enter(draft, block)
    owner, home = draft.owner, draft.scope
    start = tag.end - len(tag.path[0].encode())
    row = draft.define(draft.name(start, tag.end), TYPE_ALIAS, start, tag.end, draft.scope)
    draft.definitions[row][D_FLAGS] |= EXPORTED | TYPE_ONLY
    draft.definitions[row][D_SIGNATURE] = draft.text(f"@{tag.word} {tag.path[0]}")
    draft.owner = row
    if any(one.word == "template" for one in block.tags):
        draft.scope = draft.open_scope(TYPE_PARAMETERS, block.start, block.end, row)
        draft.definitions[row][D_BODY] = draft.scope
        _type_parameters(draft, block)
    if tag.word == "callback":
        value = _callback(draft, following)
    else:
        parts = [Tag(one.word, one.type, ("", *one.path), one.end) for one in following if one.word in PROPERTIES]
        value = _typed(draft, block, tag, parts, row)
    draft.definitions[row][D_VALUE] = value
    draft.owner, draft.scope = owner, home
    _leave(draft, outer)


def _callback(draft: Draft, following: Sequence[Tag]) -> int:
    """A function type: its result and its parameters."""
    home = draft.scope
    draft.scope = draft.open_scope(LAMBDA_SCOPE, draft.full[0], draft.full[1])
    given = [_read(draft, tag.type) for tag in following if tag.word in PARAMETERS and len(tag.path) == 1]
    results = [_read(draft, tag.type) for tag in following if tag.word in RETURNS]
    draft.scope = home
    return draft.operator("=>", results[0] if results else -1, *given)
