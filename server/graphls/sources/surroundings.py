"""Surroundings: what a graph rests on besides the files of the workspace, and how one learns that it changed.

Owns: the folders in which environments, installed packages, ignore rules and settings may come, change and go; which
    names in them matter.
Must not know: what is installed, what settings say, who watches.
Invariant: whatever `find_environment`, `LibraryFiles`, `IgnoreRules` and `read_settings` read has its folder here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from graphls.facts.paths import FilePath
from graphls.sources.environment import environment_folders
from graphls.sources.ignore_rules import IGNORE_NAMES, git_common_folder, git_folder
from graphls.sources.settings_files import OWN_NAME, SHARED_NAME
from graphls.sources.typescript_home import install_marks
from graphls.sources.workspace import Workspace

_MARKS = frozenset(os.path.basename(mark) for mark in install_marks("."))
_ENVIRONMENTS = (".venv", "venv", "node_modules")
_EXCLUDE = ".git/info/exclude"
_RECORD = "RECORD"
_METADATA = ".dist-info"
_PACKAGES = ("site-packages", "dist-packages")
CODE = (".py", ".pyi")
_TELLING = frozenset({"pyvenv.cfg", ".git", *_ENVIRONMENTS, *_MARKS, *IGNORE_NAMES})

_FILES = ("pyvenv.cfg", OWN_NAME, _EXCLUDE, f"*{_METADATA}/{_RECORD}", ".pnp.cjs")
GLOBS = (
    *(f"**/{name}" for name in _FILES),
    *(f"**/node_modules/{mark}" for mark in sorted(_MARKS - {".pnp.cjs"})),
    *(f"**/{name}" for name in _ENVIRONMENTS),
)
"""What a client is to watch for it. A folder that is deleted as a whole is often told of by its own name alone."""


def is_telling(name: str) -> bool:
    """Whether something of this name may bear on the surroundings, whatever else it is."""
    return name in _TELLING or name in (OWN_NAME, SHARED_NAME)


def surrounds(parts: Sequence[str]) -> bool:
    """The same by all names on the way to it."""
    if parts[-1].endswith(CODE) or parts[-1] == _RECORD:
        return any(part in _PACKAGES for part in parts)
    return is_telling(parts[-1]) or list(parts[-3:]) == _EXCLUDE.split("/")


def bears_on(workspace: Workspace, path: FilePath) -> bool:
    """Whether a path of the workspace is one by which the surroundings may have changed."""
    above, _, name = path.rpartition("/")
    if name in (OWN_NAME, SHARED_NAME):
        return len(workspace.located(path)[1]) == 1
    if name in _TELLING or path == _EXCLUDE or path.endswith(f"/{_EXCLUDE}"):
        return True
    if name.endswith((*CODE, _METADATA)) or name == _RECORD:
        return any(part in _PACKAGES for part in above.split("/"))
    return name in _PACKAGES


def folders(
    workspace: Workspace, setting: str, variables: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """Folders that exist and are to be followed, each with what matters in it: `ignores`, `git`, `packages`, `record`
    or `modules`. `setting`: the environment that settings name."""
    for folder in workspace.folders:
        yield from _repository(folder.root)
        yield os.path.join(folder.root, "node_modules"), "modules"
    for folder in workspace.folders[:1]:
        for packages in environment_folders(folder.root, setting, variables):
            yield packages, "packages"
            if os.path.basename(packages) in _PACKAGES:
                yield from ((os.path.join(packages, name), "record") for name in _metadata(packages))


def matters(kind: str, name: str, *, is_folder: bool) -> bool:
    """Whether a change of this entry in a folder of `folders` may have changed the surroundings."""
    if kind == "git":
        return name in ("info", "commondir", "exclude")
    if kind == "ignores":
        return name in _TELLING
    if kind == "record":
        return name == _RECORD or not name
    if kind == "modules":
        return name in _MARKS or not name
    return is_folder or name.endswith(CODE) or name == "pyvenv.cfg"


def _repository(root: str) -> Iterator[tuple[str, str]]:
    """Ignore rules outside of what is walked."""
    here = root
    while not os.path.lexists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return
        here = parent
        yield here, "ignores"
    yield git_folder(here), "git"
    common = git_common_folder(here)
    yield common, "git"
    yield os.path.join(common, "info"), "git"


def _metadata(packages: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(packages))
    except OSError:
        return
    yield from (name for name in names if name.endswith(_METADATA))
