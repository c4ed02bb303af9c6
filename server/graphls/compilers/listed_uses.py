"""Listed uses: everything that a server calls a use of the name at one place.

Owns: that question, the files that must be open for it, how its answer is read and how long it may take.
Must not know: which servers are asked, own links, who shows the answer.
Invariant: waiting ends with the budget; no answer and a strange one are empty, and never an error.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Set
from concurrent.futures import Future, wait

import attrs

from graphls.compilers.locations import locations, to_uri
from graphls.compilers.positions import PositionConverter
from graphls.compilers.upstream import CheckerServer
from graphls.compilers.wire import Json
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import language_of
from graphls.sources.workspace import Workspace

PATIENCE = 60
"""One such question stands for one at every place that spells the name."""

Span = tuple[FilePath, int, int]
_WITNESSES = 16
_SLICE = 0.1
_CONFIGURATIONS = ("tsconfig.json", "jsconfig.json")
_NAME = re.compile(rb"[\w$\x80-\xff]+")


@attrs.frozen(eq=False)
class UsesRequest:
    """One question under way."""

    answer: Future[Json]
    read: Callable[[Json], tuple[Span, ...]]
    until: float

    def wait(self, check: Callable[[], object]) -> tuple[Span, ...]:
        """Stretches of the workspace in the order in which the server gave them. `check` raises when nobody waits any
        more."""
        while not self.answer.done() and time.monotonic() < self.until:
            check()
            wait([self.answer], timeout=_SLICE)
        try:
            return self.read(self.answer.result(0))
        except Exception:  # noqa: BLE001  whatever a server does, what graphls knows by itself is shown
            return ()


@attrs.frozen
class UsesQuery:
    """The name that is asked about. `declarations`: those are wanted as well."""

    path: FilePath
    offset: int
    declarations: bool


def files_to_open(snapshot: Snapshot, query: UsesQuery) -> list[FilePath]:
    """Files to open for the question: a server looks through the projects of open files only. One file of each project
    that spells the name; every such file, as far as they are few, that is in no project."""
    raw = snapshot.text(query.path) or b""
    name = _NAME.match(raw, query.offset)
    configured = {path.rpartition("/")[0] for path in snapshot.shards if path.endswith(_CONFIGURATIONS)}
    found: dict[str, FilePath] = {}
    for path in (query.path, *(snapshot.files_with_name(name[0].decode(errors="replace")) if name else ())):
        if language_of(path) == language_of(query.path):
            found.setdefault(_project(path, configured), path)
    return list(found.values())[:_WITNESSES]


def _project(path: FilePath, configured: Set[str]) -> str:
    folder = path.rpartition("/")[0]
    while folder and folder not in configured:
        folder = folder.rpartition("/")[0]
    return f"{folder}/" if folder in configured else path


def request_uses(
    upstream: CheckerServer, workspace: Workspace, snapshot: Snapshot, query: UsesQuery, budget_ms: float
) -> UsesRequest:
    """Puts the question; the server knows the snapshot's texts."""
    made: list[PositionConverter] = []

    def params(encoding: str) -> Json:
        made.append(PositionConverter(snapshot, encoding))
        line, character = made[0].position(query.path, query.offset)
        return {
            "textDocument": {"uri": to_uri(workspace.absolute(query.path))},
            "position": {"line": line, "character": character},
            "context": {"includeDeclaration": query.declarations},
        }

    def read(result: Json) -> tuple[Span, ...]:
        found: dict[Span, None] = {}
        for one in locations(result):
            path = workspace.relative(one.path)
            shard = snapshot.shards.get(path) if path is not None else None
            if path is not None and shard is not None and shard.language:
                found[path, made[0].offset(path, *one.start), made[0].offset(path, *one.end)] = None
        return tuple(found)

    until = time.monotonic() + PATIENCE * budget_ms / 1000
    return UsesRequest(upstream.request("textDocument/references", params), read, until)
