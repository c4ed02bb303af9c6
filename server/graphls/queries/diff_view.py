"""Diff view: a difference as every face writes it.

Owns: the form of its records.
Must not know: how records are compared, protocols, layout.
Invariant: a record stands there as an export writes it.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from graphls.graph.wire import to_wire
from graphls.queries.diff import ChangedRecord, Difference


@attrs.frozen
class DiffView:
    """A difference. `counts`: added, removed, changed records, before the limit; `moved`: only elsewhere."""

    before: str
    after: str
    files_added: tuple[str, ...]
    files_removed: tuple[str, ...]
    files_changed: tuple[str, ...]
    moved: int
    counts: tuple[int, ...]
    added: tuple[Mapping[str, object], ...]
    removed: tuple[Mapping[str, object], ...]
    changed: tuple[Mapping[str, object], ...]
    names: Mapping[str, str]
    """How people write what stands at the ends of edges, by id."""
    without_flow: tuple[str, ...]
    """Files whose calls by flow were not compared, as there was no time for them."""


def diff_view(found: Difference) -> DiffView:
    """The form of a difference."""
    return DiffView(
        before=found.before,
        after=found.after,
        files_added=found.files_added,
        files_removed=found.files_removed,
        files_changed=found.files_changed,
        moved=found.moved,
        counts=found.counts,
        added=tuple(to_wire(record) for record in found.added),
        removed=tuple(to_wire(record) for record in found.removed),
        changed=tuple(_change(record) for record in found.changed),
        names=found.names,
        without_flow=found.without_flow,
    )


def _change(record: ChangedRecord) -> dict[str, object]:
    return {"fields": record.fields, "before": to_wire(record.before), "after": to_wire(record.after)}
