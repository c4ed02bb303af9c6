"""Chained middleware: what stands in the chains of calls around a route, and behind it.

Owns: groups by `middleware(...)` before a function in brackets, chains behind a route, lists that name groups and
    short names; layers that are put around routers, in their chain or where the function that gives one is called.
Must not know: layout, what an entry runs.
Invariant: a name is listed as it is written; what it means is known where one list of the workspace says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import edges_to
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.middleware import FUNCTIONS, Middleware, named, text_of
from graphls.queries.response_keys import closed_at, parts_of

_GROUP: Final = re.compile(r"(?:->|::)\s*group\s*(?=\()")
_STATEMENT: Final = re.compile(r"[;{}]")
_GIVEN: Final = re.compile(r"(?:->|::)\s*middleware\s*(?=\()|['\"]middleware['\"]\s*=>\s*(?=[\['\"\w])")
_WORD: Final = re.compile(r"['\"](?P<short>[\w.:,-]+)['\"]|\\?(?:\w+\\)*(?P<class>\w+)::class")
_LINK: Final = re.compile(r"\s*->\s*(\w+)\s*(?=\()")
_SHORT: Final = re.compile(r"['\"]([\w.-]+)['\"]\s*=>\s*\\?(?:\w+\\)*(\w+)::class")
_ALIASES: Final = ("alias", "routeMiddleware", "middlewareAliases")
_LAYER: Final = re.compile(r"\s*\.\s*(\w+)\s*(?:::<[^>]*>)?\s*(?=\()")
_LAYERS: Final = frozenset(("layer", "route_layer", "wrap"))
_FROM: Final = re.compile(
    r"\b(?:from_fn|from_fn_with_state|map_request|from_extractor)\s*(?:::<(?P<type>\w+)>)?\s*(?=\()"
)
_TYPE: Final = re.compile(r"(?:\w+\s*::\s*)*(?P<what>[A-Z]\w*)\s*(?:::\s*\w+|\(|\{|\Z)")
_PATH: Final = re.compile(r"(?:\w+\s*::\s*)*(\w+)\s*\Z")
_LET: Final = re.compile(r"\blet\s+(?:mut\s+)?(\w+)\s*(?::[^=;]*)?=[^;]*\Z")
_TAKES: Final = re.compile(r"\.\s*(?:nest|merge|nest_service|service|configure)\s*(?=\()")
_STACKED: Final = re.compile(r"\.\s*layer\s*(?=\()")
_HELD: Final = re.compile(r"(\w+)(?:\.clone\(\))?")
_AGAIN: Final = re.compile(r"\b(\w+)\s*=\s*\1\b[^;]*\Z")
_CALLED: Final = re.compile(r"(?<![.\w])(?:\w+\s*::\s*)*(\w+)\s*\Z")
_LONGEST_NAME: Final = 80
_DEEPEST: Final = 4


def chained_middleware(snapshot: Snapshot, node: DerivedNode) -> Iterator[Middleware]:
    """Of groups from the outermost, then of the route's own chain."""
    text, file = text_of(snapshot, node.file), node.file
    shorts = _shorts(snapshot)
    for group in _GROUP.finditer(text, 0, node.full_start):
        if closed_at(text, group.end()) > node.full_start:
            begin = max((one.end() for one in _STATEMENT.finditer(text, 0, group.start())), default=0)
            inside = text.find("function", group.end())
            until = inside if 0 < inside < node.full_start else group.end()
            yield from _given(snapshot, file, text, (begin, until), shorts)
    end = node.full_end
    while (link := _LINK.match(text, end)) is not None and (end := closed_at(text, link.end())) > 0:
        yield from _given(snapshot, file, text, (link.start(), end), shorts)


def _given(
    snapshot: Snapshot, file: FilePath, text: str, span: tuple[int, int], shorts: dict[str, tuple[SymbolRef, ...]]
) -> Iterator[Middleware]:
    for one in _GIVEN.finditer(text, *span):
        opening = one.end()
        closed = closed_at(text, opening) if text[opening] in "([" else text.find("\n", opening)
        for word in _WORD.finditer(text, opening, closed) if closed > 0 else ():
            if word["class"]:
                yield named(snapshot, file, word["class"], word.end("class"), "middleware")
            else:
                known = shorts.get(word["short"].partition(":")[0], ())
                place = known[0] if len(set(known)) == 1 else None
                yield Middleware(word["short"], "middleware", "", file, word.start("short"), place)


def _shorts(snapshot: Snapshot) -> dict[str, tuple[SymbolRef, ...]]:
    """What short names mean, by the lists that say so."""
    found: dict[str, tuple[SymbolRef, ...]] = {}
    files = {file for name in _ALIASES for file in snapshot.files_with_name(name)}
    for file in sorted(one for one in files if not is_test_file(one)):
        text = text_of(snapshot, file)
        for word in (one for name in _ALIASES for one in re.finditer(rf"\b{name}\b[^;\[]*(?=\[)", text)):
            for pair in _SHORT.finditer(text, word.end(), max(closed_at(text, word.end()), word.end())):
                place = named(snapshot, file, pair[2], pair.end(2), "").place
                if place is not None:
                    found[pair[1]] = (*found.get(pair[1], ()), place)
    return found


@attrs.frozen
class Layers:
    """What is put around a router, the outermost first; `followed`: whether all that takes it in was seen."""

    put: tuple[Middleware, ...]
    followed: bool


def layers_around(snapshot: Snapshot, node: DerivedNode) -> Layers:
    """Of the route's own chain and of each function that gives it on."""
    put, followed = _layers_at(snapshot, node.file, node.full_end, _DEEPEST)
    return Layers(tuple(dict.fromkeys(reversed(put))), followed)


def _layers_at(snapshot: Snapshot, file: FilePath, end: int, left: int) -> tuple[list[Middleware], bool]:
    """Layers behind a place, the innermost first: to the end of its chain, then of the variable or the call it is in,
    then of those who call the function that gives it."""
    text = text_of(snapshot, file)
    put, end = _chain(snapshot, file, text, end)
    taking = [one for one in _TAKES.finditer(text, max(0, end - 4000), end) if closed_at(text, one.end()) > end]
    if taking:
        more, followed = _layers_at(snapshot, file, closed_at(text, taking[-1].end()), left)
        return [*put, *more], followed
    around = _function_around(snapshot, file, end)
    start, stop = (0, len(text)) if around is None else around[1]
    held = _LET.search(text, start, end)
    assigned = _AGAIN.search(text, start, end)
    name = held[1] if held is not None else assigned[1] if assigned is not None else ""
    handed, known = _handed_over(snapshot, file, text, (end, stop), name)
    put += handed
    if around is None or left == 0 or not known:
        return put, False
    calls = [site for edge in edges_to(snapshot, around[0]) if edge.kind == "calls" for site in edge.sites]
    calls = [(path, stop) for path, _, stop in calls if not is_test_file(path)]
    for path, stop in calls[:1]:
        body = text_of(snapshot, path)
        closed = closed_at(body, stop) if body[stop : stop + 1] == "(" else stop
        more, followed = _layers_at(snapshot, path, max(closed, stop), left - 1)
        return [*put, *more], followed and len(calls) == 1
    return put, _is_main(snapshot, around[0])


def _handed_over(
    snapshot: Snapshot, file: FilePath, text: str, span: tuple[int, int], name: str
) -> tuple[list[Middleware], bool]:
    """What is put around a router that a variable holds, later in its function, or by functions that it is given to;
    and whether all of these are known."""
    put, calls = list[Middleware](), [_call_around(text, span[0])]
    for again in re.finditer(rf"\b{re.escape(name)}\b", text[slice(*span)]) if name else ():
        more, _ = _chain(snapshot, file, text, span[0] + again.end())
        put += more
        calls.append(_call_around(text, span[0] + again.start()))
    known = True
    for called, number, opening in (one for one in calls if one is not None):
        more, _ = _chain(snapshot, file, text, max(closed_at(text, opening), span[0]))
        place = named(snapshot, file, called[0], called[1], "").place
        if called[0][:1].isupper() or called[0] == "serve":
            continue  # `Some(router)`, and what runs it
        outside = more
        facts = None if place is None or place.definition < 0 else snapshot.facts(place.file)
        if place is None or facts is None:
            known = False
            continue
        table, body = facts.definitions, text_of(snapshot, place.file)
        inside = table.full_start[place.definition], table.full_end[place.definition]
        rows = [row for row in range(len(table)) if table.kind[row] == DefinitionKind.PARAMETER]
        given = [row for row in rows if inside[0] <= table.start[row] < inside[1]]
        for row in given[number : number + 1]:
            for use in re.finditer(rf"\b{re.escape(facts.strings[table.name[row]])}\b", body[slice(*inside)]):
                more, _ = _chain(snapshot, place.file, body, inside[0] + use.end())
                put += more
        put += outside
    return put, known


def _call_around(text: str, at: int) -> tuple[tuple[str, int], int, int] | None:
    """The function in whose brackets a place is, by its name and where that ends, the number of the argument, and where
    the bracket is."""
    depth = number = 0
    while at > 0:
        at -= 1
        letter = text[at]
        if letter in ";{}" and not depth:
            return None
        depth += (letter in ")]}") - (letter in "([{")
        number += letter == "," and not depth
        if depth < 0:
            name = _CALLED.search(text[max(0, at - _LONGEST_NAME) : at]) if letter == "(" else None
            if name is None:
                return None
            return (name[1], max(0, at - _LONGEST_NAME) + name.end(1)), number, at
    return None


def _is_main(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a program begins there."""
    facts = snapshot.facts(place.file)
    return facts.strings[facts.definitions.name[place.definition]] == "main"


def _chain(snapshot: Snapshot, file: FilePath, text: str, end: int) -> tuple[list[Middleware], int]:
    put: list[Middleware] = []
    while (link := _LAYER.match(text, end)) is not None and (closed := closed_at(text, link.end())) > 0:
        if link[1] in _LAYERS:
            put += _layer(snapshot, file, text, link.end(), closed)
        end = closed
    return put, end


def _layer(snapshot: Snapshot, file: FilePath, text: str, opening: int, closed: int) -> Iterator[Middleware]:
    for first, last in parts_of(text, opening + 1, closed - 1):
        yield from _run_by(snapshot, file, text, first, last)


def _run_by(snapshot: Snapshot, file: FilePath, text: str, first: int, last: int) -> Iterator[Middleware]:
    """What one layer runs: a function, a type that is made, or all layers of a stack, whose first is the outermost."""
    made = _FROM.search(text, first, last)
    if "ServiceBuilder" in text[first:last]:
        stacked = [first + one.end() for one in _STACKED.finditer(text[first:last])]
        for opening in reversed(stacked):
            yield from _layer(snapshot, file, text, opening, closed_at(text, opening))
    elif made is not None and made["type"]:
        yield named(snapshot, file, made["type"], made.end("type"), "layer")
    elif made is not None:
        arguments = list(parts_of(text, made.end() + 1, closed_at(text, made.end()) - 1))
        path = _PATH.search(text[: arguments[-1][1]], arguments[-1][0]) if arguments else None
        if path is not None:
            yield named(snapshot, file, path[1], path.end(1), "layer")
    elif (kind := _TYPE.match(text, first, last)) is not None:
        yield named(snapshot, file, kind["what"], kind.end("what"), "layer")
    elif (held := _HELD.fullmatch(text, first, last)) is not None:
        bound = list(re.finditer(rf"\blet\s+(?:mut\s+)?{re.escape(held[1])}\s*(?::[^=;]*)?=\s*", text[:first]))
        if bound:
            yield from _run_by(snapshot, file, text, bound[-1].end(), text.find(";", bound[-1].end()))
        else:
            yield named(snapshot, file, held[1], held.end(1), "layer")


def _function_around(snapshot: Snapshot, file: FilePath, at: int) -> tuple[SymbolRef, tuple[int, int]] | None:
    table = snapshot.facts(file).definitions
    holding = (row for row in range(len(table)) if table.full_start[row] < at <= table.full_end[row])
    rows = [row for row in holding if table.body[row] >= 0 and table.kind[row] in FUNCTIONS]
    row = min(rows, key=lambda row: table.full_end[row] - table.full_start[row], default=None)
    return None if row is None else (SymbolRef(file, row), (table.full_start[row], table.full_end[row]))
