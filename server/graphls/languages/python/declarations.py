"""Declarations: functions and classes.

Owns: their definitions, scopes, frames, decorators, bases, signatures, documentation and body metrics.
Must not know: what statements in the body do.
Invariant: everything within a declaration's full range is owned by it; only body and parameters are in its scope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from zlib import crc32

from tree_sitter import Node

from graphls.facts.columns import packed
from graphls.facts.kinds import (
    DefinitionFlag,
    DefinitionKind,
    ExpressionKind,
    OccurrenceFlag,
    RegionKind,
    ReturnKind,
    ScopeKind,
)
from graphls.languages.draft import (
    D_BODY,
    D_DOC,
    D_FLAGS,
    D_KIND,
    D_NAME,
    D_SIGNATURE,
    D_TYPE,
    shortened,
)
from graphls.languages.python import nodes
from graphls.languages.python.annotations import annotation
from graphls.languages.python.blocks import statements
from graphls.languages.python.draft import (
    CONDITIONAL,
    DECORATES,
    INHERITED,
    KEYWORD,
    MEMBER,
    READ,
    Draft,
    Frame,
    Level,
    Rule,
)
from graphls.languages.python.nesting import children, generic, guarded
from graphls.languages.python.parameters import bind_parameters
from graphls.languages.python.recall import recalled
from graphls.languages.python.strings import paragraph

FUNCTION: Final = int(DefinitionKind.FUNCTION)
METHOD: Final = int(DefinitionKind.METHOD)
CLASS: Final = int(DefinitionKind.CLASS)
PROPERTY: Final = int(DefinitionKind.PROPERTY)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)
CLASS_SCOPE: Final = int(ScopeKind.CLASS)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
BODY: Final = int(RegionKind.BODY)
RETURN: Final = int(ReturnKind.RETURN)
TYPE: Final = int(ExpressionKind.TYPE)
ASYNC: Final = int(DefinitionFlag.ASYNC)
STATIC: Final = int(DefinitionFlag.STATIC)
CLASSMETHOD: Final = int(DefinitionFlag.CLASSMETHOD)
SETTER: Final = int(DefinitionFlag.SETTER)
CACHED: Final = int(DefinitionFlag.CACHED)
RECEIVER: Final = int(DefinitionFlag.RECEIVER)

SIGNATURE_CAP: Final = 500
ARGUMENTS_CAP: Final = 500

FLAGGED = {
    "staticmethod": STATIC,
    "classmethod": CLASSMETHOD,
    "abstractclassmethod": CLASSMETHOD | int(DefinitionFlag.ABSTRACT),
    "abstractstaticmethod": STATIC | int(DefinitionFlag.ABSTRACT),
    "abstractmethod": int(DefinitionFlag.ABSTRACT),
    "abstractproperty": int(DefinitionFlag.ABSTRACT),
    "overload": int(DefinitionFlag.OVERLOAD),
    "final": int(DefinitionFlag.FINAL),
}
"""Flags that a decorator of this name gives."""
IMPLIED = {"__new__": STATIC, "__init_subclass__": CLASSMETHOD, "__class_getitem__": CLASSMETHOD}
"""Methods that are static or class methods without saying so."""
ACCESSORS = {"setter": SETTER, "deleter": SETTER, "getter": 0}


class Parts:
    """The children of a `def` or `class`, by what they are."""

    def __init__(self, name: Node) -> None:
        self.name = name
        self.body: Node | None = None
        self.arguments: Node | None = None
        self.type_parameters: Node | None = None
        self.returns: Node | None = None
        self.rest: list[Node] = []

    @property
    def header(self) -> Node:
        """The last node before the colon."""
        return self.returns or self.arguments or self.type_parameters or self.name


def _parts(node: Node) -> Parts | None:
    """Reads the children once; the first identifier is the name."""
    inside = node.named_children
    name = next((part for part in inside if part.kind_id == nodes.IDENTIFIER), None)
    if name is None:
        return None
    parts = Parts(name)
    named = False
    for part in inside:
        kind = part.kind_id
        if kind == nodes.IDENTIFIER and not named:
            named = True
        elif kind == nodes.BLOCK:
            parts.body = part
        elif kind in (nodes.PARAMETERS, nodes.ARGUMENTS):
            parts.arguments = part
        elif kind == nodes.TYPE_PARAMETER:
            parts.type_parameters = part
        elif kind == nodes.TYPE:
            parts.returns = part
        else:
            parts.rest.append(part)
    return parts


def declaration(draft: Draft, node: Node, want: int, role: int) -> int:
    """A function or class without decorators."""
    if draft.memory is None or node.kind_id == nodes.CLASS_DEFINITION or not recalled(draft, node, declaration):
        _declare(draft, node, node, ())
    return -1


def decorated(draft: Draft, node: Node, want: int, role: int) -> int:
    """A function or class with decorators."""
    parts = children(node)
    inner = parts[-1]
    if inner.kind_id not in (nodes.FUNCTION_DEFINITION, nodes.CLASS_DEFINITION):
        return generic(draft, node, 0, READ)
    if draft.memory is None or inner.kind_id == nodes.CLASS_DEFINITION or not recalled(draft, node, decorated):
        _declare(draft, inner, node, parts[:-1])
    return -1


def _declare(draft: Draft, node: Node, whole: Node, decorators: Sequence[Node]) -> None:
    parts = _parts(node)
    if parts is None:
        generic(draft, whole, 0, READ)
        return
    is_class = node.kind_id == nodes.CLASS_DEFINITION
    full, scope, owner = draft.full, draft.scope, draft.owner
    draft.full = (whole.start_byte, whole.end_byte)
    start, end = parts.name.start_byte, parts.name.end_byte
    row = draft.define(
        draft.name(start, end), CLASS if is_class else _function_kind(draft), start, end, _home(draft, start, end)
    )
    draft.owner = row
    for decorator in decorators:
        _decorator(draft, decorator, row)
    definition = draft.definitions[row]
    signature = " ".join(draft.source(node.start_byte, parts.header.end_byte).split())
    definition[D_SIGNATURE] = draft.text(shortened(signature, SIGNATURE_CAP))
    if parts.type_parameters is not None:
        draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(draft, parts.type_parameters)
    if is_class:
        _class(draft, parts, row)
    else:
        if draft.data.startswith(b"async", node.start_byte):
            definition[D_FLAGS] |= ASYNC
        _function(draft, parts, row)
    draft.full, draft.scope, draft.owner = full, scope, owner


def _home(draft: Draft, start: int, end: int) -> int:
    """The scope that the name of a declaration is bound in."""
    return 0 if draft.frame.declared.get(draft.name(start, end)) else draft.scope


def _function_kind(draft: Draft) -> int:
    return METHOD if draft.scopes[draft.scope][0] == CLASS_SCOPE else FUNCTION


# ---------------------------------------------------------------- decorators


def _decorator(draft: Draft, node: Node, row: int) -> None:
    parts = children(node)
    if len(parts) != 1:
        generic(draft, node, 0, READ)
        return
    mark = len(draft.occurrences)
    expression = draft.read(parts[0], 1, DECORATES)
    name = draft.last_name(mark, DECORATES)
    text = -1
    if parts[0].kind_id == nodes.CALL:
        arguments = parts[0].named_children[-1]
        inside = draft.source(arguments.start_byte + 1, arguments.end_byte - 1)
        text = draft.text(" ".join(inside.split())[:ARGUMENTS_CAP])
    draft.decorators.append((row, expression, parts[0].start_byte, parts[0].end_byte, name, text))
    _apply(draft, row, draft.strings[name] if name >= 0 else "", expression)


def _apply(draft: Draft, row: int, name: str, expression: int) -> None:
    """Flags and kind that a decorator of this name gives."""
    definition = draft.definitions[row]
    definition[D_FLAGS] |= FLAGGED.get(name, 0)
    if definition[D_KIND] != METHOD:
        return
    if name.endswith("property"):
        definition[D_KIND] = PROPERTY
        definition[D_FLAGS] |= CACHED if "cached" in name else 0
    elif name in ACCESSORS and draft.kind_of(expression) == MEMBER:
        definition[D_KIND] = PROPERTY
        definition[D_FLAGS] |= ACCESSORS[name]


# ---------------------------------------------------------------- type parameters


def type_parameters(draft: Draft, node: Node) -> None:
    """`[T: bound, *Ts, **P]`, bound in the current scope."""
    full, flags = draft.full, draft.bind_flags
    draft.bind_flags &= ~CONDITIONAL
    for part in children(node):
        draft.full = (part.start_byte, part.end_byte)
        inner = _only(part)
        bound: list[Node] = []
        if inner.kind_id == nodes.CONSTRAINED_TYPE:
            name, *bound = children(inner)
            inner = _only(name)
        elif inner.kind_id == nodes.SPLAT_TYPE:
            inner = _only(inner)
        if inner.kind_id != nodes.IDENTIFIER:
            draft.read(part)
            continue
        start, end = inner.start_byte, inner.end_byte
        row = draft.define(draft.name(start, end), TYPE_PARAMETER, start, end, draft.scope)
        for other in bound:
            draft.definitions[row][D_TYPE] = annotation(draft, other)
    draft.full, draft.bind_flags = full, flags


def _only(node: Node) -> Node:
    """What stands inside `type` wrappers."""
    parts = children(node)
    return parts[0] if node.kind_id in (nodes.TYPE, nodes.SPLAT_TYPE) and len(parts) == 1 else node


# ---------------------------------------------------------------- functions


def _function(draft: Draft, parts: Parts, row: int) -> None:
    definition = draft.definitions[row]
    if definition[D_KIND] in (METHOD, PROPERTY):
        definition[D_FLAGS] |= IMPLIED.get(draft.strings[definition[D_NAME]], 0)
    body = parts.body
    end = parts.header.end_byte
    start, end = (body.start_byte, body.end_byte) if body is not None else (end, end)
    scope = definition[D_BODY] = draft.open_scope(FUNCTION_SCOPE, start, end, row)
    frame = _function_frame(draft, row, scope)
    if parts.arguments is not None:
        _parameters(draft, parts.arguments, frame)
    if parts.returns is not None:
        returned = annotation(draft, parts.returns)
        if returned >= 0:
            draft.returns.append((row, draft.expression(TYPE, returned), RETURN))
    for part in parts.rest:
        draft.read(part)
    if body is not None:
        mark = len(draft.shape)
        _body(draft, body, frame)
        shape = crc32(packed(draft.shape[mark:])) & 0x7FFFFFFF
        draft.metrics.append((row, frame.branches, frame.deepest, frame.statements, 0, shape))


def _function_frame(draft: Draft, row: int, scope: int) -> Frame:
    """The frame of a function: methods know their receiver, functions inside them inherit it."""
    outer = draft.frame
    frame = Frame(Level.FUNCTION, row, scope, parent=outer)
    frame.receiver, frame.members = outer.receiver, outer.members
    if draft.definitions[row][D_KIND] in (METHOD, PROPERTY):
        frame.receiver, frame.members = -1, outer.scope
    return frame


def _parameters(draft: Draft, node: Node, frame: Frame) -> None:
    rows = bind_parameters(draft, node, frame.scope)
    definition = draft.definitions[frame.definition]
    flags, name = definition[D_FLAGS], draft.strings[definition[D_NAME]]
    if definition[D_KIND] not in (METHOD, PROPERTY):
        if any(draft.definitions[row][D_NAME] == frame.receiver for row in rows):
            frame.receiver = -1
    elif rows and (not flags & STATIC or name == "__new__") and children(node)[0].kind_id not in _NOT_FIRST:
        first = draft.definitions[rows[0]]
        first[D_FLAGS] |= RECEIVER
        frame.receiver = first[D_NAME]


def _body(draft: Draft, body: Node, frame: Frame) -> None:
    """Reads a body in its frame, and what documents it."""
    outer, scope, bind_flags, use_flags = draft.frame, draft.scope, draft.bind_flags, draft.use_flags
    draft.frame, draft.scope = frame, frame.scope
    draft.bind_flags &= ~CONDITIONAL
    draft.use_flags &= ~_CONDITIONAL_USE
    draft.region(BODY, body, body.start_byte)
    doc = paragraph(draft, body.named_children[0]) if body.named_child_count else ""
    if doc:
        draft.definitions[frame.definition][D_DOC] = draft.text(doc)
    statements(draft, body)
    draft.frame, draft.scope, draft.bind_flags, draft.use_flags = outer, scope, bind_flags, use_flags


# ---------------------------------------------------------------- classes


def _class(draft: Draft, parts: Parts, row: int) -> None:
    bases = children(parts.arguments) if parts.arguments is not None else []
    names = [_base(draft, base, row) for base in bases]
    for part in parts.rest:
        draft.read(part)
    body = parts.body
    if body is None:
        end = parts.header.end_byte
        draft.definitions[row][D_BODY] = draft.open_scope(CLASS_SCOPE, end, end, row)
        return
    scope = draft.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
    draft.definitions[row][D_BODY] = scope
    enum = any(name.endswith(("Enum", "Flag")) for name in names)
    _body(draft, body, Frame(Level.CLASS, row, scope, enum=enum, parent=draft.frame))


def _base(draft: Draft, node: Node, row: int) -> str:
    """One base or class keyword; answers the last name of a base."""
    keyword = -1
    if node.kind_id == nodes.KEYWORD_ARGUMENT and len(children(node)) == 2:
        name, node = children(node)
        keyword = draft.name(name.start_byte, name.end_byte)
        if draft.strings[keyword] != "metaclass":
            draft.use(name.start_byte, name.end_byte, KEYWORD, draft.unknown())
    mark = len(draft.occurrences)
    expression = draft.read(node, 1, READ if keyword >= 0 else INHERITED)
    draft.bases.append((row, expression, keyword))
    last = draft.last_name(mark, INHERITED)
    return draft.strings[last] if last >= 0 else ""


_CONDITIONAL_USE: Final = int(OccurrenceFlag.CONDITIONAL)
_NOT_FIRST: Final = frozenset((nodes.KEYWORD_SEPARATOR, nodes.LIST_SPLAT_PATTERN, nodes.DICTIONARY_SPLAT_PATTERN))

RULES: Mapping[str, Rule] = {
    "function_definition": guarded(declaration),
    "class_definition": guarded(declaration),
    "decorated_definition": guarded(decorated),
}
