"""Entry middleware: what runs before a handler: decorators, declared dependencies, what its application uses.

Owns: what stands at an entry and at its handlers, the order of all that runs before.
Must not know: layout.
Invariant: each is a name that stands in a text: at the entry, at its handler, in a type that a parameter has, or where
    an application or a router is put together; no list is said to be all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from graphls.facts.kinds import DefinitionKind, Role
from graphls.graph.derivation import DerivedNode
from graphls.graph.nodes import container
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.application_middleware import application_middleware
from graphls.queries.chained_middleware import chained_middleware, layers_around
from graphls.queries.class_middleware import callbacks, filters
from graphls.queries.middleware import DEPENDS, Middleware, given_names, named
from graphls.queries.registered_middleware import is_given_on, registered_middleware
from graphls.queries.response_keys import closed_at, parts_of

_ANNOTATED: Final = re.compile(r"\bAnnotated\s*\[")
_ALIASES: Final = (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.TYPE_ALIAS)
_ANNOTATING: Final = ("nest",)
_VIEWS_FIRST: Final = ("django",)
"""What stands behind the path handles it; more may follow."""
_RUNS: Final = re.compile(r"(?:\A|\.)Use(Guard|Pipe|Interceptor|Filter)s\Z")
_GIVEN_TO_RUN: Final = re.compile(r"(?:new\s+)?([A-Za-z_$][\w$.]*)")
_READ: Final = frozenset(
    ("django", "express", "fastapi", "fastify", "flask", "hono", "koa", "nest", "sanic", "starlette")
)
"""Frameworks whose ways to put something before a route are read, as far as `registered_middleware` follows them."""
_GAPS: Final = {
    "laravel": "Which group a file of routes is taken in with, and what a group of that name holds, is not read.",
    "rails": "What the program puts before all controllers (`config.middleware`) is not read.",
    "spring": "Chains of security and filters that libraries bring are not read; the order of filters is not known.",
}
_NOT_FOLLOWED: Final = (
    "Its router is given on by a function: what takes that in was not found, or not by this way alone."
)
TOOL_KINDS: Final = ("mcp_tool", "mcp_prompt", "mcp_resource")


def entry_middleware(snapshot: Snapshot, node: DerivedNode, handlers: Sequence[SymbolRef]) -> tuple[Middleware, ...]:
    """In the order in which they run: what the application and its routers use, what stands in the call before the
    handler, dependencies, then decorators from the outermost."""
    text = (snapshot.text(node.file) or b"").decode("latin-1")
    return (
        *application_middleware(snapshot, node), *_of_framework(snapshot, node, handlers),
        *registered_middleware(snapshot, node),
        *_of_call(snapshot, node, handlers, text), *_of_handlers(snapshot, node, handlers, text),
    )  # fmt: skip


def middleware_gap(snapshot: Snapshot, node: DerivedNode) -> str:
    """What is known to be missing from the list; "" where nothing is, though no list is said to be all."""
    if node.kind != "route":
        return ""
    framework = _framework(node)
    if framework == "axum":
        return "" if layers_around(snapshot, node).followed else _NOT_FOLLOWED
    if framework in _GAPS:
        return _GAPS[framework]
    # Rules that are called as a language are for what its libraries have in common.
    if framework not in _READ and framework != snapshot.shards[node.file].language:
        return f"What {framework or 'its framework'} puts before routes is not read."
    return _NOT_FOLLOWED if is_given_on(snapshot, node) else ""


def _of_framework(snapshot: Snapshot, node: DerivedNode, handlers: Sequence[SymbolRef]) -> Iterator[Middleware]:
    framework = _framework(node)
    if framework == "laravel":
        yield from chained_middleware(snapshot, node)
    elif framework == "axum":
        yield from layers_around(snapshot, node).put
    elif framework == "rails":
        yield from callbacks(snapshot, handlers)
    elif framework == "spring":
        yield from filters(snapshot, node)


def _of_call(snapshot: Snapshot, node: DerivedNode, handlers: Sequence[SymbolRef], text: str) -> Iterator[Middleware]:
    """Names between the path and the last argument but the handlers; dependencies that a decorator names."""
    first = text.find("(", node.full_start, node.full_end)
    places = list(parts_of(text, first + 1, node.full_end - 1)) if first >= 0 else []
    # What an annotation above a function is given says something of the route, and runs nothing.
    called = first >= 0 and closed_at(text, first) >= node.full_end - 1
    listed = called and node.kind == "route" and _framework(node) not in _VIEWS_FIRST
    for start, end in places[1:-1] if listed else ():
        for what, stop in given_names(text, start, end):
            found = named(snapshot, node.file, what, stop, "argument")
            if found.place not in handlers and not DEPENDS.match(text, start, end):
                yield found
    for match in DEPENDS.finditer(text, node.full_start, node.full_end):
        yield named(snapshot, node.file, match[1], match.end(1), "dependency")


def _of_handlers(
    snapshot: Snapshot, node: DerivedNode, handlers: Sequence[SymbolRef], text: str
) -> Iterator[Middleware]:
    for place in handlers:
        if place.file != node.file or place.definition < 0:
            continue
        facts = snapshot.facts(place.file)
        table, marks = facts.definitions, facts.decorators
        head = text[table.start[place.definition] : table.full_end[place.definition]].partition("):")[0]
        for match in DEPENDS.finditer(head):
            end = table.start[place.definition] + match.end(1)
            yield named(snapshot, node.file, match[1], end, "dependency")
        yield from _of_types(snapshot, node, place, len(head))
        yield from _of_class(snapshot, node, place, text)
        for row in range(len(marks)):
            start, end = marks.start[row], marks.end[row]
            if marks.definition[row] == place.definition and not _registers(snapshot, node, start, end):
                yield from _of_decorator(snapshot, node, text[start:end], start)


def _of_class(snapshot: Snapshot, node: DerivedNode, handler: SymbolRef, text: str) -> Iterator[Middleware]:
    """What decorators of the class around put before each of its methods."""
    facts = snapshot.facts(handler.file)
    around, marks = container(facts, handler.definition), facts.decorators
    for row in range(len(marks)) if around >= 0 and _annotates(node) else ():
        if marks.definition[row] == around:
            yield from _of_decorator(snapshot, node, text[marks.start[row] : marks.end[row]], marks.start[row])


def _of_decorator(snapshot: Snapshot, node: DerivedNode, text: str, start: int) -> Iterator[Middleware]:
    """The decorator itself, or what it is given to run."""
    name = re.match(r"@?\s*([\w.]+)", text)
    if name is None or (node.subkind in TOOL_KINDS and "." in name[1]):
        return
    runs = _RUNS.search(name[1])
    if runs is None:
        found = named(snapshot, node.file, name[1], start + name.end(1), "decorator")
        if found.place is not None or not _annotates(node):
            yield found
        return
    opening = text.find("(", name.end())
    for first, last in parts_of(text, opening + 1, closed_at(text, opening) - 1) if opening >= 0 else ():
        given = _GIVEN_TO_RUN.match(text, first, last)
        if given is not None:
            yield named(snapshot, node.file, given[1], start + given.end(1), runs[1].lower())


def _annotates(node: DerivedNode) -> bool:
    """Whether decorators of others only say something of a handler, in the framework of an entry."""
    return _framework(node) in _ANNOTATING


def _framework(node: DerivedNode) -> str:
    return str(dict(node.attributes).get("rule", "")).removeprefix("text.").partition(".")[0]


def _of_types(snapshot: Snapshot, node: DerivedNode, handler: SymbolRef, length: int) -> Iterator[Middleware]:
    """What types of parameters ask for: `CurrentUser = Annotated[User, Depends(current_user)]`."""
    start = snapshot.facts(handler.file).definitions.start[handler.definition]
    uses = snapshot.facts(handler.file).occurrences
    for row in range(len(uses.start)):
        inside = start < uses.start[row] < start + length and uses.role[row] == Role.TYPE
        for target in snapshot.targets(handler.file, row) if inside else ():
            place = target.place
            if place is None or place.definition < 0 or target.ambiguous:
                continue
            table = snapshot.facts(place.file).definitions
            if table.kind[place.definition] in _ALIASES:
                span = table.full_start[place.definition], table.full_end[place.definition]
                text = (snapshot.text(place.file) or b"")[span[0] : span[1]].decode("latin-1")
                for match in DEPENDS.finditer(text) if _ANNOTATED.search(text) else ():
                    yield named(snapshot, place.file, match[1], span[0] + match.end(1), "dependency")


def _registers(snapshot: Snapshot, node: DerivedNode, start: int, end: int) -> bool:
    """Whether a decorator makes an entry of its function."""
    made = snapshot.derivation.nodes(snapshot, node.file) if snapshot.derivation is not None else ()
    return any(start <= one.full_start < end or one.full_start <= start < one.full_end for one in made)
