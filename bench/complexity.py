"""Complexity: how time and memory grow with the size of what is read, shape by shape.

Owns: doubling each shape of `code_shapes`, one process and one folder for each size, the exponents.
Must not know: what the numbers should be.
Invariant: each run has a limit of its own on CPU time and memory, and leaves nothing behind.

    python bench/complexity.py [SHAPE ...] [--from 500] [--to 16000] [--kilobytes 2000 [--doublings 3]]
        [--seconds 40] [--megabytes 2000] [--installed] [--forked | --counted]

SHAPE is a part of a name such as `python/redefined` or `java/`. The exponent is the slope between logarithms of size and of what
a run costs above an empty one (`--forked`, `--counted`: above one of eight), over the last two doublings that ended; 1.0 is linear. `--forked` does it without
starting a program for each: quicker, on a busy machine too, and without walking, cache and workers. `--counted` does
the same and counts calls of functions and what searches in columns walk over, in millions, instead of seconds: the same
on any machine, at any load, but blind to what is done inside of C. A run that costs less than .15
seconds or 8 MB above an empty one is too cheap to tell. `>` marks a size that met a limit. A shape of `GIVEN_UP` may be
given up by name; any other that is has failed.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

import attrs
from code_shapes import GIVEN_UP, Shape, named

SERVER = str(Path(__file__).resolve().parent.parent / "server")
CHEAP_SECONDS, CHEAP_MEGABYTES = 0.15, 8.0
CHEAP_CALLS = 0.01
"""In millions."""
TOO_SLOW = 3
"""Status of a child that gave a file up by name."""


@attrs.frozen
class Cost:
    """What one run took."""

    size: int
    bytes: int
    seconds: float
    megabytes: float
    status: int


def written(shape: Shape, size: int, folder: Path) -> int:
    """Writes the files; the number of their bytes."""
    total = 0
    for name, text in shape(size).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        total += path.write_text(text, "utf-8")
    return total


def counting(run: Callable[[], object]) -> float:
    """Millions of calls of Python functions, and of items that searches in columns walk over."""
    counted = 0

    def count(_frame: FrameType, event: str, called: object) -> None:
        nonlocal counted
        counted += event == "call"
        if event == "c_call" and getattr(called, "__name__", "") == "index":
            walked = getattr(called, "__self__", None)
            counted += len(walked) if isinstance(walked, array) else 0

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return counted / 1e6


def forked(shape: Shape, size: int, options: argparse.Namespace) -> Cost:
    """Reading, linking and exporting in a child of this process, all in memory."""
    from graphls.facts.paths import FilePath
    from graphls.graph.export import ExportOptions, export
    from graphls.languages.extract.grammars import ParserTooSlow
    from graphls.session.memory import snapshot_of

    files = {FilePath(name): text for name, text in shape(size).items()}
    reading, writing = os.pipe()
    child = os.fork()

    def work() -> None:
        snapshot = snapshot_of(files)
        for path in snapshot.files():
            snapshot.links(path)
        sum(1 for _ in export(snapshot, ExportOptions(mode="allow-errors")).lines())

    if not child:
        seconds = int(options.seconds * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (options.megabytes << 20,) * 2)
        try:
            os.write(writing, str(counting(work) if options.counted else work()).encode())
        except ParserTooSlow:
            os._exit(TOO_SLOW)
        except BaseException:  # noqa: BLE001 - a child must not go on as its parent
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        said = pipe.read()
    _, status, used = os.wait4(child, 0)
    total = sum(len(text) for text in files.values())
    seconds = used.ru_utime + used.ru_stime
    cost = float(said or 0) if options.counted else seconds
    return Cost(size, total, cost, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))


def run(shape: Shape, size: int, options: argparse.Namespace) -> Cost:
    """One export in a process of its own, its workers included."""
    if options.forked or options.counted:
        return forked(shape, size, options)
    folder = Path(tempfile.mkdtemp(prefix="complexity-"))
    try:
        total = written(shape, size, folder)
        return measured(folder, total, size, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measured(folder: Path, total: int, size: int, options: argparse.Namespace) -> Cost:
    """The cost of exporting a folder."""

    def limits() -> None:
        seconds = int(options.seconds * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        memory = options.megabytes << 20
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    environment = dict(os.environ) if options.installed else {**os.environ, "PYTHONPATH": SERVER}
    command = [sys.executable, "-m", "graphls", "--no-cache", "export", "--mode", "allow-errors", "--verify", "none"]
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limits
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
        code = os.waitstatus_to_exitcode(status)
        if options.verbose and code:
            errors.seek(0)
            print(errors.read().decode("utf-8", "replace")[-2000:], file=sys.stderr)
    return Cost(size, total, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, code)


def exponent(costs: Sequence[tuple[float, float]], cheap: float) -> float | None:
    """The slope over the last two doublings of what was dear enough to tell."""
    told = [(math.log2(size), math.log2(cost)) for size, cost in costs if cost >= cheap][-3:]
    if len(told) < 2:
        return None
    middle = sum(x for x, _ in told) / len(told), sum(y for _, y in told) / len(told)
    return sum((x - middle[0]) * (y - middle[1]) for x, y in told) / sum((x - middle[0]) ** 2 for x, _ in told)


def sizes(shape: Shape, options: argparse.Namespace) -> Iterator[int]:
    """How often the shape occurs, by doubling; with `--kilobytes`, so that the last text has that length."""
    first, last = options.first, options.last
    if options.kilobytes:
        each = sum(len(text) for text in shape(1_000).values()) / 1_000
        last = max(int(options.kilobytes * 1_000 / each), 8)
        first = max(last >> options.doublings, 8)
    while first <= last:
        yield first
        first *= 2


def shown(value: float | None) -> str:
    """An exponent in a column."""
    return "   -" if value is None else f"{value:4.1f}"


def main() -> int:
    """Prints one line a shape; 1 where an exponent is above the bar, or a run failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("--from", dest="first", type=int, default=500)
    parser.add_argument("--to", dest="last", type=int, default=16000)
    parser.add_argument("--kilobytes", type=int, help="of the last text; --from and --to are not looked at then")
    parser.add_argument("--doublings", type=int, default=3, help="with --kilobytes")
    parser.add_argument("--seconds", type=float, default=40, help="no further doubling once a run took a third of it")
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--bar", type=float, default=1.2)
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--counted", action="store_true", help="as --forked; counts calls instead of seconds")
    parser.add_argument("--forked", action="store_true", help="in children of this process, without files")
    options = parser.parse_args()
    if (options.forked or options.counted) and not options.installed:
        sys.path.insert(0, SERVER)
    empty = run(lambda _: {"shape.py": "", "shape.ts": ""}, 0, options)
    if empty.status:
        sys.exit(f"graphls itself does not start here: status {empty.status}")
    unit, cheap = ("M calls", CHEAP_CALLS) if options.counted else ("CPU-s", CHEAP_SECONDS)
    print(f"empty: {empty.seconds:.2f} {unit}, {empty.megabytes:.0f} MB")
    print(f"{'shape':52} {'last':>6} {'kB':>6} {unit:>7} {'MB':>6}  time  memory")
    steep = 0
    for name, shape in named(options.shapes).items():
        costs: list[Cost] = []
        # What each language does once is told apart from what grows.
        least = run(shape, 8, options) if options.counted or options.forked else empty
        for size in sizes(shape, options):
            cost = run(shape, size, options)
            costs.append(cost)
            if cost.status or cost.seconds > options.seconds / 3 or cost.megabytes > options.megabytes / 2:
                break
        ended = [cost for cost in costs if not cost.status]
        time = exponent([(cost.bytes, cost.seconds - least.seconds) for cost in ended], cheap)
        memory = exponent([(cost.bytes, cost.megabytes - least.megabytes) for cost in ended], CHEAP_MEGABYTES)
        last = costs[-1]
        why = GIVEN_UP.get(name, "") if last.status == TOO_SLOW else ""
        failed = bool(last.status) and not why
        over = not why and (failed or any(value is not None and value > options.bar for value in (time, memory)))
        steep += over
        print(
            f"{name:52} {'>' if failed else ''}{last.size:>6} {last.bytes // 1000:>6} {last.seconds:>7.2f}"
            f" {last.megabytes:>6.0f}  {shown(time)}    {shown(memory)}{'  <-' if over else ''}"
            f"{f'  status {last.status}' if failed else ''}{f'  given up by name: {why}' if why else ''}",
            flush=True,
        )
    print(f"{steep} shapes above {options.bar}")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
