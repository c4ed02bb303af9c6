"""Pack: how much of what real commits changed the packs show, beside a plain lexical ranking in the same run.

Owns: running a scorer with our command and with its baseline, one after the other, and its comparison.
Must not know: how packs are made or scored.
Invariant: both sides see the same tasks, trees and budgets.

    python bench/pack.py SCORER --tasks TASKS.jsonl --mirrors FOLDER --work FOLDER [--sample 3] [--git none]

SCORER is a folder with `score.py`, `report.py` and `baselines/bm25.py`; the mirrors are bare clones, OWNER+NAME.git.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

SERVER = Path(__file__).resolve().parent.parent / "server"


def main() -> int:
    ap = argparse.ArgumentParser(description="How much of what real commits changed the packs show.")
    ap.add_argument("scorer", type=Path)
    ap.add_argument("--tasks", type=Path, required=True)
    ap.add_argument("--mirrors", type=Path, required=True)
    ap.add_argument("--work", type=Path, required=True, help="scratch folder; results are kept in it")
    ap.add_argument("--sample", type=int, default=3, help="tasks a repository; 0: all")
    ap.add_argument("--repos", default="", help="comma-separated OWNER/NAME")
    ap.add_argument("--git", choices=("none", "history"), default="history", help="whether a tree has its own past")
    args = ap.parse_args()
    python = shlex.quote(sys.executable)
    ours = f"{python} -P -m graphls"
    baseline = f"{python} {shlex.quote(str(args.scorer / 'baselines' / 'bm25.py'))}"
    results = [
        _scored(args, "ours", f"{ours} index {{root}}", f"{ours} pack --root {{root}} --task {{task}}"
                " --budget {budget} --format json"),
        _scored(args, "bm25", f"{baseline} index --root {{root}} --state {{state}}", f"{baseline} pack --root {{root}}"
                " --state {state} --task {task} --budget {budget} --skip-tests"),
    ]  # fmt: skip
    report = [sys.executable, str(args.scorer / "report.py")]
    subprocess.run([*report, *results], check=True)
    return subprocess.run([*report, "--compare", *results], check=False).returncode


def _scored(args: argparse.Namespace, name: str, prepare: str, command: str) -> str:
    out = args.work / f"{name}.jsonl"
    call = [sys.executable, str(args.scorer / "score.py"), "--tasks", str(args.tasks), "--mirrors", str(args.mirrors)]
    call += ["--work", str(args.work / "trees"), "--name", name, "--out", str(out), "--sample", str(args.sample)]
    call += ["--git", args.git, "--repos", args.repos, "--prepare", prepare, "--cmd", command]
    environment = {**os.environ, "PYTHONPATH": str(SERVER), "GRAPHLS_CACHE_DIR": str(args.work / "cache")}
    subprocess.run(call, check=True, env=environment)
    return str(out)


if __name__ == "__main__":
    sys.exit(main())
