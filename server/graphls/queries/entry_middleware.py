"""Entry middleware: what runs before a handler: decorators, declared dependencies, what its app or router uses.

Owns: which statements of a file put something before an entry, their order.
Must not know: frameworks, layout.
Invariant: each is written in the file of the entry, on its handler or on the object that it is registered with, in
    a type that a parameter of the handler has, or in the call by which another file takes that object in; what else
    another file adds is not known, and no list is said to be all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.kinds import DefinitionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import edges_to
from graphls.graph.nodes import container
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.response_keys import closed_at, parts_of

_OBJECT: Final = re.compile(r"\A@?\s*([\w$]+)\s*\.")
_PLAIN: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_RECEIVER: Final = re.compile(r"([\w$]+)\s*\.\s*\Z")
_DEPENDS: Final = re.compile(r"\b(?:Depends|Security)\s*\(\s*([\w.]+)")
_MOUNTING: Final = re.compile(r"\.\s*(use|include_router|route)\s*\(")
_LONGEST_MOUNT: Final = 500
"""Bytes of a call before the object that it takes in."""
_GIVEN: Final = re.compile(r"dependencies\s*=")
_ANNOTATED: Final = re.compile(r"\bAnnotated\s*\[")
_ALIASES: Final = (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.TYPE_ALIAS)
_ANNOTATING: Final = ("nest",)
_RUNS: Final = re.compile(r"(?:\A|\.)Use(Guard|Pipe|Interceptor|Filter)s\Z")
_GIVEN_TO_RUN: Final = re.compile(r"(?:new\s+)?([A-Za-z_$][\w$.]*)")
TOOL_KINDS: Final = ("mcp_tool", "mcp_prompt", "mcp_resource")
_USED: Final = r"(?m)^[ \t]*{0}\s*\.\s*use\s*\(\s*(?:(['\"])(?P<path>[^'\"\n]*)\1\s*,\s*)?(?P<what>[\w$.]+)"
_BEFORE: Final = (
    r"(?m)^@{0}\s*\.\s*(?P<hook>before_request|before_app_request|middleware)\b[^\n]*\n(?:@[^\n]*\n)*"
    r"(?:async\s+)?def\s+(?P<what>\w+)"
)


@attrs.frozen
class Middleware:
    """`how`: `decorator`, `dependency`, `use`, or the name of a hook; `path`: of what paths it is for, "" for all;
    `file`, `at`: where the name stands; `place`: what it means, None where nobody knows."""

    name: str
    how: str
    path: str
    file: FilePath
    at: int
    place: SymbolRef | None


def entry_middleware(snapshot: Snapshot, node: DerivedNode, handlers: Sequence[SymbolRef]) -> tuple[Middleware, ...]:
    """In the order in which they run: what the object uses, what stands in the call before the handler, dependencies,
    then decorators from the outermost."""
    text = (snapshot.text(node.file) or b"").decode("latin-1")
    return (
        *_of_mounts(snapshot, node, text), *_of_object(snapshot, node, text), *_of_call(snapshot, node, text),
        *_of_handlers(snapshot, node, handlers, text),
    )  # fmt: skip


def _of_mounts(snapshot: Snapshot, node: DerivedNode, text: str) -> Iterator[Middleware]:
    """What calls in other files that take in the object of an entry put before it."""
    registered = _registered(node, text)
    facts = snapshot.facts(node.file) if registered is not None and snapshot.shards[node.file].language else None
    if registered is None or facts is None or registered[1] not in facts.strings:
        return
    table, number = facts.definitions, facts.strings.index(registered[1])
    row = next((row for row in range(len(table)) if table.name[row] == number and table.scope[row] == 0), -1)
    edges = edges_to(snapshot, SymbolRef(node.file, row)) if row >= 0 else ()
    sites = {(file, start) for edge in edges for file, start, _ in edge.sites if file != node.file}
    for file, start in sorted(sites):
        yield from _of_mount(snapshot, node, file, start)


def _of_mount(snapshot: Snapshot, node: DerivedNode, file: FilePath, at: int) -> Iterator[Middleware]:
    """Of the call around a place: functions before it, dependencies that are given with it."""
    text = (snapshot.text(file) or b"").decode("latin-1")
    calls = [call for call in _MOUNTING.finditer(text, max(at - _LONGEST_MOUNT, 0), at) if call.end() <= at]
    call = calls[-1] if calls else None
    end = closed_at(text, call.end() - 1) if call is not None else 0
    if call is None or end <= at:
        return
    for first, last in parts_of(text, call.end(), end - 1):
        if last <= at and call[1] == "use" and _PLAIN.fullmatch(text, first, last):
            yield _named(snapshot, node, text[first:last], last, how="use", file=file)
        elif _GIVEN.match(text, first, last):
            for match in _DEPENDS.finditer(text, first, last):
                yield _named(snapshot, node, match[1], match.end(1), how="dependency", file=file)


def _registered(node: DerivedNode, text: str) -> re.Match[str] | None:
    """The object that an entry is registered with."""
    own = text[node.full_start : node.full_end]
    return _OBJECT.match(own) or _RECEIVER.search(text[max(0, node.full_start - 200) : node.full_start])


def _of_call(snapshot: Snapshot, node: DerivedNode, text: str) -> Iterator[Middleware]:
    """Names between the path and the last argument; dependencies that a decorator names."""
    first = text.find("(", node.full_start, node.full_end)
    places = list(parts_of(text, first + 1, node.full_end - 1)) if first >= 0 else []
    for start, end in places[1:-1] if node.kind == "route" else ():
        if _PLAIN.fullmatch(text, start, end):
            yield _named(snapshot, node, text[start:end], end, how="argument")
    for match in _DEPENDS.finditer(text, node.full_start, node.full_end):
        yield _named(snapshot, node, match[1], match.end(1), how="dependency")


def _of_object(snapshot: Snapshot, node: DerivedNode, text: str) -> Iterator[Middleware]:
    registered = _registered(node, text)
    if registered is None:
        return
    name, route = re.escape(registered[1]), node.name.partition(" ")[2]
    found: list[Middleware] = []
    for match in re.finditer(_USED.format(name), text):
        path = match["path"] or ""
        # What is used after a route was registered does not run before it.
        if match.start() < node.full_start and _covers(path, route):
            found.append(_named(snapshot, node, match["what"], match.end("what"), how="use", path=path))
    for match in re.finditer(_BEFORE.format(name), text):
        made = _named(snapshot, node, match["what"], match.end("what"), how=match["hook"])
        found.append(attrs.evolve(made, place=_defined(snapshot, node, match.start("what"))))
    yield from sorted(found, key=lambda one: one.at)
    # What the object was made with: `router = APIRouter(dependencies=[Depends(user)])`.
    made = re.search(rf"(?m)^{name}\s*(?::[^=\n]*)?=\s*[\w.]+\s*(?=\()", text)
    arguments = parts_of(text, made.end() + 1, closed_at(text, made.end()) - 1) if made is not None else ()
    for start, end in arguments:
        if _GIVEN.match(text, start, end):
            for match in _DEPENDS.finditer(text, start, end):
                yield _named(snapshot, node, match[1], match.end(1), how="dependency")


def _of_handlers(
    snapshot: Snapshot, node: DerivedNode, handlers: Sequence[SymbolRef], text: str
) -> Iterator[Middleware]:
    for place in handlers:
        if place.file != node.file or place.definition < 0:
            continue
        facts = snapshot.facts(place.file)
        table, marks = facts.definitions, facts.decorators
        head = text[table.start[place.definition] : table.full_end[place.definition]].partition("):")[0]
        for match in _DEPENDS.finditer(head):
            end = table.start[place.definition] + match.end(1)
            yield _named(snapshot, node, match[1], end, how="dependency")
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
        found = _named(snapshot, node, name[1], start + name.end(1), how="decorator")
        if found.place is not None or not _annotates(node):
            yield found
        return
    opening = text.find("(", name.end())
    for first, last in parts_of(text, opening + 1, closed_at(text, opening) - 1) if opening >= 0 else ():
        given = _GIVEN_TO_RUN.match(text, first, last)
        if given is not None:
            yield _named(snapshot, node, given[1], start + given.end(1), how=runs[1].lower())


def _annotates(node: DerivedNode) -> bool:
    """Whether decorators of others only say something of a handler, in the framework of an entry."""
    return str(dict(node.attributes).get("rule", "")).partition(".")[0] in _ANNOTATING


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
                for match in _DEPENDS.finditer(text) if _ANNOTATED.search(text) else ():
                    yield _named(snapshot, node, match[1], span[0] + match.end(1), how="dependency", file=place.file)


def _registers(snapshot: Snapshot, node: DerivedNode, start: int, end: int) -> bool:
    """Whether a decorator makes an entry of its function."""
    made = snapshot.derivation.nodes(snapshot, node.file) if snapshot.derivation is not None else ()
    return any(start <= one.full_start < end or one.full_start <= start < one.full_end for one in made)


def _covers(path: str, route: str) -> bool:
    """Whether a pattern of paths holds for a route: all, a beginning, `/api/*`."""
    plain = path.rstrip("*").rstrip("/")
    return not plain or route == plain or route.startswith(f"{plain}/")


def _named(
    snapshot: Snapshot,
    node: DerivedNode,
    name: str,
    end: int,
    *,
    how: str,
    path: str = "",
    file: FilePath | None = None,
) -> Middleware:
    """`file`: where the name stands, if not where the entry does."""
    where = file or node.file
    ends = snapshot.facts(where).occurrences.end
    at = next((row for row in range(len(ends)) if ends[row] == end), -1)
    targets = snapshot.targets(where, at) if at >= 0 else ()
    sure = targets[0].place if targets and not targets[0].ambiguous else None
    return Middleware(name, how, path, where, end - len(name), sure)


def _defined(snapshot: Snapshot, node: DerivedNode, start: int) -> SymbolRef | None:
    starts = snapshot.facts(node.file).definitions.start
    return next((SymbolRef(node.file, row) for row in range(len(starts)) if starts[row] == start), None)
