"""Selection: the tests that graphls names for a change, against the tests that really run what changed.

    SELECTION_ROOT=ROOT SELECTION_OUT=FILE PYTHONPATH=bench python -B -m pytest -p selection TESTS
    python bench/selection.py ROOT FILE [--only PREFIX] [--recorded] [--least N] [--show N]

As a plugin of pytest it writes, for each test, which functions under SELECTION_ROOT ran while the test was set up, ran
and was torn down (`sys.setprofile`, in all threads); what runs while files of tests are imported belongs to no test.

Then each function below the prefix that at least N tests run (1) is taken for the change, and `select_tests` is asked
for it. Printed: of all pairs of a function and a test that runs it, how many are selected (recall over pairs and the
mean over functions); the share of the suite that is selected (median, mean, quartiles) beside the share that had to
be; the time that a question takes. Tests are functions: all their parameters count as one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

import pytest

DECORATORS: Final = 12


class _Recorder:
    """Which code ran during each test."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root) + os.sep
        self._files: dict[str, str] = {}
        self._seen: set[CodeType] = set()
        self.rows: defaultdict[str, set[tuple[str, int, str]]] = defaultdict(set)

    def profile(self, frame: FrameType, event: str, _argument: object) -> None:
        """What the interpreter calls for each frame."""
        if event == "call":
            self._seen.add(frame.f_code)

    def begin(self) -> None:
        """A test begins."""
        self._seen = set()
        threading.setprofile(self.profile)
        sys.setprofile(self.profile)

    def end(self, test: str) -> None:
        """It ends."""
        sys.setprofile(None)
        threading.setprofile(None)
        for code in list(self._seen):
            file = self._file(code)
            if file and not code.co_name.startswith("<"):
                self.rows[test].add((file, code.co_firstlineno, code.co_qualname))

    def _file(self, code: CodeType) -> str:
        known = self._files.get(code.co_filename)
        if known is None:
            path = "" if code.co_filename.startswith("<") else os.path.realpath(code.co_filename)
            inside = path.startswith(self._root) and "site-packages" not in path
            known = self._files[code.co_filename] = path[len(self._root) :] if inside else ""
        return known


_RECORDER: Final = _Recorder(os.environ.get("SELECTION_ROOT", "."))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Generator[None, Any, Any]:  # noqa: ANN401
    """Around one test."""
    _RECORDER.begin()
    try:
        return (yield)
    finally:
        _RECORDER.end(item.nodeid.partition("[")[0])


def pytest_sessionfinish() -> None:
    """One object a test."""
    with open(os.environ["SELECTION_OUT"], "w", encoding="utf-8") as out:
        out.writelines(
            json.dumps({"test": test, "ran": sorted(ran)}) + "\n" for test, ran in sorted(_RECORDER.rows.items())
        )


class Function(NamedTuple):
    """A function as the interpreter knows it."""

    file: str
    line: int
    name: str


def read(path: Path, only: str) -> tuple[Mapping[Function, set[str]], set[str]]:
    """Functions below a prefix with the tests that ran them, and all tests."""
    ran: defaultdict[Function, set[str]] = defaultdict(set)
    every: set[str] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        every.add(row["test"])
        for file, number, name in row["ran"]:
            if file.startswith(only):
                ran[Function(file, number, name)].add(row["test"])
    return ran, every


def _asked(root: Path, functions: list[Function], recorded: bool) -> Iterator[tuple[Function, set[str] | None, float, Any]]:
    """For each function the ids that graphls gives, None where it has no such function, and how long that took."""
    from graphls.facts.paths import FilePath
    from graphls.graph.snapshot import SymbolRef
    from graphls.queries.matched_runs import TestRunMatch
    from graphls.queries.tests_to_run import select_tests
    from graphls.queries.way_to_tests import TestReach
    from graphls.session.selected_tests import recorded_runs
    from graphls.session.session import Session, SessionOptions
    from graphls.settings import merge
    from graphls.sources.workspace import Workspace

    settings, _ = merge({}, {}, trusted=False)
    session = Session(Workspace.of([str(root)]), settings, None, SessionOptions(link_all=True, libraries=True))
    session.start()
    session.wait("complete", 600)
    snapshot = session.snapshot()
    reach = TestReach(snapshot)
    runs = recorded_runs(session.workspace, settings) if recorded else None
    match = TestRunMatch(runs, snapshot) if runs is not None else None
    try:
        for function in functions:
            row = _row(snapshot, function)
            if row is None:
                yield function, None, 0.0, None
                continue
            begin = time.process_time()
            found = select_tests(snapshot, (SymbolRef(FilePath(function.file), row),), reach=reach, runs=match)
            ids = {one for test in found.running for one in test.ids}
            yield function, ids, time.process_time() - begin, found
    finally:
        session.close()


def _row(snapshot: Any, function: Function) -> int | None:  # noqa: ANN401
    """The definition of a function: of those of its name the nearest."""
    from graphls.graph.nodes import is_node, node_row

    if function.file not in snapshot.shards:
        return None
    facts = snapshot.facts(function.file)
    table = facts.definitions
    name = function.name.rpartition(".")[2]
    found = [
        (abs(facts.line_column(table.full_start[row])[0] + 1 - function.line), node_row(facts, row))
        for row in range(len(table))
        if facts.strings[table.name[row]] == name
        and is_node(facts, row)
        and facts.line_column(table.full_start[row])[0] + 1 - DECORATORS <= function.line
        and function.line <= facts.line_column(table.full_end[row])[0] + 1
    ]
    return min(found)[1] if found else None


def main() -> None:
    """See the head of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("ran", type=Path)
    parser.add_argument("--only", default="", help="prefix of the files of functions")
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--recorded", action="store_true", help="with the record of test runs of the root")
    parser.add_argument("--show", type=int, default=0, help="so many that are missed")
    given = parser.parse_args()
    ran, every = read(given.ran, given.only)
    functions = sorted(one for one, tests in ran.items() if len(tests) >= given.least)
    pairs = Counter[bool]()
    recalls, selected, needed, times = list[float](), list[float](), list[float](), list[float]()
    missed: list[tuple[Function, str]] = []
    unknown = 0
    whole = Counter[str]()
    for function, ids, seconds, found in _asked(given.root, functions, given.recorded):
        if ids is None:
            unknown += 1
            continue
        wanted = ran[function]
        got = wanted & ids
        pairs[True] += len(got)
        pairs[False] += len(wanted) - len(got)
        missed += [(function, test) for test in sorted(wanted - ids)]
        recalls.append(len(got) / len(wanted))
        selected.append(len(ids & every) / len(every))
        needed.append(len(wanted) / len(every))
        times.append(seconds)
        if len(ids & every) > 0.4 * len(every):
            way = found.tests[len(found.tests) // 2].way
            whole[" < ".join(f"{why} {key[0].rpartition('/')[2]}:{key[1]}" for why, key in way[-5:])] += 1
    quarters = statistics.quantiles(selected, n=4)
    print(f"tests {len(every)}, functions {len(functions)}, not in the graph {unknown}")
    print(f"recall: pairs {pairs[True] / pairs.total():.4f} of {pairs.total()}, mean {statistics.mean(recalls):.4f}")
    print(
        f"selected: median {statistics.median(selected):.3f}, quartiles {quarters[0]:.3f} {quarters[2]:.3f}, mean "
        f"{statistics.mean(selected):.3f}; needed: median {statistics.median(needed):.3f}, "
        f"mean {statistics.mean(needed):.3f}"
    )
    print(f"CPU seconds a question: median {statistics.median(times):.3f}, most {max(times):.3f}, all {sum(times):.1f}")
    for function, count in Counter(function for function, _ in missed).most_common(given.show):
        tests = [test for one, test in missed if one == function]
        print(f"missed: {function.file}:{function.line} {function.name}: {count} of {len(ran[function])}, {tests[0]}")
    for words, count in whole.most_common(given.show):
        print(f"over .4: {count} by {words}")


if __name__ == "__main__":
    main()
