"""Application middleware: what the whole application of an entry runs before each of its routes, said in other files.

Owns: which file says it for an entry (settings, the file that starts the application, modules), in which order.
Must not know: layout, what an entry runs.
Invariant: of several applications the nearest by folders is meant, and none where none holds the entry's folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.node_table import declaring_files
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.middleware import Middleware, given_names, is_around, named, text_of
from graphls.queries.response_keys import closed_at

_SETTINGS: Final = "MIDDLEWARE"
_LIST: Final = re.compile(
    r"(?m)^[ \t]*MIDDLEWARE\s*(?::[^=\n]*)?(?:(\+)?=[^\[(\n]*|\.\s*(append|insert|extend)\s*)(?=[\[(])"
)
_DOTTED: Final = re.compile(r"(['\"])([A-Za-z_]\w*(?:\.\w+)+)\1")
_STARTS: Final = "NestFactory"
_APPLICATION: Final = re.compile(r"\b([\w$]+)\s*(?::[^=\n]*)?=\s*await\s+NestFactory\s*\.\s*create\b")
_GLOBAL: Final = r"\b{0}\s*\.\s*(use(?:Global(?:Guard|Pipe|Interceptor|Filter)s)?)\s*(?=\()"
_PROVIDED: Final = ("APP_GUARD", "APP_INTERCEPTOR", "APP_PIPE", "APP_FILTER")
_PROVIDER: Final = re.compile(
    r"\bprovide\s*:\s*APP_(GUARD|INTERCEPTOR|PIPE|FILTER)\s*,\s*use(?:Class|Existing)\s*:\s*(?P<what>[\w$.]+)"
)
_CONSUMER: Final = "MiddlewareConsumer"
_APPLIED: Final = re.compile(r"\.\s*apply\s*(?=\()")
_FOR_ROUTES: Final = re.compile(r"\s*(?:\.\s*exclude\s*\([^()]*\)\s*)?\.\s*forRoutes\s*(?=\()")
_PATHS: Final = re.compile(r"['\"]([^'\"\n]*)['\"]")
_ORDER: Final = ("use", "apply", "guard", "interceptor", "pipe", "filter")
"""As a request meets them."""


def application_middleware(snapshot: Snapshot, node: DerivedNode) -> Iterator[Middleware]:
    """In the order in which they run."""
    framework = str(dict(node.attributes).get("rule", "")).partition(".")[0]
    if framework == "django":
        yield from _of_settings(snapshot, node)
    elif framework == "nest":
        found = [*_of_start(snapshot, node), *_of_modules(snapshot, node)]
        yield from sorted(dict.fromkeys(found), key=lambda one: _ORDER.index(one.how))


def _of_settings(snapshot: Snapshot, node: DerivedNode) -> Iterator[Middleware]:
    """The list of the nearest settings, with what their file puts to it later."""
    places: dict[FilePath, list[Middleware]] = {}
    for file in declaring_files(snapshot, snapshot.files_with_name(_SETTINGS), _SETTINGS):
        found = [] if is_test_file(file) else list(_listed(snapshot, file))
        if found:
            places[file] = found
    nearest = _nearest(list(places), node.file)
    # Of settings for several machines the fullest say most.
    chosen = max(nearest, key=lambda file: (len(places[file]), file), default=None)
    yield from places[chosen] if chosen is not None else ()


def _listed(snapshot: Snapshot, file: FilePath) -> Iterator[Middleware]:
    text, ends = text_of(snapshot, file), _ends(snapshot, file)
    for one in _LIST.finditer(text):
        closed = closed_at(text, one.end())
        for match in _DOTTED.finditer(text, one.end(), closed) if closed > 0 else ():
            how = "appended" if one[1] or one[2] else "middleware"
            yield Middleware(match[2], how, "", file, match.start(2), ends.get(match.start(2)))


def _ends(snapshot: Snapshot, file: FilePath) -> dict[int, SymbolRef]:
    """What strings of a file mean, by where they begin."""
    edges = snapshot.derivation.edges_from(snapshot, file) if snapshot.derivation is not None else ()
    return {
        start: edge.target
        for edge in edges
        if isinstance(edge.target, SymbolRef)
        for place, start, _ in edge.sites
        if place == file
    }


def _of_start(snapshot: Snapshot, node: DerivedNode) -> Iterator[Middleware]:
    """What the file that makes the application puts before all of it."""
    starts = [
        (file, made)
        for file in snapshot.files_with_name(_STARTS)
        if not is_test_file(file) and (made := _APPLICATION.search(text_of(snapshot, file))) is not None
    ]
    nearest = _nearest([file for file, _ in starts], node.file)
    for file, made in starts:
        text = text_of(snapshot, file) if file in nearest else ""
        for one in re.finditer(_GLOBAL.format(re.escape(made[1])), text):
            closed = closed_at(text, one.end())
            how = one[1].removeprefix("useGlobal").rstrip("s").lower() if one[1] != "use" else "use"
            if closed > 0 and is_around(snapshot, file, made.start(), one.start()):
                for what, end in given_names(text, one.end() + 1, closed - 1):
                    yield named(snapshot, file, what, end, how)


def _of_modules(snapshot: Snapshot, node: DerivedNode) -> Iterator[Middleware]:
    """What modules of the application provide for all of it, and middleware that they apply to paths."""
    starts = [file for file in snapshot.files_with_name(_STARTS) if not is_test_file(file)]
    starts = [file for file in starts if _APPLICATION.search(text_of(snapshot, file)) is not None]
    files = dict.fromkeys(file for name in (*_PROVIDED, _CONSUMER) for file in snapshot.files_with_name(name))
    own = _nearest(starts, node.file)
    for file in sorted(files):
        if is_test_file(file) or not set(_nearest(starts, file)) & set(own):
            continue
        text = text_of(snapshot, file)
        for one in _PROVIDER.finditer(text):
            yield named(snapshot, file, one["what"], one.end("what"), one[1].lower())
        for one in _APPLIED.finditer(text):
            yield from _applied(snapshot, file, text, one.end(), node)


def _applied(snapshot: Snapshot, file: FilePath, text: str, opening: int, node: DerivedNode) -> Iterator[Middleware]:
    """`consumer.apply(Logger).forRoutes('cats')`, or the controllers that it is for."""
    closed = closed_at(text, opening)
    routes = _FOR_ROUTES.match(text, closed) if closed > 0 else None
    ended = closed_at(text, routes.end()) if routes is not None else -1
    if routes is None or ended < 0:
        return
    inside, route = text[routes.end() : ended], node.name.partition(" ")[2]
    paths = [path.strip("/") for path in _PATHS.findall(inside)]
    holds = [path for path in paths if _is_below(path.split("*")[0].split("{")[0].strip("/"), route)]
    controllers = (
        named(snapshot, file, what, end, "").place for what, end in given_names(text, routes.end() + 1, ended - 1)
    )
    if holds or any(place is not None and _holds(snapshot, place, node) for place in controllers):
        for what, end in given_names(text, opening + 1, closed - 1):
            yield attrs.evolve(named(snapshot, file, what, end, "apply"), path=holds[0] if holds else "")


def _is_below(path: str, route: str) -> bool:
    return not path or f"/{path}/" in f"{route}/"


def _holds(snapshot: Snapshot, place: SymbolRef, node: DerivedNode) -> bool:
    """Whether a class holds what an entry is declared at."""
    if place.file != node.file or place.definition < 0:
        return False
    table = snapshot.facts(place.file).definitions
    return table.full_start[place.definition] <= node.full_start < table.full_end[place.definition]


def _nearest(files: Sequence[FilePath], path: FilePath) -> Sequence[FilePath]:
    """Those of one folder that share most folders with a path, of these the outermost; none where two folders do."""
    keys = {file: (_shared(file, path), -file.count("/")) for file in files}
    best = max(keys.values(), default=None)
    found = [file for file in files if keys[file] == best]
    return found if len({file.rpartition("/")[0] for file in found}) == 1 else ()


def _shared(file: FilePath, path: FilePath) -> int:
    """Folders that two paths have in common."""
    count = 0
    for one, other in zip(file.split("/")[:-1], path.split("/")[:-1], strict=False):
        if one != other:
            break
        count += 1
    return count
