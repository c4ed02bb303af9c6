"""Ignore index: whether one path, looked up by itself, is left out of the workspace.

Owns: the rules of each folder above a path, read once and kept.
Must not know: who asks; events.
Invariant: agrees with the walk made at the same moment. Stale once an ignore file changed: make a new one.
"""

from __future__ import annotations

import os

from graphls.facts.paths import FilePath
from graphls.sources.ignore_rules import IGNORE_NAMES, IgnoreRules, rules_for_root
from graphls.sources.limits import SourceLimits
from graphls.sources.workspace import Folder, OutsideWorkspaceError, Workspace

_TELLING = (*IGNORE_NAMES, ".git", "pyvenv.cfg")


class IgnoreIndex:
    def __init__(self, workspace: Workspace, limits: SourceLimits) -> None:
        self._workspace = workspace
        self._limits = limits
        self._inside: dict[tuple[str, str], IgnoreRules | None] = {}

    def leaves_out(self, path: FilePath, *, is_folder: bool = False) -> bool:
        try:
            folder, parts = self._workspace.located(path)
        except OutsideWorkspaceError:
            return True
        above = self._rules(folder, parts[:-1])
        return above is None or (bool(parts) and self._entry_left_out(above, parts, is_folder=is_folder))

    def enters(self, folder: Folder, parts: tuple[str, ...]) -> bool:
        """Whether something in a folder below one of the workspace may be in it."""
        return self._rules(folder, parts) is not None

    def _entry_left_out(self, rules: IgnoreRules, parts: tuple[str, ...], *, is_folder: bool) -> bool:
        path, name = "/".join(parts), parts[-1]
        by_name = is_folder and rules.leaves_out_by_name(path, name, self._limits)
        return by_name or rules.ignores(path, name, is_folder)

    def _rules(self, folder: Folder, parts: tuple[str, ...]) -> IgnoreRules | None:
        """The rules inside a folder, None when it is left out itself."""
        key = (folder.root, "/".join(parts))
        if key not in self._inside:
            self._inside[key] = self._read_rules(folder, parts)
        return self._inside[key]

    def _read_rules(self, folder: Folder, parts: tuple[str, ...]) -> IgnoreRules | None:
        limits = self._limits.of_folder(folder.name)
        above = self._rules(folder, parts[:-1]) if parts else rules_for_root(folder.root, limits, folder.name)
        if above is None or (parts and self._entry_left_out(above, parts, is_folder=True)):
            return None
        above = above.below(parts[-1], self._limits) if parts else above
        absolute = os.path.join(folder.root, *parts)
        names = [name for name in _TELLING if os.path.lexists(os.path.join(absolute, name))]
        if parts and "pyvenv.cfg" in names:
            return None
        return above.entering(absolute, "/".join(parts), names) if limits.respect_ignores else above
