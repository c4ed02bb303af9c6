"""Packages: what a manifest says of the package whose folder it stands in.

Owns: the values, what a record of a package says beside its name.
Must not know: kinds of manifests, how they are read.
Invariant: a package that several folders declare has what all of them say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import attrs

_JOINTS = re.compile(r"[-_.]+")
Json: TypeAlias = "str | bool | Sequence[str]"


@attrs.frozen(order=True)
class Requirement:
    """A package that another one needs."""

    name: str
    version: str
    """As written; "" where any will do."""
    group: str
    """What it is needed for, as the manifest calls it: `dependencies`, `devDependencies` ..."""


@attrs.frozen
class DeclaredPackage:
    """One folder with a manifest."""

    name: str
    version: str = ""
    requires: tuple[Requirement, ...] = ()
    member: bool = False
    """A manifest further up counts it among the packages of a workspace."""


def package_attributes(declared: Mapping[str, DeclaredPackage]) -> dict[str, Json]:
    """What the manifests of one package, by folder, say of it."""
    found: dict[str, Json] = {"folders": [folder or "." for folder in sorted(declared)]} if declared else {}
    version = next((declared[folder].version for folder in sorted(declared) if declared[folder].version), "")
    if version:
        found["version"] = version
    if any(one.member for one in declared.values()):
        found["workspace_member"] = True
    return found


def merged_requirements(declared: Iterable[DeclaredPackage]) -> Mapping[str, Mapping[str, Json]]:
    """What the manifests of one package ask for: name -> attributes of the edge, sorted."""
    found: dict[str, list[Requirement]] = {}
    for one in declared:
        for requirement in one.requires:
            found.setdefault(normal_name(requirement.name), []).append(requirement)
    return {found[key][0].name: _requirement_attributes(found[key]) for key in sorted(found)}


def normal_name(name: str) -> str:
    """Names of packages that installers take for one are equal."""
    return _JOINTS.sub("-", name).lower()


def manifest_text(declared: DeclaredPackage) -> str:
    """Everything that a manifest says, for whoever digests it."""
    parts = [declared.name, declared.version, str(declared.member)]
    parts += [f"{one.name}\1{one.version}\1{one.group}" for one in declared.requires]
    return "\0".join(parts)


def _requirement_attributes(requirements: Sequence[Requirement]) -> Mapping[str, Json]:
    versions = sorted({one.version for one in requirements if one.version})
    groups = sorted({one.group for one in requirements})
    return {**({"versions": versions} if versions else {}), "groups": groups}
