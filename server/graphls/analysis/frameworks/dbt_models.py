"""dbt models: which file of a dbt project is the model of a name, and where its macros and sources are declared.

Owns: the projects of a workspace, the names of their models, macros and sources.
Must not know: how documents name them.
Invariant: a project is a folder with a `dbt_project.yml`; of several things of one name none is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from graphls.analysis.frameworks.document_entries import document_of, entry_nodes
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot
from graphls.languages.config.dbt import MACRO, SOURCE, macros_of

_PROJECTS: Final = ("dbt_project.yml", "dbt_project.yaml")
_PACKAGES: Final = ("packages.yml", "dependencies.yml")
_OUTER: Final = re.compile(rb"^[ \t]*-[ \t]+local:[ \t]*['\"]?\.\./?['\"]?[ \t]*\r?$", re.MULTILINE)
_ENDINGS: Final = (".sql", ".csv")
_SEEDS: Final = frozenset(("seeds", "data"))
"""Folders of a project whose tables of values are models."""
_NO_MODELS: Final = frozenset(("macros", "tests", "analyses", "analysis", "dbt_packages", "dbt_modules", "target"))
"""Folders of a project whose `.sql` files are none."""
_DECLARING: Final = (".sql", ".yml", ".yaml")
_NAME: Final = re.compile(rb"^name[ \t]*:[ \t]*['\"]?(\w+)", re.MULTILINE)
_ABSENT: Final = FilePath("")
_NAMES: Final = Memo["Sequence[tuple[str, str]]"]("what dbt files declare", rests_on_links=False)
_DECLARED: Final = Memo[Mapping[tuple[str, str, str], FilePath | None]](
    "macros and sources of dbt", rests_on_links=False
)
_CALLED: Final = Memo[Mapping[str, "Sequence[str]"]]("names of dbt projects", rests_on_links=False)
_MODELS: Final = Memo[Mapping[tuple[str, str], FilePath | None]]("dbt models", rests_on_links=False)


def model_named(snapshot: Snapshot, name: str, file: FilePath, package: str = "", version: str = "") -> FilePath | None:
    """The model that a document of a project means by a name, or by that of a package, and a version."""
    models = _MODELS.once(snapshot, lambda: _models(snapshot))
    for project in _projects_of(snapshot, file, package) if models else ():
        for spelled in (f"{name}_v{version}", f"{name}.v{version}", name) if version else (name,):
            if (project, spelled) in models:
                return models[project, spelled]
        newest = "" if version else _newest(models, project, name)
        if newest:
            return models[project, newest]
    return None


def _newest(models: Mapping[tuple[str, str], FilePath | None], project: str, name: str) -> str:
    """The highest version of a model that has several, which is meant where none is said."""
    versions = [
        int(spelled[len(name) + 2 :]) for home, spelled in models if home == project and _is_version(spelled, name)
    ]
    return f"{name}_v{max(versions)}" if versions else ""


def _is_version(spelled: str, name: str) -> bool:
    return spelled.startswith(f"{name}_v") and spelled[len(name) + 2 :].isdecimal()


def declared_in_project(
    snapshot: Snapshot, kind: str, name: str, file: FilePath, package: str = ""
) -> DerivedNode | None:
    """The macro or the table of a source that a document of a project means by a name."""
    declared = _DECLARED.once(snapshot, lambda: _all_declared(snapshot))
    for project in _projects_of(snapshot, file, package) if declared else ():
        home = declared.get((project, kind, name), _ABSENT)
        if home is None:
            return None
        if home != _ABSENT:
            found = [node for node in entry_nodes(snapshot, home) if (node.subkind, node.name) == (kind, name)]
            return found[0] if len(found) == 1 else None
    return None


def _projects_of(snapshot: Snapshot, file: FilePath, package: str) -> Sequence[str]:
    """The projects in which a document looks a name up: its own, then the one around it that it has as a package; of a
    package the one project that is called so."""
    own = _project(snapshot, file.rpartition("/")[0])
    if own is None:
        return ()
    if package:
        called = _CALLED.once(snapshot, lambda: _called(snapshot)).get(package, ())
        inside = [one for one in called if one == own or one.startswith(f"{own}/" if own else "")]
        return called if len(called) == 1 else inside if len(inside) == 1 else ()
    outer = _project(snapshot, own.rpartition("/")[0]) if own and _brings_outer(snapshot, own) else None
    return (own,) if outer is None else (own, outer)


def _called(snapshot: Snapshot) -> Mapping[str, Sequence[str]]:
    """The folders of projects by their names."""
    found: dict[str, list[str]] = {}
    for path in snapshot.shards:
        if path.rpartition("/")[2] in _PROJECTS:
            name = _NAME.search(snapshot.text(path) or b"")
            if name is not None:
                found.setdefault(name[1].decode("ascii", "replace"), []).append(path.rpartition("/")[0])
    return found


def _all_declared(snapshot: Snapshot) -> Mapping[tuple[str, str, str], FilePath | None]:
    """Macros and sources by project, kind and name; None where several have one name."""
    found: dict[tuple[str, str, str], FilePath | None] = {}
    if not any(path.rpartition("/")[2] in _PROJECTS for path in snapshot.shards):
        return found
    for path, shard in snapshot.shards.items():
        project = _project(snapshot, path.rpartition("/")[0]) if path.endswith(_DECLARING) else None
        names = () if project is None else _NAMES.once(shard, lambda path=path: _names(snapshot, path))
        for kind, name in names:
            key = project or "", kind, name
            found[key] = None if key in found else path
    return found


def _names(snapshot: Snapshot, path: FilePath) -> Sequence[tuple[str, str]]:
    """Kinds and names of what one file declares."""
    text = snapshot.text(path) or b""
    if path.endswith(".sql"):
        return tuple((MACRO, entry.name) for entry in macros_of(text))
    if b"sources" not in text or b"tables" not in text:
        return ()
    return tuple((SOURCE, entry.name) for entry in document_of(snapshot, path).entries if entry.kind == SOURCE)


def _brings_outer(snapshot: Snapshot, project: str) -> bool:
    """Whether a project has the one around it as a package, as projects of tests do."""
    texts = (snapshot.text(path) for one in _PACKAGES if (path := FilePath(f"{project}/{one}")) in snapshot.shards)
    return any(_OUTER.search(text or b"") for text in texts)


def _project(snapshot: Snapshot, folder: str) -> str | None:
    """The innermost project around a folder."""
    while True:
        if any(FilePath(f"{folder}/{one}".lstrip("/")) in snapshot.shards for one in _PROJECTS):
            return folder
        if not folder:
            return None
        folder = folder.rpartition("/")[0]


def _models(snapshot: Snapshot) -> Mapping[tuple[str, str], FilePath | None]:
    """Models by project and name; None where several have one name."""
    found: dict[tuple[str, str], FilePath | None] = {}
    if not any(path.rpartition("/")[2] in _PROJECTS for path in snapshot.shards):
        return found
    for path in snapshot.shards:
        project = _project(snapshot, path.rpartition("/")[0]) if path.endswith(_ENDINGS) else None
        if project is None:
            continue
        inside = path[len(project) :].strip("/").split("/")
        is_seed = path.endswith(".csv")
        if not _SEEDS.isdisjoint(inside[:-1]) if is_seed else _NO_MODELS.isdisjoint(inside[:-1]):
            key = project, inside[-1][: -len(".sql")]  # the other ending is as long
            found[key] = None if key in found else path
    return found
