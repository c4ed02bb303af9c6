"""Intelligence: what history, health, clones and communities cost, at first, again, and after an edit of one function.

    python bench/intelligence.py ROOT [--edit PATH] [--cache FOLDER]

Owns: CPU of each question in one process, over a workspace that is linked, and its peak of memory.
Must not know: what the answers mean.
Invariant: the edit is that of an editor; what a server does for it anyway is done before the questions.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from linked import linked

from graphls.analysis.communities import file_communities
from graphls.analysis.git_signals import GitSignals, git_signals
from graphls.analysis.health import HealthInput, workspace_health
from graphls.analysis.risk import hidden_couplings
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.clone_families import clone_families, clones_elsewhere
from graphls.session.comparing import NoHistory
from graphls.session.history import git_history
from graphls.session.session import Session

_EDITS = 6


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("root", type=Path)
    arguments.add_argument(
        "--edit", default="", help="a file whose first function is edited; the largest, if not given"
    )
    arguments.add_argument("--cache", default="", help="where links of an earlier run may be; dropped, if not given")
    given = arguments.parse_args()
    with linked(given.root, cache=given.cache) as session:
        snapshot = session.snapshot()
        print(f"{len(snapshot.shards)} files, peak {_peak()} MB")
        signals = _history(session)
        for when in ("cold", "again"):
            print(when, *(f"{name} {seconds:.2f} s" for name, seconds in _asked(snapshot, signals)), sep="  ")
        path = FilePath(given.edit) if given.edit else _largest(snapshot)
        session.open(path, snapshot.text(path) or b"")
        for number in range(_EDITS):
            session.change(path, _edited(snapshot, path, number))
            session.wait("complete", 60)
            # What the editor asks for after each edit is no part of this.
            after = session.snapshot(path)
            after.links(path)
            rows = _asked(after, signals)
            whole = sum(seconds for _, seconds in rows)
            print(
                f"edit {number} of {path}",
                *(f"{name} {s:.3f} s" for name, s in rows),
                f"in all {whole:.3f} s",
                sep="  ",
            )
        print(f"peak {_peak()} MB")


def _history(session: Session) -> GitSignals | None:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.process_time()
    try:
        signals = git_signals(git_history(session.workspace, None))
    except NoHistory:
        print("no history")
        return None
    own = time.process_time() - begun
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    git = now.ru_utime + now.ru_stime - children.ru_utime - children.ru_stime
    print(f"history of {len(signals.history.commits)} commits: git {git:.2f} s, graphls {own:.2f} s")
    return signals


def _asked(snapshot: Snapshot, signals: GitSignals | None) -> list[tuple[str, float]]:
    """CPU of each question."""
    views = Views(snapshot)

    clones: Mapping[SymbolRef, int] = {}

    def copies() -> None:
        nonlocal clones
        clones = clones_elsewhere(clone_families(snapshot))

    def health() -> object:
        hidden: Mapping[FilePath, int] = {} if signals is None else hidden_couplings(snapshot, signals)
        return workspace_health(views, HealthInput(signals=signals, coverage=None, clones=clones, hidden=hidden))

    questions: tuple[tuple[str, Callable[[], object]], ...] = (
        ("clones", copies),
        ("health", health),
        ("communities", lambda: file_communities(views, signals)),
    )
    rows: list[tuple[str, float]] = []
    for name, ask in questions:
        begun = time.process_time()
        ask()
        rows.append((name, time.process_time() - begun))
    return rows


def _largest(snapshot: Snapshot) -> FilePath:
    code = [path for path in snapshot.files() if len(snapshot.facts(path).metrics.definition)]
    return max(code, key=lambda path: len(snapshot.text(path) or b""))


def _edited(snapshot: Snapshot, path: FilePath, number: int) -> bytes:
    """The text with one more statement at the end of its last function."""
    text, facts = snapshot.text(path) or b"", snapshot.facts(path)
    end = facts.definitions.full_end[max(facts.metrics.definition, key=lambda row: facts.definitions.full_end[row])]
    line = text[text.rfind(b"\n", 0, end) + 1 : end]
    indent = line[: len(line) - len(line.lstrip())]
    if text[end - 1 : end] == b"}":
        return text[: end - 1] + b"let edited = %d;" % number + text[end - 1 :]
    return text[:end] + b"\n" + indent + b"edited = %d" % number + text[end:]


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
