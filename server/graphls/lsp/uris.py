"""URIs: how the client spells the files of the workspace.

Owns: the mapping between URIs and FilePaths, in the client's own spelling of its folders.
Must not know: the graph, documents, what is in a file.
Invariant: a URI that is given out names a file inside a folder of the workspace.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from urllib.parse import quote

from pygls import uris

from graphls.facts.paths import FilePath
from graphls.sources.workspace import Workspace, fold_drive

_REMEMBERED = 10_000


class Uris:
    """Both directions for one workspace."""

    def __init__(
        self, workspace: Workspace, spelled: Mapping[str, str], owner: Callable[[str], str | None] = lambda _: None
    ) -> None:
        """`spelled`: absolute real root -> the URI by which the client opened that folder. `owner`: the URI of the
        document that another one is a part of, as cells are of a notebook."""
        self._owner = owner
        self._workspace = workspace
        self._spelled = spelled
        self._known: dict[str, FilePath] = {}
        self._made: dict[FilePath, str] = {}

    def path(self, uri: str) -> FilePath | None:
        """The file a URI names, for a cell that of its notebook; None outside the workspace and for other schemes."""
        uri = self._owner(uri) or uri
        path = self._known.get(uri)
        if path is None:  # not for ever: what a link leads to may change
            absolute = _absolute(uri)
            path = self._workspace.relative(absolute) if absolute else None
            if path is not None:
                if len(self._known) > _REMEMBERED:
                    self._known.clear()
                self._known[uri] = path
        return path

    def opened(self) -> Mapping[str, str]:
        """The open folders: URIs, as the client spells them, with their names."""
        return {uri: one.name for one in self._workspace.folders if (uri := self._spelled.get(one.root)) is not None}

    def entries(self, uri: str) -> tuple[FilePath, ...]:
        """What a URI names on disk: a link and what it leads to are two."""
        absolute = _absolute(uri)
        found = (self._workspace.entry(absolute), self.path(uri)) if absolute else ()
        return tuple(dict.fromkeys(path for path in found if path is not None))

    def uri(self, path: FilePath) -> str:
        """The URI of a file."""
        made = self._made.get(path)
        if made is None:
            if len(self._made) > _REMEMBERED:
                self._made.clear()
            made = self._made[path] = self._uri(path)
        return made

    def _uri(self, path: FilePath) -> str:
        folder, parts = self._workspace.located(path)
        spelled = self._spelled.get(folder.root)
        if spelled is None:
            return uris.from_fs_path(self._workspace.absolute(path)) or ""
        return "/".join((spelled.rstrip("/"), *(quote(part) for part in parts)))


def one_spelling(uri: str) -> str:
    """The same text for every way to write a URI: escapes, drive letters, case where the system ignores it."""
    absolute = _absolute(uri)
    return f"file:{os.path.normcase(fold_drive(absolute))}" if absolute else uri


def folder_of(uri: str) -> str | None:
    """The absolute path of a workspace folder's URI; None for other schemes."""
    return uris.to_fs_path(uri) if uri.startswith("file:") else None


def _absolute(uri: str) -> str | None:
    if not uri.startswith("file:"):
        return None
    try:
        return uris.to_fs_path(uri)
    except ValueError:
        return None
