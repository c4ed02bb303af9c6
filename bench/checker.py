"""How fast a checker settles a workspace, what it takes, and how often each of our rules was right.

    python bench/checker.py ROOT [--environment FOLDER] [--modules] [--contradictions N]

Reads every file below ROOT that has a language, links it, has the checker settle all uncertain sites (and with
--modules judge all modules), then prints figures as JSON and the precision of each rule.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections import Counter
from pathlib import Path

from graphls.compilers.background import Background, Progress
from graphls.compilers.checkers import find_checkers
from graphls.compilers.precision import contradictions, precision
from graphls.compilers.uncertain import sample_rows, uncertain_rows
from graphls.compilers.verifier import Verifier
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import provider_for
from graphls.session.memory import snapshot_of
from graphls.settings.tree import Checker as CheckerSettings
from graphls.sources.environment import find_environment
from graphls.sources.workspace import Workspace

IGNORED = {".git", ".venv", "venv", "node_modules", "__pycache__"}


def main() -> int:
    options = _options()
    root = str(Path(options.root).resolve())
    snapshot = _read(Path(root))
    started = time.monotonic()
    own = {path: snapshot.links(path) for path in snapshot.files()}
    linking = time.monotonic() - started
    found = find_environment(root, options.environment).found
    chosen = CheckerSettings(name=options.checker, typescript_path=options.typescript)
    verifier = Verifier(Workspace.of([root]), find_checkers(chosen, found, (root,)))
    peak = [0]
    ends: dict[str, float] = {}

    def report(progress: Progress) -> None:
        ends[progress.phase] = time.monotonic()
        peak[0] = max([peak[0], *(status.memory_bytes or 0 for status in verifier.status())])
        if progress.problem:
            sys.stderr.write(f"{progress.problem}\n")

    started = time.monotonic()
    background = Background(verifier, report, check_modules=options.modules)
    background.work_on(snapshot)
    background.wait()
    overlay = verifier.overlay()
    kinds = Counter(
        "silent" if not answer.goals else "workspace" if any(goal.file for goal in answer.goals) else "outside"
        for checked in overlay.files.values()
        for answer in checked.rows.values()
    )
    asked = sum(kinds.values())
    seconds = ends.get("sites", started) - started
    figures = {
        "files": len(own),
        "occurrences": sum(len(snapshot.facts(path).occurrences) for path in own),
        "uncertain": sum(len(uncertain_rows(snapshot.facts(path), own[path])) for path in own),
        "sample": sum(len(sample_rows(snapshot.facts(path))) for path in own),
        "answers": dict(kinds),
        "linking_seconds": round(linking, 2),
        "sites_seconds": round(seconds, 2),
        "sites_per_second": round(asked / seconds) if seconds else None,
        "modules_seconds": round(ends["modules"] - ends["sites"], 2) if "modules" in ends else None,
        "modules_clean": sum(check.clean for check in overlay.checks.values()) if options.modules else None,
        "checker_peak_mb": peak[0] // 1_000_000,
        "own_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "checkers": [f"{status.name} {status.version}" for status in verifier.status()],
        "digest": overlay.digest,
    }
    print(json.dumps(figures, indent=1))
    for row in precision(snapshot, overlay):
        total = row.right + row.wrong
        share = f"{row.right / total:.4f}" if total else "-"
        print(f"rule {row.rule:3} right {row.right:6} wrong {row.wrong:6} silent {row.silent:6} precision {share}")
    for one in list(contradictions(snapshot, overlay))[: options.contradictions]:
        facts = snapshot.facts(one.path)
        line, column = facts.line_column(facts.occurrences.start[one.occurrence])
        name = facts.strings[facts.occurrences.name[one.occurrence]]
        print(
            f"{one.path}:{line + 1}:{column + 1} {name} rule {one.rule}: {', '.join(one.own)} | {', '.join(one.said)}"
        )
    verifier.close()
    return 0


def _read(root: Path) -> Snapshot:
    texts: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if provider_for(FilePath(name)) and not IGNORED & set(name.split("/")) and path.is_file():
            texts[name] = path.read_bytes()
    return snapshot_of(texts)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--environment", default="", help="folder of the virtual environment that the code uses")
    parser.add_argument("--checker", default="ty")
    parser.add_argument("--typescript", default="", help="the tsc of TypeScript 7; else the one on the PATH")
    parser.add_argument("--modules", action="store_true", help="judge whole modules too")
    parser.add_argument("--contradictions", type=int, default=0, help="show so many")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
