"""Libraries: the files behind module names that the workspace does not have.

Owns: search paths (the standard library's stubs, installed packages), the choice of a file, reading it.
Must not know: languages, what the files say, how names are resolved.
Invariant: only regular files inside the search paths are read; nothing is run or imported.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from typing import Final, cast

import attrs

from graphls.facts.paths import FilePath
from graphls.settings.toml_text import toml_values
from graphls.sources.environment import Environment
from graphls.sources.installed import SitePackages, metadata_of
from graphls.sources.read import read_small, read_text

PREFIX: Final = "lib:"
"""Begins the paths of library files; no path of a workspace has it."""
STANDARD: Final = "stdlib"
OLDEST: Final = (3, 0)
NEWEST: Final = (3, 14)
"""The version of Python that counts where the workspace names none."""
_STUBS: Final = "typeshed_client"
"""The package whose stubs of the standard library come with graphls."""
_MAX_BYTES = 3_000_000
_ENDINGS = (".pyi", ".py")
_LOWEST: Final = re.compile(r"(?:>=|~=|==|\^)\s*(\d+)\.(\d+)")
_Version = tuple[int, int]


@attrs.frozen
class SearchPath:
    """A folder of modules. `name` is the first part of the paths of its files."""

    name: str
    folder: str


@attrs.frozen
class LibraryPaths:
    """Where modules outside the workspace are looked for, in order. A value that may travel."""

    standard: str
    """Folder of the standard library's stubs, or ""."""
    version: _Version
    sites: tuple[str, ...] = ()
    platform: str = sys.platform
    """The system that libraries are read for."""


def library_paths(environment: Environment | None, project: str = "") -> LibraryPaths:
    """The stubs that come with graphls, and the packages of an environment. The version is the environment's, else the
    first that the project in a folder says it works with."""
    version = environment.version if environment is not None else None
    sites = tuple(environment.site_packages) if environment is not None else ()
    return LibraryPaths(_shipped_stubs(), version or (required_version(project) if project else None) or NEWEST, sites)


def required_version(project: str) -> _Version | None:
    """The first version of Python that `pyproject.toml` allows; None where it does not say, or says an unknown one."""
    data = read_small(os.path.join(project, "pyproject.toml"))
    if data is None:
        return None
    try:
        document = toml_values(data.decode("utf-8", "replace"))
    except ValueError:
        return None
    for keys in (("project", "requires-python"), ("tool", "poetry", "dependencies", "python")):
        value: object = document
        for key in keys:
            value = cast("Mapping[str, object]", value).get(key) if isinstance(value, Mapping) else None
        found = _LOWEST.findall(value) if isinstance(value, str) else []
        versions = [(int(major), int(minor)) for major, minor in found]
        if versions:
            return max(versions) if OLDEST <= max(versions) <= NEWEST else None
    return None


class LibraryFiles:
    """Finds and reads. Folders are listed once; make a new one to see what changed since."""

    def __init__(self, paths: LibraryPaths, stamp: str = "") -> None:
        """`stamp`: where somebody has worked it out already."""
        sites = (SearchPath(f"site{number or ''}", folder) for number, folder in enumerate(paths.sites))
        self._sites = tuple(sites)
        self._standard = SearchPath(STANDARD, paths.standard)
        self._folders = {path.name: path.folder for path in (self._standard, *self._sites)}
        self._real = {name: os.path.realpath(folder) for name, folder in self._folders.items() if folder}
        self._listed: dict[str, Mapping[str, bool]] = {}
        self._versions = _versions(paths.standard)
        self._version, self._platform = paths.version, paths.platform
        self._installed = {site.name: SitePackages(site.folder, self._listing(site.folder)) for site in self._sites}
        self.stamp = stamp or (self._stamp() if paths.standard or paths.sites else "")
        """Digest of what is installed, by contents: equal stamps, equal answers, wherever the packages are."""

    def find(self, dotted: str) -> FilePath | None:
        """The file of an absolute module name: stubs before sources, the standard library first."""
        parts = dotted.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        if self._standard.folder and self._in_standard(parts):
            found = self._below(self._standard, parts)
            if found is not None:
                return found
        for site in self._sites:
            found = self._below(site, [f"{parts[0]}-stubs", *parts[1:]]) or self._below(site, parts)
            if found is not None:
                return found
        return None

    def name_of(self, file: FilePath) -> tuple[str, bool]:
        """The dotted name of a library file, and whether it stands for its folder."""
        _, _, rest = file.partition("/")
        stem = rest.rpartition(".")[0]
        package = stem.endswith("__init__")
        dotted = (stem.rpartition("/")[0] if package else stem).replace("/", ".")
        top, separator, below = dotted.partition(".")
        return top.removesuffix("-stubs") + separator + below, package

    def absolute(self, file: FilePath) -> str:
        """Where a library file lies on disk."""
        search, _, rest = file.removeprefix(PREFIX).partition("/")
        return os.path.join(self._folders[search], *rest.split("/"))

    def read(self, file: FilePath) -> bytes | None:
        """The bytes of a file that `find` named; None when it is gone, too large or leads elsewhere."""
        search = file.removeprefix(PREFIX).partition("/")[0]
        real, root = os.path.realpath(self.absolute(file)), self._real.get(search)
        if root is None or os.path.commonpath((real, root)) != root:
            return None
        return read_text(real, _MAX_BYTES)

    @property
    def distribution_count(self) -> int:
        """How many packages are installed."""
        return sum(len(site.distributions) for site in self._installed.values())

    def distribution_of(self, file: FilePath) -> tuple[str, str]:
        """Name and version of the installed package that a file most likely belongs to; ("", "") when unknown."""
        search, _, rest = file.removeprefix(PREFIX).partition("/")
        site = self._installed.get(search)
        return ("", "") if site is None else site.owner(rest.partition("/")[0].partition(".")[0].removesuffix("-stubs"))

    def _below(self, search: SearchPath, parts: Sequence[str]) -> FilePath | None:
        folder = search.folder
        for part in parts[:-1]:
            if not self._listing(folder).get(part):
                return None
            folder = os.path.join(folder, part)
        last, listing = parts[-1], self._listing(folder)
        if listing.get(last):
            inside = self._listing(os.path.join(folder, last))
            for ending in _ENDINGS:
                if inside.get(f"__init__{ending}") is False:
                    return FilePath(f"{PREFIX}{search.name}/{'/'.join(parts)}/__init__{ending}")
        for ending in _ENDINGS:
            if listing.get(f"{last}{ending}") is False:
                return FilePath(f"{PREFIX}{search.name}/{'/'.join(parts)}{ending}")
        return None

    def _listing(self, folder: str) -> Mapping[str, bool]:
        """Name -> whether it is a folder."""
        found = self._listed.get(folder)
        if found is None:
            found = self._listed[folder] = _list(folder)
        return found

    def _in_standard(self, parts: Sequence[str]) -> bool:
        """Whether the version has the module: the nearest name that the list of versions knows decides."""
        for count in range(len(parts), 0, -1):
            bounds = self._versions.get(".".join(parts[:count]))
            if bounds is not None:
                return bounds[0] <= self._version <= bounds[1]
        return False

    def _stamp(self) -> str:
        stubs = metadata_of(os.path.dirname(os.path.dirname(self._standard.folder)), _STUBS)
        key = f"{self._version} {self._platform} {stubs} {sorted(self._versions.items())}"
        digest = blake2b(key.encode(), digest_size=12)
        for site in self._installed.values():
            digest.update(site.digest)
        return digest.hexdigest()


def _shipped_stubs() -> str:
    try:
        spec = find_spec(_STUBS)
    except (ImportError, ValueError):
        return ""
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        stubs = os.path.join(folder, "typeshed")
        if os.path.isdir(stubs):
            return stubs
    return ""


def _versions(folder: str) -> Mapping[str, tuple[_Version, _Version]]:
    """Module -> first and last version that has it, from the file VERSIONS."""
    text = (read_small(os.path.join(folder, "VERSIONS")) if folder else None) or b""
    found: dict[str, tuple[_Version, _Version]] = {}
    for line in text.decode("utf-8", "replace").splitlines():
        module, separator, bounds = line.partition("#")[0].partition(":")
        first, _, last = bounds.strip().partition("-")
        if separator:
            found[module.strip()] = (_version(first) or (0, 0), _version(last) or (99, 0))
    return found


def _version(text: str) -> _Version | None:
    major, _, minor = text.strip().partition(".")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else None


def _list(folder: str) -> Mapping[str, bool]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.is_dir() for entry in entries}
    except OSError:
        return {}
