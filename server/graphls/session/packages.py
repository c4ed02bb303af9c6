"""Packages: the names that manifests give to the folders they stand in.

Owns: reading a declared name from a manifest's text.
Must not know: the disk, modules, dependencies.
Invariant: a manifest that cannot be read declares nothing; it never raises.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import cast

from graphls.facts.paths import FilePath

_UNNAMED = "workspace"


def package_names(manifests: Mapping[FilePath, bytes]) -> Mapping[FilePath, str]:
    """Folder -> declared name, "" for the folder of the workspace; `pyproject.toml` stands before `setup.cfg`."""
    names: dict[FilePath, str] = {}
    for path in sorted(manifests):
        folder, _, base = path.rpartition("/")
        name = _READERS.get(base, _nothing)(manifests[path].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
        if name and FilePath(folder) not in names:
            names[FilePath(folder)] = name
    return names


def workspace_name(packages: Mapping[FilePath, str], folders: Collection[str] = ()) -> str:
    """What the workspace is called in its graph: as its own manifest says, whatever the name of its folder is. Several
    open `folders` are called by their names, which begin all paths."""
    return "+".join(folders) or packages.get(FilePath(""), "") or _UNNAMED


def _of_pyproject(text: str) -> str:
    import tomllib  # not every workspace has such a manifest

    try:
        table = cast("dict[str, object]", tomllib.loads(text))
    except (ValueError, RecursionError):
        return ""
    return _text(_below(table, "project").get("name")) or _text(_below(table, "tool", "poetry").get("name"))


def _of_setup_cfg(text: str) -> str:
    import configparser  # nor such a one

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return ""
    return _text(parser.get("metadata", "name", fallback=""))


def _nothing(_text: str) -> str:
    return ""


_READERS = {"pyproject.toml": _of_pyproject, "setup.cfg": _of_setup_cfg}


def _below(table: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    for key in keys:
        inner = table.get(key)
        table = cast("Mapping[str, object]", inner) if isinstance(inner, dict) else {}
    return table


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) and value.isprintable() else ""
