"""Calls: callee, arguments, `new`, `require` and dynamic imports.

Owns: role CALL, what a place among arguments expects, literals of calls.
Must not know: what is called.
Invariant: the callee is read before the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from graphls.facts.kinds import ImportFlag
from graphls.languages.typescript.draft import CALL, CALLED, DECORATES, READ, WANTED, Draft, Rule
from graphls.languages.typescript.imports import REQUIRED, specifier
from graphls.languages.typescript.nesting import children, generic, guarded
from graphls.languages.typescript.texts import add_literal, spells_path

CONTEXTUAL = frozenset(("object", "arrow_function", "function_expression", "array"))
TRANSPARENT = frozenset((b"Object.freeze", b"Object.seal", b"Object.assign", b"Object.defineProperties"))
"""Calls that give back their first argument."""


def call(draft: Draft, node: Node, want: int, role: int) -> int:
    """`callee(arguments)`."""
    owner, expected = draft.take_owner(), draft.take_expected()
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return generic(draft, node, 0, READ)
    spelled = draft.data[function.start_byte : min(function.end_byte, function.start_byte + 24)]
    if spelled in (b"require", b"import") and arguments.type == "arguments":
        row = _module(draft, node, function, arguments)
        if row >= 0:
            return row
    given = children(arguments) if arguments.type == "arguments" else [arguments]
    transparent = want and spelled in TRANSPARENT and bool(given)
    told = _told(draft, given, role)
    keep = 1 if want or told else 0
    contextual = any(part.type in CONTEXTUAL for part in given)
    callee = draft.read(function, 1 if keep or contextual else 0, DECORATES if role == DECORATES else CALLED)
    types = node.child_by_field_name("type_arguments")
    if types is not None:
        applied = [draft.read(part, WANTED) for part in children(types)]
        callee = draft.operator("apply", callee, *applied) if callee >= 0 else -1
    draft.shape.append(node.kind_id)
    if transparent:
        draft.object_owner = owner
        row = draft.read(given[0], want)
        for part in given[1:]:
            draft.read(part)
        return row
    rows = _arguments(draft, given, keep, (callee, expected) if expected >= 0 else (callee,))
    row = draft.expression(CALL, callee, draft.sequence(rows)) if keep and callee >= 0 else -1
    for position, part in enumerate(given):
        if told and part.type == "string":
            add_literal(draft, part, row, position)
    return row if want else -1


def _told(draft: Draft, given: list[Node], role: int) -> bool:
    """Strings given to decorators, outside of functions, or spelling a path."""
    strings = [part for part in given if part.type == "string"]
    if not strings:
        return False
    return role == DECORATES or not draft.frame.function or any(spells_path(draft, part) for part in strings)


def _arguments(draft: Draft, given: list[Node], keep: int, told: tuple[int, ...]) -> list[int]:
    """Reads arguments; `told`: the callee, and what is expected of the result, if anything."""
    rows: list[int] = []
    for position, part in enumerate(given):
        if told[0] >= 0 and part.type in CONTEXTUAL and part.child_count > 2:
            draft.expected = draft.operator(f"argument:{position}", *told)
        rows.append(draft.read(part, keep))
        draft.expected = -1
    return rows


def _module(draft: Draft, node: Node, function: Node, arguments: Node) -> int:
    given = children(arguments)
    if not given or given[0].type != "string":
        return -1
    module = specifier(draft, given[0])
    flags = int(ImportFlag.LOCAL) if draft.frame.function else 0
    dynamic = function.type == "import"
    flags |= int(ImportFlag.DYNAMIC) if dynamic else 0
    draft.imports.append([module, 0, -1, -1, flags, node.start_byte, node.end_byte, draft.scope])
    for part in given[1:]:
        draft.read(part)
    if dynamic:
        return draft.operator("Promise", draft.module(module, 0))
    return draft.module(module, REQUIRED)


def new(draft: Draft, node: Node, want: int, role: int) -> int:
    """`new Name<T>(arguments)`."""
    draft.expected = draft.object_owner = -1
    constructor, arguments = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
    if constructor is None:
        return generic(draft, node, 0, READ)
    given = children(arguments) if arguments is not None else []
    contextual = any(part.type in CONTEXTUAL for part in given)
    callee = draft.read(constructor, 1 if want or contextual else 0, CALLED)
    types = node.child_by_field_name("type_arguments")
    applied = [draft.read(part, WANTED) for part in children(types)] if types is not None else []
    made = draft.operator("construct", callee, *applied) if callee >= 0 else -1
    draft.shape.append(node.kind_id)
    _arguments(draft, given, 0, (made,))
    return made if want else -1


RULES: Mapping[str, Rule] = {"call_expression": guarded(call), "new_expression": guarded(new)}
