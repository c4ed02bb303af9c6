"""Methods that libraries run on the objects which they are given, from both ends of the call."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.link.libraries import InstalledLibraries
from graphls.session.memory import snapshot_of
from graphls.sources.libraries import LibraryPaths, library_paths

LIBRARY = """
class Group:
    def main(self, args):
        return self.make(args)

    def make(self, args):
        return self.parse(args)

    def parse(self, args): ...


class Runner:
    def invoke(self, group, args=None, *, out=None):
        out.write("x")
        return group.main(args)


def later(group):
    later.kept = group
"""
APP = """
import contextlib
import runs


class Own(runs.Group):
    def make(self, args):
        return super().make(args)

    def other(self): ...


class Plain:
    def main(self, args): ...


class Out:
    def write(self, text): ...

    def read(self): ...


class Held:
    def __enter__(self): ...

    def __exit__(self, *error): ...

    def close(self): ...


def own(runner: runs.Runner):
    runner.invoke(Own(), out=Out())


def plain():
    given = Plain()
    runs.Runner().invoke(group=given)


def never():
    runs.later(Own())


def entered(stack: contextlib.ExitStack):
    stack.enter_context(Held())
"""
WANTED = {
    "own -> Own.make",
    "own -> Out.write",
    "plain -> Plain.main",
    "entered -> Held.__enter__",
    "entered -> Held.__exit__",
}


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    (tmp_path / "runs.py").write_text(LIBRARY, encoding="utf-8")
    paths = LibraryPaths(library_paths(None).standard, (3, 12), (str(tmp_path),))
    return snapshot_of({"app.py": APP}, libraries=InstalledLibraries(paths))


def test_what_a_library_calls_of_an_argument_runs_where_it_is_given(snapshot: Snapshot) -> None:
    path = FilePath("app.py")
    assert snapshot.derivation is not None
    facts, calls = snapshot.facts(path), snapshot.derivation.calls(snapshot)

    def name(place: object) -> str:
        assert isinstance(place, SymbolRef)
        return qualified_name(facts, place.definition)

    forward = list(calls.from_file(path))
    assert {f"{name(edge.source)} -> {name(edge.target)}" for edge in forward} == WANTED
    for edge in forward:
        assert isinstance(edge.target, SymbolRef)
        assert edge.source in {other.source for other in calls.to_place(edge.target)}
