"""Organisation: `graphls org index` on a Dask cluster of this machine, with workers that are killed.

    python bench/organisation.py FOLDER SOURCE... --workers 2 --kill --json report.json

Reads the sources once on a cluster of separate processes (with `--kill` one of them is ended by SIGKILL in each step,
once a task of it has ended) and once in this process, compares every table byte by byte, runs the cluster again to see
that nothing is left to do, and prints what each step took for a million lines.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

from graphls.cli.rendering.wire import plain
from graphls.org.engines import DaskEngine, Engine, LocalEngine
from graphls.org.index import OrgReport, Progress, index_organisation
from graphls.org.objects import OrgStore
from graphls.org.sources import OrgRepository, repositories


def main() -> int:
    """0 where both runs left the same bytes and the repeated one had nothing to do."""
    given = argparse.ArgumentParser()
    given.add_argument("folder", type=Path)
    given.add_argument("sources", nargs="+")
    given.add_argument("--workers", type=int, default=3)
    given.add_argument("--kill", action="store_true")
    given.add_argument("--no-local", action="store_true")
    given.add_argument("--json", type=Path)
    asked = given.parse_args()
    found = repositories(asked.sources)
    reports: dict[str, Any] = {}
    with (
        LocalCluster(n_workers=asked.workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        engine = DaskEngine(cluster.scheduler_address)
        killed: dict[str, int] = {}

        def progress(phase: str, done: int, total: int) -> None:
            print(f"{phase} {done}/{total}", file=sys.stderr, flush=True)
            if asked.kill and total and phase not in killed and done >= min(1, total - 1):
                client.wait_for_workers(2)  # somebody has to go on
                killed[phase] = next(iter(client.run(os.getpid).values()))
                os.kill(killed[phase], signal.SIGKILL)

        for run in ("cluster", "again"):
            reports[run] = report = _indexed(found, engine, asked.folder / "cluster", progress)
            _print(run, report, f", killed in {', '.join(killed)}" if run == "cluster" and killed else "")
        engine.close()
    same = True
    if not asked.no_local:
        reports["local"] = report = _indexed(found, LocalEngine(), asked.folder / "local", lambda *words: None)
        _print("local", report, "")
        tables = {name: _files(asked.folder / name) for name in ("cluster", "local")}
        names = tables["cluster"].keys() | tables["local"].keys()
        differing = [name for name in sorted(names) if tables["cluster"].get(name) != tables["local"].get(name)]
        same = not differing
        print(f"{len(names)} objects, {len(differing)} differ {differing[:5]}")
    if asked.json:
        asked.json.write_text(json.dumps({run: plain(one) for run, one in reports.items()}, indent=1))
    again = reports["again"]
    return 0 if same and not again.indexed and not again.joined else 1


def _indexed(found: Sequence[OrgRepository], engine: Engine, folder: Path, progress: Progress) -> OrgReport:
    folder.mkdir(parents=True, exist_ok=True)
    return index_organisation(found, engine, OrgStore(folder.resolve().as_uri(), signed=False), progress)


def _files(folder: Path) -> dict[str, bytes]:
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
    for one in report.costs:
        share = one.cpu / max(report.lines, 1) * 1e6
        print(f"  {one.phase:8} {one.tasks:4} tasks {one.cpu:9.1f} CPU s {share:8.1f} a Mline, {one.peak_mb:6.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
