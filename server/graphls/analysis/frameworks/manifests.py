"""Manifests: the programs and plugins that `pyproject.toml` declares.

Owns: scripts and entry points of a manifest, as tools that are handled by what they name.
Must not know: layout of projects, build tools.
Invariant: broken or odd manifests declare nothing and are no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, cast

from graphls.analysis.frameworks.declared_nodes import DeclaredNode, DerivedSpan, Handler
from graphls.analysis.frameworks.strings import resolve_dotted
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot
from graphls.settings.toml_text import toml_values

NAME: Final = "pyproject.toml"
_MEMO: Final = Memo["tuple[tuple[str, str, str], ...]"]("framework manifest")
_TABLES: Final = {"scripts": "script", "gui-scripts": "script"}
_LINE: Final = re.compile(
    rb"""^[ \t]*["']?(?P<name>[^"'=\s#](?:[^"'=\n]*[^"'=\s])?)["']?[ \t]*=[ \t]*["'](?P<value>[^"'\n]*)""", re.MULTILINE
)
"""A name and its text, all of them read in one pass."""
_PROVENANCE: Final = "manifest_declared"


def is_manifest(path: FilePath) -> bool:
    """Whether a file may declare entry points."""
    return path.rpartition("/")[2] == NAME


def entry_points(snapshot: Snapshot, path: FilePath) -> Iterator[DeclaredNode]:
    """Scripts and entry points of one manifest, in the order written; only what names code of the workspace."""
    written: dict[tuple[bytes, bytes], re.Match[bytes]] = {}
    for line in _LINE.finditer(snapshot.text(path) or b""):
        written.setdefault((line["name"], line["value"]), line)
    for kind, name, value in _declared(snapshot, path):
        place = resolve_dotted(snapshot, value.partition("[")[0].strip(), path, words=True)
        found = written.get((name.encode(), value.encode()))
        if place is None or found is None:
            continue
        span = DerivedSpan(*found.span("name"), found.start("name"), found.end())
        handler = Handler(place, *found.span("value"), "name", 1.0)
        about = (("rule", "manifest.entry_point"), ("group", kind))
        subkind = "script" if kind in _TABLES else "entry_point"
        yield DeclaredNode("tool", subkind, name, span, 1.0, about, (handler,), provenance=_PROVENANCE)


def _declared(snapshot: Snapshot, path: FilePath) -> tuple[tuple[str, str, str], ...]:
    """Group, name and value of every entry point; kept with the contents of the manifest."""
    return _MEMO.once(snapshot.shards[path], lambda: tuple(_read(snapshot.text(path) or b"")))


def _read(text: bytes) -> Iterator[tuple[str, str, str]]:
    try:
        root: object = toml_values(text.decode("utf-8", "replace"))
    except ValueError:
        return
    tool = _table(_table(root, "tool"), "poetry")
    for project in (_table(root, "project"), tool):
        for group in _TABLES:
            yield from ((group, name, value) for name, value in _texts(_table(project, group)))
        for holder in ("entry-points", "plugins"):
            points = _table(project, holder)
            for group in points:
                yield from ((str(group), name, value) for name, value in _texts(_table(points, group)))


def _table(root: object, name: object) -> Mapping[object, object]:
    found: object = cast("Mapping[object, object]", root).get(name) if isinstance(root, Mapping) else None
    return cast("Mapping[object, object]", found) if isinstance(found, Mapping) else {}


def _texts(table: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, str) and value:
            yield str(name), value
