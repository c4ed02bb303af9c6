"""Selected commits: the tests that a record of test runs names for real commits, against those that run what changed.

    python bench/selected_commits.py REPOSITORY --python PYTHON [--only PREFIX] [--tests TESTS] [--commits N] [--age N]

REPOSITORY is a clone with its history, PYTHON an interpreter that runs its tests and has graphls.

For each of the newest N commits that change functions below the prefix: at the commit AGE before its parent (0: at the
parent itself) all tests run with `--graphls-record`; at the commit they run with `bench/selection.py`, which writes what
each test ran. A function changed if its tree differs from that at the parent, docstrings apart, or if it is new.
Printed for each commit and in all: of the tests that ran a changed function, how many are selected with the record and
by the graph alone (recall); the share of the suite that each selects, beside the share that had to be.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", *arguments], cwd=root, capture_output=True, text=True, check=True
    ).stdout


def _commits(root: Path, only: str, count: int) -> Iterator[str]:
    """Commits with one parent that change Python files below a prefix."""
    found = 0
    for commit in _git(root, "log", "--no-merges", "--format=%H", "-n", "400", "--", only or ".").split():
        names = _git(root, "diff", "--name-only", f"{commit}~1", commit).split()
        if any(name.startswith(only) and name.endswith(".py") for name in names):
            yield commit
            found += 1
            if found == count:
                return


def _pytest(python: str, root: Path, tests: Sequence[str], arguments: Sequence[str], **more: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(HERE), str(root / "src"), str(root))), **more}
    command = [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", *arguments, *tests]
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=900)
    return (run.stdout.strip().splitlines() or [""])[-1]


def _selected(root: Path, base: str) -> tuple[set[str], list[str], Any]:
    """Ids for what changed since a commit, why all are to run, and what was used of a record."""
    command = [sys.executable, "-m", "graphls", "changed", base, "--tests", "--within", "0", "--format", "json"]
    run = subprocess.run([*command, "--root", str(root)], capture_output=True, text=True, check=False, timeout=900)
    if run.returncode != 0:
        raise SystemExit(run.stderr)
    value = json.loads(run.stdout)
    return {one for test in value["tests"] for one in test["ids"]}, value["whole"], value["record"]


def _functions(root: Path, path: str) -> Mapping[str, str]:
    """By qualified name what functions of a file do: their trees without docstrings."""
    found: dict[str, str] = {}

    def visit(node: ast.AST, around: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                visit(child, f"{around}{child.name}.<locals>.")
                if ast.get_docstring(child) is not None:
                    child.body = child.body[1:]
                found[f"{around}{child.name}"] = found.get(f"{around}{child.name}", "") + ast.dump(child)
            else:
                visit(child, f"{around}{child.name}." if isinstance(child, ast.ClassDef) else around)

    if (root / path).exists():
        visit(ast.parse((root / path).read_text(encoding="utf-8")), "")
    return found


def _changed_functions(root: Path, base: str, only: str) -> set[tuple[str, str]]:
    """Functions that are there and do something else than at the base, or are new."""
    commit = _git(root, "rev-parse", "HEAD").strip()
    names = _git(root, "diff", "--name-only", "--no-renames", base).split()
    paths = [name for name in names if name.startswith(only) and name.endswith(".py")]
    after = {path: _functions(root, path) for path in paths}
    _git(root, "checkout", "-q", "--force", base)
    before = {path: _functions(root, path) for path in paths}
    _git(root, "checkout", "-q", "--force", commit)
    return {(path, name) for path in paths for name, tree in after[path].items() if before[path].get(name) != tree}


def _wanted(ran: Path, changed: set[tuple[str, str]]) -> tuple[set[str], set[str]]:
    """The tests that ran a function that changed, and all tests."""
    wanted, every = set[str](), set[str]()
    for line in ran.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        every.add(row["test"])
        if any((file, name) in changed for file, _, name in row["ran"]):
            wanted.add(row["test"])
    return wanted, every


def main() -> None:
    """See the head of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--tests", default="tests", help="arguments of pytest")
    parser.add_argument("--commits", type=int, default=10)
    parser.add_argument("--age", type=int, default=0)
    parser.add_argument("--alone", action="store_true", help="ask the graph alone too")
    given = parser.parse_args()
    tests = given.tests.split()
    totals: dict[str, list[float]] = {"record": [], "alone": [], "needed": []}
    pairs = {"record": [0, 0], "alone": [0, 0]}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        subprocess.run(["git", "clone", "-q", str(given.repository), str(root)], check=True)
        (root / ".git/info/exclude").write_text(".graphls/\n")
        for commit in _commits(root, given.only, given.commits):
            parent = f"{commit}~1"
            _git(root, "checkout", "-q", "--force", f"{commit}~{given.age + 1}")
            shutil.rmtree(root / ".graphls", ignore_errors=True)
            recorded = _pytest(given.python, root, tests, ["-p", "graphls.pytest", "--graphls-record"])
            _git(root, "checkout", "-q", "--force", commit)
            out = Path(folder) / "ran.jsonl"
            _pytest(given.python, root, tests, ["-p", "selection"], SELECTION_ROOT=str(root), SELECTION_OUT=str(out))
            wanted, every = _wanted(out, _changed_functions(root, parent, given.only))
            if not wanted or not (root / ".graphls").exists():
                print(f"{commit[:10]} nothing to measure: {len(wanted)} tests ran what changed; {recorded}")
                continue
            row = [f"{commit[:10]} {len(wanted)} of {len(every)} tests ran what changed"]
            totals["needed"].append(len(wanted) / len(every))
            _git(root, "clean", "-fdq")  # what tests left
            asked = ["record", "alone"] if given.alone else ["record"]
            for how in asked:
                if how == "alone":
                    shutil.rmtree(root / ".graphls")
                ids, whole, used = _selected(root, parent)
                ids = set(every) if whole else ids & every
                totals[how].append(len(ids) / len(every))
                pairs[how][0] += len(ids & wanted)
                pairs[how][1] += len(wanted)
                missed = sorted(wanted - ids)
                row.append(
                    f"{how} {len(ids)}{f' ({whole[0]})' if whole else ''}, recall {len(ids & wanted) / len(wanted):.3f}"
                    + (f" (missed {missed[0]})" if missed else "")
                    + (f", {used['undecided']} undecided" if used else "")
                )
            print("; ".join(row), flush=True)
    for how, shares in totals.items():
        if shares:
            recall = f", recall {pairs[how][0] / pairs[how][1]:.4f} of {pairs[how][1]}" if how in pairs else ""
            print(f"{how}: share median {statistics.median(shares):.3f}, mean {statistics.mean(shares):.3f}{recall}")


if __name__ == "__main__":
    main()
