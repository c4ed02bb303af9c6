"""File routes: routes that the place of a file among others makes.

Owns: the path that a file's name spells, which of its exports answer.
Must not know: any particular framework, calls.
Invariant: a file is a route only below a package whose manifest names what the rule requires.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, cast

from graphls.analysis.frameworks.declared_nodes import DeclaredNode, DerivedSpan, Handler, handlers_of
from graphls.analysis.frameworks.marks import Marks
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import applies_to
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.derivation import Value
from graphls.graph.memo import Memo
from graphls.graph.nodes import is_test_file, node_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.settings.framework_rules import FrameworkRule

_MANIFEST: Final = "package.json"
_MEMO: Final = Memo["frozenset[str]"]("framework packages")
_TABLES: Final = ("dependencies", "devDependencies", "peerDependencies")
_SILENT: Final = re.compile(r"\([^.()]+\)\Z|@[\w-]+\Z")
"""Folders that are no part of the path."""
_METHODS: Final = frozenset(("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"))
_VERBS: Final = {"load": "GET", "loader": "GET", "actions": "POST", "action": "POST", "ALL": "*", "fallback": "*"}
"""What a page loads and takes by names of its own -> the method that asks for it."""


def file_routes(file: FileRules, marks: Marks) -> Iterator[DeclaredNode]:
    """Routes of one file."""
    for row in marks.exported:
        for rule in file.rules.files:
            name = _name(file, row)
            path = _path(file.snapshot, file.path, rule) if name in rule.match else None
            if path is not None and applies_to(rule, file.path):
                yield _declared(file, row, rule, path, name)
                break


def _name(file: FileRules, row: int) -> str:
    table = file.facts.definitions
    if table.flags[row] & DefinitionFlag.DEFAULT_EXPORT:
        return "default"
    return file.facts.strings[table.name[row]]


def _declared(file: FileRules, row: int, rule: FrameworkRule, path: str, name: str) -> DeclaredNode:
    table = file.facts.definitions
    methods = tuple(_VERBS.get(name, name) if verb == "*" else verb for verb in rule.verbs)
    if name == "default" and "*" in rule.verbs:
        path, methods = _named_method(path)
    about: tuple[tuple[str, Value], ...] = (("rule", rule.name), ("path", path), ("method", "|".join(methods)))
    about = (*about, ("methods", methods))
    label = f"{'|'.join(methods)} {path}" if methods else path
    span = DerivedSpan(table.start[row], table.end[row], table.full_start[row], table.full_end[row])
    return DeclaredNode(rule.yields, rule.subkind, label, span, 0.95, about, tuple(_handlers(file, row)))


def _named_method(path: str) -> tuple[str, tuple[str, ...]]:
    """Path and method where the end of a name says which is answered: `[id].get`, or all of them."""
    stem, _, last = path.rpartition(".")
    if stem and last.upper() in _METHODS:
        return (stem.removesuffix("/index") or "/"), (last.upper(),)
    return path, ()


def _handlers(file: FileRules, row: int) -> Iterator[Handler]:
    """What is exported: the definition, or what a list of exports names."""
    table, uses = file.facts.definitions, file.facts.occurrences
    if table.kind[row] != DefinitionKind.IMPORT:
        place = SymbolRef(file.path, node_row(file.facts, row))
        yield Handler(place, table.start[row], table.end[row], "lexical", 0.95)
        return
    for use, start in enumerate(uses.start):
        inside = table.full_start[row] <= start < table.full_end[row]
        same = uses.name[use] == table.name[row] or table.flags[row] & DefinitionFlag.DEFAULT_EXPORT
        if inside and same and uses.role[use] in (Role.EXPORT, Role.IMPORT):
            yield from handlers_of(file.naming.targets(file.path, use), start, uses.end[use], 0.95)


def _path(snapshot: Snapshot, path: FilePath, rule: FrameworkRule) -> str | None:
    """The path that a file answers at, None for one that answers at none."""
    base = path.rpartition("/")[0]
    while rule.requires and not _requires(snapshot, base, rule):
        if not base:
            return None
        base = base.rpartition("/")[0]
    inner = path[len(base) + 1 :] if base else str(path)
    *folders, name = inner.split("/")
    stem = name.rpartition(".")[0]
    if stem.endswith(".d") or ("*" in rule.stems and is_test_file(path)):
        return None
    if stem not in rule.stems and ("*" not in rule.stems or (stem.startswith("_") and not rule.dotted_stems)):
        return None
    for top in rule.folders:
        depth = len(top.split("/"))
        if "/".join(folders[:depth]) == top:
            parts = [part for part in folders[depth:] if not _SILENT.match(part)]
            if rule.dotted_stems:
                return "/" + "/".join(_dotted_parts(parts, stem))
            if any(part.startswith("_") for part in parts):
                return None
            parts += [stem] if stem not in rule.stems and stem != "index" else []
            return "/" + "/".join(parts)
    return None


def _dotted_parts(folders: list[str], stem: str) -> Iterator[str]:
    """`users.$id_.edit` is users/:id/edit; the file `route` of a folder is named by that."""
    names = folders if stem in ("route", "index") and folders else [*folders, stem]
    for part in (part for name in names for part in name.split(".")):
        plain = part.removesuffix("_").strip("()")
        if plain == "$":
            yield "*"
        elif plain and not plain.startswith("_"):
            yield f":{plain[1:]}" if plain.startswith("$") else plain


def _requires(snapshot: Snapshot, folder: str, rule: FrameworkRule) -> bool:
    shard = snapshot.shards.get(FilePath(f"{folder}/{_MANIFEST}" if folder else _MANIFEST))
    if shard is None:
        return False
    known = _MEMO.once(shard, lambda: frozenset(_packages(snapshot.text(shard.path) or b"")))
    return not known.isdisjoint(rule.requires)


def _packages(text: bytes) -> Iterator[str]:
    """Names that a manifest depends on; none of one that cannot be read."""
    try:
        content: object = json.loads(text.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return
    for table in _TABLES:
        named = cast("dict[str, object]", content).get(table) if isinstance(content, dict) else None
        if isinstance(named, dict):
            yield from cast("dict[str, object]", named)
