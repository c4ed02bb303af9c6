"""Entry middleware: what runs before a handler: decorators, declared dependencies, what its app or router uses.

Owns: which statements of a file put something before an entry, their order.
Must not know: frameworks, layout.
Invariant: each is written in the file of the entry, on its handler or on the object that it is registered with; what
    another file adds is not known, and no list is said to be all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.response_keys import parts_of

_OBJECT: Final = re.compile(r"\A@?\s*([\w$]+)\s*\.")
_PLAIN: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_RECEIVER: Final = re.compile(r"([\w$]+)\s*\.\s*\Z")
_DEPENDS: Final = re.compile(r"\b(?:Depends|Security)\s*\(\s*([\w.]+)")
_USED: Final = r"(?m)^[ \t]*{0}\s*\.\s*use\s*\(\s*(?:(['\"])(?P<path>[^'\"\n]*)\1\s*,\s*)?(?P<what>[\w$.]+)"
_BEFORE: Final = (
    r"(?m)^@{0}\s*\.\s*(?P<hook>before_request|before_app_request|middleware)\b[^\n]*\n(?:@[^\n]*\n)*"
    r"(?:async\s+)?def\s+(?P<what>\w+)"
)


@attrs.frozen
class Middleware:
    """`how`: `decorator`, `dependency`, `use`, or the name of a hook; `path`: of what paths it is for, "" for all;
    `place`: what the name means, None where nobody knows."""

    name: str
    how: str
    path: str
    at: int
    place: SymbolRef | None


def entry_middleware(snapshot: Snapshot, node: DerivedNode, handlers: Sequence[SymbolRef]) -> tuple[Middleware, ...]:
    """In the order in which they run: what the object uses, what stands in the call before the handler, dependencies,
    then decorators from the outermost."""
    text = (snapshot.text(node.file) or b"").decode("latin-1")
    return (
        *_of_object(snapshot, node, text), *_of_call(snapshot, node, text),
        *_of_handlers(snapshot, node, handlers, text),
    )  # fmt: skip


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
    own = text[node.full_start : node.full_end]
    registered = _OBJECT.match(own) or _RECEIVER.search(text[max(0, node.full_start - 200) : node.full_start])
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
        for row in range(len(marks)):
            start, end = marks.start[row], marks.end[row]
            if marks.definition[row] == place.definition and not _registers(snapshot, node, start, end):
                name = re.match(r"@?\s*([\w.]+)", text[start:end])
                if name is not None:
                    yield _named(snapshot, node, name[1], start + name.end(1), how="decorator")


def _registers(snapshot: Snapshot, node: DerivedNode, start: int, end: int) -> bool:
    """Whether a decorator makes an entry of its function."""
    made = snapshot.derivation.nodes(snapshot, node.file) if snapshot.derivation is not None else ()
    return any(start <= one.full_start < end or one.full_start <= start < one.full_end for one in made)


def _covers(path: str, route: str) -> bool:
    """Whether a pattern of paths holds for a route: all, a beginning, `/api/*`."""
    plain = path.rstrip("*").rstrip("/")
    return not plain or route == plain or route.startswith(f"{plain}/")


def _named(snapshot: Snapshot, node: DerivedNode, name: str, end: int, *, how: str, path: str = "") -> Middleware:
    ends = snapshot.facts(node.file).occurrences.end
    at = next((row for row in range(len(ends)) if ends[row] == end), -1)
    targets = snapshot.targets(node.file, at) if at >= 0 else ()
    sure = targets[0].place if targets and not targets[0].ambiguous else None
    return Middleware(name, how, path, end - len(name), sure)


def _defined(snapshot: Snapshot, node: DerivedNode, start: int) -> SymbolRef | None:
    starts = snapshot.facts(node.file).definitions.start
    return next((SymbolRef(node.file, row) for row in range(len(starts)) if starts[row] == start), None)
