"""Soak: a real server under edits, saves, bulk switches and every kind of question, for as long as one likes.

Owns: what is done to it, samples of its memory, processes and open files, the slope over the second half, the most of each third.
Must not know: what right answers are.
Invariant: the folder given is only read: work is on a copy; at its end the server must leave no process behind.

    python bench/soak.py ROOT --minutes N [--seed N] [--switch N] [--without METHOD ...]
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import attrs

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests"), str(HERE / "server")]

from e2e.processes import descendants, resident, survivors  # noqa: E402
from e2e.raw_client import RawClient, notification  # noqa: E402
from fuzz.broken_code import broken  # noqa: E402
from fuzz.talk import Talk  # noqa: E402
from fuzz.wire import Complaint, Tally, exchange, methods, say_goodbye, snapshot_id, start_server  # noqa: E402

PATIENCE = 900.0
"""Seconds: a busy machine is no fault."""


@attrs.frozen
class Sample:
    """The server at one time. `own`: its process alone, in megabytes."""

    minutes: float
    own: float
    tree: float
    processes: int
    files: int
    threads: int


def sample(client: RawClient, begun: float) -> Sample:
    process = client.process.pid
    found = descendants(process)
    return Sample(
        (time.monotonic() - begun) / 60,
        resident(process) / 1e6,
        sum(resident(one) for one in found) / 1e6,
        len(found),
        len(os.listdir(f"/proc/{process}/fd")),
        len(os.listdir(f"/proc/{process}/task")),
    )


def slope(samples: Sequence[Sample]) -> float:
    """Megabytes an hour of the server's own memory, by least squares."""
    if len(samples) < 2:
        return 0.0
    xs, ys = [one.minutes / 60 for one in samples], [one.own for one in samples]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / over if over else 0.0


class Branches:
    """Two states of many files, as two branches have them; `switch` writes the other one."""

    def __init__(self, root: Path, talk: Talk, count: int) -> None:
        self.root = root
        chosen = talk.random.sample(list(talk.sources), min(count, len(talk.sources)))
        self.states = (
            {path: talk.texts[path] for path in chosen},
            {path: broken(talk.random, talk.texts[path], 1) for path in chosen},
        )
        self.at = 0

    def switch(self, client: RawClient) -> None:
        self.at = 1 - self.at
        changes: list[dict[str, object]] = []
        for path, text in self.states[self.at].items():
            (self.root / path).write_text(text, "utf-8")
            changes.append({"uri": (self.root / path).as_uri(), "type": 2})
        client.send(notification("workspace/didChangeWatchedFiles", {"changes": changes}))


def soak(client: RawClient, talk: Talk, branches: Branches, minutes: float) -> tuple[list[Sample], Tally, int]:
    """Samples, what was said, how often the branch was switched."""
    begun, tally, switches, samples = time.monotonic(), Tally(), 0, list[Sample]()
    last_sample = last_switch = last_rest = begun
    while (now := time.monotonic()) - begun < minutes * 60:
        exchange(client, talk, [talk.message() for _ in range(talk.random.choice((1, 2, 8)))], tally, PATIENCE)
        time.sleep(0.05)
        if now - last_switch > 60:
            branches.switch(client)
            switches, last_switch = switches + 1, now
        if now - last_rest > 150:
            exchange(client, talk, talk.farewell(), tally, PATIENCE)
            snapshot_id(client, PATIENCE)
            last_rest = time.monotonic()
        if now - last_sample > 10:
            samples.append(sample(client, begun))
            last_sample = now
            print("{:6.1f} min {:8.1f} MB {:8.1f} MB {:3} {:4} {:4}".format(*attrs.astuple(samples[-1])), flush=True)
    return samples, tally, switches


def main() -> None:
    """Prints a line a sample and a summary; the exit code says whether a process was left."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--switch", type=int, default=300, help="files that differ between the two branches")
    parser.add_argument("--without", nargs="*", default=[], help="requests that are not made")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "space")
        shutil.copytree(chosen.root, root, symlinks=True)
        readable = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*.py")) if _is_text(path)]
        client = start_server(root, Path(folder, "cache"), {"checker": {"enabled": True}})
        snapshot_id(client, PATIENCE)
        talk = Talk(chosen.seed, root, [one for one in methods() if one not in chosen.without], readable)
        samples, tally, switches = soak(client, talk, Branches(root, talk, chosen.switch), chosen.minutes)
        exchange(client, talk, talk.farewell(), tally, PATIENCE)
        snapshot_id(client, PATIENCE)
        below = descendants(client.process.pid)
        say_goodbye(client)
        left = survivors(below, 10)
    half = samples[len(samples) // 2 :]
    thirds = [samples[len(samples) * part // 3 : len(samples) * (part + 1) // 3] for part in range(3)]
    print(f"{tally.messages:,} messages, {tally.answers:,} answers, {switches} switches of {chosen.switch} files")
    print(
        f"memory of the server: {samples[0].own:.0f} MB first, {max(one.own for one in samples):.0f} MB most, ", end=""
    )
    print(f"{samples[-1].own:.0f} MB last; slope over the second half {slope(half):+.1f} MB an hour")
    # Memory falls by a third when much was dropped: of a short run the slope tells when that was, these tell whether it grows.
    print("most of each third:", ", ".join(f"{max(one.own for one in part):.0f} MB" for part in thirds if part))
    print(f"processes: {max(one.processes for one in samples)} at most, {len(left)} left at the end")
    if left:
        raise Complaint(f"processes left behind: {left}")


def _is_text(path: Path) -> bool:
    try:
        path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return True


if __name__ == "__main__":
    main()
