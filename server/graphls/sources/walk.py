"""Walk: which files the workspace has.

Owns: listing folders, leaving out the ignored and the excluded, naming what cannot be indexed.
Must not know: languages, file contents (apart from ignore files).
Invariant: sorted by path and independent of the order in which the disk lists; no link is followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Mapping
from operator import attrgetter

import attrs

from graphls.facts.paths import FilePath
from graphls.sources.ignore_rules import CUT, IgnoreRules, rules_for_root
from graphls.sources.limits import SourceLimits
from graphls.sources.source_files import FoundFile, SkippedSource
from graphls.sources.workspace import Folder, Workspace

_NAME = attrgetter("name")
_ODD_KINDS = (
    (stat.S_ISFIFO, "is a FIFO"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


@attrs.frozen
class Walk:
    files: tuple[FoundFile, ...]
    skipped: tuple[SkippedSource, ...]
    ignored: int = 0
    """Files and whole folders left out by ignore files."""
    excluded: int = 0
    """Folders left out by name, and virtual environments."""
    links: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """Symbolic links to files and folders of the workspace, and where they lead."""
    cut_rules: Mapping[FilePath, str] = attrs.field(factory=dict[FilePath, str])
    """Ignore files of which some rules are not applied, and why; `.` for what settings say."""
    truncated: bool = False
    """The workspace has more files than the limit; the rest is missing."""


@attrs.frozen
class ManyFilesListener:
    """Who wants to hear, in the midst of a walk, that there are at least `count` files."""

    count: int
    tell: Callable[[], None]


Entering = Callable[[str, str], None]
"""Called with each folder before it is listed, and with what stands before the paths of its files."""


def walk(
    workspace: Workspace,
    limits: SourceLimits,
    many: ManyFilesListener | None = None,
    wanted: Callable[[str], bool] = lambda name: True,
    entering: Entering = lambda folder, base: None,
) -> Walk:
    """`wanted`: by their names, which files are of any use; at others nobody looks further."""
    state = _State(limits, many, wanted, entering)
    for folder in workspace.folders:
        _FolderWalk(workspace, folder, state).run()
    return Walk(
        tuple(sorted(state.files, key=attrgetter("path"))),
        tuple(sorted(state.skipped, key=lambda skipped: skipped.path)),
        state.ignored,
        state.excluded,
        state.links,
        state.cut_rules,
        state.full,
    )


class _State:
    """What a walk has gathered so far."""

    def __init__(
        self, limits: SourceLimits, many: ManyFilesListener | None, wanted: Callable[[str], bool], entering: Entering
    ) -> None:
        self.limits = limits
        self.entering = entering
        self.many = many
        self.wanted = wanted
        self.files: list[FoundFile] = []
        self.skipped: list[SkippedSource] = []
        self.links: dict[str, str] = {}
        self.cut_rules: dict[FilePath, str] = {}
        self.ignored = 0
        self.excluded = 0
        self.full = False

    def add(self, file: FoundFile) -> None:
        self.full = len(self.files) >= self.limits.max_files
        if not self.full:
            self.files.append(file)
            if self.many is not None and len(self.files) == self.many.count:
                self.many.tell()


@attrs.frozen
class _Pending:
    absolute: str
    relative: str
    rules: IgnoreRules


class _FolderWalk:
    def __init__(self, workspace: Workspace, folder: Folder, state: _State) -> None:
        self._workspace = workspace
        self._folder = folder
        self._state = state
        self._elsewhere = workspace.nested_roots(folder)
        self._prefix = "" if len(workspace.folders) == 1 else folder.name + "/"
        self._limits = state.limits.of_folder(folder.name)
        self._rules_apply = self._limits.respect_ignores

    def run(self) -> None:
        root = self._folder.root
        rules = rules_for_root(root, self._limits, self._folder.name)
        self._note_cut(rules)
        pending = [_Pending(root, "", rules)]
        while pending and not self._state.full:
            pending.extend(reversed(self._listed(pending.pop())))

    def _listed(self, here: _Pending) -> list[_Pending]:
        """Takes in one folder; the folders below it that are still to be walked."""
        base = here.relative + "/" if here.relative else ""
        self._state.entering(here.absolute, self._prefix + base)
        try:
            with os.scandir(here.absolute) as listing:
                entries = sorted(listing, key=_NAME)
        except OSError as error:
            self._skip(here.relative or ".", f"folder cannot be read: {error.strerror or error}", whole_folder=True)
            return []
        names = set(map(_NAME, entries))
        if here.relative and "pyvenv.cfg" in names:
            self._state.excluded += 1
            return []
        rules = here.rules.entering(here.absolute, here.relative, names) if self._rules_apply else here.rules
        if rules is not here.rules:
            self._note_cut(rules)
        below: list[_Pending] = []
        for entry in entries:
            if self._state.full:
                break
            folder = self._entry(entry, base + entry.name, rules)
            if folder is not None:
                below.append(folder)
        return below

    def _note_cut(self, rules: IgnoreRules) -> None:
        """Says which ignore files have more rules than are read: what they would leave out is in the workspace."""
        for source in rules.cut():
            named = self._prefix + os.path.relpath(source, self._folder.root).replace(os.sep, "/") if source else "."
            reason = CUT if source else f"files.exclude: {CUT}"
            printable = os.fsencode(named).decode("utf-8", "backslashreplace")
            self._state.cut_rules[FilePath(printable)] = reason

    def _entry(self, entry: os.DirEntry[str], relative: str, rules: IgnoreRules) -> _Pending | None:
        name = entry.name
        if not _utf8(name):
            printable = os.fsencode(relative).decode("utf-8", "backslashreplace")
            self._skip(printable, "the name is not valid UTF-8")
            return None
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and rules.leaves_out_by_name(relative, name, self._state.limits):
                self._state.excluded += 1
            elif rules.ignores(relative, name, is_folder):
                self._state.ignored += 1
            elif is_link(entry):
                self._link(entry, relative)
            elif is_folder:
                inside = rules.below(name, self._state.limits)
                return None if entry.path in self._elsewhere else _Pending(entry.path, relative, inside)
            elif self._state.wanted(name):
                self._file(entry, relative)
        except OSError as error:
            self._skip(relative, f"cannot be read: {error.strerror or error}")
        return None

    def _file(self, entry: os.DirEntry[str], relative: str) -> None:
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            path = FilePath(self._prefix + relative)
            self._state.add(FoundFile(path, status.st_size, status.st_mtime_ns, status.st_ino))
            return
        odd = next((reason for test, reason in _ODD_KINDS if test(status.st_mode)), "is not a regular file")
        self._skip(relative, odd)

    def _link(self, entry: os.DirEntry[str], relative: str) -> None:
        """A link is never followed: what it leads to inside the workspace is found under its real path."""
        reason = self._link_problem(entry)
        if reason is not None:
            self._skip(relative, reason)
            return
        target = self._workspace.relative(entry.path)
        if target:
            self._state.links[self._prefix + relative] = target

    def _link_problem(self, entry: os.DirEntry[str]) -> str | None:
        try:
            os.stat(entry.path)
        except OSError as error:
            loop = error.errno == errno.ELOOP
            return "is a symbolic link in a loop" if loop else "is a broken symbolic link"
        if self._workspace.relative(entry.path) is None:
            return "is a symbolic link that leads outside the workspace"
        target = os.path.realpath(entry.path)
        if entry.path.startswith(target.rstrip(os.sep) + os.sep):
            return "is a symbolic link to a folder that contains it"
        return None

    def _skip(self, relative: str, reason: str, *, whole_folder: bool = False) -> None:
        self._state.skipped.append(SkippedSource(FilePath(self._prefix + relative), reason, whole_folder))


def is_link(entry: os.DirEntry[str]) -> bool:
    """A symbolic link, or on Windows any other entry that redirects (a junction)."""
    if entry.is_symlink():
        return True
    if os.name != "nt":
        return False
    attributes = int(getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0))
    return bool(attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT)


def _utf8(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
