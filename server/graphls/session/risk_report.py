"""Risk report: what history says of files and symbols, as faces show it.

Owns: which files a question is about, measures of symbols, the records of an answer.
Must not know: layout, arguments, the protocol.
Invariant: without history it is refused; a file without commits in the window is named, with no numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

import attrs

from graphls.analysis.git_signals import GitSignals, Reviewer, git_signals
from graphls.analysis.risk import (
    CoupledFile,
    FileRisk,
    HistoryWindow,
    RiskSignal,
    by_hotspot,
    day_of,
    file_risks,
    history_window,
    left_behind,
    suggested_reviewers,
)
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.annotation_views import LeftBehind
from graphls.queries.coverage import WorkspaceCoverage
from graphls.queries.line_history import SymbolChanges, symbol_changes
from graphls.queries.node_views import Presenter
from graphls.session.history import git_history
from graphls.session.process.pending_work import PendingWork
from graphls.sources.encodings import EncodingError, utf8_text
from graphls.sources.git_log import COMMITS, GitHistory
from graphls.sources.git_patches import LoggedPatch, file_patches
from graphls.sources.git_program import GitRefused, repository
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_MEMO = Memo["_SignalsMemo"]("git signals")
_READING = Memo["PendingWork[GitHistory]"]("history that is being read", rests_on_links=False)
_READING_FILES = Memo["PendingWork[_FileHistory]"]("history of files that is being read", rests_on_links=False)
_FileHistory: TypeAlias = tuple[Sequence[LoggedPatch], bytes]
"""What commits did to a file, and what it holds in the last of them."""


@attrs.frozen(kw_only=True)
class SymbolRisk:
    """Commits of the file's history that touched lines of the symbol itself, not of what it holds."""

    symbol: str
    kind: str
    file: str
    line: int | None
    commits: int
    authors: int
    last_seen: str


@attrs.frozen(kw_only=True)
class ReviewerView:
    """Somebody who knows the files. The score is the sum of its parts."""

    name: str
    email: str
    score: float
    authorship: float
    cochange: float
    recency: int
    paths: tuple[str, ...]
    last_seen: str


@attrs.frozen(kw_only=True)
class RiskReport:
    """Raw measures. `without_history`: files that were asked about and that the window has no commit of."""

    window: HistoryWindow
    files: tuple[FileRisk, ...]
    symbols: tuple[SymbolRisk, ...]
    reviewers: tuple[ReviewerView, ...]
    left_behind: tuple[LeftBehind, ...]
    without_history: tuple[str, ...]


@attrs.frozen(eq=False)
class _SignalsMemo:
    signals: GitSignals


def signals_of(
    workspace: Workspace, snapshot: Snapshot, store: BlobStore | None, commits: int = COMMITS, at: str = ""
) -> GitSignals:
    """Signals of every file, made once a state of the repository. `at`: the commit that the window ends with, "" for
    what is checked out. Raises NoHistory, and BudgetSpentError where git is not through: it goes on meanwhile."""
    reading = _READING.put_first(snapshot, PendingWork[GitHistory]())
    history = reading.result((commits, at), partial(git_history, workspace, store, commits, at))
    known = _MEMO.get(snapshot)
    if known is not None and known.signals.history == history:
        return known.signals
    made = git_signals(history)
    _MEMO.put(snapshot, _SignalsMemo(made))
    return made


def risk_report(
    snapshot: Snapshot,
    signals: GitSignals,
    paths: Sequence[str],
    symbols: Sequence[SymbolRisk] = (),
    *,
    limit: int = 20,
    change: bool = False,
    coverage: WorkspaceCoverage | None = None,
) -> RiskReport:
    """The measures of files. `change`: they are those of one change, so what it leaves alone matters. `coverage`: what
    reports say, a measure more."""
    ordered = by_hotspot(signals, paths)
    if change:  # what is read beside the code, a list of changes above all, changes most often and breaks least
        ordered = sorted(ordered, key=lambda path: not _is_code(snapshot, path))
    found = {one.file: _with_coverage(one, coverage) for one in file_risks(snapshot, signals, ordered[:limit])}
    asked = len(set(paths)) < len(snapshot.shards)
    return RiskReport(
        window=history_window(signals),
        files=tuple(found[path] for path in ordered[:limit]),
        symbols=tuple(symbols),
        reviewers=tuple(map(_reviewer, suggested_reviewers(signals, paths))) if asked else (),
        left_behind=left_behind_views(snapshot, signals, paths) if change else (),
        without_history=tuple(sorted(set(paths) - signals.files.keys()))[:limit] if asked else (),
    )


def _is_code(snapshot: Snapshot, path: str) -> bool:
    shard = snapshot.shards.get(FilePath(path))
    return shard is not None and bool(shard.language)


def left_behind_views(snapshot: Snapshot, signals: GitSignals, paths: Sequence[str]) -> tuple[LeftBehind, ...]:
    """Files that mostly change together with those of a change, and that it leaves alone."""
    return tuple(_left(*one) for one in left_behind(snapshot, signals, paths))


def symbol_risks(
    workspace: Workspace, snapshot: Snapshot, path: FilePath, only: SymbolRef | None = None
) -> tuple[SymbolRisk, ...]:
    """Symbols of a file with the commits that touched them; of one symbol, where only that is wanted. Empty where
    version control knows nothing of the file."""
    things = Presenter(snapshot)
    made: list[SymbolRisk] = []
    for one in changes_of_symbols(workspace, snapshot, path):
        place = SymbolRef(path, one.definition)
        if one.definition >= 0 and only in (None, place):
            node = things.node(place)
            if node.kind == "import":
                continue
            made.append(
                SymbolRisk(
                    symbol=node.symbol,
                    kind=node.what,
                    file=path,
                    line=node.line,
                    commits=one.commits,
                    authors=one.authors,
                    last_seen=day_of(one.last_seen),
                )
            )
    return tuple(made)


def changes_of_symbols(workspace: Workspace, snapshot: Snapshot, path: FilePath) -> tuple[SymbolChanges, ...]:
    """Symbols of a file with the commits that touched their lines; none where version control does not know it. Raises
    BudgetSpentError as `signals_of` does."""
    if not snapshot.shards[path].language:
        return ()
    reading = _READING_FILES.put_first(snapshot, PendingWork[_FileHistory]())
    try:
        patches, head = reading.result(path, partial(_file_history, workspace, path))
    except (GitRefused, EncodingError):
        return ()
    return symbol_changes(snapshot, path, patches, head)


def _file_history(workspace: Workspace, path: FilePath) -> _FileHistory:
    folder, parts = workspace.located(path)
    below, git = "/".join(parts), repository(folder.root)
    patches = file_patches(git, below)
    return patches, utf8_text(path, git.ask(("cat-file", "blob", f"HEAD:./{below}"))) if patches else b""


def _with_coverage(risk: FileRisk, coverage: WorkspaceCoverage | None) -> FileRisk:
    found = None if coverage is None else coverage.files.get(FilePath(risk.file))
    if found is None:
        return risk
    return attrs.evolve(risk, signals=(*risk.signals, RiskSignal("coverage", "coverage", found.file.measures)))


def _reviewer(one: Reviewer) -> ReviewerView:
    return ReviewerView(
        name=one.name,
        email=one.email,
        score=one.score,
        authorship=one.authorship,
        cochange=one.cochange,
        recency=one.recency,
        paths=one.paths,
        last_seen=day_of(one.last_seen),
    )


def _left(changed: str, other: CoupledFile) -> LeftBehind:
    return LeftBehind(changed=changed, file=other.file, count=other.count, share=other.share, hidden=other.hidden)
