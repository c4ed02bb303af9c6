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

from graphls.facts.columns import pack_column
from graphls.facts.kinds import (
    DefinitionFlag,
    DefinitionKind,
    ExpressionKind,
    OccurrenceFlag,
    RegionKind,
    ReturnKind,
    ScopeKind,
)
from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_DOC,
    D_FLAGS,
    D_KIND,
    D_NAME,
    D_SIGNATURE,
    D_TYPE,
    U_OWNER,
    U_ROLE,
    USE,
    shortened,
)
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.annotations import annotation
from graphls.languages.python.syntax.blocks import statements
from graphls.languages.python.syntax.constructs import DECORATED, construct
from graphls.languages.python.syntax.facts_builder import (
    CALLED,
    CONDITIONAL,
    DECORATES,
    INHERITED,
    KEYWORD,
    MEMBER,
    READ,
    PyFactsBuilder,
    PyFrame,
    Rule,
    StatementLevel,
)
from graphls.languages.python.syntax.fragment_cache import read_cached
from graphls.languages.python.syntax.nesting import children, generic, guarded
from graphls.languages.python.syntax.parameters import bind_parameters
from graphls.languages.python.syntax.strings import paragraph

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
ACCESSORS = {"setter": SETTER, "deleter": SETTER | int(DefinitionFlag.DELETER), "getter": 0}
_NO_CALL: Final = frozenset({*FLAGGED, *ACCESSORS, "wraps", "lru_cache", "cache", "property"})
"""Decorators of the language and its library: they run nothing of a workspace."""


class DeclarationParts:
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


def _parts(node: Node) -> DeclarationParts | None:
    """Reads the children once; the first identifier is the name."""
    inside = node.named_children
    name = next((part for part in inside if part.kind_id == nodes.IDENTIFIER), None)
    if name is None:
        return None
    parts = DeclarationParts(name)
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


def declaration(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A function or class without decorators."""
    if builder.cache is None or node.kind_id == nodes.CLASS_DEFINITION or not read_cached(builder, node, declaration):
        _declare(builder, node, node, ())
    return -1


def decorated(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A function or class with decorators."""
    parts = children(node)
    inner = parts[-1]
    if inner.kind_id not in (nodes.FUNCTION_DEFINITION, nodes.CLASS_DEFINITION):
        return generic(builder, node, 0, READ)
    if builder.cache is None or inner.kind_id == nodes.CLASS_DEFINITION or not read_cached(builder, node, decorated):
        _declare(builder, inner, node, parts[:-1])
    return -1


def _declare(builder: PyFactsBuilder, node: Node, whole: Node, decorators: Sequence[Node]) -> None:
    parts = _parts(node)
    if parts is None:
        generic(builder, whole, 0, READ)
        return
    is_class = node.kind_id == nodes.CLASS_DEFINITION
    full, scope, owner = builder.full, builder.scope, builder.owner
    builder.full = (whole.start_byte, whole.end_byte)
    start, end = parts.name.start_byte, parts.name.end_byte
    row = builder.define(
        builder.name(start, end), CLASS if is_class else _function_kind(builder), start, end, _home(builder, start, end)
    )
    if not is_class and builder.frame.level == StatementLevel.FUNCTION:
        builder.frame.functions.append(builder.definitions[row][D_NAME])
    builder.owner = row
    for decorator in decorators:
        _decorator(builder, decorator, row, owner)
    definition = builder.definitions[row]
    signature = " ".join(builder.source(node.start_byte, parts.header.end_byte).split())
    definition[D_SIGNATURE] = builder.text(shortened(signature, SIGNATURE_CAP))
    if parts.type_parameters is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, parts.type_parameters)
    if is_class:
        _class(builder, parts, row)
    else:
        if builder.data.startswith(b"async", node.start_byte):
            definition[D_FLAGS] |= ASYNC
        _function(builder, parts, row)
    builder.full, builder.scope, builder.owner = full, scope, owner


def _home(builder: PyFactsBuilder, start: int, end: int) -> int:
    """The scope that the name of a declaration is bound in."""
    return 0 if builder.frame.declared.get(builder.name(start, end)) else builder.scope


def _function_kind(builder: PyFactsBuilder) -> int:
    return METHOD if builder.scopes[builder.scope][0] == CLASS_SCOPE else FUNCTION


# ---------------------------------------------------------------- decorators


def _decorator(builder: PyFactsBuilder, node: Node, row: int, around: int) -> None:
    """`@f`. `around`: whose code runs it."""
    parts = children(node)
    if len(parts) != 1:
        generic(builder, node, 0, READ)
        return
    mark = len(builder.occurrences)
    expression = builder.read(parts[0], 1, DECORATES)
    name = builder.last_name(mark, DECORATES)
    if builder.frame.level == StatementLevel.FUNCTION:
        _give_calls(builder, mark, around)
    text = -1
    if parts[0].kind_id == nodes.CALL:
        arguments = parts[0].named_children[-1]
        inside = builder.source(arguments.start_byte + 1, arguments.end_byte - 1)
        text = builder.text(" ".join(inside.split())[:ARGUMENTS_CAP])
    builder.decorators.append((row, expression, parts[0].start_byte, parts[0].end_byte, name, text))
    spelled = builder.strings[name] if name >= 0 else ""
    if spelled not in _NO_CALL:
        construct(builder, DECORATED, (parts[0].start_byte, parts[0].end_byte), expression, owner=around)
    _apply(builder, row, spelled, expression)


def _give_calls(builder: PyFactsBuilder, mark: int, around: int) -> None:
    """What decorators in a function call, as `@option(type=Choice())`, is called by that function."""
    uses = builder.occurrences
    for at in range(mark, len(uses), USE):
        if uses[at + U_ROLE] == CALLED:
            uses[at + U_OWNER] = around


def _apply(builder: PyFactsBuilder, row: int, name: str, expression: int) -> None:
    """Flags and kind that a decorator of this name gives."""
    definition = builder.definitions[row]
    definition[D_FLAGS] |= FLAGGED.get(name, 0)
    if definition[D_KIND] != METHOD:
        return
    if name.endswith("property"):
        definition[D_KIND] = PROPERTY
        definition[D_FLAGS] |= CACHED if "cached" in name else 0
    elif name in ACCESSORS and builder.kind_of(expression) == MEMBER:
        definition[D_KIND] = PROPERTY
        definition[D_FLAGS] |= ACCESSORS[name]


# ---------------------------------------------------------------- type parameters


def type_parameters(builder: PyFactsBuilder, node: Node) -> None:
    """`[T: bound, *Ts, **P]`, bound in the current scope."""
    full, flags = builder.full, builder.bind_flags
    builder.bind_flags &= ~CONDITIONAL
    is_default = False
    for part in children(node):
        builder.full = (part.start_byte, part.end_byte)
        if is_default or part.is_error:
            is_default = _defaulted(builder, part) and part.is_error
            continue
        inner = _only(part)
        bound: list[Node] = []
        if inner.kind_id == nodes.CONSTRAINED_TYPE:
            name, *bound = children(inner)
            inner = _only(name)
        elif inner.kind_id == nodes.SPLAT_TYPE:
            inner = _only(inner)
        if inner.kind_id != nodes.IDENTIFIER:
            builder.read(part)
            continue
        start, end = inner.start_byte, inner.end_byte
        row = builder.define(builder.name(start, end), TYPE_PARAMETER, start, end, builder.scope)
        for other in bound:
            builder.definitions[row][D_TYPE] = annotation(builder, other)
    builder.full, builder.bind_flags = full, flags


def _defaulted(builder: PyFactsBuilder, node: Node) -> bool:
    """A part of `T = int` (3.13), of which the grammar takes `T =` or `= int` for broken. Whether a default is next."""
    if node.is_error and builder.data[node.start_byte : node.end_byte].rstrip(b" *").endswith(b"="):
        name = children(node)[0] if node.named_child_count else node
        while name.named_child_count:
            name = children(name)[0]
        if name.kind_id == nodes.IDENTIFIER:
            start, end = name.start_byte, name.end_byte
            builder.define(builder.name(start, end), TYPE_PARAMETER, start, end, builder.scope)
        return True
    for part in children(node) if node.is_error else (node,):
        annotation(builder, part)
    return False


def _only(node: Node) -> Node:
    """What stands inside `type` wrappers."""
    parts = children(node)
    return parts[0] if node.kind_id in (nodes.TYPE, nodes.SPLAT_TYPE) and len(parts) == 1 else node


# ---------------------------------------------------------------- functions


def _function(builder: PyFactsBuilder, parts: DeclarationParts, row: int) -> None:
    definition = builder.definitions[row]
    if definition[D_KIND] in (METHOD, PROPERTY):
        definition[D_FLAGS] |= IMPLIED.get(builder.strings[definition[D_NAME]], 0)
    body = parts.body
    end = parts.header.end_byte
    start, end = (body.start_byte, body.end_byte) if body is not None else (end, end)
    scope = definition[D_BODY] = builder.open_scope(FUNCTION_SCOPE, start, end, row)
    frame = _function_frame(builder, row, scope)
    if parts.arguments is not None:
        _parameters(builder, parts.arguments, frame)
    if parts.returns is not None:
        returned = annotation(builder, parts.returns)
        frame.promises_function = b"Callable" in builder.data[parts.returns.start_byte : parts.returns.end_byte]
        if returned >= 0:
            builder.returns.append((row, builder.expression(TYPE, returned), RETURN))
    for part in parts.rest:
        builder.read(part)
    if body is not None:
        mark = len(builder.shape)
        _body(builder, body, frame)
        shape = crc32(pack_column(builder.shape[mark:])) & 0x7FFFFFFF
        builder.metrics.append((row, frame.branches, frame.deepest, frame.statements, 0, shape))


def _function_frame(builder: PyFactsBuilder, row: int, scope: int) -> PyFrame:
    """The frame of a function: methods know their receiver, functions inside them inherit it."""
    outer = builder.frame
    frame = PyFrame(StatementLevel.FUNCTION, row, scope, parent=outer)
    frame.receiver, frame.members = outer.receiver, outer.members
    if builder.definitions[row][D_KIND] in (METHOD, PROPERTY):
        frame.receiver, frame.members = -1, outer.scope
    return frame


def _parameters(builder: PyFactsBuilder, node: Node, frame: PyFrame) -> None:
    rows = bind_parameters(builder, node, frame.scope)
    definition = builder.definitions[frame.definition]
    flags, name = definition[D_FLAGS], builder.strings[definition[D_NAME]]
    if definition[D_KIND] not in (METHOD, PROPERTY):
        if any(builder.definitions[row][D_NAME] == frame.receiver for row in rows):
            frame.receiver = -1
    elif rows and (not flags & STATIC or name == "__new__") and children(node)[0].kind_id not in _NOT_FIRST:
        first = builder.definitions[rows[0]]
        first[D_FLAGS] |= RECEIVER
        frame.receiver = first[D_NAME]


def _body(builder: PyFactsBuilder, body: Node, frame: PyFrame) -> None:
    """Reads a body in its frame, and what documents it."""
    outer, scope, bind_flags, use_flags = builder.frame, builder.scope, builder.bind_flags, builder.use_flags
    builder.frame, builder.scope = frame, frame.scope
    builder.bind_flags &= ~CONDITIONAL
    builder.use_flags &= ~_CONDITIONAL_USE
    builder.region(BODY, body, body.start_byte)
    doc = paragraph(builder, body.named_children[0]) if body.named_child_count else ""
    if doc:
        builder.definitions[frame.definition][D_DOC] = builder.text(doc)
    statements(builder, body)
    builder.frame, builder.scope, builder.bind_flags, builder.use_flags = outer, scope, bind_flags, use_flags


# ---------------------------------------------------------------- classes


def _class(builder: PyFactsBuilder, parts: DeclarationParts, row: int) -> None:
    bases = children(parts.arguments) if parts.arguments is not None else []
    names = [_base(builder, base, row) for base in bases]
    for part in parts.rest:
        builder.read(part)
    body = parts.body
    if body is None:
        end = parts.header.end_byte
        builder.definitions[row][D_BODY] = builder.open_scope(CLASS_SCOPE, end, end, row)
        return
    scope = builder.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
    builder.definitions[row][D_BODY] = scope
    enum = any(name.endswith(("Enum", "Flag")) for name in names)
    _body(builder, body, PyFrame(StatementLevel.CLASS, row, scope, enum=enum, parent=builder.frame))


def _base(builder: PyFactsBuilder, node: Node, row: int) -> str:
    """One base or class keyword; answers the last name of a base."""
    keyword = -1
    if node.kind_id == nodes.KEYWORD_ARGUMENT and len(children(node)) == 2:
        name, node = children(node)
        keyword = builder.name(name.start_byte, name.end_byte)
        if builder.strings[keyword] != "metaclass":
            builder.use(name.start_byte, name.end_byte, KEYWORD, builder.unknown())
    mark = len(builder.occurrences)
    expression = builder.read(node, 1, READ if keyword >= 0 else INHERITED)
    builder.bases.append((row, expression, keyword))
    last = builder.last_name(mark, INHERITED)
    return builder.strings[last] if last >= 0 else ""


_CONDITIONAL_USE: Final = int(OccurrenceFlag.CONDITIONAL)
_NOT_FIRST: Final = frozenset((nodes.KEYWORD_SEPARATOR, nodes.LIST_SPLAT_PATTERN, nodes.DICTIONARY_SPLAT_PATTERN))

RULES: Mapping[str, Rule] = {
    "function_definition": guarded(declaration),
    "class_definition": guarded(declaration),
    "decorated_definition": guarded(decorated),
}
