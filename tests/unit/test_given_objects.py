"""Methods that libraries run on the objects which they are given, from both ends of the call."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.graph.request_budget import RequestBudget, SpentReason, limited
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


def _with_library(folder: Path, text: str) -> Snapshot:
    (folder / "runs.py").write_text(LIBRARY, encoding="utf-8")
    paths = LibraryPaths(library_paths(None).standard, (3, 12), (str(folder),))
    return snapshot_of({"app.py": text}, libraries=InstalledLibraries(paths))


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return _with_library(tmp_path, APP)


@pytest.mark.parametrize("linked", [False, True])
def test_what_a_library_calls_of_an_argument_runs_where_it_is_given(
    snapshot: Snapshot, linked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = FilePath("app.py")
    assert snapshot.derivation is not None
    if not linked:
        monkeypatch.setattr(type(snapshot.reader), "known_links", lambda *_: None)
    facts, calls = snapshot.facts(path), snapshot.derivation.calls(snapshot)

    def name(place: object) -> str:
        assert isinstance(place, SymbolRef)
        return qualified_name(facts, place.definition)

    forward = list(calls.from_file(path))
    assert {f"{name(edge.source)} -> {name(edge.target)}" for edge in forward} == WANTED
    for edge in forward:
        assert isinstance(edge.target, SymbolRef)
        assert edge.source in {other.source for other in calls.to_place(edge.target)}


@pytest.mark.parametrize("name", ["store", "__post_init__"])
def test_what_no_library_and_no_construct_calls_is_looked_for_nowhere(name: str, tmp_path: Path) -> None:
    """However far objects of the class get."""
    hops = "".join(f"def hop{number}(given):\n    return hop{number + 1}(given)\n" for number in range(100))
    text = f"class Kept:\n    def {name}(self): ...\n{hops}def hop100(given):\n    print(given)\nhop0(Kept())\n"
    snapshot, path = _with_library(tmp_path, text), FilePath("app.py")
    assert snapshot.derivation is not None
    facts, calls, steps = snapshot.facts(path), snapshot.derivation.calls(snapshot), list[float]()

    def step(part: float) -> SpentReason:
        steps.append(part)
        return ""

    row = next(row for row in range(len(facts.definitions)) if qualified_name(facts, row) == f"Kept.{name}")
    with limited(RequestBudget(step)):
        assert not list(calls.to_place(SymbolRef(path, row)))
    assert len(steps) < 20
