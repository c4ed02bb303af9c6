"""Changed view: what edits touch and reach, as faces for people and agents show it.

Owns: the records of an answer; lines count from 1, the last is included.
Must not know: layout, JSON, how anything was found.
Invariant: a hunk without lines of its own says where something was taken out: it ends before it starts.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from graphls.graph.diagnoses import diagnostic_counts
from graphls.queries.annotation_views import ChangeNotes
from graphls.queries.changed import ChangedFile, ChangedImpact
from graphls.queries.impact_view import Reached, by_depth, count_tests, reached_views
from graphls.queries.node_views import NodeView, Presenter
from graphls.queries.similar import SimilarSymbols
from graphls.queries.similar_view import SimilarRow, similar_rows
from graphls.queries.symbol_deltas import SymbolDelta, SymbolState


@attrs.frozen(kw_only=True)
class Stretch:
    """Lines that stand where `removed` lines stood."""

    start_line: int
    end_line: int
    removed: int


@attrs.frozen(kw_only=True)
class TouchedFile:
    """One file. `reason` says why it has no symbols here."""

    file: str
    status: str
    old_file: str | None
    hunks: tuple[Stretch, ...]
    reason: str


@attrs.frozen(kw_only=True)
class TouchedSymbol:
    """The innermost symbol around changed lines."""

    lines: int
    added: bool
    node: NodeView
    diagnostics: int = 0
    """What the text, a checker and logs of linters say is wrong with it."""


@attrs.frozen(kw_only=True)
class GoneSymbol:
    """A name that is gone; `mentioned_in` lists at most 20 of the files that still spell it."""

    file: str
    name: str
    kind: str
    mentions: int
    mentioned_in: tuple[str, ...]


@attrs.frozen(kw_only=True)
class SymbolChange:
    """What became of one symbol: where it stood before and stands now, with the hashes of its text."""

    file: str
    symbol: str
    name: str
    language: str
    node_kind: str
    kind: str
    action: str
    before: SymbolState | None
    after: SymbolState | None
    line_delta: int
    drift: str


@attrs.frozen(kw_only=True)
class ChangesView:
    """What was compared, what changed, and what it may reach, nearest first."""

    changes: str
    base: str
    files: tuple[TouchedFile, ...]
    symbols: tuple[TouchedSymbol, ...]
    removed: tuple[GoneSymbol, ...]
    packages: tuple[str, ...]
    counts: tuple[int, ...] | None
    """Nodes at each distance; null where the answer was cut, for nobody counted the rest."""
    tests: int | None
    """Likewise."""
    importers: int | None
    """Bindings of imports, and modules, that only bring in what is affected; likewise."""
    affected: tuple[Reached, ...]
    similar: tuple[SimilarRow, ...] = ()
    """Of code that is not written yet: what is there and is like it."""
    notes: ChangeNotes | None = None
    """What is on record of what changed; null where nobody looked."""
    deltas: tuple[SymbolChange, ...] | None = None
    """Added, deleted and modified symbols, without those of files whose earlier text is unknown; null where nobody
    looked at the state before."""


def changes_view(
    presenter: Presenter,
    found: ChangedImpact,
    changes: str,
    base: str = "",
    like: SimilarSymbols | None = None,
    *,
    notes: ChangeNotes | None = None,
    deltas: Sequence[SymbolDelta] | None = None,
) -> ChangesView:
    """The records of an answer."""
    affected = reached_views(presenter, found.affected)
    wrong = diagnostic_counts(presenter.snapshot, (node.place for node in found.nodes))
    return ChangesView(
        changes=changes,
        base=base,
        files=tuple(_file(file) for file in found.files),
        symbols=tuple(
            TouchedSymbol(
                lines=node.lines,
                added=node.added,
                node=presenter.node(node.place),
                diagnostics=wrong.get(node.place, 0),
            )
            for node in found.nodes
        ),
        removed=tuple(
            GoneSymbol(
                file=gone.file,
                name=gone.qualified,
                kind=gone.kind,
                mentions=gone.mentions,
                mentioned_in=gone.mentioned_in,
            )
            for gone in found.removed
        ),
        packages=found.packages,
        counts=None if found.coverage.truncated else by_depth(found.affected),
        tests=None if found.coverage.truncated else count_tests(affected),
        importers=None if found.coverage.truncated else len(found.importers),
        affected=affected,
        similar=() if like is None else similar_rows(presenter, like),
        notes=notes,
        deltas=None if deltas is None else tuple(map(_symbol_change, deltas)),
    )


def _symbol_change(one: SymbolDelta) -> SymbolChange:
    return SymbolChange(
        file=one.file,
        symbol=one.symbol,
        name=one.name,
        language=one.language,
        node_kind=one.node_kind,
        kind=one.kind,
        action=one.action,
        before=one.before,
        after=one.after,
        line_delta=one.delta,
        drift=one.drift,
    )


def _file(file: ChangedFile) -> TouchedFile:
    return TouchedFile(
        file=file.edit.path,
        status=file.edit.status,
        old_file=file.edit.old_path,
        hunks=tuple(Stretch(start_line=hunk.start + 1, end_line=hunk.end, removed=hunk.removed) for hunk in file.hunks),
        reason=file.reason,
    )
