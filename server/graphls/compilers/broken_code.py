"""Broken code: stretches of a document that a server does not understand, where its answers may be guesses.

Owns: the question for what is wrong with a document, put once for all sites of it; whether a site is reached.
Must not know: processes, what the answers are for.
Invariant: an answer stands only where the server said after the question that all around it makes sense.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final

from graphls.compilers.connection import CheckerProblem
from graphls.compilers.locations import from_uri
from graphls.compilers.wire import Json, items, mapping, number, text
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind

Stretch = tuple[tuple[int, int], tuple[int, int]]
"""Line and character of the start and the end."""
_ERROR: Final = 1
_CALLABLES: Final = frozenset({DefinitionKind.FUNCTION, DefinitionKind.METHOD})
_MOST_DOCUMENTS: Final = 500


class PublishedErrors:
    """What a server said last of the documents it has. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Stretch, ...]] = {}

    def receive(self, params: Mapping[str, Json]) -> None:
        """`textDocument/publishDiagnostics`."""
        path = from_uri(text(params.get("uri")))
        found = tuple(_stretch(one) for one in map(mapping, items(params.get("diagnostics"))) if _is_error(one))
        with self._lock:
            self._known.pop(path, None)
            self._known[path] = found
            while len(self._known) > _MOST_DOCUMENTS:
                del self._known[next(iter(self._known))]

    def of(self, path: str) -> tuple[Stretch, ...] | None:
        """Of a document by its absolute path; None where nothing was said."""
        with self._lock:
            return self._known.get(path)


class ErrorsQuestion:
    """What is wrong with one document, asked when the first site of it wants to know. Safe to use from any thread."""

    def __init__(self, put: Callable[[Callable[[Json, CheckerProblem | None], object]], None]) -> None:
        """`put` sends the question."""
        self._put = put
        self._lock = threading.Lock()
        self._waiting: list[Callable[[str], None]] = []
        self._asked = False
        self._answered: str | None = None

    def when_known(self, done: Callable[[str], None]) -> None:
        """Calls `done` once, with "" or why nothing is known."""
        with self._lock:
            first, self._asked = not self._asked, True
            if self._answered is None:
                self._waiting.append(done)
        if first:
            self._put(self._receive)
        elif self._answered is not None:
            done(self._answered)

    def _receive(self, result: Json, problem: CheckerProblem | None) -> None:
        with self._lock:
            self._answered = "" if problem is None else str(problem) or "the checker did not answer"
            waiting, self._waiting = self._waiting, []
        for done in waiting:
            done(self._answered)


def surroundings(facts: FileFacts, row: int) -> tuple[int, int] | None:
    """The stretch that decides what an occurrence means, beside what is declared: the outermost function around it,
    else the type, else (None) the file."""
    table = facts.definitions
    at = facts.occurrences.owner[row]
    inner, outer = at, -1
    while at >= 0:
        if table.kind[at] in _CALLABLES:
            outer = at
        at = table.owner[at]
    chosen = outer if outer >= 0 else inner
    return (table.full_start[chosen], table.full_end[chosen]) if chosen >= 0 else None


def _is_error(problem: Mapping[str, Json]) -> bool:
    return number(problem.get("severity"), _ERROR) == _ERROR


def _stretch(problem: Mapping[str, Json]) -> Stretch:
    span = mapping(problem.get("range"))
    start, end = mapping(span.get("start")), mapping(span.get("end"))
    return (
        (number(start.get("line")), number(start.get("character"))),
        (number(end.get("line")), number(end.get("character"))),
    )
