"""Growth: what a line costs when a workspace is many times as large.

Owns: copies of real packages under other package names, the figures of each size beside those of one copy.
Must not know: what the numbers should be.
Invariant: the folder given is only read; each size has a cache of its own, and starts are processes of their own.

    python bench/growth.py ROOT [--copies 1 4 16] [--installed] [--at FOLDER]

In each copy the top packages of ROOT have names of their own, and so have the words of the sources that name them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVER = str(HERE.parent / "server")
INSTALLED = "--installed" in sys.argv
"""Measures the package of the environment, compiled or not, and not the sources beside this script."""
if SERVER not in sys.path and not INSTALLED:
    sys.path.insert(0, SERVER)

from graphls.facts.paths import FilePath  # noqa: E402
from graphls.session.session import Session  # noqa: E402
from graphls.sources.workspace import Workspace  # noqa: E402
from graphls.store.blobs import BlobStore, StoreOptions  # noqa: E402


def top_packages(root: Path) -> list[Path]:
    """Packages that are in no other package, the tests' own aside: those name modules for themselves only."""
    above = {path.parent for path in root.rglob("__init__.py")}
    return sorted(path for path in above if path.parent not in above and "tests" not in path.relative_to(root).parts)


def copy(root: Path, into: Path, number: int) -> int:
    """One copy with names of its own; the number of its lines."""
    packages = top_packages(root)
    names = sorted({package.name for package in packages}, key=len, reverse=True)
    word = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})(?=\W)") if names else None
    target = into / f"copy{number}"
    shutil.copytree(root, target, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    lines = 0
    for path in target.rglob("*.py"):
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        lines += text.count("\n")
        path.write_text(word.sub(rf"\1_{number}", text) if word else text, "utf-8")
    for package in packages:
        here = target / package.relative_to(root)
        here.rename(here.with_name(f"{package.name}_{number}"))
    return lines


def started(root: Path, cache: str, *more: str) -> dict[str, float]:
    """Figures of one start, as `bench/indexing.py` takes them."""
    installed = ["--installed"] if INSTALLED else []
    command = [sys.executable, str(HERE / "indexing.py"), str(root), "--start", cache, *more, *installed]
    environment = {**os.environ, "PYTHONPATH": "" if INSTALLED else SERVER}
    answered = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(answered.stdout.splitlines()[-1])


def largest_file(root: Path) -> Path:
    """Where the questions and the edit are."""
    return max(root.rglob("*.py"), key=lambda path: (path.stat().st_size, path.as_posix()))


def one_more_function(root: Path) -> FilePath:
    """The smallest change of a surface, in the largest file, which is named."""
    largest = largest_file(root)
    with largest.open("a", encoding="utf-8") as file:
        file.write("\n\ndef added_by_growth():\n    return 1\n")
    return FilePath(largest.relative_to(root).as_posix())


def edited(root: Path, cache: str) -> float:
    """CPU seconds of a session at rest until one more function is read and all is linked again."""
    session = Session(Workspace.of([str(root)]), store=BlobStore(StoreOptions(folder=cache)))
    session.start()
    session.wait("complete")
    before = -1.0
    while (now := time.process_time()) - before > 0.03:
        before = now
        time.sleep(2)
    changed = one_more_function(root)
    before = time.process_time()
    session.files_changed([changed])
    session.wait("complete")
    assert not session.worker_processes()
    took = time.process_time() - before
    session.close()
    return took


def in_process(root: Path, cache: str) -> float:
    """`edited` in a process of its own."""
    command = [sys.executable, __file__, str(root), "--edit", cache, *(["--installed"] if INSTALLED else [])]
    answered = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(answered.stdout.splitlines()[-1])


def measure(root: Path, copies: int, at: str) -> dict[str, float]:
    """A cold start, a second start, and one function more in a session that runs.

    A cold start counts until all is linked and written: of many copies most is written before all is linked.
    """
    with tempfile.TemporaryDirectory(dir=at or None) as folder:
        space, cache = Path(folder, "space"), str(Path(folder, "cache"))
        space.mkdir()
        lines = sum(copy(root, space, number) for number in range(copies))
        question = largest_file(space).relative_to(space).as_posix()
        cold = started(space, cache, "--watched")
        warm = started(space, cache, "--question", question)
        seen = started(space, cache, "--watched", "--question", question)
        added = in_process(space, cache)
    return {
        "copies": copies,
        "lines": lines,
        "cpu_s": cold["rested_cpu"],
        "us_a_line": cold["rested_cpu"] / lines * 1e6,
        "ready_us_a_line": cold["ready_cpu"] / lines * 1e6,
        "peak_mb": cold["peak_mb"],
        "steady_mb": cold["steady_mb"],
        "parent_cpu_s": cold["parent_cpu"],
        "warm_first_s": warm["first_definition"],
        "warm_first_cpu_s": warm["first_definition_cpu"],
        "warm_cpu_s": warm["complete_cpu"],
        "warm_peak_mb": seen["peak_mb"],
        "added_cpu_s": added,
        "added_share": added / cold["rested_cpu"],
    }


def table(rows: Sequence[dict[str, float]]) -> str:
    """One column a size."""
    names = list(rows[0])
    lines = ["".join([f"{name:18}", *(f"{row[name]:14,.3f}" for row in rows)]) for name in names]
    ratio = [row["us_a_line"] / rows[0]["us_a_line"] for row in rows]
    further = [_further(before, row) / rows[0]["us_a_line"] for before, row in pairwise(rows)]
    return "\n".join(
        [
            *lines,
            "".join([f"{'a line, of one':18}", *(f"{value:14.3f}" for value in ratio)]),
            "".join([f"{'a further line':18}", " " * 14, *(f"{value:14.3f}" for value in further)]),
        ]
    )


def _further(smaller: dict[str, float], larger: dict[str, float]) -> float:
    """Microseconds that each line more cost."""
    return (larger["cpu_s"] - smaller["cpu_s"]) / (larger["lines"] - smaller["lines"]) * 1e6


def main() -> None:
    """Prints the table again after each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--at", default="", help="an existing folder for the copies; the system's otherwise")
    parser.add_argument("--edit", default="")
    chosen = parser.parse_args()
    if chosen.edit:
        print(edited(chosen.root, chosen.edit))
        return
    rows: list[dict[str, float]] = []
    for copies in chosen.copies:
        rows.append(measure(chosen.root.resolve(), copies, chosen.at))
        print(table(rows), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
