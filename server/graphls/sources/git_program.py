"""Git program: questions to `git` about one repository, harmless whatever the repository says.

Owns: how git is started, which versions, what of its configuration is switched off, time limits, refusals in words.
Must not know: what the answers mean.
Invariant: fixed argument lists and no shell; nothing that a repository names is started, nothing is fetched or written.
    Every version that is asked honours what is switched off; others are refused.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence

import attrs

from graphls.sources.programs import ELSEWHERE, child_environment, find_program

TIME_LIMIT = 60.0
_OWN = "GIT_"
_OLDEST = (2, 15)
"""The first that can be kept from writing (GIT_OPTIONAL_LOCKS)."""
_TAKES_ANY_NAME = (2, 31)
"""The first that takes settings from the environment (GIT_CONFIG_COUNT). Older ones do not say that they do not."""
_VERSION = re.compile(r"git version (\d+)\.(\d+)")
# An empty value is no program for old versions, and off for those that know "false" too.
_SETTINGS = ("core.fsmonitor=", "core.hooksPath=/dev/null", "core.untrackedCache=false", "protocol.allow=never",
             "core.quotePath=false")  # fmt: skip
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
class SilencedPrograms:
    """What switches off the programs that a configuration names."""

    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = attrs.field(factory=dict[str, str])


_NOTHING = SilencedPrograms()


@attrs.frozen
class Repository:
    """A folder inside a repository, and how git is to be asked about it."""

    root: str
    program: str
    silenced: SilencedPrograms

    def ask(self, arguments: Sequence[str], given: bytes = b"") -> bytes:
        """What git prints. Raises GitRefused."""
        return _run(self.program, self.root, arguments, given, self.silenced)


def repository(root: str) -> Repository:
    """The repository that a folder is in. Raises GitRefused."""
    program = find_program("git", (root,))
    if program is None:
        raise GitRefused("The git program is not on the PATH. Install git, or ask without version control.")
    version = _version(program, root)
    try:
        listed = _run(program, root, ("config", "--list", "--name-only", "-z", "--includes"), b"", _NOTHING)
        _run(program, root, ("rev-parse", "--git-dir"), b"", _NOTHING)
    except GitRefused as refused:
        raise GitRefused(f"This folder is in no git repository that git would read. {refused}") from None
    names = [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0")]
    silenced = _silenced((name for name in names if _PROGRAMS.fullmatch(name)), version)
    return Repository(root, program, silenced)


def checked_reference(text: str) -> str:
    """A branch, tag or commit as git may be given it. Raises GitRefused."""
    if not _REFERENCE.fullmatch(text) or ".." in text:
        raise GitRefused(f"{text[:100]!r} is no name of a commit. Give a branch, a tag or a commit, for example main.")
    return text


def _version(program: str, root: str) -> tuple[int, int]:
    """Which git this is. Raises GitRefused for one that is too old, or says nothing that can be read."""
    output = _run(program, root, ("--version",), b"", _NOTHING).decode("utf-8", "replace").strip()
    found = _VERSION.match(output)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST:
        needed = ".".join(map(str, _OLDEST))
        raise GitRefused(f"{program} says {output[:80]!r}; git {needed} or newer is needed.")
    return int(found[1]), int(found[2])


def _silenced(names: Iterable[str], version: tuple[int, int]) -> SilencedPrograms:
    """As options, which every version honours; names that an option cannot hold through the environment."""
    values = {name: "false" if name.lower().endswith(".required") else "" for name in sorted(set(names))}
    options = [word for name, value in values.items() if "=" not in name for word in ("-c", f"{name}={value}")]
    odd = [name for name in values if "=" in name]
    if odd and version < _TAKES_ANY_NAME:
        needed = ".".join(map(str, _TAKES_ANY_NAME))
        raise GitRefused(
            f"The configuration of this repository names programs that git {'.'.join(map(str, version))} cannot be "
            f"kept from starting ({odd[0][:80]!r}). Install git {needed} or newer, or ask without version control."
        )
    made = {"GIT_CONFIG_COUNT": str(len(odd))}
    for number, name in enumerate(odd):
        made[f"GIT_CONFIG_KEY_{number}"] = name
        made[f"GIT_CONFIG_VALUE_{number}"] = values[name]
    return SilencedPrograms(tuple(options), made)


def _run(program: str, root: str, arguments: Sequence[str], given: bytes, silenced: SilencedPrograms) -> bytes:
    switched = [word for setting in _SETTINGS for word in ("-c", setting)] + [*silenced.options]
    outside = child_environment({}, outside=(root,))
    environment = {name: text for name, text in outside.items() if not name.startswith(_OWN)}
    try:
        done = subprocess.run(
            [program, "-C", root, "--no-pager", "--literal-pathspecs", *switched, *arguments],
            cwd=ELSEWHERE,
            input=given,
            capture_output=True,
            env={**environment, **_ENVIRONMENT, **silenced.environment},
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GitRefused(f"git {arguments[0]} took longer than {TIME_LIMIT:.0f} seconds.") from None
    except OSError as error:
        raise GitRefused(f"git cannot be started: {error.strerror or error}.") from None
    if done.returncode:
        raise GitRefused(f"git {arguments[0]} refused: {_reason(done.stderr)}.")
    return done.stdout


def _reason(said: bytes) -> str:
    """What git gives as the reason, and what it says to do about it where that stands behind it."""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    if not lines:
        return "no reason given"
    fatal = next((line for line in reversed(lines) if line.startswith("fatal:")), lines[-1])
    advice = lines[-1].strip() if fatal is not lines[-1] else ""
    return fatal[:200] + (f" ({advice[:200]})" if advice else "")
