"""Listed tools: tools that a low-level MCP server lists in one handler and runs in another.

Owns: which handlers list tools, the objects in the list, which handler runs them.
Must not know: what a tool takes, files without such handlers.
Invariant: a tool is one whose name is written, here or where its name leads; what computes the list declares nothing.

In TypeScript `server.setRequestHandler(ListToolsRequestSchema, ...)` gives `{ tools: [...] }`, in Python a function
below `@server.list_tools()` gives `[Tool(...)]`. Source: https://modelcontextprotocol.io/docs/develop/build-server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.analysis.frameworks.arguments import Argument
from graphls.analysis.frameworks.declared_nodes import DeclaredNode, DerivedSpan, Handler, handlers_of
from graphls.analysis.frameworks.inline import calls_inside
from graphls.analysis.frameworks.routes import FileRules
from graphls.facts.kinds import ExpressionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef

RULE: Final = "mcp.listed_tool"
_SETS, _LISTS, _CALLS = "setRequestHandler", "list_tools", "call_tool"
_LIST_SCHEMA, _CALL_SCHEMA = "ListToolsRequestSchema", "CallToolRequestSchema"
_SCHEMAS: Final = re.compile(r"@modelcontextprotocol/(?:sdk/types|server|core)(?:\.js)?\.")
_TOOL: Final = re.compile(r"mcp\.types\.Tool\Z")
_MEMBER: Final = re.compile(rb"\btools\s*:\s*(?=[\[\w])")
_SHORT: Final = re.compile(rb"\{\s*(tools)\s*[,}]")
_CASE: Final = re.compile(rb"\bcase\s+(?:\"([^\"\n]+)\"|'([^'\n]+)')\s*:")
_NEXT: Final = re.compile(rb"\b(?:case\b[^\n:]*|default)\s*:")
_VALUE: Final = re.compile(rb"=\s*(?=[\[{])")
_OF_ENUM: Final = b".value"
_SURE: Final = 0.95
_LISTING: Final = Memo["frozenset[FilePath]"]("files that list tools", rests_on_links=False)


def may_list_tools(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether a file may list tools, by its names alone."""

    def looked() -> frozenset[FilePath]:
        return frozenset(file for name in (_SETS, _LISTS) for file in snapshot.files_with_name(name))

    return path in _LISTING.once(snapshot, looked)


def listed_tools(file: FileRules) -> Iterator[DeclaredNode]:
    """The tools that one file lists."""
    handlers = _registered(file)
    if _LIST_SCHEMA in handlers:
        given = handlers[_LIST_SCHEMA]
        for tool in _in_list(file, given):
            name = _named(file, tool)
            if name:
                yield _node(file, name, tool, *_runner(file, handlers.get(_CALL_SCHEMA), name))
    if _LISTS in _decorated(file):
        runners = _decorated(file).get(_CALLS, ())
        for tool, name in _tool_calls(file):
            yield _node(file, name, tool, runners, ())


def _registered(file: FileRules) -> dict[str, Argument]:
    """The handlers of requests that a file sets, by the name of the schema."""
    uses, found = file.facts.occurrences, dict[str, Argument]()
    for use, name in enumerate(uses.name):
        if uses.role[use] != Role.CALL or file.facts.strings[name] != _SETS:
            continue
        given = file.code.arguments(uses.end[use])
        if len(given) < 2:
            continue
        schema = file.use_ending(given[0].start, given[0].end)
        for known in file.naming.names(file.path, schema) if schema >= 0 else ():
            if _SCHEMAS.match(known.dotted):
                found[known.dotted.rpartition(".")[2]] = given[1]
    return found


def _in_list(file: FileRules, handler: Argument) -> Iterator[Argument]:
    """The elements of the list that a handler gives back, in the handler or where a name leads."""
    data = file.code.data
    start, end = _span_of(file, handler)
    for found in (*_MEMBER.finditer(data, start, end), *_SHORT.finditer(data, start, end)):
        at = found.end() if found.re is _MEMBER else found.start(1)
        if data[at : at + 1] != b"[":
            stop = re.compile(rb"\w+").match(data, at)
            at = -1 if stop is None else _bound(file, at, stop.end())
        if at >= 0:
            yield from _elements(file, at)


def _elements(file: FileRules, opening: int) -> Iterator[Argument]:
    for one in file.code.elements(opening):
        if file.code.data[one.start : one.start + 1] == b"{":
            yield one
            continue
        at = _bound(file, one.start, one.end)
        if at >= 0:
            yield Argument("", -1, at, file.code.behind_bracket(at))


def _bound(file: FileRules, start: int, end: int) -> int:
    """Where the object or list stands that a name of this file is bound to; -1 for none."""
    use = file.use_ending(start, end)
    for target in file.naming.targets(file.path, use) if use >= 0 else ():
        if target.place is not None and target.place.file == file.path and target.place.definition >= 0:
            table = file.facts.definitions
            row = target.place.definition
            value = _VALUE.search(file.code.data, table.end[row], table.full_end[row])
            if value is not None:
                return value.end()
    return -1


def _span_of(file: FileRules, handler: Argument) -> tuple[int, int]:
    """The text of a handler: itself, or the function of this file that it names."""
    use = file.use_ending(handler.start, handler.end)
    for target in file.naming.targets(file.path, use) if use >= 0 else ():
        if target.place is not None and target.place.file == file.path and target.place.definition >= 0:
            table = file.facts.definitions
            return table.full_start[target.place.definition], table.full_end[target.place.definition]
    return handler.start, handler.end


def _runner(file: FileRules, handler: Argument | None, name: str) -> tuple[tuple[Handler, ...], tuple[Handler, ...]]:
    """What runs a tool: the function that is named, or what is called in the case of the tool, else in all of them."""
    if handler is None:
        return (), ()
    start, end = _span_of(file, handler)
    for case in _CASE.finditer(file.code.data, start, end):
        if (case[1] or case[2]).decode("utf-8", "replace") == name:
            after = _NEXT.search(file.code.data, case.end(), end)
            return (), calls_inside(file.snapshot, file.path, (case.end(), after.start() if after is not None else end))
    use = file.use_ending(handler.start, handler.end)
    if use >= 0:
        uses = file.facts.occurrences
        return handlers_of(file.naming.targets(file.path, use), uses.start[use], uses.end[use]), ()
    return (), calls_inside(file.snapshot, file.path, (start, end))


def _decorated(file: FileRules) -> dict[str, tuple[Handler, ...]]:
    """Functions below `@server.list_tools()` and `@server.call_tool()`, by the last name of the decorator."""
    found: dict[str, tuple[Handler, ...]] = {}
    table, decorators = file.facts.definitions, file.facts.decorators
    for at, row in enumerate(decorators.definition):
        name = file.facts.strings[decorators.name[at]].rpartition(".")[2] if decorators.name[at] >= 0 else ""
        if name in (_LISTS, _CALLS) and row >= 0:
            place = SymbolRef(file.path, row)
            made = Handler(place, table.start[row], table.end[row], "lexical", 1.0)
            found[name] = (*found.get(name, ()), made)
    return found


def _tool_calls(file: FileRules) -> Iterator[tuple[Argument, str]]:
    """Calls of `mcp.types.Tool` with a name that can be read."""
    uses = file.facts.occurrences
    for use, number in enumerate(uses.name):
        if uses.role[use] != Role.CALL or file.facts.strings[number] != "Tool":
            continue
        if any(_TOOL.match(known.dotted) for known in file.naming.names(file.path, use)):
            given = file.code.place(file.code.arguments(uses.end[use]), ("name", "0"))
            name = _text(file, given) if given is not None else ""
            if name:
                yield Argument("", -1, uses.start[use], file.code.behind(uses.end[use])), name


def _named(file: FileRules, tool: Argument) -> str:
    """The name that an object gives a tool."""
    member = next((one for one in file.code.members(tool) if one.keyword == "name"), None)
    return _text(file, member) if member is not None else ""


def _text(file: FileRules, given: Argument) -> str:
    """A string as it is written, or that of the constant or member of an enumeration that is named."""
    written = file.code.literal(given.start, given.end)
    if written is not None:
        return written
    end = given.end - len(_OF_ENUM) if file.code.data.endswith(_OF_ENUM, given.start, given.end) else given.end
    use = file.use_ending(given.start, end)
    for target in file.naming.targets(file.path, use) if use >= 0 else ():
        value = file.naming.value(target.place) if target.place is not None else -1
        if target.place is not None and value >= 0:
            facts = file.snapshot.facts(target.place.file)
            text = facts.expressions.b[value]
            if facts.expressions.kind[value] == ExpressionKind.LITERAL and text >= 0:
                return facts.strings[text].strip("\"'")
    return ""


def _node(
    file: FileRules, name: str, tool: Argument, handlers: tuple[Handler, ...], inside: tuple[Handler, ...]
) -> DeclaredNode:
    line = file.code.data.find(b"\n", tool.start, tool.end)
    span = DerivedSpan(tool.start, line if line >= 0 else tool.end, tool.start, tool.end)
    test: tuple[tuple[str, bool], ...] = (("test", True),) if is_test_file(file.path) else ()
    return DeclaredNode("tool", "mcp_tool", name, span, _SURE, (("rule", RULE), *test), handlers, inline=inside)
