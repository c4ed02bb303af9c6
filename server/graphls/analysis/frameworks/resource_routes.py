"""Resource routes: routes of files that declare them line by line, with resources, namespaces and blocks.

Owns: the blocks that a line stands in, the routes that a resource stands for, the method that answers one.
Must not know: any particular framework's classes, other declarations of the file.
Invariant: a path is written out or that of a resource; what a line computes declares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import attrs

from graphls.analysis.frameworks.declared_nodes import DeclaredNode, DerivedSpan, Handler
from graphls.analysis.frameworks.routes import FileRules, joined_path
from graphls.analysis.frameworks.rules import fitting_rules, shipped_table
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import rows_named
from graphls.graph.snapshot import Snapshot, SymbolRef

_TABLE: Final = "resources"
_CERTAIN: Final = 0.9
_LONGEST: Final = 5_000
"""Letters of a statement over several lines."""
_DEEPEST: Final = 20
"""Blocks in blocks whose paths are read."""
_LINE: Final = re.compile(r"[^\n]*\n?")
_WORD: Final = re.compile(r"\s*([a-z_]+)\b[ (]*")
_OPENS: Final = re.compile(r"(?:\bdo\b(?:\s*\|[^|]*\|)?|^\s*(?:if|unless|case|begin)\b.*)\s*(?:#.*)?$")
_NAMES: Final = re.compile(r"\s*(?::(\w+)|[\"']([\w/]+)[\"'])\s*(?:,|$|\bdo\b|\))")
_PATH: Final = re.compile(r"\s*(?:[\"']([^\"'#{}]*)[\"']|:(\w+))")
_TO: Final = re.compile(r"(?:\bto:\s*|:to\s*=>\s*|=>\s*)[\"']([\w/]*)#(\w+)[\"']")
_ELSEWHERE: Final = re.compile(r"\bto:\s*(?!\s*[\"':])|=>\s*redirect\b|\bredirect\b")
_OPTION: Final = r"(?:\b{0}:\s*|:{0}\s*=>\s*)"
_LIST: Final = r"(?:\[([^\]]*)\]|%i\[([^\]]*)\]|%w\[([^\]]*)\]|:(\w+)|[\"']([^\"']*)[\"'])"
_VERBS: Final = ("get", "post", "put", "patch", "delete")
_ACTIONS: Final = (
    ("index", "GET", "", False),
    ("create", "POST", "", False),
    ("new", "GET", "new", False),
    ("show", "GET", "", True),
    ("edit", "GET", "edit", True),
    ("update", "PATCH|PUT", "", True),
    ("destroy", "DELETE", "", True),
)
"""Of a resource: what runs, by which methods, under which path, and whether that is of one of several."""


@attrs.frozen
class _Scope:
    """What a line stands in. `own`: the name of the parameter of one of several, "" in none."""

    word: str
    path: str = ""
    folder: str = ""
    controller: str = ""
    own: str = ""


@attrs.frozen
class _Route:
    verbs: tuple[str, ...]
    path: str
    controller: str
    action: str


@cache
def _handlers() -> Sequence[tuple[str, str]]:
    """Of each rule its name, and where controllers are declared."""
    return tuple((str(row["name"]), str(row["handler"])) for row in shipped_table(_TABLE))


def may_declare_resources(path: str, text: bytes) -> bool:
    """Whether a file is one of these."""
    return any(True for _ in fitting_rules(_TABLE, path, text))


def resource_routes(file: FileRules) -> Iterator[DeclaredNode]:
    """What a file declares, in source order."""
    rule = next(fitting_rules(_TABLE, file.path, file.code.data), None)
    if rule is None:
        return
    text = file.code.data.decode("utf-8", "replace")
    name, template = _handlers()[rule]
    read, at = 0, 0
    for start, line, route in _routes(text):
        at += len(text[read:start].encode())
        read, end = start, at + len(line.rstrip().encode())
        place = _answering(file, template, route)
        yield controller_route(name, route.verbs, route.path, range(at, end), place)


def controller_route(
    rule: str, verbs: tuple[str, ...], path: str, span: range, place: SymbolRef | None
) -> DeclaredNode:
    """A route that a file lists for a method of a controller."""
    start, end, method = span.start, span.stop, "|".join(verbs)
    handlers = () if place is None else (Handler(place, start, end, "name", _CERTAIN),)
    label = f"{method} {path}" if method else path
    about = (("rule", f"text.{rule}"), ("path", path), ("method", method), ("methods", verbs))
    return DeclaredNode("route", "", label, DerivedSpan(start, end, start, end), _CERTAIN, about, handlers)


def _answering(file: FileRules, template: str, route: _Route) -> SymbolRef | None:
    """The method that answers a route, in the file that its controller is declared in."""
    ending = template.format(controller=route.controller)
    home = file.path.rpartition("config/")[0]
    return named_method(file.snapshot, FilePath(f"{home}{ending}"), route.action)


def named_method(snapshot: Snapshot, path: FilePath, name: str) -> SymbolRef | None:
    """The first method of a name in a file, where there is that file."""
    if not name or path not in snapshot.shards:
        return None
    facts = snapshot.facts(path)
    if name not in facts.strings:
        return None
    rows = rows_named(facts, facts.strings.index(name))
    methods = (DefinitionKind.METHOD, DefinitionKind.FUNCTION)
    return next((SymbolRef(path, row) for row in rows if facts.definitions.kind[row] in methods), None)


def _routes(text: str) -> Iterator[tuple[int, str, _Route]]:
    """Each route with the offset and the text of its line."""
    around: list[_Scope] = []
    for start, line in _statements(text):
        found = _WORD.match(line)
        word = found[1] if found is not None else ""
        if word == "end":
            if around:
                around.pop()
            continue
        rest = line[found.end() :] if found is not None else ""
        begin = start + len(line) - len(line.lstrip())
        if word in ("resources", "resource"):
            for name in _names(rest):
                yield from ((begin, line.strip(), route) for route in _of_resource(around, word, name, line))
        elif word in (*_VERBS, "match", "root"):
            route = _of_line(around, word, rest)
            if route is not None:
                yield begin, line.strip(), route
        if _OPENS.search(line):
            around.append(_scope(around, word, rest, line))


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Lines, those joined that end in a comma, without comments."""
    held, begin = "", 0
    for found in _LINE.finditer(text):
        line = re.sub(r"(?:^|\s)#[^{].*", "", found[0].rstrip("\n"))
        begin = begin if held else found.start()
        held = f"{held} {line.strip()}" if held else line
        if not held.rstrip().endswith(",") or len(held) > _LONGEST:
            if held.strip():
                yield begin, held
            held = ""


def _names(rest: str) -> Iterator[str]:
    at = 0
    while (found := _NAMES.match(rest, at)) is not None:
        yield found[1] or found[2]
        at = found.end()


def _scope(around: Sequence[_Scope], word: str, rest: str, line: str) -> _Scope:
    """What the lines of a block stand in."""
    name = next(_names(rest), "")
    if word == "namespace":
        return _Scope(word, _said(line, "path") or name, _said(line, "module") or name)
    if word == "scope":
        path = _PATH.match(rest)
        written = (path[1] or path[2]) if path is not None and not re.match(r"\s*:?\w+:", rest) else ""
        return _Scope(word, _said(line, "path") or written or "", _said(line, "module"), _said(line, "controller"))
    if word in ("resources", "resource"):
        several = word == "resources"
        own = _said(line, "param") or "id"
        path = _said(line, "path") or name
        return _Scope(
            word,
            path,
            _said(line, "module"),
            _said(line, "controller") or _plural(name, several),
            own if several else "",
        )
    if word == "controller":
        return _Scope(word, controller=name)
    return _Scope(word)


def _plural(name: str, several: bool) -> str:
    if several or name.endswith("s"):
        return name
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _said(line: str, option: str) -> str:
    found = re.search(_OPTION.format(option) + r"(?::(\w+)|[\"']([^\"']*)[\"'])", line)
    return "" if found is None else (found[1] or found[2] or "")


def _listed(line: str, option: str) -> frozenset[str] | None:
    found = re.search(_OPTION.format(option) + _LIST, line)
    if found is None:
        return None
    return frozenset(re.findall(r"\w+", next(part for part in found.groups() if part is not None)))


def _before(around: Sequence[_Scope], *, inside: bool) -> str:
    """The path before a line. `inside`: it is another resource's, in one of several."""
    path = ""
    for number, scope in enumerate(around[:_DEEPEST]):
        path = joined_path(path, scope.path, slashes=True) if scope.path else path
        below = around[number + 1].word if number + 1 < len(around) else ""
        if scope.own and (below == "member" or (below not in ("collection", "member") and (below or inside))):
            name = scope.own if below == "member" else f"{_singular(scope.path)}_{scope.own}"
            path = f"{path}/:{name}"
    return path


def _singular(path: str) -> str:
    name = path.rpartition("/")[2]
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name.removesuffix("s")


def _controller(around: Sequence[_Scope], name: str) -> str:
    folders = [scope.folder for scope in around[:_DEEPEST] if scope.folder]
    return name.lstrip("/") if name.startswith("/") else "/".join((*folders, name))


def _of_resource(around: Sequence[_Scope], word: str, name: str, line: str) -> Iterator[_Route]:
    only, but = _listed(line, "only"), _listed(line, "except") or frozenset[str]()
    several, module = word == "resources", _said(line, "module")
    base = joined_path(_before(around, inside=True), _said(line, "path") or name, slashes=True)
    controller = _said(line, "controller") or _plural(name, several)
    controller = _controller(around, f"{module}/{controller}" if module else controller)
    for action, verbs, ending, of_one in _ACTIONS:
        if (only is not None and action not in only) or action in but or (action == "index" and not several):
            continue
        path = f"{base}/:{_said(line, 'param') or 'id'}" if of_one and several else base
        yield _Route(tuple(verbs.split("|")), joined_path(path, ending, slashes=True), controller, action)


def _of_line(around: Sequence[_Scope], word: str, rest: str) -> _Route | None:
    """A route by its path, and what it says answers."""
    target = _TO.search(rest)
    if word == "root":
        plain = target or re.match(r"\s*[\"']([\w/]+)#(\w+)[\"']", rest)
        base = _before(around, inside=False)
        return None if plain is None else _Route(("GET",), base or "/", _controller(around, plain[1]), plain[2])
    path = _PATH.match(rest)
    if path is None:
        return None
    written = path[1] if path[1] is not None else path[2]
    on = _said(rest, "on")
    here = (*around, _Scope(on)) if on in ("member", "collection") else around
    base = _before(here, inside=bool(around) and around[-1].own != "")
    resource = next((scope for scope in reversed(around) if scope.controller), None)
    named, action = (target[1], target[2]) if target is not None else ("", _said(rest, "action"))
    if target is None and _ELSEWHERE.search(rest):
        named, action = "", ""
    elif target is None and not action:
        words = written.strip("/").split("/")
        inner = resource is not None and resource.controller
        named, action = ("", words[-1]) if inner or len(words) != 2 else (words[0], words[1])
    controller = named or _said(rest, "controller") or (resource.controller if resource is not None else "")
    verbs = _listed(rest, "via") or frozenset[str]() if word == "match" else frozenset((word,))
    shown = tuple(verb.upper() for verb in _VERBS if verb in verbs)
    whole = joined_path(base, written.replace("(.:format)", ""), slashes=True)
    return _Route(shown, whole, _controller(around, controller) if controller else "", action.replace("-", "_"))
