"""GraphQL projects: which schema the documents of a workspace belong to, by what configuration says.

Owns: `graphql.config.*`, `.graphqlrc*`, `codegen.*` and `apollo.config.*`: their schemas and the documents of each.
Must not know: what a schema declares, what a document says.
Invariant: configuration is read as text, and nothing of it runs; what it works out names nothing.

Source: https://the-guild.dev/graphql/config/docs/user/schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Final, TypeAlias

import attrs

from graphls.analysis.frameworks.arguments import SLASHES, Argument, CodeText
from graphls.analysis.globs import matches_any
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.config.keyed import read_json_text, read_toml, read_yaml

_Setting: TypeAlias = "tuple[tuple[str, ...], str]"
"""Keys from the outside in, and what they are set to."""
_NAMED: Final = re.compile(
    r"(?:^|/)(?:graphql\.config\.(?:[cm]?[jt]s|json|ya?ml|toml)|\.graphqlrc(?:\.(?:[cm]?[jt]s|json|ya?ml|toml))?"
    r"|(?:graphql-)?codegen[\w.-]*\.(?:[cm]?[jt]s|json|ya?ml)|apollo\.config\.[cm]?[jt]s)\Z"
)
_LITERAL: Final = re.compile(rb"(?:=|\bdefault|\bexports|\()\s*\{")
_SCHEMA: Final = ("schema", "localSchemaFile")
_COVERS: Final = ("documents", "include", "includes")
_LEAVES: Final = ("exclude", "excludes")
_HOLDERS: Final = ("service",)
"""Keys that stand between a project and its schema."""
_DEEP: Final = 6
_MOST_BYTES: Final = 200_000


@attrs.frozen
class GraphqlProject:
    """A schema, and the files that belong to it. Patterns count from the top."""

    config: FilePath
    schema: tuple[str, ...]
    covers: tuple[str, ...]
    leaves: tuple[str, ...]

    def has_schema(self, path: str) -> bool:
        """Whether a file is one of its schema."""
        return matches_any(path, self.schema)

    def has(self, path: str) -> bool:
        """Whether a file holds documents of it."""
        return matches_any(path, self.covers) and not matches_any(path, self.leaves)


def graphql_projects(snapshot: Snapshot) -> Sequence[GraphqlProject]:
    """All that configuration names, by file."""
    files = sorted(path for path in snapshot.shards if _NAMED.search(path))
    return tuple(project for path in files for project in _projects(path, snapshot.text(path) or b""))


def _projects(path: FilePath, data: bytes) -> Iterator[GraphqlProject]:
    found: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for keys, text in _settings(path, data[:_MOST_BYTES]):
        at = next((number for number, key in enumerate(keys) if key in (*_SCHEMA, *_COVERS, *_LEAVES)), -1)
        # `schema: [{ "https://...": { headers: ... } }]` names no file.
        if at >= 0 and len(keys) - at <= 2 and all(key.isdigit() for key in keys[at + 1 :]):
            owner = tuple(key for key in keys[:at] if key not in _HOLDERS)
            kind = "schema" if keys[at] in _SCHEMA else "covers" if keys[at] in _COVERS else "leaves"
            found.setdefault(owner, {}).setdefault(kind, []).append(text)
    folder = path.rpartition("/")[0]
    for owner, said in found.items():
        schema = _of_owner(found, owner, "schema")
        covers = _of_owner(found, owner, "covers")
        if not ("schema" in said or "covers" in said) or not schema:
            continue
        whole = () if "codegen" in path.rpartition("/")[2] else ("**/*",)
        leaves = (*_of_owner(found, owner, "leaves"), *(one[1:] for one in covers if one.startswith("!")))
        positive = tuple(one for one in covers if not one.startswith("!")) or whole
        if positive:
            placed = (tuple(_placed(folder, each)) for each in (schema, positive, leaves))
            yield GraphqlProject(path, *placed)


def _of_owner(
    found: Mapping[tuple[str, ...], Mapping[str, Sequence[str]]], owner: tuple[str, ...], kind: str
) -> Sequence[str]:
    """What is set for a project, else for what is around it."""
    for count in range(len(owner), -1, -1):
        if kind in found.get(owner[:count], {}):
            return found[owner[:count]][kind]
    return ()


def _placed(folder: str, patterns: Iterable[str]) -> Iterator[str]:
    for one in patterns:
        if "://" not in one:
            path = normpath(f"{folder}/{one}" if folder else one)
            if not path.startswith(".."):
                yield path


def _settings(path: str, data: bytes) -> Iterator[_Setting]:
    """What a file sets to a string."""
    ending = path.rpartition(".")[2]
    if ending in ("js", "cjs", "mjs", "ts", "cts", "mts"):
        yield from _of_code(CodeText(data, SLASHES, _MOST_BYTES))
        return
    plain = data.lstrip()[:1] == b"{"
    read = read_json_text if ending == "json" or plain else read_toml if ending == "toml" else read_yaml
    yield from ((value.path, value.text) for value in read(data).values)


def _of_code(code: CodeText) -> Iterator[_Setting]:
    """The first literal that speaks of a schema."""
    for opening in _LITERAL.finditer(code.data):
        found = list(_inside(code, Argument("", 0, opening.end() - 1, len(code.data)), ()))
        if any(key in _SCHEMA for keys, _ in found for key in keys):
            yield from found
            return


def _inside(code: CodeText, value: Argument, keys: tuple[str, ...]) -> Iterator[_Setting]:
    sign = code.data[value.start : value.start + 1]
    if sign == b"{" and len(keys) < _DEEP:
        for member in code.members(value):
            yield from _inside(code, member, (*keys, member.keyword))
    elif sign == b"[" and len(keys) < _DEEP:
        for number, item in enumerate(code.elements(value.start)):
            yield from _inside(code, item, (*keys, str(number)))
    else:
        text = code.literal(value.start, value.end)
        if text is not None:
            yield keys, text
