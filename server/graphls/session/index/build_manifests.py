"""Build manifests: what the build files of compiled languages, of PHP and of Ruby say of the package in their folder.

Owns: reading a name, a version and requirements out of one such text.
Must not know: other files, folders of modules, who needs a package.
Invariant: nothing of a text is run; what is computed there (a variable, a property) is left out, and nothing raises.

    Cargo.toml, *.csproj, pom.xml, settings.gradle, build.gradle (and .kts), composer.json, Package.swift, *.gemspec
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import basename
from typing import Final
from xml.etree import ElementTree

from graphls.facts.paths import FilePath
from graphls.graph.packages import DeclaredPackage, Requirement
from graphls.languages.json_text import read_json
from graphls.session.index.manifest_values import table_of, text_of, toml_table

MOST_BYTES: Final = 1_000_000
"""Longer texts declare nothing: nobody writes such a manifest."""
_CARGO_GROUPS: Final = ("dependencies", "dev-dependencies", "build-dependencies")
PROJECTS: Final = "ProjectReference"
"""The group of requirements that are called like the files of their projects."""
_COMPUTED: Final = re.compile(r"[$@{]")


def _package(name: str, version: str, requires: Iterator[Requirement], member: bool) -> DeclaredPackage | None:
    """What was read, in order; None where it has no name that is written out."""
    name, version = name.strip(), version.strip()
    if not name or not name.isprintable() or _COMPUTED.search(name):
        return None
    plain = (one for one in requires if one.name and one.name.isprintable() and not _COMPUTED.search(one.name))
    return DeclaredPackage(name, "" if _COMPUTED.search(version) else version, tuple(sorted(set(plain))), member)


def _version(text: str) -> str:
    text = text.strip()
    return "" if _COMPUTED.search(text) or not text.isprintable() else text


# ---------------------------------------------------------------- Cargo.toml


def of_cargo(_path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """A package of Cargo; a manifest of a workspace alone is none."""
    table = toml_table(text)
    package = table_of(table, "package")
    return _package(text_of(package.get("name")), text_of(package.get("version")), _of_crates(table), member)


def _of_crates(table: Mapping[str, object]) -> Iterator[Requirement]:
    targets = (table_of(one) for one in table_of(table, "target").values())
    for part in (table, *targets):
        for group in _CARGO_GROUPS:
            for name, wanted in table_of(part, group).items():
                given = table_of(wanted)
                yield Requirement(
                    text_of(given.get("package")) or name, text_of(wanted) or text_of(given.get("version")), group
                )


# ---------------------------------------------------------------- *.csproj

_PROPERTY: Final = re.compile(r"<(AssemblyName|PackageId|Version)>([^<]*)</")
_REFERENCE: Final = re.compile(
    r"<(PackageReference|ProjectReference)\b(?P<attributes>[^<>]*?)(?:/>|>(?P<inside>.*?)</\1>)", re.DOTALL
)
_ATTRIBUTE: Final = re.compile(r"\b(Include|Version)\s*=\s*\"([^\"]*)\"")
_INNER_VERSION: Final = re.compile(r"<Version>([^<]*)</Version>")


def of_csproj(path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """A project of .NET: as its package is called, its assembly, or its file."""
    said = {name: value for name, value in _PROPERTY.findall(_REFERENCE.sub("", text)) if not _COMPUTED.search(value)}
    name = said.get("PackageId") or said.get("AssemblyName") or basename(path).rpartition(".")[0]
    return _package(name, said.get("Version", ""), _of_references(text), member)


def _of_references(text: str) -> Iterator[Requirement]:
    for found in _REFERENCE.finditer(text):
        given = dict(_ATTRIBUTE.findall(found["attributes"]))
        name = given.get("Include", "")
        if found[1] == PROJECTS:
            name = basename(name.replace("\\", "/")).rpartition(".")[0]
        inner = _INNER_VERSION.search(found["inside"] or "")
        yield Requirement(name.strip(), _version(given.get("Version", inner[1] if inner else "")), found[1])


# ---------------------------------------------------------------- pom.xml


def of_pom(_path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """A module of Maven, as `group:artifact`; what a parent says of it is not looked up but its group."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return None
    try:
        root = ElementTree.fromstring(re.sub(r"\sxmlns=\"[^\"]*\"", "", text, count=1))
    except (ElementTree.ParseError, ValueError):
        return None
    group = root.findtext("groupId") or root.findtext("parent/groupId") or ""
    artifact = root.findtext("artifactId") or ""
    version = root.findtext("version") or root.findtext("parent/version") or ""
    return _package(_coordinates(group, artifact), version, _of_dependencies(root), member)


def _of_dependencies(root: ElementTree.Element) -> Iterator[Requirement]:
    for one in root.iterfind("dependencies/dependency"):
        name = _coordinates(one.findtext("groupId") or "", one.findtext("artifactId") or "")
        yield Requirement(name, _version(one.findtext("version") or ""), (one.findtext("scope") or "compile").strip())


def _coordinates(group: str, artifact: str) -> str:
    group, artifact = group.strip(), artifact.strip()
    return f"{group}:{artifact}" if group and artifact and not _COMPUTED.search(group) else artifact


# ---------------------------------------------------------------- Gradle

_ROOT_NAME: Final = re.compile(r"^[ \t]*rootProject\.name\s*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)
_GROUP: Final = (
    r"^[ \t]*(?P<group>(?:\w*[iI]mplementation|\w*[aA]pi|\w*[cC]ompileOnly|\w*[rR]untimeOnly|\w*[aA]nnotationProcessor"
    r"|compile|kapt|ksp))[ (]+"
)
_NEEDED: Final = re.compile(_GROUP + r"['\"](?P<name>[\w.-]+:[\w.-]+)(?::(?P<version>[^'\":@]*))?", re.MULTILINE)
_PROJECT: Final = re.compile(_GROUP + r"project\(\s*(?:path\s*[:=]\s*)?['\"]:?(?P<name>[\w.:-]+)['\"]", re.MULTILINE)
_ARTIFACT_VERSION: Final = re.compile(r"^version\s*=?\s*['\"]([^'\"]+)['\"]", re.MULTILINE)


def of_gradle_settings(_path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """The build as a whole."""
    name = _ROOT_NAME.search(text)
    return None if name is None else _package(name[1], "", iter(()), member)


def of_gradle(path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """A project of Gradle, which is called like its folder."""
    version = _ARTIFACT_VERSION.search(text)
    folder = basename(path.rpartition("/")[0])
    return _package(folder, version[1] if version else "", _of_configurations(text), member)


def _of_configurations(text: str) -> Iterator[Requirement]:
    for found in _NEEDED.finditer(text):
        yield Requirement(found["name"], _version(found["version"] or ""), found["group"])
    for found in _PROJECT.finditer(text):
        yield Requirement(found["name"].rpartition(":")[2], "", found["group"])


# ---------------------------------------------------------------- composer.json


def of_composer(_path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """A package of Composer."""
    content = read_json(text.encode())
    needed = (
        Requirement(name, text_of(wanted), group)
        for group in ("require", "require-dev")
        for name, wanted in table_of(content, group).items()
        if "/" in name  # others are PHP itself and its extensions
    )
    return _package(text_of(content.get("name")), text_of(content.get("version")), needed, member)


# ---------------------------------------------------------------- Package.swift

_SWIFT_NAME: Final = re.compile(r"\bPackage\s*\(\s*name\s*:\s*\"([^\"]+)\"")
_SWIFT_NEEDS: Final = re.compile(
    r"\.package\s*\((?:\s*name\s*:\s*\"[^\"]*\"\s*,)?\s*(?:url|path)\s*:\s*\"([^\"]+)\""
    r"(?:\s*,\s*(?:from|exact|branch|\.\w+\s*\(\s*from)\s*:\s*\"([^\"]*)\")?"
)


def of_swift(_path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """A package of Swift; those that it needs are called like the last part of where they are."""
    name = _SWIFT_NAME.search(text)
    needed = (
        Requirement(basename(url.rstrip("/")).removesuffix(".git"), _version(version), "dependencies")
        for url, version in _SWIFT_NEEDS.findall(text)
    )
    return None if name is None else _package(name[1], "", needed, member)


# ---------------------------------------------------------------- *.gemspec

_GEM_NAME: Final = re.compile(r"^[ \t]*\w+\.name\s*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)
_GEM_VERSION: Final = re.compile(r"^[ \t]*\w+\.version\s*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)
_GEM_NEEDS: Final = re.compile(
    r"^[ \t]*\w+\.add_(?P<group>(?:runtime_|development_)?dependency)[ (]+['\"](?P<name>[^'\"]+)['\"]"
    r"(?:\s*,\s*['\"](?P<version>[^'\"]*)['\"])?",
    re.MULTILINE,
)


def of_gemspec(_path: FilePath, text: str, member: bool) -> DeclaredPackage | None:
    """A gem."""
    name, version = _GEM_NAME.search(text), _GEM_VERSION.search(text)
    needed = (
        Requirement(one["name"], _version(one["version"] or ""), one["group"]) for one in _GEM_NEEDS.finditer(text)
    )
    return None if name is None else _package(name[1], version[1] if version else "", needed, member)
