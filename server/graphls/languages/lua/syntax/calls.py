"""Calls: what is called, what it is given, and the modules that calls bring in.

Owns: the rules of calls, `require` in its forms.
Must not know: what declares something, other files.
Invariant: a module is brought in where its name is written out.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ImportFlag
from graphls.languages.declared.facts_builder import CALL, CALLED, DeclaredFactsBuilder, Rule
from graphls.languages.extract.facts_builder import D_KIND
from graphls.languages.lua.syntax.facts_builder import (
    IMPORTED,
    PARAMETER,
    RESULTS,
    LuaFactsBuilder,
    lua,
    only_argument,
    string_span,
)
from graphls.languages.lua.syntax.tables import call_value, is_outside_functions

LATE: Final = int(ImportFlag.LOCAL)
"""A module that a function loads when it runs."""
_PASSING: Final = frozenset((b"assert", b"tbl_extend", b"tbl_deep_extend", b"deepcopy", b"if_nil", b"rawget", b"ipairs",
                             b"pairs", b"next", b"unpack"))  # fmt: skip
"""Functions that give back what they are given, or a part of it."""


def required(builder: LuaFactsBuilder, node: Node) -> tuple[int, int] | None:
    """Where the name of a module stands in `require "name"`, or in `pcall(require, "name")`."""
    name = node.child_by_field_name("name")
    if name is None or name.type != "identifier" or name.text not in (b"require", b"pcall"):
        return None
    held = builder.local_row(builder.name(name.start_byte, name.end_byte))
    if held >= 0 and (name.text != b"require" or builder.definitions[held][D_KIND] == PARAMETER):
        return None  # other variables of that name load modules in some way of their own
    if name.text == b"require":
        argument = only_argument(node)
    else:
        given = node.child_by_field_name("arguments")
        parts = [part for part in given.named_children if part.type != "comment"] if given is not None else []
        argument = parts[1] if len(parts) == 2 and parts[0].text == b"require" else None
    span = string_span(argument) if argument is not None else None
    return span if span is not None and span[1] > span[0] else None


def module_of(builder: LuaFactsBuilder, span: tuple[int, int]) -> int:
    """The name of a module with slashes, as a text."""
    return builder.text(builder.source(*span).replace(".", "/"))


def bring_in(builder: LuaFactsBuilder, node: Node, span: tuple[int, int]) -> int:
    """An import by `require`, which binds no name: a variable that gets the module is one like any other. Answers the
    module."""
    called = node.child_by_field_name("name")
    if called is not None:
        builder.use(called.start_byte, called.end_byte, CALLED)
        if called.text == b"pcall":
            given = node.child_by_field_name("arguments")
            if given is not None:
                builder.use(given.named_children[0].start_byte, given.named_children[0].end_byte, 0)
    module = module_of(builder, span)
    base = builder.module(module, 0)
    builder.use(span[0], span[1], IMPORTED, base)
    flags = 0 if is_outside_functions(builder) else LATE
    builder.imports.append([module, 0, -1, -1, flags, span[0], span[1], builder.scope])
    return base


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name(arguments)`, `name "text"`, `name { ... }`."""
    own = lua(builder)
    span = required(own, node)
    builder.shape.append(node.kind_id)
    if span is not None:
        base = bring_in(own, node, span)
        name = node.child_by_field_name("name")
        if name is not None and name.text == b"pcall":
            return own.collected((builder.builtin("boolean"), base), RESULTS) if want else -1
        return base if want else -1
    name, given = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    if name is not None and name.text == b"setmetatable" and given is not None and given.named_child_count == 2:
        return call_value(own, node, -1)
    callee = builder.read(name, want, CALLED) if name is not None else -1
    passing = want and name is not None and (name.text or b"").rpartition(b".")[2] in _PASSING
    parts = [part for part in given.named_children if part.type != "comment"] if given is not None else []
    rows = [builder.read(part, int(bool(passing))) for part in parts]
    if not want or callee < 0:
        return -1
    return builder.expression(CALL, callee, builder.sequence(rows) if passing else -1)


RULES: dict[str, Rule] = {"function_call": call}
