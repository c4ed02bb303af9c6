"""Class middleware: what classes put before their methods, and classes that run before all routes of a program.

Owns: callbacks that a class of handlers and what it extends name, filters and interceptors of a program.
Must not know: layout, what an entry runs.
Invariant: what a condition decides is listed with the rest; a method that a callback leaves out, by `only` or
    `except`, does not have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.nodes import base_names, container, is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.middleware import Middleware, named, text_of
from graphls.queries.response_keys import closed_at, parts_of
from graphls.queries.type_hierarchy import all_supertypes

_CALLBACK: Final = re.compile(r"(?m)^[ \t]*(prepend_|append_|skip_)?(before|around)_action\b[ \t(]*")
_NAME: Final = re.compile(r":(\w+[?!]?)\s*(?=,|\Z|\))")
_OPTION: Final = re.compile(r"\b(only|except)\s*(?::|:?\s*=>)\s*(\[[^\]]*\]|:\w+|%i\[[^\]]*\])")
_METHOD_NAME: Final = re.compile(r"\w+[?!]?")
_LINE: Final = re.compile(r"(?:[^\n#]*,[ \t]*(?:#[^\n]*)?\n)*[^\n]*")
_FILTERS: Final = frozenset(("Filter", "OncePerRequestFilter", "GenericFilterBean", "WebFilter", "HttpFilter"))
_COMPONENT: Final = re.compile(r"@(?:Component|Provider|WebFilter|Order)\b")
_ADDED: Final = re.compile(r"\.\s*addInterceptor\s*(?=\()")
_PATTERNS: Final = re.compile(r"\s*\.\s*(addPathPatterns|excludePathPatterns|order)\s*(?=\()")
_STRINGS: Final = re.compile(r"\"([^\"\n]*)\"")
_MADE: Final = re.compile(r"(?:new\s+)?([\w.]+)")


def callbacks(snapshot: Snapshot, handlers: Sequence[SymbolRef]) -> Iterator[Middleware]:
    """Those of the outermost base first, without those that a class below skips."""
    for handler in handlers:
        facts = snapshot.facts(handler.file)
        around = container(facts, handler.definition) if handler.definition >= 0 else -1
        if around < 0:
            continue
        own = SymbolRef(handler.file, around)
        line = (own, *all_supertypes(snapshot, own))
        name = facts.strings[facts.definitions.name[handler.definition]]
        found: list[Middleware] = []
        for place in reversed(line):
            for how, one in _of_class(snapshot, place, name, line):
                if how == "skip_":
                    found = [each for each in found if each.name != one.name]
                elif how == "prepend_":
                    found.insert(0, one)
                else:
                    found.append(one)
        yield from found


def _of_class(
    snapshot: Snapshot, place: SymbolRef, method: str, line: Sequence[SymbolRef]
) -> Iterator[tuple[str, Middleware]]:
    table, text = snapshot.facts(place.file).definitions, text_of(snapshot, place.file)
    if place.definition < 0:
        return
    for one in _CALLBACK.finditer(text, table.full_start[place.definition], table.full_end[place.definition]):
        said = _LINE.match(text, one.end())
        words = "" if said is None else said[0]
        options = {key: _METHOD_NAME.findall(value.removeprefix("%i")) for key, value in _OPTION.findall(words)}
        if method in options.get("except", ()) or ("only" in options and method not in options["only"]):
            continue
        for name in _NAME.finditer(words.partition(" only")[0].partition(" except")[0]):
            at = one.end() + name.start(1)
            made = Middleware(name[1], f"{one[2]}_action", "", place.file, at, _member(snapshot, line, name[1]))
            yield one[1] or "", made


def _member(snapshot: Snapshot, line: Sequence[SymbolRef], name: str) -> SymbolRef | None:
    for place in line:
        facts = snapshot.facts(place.file)
        table = facts.definitions
        number = facts.strings.index(name) if name in facts.strings else -1
        for row in range(len(table)) if number >= 0 else ():
            inside = table.kind[row] == DefinitionKind.METHOD and container(facts, row) == place.definition
            if table.name[row] == number and inside:
                return SymbolRef(place.file, row)
    return None


def filters(snapshot: Snapshot, node: DerivedNode) -> Iterator[Middleware]:
    """Filters that are components, then interceptors that are added for a path."""
    for file in sorted({file for name in _FILTERS for file in snapshot.files_with_name(name)}):
        yield from () if is_test_file(file) else _filters_of(snapshot, file)
    for file in sorted(snapshot.files_with_name("addInterceptor")):
        yield from () if is_test_file(file) else _interceptors(snapshot, file, node.name.partition(" ")[2])


def _filters_of(snapshot: Snapshot, file: FilePath) -> Iterator[Middleware]:
    facts, text = snapshot.facts(file), text_of(snapshot, file)
    table = facts.definitions
    for row in range(len(table)):
        filters_all = table.kind[row] == DefinitionKind.CLASS and not _FILTERS.isdisjoint(base_names(facts, row))
        if filters_all and _COMPONENT.search(text, table.full_start[row], table.start[row]) is not None:
            name = facts.strings[table.name[row]]
            yield Middleware(name, "filter", "", file, table.start[row], SymbolRef(file, row))


def _interceptors(snapshot: Snapshot, file: FilePath, route: str) -> Iterator[Middleware]:
    text = text_of(snapshot, file)
    for one in _ADDED.finditer(text):
        end = closed_at(text, one.end())
        given: dict[str, list[str]] = {}
        while end > 0 and (link := _PATTERNS.match(text, end)) is not None:
            end = closed_at(text, link.end())
            given.setdefault(link[1], []).extend(_STRINGS.findall(text, link.end(), end))
        wanted, left_out = given.get("addPathPatterns", []), given.get("excludePathPatterns", [])
        if wanted and not any(_holds(pattern, route) for pattern in wanted):
            continue
        if any(_holds(pattern, route) for pattern in left_out):
            continue
        for first, last in list(parts_of(text, one.end() + 1, closed_at(text, one.end()) - 1))[:1]:
            made = _MADE.match(text, first, last)
            if made is not None:
                what = made[1].rpartition(".")[2]
                found = named(snapshot, file, what, made.end(1), "interceptor")
                yield attrs.evolve(found, path=wanted[0] if wanted else "")


def _holds(pattern: str, route: str) -> bool:
    """Whether a pattern of paths, `/api/**`, holds for a route."""
    parts = (re.escape(part).replace(r"\*", "[^/]*") for part in pattern.split("**"))
    return re.fullmatch(".*".join(parts), route.rstrip("/") + ("/" if pattern.endswith("/**") else "")) is not None
