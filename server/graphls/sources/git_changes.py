"""Git changes: which files differ between a commit, the index and the disk, and their earlier contents.

Owns: the lists that git gives, contents by object id.
Must not know: lines, symbols, what is in an editor.
Invariant: paths are relative to the folder that was asked about; links and submodules are no files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from typing import Literal

import attrs

from graphls.sources.git_program import GitRefused, Repository, checked_reference

Compared = Literal["unstaged", "staged", "all", "compare"]
Status = Literal["added", "modified", "deleted", "renamed"]
_STATUS: Mapping[str, Status] = {"A": "added", "M": "modified", "T": "modified", "D": "deleted", "R": "renamed",
                                 "C": "added", "U": "modified"}  # fmt: skip
_REGULAR = ("100644", "100755", "100664")
_QUIET = ("--raw", "-z", "--abbrev=64", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--relative")
_NOTHING = "0" * 7


@attrs.frozen
class ChangedPath:
    """One file that differs. Ids are those of git's objects, "" for what is on disk only or nowhere."""

    path: str
    status: Status
    old_path: str
    before: str
    after: str


def changed_paths(repository: Repository, compared: Compared, base: str = "") -> tuple[ChangedPath, ...]:
    """Files that differ, sorted by path. Files that git does not track are added, unless only the index counts."""
    match compared:
        case "unstaged":
            raw = repository.ask(("diff-files", "--no-renames", *_QUIET))
        case "staged":
            raw = repository.ask(("diff-index", "--cached", "-M", *_QUIET, commit_of(repository, "HEAD")))
        case "all":
            raw = repository.ask(("diff-index", "-M", *_QUIET, commit_of(repository, "HEAD")))
        case "compare":
            raw = repository.ask(("diff-index", "-M", *_QUIET, commit_of(repository, base)))
    found = {change.path: change for change in _really(repository, tuple(_parsed(raw)))}
    if compared != "staged":
        for path in _names(repository.ask(("ls-files", "-z", "--others", "--exclude-standard"))):
            found.setdefault(path, ChangedPath(path, "added", "", "", ""))
    return tuple(found[path] for path in sorted(found))


def paths_between(repository: Repository, base: str, reference: str) -> tuple[ChangedPath, ...]:
    """Files that differ between two commits, sorted by path."""
    commits = (commit_of(repository, base), commit_of(repository, reference))
    found = _parsed(repository.ask(("diff-tree", "-r", "-M", *_QUIET, *commits)))
    return tuple(sorted(found, key=lambda change: change.path))


def _really(repository: Repository, listed: tuple[ChangedPath, ...]) -> Iterator[ChangedPath]:
    """Without files of which only a time stamp or a mode differs: git lists what it has not read again itself."""
    doubtful = [change.path for change in listed if change.status == "modified" and change.before and not change.after]
    named = [path for path in doubtful if "\n" not in path and _is_file(os.path.join(repository.root, path))]
    idents: dict[str, str] = {}
    if named:
        try:
            given = "".join(f"{path}\n" for path in named).encode("utf-8", "surrogateescape")
            hashed = repository.ask(("hash-object", "--stdin-paths"), given).decode("ascii", "replace").split()
            idents = dict(zip(named, hashed, strict=True))
        except (GitRefused, ValueError):  # one of them has gone meanwhile
            idents = {}
    return (change for change in listed if idents.get(change.path, "") != change.before or not change.before)


def _is_file(absolute: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(absolute).st_mode)
    except (OSError, ValueError):
        return False


@attrs.frozen
class CommitTree:
    """What a commit holds below a folder."""

    files: Mapping[str, str]
    """Regular files, with the ids of their contents."""
    submodules: tuple[str, ...]
    """Folders whose contents another repository has."""


def tree_of(repository: Repository, reference: str) -> CommitTree:
    """What a commit holds below the folder."""
    raw = repository.ask(("ls-tree", "-r", "-z", commit_of(repository, reference)))
    found: dict[str, str] = {}
    submodules: list[str] = []
    for entry in _names(raw):
        head, _, path = entry.partition("\t")
        mode, kind, ident = (*head.split(" "), "", "", "")[:3]
        if kind == "blob" and mode in _REGULAR and _is_plain(path):
            found[path] = ident
        elif kind == "commit" and _is_plain(path):
            submodules.append(path)
    return CommitTree(found, tuple(submodules))


def contents_of(repository: Repository, idents: Collection[str], largest: int) -> Mapping[str, bytes]:
    """Contents by id, without those that are larger or not there."""
    wanted = sorted({ident for ident in idents if ident})
    if not wanted:
        return {}
    listed = repository.ask(("cat-file", "--batch-check"), "".join(f"{ident}\n" for ident in wanted).encode())
    sized = (line.split() for line in listed.decode("ascii", "replace").splitlines())
    small = [words[0] for words in sized if len(words) == 3 and words[1] == "blob" and int(words[2]) <= largest]
    if not small:
        return {}
    return dict(_blobs(repository.ask(("cat-file", "--batch"), "".join(f"{ident}\n" for ident in small).encode())))


def _blobs(raw: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(raw):
        end = raw.index(b"\n", at)
        ident, _, size = raw[at:end].decode("ascii").split(" ")
        yield ident, raw[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


def commit_of(repository: Repository, reference: str) -> str:
    """The id of a commit; of the empty tree where nothing was committed yet."""
    if not reference:
        raise GitRefused("Say what to compare with: a branch, a tag or a commit.")
    name = f"{checked_reference(reference)}^{{commit}}"
    try:
        return repository.ask(("rev-parse", "--verify", "--quiet", name)).decode().strip()
    except GitRefused:
        if reference != "HEAD":
            raise GitRefused(f"There is no commit {reference!r} in this repository.") from None
    return repository.ask(("hash-object", "-t", "tree", "--stdin")).decode().strip()


def _parsed(raw: bytes) -> Iterator[ChangedPath]:
    """`:mode mode id id status`, path, and for renames a second path; all ended by NUL."""
    words = iter(_names(raw))
    for head in words:
        modes = head.removeprefix(":").split(" ")
        letter = modes[4][:1]
        path, old = next(words), ""
        if letter in "RC":
            old, path = path, next(words)
        regular = any(mode in _REGULAR for mode in modes[:2])
        if regular and _is_plain(path):
            before, after = ("" if ident.startswith(_NOTHING) else ident for ident in modes[2:4])
            yield ChangedPath(path, _STATUS.get(letter, "modified"), old if letter == "R" else "", before, after)


def _names(raw: bytes) -> list[str]:
    return [name.decode("utf-8", "surrogateescape") for name in raw.split(b"\0") if name]


def _is_plain(path: str) -> bool:
    """Whether a path stays below the folder and can be written down."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))
