"""Calls: callee, arguments, `new`, `require` and dynamic imports.

Owns: role CALL, what a place among arguments expects, literals of calls.
Must not know: what is called.
Invariant: the callee is read before the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ImportFlag
from graphls.languages.extract.facts_builder import EXPRESSION, USE
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.commonjs import mixes_in, note_mixin
from graphls.languages.typescript.syntax.facts_builder import (
    AWAIT,
    CALL,
    CALLED,
    DECORATES,
    LAMBDA,
    READ,
    WANTED,
    Rule,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.forms import flags_of
from graphls.languages.typescript.syntax.imports import REQUIRED, specifier
from graphls.languages.typescript.syntax.nesting import children, field, generic, guarded
from graphls.languages.typescript.syntax.prototypes import read_prototype_call
from graphls.languages.typescript.syntax.texts import add_literal, spells_path

NO_CALL: Final = -2
"""In the place of a row that may be -1."""
ROLE_AT, FLAGS_AT = 3 - USE, 4 - USE
"""Where the last occurrence has its role and its flags."""
TRANSPARENT = frozenset((b"Object.freeze", b"Object.seal", b"Object.assign", b"Object.defineProperties"))
"""Calls that give back their first argument."""
_BOUND = frozenset((nodes.AWAIT_EXPRESSION, nodes.UNARY_EXPRESSION, nodes.BINARY_EXPRESSION))
_READING = frozenset((nodes.MEMBER_EXPRESSION, nodes.CALL_EXPRESSION))

_OF_TYPES: Final = frozenset((
    "type_annotation", "type_alias_declaration", "type_query", "type_arguments", "extends_type_clause",
    "type_predicate", "constraint", "default_type", "asserts",
))  # fmt: skip


def call(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`callee(arguments)`."""
    owner, builder.object_owner = builder.object_owner, -1
    expected, builder.expected = builder.expected, -1
    parts = node.named_children
    if len(parts) != 2:
        parts = [part for part in children(node) if builder.kinds.of(part) != nodes.OPTIONAL_CHAIN]
        if not 2 <= len(parts) <= 3:
            return generic(builder, node, 0, READ)
    arguments, kinds = parts[-1], builder.kinds
    function, waits = _behind(builder, node, parts[0]) if len(parts) == 3 else (parts[0], 0)
    number, listed = function.kind_id, arguments.kind_id == kinds.arguments
    code = kinds.codes[number]
    if listed and code in (nodes.IDENTIFIER, nodes.IMPORT):
        row = _module(builder, node, function, arguments)
        if row >= 0:
            return row
    given = _given(builder, arguments) if listed else [arguments]
    numbers: list[int] = [part.kind_id for part in given]
    if not want and len(given) > 1 and read_prototype_call(builder, function, given):
        builder.read(function, 0, CALLED)
        return -1
    if want and number == kinds.member and given:
        spelled = builder.data[function.start_byte : min(function.end_byte, function.start_byte + 24)]
        if spelled in TRANSPARENT:
            builder.read(function, 0, CALLED)
            return _transparent(builder, given, want, owner)
    lists_strings = kinds.string in numbers and _lists_strings(builder, given, role)
    keep = 1 if want or lists_strings else 0
    mixes = builder.script and mixes_in(builder, given)
    contextual = keep or mixes or not kinds.contextual.isdisjoint(numbers)
    callee = builder.rules[number](
        builder, function, 1 if contextual else 0, DECORATES if role == DECORATES else CALLED
    )
    _mark_call_form(builder, number, numbers)
    if len(parts) == 3:
        applied = [builder.read(part, WANTED) for part in children(parts[1])]
        callee = builder.operator("apply", callee, *applied) if callee >= 0 else -1
    builder.shape.append(node.kind_id)
    rows = _arguments(builder, given, numbers, keep, (callee, expected)) if given else []
    row = _result(builder, callee, rows) if keep and callee >= 0 else -1
    if mixes:
        note_mixin(builder, callee, given[0])
    if given:
        _record(builder, given, numbers, row if lists_strings else NO_CALL)
    return _waited(builder, row, waits) if want else -1


def _record(draft: TsFactsBuilder, given: list[Node], numbers: list[int], call: int) -> None:
    """Strings that are told apart from others: all of a call that is kept; else the title of what it is given, a test
    or whatever else stands in a function or an object."""
    kinds = draft.kinds
    if call != NO_CALL:
        for position, part in enumerate(given):
            if numbers[position] == kinds.string:
                add_literal(draft, part, call, position)
    elif numbers[0] == kinds.string and len(given) > 1 and not kinds.contextual.isdisjoint(numbers[1:]):
        add_literal(draft, given[0], -1, 0)


def _waited(builder: TsFactsBuilder, row: int, waits: int) -> int:
    """What is known of a call's result behind what stands before it; `waits`: as `_behind` says it."""
    if not waits or row < 0:
        return row
    return builder.expression(AWAIT, row) if waits > 0 else -1


def _behind(builder: TsFactsBuilder, node: Node, function: Node) -> tuple[Node, int]:
    """What `await f<T>(x)`, `!f<T>(x)` and `a + f<T>(x)` call, which the grammar reads as `(await f)<T>(x)`.

    And 1 where the result is waited for, -1 where it is an operand, 0 where more is read from it before anything waits.
    """
    waits = 0
    while (code := builder.kinds.codes[function.kind_id]) in _BOUND and function.named_child_count:
        waits = 1 if code == nodes.AWAIT_EXPRESSION and waits == 0 else -1
        if code == nodes.BINARY_EXPRESSION:
            builder.read(function.named_children[0])
        function = function.named_children[-1]
    parent = builder.ancestry.parent(node)
    first = parent is not None and builder.kinds.of(parent) in _READING and parent.start_byte == node.start_byte
    return function, 0 if first else waits


def _result(builder: TsFactsBuilder, callee: int, rows: list[int]) -> int:
    """What a call gives: of a function that is written where it is called, what that gives back."""
    if builder.kind_of(callee) == LAMBDA and not rows:
        return builder.expressions[callee * EXPRESSION + 1]
    return builder.expression(CALL, callee, builder.sequence(rows))


def _given(builder: TsFactsBuilder, arguments: Node) -> list[Node]:
    """The arguments, without comments between them."""
    given, codes = arguments.named_children, builder.kinds.codes
    if any(codes[part.kind_id] in (nodes.COMMENT, nodes.HTML_COMMENT) for part in given):
        return children(arguments)
    return given


def _mark_call_form(builder: TsFactsBuilder, kind: int, given: list[int]) -> None:
    """Keeps with the called name what the arguments are."""
    uses = builder.occurrences
    if kind in (builder.kinds.identifier, builder.kinds.member) and uses and uses[ROLE_AT] == CALLED:
        uses[FLAGS_AT] |= flags_of(builder.kinds.forms, given)


def _transparent(builder: TsFactsBuilder, given: list[Node], want: int, owner: int) -> int:
    """A call that gives back its first argument."""
    builder.object_owner = owner
    row = builder.read(given[0], want)
    builder.object_owner = -1
    for part in given[1:]:
        builder.read(part)
    return row


def _lists_strings(builder: TsFactsBuilder, given: list[Node], role: int) -> bool:
    """Strings given to decorators, outside of functions, or spelling a path."""
    if role == DECORATES or not builder.frame.function:
        return True
    return any(part.kind_id == builder.kinds.string and spells_path(builder, part) for part in given)


def _arguments(
    builder: TsFactsBuilder, given: list[Node], numbers: list[int], keep: int, call_context: tuple[int, int]
) -> list[int]:
    """Reads arguments; `told`: the callee, and what is expected of the result, -1 for nothing."""
    rows: list[int] = []
    rules, contextual = builder.rules, builder.kinds.contextual
    flags = -1
    for position, part in enumerate(given):
        kind = numbers[position]
        if call_context[0] >= 0 and kind in contextual and part.child_count > 2:
            flags = flags_of(builder.kinds.forms, numbers) if flags < 0 else flags
            operands = call_context if call_context[1] >= 0 else call_context[:1]
            builder.expected = builder.operator(f"argument:{position}:{flags}", *operands)
        rows.append(rules[kind](builder, part, keep, READ))
        builder.expected = -1
    return rows


def _module(builder: TsFactsBuilder, node: Node, function: Node, arguments: Node) -> int:
    """`require("m")` and `import("m")`, which in a type does not run; -1 for any other call."""
    word = builder.data[function.start_byte : min(function.end_byte, function.start_byte + 8)]
    if word != b"require" and word != b"import":
        return -1
    given = children(arguments)
    if not given or builder.kinds.of(given[0]) != nodes.STRING:
        return -1
    module = specifier(builder, given[0])
    flags = int(ImportFlag.LOCAL) if builder.frame.function else 0
    dynamic = builder.kinds.of(function) == nodes.IMPORT
    typed = dynamic and _is_in_type(builder, node)
    if dynamic:
        flags |= int(ImportFlag.DYNAMIC | (ImportFlag.TYPE_CHECKING if typed else 0))
    builder.imports.append([module, 0, -1, -1, flags, node.start_byte, node.end_byte, builder.scope])
    for part in given[1:]:
        builder.read(part)
    if typed:
        return builder.module(module, 0)
    return builder.operator("Promise", builder.module(module, 0)) if dynamic else builder.module(module, REQUIRED)


def _is_in_type(builder: TsFactsBuilder, node: Node) -> bool:
    """Whether a call, or the member of it that is named, stands where a type does. Asked of few calls: parents are
    dear."""
    around = builder.ancestry.parent(node)
    while around is not None and around.type == "member_expression":
        around = builder.ancestry.parent(around)
    return around is not None and (around.type in _OF_TYPES or around.type.endswith("_type"))


def new(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new Name<T>(arguments)`."""
    builder.expected = builder.object_owner = -1
    constructor, arguments = field(builder, node, nodes.F_CONSTRUCTOR), field(builder, node, nodes.F_ARGUMENTS)
    if constructor is None:
        return generic(builder, node, 0, READ)
    given = children(arguments) if arguments is not None else []
    numbers: list[int] = [part.kind_id for part in given]
    contextual = not builder.kinds.contextual.isdisjoint(numbers)
    callee = builder.read(constructor, 1 if want or contextual else 0, CALLED)
    types = field(builder, node, nodes.F_TYPE_ARGUMENTS)
    applied = [builder.read(part, WANTED) for part in children(types)] if types is not None else []
    made = builder.operator("construct", callee, *applied) if callee >= 0 else -1
    builder.shape.append(node.kind_id)
    _arguments(builder, given, numbers, 0, (made, -1))
    return made if want else -1


RULES: Mapping[str, Rule] = {"call_expression": guarded(call), "new_expression": guarded(new)}
