"""Limits: what is too large, too odd or too unimportant to index.

Owns: the limits and their defaults.
Must not know: where settings come from.
Invariant: a limit never makes a file vanish silently: walking counts it, reading names it with a reason.
"""

from __future__ import annotations

import attrs

from graphls.facts.paths import FilePath
from graphls.settings import FilesSettings
from graphls.settings.folder_limits import FolderLimits

EXCLUDED_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".tox",
        ".nox",
        ".venv",
        "node_modules",
        ".graphls",
    }
)
"""Left out by name. Any folder below a root that holds a `pyvenv.cfg` is left out too."""


@attrs.frozen
class SourceLimits:
    max_file_bytes: int = FilesSettings().max_bytes
    max_line_bytes: int = FilesSettings().max_line_bytes
    max_files: int = 500_000
    excluded_folders: frozenset[str] = EXCLUDED_FOLDERS
    exclude: tuple[str, ...] = ()
    """Globs of the user, written as in .gitignore from each folder's root; they stand before every ignore file.
    `//NAME/...`: of the open folder of that name alone."""
    respect_ignores: bool = True
    """Whether `.gitignore`, `.ignore` and `.git/info/exclude` leave files out."""
    folders: tuple[FolderLimits, ...] = ()
    """What counts otherwise in single ones of several folders, by name."""

    @classmethod
    def of(cls, files: FilesSettings) -> SourceLimits:
        return cls(
            max_file_bytes=files.max_bytes,
            max_line_bytes=files.max_line_bytes,
            exclude=files.exclude,
            respect_ignores=files.follow_ignore,
            folders=files.folders,
        )

    def of_texts(self) -> tuple[object, ...]:
        """What of them decides whether a text that was found is taken in."""
        return self.max_file_bytes, self.max_line_bytes, self.folders

    def of_folder(self, name: str) -> SourceLimits:
        """Those of one of the folders."""
        found = self
        for one in self.folders:
            if one.folder == name:
                found = attrs.evolve(
                    found,
                    max_file_bytes=found.max_file_bytes if one.max_bytes is None else one.max_bytes,
                    max_line_bytes=found.max_line_bytes if one.max_line_bytes is None else one.max_line_bytes,
                    respect_ignores=found.respect_ignores if one.follow_ignore is None else one.follow_ignore,
                )
        return found

    def of_path(self, path: FilePath) -> SourceLimits:
        """Those of the folder that a file is in: of several, its name comes first in the path."""
        return self.of_folder(path.partition("/")[0]) if self.folders else self
