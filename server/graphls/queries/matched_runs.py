"""Matched runs: what a record of test runs says of the code as it is now.

Owns: which tests of a record are still as they ran, and which of them ran a function.
Must not know: the file format, ways from tests to code, runners.
Invariant: a test is decided only where nothing that it ran differs from when it ran, but for what a question names as
    changed; of a function that no test of the record ran nothing is said.

A test that ran no changed code does the same as before. So of a decided test the record says what it runs; where its
code changed, or where it is new, the graph has to say it. What a question names as changed is compared as it was before
that change: a test that ran it is among those that the record names for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import Key, key_of
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.runner_ids import files_of_tests, find_tests, runner_ids
from graphls.queries.runs_of_tests import FileRuns, TestRuns, sketch_of


class TestRunMatch:
    """A record against a snapshot. `before`: the state before a change that is asked about, with the files, by their
    paths in it, that the change touched."""

    __test__ = False

    def __init__(
        self, runs: TestRuns, snapshot: Snapshot, before: tuple[Snapshot, Collection[FilePath]] | None = None
    ) -> None:
        self.runs = runs
        self._snapshot = snapshot
        numbers = {test: number for number, test in enumerate(runs.tests)}
        outdated = outdated_tests(runs, snapshot, before)
        self._keys: dict[int, list[Key]] = {}
        decided, undecided = list[Key](), list[Key]()
        for path in files_of_tests(snapshot):
            for test in find_tests(snapshot, path):
                known = [numbers.get(one, NONE) for one in runner_ids(snapshot, test)]
                for number in known:
                    self._keys.setdefault(number, []).append(key_of(test))
                sure = all(number != NONE and not outdated >> number & 1 for number in known)
                (decided if sure else undecided).append(key_of(test))
        self.decided = frozenset(decided)
        """Tests of which the record says all that they run."""
        self.undecided = frozenset(undecided)
        """All others of the workspace: of these the graph has to say it."""

    def tests_of(self, place: SymbolRef) -> Sequence[Key] | None:
        """The tests that ran a function; None where no test of the record did, and for all that is no function."""
        bits = self._function(place)
        if not bits:
            return None
        return [key for number, keys in self._keys.items() if number != NONE and bits >> number & 1 for key in keys]

    def ran_early(self, place: SymbolRef) -> bool:
        """Whether a function also ran outside of any test: while modules were imported."""
        file = self.runs.files.get(place.file)
        return file is not None and bool(file.early) and self._name(place) in file.early

    def _function(self, place: SymbolRef) -> int:
        file = self.runs.files.get(place.file)
        if file is None or place.definition == NONE or place.file not in self._snapshot.shards:
            return 0
        return file.functions.get(self._name(place), ("", 0))[1]

    def _name(self, place: SymbolRef) -> str:
        return qualified_name(self._snapshot.facts(place.file), place.definition) if place.definition != NONE else ""


def outdated_tests(
    runs: TestRuns, snapshot: Snapshot, before: tuple[Snapshot, Collection[FilePath]] | None = None
) -> int:
    """Tests of a record, as bits, that ran code which is no longer as it was."""
    past, touched = before or (snapshot, ())
    found = 0
    for path, file in runs.files.items():
        found |= _outdated(file, past if path in touched else snapshot, path)
    return found


def _outdated(file: FileRuns, snapshot: Snapshot, path: FilePath) -> int:
    shard = snapshot.shards.get(path)
    if shard is None or not shard.language:
        return file.tests
    if shard.content == file.content:
        return 0
    sketch = sketch_of(snapshot, path)
    if sketch.rest != file.rest:
        return file.tests
    found = 0
    for name, (digest, bits) in file.functions.items():
        if sketch.functions.get(name) != digest:
            found |= bits
    return found
