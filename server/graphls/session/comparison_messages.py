"""Comparison messages: settings and a difference as values that go from one process to another.

Owns: their order.
Must not know: processes, how records are compared.
Invariant: what was packed comes back equal, but for sequences in attributes, which are lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import cast

import cattrs

from graphls.facts.paths import FilePath
from graphls.graph.records import Edge, Node
from graphls.graph.wire import line_of, record_of
from graphls.queries.answer import Coverage
from graphls.queries.diff import ChangedRecord, Difference
from graphls.settings import Settings

_Lines = Sequence[str]


@cache
def _converter() -> cattrs.Converter:
    return cattrs.Converter()


def plain_settings(settings: Settings) -> object:
    """Settings as plain values."""
    return _converter().unstructure(settings)


def settings_of(plain: object) -> Settings:
    """The settings of which these values were made."""
    return _converter().structure(plain, Settings)


def message_of(found: Difference) -> Sequence[object]:
    """A difference as plain values."""
    return (
        (found.before, found.after),
        (found.files_added, found.files_removed, found.files_changed, found.without_flow),
        tuple(map(line_of, found.added)),
        tuple(map(line_of, found.removed)),
        tuple((line_of(pair.before), line_of(pair.after), pair.fields) for pair in found.changed),
        (found.moved, *found.counts),
        dict(found.names),
        (found.coverage.truncated, found.coverage.omitted, found.coverage.empty),
    )


def difference_of(message: Sequence[object]) -> Difference:
    """The difference of which the message was made."""
    states, files, added, removed, changed, numbers, names, coverage = message
    before, after = cast("tuple[str, str]", states)
    files_added, files_removed, files_changed, without_flow = cast("tuple[tuple[FilePath, ...], ...]", files)
    moved, *counts = cast("tuple[int, ...]", numbers)
    truncated, omitted, empty = cast("tuple[bool, int, bool]", coverage)
    return Difference(
        before=before,
        after=after,
        files_added=files_added,
        files_removed=files_removed,
        files_changed=files_changed,
        added=tuple(map(_record, cast("_Lines", added))),
        removed=tuple(map(_record, cast("_Lines", removed))),
        changed=tuple(
            ChangedRecord(_record(one), _record(other), fields)
            for one, other, fields in cast("Sequence[tuple[str, str, tuple[str, ...]]]", changed)
        ),
        moved=moved,
        names=cast("Mapping[str, str]", names),
        without_flow=without_flow,
        counts=(counts[0], counts[1], counts[2]),
        coverage=Coverage(truncated=truncated, omitted=omitted, empty=empty),
    )


def _record(line: str) -> Node | Edge:
    return cast("Node | Edge", record_of(line))
