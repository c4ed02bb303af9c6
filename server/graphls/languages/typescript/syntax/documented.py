"""Documented: the types that JSDoc comments give to what JavaScript declares.

Owns: types of parameters, results, variables and casts; aliases and imports that only comments make.
Must not know: how comments are written.
Invariant: each name in a comment is recorded once, in the scope of what the comment documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_SIGNATURE, D_TYPE, D_VALUE
from graphls.languages.typescript.syntax.facts_builder import (
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
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.jsdoc import ALIASES, PARAMETERS, JsDocBlock, JsDocTag

PROPERTIES = ("property", "prop")
_SAYING_LESS = (b"Function", b"function", b"Object", b"object")
"""Types of results that say less than what is given back."""
RETURNS = ("returns", "return")
NESTED: Final = 8
"""Parts of a name with dots that are followed."""


def note_at(builder: TsFactsBuilder, node: Node) -> JsDocBlock | None:
    """The comment that documents what a node begins."""
    notes = builder.notes
    return None if notes is None else notes.by_place.get(node.start_byte)


def declared_type(builder: TsFactsBuilder, node: Node) -> int:
    """`/** @type {T} */` before a declaration; -1 for none."""
    block = note_at(builder, node)
    return -1 if block is None else _type_of(builder, block)


def cast_type(builder: TsFactsBuilder, node: Node) -> int:
    """`/** @type {T} */ (value)`."""
    block = note_at(builder, node)
    return -1 if block is None or block.documents != node.start_byte else _type_of(builder, block)


def _type_of(builder: TsFactsBuilder, block: JsDocBlock) -> int:
    for tag in block.tags:
        if tag.word == "type":
            return _typed(builder, block, tag, ())
    return -1


def begin(builder: TsFactsBuilder, node: Node) -> None:
    """What the comment of a function says, kept for its parameters; type parameters and `this` are bound at once."""
    block = builder.frame.note = note_at(builder, node)
    if block is None:
        return
    _type_parameters(builder, block)
    for tag in block.tags:
        if tag.word == "this" and tag.type is not None:
            outer = _enter(builder, block)
            start = tag.type.start_byte
            row = builder.define(builder.text("this"), PARAMETER, start, start, builder.scope)
            _leave(builder, outer)
            builder.definitions[row][D_TYPE] = _typed(builder, block, tag, ())


def parameter_type(builder: TsFactsBuilder, name: str, position: int) -> int:
    """The type of a parameter by its name; one without a name goes by its place."""
    block = builder.frame.note
    if block is None:
        return -1
    if name:
        given = block.named.get(name)
        return _with_parts(builder, block, given) if given is not None else -1
    return _with_parts(builder, block, block.parameters[position]) if position < len(block.parameters) else -1


def _with_parts(builder: TsFactsBuilder, block: JsDocBlock, tag: JsDocTag) -> int:
    return _typed(builder, block, tag, block.parts.get((tag.word, tag.path[0]), ()))


def result_type(builder: TsFactsBuilder) -> int:
    """What the comment says that the function gives back."""
    block = builder.frame.note
    for tag in block.tags if block is not None else ():
        if block is not None and tag.word in RETURNS:
            row, node = _typed(builder, block, tag, ()), tag.type
            says_less = node is not None and builder.data[node.start_byte : node.end_byte] in _SAYING_LESS
            return -1 if says_less else row
    return -1


# ---------------------------------------------------------------- types


def _enter(builder: TsFactsBuilder, block: JsDocBlock) -> tuple[tuple[int, int], int, int, int, int]:
    outer = builder.full, builder.doc, builder.bind_flags, builder.expected, builder.object_owner
    builder.full = (block.start, block.end)
    builder.go_inside()
    builder.expected = builder.object_owner = -1
    return outer


def _leave(builder: TsFactsBuilder, outer: tuple[tuple[int, int], int, int, int, int]) -> None:
    builder.full, builder.doc, builder.bind_flags, builder.expected, builder.object_owner = outer


def _typed(
    builder: TsFactsBuilder, block: JsDocBlock, tag: JsDocTag, parts: Sequence[JsDocTag], owner: int = -1
) -> int:
    """The type of a tag; `parts`: tags that say what members it has."""
    outer = _enter(builder, block)
    builder.object_owner = owner
    row = _members(builder, tag, parts, 1) if parts else _read(builder, tag.type)
    if tag.rest and row >= 0:
        row = builder.operator("Array", row)
    _leave(builder, outer)
    return row


def _read(builder: TsFactsBuilder, node: Node | None) -> int:
    if node is None:
        return -1
    known = builder.noted.get(node.start_byte)
    if known is None:
        rules, kinds = builder.rules, builder.kinds
        builder.rules, builder.kinds = builder.note_rules, builder.note_kinds
        known = builder.noted[node.start_byte] = builder.read(node, WANTED, TYPED)
        builder.rules, builder.kinds = rules, kinds
    return known


def _members(builder: TsFactsBuilder, tag: JsDocTag, parts: Sequence[JsDocTag], depth: int) -> int:
    """`{Object} options` and what is said of `options.name`."""
    scope = builder.open_scope(OBJECT_SCOPE, builder.full[0], builder.full[1], builder.take_owner())
    home, builder.scope = builder.scope, scope
    inside: dict[tuple[str, ...], list[JsDocTag]] = {}
    for part in parts:
        if len(part.path) > depth + 1:
            inside.setdefault(part.path[: depth + 1], []).append(part)
    for part in parts:
        if len(part.path) != depth + 1:
            continue
        start = part.end - len(part.path[depth].encode())
        row = builder.define(builder.name(start, part.end), FIELD, start, part.end, scope)
        builder.definitions[row][D_SIGNATURE] = builder.definitions[row][0]
        inner = inside.get(part.path, ())
        builder.scope = home
        nested = len(inner) > 0 and depth < NESTED
        builder.definitions[row][D_TYPE] = (
            _members(builder, part, inner, depth + 1) if nested else _read(builder, part.type)
        )
        builder.scope = scope
    builder.scope = home
    made = builder.expression(OBJECT, scope)
    several = tag.type is not None and tag.type.type == "array_type"
    return builder.operator("Array", made) if several else made


def _type_parameters(builder: TsFactsBuilder, block: JsDocBlock) -> None:
    for tag in block.tags:
        if tag.word == "template" and len(tag.path) == 1:
            outer = _enter(builder, block)
            start = tag.end - len(tag.path[0].encode())
            row = builder.define(builder.name(start, tag.end), TYPE_PARAMETER, start, tag.end, builder.scope)
            builder.definitions[row][D_TYPE] = _read(builder, tag.type)
            _leave(builder, outer)


# ---------------------------------------------------------------- aliases


def read_notes(builder: TsFactsBuilder) -> None:
    """`@typedef`, `@callback` and `@import`, which bind names of the module wherever they stand."""
    notes = builder.notes
    for block in notes.blocks if notes is not None else ():
        for place, tag in enumerate(block.tags):
            if tag.word == "import" and tag.type is not None:
                outer = _enter(builder, block)
                builder.bind_flags |= TYPE_ONLY
                _read(builder, tag.type)
                _leave(builder, outer)
            elif tag.word in ALIASES and len(tag.path) == 1:
                _alias(builder, block, tag, _until_next(block.tags[place + 1 :]))


def _until_next(tags: Sequence[JsDocTag]) -> Sequence[JsDocTag]:
    """The tags that belong to an alias: those before the next one."""
    for place, tag in enumerate(tags):
        if tag.word in ALIASES:
            return tags[:place]
    return tags


def _alias(builder: TsFactsBuilder, block: JsDocBlock, tag: JsDocTag, following: Sequence[JsDocTag]) -> None:
    outer = _enter(builder, block)
    owner, home = builder.owner, builder.scope
    start = tag.end - len(tag.path[0].encode())
    row = builder.define(builder.name(start, tag.end), TYPE_ALIAS, start, tag.end, builder.scope)
    builder.definitions[row][D_FLAGS] |= EXPORTED | TYPE_ONLY
    builder.definitions[row][D_SIGNATURE] = builder.text(f"@{tag.word} {tag.path[0]}")
    builder.owner = row
    if block.is_generic:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, block.start, block.end, row)
        builder.definitions[row][D_BODY] = builder.scope
        _type_parameters(builder, block)
    if tag.word == "callback":
        value = _callback(builder, following)
    else:
        parts = [JsDocTag(one.word, one.type, ("", *one.path), one.end) for one in following if one.word in PROPERTIES]
        value = _typed(builder, block, tag, parts, row)
    builder.definitions[row][D_VALUE] = value
    builder.owner, builder.scope = owner, home
    _leave(builder, outer)


def _callback(builder: TsFactsBuilder, following: Sequence[JsDocTag]) -> int:
    """A function type: its result and its parameters."""
    home = builder.scope
    builder.scope = builder.open_scope(LAMBDA_SCOPE, builder.full[0], builder.full[1])
    given = [_read(builder, tag.type) for tag in following if tag.word in PARAMETERS and len(tag.path) == 1]
    results = [_read(builder, tag.type) for tag in following if tag.word in RETURNS]
    builder.scope = home
    return builder.operator("=>", results[0] if results else -1, *given)
