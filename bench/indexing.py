"""Indexing: how long a workspace takes, against parsing alone on the same cores in the same run.

Owns: the unit (raw parsing in processes), ready, complete, a second start, memory of the process tree.
Must not know: what the numbers should be.
Invariant: each figure is taken in fresh processes with a cache of its own.

    python bench/indexing.py ROOT [--repeat N] [--installed]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

SERVER = str(Path(__file__).resolve().parent.parent / "server")
INSTALLED = "--installed" in sys.argv
"""Measures the package of the environment, compiled or not, and not the sources beside this script."""
if SERVER not in sys.path and not INSTALLED:
    sys.path.insert(0, SERVER)

from graphls.languages.registry import provider_for  # noqa: E402
from graphls.session.link.background_linking import without_links  # noqa: E402
from graphls.session.process.pool import worker_count  # noqa: E402
from graphls.session.session import Session, SessionOptions  # noqa: E402
from graphls.sources.limits import SourceLimits  # noqa: E402
from graphls.sources.read import read_source  # noqa: E402
from graphls.sources.source_files import SkippedSource  # noqa: E402
from graphls.sources.walk import walk  # noqa: E402
from graphls.sources.workspace import Workspace  # noqa: E402
from graphls.store.blobs import BlobStore, StoreOptions  # noqa: E402

BATCH = 256_000


def parse_batch(paths: list[str]) -> tuple[int, float]:
    """Bytes and CPU seconds. Reads and parses; the tree is dropped."""
    size, begun = 0, time.process_time()
    for path in paths:
        provider = provider_for(path)
        if provider is not None:
            data = Path(path).read_bytes()
            provider.parser(path).parse(data)
            size += len(data)
    return size, time.process_time() - begun


def raw_parsing(root: str, workers: int) -> tuple[float, float, int, int]:
    """Seconds, CPU seconds, files, bytes for parsing every source in worker processes that are already running."""
    workspace = Workspace.of([root])
    sources = [file for file in walk(workspace, SourceLimits()).files if provider_for(file.path) is not None]
    batches: list[list[str]] = [[]]
    size = 0
    for file in sources:
        if size > BATCH:
            batches.append([])
            size = 0
        batches[-1].append(workspace.absolute(file.path))
        size += file.size
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(parse_batch, [[batches[0][0]]] * workers * 2))
        begun = time.perf_counter()
        done = list(pool.map(parse_batch, batches))
        seconds = time.perf_counter() - begun
        return seconds, sum(cpu for _, cpu in done), len(sources), sum(size for size, _ in done)


class Memory:
    """Peak of the memory of this process and its children: proportional share, where the system tells."""

    def __init__(self) -> None:
        self.peak = 0
        self.spent = 0.0
        """CPU seconds that looking took."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.wait(0.1):
            self.peak = max(self.peak, memory_of_tree())
            self.spent = time.thread_time()

    def end(self) -> int:
        self._ended.set()
        self._thread.join()
        return self.peak


def memory_of_tree() -> int:
    """Bytes."""
    own = os.getpid()
    return sum(resident(process) for process in [own, *children(own)])


def children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
        threads = [Path(entry.path, "children") for entry in os.scandir(f"/proc/{process}/task")]
        text = " ".join(thread.read_text() for thread in threads if thread.exists())
    except OSError:
        return []
    return [int(word) for word in text.split()]


def resident(process: int) -> int:
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def start(root: str, cache: str, question: str, *, watched: bool = False) -> dict[str, float]:
    """One start over a cache, in this process: seconds since the process began.

    `watched`: samples memory all the while, which takes a good part of a core: of such a run no wall time counts.
    """
    begun = process_began()
    memory = Memory() if watched else None
    session = Session(Workspace.of([root]), store=BlobStore(StoreOptions(folder=cache)), options=SessionOptions())
    session.start()
    figures: dict[str, float] = {}
    if question:
        session.wait("ready")
        answer(session, question)
        figures["first_definition"] = time.time() - begun
        figures["first_definition_cpu"] = cpu_of(session) - (memory.spent if memory is not None else 0.0)
    session.wait("ready")
    figures["ready"] = time.time() - begun
    figures["ready_cpu"] = cpu_of(session) - (memory.spent if memory is not None else 0.0)
    session.wait("complete")
    figures["complete"] = time.time() - begun
    figures["parent_cpu"] = time.process_time() - (memory.spent if memory is not None else 0.0)
    snapshot = session.snapshot()
    figures["unlinked"] = len(without_links(snapshot, snapshot.reader, lambda: False))  # type: ignore[arg-type]
    figures["skipped"] = len(snapshot.skipped)
    while session.worker_processes() or session.progress.stage != "complete":
        time.sleep(0.1)
    figures["rested_parent_cpu"] = time.process_time() - (memory.spent if memory is not None else 0.0)
    time.sleep(1.0)
    figures["steady_mb"] = memory_of_tree() / 1e6
    if memory is not None:
        figures["peak_mb"] = memory.end() / 1e6
    session.close()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures["complete_cpu"] = figures["parent_cpu"] + ended.ru_utime + ended.ru_stime
    figures["rested_cpu"] = figures["rested_parent_cpu"] + ended.ru_utime + ended.ru_stime
    return figures


def cpu_of(session: Session) -> float:
    """CPU seconds of this process and its workers so far."""
    total = time.process_time()
    for process in session.worker_processes():
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def answer(session: Session, path: str) -> None:
    """The first definition that anyone would ask for: any occurrence of the file that has a target."""
    snapshot = session.snapshot()
    links = snapshot.links(next(file for file in snapshot.files() if file == path))
    assert snapshot.targets(path, links.targets.occurrence[0])  # type: ignore[arg-type]


def process_began() -> float:
    try:
        ticks = float(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
        return time.time() - float(Path("/proc/uptime").read_text().split()[0]) + ticks / os.sysconf("SC_CLK_TCK")
    except OSError:
        return time.time()


def in_process(*arguments: str) -> dict[str, float]:
    command = [sys.executable, __file__, *arguments, *(["--installed"] if INSTALLED else [])]
    environment = {**os.environ, "PYTHONPATH": "" if INSTALLED else SERVER}
    answered = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(answered.stdout.splitlines()[-1])


def question_of(root: str) -> str:
    """The largest source of the commonest language that is indexed: some are left out for their size, their long lines
    or their bytes."""
    workspace, limits = Workspace.of([root]), SourceLimits()
    sources = [file for file in walk(workspace, limits).files if provider_for(file.path) is not None]
    endings = Counter(Path(file.path).suffix for file in sources)
    sources = [file for file in sources if Path(file.path).suffix == endings.most_common(1)[0][0]]
    for file in sorted(sources, key=lambda file: (file.size, file.path), reverse=True):
        if not isinstance(read_source(workspace, file.path, limits), SkippedSource):
            return file.path
    raise SystemExit(f"no source of {root} can be read")


def measure(root: str) -> dict[str, float]:
    workers = worker_count(0)
    unit, unit_cpu, files, size = raw_parsing(root, workers)
    question = question_of(root)
    with tempfile.TemporaryDirectory() as cache:
        cold = in_process(root, "--start", cache)
        warm = in_process(root, "--start", cache, "--question", question)
        stored = sum(entry.stat().st_size for entry in Path(cache).rglob("*") if entry.is_file())
        watched = in_process(root, "--watched", "--start", str(Path(cache, "watched")))
    again, again_cpu, _, _ = raw_parsing(root, workers)
    unit, unit_cpu = min(unit, again), min(unit_cpu, again_cpu)
    return {
        "files": files,
        "megabytes": size / 1e6,
        "workers": workers,
        "unit_seconds": unit,
        "unit_cpu_seconds": unit_cpu,
        "ready_cpu_units": cold["ready_cpu"] / unit_cpu,
        "complete_cpu_units": cold["complete_cpu"] / unit_cpu,
        "written_cpu_units": cold["rested_cpu"] / unit_cpu,
        "ready_seconds": cold["ready"],
        "ready_units": cold["ready"] / unit,
        "complete_seconds": cold["complete"],
        "complete_units": cold["complete"] / unit,
        "parent_cpu_seconds": cold["parent_cpu"],
        "warm_first_definition_seconds": warm["first_definition"],
        "warm_complete_seconds": warm["complete"],
        "peak_mb": watched["peak_mb"],
        "steady_mb": cold["steady_mb"],
        "warm_steady_mb": warm["steady_mb"],
        "cache_mb": stored / 1e6,
        "skipped": cold["skipped"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("root")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--watched", action="store_true")
    parser.add_argument("--start", default="")
    parser.add_argument("--question", default="")
    chosen = parser.parse_args()
    if chosen.start:
        print(json.dumps(start(chosen.root, chosen.start, chosen.question, watched=chosen.watched)))
        return
    for _ in range(chosen.repeat):
        for name, value in measure(chosen.root).items():
            print(f"{name:32}{value:12.2f}")
        print()


if __name__ == "__main__":
    main()
