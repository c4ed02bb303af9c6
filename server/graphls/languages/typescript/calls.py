"""Calls: callee, arguments, `new`, `require` and dynamic imports.

Owns: role CALL, what a place among arguments expects, literals of calls.
Must not know: what is called.
Invariant: the callee is read before the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from graphls.facts.kinds import ImportFlag
from graphls.languages.draft import USE
from graphls.languages.typescript.draft import (
    CALL,
    CALLED,
    DECORATES,
    READ,
    WANTED,
    Draft,
    Rule,
)
from graphls.languages.typescript.forms import flags_of
from graphls.languages.typescript.imports import REQUIRED, specifier
from graphls.languages.typescript.nesting import children, generic, guarded
from graphls.languages.typescript.prototypes import handed
from graphls.languages.typescript.texts import add_literal, spells_path

ROLE_AT, FLAGS_AT = 3 - USE, 4 - USE
"""Where the last occurrence has its role and its flags."""
TRANSPARENT = frozenset((b"Object.freeze", b"Object.seal", b"Object.assign", b"Object.defineProperties"))
"""Calls that give back their first argument."""


def call(draft: Draft, node: Node, want: int, role: int) -> int:
    """`callee(arguments)`."""
    owner, draft.object_owner = draft.object_owner, -1
    expected, draft.expected = draft.expected, -1
    parts = node.named_children
    if len(parts) != 2:
        parts = [part for part in children(node) if part.type != "optional_chain"]
        if not 2 <= len(parts) <= 3:
            return generic(draft, node, 0, READ)
    function, arguments = parts[0], parts[-1]
    number, kinds = function.kind_id, draft.kinds
    if number != kinds.member and arguments.kind_id == kinds.arguments:
        row = _module(draft, node, function, arguments)
        if row >= 0:
            return row
    given = children(arguments) if arguments.kind_id == kinds.arguments else [arguments]
    numbers = [part.kind_id for part in given]
    if draft.script and not want and len(given) > 1 and handed(draft, function, given):
        draft.read(function, 0, CALLED)
        return -1
    if want and number == kinds.member and given:
        spelled = draft.data[function.start_byte : min(function.end_byte, function.start_byte + 24)]
        if spelled in TRANSPARENT:
            draft.read(function, 0, CALLED)
            return _transparent(draft, given, want, owner)
    told = kinds.string in numbers and _told(draft, given, role)
    keep = 1 if want or told else 0
    contextual = keep or not kinds.contextual.isdisjoint(numbers)
    callee = draft.rules[number](draft, function, 1 if contextual else 0, DECORATES if role == DECORATES else CALLED)
    _tell(draft, number, given)
    if len(parts) == 3:
        applied = [draft.read(part, WANTED) for part in children(parts[1])]
        callee = draft.operator("apply", callee, *applied) if callee >= 0 else -1
    draft.shape.append(node.kind_id)
    rows = _arguments(draft, given, keep, (callee, expected) if expected >= 0 else (callee,)) if given else ()
    row = draft.expression(CALL, callee, draft.sequence(rows)) if keep and callee >= 0 else -1
    if told:
        for position, part in enumerate(given):
            if part.kind_id == kinds.string:
                add_literal(draft, part, row, position)
    return row if want else -1


def _tell(draft: Draft, kind: int, given: list[Node]) -> None:
    """Keeps with the called name what the arguments are."""
    uses = draft.occurrences
    if kind in (draft.kinds.identifier, draft.kinds.member) and uses and uses[ROLE_AT] == CALLED:
        uses[FLAGS_AT] |= flags_of(given)


def _transparent(draft: Draft, given: list[Node], want: int, owner: int) -> int:
    """A call that gives back its first argument."""
    draft.object_owner = owner
    row = draft.read(given[0], want)
    draft.object_owner = -1
    for part in given[1:]:
        draft.read(part)
    return row


def _told(draft: Draft, given: list[Node], role: int) -> bool:
    """Strings given to decorators, outside of functions, or spelling a path."""
    if role == DECORATES or not draft.frame.function:
        return True
    return any(part.kind_id == draft.kinds.string and spells_path(draft, part) for part in given)


def _arguments(draft: Draft, given: list[Node], keep: int, told: tuple[int, ...]) -> list[int]:
    """Reads arguments; `told`: the callee, and what is expected of the result, if anything."""
    rows: list[int] = []
    rules, contextual = draft.rules, draft.kinds.contextual
    for position, part in enumerate(given):
        kind = part.kind_id
        if kind in contextual and told[0] >= 0 and part.child_count > 2:
            draft.expected = draft.operator(f"argument:{position}", *told)
        rows.append(rules[kind](draft, part, keep, READ))
        draft.expected = -1
    return rows


def _module(draft: Draft, node: Node, function: Node, arguments: Node) -> int:
    """`require("m")` and `import("m")`; -1 for any other call."""
    word = draft.data[function.start_byte : min(function.end_byte, function.start_byte + 8)]
    if word != b"require" and word != b"import":
        return -1
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
    contextual = any(part.kind_id in draft.kinds.contextual for part in given)
    callee = draft.read(constructor, 1 if want or contextual else 0, CALLED)
    types = node.child_by_field_name("type_arguments")
    applied = [draft.read(part, WANTED) for part in children(types)] if types is not None else []
    made = draft.operator("construct", callee, *applied) if callee >= 0 else -1
    draft.shape.append(node.kind_id)
    _arguments(draft, given, 0, (made,))
    return made if want else -1


RULES: Mapping[str, Rule] = {"call_expression": guarded(call), "new_expression": guarded(new)}
