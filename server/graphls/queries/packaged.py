"""Packaged: which modules stand for a package of npm, and what these give to others.

Owns: the module that the name of a package means, where its programs begin, names that modules pass on.
Must not know: links (nothing is resolved beyond the names of modules), protocols.
Invariant: read from manifests and surfaces alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from posixpath import join, normpath
from typing import Final, cast

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionFlag, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import providers
from graphls.linking.world import RecordingWorld

_MANIFEST: Final = "package.json"
_BEGINNINGS: Final = frozenset({"main", "server", "cli", "bootstrap"})
_SOURCES: Final = ("", "src", "server", "app", "bin")
"""Folders of a package in which a file of these names begins a run."""
_DEEP: Final = 5
_NAMELESS: Final = ("*", "default")
_STAR: Final = int(DefinitionFlag.STAR)
_EXPORTED: Final = int(DefinitionFlag.EXPORTED)


class Packaged:
    """Packages of npm in one snapshot. Made for one answer, then dropped."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._finders = {
            name: made(RecordingWorld(table, snapshot.surface))
            for name, table in snapshot.modules.items()
            if name in providers() and (made := providers()[name].capabilities.module_finder) is not None
        }

    def covers(self, path: FilePath) -> bool:
        """Whether imports of a file name packages by their manifests."""
        return self._snapshot.shards[path].language in self._finders

    def imported(self, path: FilePath, surface: Surface) -> set[str]:
        """Modules of the workspace that a file's visible imports name."""
        specs = {surface.strings[name] for name in _modules_in(surface) if name != NONE}
        found = {self._find(spec, path) for spec in specs}
        return {str(module) for module in found if module is not None and module != path}

    def mains(self) -> Iterator[FilePath]:
        """The module that each package's name means, by folder."""
        for folder, name in sorted(self._snapshot.packages.items()):
            if _manifest_of(folder) in self._snapshot.shards:
                found = self._find(name, _manifest_of(folder))
                if found is not None and not is_test_file(found):
                    yield found

    def beginnings(self) -> Iterator[FilePath]:
        """Files in which programs begin: what packages name as such, or those that are called so."""
        shards = self._snapshot.shards
        for folder, package in sorted(self._snapshot.packages.items()):
            manifest = _manifest_of(folder)
            for target in _programs(self._snapshot.text(manifest) or b"") if manifest in shards else ():
                path = FilePath(normpath(join(folder, target)))
                # What is built is in no workspace: the names of the package lead to its source.
                found = path if path in shards else self._find(f"{package}/{normpath(target)}", manifest)
                if found is not None and self.covers(found):
                    yield found
        for path in shards:
            above, _, name = path.rpartition("/")
            if self.covers(path) and name.partition(".")[0] in _BEGINNINGS and name.count(".") == 1:
                homes = (self._above(above, inner) for inner in _SOURCES)
                if any(home is not None and _manifest_of(home) in shards for home in homes):
                    yield path

    def offered(self, path: FilePath, depth: int = 0) -> Iterator[str]:
        """Symbols that a module exports, with those of modules that it passes on as a whole."""
        surface = self._snapshot.surface(path)
        yield from (f"{path}:{name}" for name in surface.exports or () if name not in _NAMELESS)
        table = surface.symbols
        for name, flags, value, scope in zip(table.name, table.flags, table.value, table.scope, strict=True):
            if flags & _STAR and depth < _DEEP:
                module = self._starred(path, surface, value)
                yield from () if module is None else self.offered(module, depth + 1)
            elif flags & _EXPORTED and scope == 0 and surface.strings[name] not in _NAMELESS:
                yield f"{path}:{surface.strings[name]}"

    def _starred(self, path: FilePath, surface: Surface, value: int) -> FilePath | None:
        table = surface.expressions
        if value == NONE or table.kind[value] != ExpressionKind.MODULE or table.a[value] == NONE:
            return None
        return self._find(surface.strings[table.a[value]], path)

    def _find(self, spec: str, importer: FilePath) -> FilePath | None:
        # A manifest is no code: the name of a package means the same to each language of its kind.
        own = self._finders.get(self._snapshot.shards[importer].language)
        finders = self._finders.values() if own is None else (own,)
        found = (find(spec, importer) for find in finders)
        return next((path for path in found if path in self._snapshot.shards), None)

    def _above(self, folder: str, inner: str) -> FilePath | None:
        """The folder of the package where `folder` is `inner` in it."""
        if not inner:
            return FilePath(folder)
        if folder == inner:
            return FilePath("")
        return FilePath(folder[: -len(inner) - 1]) if folder.endswith(f"/{inner}") else None


def _modules_in(surface: Surface) -> Iterator[int]:
    table = surface.expressions
    return (name for kind, name in zip(table.kind, table.a, strict=True) if kind == ExpressionKind.MODULE)


def _manifest_of(folder: str) -> FilePath:
    return FilePath(f"{folder}/{_MANIFEST}" if folder else _MANIFEST)


def _programs(text: bytes) -> Iterator[str]:
    """What `bin` of a manifest names; nothing of one that cannot be read."""
    try:
        content: object = json.loads(text.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return
    named = cast("dict[str, object]", content).get("bin") if isinstance(content, dict) else None
    values = cast("dict[str, object]", named).values() if isinstance(named, dict) else (named,)
    yield from (value for value in values if isinstance(value, str))
