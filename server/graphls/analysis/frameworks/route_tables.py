"""Route tables: routes of files that list them as rows, each with the names of what answers.

Owns: the rows of a table, what a row of a resource stands for, which method a name like `page#index` means.
Must not know: any particular framework's classes, other declarations of the file.
Invariant: a path is written out; a row that is worked out declares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import attrs

from graphls.analysis.frameworks.declared_nodes import DeclaredNode
from graphls.analysis.frameworks.resource_routes import controller_route, named_method
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import fitting_rules, shipped_table
from graphls.analysis.frameworks.texts import without_comments
from graphls.facts.paths import FilePath

_TABLE: Final = "tables"
_DEEPEST: Final = 4
"""Tables in a row that are not of it."""
_ROW: Final = re.compile(rb"(?:([\"'])(?P<key>\w+)\1\s*=>\s*)?(?P<open>\[|\barray\s*\()\s*(?=[\"']\w+[\"']\s*=>)")
_RESOURCES: Final = re.compile(rb"[\"']resources[\"']\s*=>\s*(?:\[|array\s*\()")
_INNER: Final = re.compile(rb"\[[^\[\]]*\]|\([^()]*\)")
_SAID: Final = re.compile(rb"[\"'](?P<key>name|url|verb)[\"']\s*=>\s*([\"'])(?P<text>[^\"'$]*)\2\s*(?=,|\Z)")
_TARGET: Final = re.compile(r"(\w+)#(\w+)")
_ACTIONS: Final = (
    ("index", "GET", ""),
    ("show", "GET", "/{id}"),
    ("create", "POST", ""),
    ("update", "PUT", "/{id}"),
    ("destroy", "DELETE", "/{id}"),
)
"""Of a resource: what runs, by which method, under which path."""


@attrs.frozen
class _TableRow:
    start: int
    end: int
    verb: str
    path: str
    controller: str
    action: str


@cache
def _homes() -> Sequence[tuple[str, str, str]]:
    """Of each rule its name, the folder of its files, and where controllers are declared."""
    return tuple((str(row["name"]), str(row["home"]), str(row["handler"])) for row in shipped_table(_TABLE))


def may_list_routes(path: str, text: bytes) -> bool:
    """Whether a file is one of these."""
    return any(True for _ in fitting_rules(_TABLE, path, text))


def table_routes(file: FileRules) -> Iterator[DeclaredNode]:
    """What a file lists, in source order."""
    rule = next(fitting_rules(_TABLE, file.path, file.code.data), None)
    if rule is None:
        return
    name, folder, template = _homes()[rule]
    home = file.path.rpartition(folder)[0]
    for row in _rows(file):
        path = FilePath(f"{home}{template.format(controller=row.controller)}")
        place = named_method(file.snapshot, path, row.action)
        yield controller_route(name, (row.verb,), row.path, range(row.start, row.end), place)


def _rows(file: FileRules) -> Iterator[_TableRow]:
    data = without_comments(file.code.data)
    code = attrs.evolve(file.code, data=data)
    tables = [range(one.end(), code.behind_bracket(one.end() - 1)) for one in _RESOURCES.finditer(data)]
    for found in _ROW.finditer(data):
        start, end = found.start("open"), code.behind_bracket(found.end("open") - 1)
        body = data[found.end("open") : end - 1]
        for _ in range(_DEEPEST):
            body = _INNER.sub(lambda inner: b" " * len(inner[0]), body)
        said = {one["key"].decode(): one["text"].decode("utf-8", "replace") for one in _SAID.finditer(body)}
        target = _TARGET.fullmatch(said.get("name", ""))
        if "url" not in said:
            continue
        if target is not None:
            verb = said.get("verb", "GET").upper()
            yield _TableRow(start, end, verb, said["url"], _capital(target[1]), _camel(target[2]))
        elif found["key"] is not None and "name" not in said and any(start in one for one in tables):
            controller = _capital(found["key"].decode())
            for action, verb, behind in _ACTIONS:
                yield _TableRow(start, end, verb, said["url"].rstrip("/") + behind, controller, action)


def _camel(name: str) -> str:
    return re.sub(r"_+(\w)", lambda found: found[1].upper(), name)


def _capital(name: str) -> str:
    camel = _camel(name)
    return camel[:1].upper() + camel[1:]
