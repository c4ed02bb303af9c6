"""How fast a checker settles a workspace, what it takes, and how often each of our rules was right.

    python bench/checker.py ROOT [--environment FOLDER] [--modules] [--contradictions N] [--causes N] [--bare ROUNDS]

Links the workspace as a user has it, has the checker settle all uncertain sites (and with --modules judge all modules),
then prints figures as JSON, the precision of each rule, and the most frequent causes of rules that are wrong or silent.
With --bare the same questions go to a fresh checker from a client that does nothing else, then once more through
graphls, and so on: what the pipe and the checker allow.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
from bare_client import Question, Rate, bare_rate, processor_seconds
from linked import linked

from graphls.compilers.answers import SiteOutcome
from graphls.compilers.background import WINDOW, Background, CheckerProgress
from graphls.compilers.checkers import Checker, CheckerLookup, find_checkers
from graphls.compilers.child_process import Launch
from graphls.compilers.overlay import Overlay
from graphls.compilers.precision import contradictions, precision
from graphls.compilers.uncertain import sample_rows, uncertain_rows
from graphls.compilers.verifier import Verifier
from graphls.facts.kinds import Role, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.session.session import Session
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.environment import find_environment


def main() -> int:
    options = _options()
    root = Path(options.root).resolve()
    found = find_environment(str(root), options.environment).found
    chosen = CheckerSettings(name=options.checker, typescript_path=options.typescript)
    checkers = find_checkers(chosen, found, (str(root),))
    with linked(root, options.environment) as session:
        snapshot = session.snapshot()
        verifier = Verifier(session.workspace, checkers)
        run = _settled(verifier, snapshot, options.modules)
        overlay = verifier.overlay()
        _print_figures(snapshot, overlay, run)
        _print_rules(snapshot, overlay, options.contradictions)
        _print_causes(snapshot, overlay, options.causes)
        verifier.close()
        for _ in range(options.bare):
            _print_rates(session, snapshot, checkers)
    return 0


@attrs.define
class _Run:
    """What one pass over all sites took."""

    began: float
    ends: dict[str, float] = attrs.field(factory=dict[str, float])
    pid: int = 0
    peak: int = 0
    asked: int = 0
    checker_cpu: float = 0.0
    own_cpu: float = 0.0
    checkers: tuple[str, ...] = ()

    def rate(self) -> Rate:
        return Rate(self.asked, self.ends.get("sites", self.began) - self.began, self.checker_cpu, self.own_cpu)


def _settled(verifier: Verifier, snapshot: Snapshot, modules: bool) -> _Run:
    """Has everything settled by a checker that is started and knows nothing yet."""
    verifier.observe(snapshot)
    verifier.wait_ready(60)
    assert verifier.client is not None
    run = _Run(time.perf_counter(), pid=verifier.client.pids()[0])
    own, checker = time.process_time(), processor_seconds(run.pid)

    def report(progress: CheckerProgress) -> None:
        run.ends[progress.phase] = time.perf_counter()
        if progress.phase == "sites":
            run.asked = progress.asked
            run.own_cpu, run.checker_cpu = time.process_time() - own, processor_seconds(run.pid) - checker
        run.peak = max([run.peak, *(status.memory_bytes or 0 for status in verifier.status())])
        if progress.problem:
            sys.stderr.write(f"{progress.problem}\n")

    background = Background(verifier, report, check_modules=modules)
    background.work_on(snapshot)
    background.wait()
    run.checkers = tuple(f"{status.name} {status.version}" for status in verifier.status())
    return run


def _print_figures(snapshot: Snapshot, overlay: Overlay, run: _Run) -> None:
    kinds = Counter(
        "silent" if not answer.targets else "workspace" if any(goal.file for goal in answer.targets) else "outside"
        for checked in overlay.files.values()
        for answer in checked.rows.values()
    )
    paths, ends, checks = list(snapshot.files()), run.ends, overlay.checks
    figures = {
        "files": len(paths),
        "occurrences": sum(len(snapshot.facts(path).occurrences) for path in paths),
        "uncertain": sum(len(uncertain_rows(snapshot.facts(path), snapshot.own_links(path))) for path in paths),
        "sample": sum(len(sample_rows(snapshot.facts(path))) for path in paths),
        "answers": dict(kinds),
        "sites": run.rate().shown(),
        "modules_seconds": round(ends["modules"] - ends["sites"], 2) if "modules" in ends else None,
        "modules_clean": sum(check.clean for check in checks.values()) if checks else None,
        "checker_peak_mb": run.peak // 1_000_000,
        "own_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "checkers": run.checkers,
        "digest": overlay.digest,
    }
    print(json.dumps(figures, indent=1))


def _print_rates(session: Session, snapshot: Snapshot, checkers: Sequence[CheckerLookup]) -> None:
    """The bare client, then graphls again with a checker that knows nothing yet."""
    checker = next(one for one in checkers if isinstance(one, Checker))
    launch = Launch(checker.command, session.workspace.folders[0].root, checker.environment)
    bare = bare_rate(launch, list(_questions(session, snapshot)), WINDOW)
    verifier = Verifier(session.workspace, checkers)
    own = _settled(verifier, snapshot, modules=False).rate()
    verifier.close()
    shown = {"bare": bare.shown(), "graphls": own.shown(), "share": round(bare.seconds / own.seconds, 3)}
    print(json.dumps(shown), flush=True)


def _questions(session: Session, snapshot: Snapshot) -> Iterator[Question]:
    """All that the background asks, in its order."""
    for path in snapshot.files():
        facts, where = snapshot.facts(path), session.workspace.absolute(path)
        if snapshot.shards[path].language != "python":
            continue
        for row in sorted({*uncertain_rows(facts, snapshot.own_links(path)), *sample_rows(facts)}):
            yield where, *facts.line_column(facts.occurrences.start[row])


def _print_causes(snapshot: Snapshot, overlay: Overlay, most: int) -> None:
    """What contradictions, and answers about sites that graphls left open, have in common; the most frequent first."""
    causes: Counter[str] = Counter()
    for one in contradictions(snapshot, overlay):
        causes[
            f"rule {one.rule} {_role(snapshot, one.path, one.occurrence)}: {_sides(one.own)} | {_sides(one.checker)}"
        ] += 1
    for path, checked in overlay.files.items():
        unresolved = snapshot.own_links(path).unresolved
        for row, reason in zip(unresolved.occurrence, unresolved.reason, strict=True):
            answer = checked.rows.get(row)
            if answer is not None and answer.targets and answer.outcome is SiteOutcome.FOUND:
                where = "inside" if any(goal.file for goal in answer.targets) else "outside"
                causes[f"open {_role(snapshot, path, row)}: {UnresolvedReason(reason).name} | {where}"] += 1
    for cause, times in causes.most_common(most):
        print(f"{times:6} {cause}")


def _role(snapshot: Snapshot, path: FilePath, row: int) -> str:
    return Role(snapshot.facts(path).occurrences.role[row]).name.lower()


def _sides(spelled: tuple[str, ...]) -> str:
    """Where targets are, without their names."""
    return "+".join(sorted({"inside" if ":" in one or one.endswith(".py") else "outside" for one in spelled}))


def _print_rules(snapshot: Snapshot, overlay: Overlay, most: int) -> None:
    for row in precision(snapshot, overlay):
        total = row.right + row.wrong
        share = f"{row.right / total:.4f}" if total else "-"
        print(f"rule {row.rule:3} right {row.right:6} wrong {row.wrong:6} silent {row.silent:6} precision {share}")
    for one in list(contradictions(snapshot, overlay))[:most]:
        facts = snapshot.facts(one.path)
        line, column = facts.line_column(facts.occurrences.start[one.occurrence])
        name = facts.strings[facts.occurrences.name[one.occurrence]]
        print(
            f"{one.path}:{line + 1}:{column + 1} {name} rule {one.rule}: {', '.join(one.own)} | {', '.join(one.checker)}"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--environment", default="", help="folder of the virtual environment that the code uses")
    parser.add_argument("--checker", default="ty")
    parser.add_argument("--typescript", default="", help="the tsc of TypeScript 7; else the one on the PATH")
    parser.add_argument("--modules", action="store_true", help="judge whole modules too")
    parser.add_argument("--bare", type=int, default=0, metavar="ROUNDS", help="measure the pipe's own limit beside it")
    parser.add_argument("--causes", type=int, default=20, help="list so many of the most frequent causes")
    parser.add_argument("--contradictions", type=int, default=0, help="show so many")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
