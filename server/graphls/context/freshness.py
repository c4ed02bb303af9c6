"""Freshness: whether a pack shows an edit that was made just before, and what asking again costs.

Owns: the edit that is tried, what counts as shown and as undone.
Must not know: sessions, where tasks come from, clocks.
Invariant: nothing is written; every edit is taken back before the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, TypeAlias

import attrs

from graphls.context.evaluation import Case, NeededDeclaration
from graphls.context.pack import PackRequest, pack
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

_NAME: Final = re.compile(rb"[A-Za-z_]\w*")
_BUDGET: Final = 2_000
_Edit: TypeAlias = tuple[FilePath, tuple[bytes, bytes], str]
"""Path, contents before and after, the new name."""


class Editor(Protocol):
    """Who holds buffers that nobody saved, and the graph with them."""

    def open(self, path: FilePath, data: bytes) -> None:
        """Have this text count instead of the file's."""
        ...

    def close_document(self, path: FilePath) -> None:
        """Have the file count again."""
        ...

    def snapshot(self) -> Snapshot:
        """The graph with everything that was opened."""
        ...


@attrs.frozen(kw_only=True)
class Freshness:
    """Declarations given another name in a buffer, and packs asked for by that name. Times in milliseconds."""

    edits: int
    shown: int
    """Packs that show the declaration under its new name."""
    undone: int
    """Packs that are what they were once the edit is taken back."""
    p50_ms: float
    p95_ms: float


def freshness(editor: Editor, cases: Sequence[Case], limit: int, clock: Callable[[], float]) -> Freshness:
    """Edits declarations that tasks needed, one after the other, and asks again after each."""
    visible = undone = 0
    times: list[float] = []
    for path, (old, new), name in _edits(editor.snapshot(), cases, limit):
        request = PackRequest(task=f"`{name}`", budget=_BUDGET)
        before = pack(editor.snapshot(), request)
        began = clock()
        editor.open(path, new)
        try:
            made = pack(editor.snapshot(), request)
            times.append((clock() - began) * 1000)
            visible += any(item.file == path and name in item.text for item in made.items)
            editor.open(path, old)
            undone += pack(editor.snapshot(), request) == before
        finally:
            editor.close_document(path)
    times.sort()
    ends = (times[len(times) // 2], times[int(len(times) * 0.95)]) if times else (0.0, 0.0)
    return Freshness(edits=len(times), shown=visible, undone=undone, p50_ms=round(ends[0], 1), p95_ms=round(ends[1], 1))


def _edits(snapshot: Snapshot, cases: Sequence[Case], limit: int) -> Iterator[_Edit]:
    """Path, contents and new name of one declaration of each task, as long as there are some."""
    done = 0
    for case in cases:
        found = next((edit for needed in case.needed if (edit := _edit(snapshot, needed))), None)
        if found is not None and done < limit:
            done += 1
            yield found


def _edit(snapshot: Snapshot, needed: NeededDeclaration) -> _Edit | None:
    text, facts = snapshot.text(needed.file), snapshot.facts(needed.file)
    for start, end in zip(facts.definitions.start, facts.definitions.end, strict=True):
        line, _ = facts.line_column(start)
        if text is not None and line + 1 == needed.name_line and _NAME.fullmatch(text[start:end]):
            name = text[start:end] + b"_edited"
            return needed.file, (text, text[:start] + name + text[end:]), name.decode()
    return None
