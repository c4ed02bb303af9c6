"""Organisation: `graphls org index` on a Dask cluster of this machine, with workers that are killed.

    python bench/organisation.py FOLDER SOURCE... --workers 2 --kill --lose --json report.json

Reads the sources once on a cluster of separate processes (with `--kill` a worker that is at a task is ended by SIGKILL
in each step) and once in this process, compares every table byte by byte, runs the cluster again to see that nothing is
left to do, and prints what each step took for a million lines. `--lose` takes all workers away while repositories are
linked: the run must end in a sentence, and a later one must go on and leave the same bytes.

Sources are folders and archives, such as `pip download --no-deps --no-binary :all: NAME` and `npm pack NAME` leave.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

from graphls.cli.rendering.wire import plain
from graphls.org.engines import DaskEngine, Engine, EngineError, LocalEngine
from graphls.org.index import OrgReport, Progress, index_organisation
from graphls.org.objects import OrgStore
from graphls.org.sources import OrgRepository, repositories

PHASES = ("survey", "extract", "link", "project", "join")


def main() -> int:
    """0 where all runs left the same bytes and the repeated one had nothing to do."""
    given = argparse.ArgumentParser()
    given.add_argument("folder", type=Path)
    given.add_argument("sources", nargs="+")
    given.add_argument("--workers", type=int, default=3)
    given.add_argument("--kill", action="store_true")
    given.add_argument("--lose", action="store_true")
    given.add_argument("--no-local", action="store_true")
    given.add_argument("--json", type=Path)
    asked = given.parse_args()
    found = repositories(asked.sources)
    reports: dict[str, Any] = {}
    runs = ["cluster"]
    well = True
    with _cluster(asked.workers) as (cluster, client):
        engine = DaskEngine(cluster.scheduler_address)
        killing = Killing(client, set(PHASES) if asked.kill else set())
        reports["cluster"] = report = _indexed(found, engine, asked.folder / "cluster", killing.progress)
        _print("cluster", report, f", killed in {', '.join(killing.killed)}" if killing.killed else "")
        well &= not asked.kill or set(killing.killed) == set(PHASES)
        reports["again"] = report = _indexed(found, engine, asked.folder / "cluster", lambda *words: None)
        _print("again", report, "")
        well &= not report.indexed and not report.joined
        engine.close()
    if asked.lose:
        runs.append("lost")
        well &= _lose(found, asked.folder / "lost", asked.workers, reports)
    if not asked.no_local:
        runs.append("local")
        reports["local"] = report = _indexed(found, LocalEngine(), asked.folder / "local", lambda *words: None)
        _print("local", report, "")
    tables = {name: _files(asked.folder / name) for name in runs}
    for name in runs[1:]:
        names = tables["cluster"].keys() | tables[name].keys()
        differing = [one for one in sorted(names) if tables["cluster"].get(one) != tables[name].get(one)]
        well &= not differing
        print(f"cluster and {name}: {len(names)} objects, {len(differing)} differ {differing[:5]}")
    if asked.json:
        asked.json.write_text(json.dumps({run: plain(one) for run, one in reports.items()}, indent=1))
    return 0 if well else 1


class Killing:
    """Ends one worker in each of some steps, one that is at a task where there is one."""

    def __init__(self, client: Client, phases: set[str]) -> None:
        self._client = client
        self._phases = phases
        self.killed: dict[str, int] = {}

    def progress(self, phase: str, done: int, total: int) -> None:
        """Called by the run, between two outcomes: then tasks are under way."""
        print(f"{phase} {done}/{total}", file=sys.stderr, flush=True)
        if phase in self._phases and total and phase not in self.killed and done >= min(1, total - 1):
            self._client.wait_for_workers(2)  # somebody has to go on
            workers = self._client.run(os.getpid)
            busy = {address: len(keys) for address, keys in self._client.processing().items() if address in workers}
            address = max(workers, key=lambda one: (busy.get(one, 0), one))
            self.killed[phase] = workers[address]
            print(f"kill {workers[address]}, {busy.get(address, 0)} tasks", file=sys.stderr, flush=True)
            os.kill(workers[address], signal.SIGKILL)


def _lose(found: Sequence[OrgRepository], folder: Path, workers: int, reports: dict[str, Any]) -> bool:
    """Whether a run that loses all workers says so, and the next one goes on where it was."""
    said = ""
    with _cluster(workers) as (cluster, _):
        engine = DaskEngine(cluster.scheduler_address, patience=5)

        def progress(phase: str, done: int, total: int) -> None:
            if phase == "link" and done == total // 2:
                cluster.scale(0)

        try:
            _indexed(found, engine, folder, progress)
        except EngineError as error:
            said = str(error)
        engine.close()
    print(f"lost: {said or 'nothing was said'}")
    with _cluster(workers) as (cluster, _):
        engine = DaskEngine(cluster.scheduler_address)
        reports["lost"] = report = _indexed(found, engine, folder, lambda *words: None)
        engine.close()
    _print("lost", report, ", after all workers were gone")
    return bool(said)


@contextlib.contextmanager
def _cluster(workers: int) -> Any:
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield cluster, client


def _indexed(found: Sequence[OrgRepository], engine: Engine, folder: Path, progress: Progress) -> OrgReport:
    folder.mkdir(parents=True, exist_ok=True)
    return index_organisation(found, engine, OrgStore(folder.resolve().as_uri(), signed=False), progress)


def _files(folder: Path) -> Mapping[str, bytes]:
    """Tables and states; packs of facts are named by what is in them."""
    kept = [path for part in ("records", "states", "joins") for path in sorted((folder / part).rglob("*.*"))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept if path.is_file()}


def _print(run: str, report: OrgReport, more: str) -> None:
    print(
        f"{run}: {report.repositories} repositories, {report.lines:,} lines, {report.indexed} read, "
        f"{report.unchanged} as before, {report.joined} joined, {len(report.left_out)} left out{more}"
    )
    for name, reason in report.left_out.items():
        print(f"  {name}: {reason}")
    millions = max(report.lines, 1) / 1e6
    for one in report.costs:
        print(
            f"  {one.phase:8} {one.tasks:4} tasks {one.cpu:9.1f} CPU s {one.peak_mb:6.0f} MB, of a Mline "
            f"{one.cpu / millions:7.1f} s {one.read / millions / 1e6:7.1f} MB read "
            f"{one.written / millions / 1e6:7.1f} MB written"
        )


if __name__ == "__main__":
    sys.exit(main())
