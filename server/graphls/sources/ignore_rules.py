"""Ignore rules: which entries of a folder are left out by all ignore files that apply to it.

Owns: finding ignore files, their precedence, inheritance from folder to folder, parents up to the repository's root.
Must not know: the pattern language, what is done with the files.
Invariant: the user's globs stand before `.ignore`, that before `.gitignore`,
    that before `.git/info/exclude`; in each, the deepest folder first. No rule of git leaves out a file that it tracks.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator

import attrs

from graphls.sources.git_index import TrackedFiles
from graphls.sources.ignore_patterns import MAX_PATTERNS, MOST_BYTES, IgnoreFile, parse_ignore_file
from graphls.sources.limits import SourceLimits
from graphls.sources.read import read_small, read_start

_MAY_BE_OWN = frozenset(("node_modules",))
IGNORE_NAMES = (".ignore", ".gitignore")
CUT = f"rules behind the first {MOST_BYTES:,} bytes or {MAX_PATTERNS:,} lines are not applied"


@attrs.frozen
class IgnoreLevel:
    """One ignore file, and how a path from the walked root becomes a path from its folder."""

    file: IgnoreFile
    strip: int
    prepend: str
    source: str = ""
    """The absolute path of the file; empty for what settings say."""


@attrs.frozen
class IgnoreRules:
    """What applies inside one folder, deepest level first."""

    user: tuple[IgnoreLevel, ...] = ()
    plain: tuple[IgnoreLevel, ...] = ()
    git: tuple[IgnoreLevel, ...] = ()
    exclude: tuple[IgnoreLevel, ...] = ()
    tracked: TrackedFiles | None = None
    only_tracked: bool = False
    """Inside a folder that is left out by name, but for what git tracks in it."""

    def leaves_out_by_name(self, path: str, name: str, limits: SourceLimits) -> bool:
        """Whether the name of a folder leaves it out. Packages that others installed are not in git; a repository whose
        own packages lie in such a folder has them there."""
        return name in limits.excluded_folders and not (name in _MAY_BE_OWN and self._has_tracked(path))

    def below(self, name: str, limits: SourceLimits) -> IgnoreRules:
        """The rules in a folder of this name that is not left out."""
        return attrs.evolve(self, only_tracked=True) if name in limits.excluded_folders else self

    def _has_tracked(self, path: str) -> bool:
        return self.tracked is not None and self.tracked.has_below(path)

    def ignores(self, path: str, name: str, is_folder: bool) -> bool:
        """`path` is posix, from the walked root. Assumes that no folder above it is ignored."""
        if self.only_tracked and not (self._has_tracked(path) if is_folder else self._is_tracked(path, is_folder)):
            return True
        if not (self.git or self.user or self.plain or self.exclude):
            return False
        sources = ((self.user, False), (self.plain, False), (self.git, True), (self.exclude, True))
        for levels, of_git in sources:
            for level in levels:
                verdict = level.file.verdict(level.prepend + path[level.strip :], name, is_folder)
                if verdict is not None:
                    return verdict and not (of_git and self._is_tracked(path, is_folder))
        return False

    def _is_tracked(self, path: str, is_folder: bool) -> bool:
        return not is_folder and self.tracked is not None and self.tracked.has(path)

    def cut(self) -> Iterator[str]:
        """Absolute paths of files that say more than is read; empty for settings."""
        for levels in (self.user, self.plain, self.git, self.exclude):
            yield from (level.source for level in levels if level.file.cut)

    def entering(self, absolute: str, folder: str, names: Collection[str]) -> IgnoreRules:
        """The rules inside `folder` (posix from the root, empty for the root), whose entries are `names`."""
        if ".ignore" not in names and ".gitignore" not in names and ".git" not in names:
            return self
        strip = len(folder) + 1 if folder else 0
        return self.with_files(absolute, names, strip, "")

    def with_files(self, absolute: str, names: Collection[str], strip: int, prepend: str) -> IgnoreRules:
        plain, git, exclude, tracked = self.plain, self.git, self.exclude, self.tracked
        if ".git" in names:  # Git rules of an outer repository end at an inner one
            git = ()
            tracked = TrackedFiles(os.path.join(git_folder(absolute), "index"), strip, prepend)
            exclude = _level(os.path.join(git_common_folder(absolute), "info", "exclude"), strip, prepend)
        if ".gitignore" in names:
            git = (*_level(os.path.join(absolute, ".gitignore"), strip, prepend), *git)
        if ".ignore" in names:
            plain = (*_level(os.path.join(absolute, ".ignore"), strip, prepend), *plain)
        return IgnoreRules(self.user, plain, git, exclude, tracked, self.only_tracked)


NO_RULES = IgnoreRules()


def rules_for_root(root: str, limits: SourceLimits, name: str = "") -> IgnoreRules:
    """`name`: of the open folder."""
    rules = rules_above(root) if limits.respect_ignores else NO_RULES
    if not limits.exclude:
        return rules
    named = [glob.replace("//", "/", 1) for glob in limits.exclude if _is_named(glob)]
    every = [glob for glob in limits.exclude if not _is_named(glob)]
    levels = ((named, f"{name}/"), (every, ""))
    return attrs.evolve(rules, user=tuple(_level_of(globs, prepend) for globs, prepend in levels if globs))


def _is_named(glob: str) -> bool:
    """Whether a glob says in which of several open folders it counts."""
    return glob.startswith(("//", "!//"))


def _level_of(globs: Iterable[str], prepend: str) -> IgnoreLevel:
    return IgnoreLevel(parse_ignore_file("\n".join(globs).encode("utf-8", "surrogateescape")), 0, prepend)


def rules_above(root: str) -> IgnoreRules:
    """The rules that a root inherits from the repository it lies in; none when it lies in no repository."""
    above = _folders_up_to_repository(root)
    rules = NO_RULES
    for folder in above:
        prepend = os.path.relpath(root, folder).replace(os.sep, "/") + "/"
        names = [name for name in (*IGNORE_NAMES, ".git") if os.path.lexists(os.path.join(folder, name))]
        rules = rules.with_files(folder, names, 0, prepend)
    return rules


def git_common_folder(folder: str) -> str:
    """Where the repository of `folder` keeps what its worktrees share; `<folder>/.git` unless that is a file."""
    own = git_folder(folder)
    common = read_small(os.path.join(own, "commondir"), 4_096)
    return os.path.join(own, os.fsdecode(common.strip())) if common else own


def git_folder(folder: str) -> str:
    dot_git = os.path.join(folder, ".git")
    pointer = read_small(dot_git, 4_096) if os.path.isfile(dot_git) else None
    if pointer and pointer.startswith(b"gitdir:"):
        return os.path.join(folder, os.fsdecode(pointer.removeprefix(b"gitdir:").strip()))
    return dot_git


def _folders_up_to_repository(root: str) -> list[str]:
    """Outermost first, without the root itself."""
    if os.path.lexists(os.path.join(root, ".git")):
        return []
    above: list[str] = []
    here = root
    while (parent := os.path.dirname(here)) != here:
        above.append(parent)
        if os.path.lexists(os.path.join(parent, ".git")):
            return above[::-1]
        here = parent
    return []


def _level(absolute: str, strip: int, prepend: str) -> tuple[IgnoreLevel, ...]:
    data = read_start(absolute, MOST_BYTES + 1)
    return (IgnoreLevel(parse_ignore_file(data), strip, prepend, absolute),) if data else ()
