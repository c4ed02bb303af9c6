"""Killing: kill -9 at any moment of a server's life, and what the next start on the same cache knows.

Owns: the moments, several states of a workspace, the comparison of each start with one that knew nothing.
Must not know: how the cache or the workers work.
Invariant: a moment is a share of the work, in CPU time, or a write to the cache: a busy machine changes neither.

A cold start costs CPU seconds (flask: 12), and seven of them come first: `--minutes` ends a run on a busy machine with
the kills that it has, and says how many.

    python bench/killing.py ROOT [--kills N] [--minutes N] [--seed N] [--installed]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests"), *([] if "--installed" in sys.argv else [str(HERE / "server")])]

from e2e.processes import cpu_seconds, descendants, survivors  # noqa: E402
from e2e.raw_client import RawClient  # noqa: E402
from fuzz.broken_code import broken  # noqa: E402
from fuzz.wire import ask, last_trace, snapshot_id, start_server  # noqa: E402

STATES = 5
QUIET = 4.0
STILL = 0.1
"""CPU seconds in that time that are no work: a server that rests looks around now and then."""
SHOWN = "shown.jsonl"


class Space:
    """A workspace in one of several states, and what a start that knows nothing says of each."""

    def __init__(self, source: Path, place: Path, chosen: random.Random) -> None:
        self.root, self.place, self.random = place / "space", place, chosen
        shutil.copytree(source, self.root)
        texts = {path: path.read_text("utf-8") for path in sorted(self.root.rglob("*.py"))}
        self.states = [texts, *(self._other(texts, number) for number in range(1, STATES))]
        self.fresh = [self._fresh(number) for number in range(STATES)]
        self.work = {how: self._until_rest(how) for how in ("cold", "warm")}
        print(f"{len(texts)} files, {STATES} states; CPU seconds until rest: {self.work}", flush=True)

    @property
    def cache(self) -> Path:
        return self.place / "cache"

    def put(self, number: int) -> None:
        for path, text in self.states[number].items():
            path.write_text(text, "utf-8")

    def shown(self, client: RawClient) -> tuple[str, str]:
        """The name of the graph, and a sum of all records with their sites."""
        name, wanted = snapshot_id(client), {"sites": True, "verify": "none", "mode": "allow-errors"}
        ask(client, "graph/export", {"format": "jsonl", "destination": SHOWN, **wanted})
        records = (self.root / SHOWN).read_bytes().partition(b"\n")[2]
        (self.root / SHOWN).unlink()
        return name, hashlib.sha256(records).hexdigest()

    def _other(self, texts: dict[Path, str], number: int) -> dict[Path, str]:
        changed = self.random.sample(list(texts), max(2, len(texts) // 2))
        added = f"\n\ndef added_{number}(a):\n    return a.b\n"
        return texts | {
            path: broken(self.random, texts[path], 2) if self.random.random() < 0.3 else texts[path] + added
            for path in changed
        }

    def _fresh(self, number: int) -> tuple[str, str]:
        self.put(number)
        client = start_server(self.root, self.place / f"fresh{number}")
        try:
            return self.shown(client)
        finally:
            client.close()

    def _until_rest(self, how: str) -> float:
        """CPU seconds until nothing moves any more."""
        client = start_server(self.root, self.place / ("work" if how == "cold" else "fresh0"))
        rest = Rest(client)
        try:
            while not rest.has_come():
                time.sleep(0.1)
        finally:
            client.close()
        return rest.work


class Rest:
    """Whether a server has done nothing for a while."""

    def __init__(self, client: RawClient) -> None:
        self.client, self.work, self.since = client, 0.0, time.monotonic()

    def has_come(self) -> bool:
        if (now := used(self.client)) > self.work + STILL:
            self.work, self.since = now, time.monotonic()
        return time.monotonic() - self.since >= QUIET


def used(client: RawClient) -> float:
    return sum(cpu_seconds(one) for one in descendants(client.process.pid))


def wait_for_moment(space: Space, client: RawClient, how: str) -> None:
    """A share of the work that such a start has, or some write to the cache; where it rests before, that is the moment."""
    rest, share = Rest(client), space.random.random() * 1.2
    log = next(iter(space.cache.rglob("*-wal")), space.cache / "none")
    size, writes = _size(log), space.random.randint(1, 6) if space.random.random() < 0.4 else 0
    while not rest.has_come() and used(client) < (1.3 if writes else share) * space.work[how]:
        log = log if log.exists() else next(iter(space.cache.rglob("*-wal")), log)
        if writes and (now := _size(log)) != size:
            size, writes = now, writes - 1
            if not writes:
                break
        time.sleep(0.002)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def killed(client: RawClient) -> list[str]:
    """Kills it; what is wrong about its end."""
    below = descendants(client.process.pid)
    os.kill(client.process.pid, signal.SIGKILL)
    client.process.wait()
    wrong = [f"process {one} is left" for one in survivors(below, 30)]
    trace = last_trace(client)
    client.close()
    return [*wrong, *([trace] if trace else [])]


def compared(space: Space, number: int) -> list[str]:
    """A start on the same cache; what is wrong about it. It is killed as well, a little after it was complete."""
    client = start_server(space.root, space.cache)
    wrong = [] if space.shown(client) == space.fresh[number] else ["the graph is not that of a fresh start"]
    session = ask(client, "graph/status")["result"]["session"]
    wrong += [*session["problems"], *([session["cache"]["problem"]] if session["cache"]["problem"] else [])]
    time.sleep(space.random.choice((0, 0.3, 2.0)) * space.random.random())
    return wrong + killed(client)


def main() -> None:
    """Prints a line a failure and a summary; the exit code says whether there was one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no further kill after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--installed", action="store_true", help="the installed package instead of this tree's")
    options = parser.parse_args()
    kinds, failures, end = Counter[str](), 0, time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        space = Space(options.root, Path(place), random.Random(options.seed))
        while kinds.total() < options.kills and time.monotonic() < end:
            number, how = space.random.randrange(STATES), space.random.choice(("cold", "warm", "warm"))
            if how == "cold":
                shutil.rmtree(space.cache, ignore_errors=True)
            space.put(number)
            client = start_server(space.root, space.cache)
            wait_for_moment(space, client, how)
            wrong = killed(client)
            kinds[how] += 1
            if space.random.random() < 0.75:
                wrong += compared(space, number)
                kinds["once complete"] += 1
            failures += bool(wrong)
            if kinds.total() % 10 == 0 or wrong:
                print(f"{kinds.total()} kills {dict(kinds)}, {failures} failures so far", flush=True)
            for line in wrong:
                print(f"after {kinds.total()} kills, {how}: {line}", flush=True)
    print(f"{kinds.total()} kills {dict(kinds)}, {failures} failures")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
