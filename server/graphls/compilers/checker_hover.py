"""Checker hover: what a server says of the name at one place: its type, and where it leads outside the workspace.

Owns: these two questions, how their answers are read and how long they may take.
Must not know: which servers are asked, own links, how the answer is laid out.
Invariant: waiting ends with the budget; no answer and a strange one are None or empty, and never an error.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from functools import partial

import attrs

from graphls.compilers.locations import locations, to_uri
from graphls.compilers.positions import PositionConverter
from graphls.compilers.upstream import CheckerServer
from graphls.compilers.wire import Json, items, mapping, text
from graphls.facts.lines import Encoding, LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.linking.libraries import LibraryDefinition
from graphls.sources.read import read_text
from graphls.sources.workspace import Workspace

_FENCE = re.compile(r"^```[ \t]*([\w+-]*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_UNKNOWN = frozenset(("Unknown", "unknown", "Any | Unknown"))
_LONGEST = 4_000
_LARGEST = 8_000_000
_SLICE = 0.05


@attrs.frozen
class CheckerType:
    """What a checker calls the name at a place."""

    code: str
    """As the checker writes it, in the language that was asked about."""
    checker: str


@attrs.frozen(eq=False)
class HoverRequest:
    """Questions under way about one place."""

    checker: str
    hover: Future[Json]
    definition: Future[Json]
    outside: Callable[[Json], tuple[LibraryDefinition, ...]]
    until: float

    def type(self, check: Callable[[], object]) -> CheckerType | None:
        """`check` raises when nobody waits any more."""
        code = _code(_await_answer(self.hover, self.until, check))
        return CheckerType(code, self.checker) if code else None

    def places(self, check: Callable[[], object]) -> tuple[LibraryDefinition, ...]:
        """Where the name is defined in files that are not in the graph."""
        return self.outside(_await_answer(self.definition, self.until, check))


@attrs.frozen(eq=False)
class HoverPosition:
    """The place that is asked about."""

    path: FilePath
    offset: int


def request_hover(
    upstream: CheckerServer, workspace: Workspace, snapshot: Snapshot, position: HoverPosition, budget_ms: float
) -> HoverRequest:
    """Puts both questions; the server knows the snapshot's texts."""
    made: list[str] = []

    def params(encoding: str) -> Json:
        made.append(encoding)
        line, character = PositionConverter(snapshot, encoding).position(position.path, position.offset)
        uri = to_uri(workspace.absolute(position.path))
        return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}

    def outside(result: Json) -> tuple[LibraryDefinition, ...]:
        return tuple(_outside(workspace, snapshot, result, made[-1] if made else "utf-16"))

    return HoverRequest(
        upstream.checker.name,
        upstream.request("textDocument/hover", params),
        upstream.request("textDocument/definition", params),
        outside,
        time.monotonic() + budget_ms / 1000,
    )


def _await_answer(answer: Future[Json], until: float, check: Callable[[], object]) -> Json:
    while not answer.done() and time.monotonic() < until:
        check()
        wait([answer], timeout=min(_SLICE, max(until - time.monotonic(), 0)))
    try:
        return answer.result(0)
    except Exception:  # noqa: BLE001  whatever a server does, what graphls knows by itself is shown
        return None


def _code(result: Json) -> str:
    """The first stretch of code in a hover."""
    contents = mapping(result).get("contents")
    parts = items(contents) if isinstance(contents, list) else (contents,)
    for part in parts:
        one = mapping(part)
        code_block = text(part) or text(one.get("value"))
        fenced = _FENCE.search(code_block[: 4 * _LONGEST])
        if fenced is not None:
            code_block = fenced[2]
        elif not one.get("language") and one.get("kind") != "plaintext":
            continue
        code = code_block.strip()
        if code and code not in _UNKNOWN:
            return code if len(code) <= _LONGEST else f"{code[:_LONGEST]} ..."
    return ""


def _outside(workspace: Workspace, snapshot: Snapshot, result: Json, encoding: str) -> Iterator[LibraryDefinition]:
    units: Encoding = "utf-8" if encoding == "utf-8" else "utf-32" if encoding == "utf-32" else "utf-16"
    for one in locations(result):
        path = workspace.relative(one.path)
        raw = None if path in snapshot.shards else read_text(one.path, _LARGEST)
        if raw is not None:
            offset = partial(LineIndex(raw).offset, encoding=units)
            start, end = offset(*one.start), offset(*one.end)
            yield LibraryDefinition(one.path, raw, start, max(start, end), "", "", "", "")
