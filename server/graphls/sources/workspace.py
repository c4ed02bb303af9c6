"""Workspace: which folders are open, and what a path inside them is called.

Owns: folder names, the mapping between absolute paths and FilePaths, the refusal of paths that lead outside.
Must not know: what is in the files, ignore rules, URIs.
Invariant: `relative` and `contained` never name anything whose real location is outside every folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import attrs

from graphls.facts.paths import FilePath

ROOT = FilePath(".")
"""Names the folder itself in a workspace of one folder."""


class OutsideWorkspaceError(ValueError):
    """A path that leads outside the workspace, or nowhere. The text is fit for users."""


@attrs.frozen
class Folder:
    name: str
    root: str
    """Absolute, real (no symbolic link in it), without a trailing separator."""


@attrs.frozen
class Workspace:
    folders: tuple[Folder, ...]
    left_out: tuple[str, ...] = ()
    """Names of repositories that belong to it and are not read: nobody said that they may be."""

    @classmethod
    def of(cls, roots: Iterable[str]) -> Workspace:
        """A workspace over these folders; names do not depend on the order of `roots`."""
        real = sorted({_real(root) for root in roots})
        taken = {os.path.basename(root) or "root" for root in real}
        used: set[str] = set()
        return cls(tuple(Folder(_unique(os.path.basename(root) or "root", used, taken), root) for root in real))

    @property
    def name(self) -> str:
        """What a graph of it is called."""
        return "+".join(folder.name for folder in self.folders) or "workspace"

    @property
    def prefixes(self) -> tuple[str, ...]:
        """First parts of paths, where there are several folders."""
        return tuple(folder.name for folder in self.folders) if len(self.folders) > 1 else ()

    def absolute(self, path: FilePath) -> str:
        folder, parts = self.located(path)
        return os.path.join(folder.root, *parts)

    def located(self, path: FilePath) -> tuple[Folder, tuple[str, ...]]:
        """The folder that a FilePath belongs to, and the names to follow from its root."""
        folder, rest = self._split(path)
        parts = () if rest in ("", ".") else tuple(rest.split("/"))
        odd = any(part in ("", ".", "..") or os.sep in part or "\0" in part for part in parts)
        if odd or os.path.splitdrive(rest)[0]:
            raise OutsideWorkspaceError(f"{path!r} is not a workspace-relative path")
        return folder, parts

    def relative(self, absolute: str) -> FilePath | None:
        """The name of an absolute path, links and `..` resolved; None when it is outside every folder."""
        try:
            real = _real(absolute)
            real.encode("utf-8")
        except (OSError, ValueError):
            return None
        folder = self._owner(real)
        return None if folder is None else self.key(folder, _below(folder.root, real) or "")

    def entry(self, absolute: str) -> FilePath | None:
        """As `relative`, but a link is named itself, not what it leads to."""
        if not os.path.islink(absolute):
            return self.relative(absolute)
        above, name = os.path.split(absolute)
        folder = self.relative(above)
        return None if folder is None else FilePath(name if folder == ROOT else f"{folder}/{name}")

    def contained(self, argument: str) -> FilePath:
        """The FilePath that a user's argument names: a FilePath, a relative or an absolute path."""
        if not argument or "\0" in argument:
            raise OutsideWorkspaceError("the path is empty or has a NUL in it; give a path inside the workspace")
        path = self.relative(self._anchored(argument))
        if path is None:
            roots = ", ".join(folder.root for folder in self.folders)
            raise OutsideWorkspaceError(
                f"{argument!r} is outside the workspace; give a path below {roots or 'a folder'}"
            )
        return path

    def key(self, folder: Folder, rest: str) -> FilePath:
        """The FilePath of a posix path inside one folder."""
        if len(self.folders) == 1:
            return FilePath(rest) if rest else ROOT
        return FilePath(f"{folder.name}/{rest}") if rest else FilePath(folder.name)

    def nested_roots(self, folder: Folder) -> frozenset[str]:
        """Roots of other folders below this one: their files belong to the inner folder."""
        return frozenset(other.root for other in self.folders if other != folder and _below(folder.root, other.root))

    def _anchored(self, argument: str) -> str:
        if os.path.isabs(argument):
            return argument
        if len(self.folders) == 1:
            return os.path.join(self.folders[0].root, argument)
        first, _, rest = os.path.normpath(argument).replace(os.sep, "/").partition("/")
        for folder in self.folders:
            if folder.name == first:
                return os.path.join(folder.root, rest)
        names = ", ".join(folder.name for folder in self.folders)
        raise OutsideWorkspaceError(f"{argument!r} names no workspace folder; begin the path with one of {names}")

    def _split(self, path: FilePath) -> tuple[Folder, str]:
        if len(self.folders) == 1:
            return self.folders[0], path
        first, _, rest = path.partition("/")
        for folder in self.folders:
            if folder.name == first:
                return folder, rest
        raise OutsideWorkspaceError(f"{path!r} names no workspace folder")

    def _owner(self, real: str) -> Folder | None:
        owners = [folder for folder in self.folders if _below(folder.root, real) is not None]
        return max(owners, key=lambda folder: len(folder.root), default=None)


def fold_drive(path: str) -> str:
    """`c:\\x` and `C:\\x` are one path. Other characters keep their case: the file system knows it."""
    return path[0].upper() + path[1:] if len(path) > 1 and path[1] == ":" and path[0].isalpha() else path


def _real(path: str) -> str:
    real = os.path.realpath(path)
    return fold_drive(real) if os.name == "nt" else real


def _below(root: str, real: str) -> str | None:
    """The posix path of `real` from `root`: empty for the root itself, None when it is not below."""
    if real == root:
        return ""
    prefix = root if root.endswith(os.sep) else root + os.sep
    if not real.startswith(prefix):
        return None
    rest = real[len(prefix) :]
    return rest if os.sep == "/" else rest.replace(os.sep, "/")


def _unique(name: str, used: set[str], taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate in used or (number > 1 and candidate in taken):
        number += 1
        candidate = f"{name}-{number}"
    used.add(candidate)
    return candidate
