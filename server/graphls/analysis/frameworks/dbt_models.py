"""dbt models: which file of a dbt project is the model of a name.

Owns: the projects of a workspace, the names of their models.
Must not know: how documents name models.
Invariant: a project is a folder with a `dbt_project.yml`; of several models of one name none is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

_PROJECTS: Final = ("dbt_project.yml", "dbt_project.yaml")
_PACKAGES: Final = ("packages.yml", "dependencies.yml")
_OUTER: Final = re.compile(rb"^[ \t]*-[ \t]+local:[ \t]*['\"]?\.\./?['\"]?[ \t]*\r?$", re.MULTILINE)
_ENDINGS: Final = (".sql", ".csv")
_SEEDS: Final = frozenset(("seeds", "data"))
"""Folders of a project whose tables of values are models."""
_NO_MODELS: Final = frozenset(("macros", "tests", "analyses", "analysis", "dbt_packages", "dbt_modules", "target"))
"""Folders of a project whose `.sql` files are none."""
_MODELS: Final = Memo[Mapping[tuple[str, str], FilePath | None]]("dbt models", rests_on_links=False)


def model_named(snapshot: Snapshot, name: str, file: FilePath) -> FilePath | None:
    """The model that a document of a project means by a name."""
    models = _MODELS.once(snapshot, lambda: _models(snapshot))
    project = _project(snapshot, file.rpartition("/")[0]) if models else None
    if project is None:
        return None
    if (project, name) not in models and project and _brings_outer(snapshot, project):
        project = _project(snapshot, project.rpartition("/")[0])
    return None if project is None else models.get((project, name))


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
