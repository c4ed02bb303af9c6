"""Packages: the names that manifests give to the folders they stand in, and what these need.

Owns: reading declared packages from the texts of manifests, which are members of a workspace.
Must not know: the disk, modules.
Invariant: a manifest that cannot be read declares nothing; it never raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, cast

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.packages import DeclaredPackage, Requirement
from graphls.languages.json_text import read_json
from graphls.session.index.build_manifests import (
    MOST_BYTES,
    PROJECTS,
    of_cargo,
    of_composer,
    of_csproj,
    of_gemspec,
    of_gradle,
    of_gradle_settings,
    of_pom,
    of_swift,
)
from graphls.session.index.manifest_values import table_of, text_of, toml_table

_UNNAMED = "workspace"
_GROUPS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_REQUIRED = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*([^;]*)")
_LISTED = re.compile(r"\s*-\s*(['\"]?)([^'\"#]+)\1\s*(?:#.*)?")


def declared_packages(manifests: Mapping[FilePath, bytes]) -> Mapping[FilePath, DeclaredPackage]:
    """Folder -> what it declares, "" for the folder of the workspace.

    Of several manifests in one folder `pyproject.toml` stands before `setup.cfg`, this before `package.json`, and that
    before those of compiled languages; what they need is needed together.
    """
    members = _members(manifests)
    found: dict[FilePath, DeclaredPackage] = {}
    for kind, path in sorted(_kinds(manifests)):
        if len(manifests[path]) > MOST_BYTES:
            continue
        folder = FilePath(path.rpartition("/")[0])
        text = manifests[path].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        _, read = _READERS[kind]
        one = read(path, text, path in members)
        if one is not None:
            found[folder] = _together(found[folder], one) if folder in found else one
    return dict(sorted(_with_local_names(found, manifests).items()))


def _with_local_names(
    found: Mapping[FilePath, DeclaredPackage], manifests: Collection[FilePath]
) -> Mapping[FilePath, DeclaredPackage]:
    """References to projects name their files: these packages are called as they say themselves."""
    homes = {path.rpartition("/")[2].rpartition(".")[0]: FilePath(path.rpartition("/")[0]) for path in manifests}

    def called(one: Requirement) -> Requirement:
        home = homes.get(one.name) if one.group == PROJECTS else None
        return attrs.evolve(one, name=found[home].name) if home is not None and home in found else one

    return {
        folder: attrs.evolve(one, requires=tuple(sorted(map(called, one.requires)))) if one.requires else one
        for folder, one in found.items()
    }


def _kinds(manifests: Collection[FilePath]) -> Iterator[tuple[int, FilePath]]:
    for path in manifests:
        name = path.rpartition("/")[2]
        yield from ((kind, path) for kind, (pattern, _) in enumerate(_READERS) if fnmatchcase(name, pattern))


def package_names(declared: Mapping[FilePath, DeclaredPackage]) -> Mapping[FilePath, str]:
    """Folder -> name."""
    return {folder: one.name for folder, one in declared.items()}


def workspace_name(packages: Mapping[FilePath, str], folders: Collection[str] = ()) -> str:
    """What the workspace is called in its graph: as its own manifest says, whatever the name of its folder is. Several
    open `folders` are called by their names, which begin all paths."""
    return "+".join(folders) or packages.get(FilePath(""), "") or _UNNAMED


def _together(first: DeclaredPackage, other: DeclaredPackage) -> DeclaredPackage:
    requires = (*first.requires, *other.requires)
    return DeclaredPackage(
        first.name, first.version or other.version, tuple(sorted(set(requires))), first.member or other.member
    )


# ---------------------------------------------------------------- pyproject.toml, setup.cfg


def _of_pyproject(_path: FilePath, text: str, _member: bool) -> DeclaredPackage | None:
    table = toml_table(text)
    project, poetry = table_of(table, "project"), table_of(table, "tool", "poetry")
    name = text_of(project.get("name")) or text_of(poetry.get("name"))
    if not name:
        return None
    version = text_of(project.get("version")) or text_of(poetry.get("version"))
    return DeclaredPackage(name, version, tuple(sorted(set(_python_requires(table, project, poetry)))))


def _python_requires(
    table: Mapping[str, object], project: Mapping[str, object], poetry: Mapping[str, object]
) -> Iterator[Requirement]:
    yield from _listed("dependencies", project.get("dependencies"))
    for group, listed in table_of(project, "optional-dependencies").items():
        yield from _listed(f"optional-dependencies.{group}", listed)
    for group, listed in table_of(table, "dependency-groups").items():
        yield from _listed(f"dependency-groups.{group}", listed)
    yield from _keyed("dependencies", poetry.get("dependencies"))
    for group in table_of(poetry, "group"):
        yield from _keyed(f"group.{group}", table_of(poetry, "group", group).get("dependencies"))


def _of_setup_cfg(_path: FilePath, text: str, _member: bool) -> DeclaredPackage | None:
    import configparser  # nor such a one

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    name = text_of(parser.get("metadata", "name", fallback=""))
    lines = parser.get("options", "install_requires", fallback="").splitlines()
    requires = tuple(sorted(set(_listed("dependencies", [line for line in lines if line.strip()]))))
    version = text_of(parser.get("metadata", "version", fallback=""))
    return DeclaredPackage(name, "" if ":" in version else version, requires) if name else None


def _listed(group: str, value: object) -> Iterator[Requirement]:
    """Requirements as `name[extra]>=1; marker`."""
    for item in cast("Sequence[object]", value) if isinstance(value, list) else ():
        found = _REQUIRED.match(item) if isinstance(item, str) else None
        if found is not None:
            yield Requirement(found[1], text_of(found[2]), group)


def _keyed(group: str, value: object) -> Iterator[Requirement]:
    """Requirements as a table of names; Python itself is none."""
    for name, wanted in table_of(value).items():
        if text_of(name) and name != "python":
            yield Requirement(name, text_of(wanted) or text_of(table_of(wanted).get("version")), group)


# ---------------------------------------------------------------- package.json

_NPM = "package.json"
_PNPM = "pnpm-workspace.yaml"
_CARGO = "Cargo.toml"


def _of_package_json(path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """A member of a workspace that has no name is called like its folder."""
    content = read_json(text.encode())
    name = text_of(content.get("name")) or (path.rpartition("/")[0] if member else "")
    if not name:
        return None
    requires = [one for group in _GROUPS for one in _keyed(group, content.get(group))]
    return DeclaredPackage(name, text_of(content.get("version")), tuple(sorted(set(requires))), member)


def _members(manifests: Mapping[FilePath, bytes]) -> Collection[str]:
    """Manifests that another one counts among the packages of its workspace."""
    found: set[str] = set()
    for path, data in manifests.items():
        home, _, base = path.rpartition("/")
        kind, read = _MEMBERS.get(base, ("", _no_patterns))
        patterns = read(data)
        if not patterns:
            continue
        folders = [other.rpartition("/")[0] for other in manifests if other.rpartition("/")[2] == kind]
        inside = [folder for folder in folders if folder.startswith(f"{home}/" if home else "") and folder != home]
        taken = [_parts(home, pattern) for pattern in patterns if not pattern.startswith("!")]
        left = [_parts(home, pattern[1:]) for pattern in patterns if pattern.startswith("!")]
        found.update(f"{folder}/{kind}" for folder in inside if _named(taken, folder) and not _named(left, folder))
    return found


def _patterns(data: bytes) -> Sequence[str]:
    value = read_json(data).get("workspaces")
    listed = table_of(cast("object", value)).get("packages") or value
    items = cast("Sequence[object]", listed) if isinstance(listed, list) else ()
    return [text for text in map(text_of, items) if text]


def _pnpm_patterns(data: bytes) -> Sequence[str]:
    """The list below `packages:`, which is all that is read of this YAML."""
    found: list[str] = []
    inside = False
    for line in data.decode("utf-8", "replace").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            entry = _LISTED.fullmatch(line)
            if inside and entry is not None:
                found.append(entry[2].strip())
            else:
                inside = line.rstrip() == "packages:"
    return found


def _parts(home: str, pattern: str) -> Sequence[str]:
    pattern = pattern.removeprefix("./").rstrip("/")
    return (f"{home}/{pattern}" if home else pattern).split("/")


def _named(patterns: Sequence[Sequence[str]], folder: str) -> bool:
    return any(_fits(pattern, folder.split("/")) for pattern in patterns)


def _fits(pattern: Sequence[str], folder: Sequence[str]) -> bool:
    """Whether a pattern names a folder, part by part; `**` is any number of parts."""
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(folder) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(folder) and _part_fits(part, folder[at])}
        if not reached:
            return False
    return len(folder) in reached


def _part_fits(pattern: str, name: str) -> bool:
    first, *rest = pattern.split("*")
    if not rest:
        return name == first
    if not name.startswith(first) or not name.endswith(rest[-1]) or len(name) < len(first) + len(rest[-1]):
        return False
    at, end = len(first), len(name) - len(rest[-1])
    for piece in rest[:-1]:
        at = name.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


# ---------------------------------------------------------------- tables


# ---------------------------------------------------------------- go.mod

_MODULE = re.compile(r"^[ \t]*module\s+\"?([^\s\"]+)", re.MULTILINE)
_NEEDED = re.compile(r"^[ \t]*(?:require\s+)?([^\s()\"]+\.[^\s()\"]+)\s+(v[^\s/]+)[ \t]*(// indirect)?", re.MULTILINE)
_REPLACING = re.compile(r"^[ \t]*(?:replace|exclude|retract)\s*(?:\([^)]*\)|[^\n]*)", re.MULTILINE)


def _of_go_mod(_path: FilePath, text: str, _member: bool) -> DeclaredPackage | None:
    name = _MODULE.search(text)
    if name is None:
        return None
    needed = _NEEDED.findall(_REPLACING.sub("", text))
    requires = {Requirement(path, version, "indirect" if more else "require") for path, version, more in needed}
    return DeclaredPackage(name[1], "", tuple(sorted(requires)))


def _crates(data: bytes) -> Sequence[str]:
    """Members of a workspace of Cargo; those that are left out have a mark before them."""
    table = table_of(toml_table(data.decode("utf-8", "replace")), "workspace")
    lists = [(cast("Sequence[object]", one), mark) for mark in ("", "!") if (one := table.get(_LISTS[mark]))]
    return [mark + text for listed, mark in lists if isinstance(listed, list) for text in map(text_of, listed) if text]


def _no_patterns(_data: bytes) -> Sequence[str]:
    return ()


_LISTS: Final = {"": "members", "!": "exclude"}
_MEMBERS: Final[Mapping[str, tuple[str, Callable[[bytes], Sequence[str]]]]] = {
    _NPM: (_NPM, _patterns),
    _PNPM: (_NPM, _pnpm_patterns),
    _CARGO: (_CARGO, _crates),
}
"""Manifests of workspaces -> what their members have, and the patterns of these."""
_READERS: Final[Sequence[tuple[str, Callable[[FilePath, str, bool], DeclaredPackage | None]]]] = (
    ("pyproject.toml", _of_pyproject),
    ("setup.cfg", _of_setup_cfg),
    (_NPM, _of_package_json),
    ("go.mod", _of_go_mod),
    (_CARGO, of_cargo),
    ("pom.xml", of_pom),
    ("settings.gradle", of_gradle_settings),
    ("settings.gradle.kts", of_gradle_settings),
    ("build.gradle", of_gradle),
    ("build.gradle.kts", of_gradle),
    ("*.csproj", of_csproj),
    ("composer.json", of_composer),
    ("Package.swift", of_swift),
    ("*.gemspec", of_gemspec),
)
"""Names of manifests, those first whose name a folder has."""
PACKAGE_MANIFESTS: Final = tuple(pattern for pattern, _ in _READERS)
"""Base names, or patterns of such, of all of them."""
