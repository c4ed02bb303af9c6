"""Preprocessor: includes, macros and conditions of C.

Owns: the rules of directives.
Must not know: what a macro makes of code, other files.
Invariant: the body of a macro is text: the names in it that are neither its parameters nor members are uses.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind, Role
from graphls.languages.c.syntax.declarations import FUNCTION
from graphls.languages.c.syntax.types import TAGS
from graphls.languages.c.syntax.written_members import read_fields
from graphls.languages.declared.facts_builder import (
    CALLED,
    READ,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    documentation_above,
)
from graphls.languages.extract.facts_builder import D_VALUE

CONSTANT: Final = int(DefinitionKind.CONSTANT)
IMPORTED: Final = int(Role.IMPORT)
EXPORTED: Final = int(Role.EXPORT)
MOST: Final = 400
"""Names in one macro that are read."""
SPACES: Final = "namespace "
"""Begins the literal that is the value of a macro that opens namespaces: their names stand behind it."""
_NAMED: Final = re.compile(rb"(\binline[\s\\]+)?\bnamespace[\s\\]+(\w+)")
_OPENING: Final = (b"namespace", b"inline")
_MOST_OPENING: Final = 1000
"""Bytes of such a macro."""
_TOKEN: Final = re.compile(
    rb"(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')|/\*.*?\*/|//[^\n]*|[0-9][\w.]*"
    rb"|(?P<name>[A-Za-z_]\w*)(?P<call>[ \t]*\()?|(?P<other>->|\.\.\.|##|[^\s\\])",
    re.DOTALL,
)
_KEYWORDS: Final = frozenset(
    (
        b"if else for while do switch case default break continue return goto sizeof typedef extern static "
        b"inline const volatile register auto int char short long float double void signed unsigned struct "
        b"union enum typeof __typeof__ __VA_ARGS__ __attribute__ __extension__ __restrict __inline __asm__ "
        b"asm defined NULL bool true false _Static_assert _Bool __func__ __FILE__ __LINE__ "
    ).split()
)
_TAGGED: Final = frozenset((b"struct", b"union", b"enum"))


def include(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`#include "path"` and `#include <path>`: others see what is included, as it is written."""
    path = node.child_by_field_name("path")
    if path is None or path.type not in ("string_literal", "system_lib_string") or path.end_byte - path.start_byte < 3:
        if path is not None:
            builder.read(path)
        return -1
    start, end = path.start_byte + 1, path.end_byte - 1
    module = builder.name(start, end)
    builder.use(path.start_byte, path.end_byte, EXPORTED)
    builder.use(start, end, IMPORTED, builder.module(module, 0))
    builder.imports.append([module, 0, -1, -1, 0, node.start_byte, node.end_byte, builder.scope])
    return -1


def definition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`#define NAME text` and `#define NAME(a, b) text`."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return -1
    given = node.child_by_field_name("parameters")
    end = _end(builder.data, node)
    outer, full, builder.scope = builder.scope, builder.full, 0
    builder.full = (node.start_byte, end)
    row = builder.define(name, CONSTANT if given is None else FUNCTION)
    stop = value.start_byte if value is not None and given is not None else end
    builder.describe(row, node.start_byte, stop, documentation_above(builder.data, node.start_byte))
    if value is not None:
        owner, builder.owner = builder.owner, row
        own = frozenset(part.text for part in given.named_children) if given is not None else frozenset[bytes | None]()
        _text_uses(builder, value.start_byte, value.end_byte, own)
        builder.owner = owner
        if given is None and name.text is not None and name.text.isupper():
            read_fields(builder, row, value.start_byte, value.end_byte)
        if given is None:
            builder.definitions[row][D_VALUE] = _opened(builder, value.text or b"")
    builder.scope, builder.full = outer, full
    return -1


def _opened(builder: DeclaredFactsBuilder, text: bytes) -> int:
    """What a macro says that opens namespaces of C++; -1 for any other."""
    text = text.strip(b" \t\r\n\\")
    if len(text) > _MOST_OPENING or not text.startswith(_OPENING) or not text.endswith(b"{") or b"}" in text:
        return -1
    names = [name.decode("utf-8", "replace") for inline, name in _NAMED.findall(text) if not inline]
    return builder.builtin(SPACES + "::".join(names))


def _end(data: bytes, node: Node) -> int:
    """The end of a directive, without the end of its line."""
    end = node.end_byte
    while end > node.start_byte and data[end - 1] in b"\r\n":
        end -= 1
    return end


def _text_uses(builder: DeclaredFactsBuilder, start: int, end: int, own: Collection[bytes | None]) -> None:
    before, count = b"", 0
    for token in _TOKEN.finditer(builder.data, start, end):
        name = token["name"]
        if name is None:
            before = token["other"] or b""
            continue
        if name in _KEYWORDS:
            before = name
            continue
        if name not in own and before not in (b".", b"->", b"#", b"##") and count < MOST:
            count += 1
            if before in _TAGGED:
                builder.use(token.start("name"), token.end("name"), TYPED, builder.builtin(TAGS))
            else:
                builder.use(token.start("name"), token.end("name"), CALLED if token["call"] else READ)
        before = b"(" if token["call"] else b""


def directive(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`#undef NAME`; what others say is not code."""
    word, argument = node.child_by_field_name("directive"), node.child_by_field_name("argument")
    if word is not None and argument is not None and (word.text or b"").endswith(b"undef"):
        _text_uses(builder, argument.start_byte, argument.end_byte, ())
    return -1


def statement(builder: DeclaredFactsBuilder, node: Node) -> None:
    """A statement of the file, whatever condition it stands below."""
    builder.full = (node.start_byte, node.end_byte)
    builder.read(node)


def read_apart(builder: DeclaredFactsBuilder, root: Node) -> None:
    """Macros and includes that the tree of the file does not have."""
    for node in root.named_children:
        if node.type in ("preproc_include", "preproc_def", "preproc_function_def", "preproc_call"):
            statement(builder, node)


def condition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`#if`, `#ifdef` and what follows them: all branches are read."""
    if builder.scope == 0:
        builder.read_row(node, node.named_children, statement)
    else:
        builder.read_all(node)
    return -1


RULES: dict[str, Rule] = {
    "preproc_include": include,
    "preproc_def": definition,
    "preproc_function_def": definition,
    "preproc_call": directive,
    "preproc_if": condition,
    "preproc_ifdef": condition,
    "preproc_elif": condition,
    "preproc_elifdef": condition,
    "preproc_else": condition,
}
