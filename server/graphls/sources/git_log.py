"""Git log: the last commits of a repository, with the lines that each changed in each file.

Owns: the command, its output as values, renames on the way.
Must not know: the graph, what is made of the numbers.
Invariant: numbers are those of `git log --no-merges --numstat -M`; binary files and submodules are left out; paths are
    relative to the folder that was asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from graphls.sources.git_program import GitRefused, Repository, checked_reference

COMMITS = 500
_MARK = b"\x01commit "
_SUBJECT = re.compile(rb"(?:\A|\0)\x01commit ")
_FORMAT = "format:%x01commit %H%x00%ct%x00%aN%x00%aE%x00%s"
# What a configuration may set, and what would make other numbers or start a program.
CONTENTS = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all")
QUIET = ("--no-merges", "--no-show-signature", "--no-notes", *CONTENTS)
PLAIN = (*QUIET, "--diff-algorithm=default", "-M50%", "-l1000")


@attrs.frozen
class LoggedFile:
    """One file of one commit. `old_path`: what it was called before, where this commit renamed it."""

    path: str
    old_path: str
    added: int
    deleted: int


@attrs.frozen
class LoggedCommit:
    """One commit that is no merge. `time`: of the commit, in seconds; names are those of the mailmap, addresses in
    lower case. `touched`: files that it lists, those without lines of text among them."""

    id: str
    time: int
    name: str
    email: str
    subject: str
    touched: int
    files: tuple[LoggedFile, ...]


@attrs.frozen
class CommitPaths:
    """What one commit said and the files that it changed, by the names that they had then."""

    subject: str
    paths: tuple[str, ...]
    id: str = ""


@attrs.frozen
class GitHistory:
    """The last commits, newest first."""

    head: str
    commits: tuple[LoggedCommit, ...]
    asked: int
    """How many were asked for at most."""
    shallow: bool = False
    """Earlier commits are not in this clone: the oldest one seems to add everything."""


def head_of(repository: Repository, name: str = "") -> str:
    """The id of a commit, of what is checked out without a name. Raises GitRefused where there is none."""
    wanted = f"{checked_reference(name) if name else 'HEAD'}^{{commit}}"
    try:
        return repository.ask(("rev-parse", "--verify", "--quiet", wanted)).decode("ascii").strip()
    except GitRefused:
        missing = f"There is no commit {name!r} in this repository." if name else "Nothing was committed here yet."
        raise GitRefused(missing) from None


def merge_base(repository: Repository, name: str) -> str:
    """The newest commit that what is checked out and another commit have in common. Raises GitRefused."""
    head, other = head_of(repository), head_of(repository, name)
    try:
        return repository.ask(("merge-base", head, other)).decode("ascii").split()[0]
    except (GitRefused, IndexError):
        raise GitRefused(
            f"What is checked out and {name!r} have no commit in common here. In a shallow clone, fetch the whole "
            "history (fetch-depth: 0)."
        ) from None


def is_shallow(repository: Repository) -> bool:
    """Whether earlier commits are not in this clone."""
    return repository.ask(("rev-parse", "--is-shallow-repository")).strip() == b"true"


def raw_log(repository: Repository, head: str, commits: int = COMMITS) -> bytes:
    """What git prints of the last commits that touched the folder. Raises GitRefused."""
    arguments = ("log", "-z", f"--max-count={commits}", "--numstat", f"--format={_FORMAT}", "--relative", *PLAIN)
    below = repository.ask(("rev-parse", "--show-prefix")).strip()
    try:
        return repository.ask((*arguments, head, "--", *((".",) if below else ())))
    except GitRefused as refused:
        if "unable to read" in str(refused) or "could not fetch" in str(refused):
            raise GitRefused(
                "Contents that the last commits changed are not in this clone, and nothing is fetched. Clone without "
                "--filter, or ask about fewer commits (--commits)."
            ) from None
        raise


def commit_paths(repository: Repository, head: str, commits: int) -> tuple[CommitPaths, ...]:
    """The last commits, newest first, without reading contents: twenty times as quick as numbers of lines. Raises
    GitRefused."""
    form = ("--name-only", "--no-renames", "--format=format:%x01commit %H %s", "--relative")
    raw = repository.ask(("log", "-z", f"--max-count={commits}", *form, *QUIET, head))
    return tuple(map(_commit_paths, _SUBJECT.split(raw)[1:]))


def _commit_paths(entry: bytes) -> CommitPaths:
    head, _, paths = entry.partition(b"\n")
    ident, _, subject = head.partition(b" ")
    return CommitPaths(_word(subject), tuple(map(_word, filter(None, paths.split(b"\0")))), ident.decode("ascii"))


def parsed_log(raw: bytes) -> tuple[LoggedCommit, ...]:
    """The commits in what git printed, newest first."""
    return tuple(_commits(raw.split(b"\0")))


def _commits(words: list[bytes]) -> Iterator[LoggedCommit]:
    at = 0
    while at < len(words):
        head = words[at]
        if not head.startswith(_MARK):
            at += 1
            continue
        name, email = _word(words[at + 2]), _word(words[at + 3]).lower()
        # The subject ends with the line end in front of the first file.
        subject, _, first = words[at + 4].partition(b"\n")
        rest = [first] if first else []
        time, at = int(words[at + 1]), at + 5
        while at < len(words) and not words[at].startswith(_MARK):
            rest.append(words[at])
            at += 1
        files = tuple(_files(rest))
        plain = tuple(file for file in files if file.added >= 0)
        ident = head.removeprefix(_MARK).decode("ascii")
        yield LoggedCommit(ident, time, name, email, _word(subject), len(files), plain)


def _files(words: list[bytes]) -> Iterator[LoggedFile]:
    """`added deleted path`, or for renames an empty path and two words more."""
    following = iter(words)
    for word in following:
        parts = word.split(b"\t", 2)
        if len(parts) != 3:
            continue
        added, deleted, path = parts
        old = b""
        if not path:
            old, path = next(following, b""), next(following, b"")
        binary = added == b"-"
        yield LoggedFile(_word(path), _word(old), -1 if binary else int(added), 0 if binary else int(deleted))


def _word(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
