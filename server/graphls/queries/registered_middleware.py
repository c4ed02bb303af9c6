"""Registered middleware: what applications and routers put before the routes that are registered with them.

Owns: which object an entry is registered with, which others take that object in, what each of these uses.
Must not know: layout, what an entry runs.
Invariant: an object is what one name of one file means there; what takes it in names it in the text, and what such a
    place cannot see of itself (a router that a function returns) is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.facts.columns import Definitions
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import edges_to
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.grouped_middleware import Group, group_around, group_named, once_before
from graphls.queries.middleware import DEPENDS, FUNCTIONS, PLAIN, Middleware, given_names, is_around, named, text_of
from graphls.queries.response_keys import closed_at, parts_of

_OBJECT: Final = re.compile(r"\A@?\s*([\w$]+)\s*\.")
_RECEIVER: Final = re.compile(r"([\w$]+)\s*\.\s*\Z")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_MOUNTING: Final = re.compile(
    r"([\w$]+)\s*\.\s*(?:use|include_router|route|register_blueprint|register|mount)\s*(?=\()"
)
_OTHERS: Final = re.compile(r"(?:\A|\.)(?:routes|allowedMethods|mount)\Z")
"""Calls that make middleware of a whole router."""
_LONGEST_MOUNT: Final = 500
"""Bytes of a call before the object that it takes in."""
_GIVEN: Final = re.compile(r"dependencies\s*=")
_ADDED: Final = re.compile(r"middleware\s*=\s*\[")
_LISTED: Final = re.compile(r"\bMiddleware\s*\(\s*([\w.]+)")
_USED: Final = r"(?m)^[ \t]*{0}\s*\.\s*[uU]se\s*(?=\()"
_HOOKS: Final = r"(?m)^[ \t]*{0}\s*\.\s*addHook\s*\(\s*['\"](?P<hook>\w+)['\"]\s*,\s*(?P<what>[\w$.]+)"
_ON_ANSWER: Final = frozenset(("onResponse", "onSend", "onError", "onTimeout", "onClose", "onReady", "onRoute"))
_BEFORE: Final = (
    r"(?m)^[ \t]*@{0}\s*\.\s*(?P<hook>before_request|before_app_request|middleware)\b[^\n]*\n(?:[ \t]*@[^\n]*\n)*"
    r"[ \t]*(?:async\s+)?def\s+(?P<what>\w+)"
)
_CALLED: Final = (
    r"(?m)^[ \t]*{0}\s*\.\s*(?P<hook>before_request|before_app_request|add_middleware)\s*\(\s*(?P<what>[A-Za-z_][\w.]*)"
)
_WRAPPED: Final = r"(?m)^[ \t]*{0}\s*\.\s*wsgi_app\s*=\s*(?P<what>[A-Za-z_][\w.]*)\s*\("
_MADE: Final = r"(?m)^[ \t]*(?:(?:const|let|var)\s+)?{0}\s*(?::[^=\n]*)?=\s*(?:new\s+)?(?P<what>[\w.]+)\s*(?=\()"
_HANDED_ON: Final = re.compile(r"\bsuper\(\)\s*\.\s*__init__\s*(?=\()")
_LAST_IS_FIRST: Final = ("middleware", "add_middleware", "wsgi")
"""Each of these is put around all before it."""
_APPLICATIONS: Final = re.compile(
    r"(?:\A|\.)(?:Flask|FastAPI|Starlette|Sanic|Koa|express|fastify|Fastify|gin\.(?:New|Default)|echo\.New|fiber\.New)\Z"
)
"""Calls that make what nothing else takes in."""
_LONGEST_NAME: Final = 200
_MOST: Final = 40
"""Objects that are followed for one entry."""


@attrs.frozen
class _Registration:
    """An object by its name in a file, and where something is registered with it."""

    file: FilePath
    name: str
    at: int


def registered_middleware(snapshot: Snapshot, node: DerivedNode) -> Iterator[Middleware]:
    """What objects put before an entry, those of the application first."""
    levels = [level for _, level in _registrations(snapshot, node)]
    yield from dict.fromkeys(each for level in reversed(levels) for each in level)


def is_given_on(snapshot: Snapshot, node: DerivedNode) -> bool:
    """Whether the outermost object that an entry is registered with is no application, and a function returns it or is
    given it by nobody that was found."""
    last: _Registration | None = None
    for one, _ in _registrations(snapshot, node):
        last = one
    if last is None:
        return True
    text = text_of(snapshot, last.file)
    made = re.search(_MADE.format(re.escape(last.name)), text)
    if made is not None and _APPLICATIONS.search(made["what"]) is not None:
        return False
    facts = snapshot.facts(last.file)
    table = facts.definitions
    around = [row for row in range(len(table)) if table.kind[row] in FUNCTIONS and _spans(table, row, last.at)]
    if not around:
        return False
    start, end = min(((table.full_start[row], table.full_end[row]) for row in around), key=lambda one: one[1] - one[0])
    returned = re.search(rf"\breturn\s+&?{re.escape(last.name)}\b", text[start:end]) is not None
    return returned or made is None or not start <= made.start() < end


def _spans(table: Definitions, row: int, at: int) -> bool:
    return table.full_start[row] < at < table.full_end[row]


def _registrations(snapshot: Snapshot, node: DerivedNode) -> Iterator[tuple[_Registration, list[Middleware]]]:
    """The objects from the inside out, each with what it puts before the entry: what each of them does is in the order
    of the text, and what the call that takes it in has before it comes first."""
    text = text_of(snapshot, node.file)
    name = _registers(text, node) if snapshot.shards[node.file].language else None
    begun: list[Middleware] = []
    if (once := once_before(snapshot, node.file, text, node)) is not None:
        name, begun = once.base, [*once.put]
    if name is None:
        return
    first = _Registration(node.file, name, node.full_start)
    yield first, begun
    pending, seen = [first], set[_Registration]()
    for one in pending:  # grows while it is walked
        if one in seen or len(seen) > _MOST:
            continue
        seen.add(one)
        outer: list[Middleware] = []
        for mount, put in _mounts(snapshot, one):
            pending.append(mount)
            outer += put
        mounted = len(pending) > len(seen)
        yield one, list(_of_object(snapshot, one, node.name.partition(" ")[2], mounted=mounted))
        yield one, outer
        group = _group(snapshot, one)
        if group is not None:
            yield one, [*group.put]
            pending.append(_Registration(one.file, group.base, group.at))


def _group(snapshot: Snapshot, one: _Registration) -> Group | None:
    text = text_of(snapshot, one.file)
    around = group_around(snapshot, one.file, text, one.name, one.at)
    made = group_named(snapshot, one.file, text, one.name, one.at)
    return made if around is None or (made is not None and made.at > around.at) else around


def _mounts(snapshot: Snapshot, one: _Registration) -> Iterator[tuple[_Registration, list[Middleware]]]:
    """Calls that take an object in: what they are made on, and what stands in them before it."""
    for file, start in sorted({*_named_inside(snapshot, one), *_named_outside(snapshot, one)}):
        text = text_of(snapshot, file)
        calls = [call for call in _MOUNTING.finditer(text, max(start - _LONGEST_MOUNT, 0), start) if call.end() < start]
        call = calls[-1] if calls else None
        closed = closed_at(text, call.end()) if call is not None else 0
        if call is None or closed <= start:
            continue
        put = [
            each
            for first, last in parts_of(text, call.end() + 1, closed - 1)
            for each in _put_before(snapshot, file, text, (first, last), start)
        ]
        yield _Registration(file, call[1], call.start()), put


def _put_before(
    snapshot: Snapshot, file: FilePath, text: str, argument: tuple[int, int], taken: int
) -> Iterator[Middleware]:
    first, last = argument
    if last <= taken and PLAIN.fullmatch(text, first, last):
        yield named(snapshot, file, text[first:last], last, "use")
    elif _GIVEN.match(text, first, last):
        for match in DEPENDS.finditer(text, first, last):
            yield named(snapshot, file, match[1], match.end(1), "dependency")


def _named_inside(snapshot: Snapshot, one: _Registration) -> Iterator[tuple[FilePath, int]]:
    """Where calls of its own file take the object in."""
    text = text_of(snapshot, one.file)
    for at in _taken_in(text, one.name):
        if is_around(snapshot, one.file, _made_at(text, one), at):
            yield one.file, at


def _taken_in(text: str, name: str) -> Iterator[int]:
    """Where calls that mount something are given a name: `app.use('/x', rows)`, `app.use(mount('/x', r.routes()))`."""
    wanted = re.compile(rf"(?:\w+\s*\((?:[^()]*,)?\s*)?({re.escape(name)})(?:\s*\.\s*\w+\(\s*\))?\s*\)?")
    for call in _MOUNTING.finditer(text):
        closed = closed_at(text, call.end()) if call[1] != name else -1
        for first, last in parts_of(text, call.end() + 1, closed - 1) if closed > 0 else ():
            if (match := wanted.fullmatch(text, first, last)) is not None:
                yield match.start(1)


def _made_at(text: str, one: _Registration) -> int:
    made = re.search(_MADE.format(re.escape(one.name)), text)
    return made.start() if made is not None else 0


def _named_outside(snapshot: Snapshot, one: _Registration) -> Iterator[tuple[FilePath, int]]:
    """Where other files name it, or the function that gets it from them."""
    for place in _known_outside(snapshot, one):
        for edge in edges_to(snapshot, place):
            for file, start, _ in edge.sites:
                if file != one.file and not is_test_file(file):
                    yield file, start
                    # What one name brings in may be taken in under it further below.
                    text = text_of(snapshot, file)
                    name = _NAME.match(text, start)
                    yield from ((file, at) for at in (_taken_in(text, name[0]) if name is not None else ()))


def _known_outside(snapshot: Snapshot, one: _Registration) -> Iterator[SymbolRef]:
    facts = snapshot.facts(one.file)
    if one.name not in facts.strings:
        return
    table, number = facts.definitions, facts.strings.index(one.name)
    for row in range(len(table)):
        if table.name[row] == number and table.scope[row] == 0:
            yield SymbolRef(one.file, row)
        elif table.name[row] == number and table.kind[row] == DefinitionKind.PARAMETER:
            around = facts.scopes.owner[table.scope[row]]
            if around >= 0 and table.full_start[around] <= one.at < table.full_end[around]:
                yield SymbolRef(one.file, around)


def _of_object(snapshot: Snapshot, one: _Registration, route: str, *, mounted: bool) -> Iterator[Middleware]:
    """What statements of a file put before what is registered with an object. `mounted`: others take it in."""
    text, name = text_of(snapshot, one.file), re.escape(one.name)
    found = [*_used(snapshot, one, route, mounted=mounted)]
    for pattern in (_BEFORE, _CALLED, _HOOKS, _WRAPPED):
        for match in re.finditer(pattern.format(name), text):
            hook = match.groupdict().get("hook", "wsgi")
            if hook not in _ON_ANSWER and is_around(snapshot, one.file, match.start(), one.at):
                made = named(snapshot, one.file, match["what"], match.end("what"), hook)
                place = made.place or _defined(snapshot, one.file, match.start("what"))
                found.append(attrs.evolve(made, place=place))
    around = [each for each in found if each.how in _LAST_IS_FIRST]
    yield from sorted(around, key=lambda each: -each.at)
    yield from _of_constructor(snapshot, one, text)
    yield from sorted((each for each in found if each not in around), key=lambda each: each.at)


def _used(snapshot: Snapshot, one: _Registration, route: str, *, mounted: bool) -> Iterator[Middleware]:
    text = text_of(snapshot, one.file)
    for match in re.finditer(_USED.format(re.escape(one.name)), text):
        closed = closed_at(text, match.end())
        # What is used after a route was registered does not run before it.
        if closed < 0 or closed > one.at or not _holds(snapshot, one, text, match.start()):
            continue
        arguments = list(parts_of(text, match.end() + 1, closed - 1))
        path = re.fullmatch(r"(['\"`])([^'\"`\n]*)\1", text[slice(*arguments[0])]) if arguments else None
        if path is None or _covers(path[2], route, inside=mounted):
            for what, end in given_names(text, match.end() + 1, closed - 1):
                if _OTHERS.search(what):
                    continue
                made = attrs.evolve(
                    named(snapshot, one.file, what, end, "use"), path=path[2] if path is not None else ""
                )
                if made.place is None or not _takes_routes(snapshot, made.place):
                    yield made


def _takes_routes(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether routes are registered with what a name means: then it is a router, and nothing before others."""
    table = snapshot.facts(place.file).definitions
    name = snapshot.facts(place.file).strings[table.name[place.definition]] if place.definition >= 0 else ""
    text = text_of(snapshot, place.file) if name and snapshot.derivation is not None else ""
    found = snapshot.derivation.nodes(snapshot, place.file) if text and snapshot.derivation is not None else ()
    return any((known := _registers(text, node)) is not None and known == name for node in found)


def _registers(text: str, node: DerivedNode) -> str | None:
    """The name of the object that an entry is registered with."""
    found = _OBJECT.match(text[node.full_start : node.full_end])
    found = found or _RECEIVER.search(text[max(0, node.full_start - _LONGEST_NAME) : node.full_start])
    return found[1] if found is not None else None


def _holds(snapshot: Snapshot, one: _Registration, text: str, at: int) -> bool:
    """Whether a statement is in a block that holds the registration too."""
    if not is_around(snapshot, one.file, at, one.at):
        return False
    depth = 0
    # What is spelled `Use` is told of a group in the block of a function without a name.
    for letter in text[at : one.at] if ".Use" in text[at : at + _LONGEST_NAME].partition("(")[0] else "":
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return False
    return True


def _covers(path: str, route: str, *, inside: bool) -> bool:
    """Whether a pattern of paths holds for a route: all, a beginning, `/api/*`. `inside`: more may stand before it."""
    plain = path.rstrip("*").rstrip("/")
    return not plain or f"{route}/".startswith(f"{plain}/") or (inside and f"{plain}/" in f"{route}/")


def _of_constructor(snapshot: Snapshot, one: _Registration, text: str) -> Iterator[Middleware]:
    """What the object was made with: `router = APIRouter(dependencies=[Depends(user)])`, or by a class of its own."""
    made = re.search(_MADE.format(re.escape(one.name)), text)
    if made is None:
        return
    yield from _of_arguments(snapshot, one.file, text, made.end())
    kind = named(snapshot, one.file, made["what"], made.end("what"), "").place
    if kind is None or kind.definition < 0:
        return
    table, body = snapshot.facts(kind.file).definitions, text_of(snapshot, kind.file)
    start, end = table.full_start[kind.definition], table.full_end[kind.definition]
    for handed in _HANDED_ON.finditer(body, start, end) if table.kind[kind.definition] == DefinitionKind.CLASS else ():
        yield from _of_arguments(snapshot, kind.file, body, handed.end())


def _of_arguments(snapshot: Snapshot, file: FilePath, text: str, opening: int) -> Iterator[Middleware]:
    """Middleware, then dependencies, wherever they stand."""
    closed = closed_at(text, opening)
    arguments = list(parts_of(text, opening + 1, closed - 1)) if closed > 0 else []
    for keyword, names, how in ((_ADDED, _LISTED, "middleware"), (_GIVEN, DEPENDS, "dependency")):
        for first, last in arguments:
            for match in names.finditer(text, first, last) if keyword.match(text, first, last) else ():
                yield named(snapshot, file, match[1], match.end(1), how)


def _defined(snapshot: Snapshot, file: FilePath, start: int) -> SymbolRef | None:
    starts = snapshot.facts(file).definitions.start
    return next((SymbolRef(file, row) for row in range(len(starts)) if starts[row] == start), None)
