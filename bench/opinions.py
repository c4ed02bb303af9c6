"""Opinions: where a language server says that names of a workspace are defined.

Owns: one server, its files, its answers as lines of the workspace.
Must not know: which language is asked about, what graphls says, who is right.
Invariant: a server that refuses a question says nothing about it; one that ends or is too slow ends the measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Protocol, TypeVar

import attrs

from graphls.compilers.child_process import Launch
from graphls.compilers.connection import CheckerRefused, Connection
from graphls.compilers.locations import locations, to_uri
from graphls.compilers.wire import Json, mapping, text
from graphls.facts.lines import Encoding, LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

Line = tuple[str, int]
"""File of the workspace and line from 0; "" and 0 for a place outside."""
OUTSIDE: Line = ("", 0)


class Site(Protocol):
    """A name in a file."""

    @property
    def path(self) -> FilePath: ...
    @property
    def start(self) -> int: ...


S = TypeVar("S", bound=Site)


@attrs.frozen
class Said:
    """Where a name is defined; nothing where that is not known."""

    lines: frozenset[Line]
    declares: bool
    """The answer is the name itself."""


@attrs.frozen(kw_only=True)
class Manner:
    """How a server is asked."""

    options: Json = None
    """What it is told when it starts."""
    sections: Mapping[str, Json] = attrs.field(factory=dict[str, Json])
    """Its settings."""
    packages: str
    """Name of the folder that others' code is in; what is below it is outside."""
    at_once: int
    """Questions before the first answer is waited for."""
    opened_as: Callable[[str], str] | None = None
    """The language of a file that is opened before it is asked about; otherwise none is."""


class Opinion:
    """One server, asked about sites of a snapshot."""

    def __init__(self, launch: Launch, manner: Manner) -> None:
        root, sections = launch.folder, manner.sections
        self._root, self._manner = root, manner
        self._connection = Connection(launch, lambda section: sections.get(section), lambda _: None)
        hello: Json = {
            "processId": None,
            "rootUri": to_uri(root),
            "workspaceFolders": [{"uri": to_uri(root), "name": "root"}],
            "initializationOptions": manner.options,
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "workspace": {"configuration": True, "workspaceFolders": True},
            },
        }
        answer = mapping(self._connection.request("initialize", hello).result(120))
        said = text(mapping(answer.get("capabilities")).get("positionEncoding"))
        self._encoding: Encoding = "utf-8" if said == "utf-8" else "utf-16"
        self._connection.notify("initialized", {})
        if sections:
            self._connection.notify("workspace/didChangeConfiguration", {"settings": dict(sections)})

    def ask(self, snapshot: Snapshot, sites: Sequence[S], question: str = "definition") -> dict[S, Said]:
        """What it says about each site; `question`: another request whose answer is places."""
        by_file: dict[FilePath, list[S]] = {}
        for site in sites:
            by_file.setdefault(site.path, []).append(site)
        said: dict[S, Said] = {}
        opened_as, at_once = self._manner.opened_as, self._manner.at_once
        for path, group in by_file.items():
            uri, raw = to_uri(f"{self._root}/{path}"), snapshot.text(path) or b""
            if opened_as is not None:
                item: Json = {"uri": uri, "version": 1, "text": raw.decode(errors="replace")}
                self._connection.notify(
                    "textDocument/didOpen", {"textDocument": {**item, "languageId": opened_as(path)}}
                )
            for start in range(0, len(group), at_once):
                said.update(self._ask(uri, LineIndex(raw), group[start : start + at_once], question))
            if opened_as is not None:
                self._connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        return said

    def _ask(self, uri: str, lines: LineIndex, group: Sequence[S], question: str) -> dict[S, Said]:
        asked: dict[S, tuple[tuple[int, int], Future[Json]]] = {}
        for site in group:
            spot = lines.position(site.start, self._encoding)
            where: Json = {
                "textDocument": {"uri": uri},
                "position": {"line": spot[0], "character": spot[1]},
                "context": {"includeDeclaration": True},
            }
            asked[site] = spot, self._connection.request(f"textDocument/{question}", where)
        said: dict[S, Said] = {}
        for site, (spot, future) in asked.items():
            try:
                found = locations(future.result(300))
            except CheckerRefused:
                found = ()
            own = f"{self._root}/{site.path}"
            declares = any(one.path == own and _is_within(spot, one.start, one.end) for one in found)
            said[site] = Said(frozenset(self._line(one.path, one.start[0]) for one in found), declares)
        return said

    def _line(self, path: str, line: int) -> Line:
        inside = path.startswith(f"{self._root}/") and f"/{self._manner.packages}/" not in path
        return (path[len(self._root) + 1 :], line) if inside else OUTSIDE

    def end(self) -> None:
        """Stops the server."""
        self._connection.child.kill()


def _is_within(spot: tuple[int, int], start: tuple[int, int], end: tuple[int, int]) -> bool:
    """Whether an answer is the place that was asked about, or a name with dots around it, in one line."""
    if tuple(start) == tuple(spot):
        return True
    return start[0] == spot[0] == end[0] and start[1] <= spot[1] < end[1]
