"""Git program: questions to `git` about one repository, harmless whatever the repository says.

Owns: how git is started, what of its configuration is switched off, time limits, refusals in words.
Must not know: what the answers mean.
Invariant: fixed argument lists and no shell; nothing that a repository names is started, nothing is fetched or written.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence

import attrs

from graphls.sources.programs import find_program, surroundings

TIME_LIMIT = 60.0
_OWN = "GIT_"
_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false", "protocol.allow=never")
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
# Settings of a repository that name programs: filters run while contents are compared.
_PROGRAMS = re.compile(
    r"(?is)(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv)|diff\.external)"
)
_REFERENCE = re.compile(r"[^\s\0-\x20\x7f:?*\[\\-][^\s\0-\x20\x7f:?*\[\\]{0,249}")


class GitRefused(Exception):
    """Git is not there, or cannot answer. The text is fit for users."""


@attrs.frozen
class Repository:
    """A folder inside a repository, and how git is to be asked about it."""

    root: str
    program: str
    silenced: Mapping[str, str]
    """Environment that switches off the programs which the repository's configuration names."""

    def ask(self, arguments: Sequence[str], given: bytes = b"") -> bytes:
        """What git prints. Raises GitRefused."""
        return _run(self.program, self.root, arguments, given, self.silenced)


def repository(root: str) -> Repository:
    """The repository that a folder is in. Raises GitRefused."""
    program = find_program("git", (root,))
    if program is None:
        raise GitRefused("The git program is not on the PATH. Install git, or ask without version control.")
    try:
        listed = _run(program, root, ("config", "--list", "--name-only", "-z", "--includes"), b"", {})
        _run(program, root, ("rev-parse", "--git-dir"), b"", {})
    except GitRefused as refused:
        raise GitRefused(f"This folder is in no git repository that git would read. {refused}") from None
    names = [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0")]
    return Repository(root, program, _silenced(name for name in names if _PROGRAMS.fullmatch(name)))


def checked_reference(text: str) -> str:
    """A branch, tag or commit as git may be given it. Raises GitRefused."""
    if not _REFERENCE.fullmatch(text) or ".." in text:
        raise GitRefused(f"{text[:100]!r} is no name of a commit. Give a branch, a tag or a commit, for example main.")
    return text


def _silenced(names: Iterable[str]) -> Mapping[str, str]:
    """Through the environment: names may hold characters that an option could not."""
    found = sorted(set(names))
    made = {"GIT_CONFIG_COUNT": str(len(found))}
    for number, name in enumerate(found):
        made[f"GIT_CONFIG_KEY_{number}"] = name
        made[f"GIT_CONFIG_VALUE_{number}"] = "false" if name.lower().endswith(".required") else ""
    return made


def _run(program: str, root: str, arguments: Sequence[str], given: bytes, more: Mapping[str, str]) -> bytes:
    switched = [word for setting in _SETTINGS for word in ("-c", setting)]
    environment = {name: text for name, text in surroundings({}).items() if not name.startswith(_OWN)}
    try:
        done = subprocess.run(
            [program, "--no-pager", "--literal-pathspecs", *switched, *arguments],
            cwd=root,
            input=given,
            capture_output=True,
            env={**environment, **_ENVIRONMENT, **more},
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GitRefused(f"git {arguments[0]} took longer than {TIME_LIMIT:.0f} seconds.") from None
    except OSError as error:
        raise GitRefused(f"git cannot be started: {error.strerror or error}.") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitRefused(f"git {arguments[0]} refused: {said[-1][:200] if said else 'no reason given'}.")
    return done.stdout
