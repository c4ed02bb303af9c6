"""Ran: the calls of a program's own tests against an export; which are missed, and which edges are never taken.

    RAN_ROOT=ROOT RAN_OUT=FILE PYTHONPATH=bench python -B -m pytest -p ran TESTS
    graphls export --root ROOT --mode allow-errors --output GRAPH
    python bench/ran.py FILE GRAPH [--only PREFIX] [--least N] [--show N]

As a plugin of pytest it writes what really called what in files under RAN_ROOT, one JSON object a line: `call` with
the caller and the callee (file, first line, qualified name), the line, how often, and whether frames of other packages
stood between (`outside`); `line` with how often a line ran, and `end` with how often an instruction ran whose text ends
at that line and column (of lines that ran over 200 times the first 200). A generator that goes on is no call, and its
first step is one by whoever asks for an element: `later` says that the callee is one, or a coroutine. `wrapped` has the
frame before the caller, where the caller is a function in a function, as a decorator puts in the place of another.

Then it prints, of pairs of functions (what lambdas and comprehensions call counts for the function around them):

recall     how many have a `calls`, `instantiates`, `accesses` or such edge, direct or through what the callee
           overrides; special methods, other methods, functions and pairs with other packages between apart
precision  of edges at sites that ran at least N times (20), how many were taken: by that pair, or by a pair whose
           callee overrides the target; implicit calls apart. A site ran if the instruction did that reads the name of
           what is called there; without such records if its line did, which does not say that each call on it did
           (`a or f()`). What yields was called at a site that ran if anyone asked it for an element, and a
           decorated function if what its decorator made of it called it in its turn. What a protocol declares is apart:
           another function of that name ran.
"""

from __future__ import annotations

import argparse
import atexit
import dis
import json
import os
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

CALLS: Final = frozenset({"calls", "instantiates", "decorates", "accesses", "renders"})
RUNS: Final = frozenset({"calls"})
CALLABLE: Final = frozenset({"callable", "method", "test", "declaration"})
GENERATORS: Final = 0x2A0
START: Final = dis.opmap.get("RESUME")
MOST_RUNS: Final = 200
"""Of one line of which each instruction is followed."""
MOST_HOPS: Final = 60
CONSTRUCTORS: Final = frozenset(("__init__", "__new__", "__post_init__", "constructor"))
MOST_SITES: Final = 20
"""Of one edge in an export; of one with so many there may be others."""
DECORATORS: Final = 12
"""Lines that may stand between a decorator, where code begins, and the name."""


class End(NamedTuple):
    """A function as the interpreter knows it."""

    file: str
    line: int
    name: str


class Recorder:
    """What ran below one folder."""

    def __init__(self, root: str, out: str) -> None:
        self._root = os.path.realpath(root) + os.sep
        self._out = out
        self._files: dict[str, str] = {}
        self._calls: Counter[tuple[End, End, int, bool]] = Counter()
        self._later: set[End] = set()
        self._wrapped: Counter[tuple[End, End, End]] = Counter()
        self._starts: dict[CodeType, int] = {}
        self._lines: Counter[tuple[str, int]] = Counter()
        self._steps: Counter[tuple[CodeType, int]] = Counter()

    def start(self) -> None:
        """From here on, in all threads."""
        threading.settrace(self.trace)
        sys.settrace(self.trace)

    def trace(self, frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401
        """What the interpreter calls for each frame, and for each line of those that count."""
        file = self._file(frame.f_code)
        if not file:
            return None
        if event == "line":
            self._lines[file, frame.f_lineno] += 1
            frame.f_trace_opcodes = self._lines[file, frame.f_lineno] <= MOST_RUNS
        elif event == "opcode":
            self._steps[frame.f_code, frame.f_lasti] += 1
        elif event == "call" and not (frame.f_code.co_flags & GENERATORS and frame.f_lasti > self._start(frame.f_code)):
            self._note(frame)
        return self.trace

    def write(self) -> None:
        """One object a line."""
        sys.settrace(None)
        with open(self._out, "w", encoding="utf-8") as out:
            for (caller, callee, line, outside), count in sorted(self._calls.items()):
                row = {"call": [caller, callee], "line": line, "outside": outside, "count": count}
                out.write(json.dumps(row | ({"later": True} if callee in self._later else {})) + "\n")
            for ends, count in sorted(self._wrapped.items()):
                out.write(json.dumps({"wrapped": ends, "count": count}) + "\n")
            for (file, line), count in sorted(self._lines.items()):
                out.write(json.dumps({"line": [file, line], "count": count}) + "\n")
            for (file, line, column), count in sorted(self._ends().items()):
                out.write(json.dumps({"end": [file, line, column], "count": count}) + "\n")

    def _ends(self) -> Counter[tuple[str, int, int]]:
        """How often an instruction ran whose text ends there: of several the one that ran most."""
        found: Counter[tuple[str, int, int]] = Counter()
        positions: dict[CodeType, list[tuple[int | None, int | None, int | None, int | None]]] = {}
        for (code, offset), count in self._steps.items():
            _, line, _, column = positions.setdefault(code, list(code.co_positions()))[offset // 2]
            if line is not None and column is not None:
                end = self._file(code), line, column
                found[end] = max(found[end], count)
        return found

    def _note(self, frame: FrameType) -> None:
        back = self._own(frame.f_back)
        if back is not None:
            callee = self._end(frame.f_code)
            self._calls[self._end(back.f_code), callee, back.f_lineno, back is not frame.f_back] += 1
            if frame.f_code.co_flags & GENERATORS:
                self._later.add(callee)
            if "<locals>" in back.f_code.co_qualname:
                before = self._own(back.f_back)
                if before is not None:
                    self._wrapped[self._end(before.f_code), self._end(back.f_code), callee] += 1

    def _own(self, frame: FrameType | None) -> FrameType | None:
        """The next frame below the root."""
        for _ in range(MOST_HOPS):
            if frame is None or self._file(frame.f_code):
                return frame
            frame = frame.f_back
        return None

    def _start(self, code: CodeType) -> int:
        """Where a generator begins: what runs further down is a resumption."""
        known = self._starts.get(code)
        if known is None:
            starts = (one.offset for one in dis.get_instructions(code) if one.opcode == START)
            known = self._starts[code] = next(starts, 0)
        return known

    def _end(self, code: CodeType) -> End:
        return End(self._file(code), code.co_firstlineno, code.co_qualname)

    def _file(self, code: CodeType) -> str:
        known = self._files.get(code.co_filename)
        if known is None:
            path = "" if code.co_filename.startswith("<") else os.path.realpath(code.co_filename)
            inside = path.startswith(self._root) and "site-packages" not in path
            known = self._files[code.co_filename] = path[len(self._root) :] if inside else ""
        return known


def pytest_configure() -> None:
    """Called by pytest."""
    recorder = Recorder(os.environ["RAN_ROOT"], os.environ["RAN_OUT"])
    recorder.start()
    atexit.register(recorder.write)


class Graph:
    """An export: nodes by place, edges by source."""

    def __init__(self, path: Path) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.edges: list[dict[str, Any]] = []
        self.out: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        self.overridden: defaultdict[str, set[str]] = defaultdict(set)
        self.above: defaultdict[str, set[str]] = defaultdict(set)
        self.parent: dict[str, str] = {}
        self._places: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
        self._modules: dict[str, str] = {}
        self._by_source: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["record"] == "node":
                self.nodes[row["id"]] = row
                if row["kind"] == "module":
                    self._modules[row["file"]] = row["id"]
                if row["kind"] in CALLABLE and row.get("full_range"):
                    self._places[row["file"]].append((row["full_range"][0] + 1, row["full_range"][2] + 1, row["id"]))
            elif row["record"] == "edge":
                self._add(row)

    def _add(self, row: dict[str, Any]) -> None:
        source, kind, target = row["source"], row["kind"], row["target"]
        self.out[source].add((kind, target))
        if kind in CALLS:
            self.edges.append(row)
            self._by_source[source].append(row)
        elif kind in ("overrides", "implements"):
            self.overridden[source].add(target)
        elif kind == "extends":
            self.above[source].add(target)
        elif kind == "contains":
            self.parent[target] = source

    def at(self, end: End) -> str | None:
        """The node of a function: of those of its name the nearest."""
        names = [part for part in end.name.split(".") if not part.startswith("<")]
        places = self._places.get(end.file, ())
        found = [
            (abs(start - end.line), node)
            for start, stop, node in places
            if start - DECORATORS <= end.line <= stop and names and self.nodes[node]["name"] == names[-1]
        ]
        if not found and names and not end.file.endswith(".py"):
            # A function that two names lead to; the setter of a property that has a getter too.
            found = [(stop - start, node) for start, stop, node in places if start == end.line] or [
                (abs(start - end.line), node)
                for start, _, node in places
                if self.nodes[node]["name"] == names[-1] and self.nodes[node]["subkind"] == "property"
            ]
        if not names and end.name != "<module>":  # a function without a name, in nothing that has one: that of a test
            found = [(end.line - start, node) for start, stop, node in places if start <= end.line <= stop]
        if not found and not names and end.name != "<module>":
            return self._modules.get(end.file)
        return min(found)[1] if found else None

    def goals(self, end: End) -> set[str]:
        """The node of a function and what it overrides."""
        found = self.at(end)
        return set() if found is None else {found, *self.closure(found, self.overridden)}

    def decorators(self, node: str | None) -> set[str]:
        """The functions that decorate it."""
        return {target for kind, target in self.out.get(node or "", ()) if kind == "decorates"}

    def source(self, end: End) -> str | None:
        """The node that a caller counts for: a function without one of its own for that around it."""
        found = self.at(end)
        if found is None and end.name != "<module>" and not end.file.endswith(".py"):
            around = [
                (end.line - start, node)
                for start, stop, node in self._places.get(end.file, ())
                if start <= end.line <= stop
            ]
            found = min(around)[1] if around else self._modules.get(end.file)
        return found

    def called_in_test(self, test: str) -> set[str]:
        """What a test that is a call, `it("...", () => ...)`, calls: its text belongs to the module."""
        node = self.nodes[test]
        if node["kind"] != "test" or node["language"] == "python":
            return set()
        found = {target for kind, target in self.out[test] if kind == "tests"}
        first, last = node["full_range"][0], node["full_range"][2]
        for edge in self._by_source[self._modules[node["file"]]]:
            sites = edge["sites"]
            if len(sites) >= MOST_SITES or any(first <= site["range"][0] <= last for site in sites):
                found.add(edge["target"])
        return found

    def closure(self, node: str, steps: Mapping[str, Set[str]]) -> set[str]:
        """All that is reached."""
        found: set[str] = set()
        todo = [node]
        while todo:
            for other in steps.get(todo.pop(), ()):
                if other not in found:
                    found.add(other)
                    todo.append(other)
        return found


class Seen(NamedTuple):
    """What is known of a pair."""

    outside: bool
    """Whether other packages stood between wherever it was seen."""
    kind: str
    """What the recorder says of the callee; "" where its name tells."""
    line: int


class Ran(NamedTuple):
    """What one run of tests wrote."""

    pairs: Mapping[tuple[End, End], Seen]
    lines: Mapping[tuple[str, int], int]
    ends: Mapping[tuple[str, int, int], int]
    """Empty without records of it."""
    later: Set[End]
    """Generators and coroutines: who called them is not who they were run by."""
    wrapped: Set[tuple[End, End, End]]

    def often(self, site: Mapping[str, Any]) -> int:
        """How often a site ran."""
        if not self.ends:
            return self.lines.get((site["file"], site["range"][0] + 1), 0)
        return self.ends.get((site["file"], site["range"][2] + 1, site["range"][3]), 0)


def read(path: Path, only: tuple[str, ...], tests: tuple[str, ...]) -> Ran:
    """Pairs with both ends below a prefix, or called from tests; lines. Of a folder all that is in it."""
    pairs: dict[tuple[End, End], Seen] = {}
    lines: Counter[tuple[str, int]] = Counter()
    ends: Counter[tuple[str, int, int]] = Counter()
    later: set[End] = set()
    wrapped: set[tuple[End, End, End]] = set()
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        for text in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(text)
            if "end" in row:
                ends[row["end"][0], row["end"][1], row["end"][2]] += row["count"]
                continue
            if "wrapped" in row:
                one, two, three = (End(*end) for end in row["wrapped"])
                wrapped.add((one, two, three))
                continue
            if "call" not in row:
                lines[row["line"][0], row["line"][1]] += row["count"]
                continue
            caller, callee = (End(*end) for end in row["call"])
            if row.get("later"):
                later.add(callee)
            own = caller.file.startswith(only + tests) and callee.file.startswith(only)
            if own and not _last(callee.name).startswith("<"):
                outside = row["outside"] and pairs.get((caller, callee), Seen(True, "", 0)).outside
                pairs[caller, callee] = Seen(outside, row.get("kind", ""), row["line"])
    return Ran(pairs, lines, ends, later, wrapped)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def recall(ran: Ran, graph: Graph, only: tuple[str, ...]) -> Iterator[tuple[str, str, tuple[End, End]]]:
    """(group, verdict, pair) for each pair that ran; of what functions without a name call in tests once for each."""
    seen_pairs: set[tuple[str, str, str]] = set()
    for (caller, callee), seen in sorted(ran.pairs.items()):
        source, target = graph.source(caller), graph.at(callee)
        group = "outside" if seen.outside else "" if caller.file.startswith(only) else "from tests"
        if source is None or target is None:
            if caller.name != "<module>":
                key = source or str(caller), target or str(callee), group
                if key not in seen_pairs:
                    seen_pairs.add(key)
                    yield group or "inside", "no node", (caller, callee)
            continue
        if (source, target, group) in seen_pairs:
            continue
        seen_pairs.add((source, target, group))
        name = _last(callee.name)
        special = name.startswith("__") and name.endswith("__")
        group = group or seen.kind or ("special" if special else graph.nodes[target]["kind"])
        called = {other for kind, other in graph.out[source] if kind in CALLS} | graph.called_in_test(source)
        goals = graph.closure(target, graph.overridden)
        owner = graph.parent.get(target, "")
        if name in CONSTRUCTORS:
            goals |= {owner} | graph.closure(owner, graph.above)
            goals |= {one for one in called if owner in graph.closure(one, graph.above)}
        yield group, "direct" if target in called else "dispatch" if called & goals else "missed", (caller, callee)


def precision(ran: Ran, graph: Graph, only: tuple[str, ...], least: int) -> Iterator[tuple[str, bool, dict[str, Any]]]:
    """(group, taken, edge) for each edge from a function to one below the prefix, at a line that ran often enough."""
    taken: set[tuple[str, str]] = set()
    callers: set[str] = set()
    later = {goal for callee in ran.later for goal in graph.goals(callee)}
    at_import = {(caller.file, graph.at(callee)) for caller, callee in ran.pairs if caller.name == "<module>"}
    for caller, callee in ran.pairs:
        source, target = graph.source(caller), graph.at(callee)
        if source is not None and target is not None:
            callers.add(source)
            taken |= {(source, goal) for goal in graph.goals(callee)}
    for caller, wrapper, callee in ran.wrapped:
        source, around, target = graph.source(caller), graph.at(wrapper), graph.at(callee)
        if source is not None and graph.parent.get(around or "") in graph.decorators(target):
            taken |= {(source, goal) for goal in graph.goals(callee)}
    for edge in graph.edges:
        source, target = graph.nodes[edge["source"]], graph.nodes.get(edge["target"])
        if edge["kind"] not in RUNS or target is None or target["kind"] not in CALLABLE or not target.get("full_range"):
            continue
        inside = str(source.get("file")).startswith(only) and str(target.get("file")).startswith(only)
        often = max((ran.often(site) for site in edge["sites"]), default=0)
        runs_at_import = source["kind"] == "declaration" and edge["source"] not in callers
        if not inside or source["kind"] not in CALLABLE or often < least or runs_at_import:
            continue
        implicit = "implicit" if edge.get("attributes", {}).get("implicit") else "named"
        sure = "certain" if edge["confidence"] >= 0.95 and not edge["ambiguous"] else "possible"
        if graph.nodes.get(graph.parent.get(edge["target"], ""), {}).get("subkind") == "protocol":
            sure += " protocol"
        imported = source["kind"] == "declaration" and (source.get("file"), edge["target"]) in at_import
        was_taken = imported or edge["target"] in later or (edge["source"], edge["target"]) in taken
        yield f"{implicit}, {sure}", was_taken, edge


def main() -> None:
    """See the head of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ran", type=Path)
    parser.add_argument("graph", type=Path)
    parser.add_argument("--only", default="", help="prefixes of the files of both ends, with commas")
    parser.add_argument("--tests", default="", help="prefixes of files whose calls of these count too, apart")
    parser.add_argument("--least", type=int, default=20, help="how often a line has to have run")
    parser.add_argument("--show", type=int, default=0, help="so many that are missed, and that are never taken")
    given = parser.parse_args()
    only = tuple(given.only.split(","))
    tests = tuple(given.tests.split(",")) if given.tests else ()
    ran, graph = read(given.ran, only, tests), Graph(given.graph)
    tally: defaultdict[str, Counter[str]] = defaultdict(Counter)
    missed: list[str] = []
    for group, verdict, (caller, callee) in recall(ran, graph, only):
        inside = group not in ("outside", "from tests", "inside")
        for one in (group, *(("inside",) if inside else ())):
            tally[one][verdict] += 1
        if verdict in ("missed", "no node"):
            line = ran.pairs[caller, callee].line
            missed.append(f"[{group}] {verdict} {caller.file}:{line} {caller.name} -> {callee.file} {callee.name}")
    for group, counts in sorted(tally.items()):
        lost = counts.pop("no node", 0)
        total = counts.total() or 1
        both = (counts["direct"] + counts["dispatch"]) / total
        whole = (counts["direct"] + counts["dispatch"]) / (counts.total() + lost or 1)
        print(
            f"recall {group:12} pairs {counts.total():5}  direct {counts['direct'] / total:.3f}  "
            f"with dispatch {both:.3f}  without a node {lost} ({whole:.3f})"
        )
    sums: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    never: list[str] = []
    for group, was_taken, edge in precision(ran, graph, only, given.least):
        sums[group][was_taken] += 1
        if not was_taken:
            ends = (graph.nodes[edge[end]]["qualified_name"] for end in ("source", "target"))
            site = edge["sites"][0]
            words = edge.get("attributes", {}).get("implicit", "")
            never.append(f"[{group}] {site['file']}:{site['range'][0] + 1} {' -> '.join(ends)} {words}")
    for group, counts in sorted(sums.items()):
        print(f"taken  {group:20} edges {counts.total():5}  taken {counts[True] / counts.total():.3f}")
    for title, rows in (("missed", missed), ("never taken", never)):
        for row in rows[: given.show]:
            print(f"{title}: {row}")


if __name__ == "__main__":
    main()
