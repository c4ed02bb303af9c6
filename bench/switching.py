"""Switching: a checkout that changes thousands of files, and back, watched by a real server.

Owns: two branches of a workspace, what is asked while the server takes one in, the comparison with fresh starts.
Must not know: how changes are noticed or linked.
Invariant: the folder given is only read; who says fresh has the graph of the branch, or the run fails.

    python bench/switching.py ROOT [--copies 2] [--files N] [--installed]
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests"), *([] if "--installed" in sys.argv else [str(HERE / "server")])]

from growth import copy  # noqa: E402

from e2e.processes import descendants, resident  # noqa: E402
from e2e.raw_client import RawClient  # noqa: E402
from fuzz.wire import Complaint, ask, say_goodbye, snapshot_id, start_server  # noqa: E402
from git_folders import committed, git  # noqa: E402

PATIENCE = 3600.0
SITES = 200


@attrs.define
class Switch:
    """What one checkout was like for whoever asked meanwhile."""

    asked: int = 0
    pending: int = 0
    stages: dict[str, int] = attrs.field(factory=dict[str, int])
    waits: list[float] = attrs.field(factory=list[float])
    memory: float = 0.0
    seconds: float = 0.0
    cpu: float = 0.0

    def row(self) -> str:
        waits = sorted(self.waits)
        half, most = (1000 * waits[int(len(waits) * share)] for share in (0.5, 0.95))
        return (
            f"{self.seconds:7.1f} s {self.cpu:6.1f} s of CPU, {self.asked} questions, at most "
            f"{self.pending:,} pending, {self.memory:.0f} MB at most, waits {half:.0f} ms p50, {most:.0f} ms p95, "
            f"{1000 * waits[-1]:.0f} ms most; {self.stages}"
        )


def used(client: RawClient) -> float:
    """CPU seconds so far, of processes that have ended too."""
    spent = 0
    for one in descendants(client.process.pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        spent += sum(int(field) for field in fields[11:15])
    return spent / os.sysconf("SC_CLK_TCK")


def timed(client: RawClient, switch: Switch, method: str, params: object = None) -> dict[str, Any]:
    begun = time.monotonic()
    answer = ask(client, method, params or {})
    switch.waits.append(time.monotonic() - begun)
    switch.asked += 1
    if "result" not in answer:
        raise Complaint(f"{method}: {answer}")
    return answer["result"]


def taken_in(client: RawClient, sites: Sequence[dict[str, object]], before: str, expected: str) -> Switch:
    """Asks until the server says that it is complete; what it says on the way has to be true."""
    switch, begun, cpu = Switch(), time.monotonic(), used(client)
    while time.monotonic() - begun < PATIENCE:
        status = timed(client, switch, "graph/status")
        stage = status["session"]["stage"]
        switch.stages[stage] = switch.stages.get(stage, 0) + 1
        switch.pending = max(switch.pending, status["pendingCount"])
        switch.memory = max(switch.memory, sum(resident(one) for one in descendants(client.process.pid)) / 1e6)
        noticed = status["snapshot"] != before
        if noticed and status["fresh"] and status["snapshot"] != expected:
            raise Complaint(f"says fresh and is neither branch: {status}")
        if status["snapshot"] == expected and status["fresh"] and stage == "complete":
            switch.seconds, switch.cpu = time.monotonic() - begun, used(client) - cpu
            return switch
        timed(client, switch, "textDocument/definition", random.choice(sites))
        timed(client, switch, "textDocument/hover", random.choice(sites))
        time.sleep(0.2)
    raise Complaint("does not come to rest")


def some_sites(root: Path, paths: Sequence[Path]) -> list[dict[str, object]]:
    """Places of names, anywhere."""
    chosen, found = random.Random(1), list[dict[str, object]]()
    while len(found) < SITES:
        path = chosen.choice(paths)
        lines = path.read_text("utf-8", "replace").split("\n")
        number = chosen.randrange(len(lines))
        start = next((at for at, letter in enumerate(lines[number]) if letter.isalpha()), None)
        if start is not None:
            position = {"line": number, "character": start}
            found.append({"textDocument": {"uri": path.as_uri()}, "position": position})
    return found


def answers(client: RawClient, sites: Sequence[dict[str, object]]) -> list[Any]:
    context = {"context": {"includeDeclaration": True}}
    methods = ("textDocument/definition", "textDocument/references")
    return [ask(client, method, {**site, **context})["result"] for site in sites for method in methods]


def prepared(root: Path, source: Path, copies: int, files: int) -> list[Path]:
    """The workspace with its two branches; the files that differ."""
    for number in range(copies):
        copy(source, root, number)
    paths = list[Path]()
    for number in range(copies):
        sized = sorted((path.stat().st_size, path) for path in (root / f"copy{number}").rglob("*.py"))
        for _, path in sized[files or len(sized) :]:
            path.unlink()
        paths += [path for _, path in sized[: files or len(sized)]]
    committed(root)
    git(root, "checkout", "-q", "-b", "other")
    for number, path in enumerate(paths):
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef switched_{number}(value):\n    return value\n")
    committed(root)
    return paths


def fresh(root: Path, cache: Path, sites: Sequence[dict[str, object]]) -> tuple[str, list[Any], float]:
    """Name of the graph, answers, CPU seconds of a start that knows nothing."""
    client = start_server(root, cache)
    try:
        name, spent = snapshot_id(client, PATIENCE), used(client)
        found = answers(client, sites)
        say_goodbye(client)
    finally:
        client.close()
    return name, found, spent


def main() -> None:
    """Prints a line a step; fails where an answer differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--copies", type=int, default=2)
    parser.add_argument("--files", type=int, default=0, help="the smallest of each copy; 0: all")
    parser.add_argument("--installed", action="store_true", help="the installed package instead of this tree's")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder, "space")
        root.mkdir()
        paths = prepared(root, chosen.root, chosen.copies, chosen.files)
        sites = some_sites(root, paths)
        expected = {"other": fresh(root, Path(folder, "fresh"), sites)}
        print(f"{len(paths):,} files; a fresh start: {expected['other'][2]:.1f} s of CPU", flush=True)
        git(root, "checkout", "-q", "main")
        client = start_server(root, Path(folder, "cache"))
        try:
            name = snapshot_id(client, PATIENCE)
            expected["main"] = name, answers(client, sites), 0.0
            at, begun = name, sum(resident(one) for one in descendants(client.process.pid)) / 1e6
            print(f"before: {begun:.0f} MB", flush=True)
            for branch in ("other", "main"):
                git(root, "checkout", "-q", branch)
                print(f"to {branch:6}", taken_in(client, sites, at, expected[branch][0]).row(), flush=True)
                at = expected[branch][0]
                differing = sum(a != b for a, b in zip(answers(client, sites), expected[branch][1], strict=True))
                print(f"answers that differ from those of a fresh start: {differing} of {2 * len(sites)}", flush=True)
                if differing:
                    raise Complaint("answers differ")
            say_goodbye(client)
        finally:
            client.close()


if __name__ == "__main__":
    main()
