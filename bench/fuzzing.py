"""Fuzz: random bytes, random messages, broken code and edits of real files, as much as one likes.

Owns: seeds, how much of each, the figures.
Must not know: what is drawn, what may not happen (tests/fuzz).
Invariant: every failure is printed with the kind and the seed that repeat it; the exit code says whether there was one.

    python bench/fuzzing.py [--bytes N] [--messages N] [--code N] [--edits N --files FOLDER ...]
        [--spaces N --languages NAME ...] [--seed N] [--round N]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests"), str(HERE / "server")]

from fuzz.code_round import code_round  # noqa: E402
from fuzz.edit_round import edit_round  # noqa: E402
from fuzz.rounds import bytes_round, messages_round  # noqa: E402
from fuzz.workspace_round import workspace_round  # noqa: E402
from graphls.languages.registry import providers  # noqa: E402

ROUND = {"bytes": 1_000_000, "messages": 2_000, "code": 200, "edits": 500, "spaces": 500}
Run = Callable[[Path, int, int], object]


def rounds(kind: str, run: Run, wanted: int, seed: int, most: int) -> int:
    """Rounds with seeds of their own until there is enough; the number of failures."""
    failures, done = 0, 0
    while done < wanted:
        size = min(most or ROUND[kind], wanted - done)
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                said = str(run(Path(folder), seed, size))
            except Exception as error:  # noqa: BLE001 (whatever it is, it is a failure of this seed)
                failures += 1
                said = f"FAILED {type(error).__name__}: {error}"
        done += size
        print(f"{kind:9} seed {seed:5} {done:12,} {time.perf_counter() - begun:8.1f} s  {said}", flush=True)
        seed += 1
    return failures


def _space_round(language: str, _: Path, seed: int, count: int) -> object:
    return workspace_round(language, seed, count)


def main() -> None:
    """Prints a line a round."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--bytes", type=int, default=0)
    parser.add_argument("--messages", type=int, default=0)
    parser.add_argument("--code", type=int, default=0)
    parser.add_argument("--edits", type=int, default=0)
    parser.add_argument("--files", type=Path, nargs="+", default=[HERE / "fixtures", HERE / "server"])
    parser.add_argument("--spaces", type=int, default=0, help="edits of workspaces of several files, of each language")
    parser.add_argument("--languages", nargs="+", default=sorted(providers()))
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--round", type=int, default=0, help="how much a server takes; its start costs most of a round")
    chosen = parser.parse_args()
    runs: dict[str, Run] = {
        "bytes": bytes_round,
        "messages": messages_round,
        "code": code_round,
        "edits": lambda _, seed, count: edit_round(chosen.files, seed, count),
    }
    failures = sum(rounds(kind, run, getattr(chosen, kind), chosen.seed, chosen.round) for kind, run in runs.items())
    for language in chosen.languages if chosen.spaces else ():
        print(language)
        run = partial(_space_round, language)
        failures += rounds("spaces", run, chosen.spaces, chosen.seed, chosen.round)
    print(f"failures: {failures}")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
