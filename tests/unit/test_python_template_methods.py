"""What libraries run of the workspace: methods that override theirs, and functions that they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from, edges_to
from graphls.graph.inherited_runs import MOST_CLASSES, names_running
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.link.libraries import InstalledLibraries
from graphls.session.memory import snapshot_of
from graphls.sources.libraries import LibraryPaths, library_paths

LIBRARY = """
class Base:
    def _prepare(self):
        def inside():
            return self.hook()
        return inside()

    def hook(self): ...

class Client(Base):
    def __init__(self):
        self.configure()

    def configure(self): ...

    def get(self, url):
        return self.open(url)

    def open(self, url):
        self._prepare()
        other = Client()
        other.close()

    def close(self): ...

    limit = None

    @property
    def form(self):
        self._load()
        return self.limit

    def _load(self): ...

    @classmethod
    def made(cls):
        return cls.build()

    @classmethod
    def build(cls): ...
"""
FILES = {
    "app.py": "import web\nfrom web import Client as Plain\n\nclass Mine(web.Client):\n    def hook(self): ...\n\n"
    "    def configure(self): ...\n\n    def close(self): ...\n\n    @classmethod\n    def build(cls): ...\n\n"
    "    def again(self):\n        super().open('')\n\nclass Opens:\n    def open(self, url): ...\n\n"
    "class Both(Opens, Plain): ...\n",
    "use.py": "import threading\nfrom app import Both, Mine\n\nclass Work(threading.Thread):\n"
    "    def run(self): ...\n\n"
    "def get(mine: Mine):\n    mine.get('')\n\ndef make():\n    Mine()\n\ndef built():\n    Mine.made()\n\n"
    "def both(one: Both):\n    one.get('')\n\ndef mine_again(mine: Mine):\n    mine.again()\n\n"
    "def start():\n    Work().start()\n",
}
WANTED = {
    "get -> Mine.hook",
    "make -> Mine.configure",
    "built -> Mine.build",
    "both -> Opens.open",
    "Mine.again -> Mine.hook",
    "start -> Work.run",
}

CALLING = """
from typing import overload

@overload
def each(step: int) -> None: ...
@overload
def each(step: str) -> None: ...
def each(step, *, done=None, kept=None):
    def inside():
        step(1)
    inside()
    done()
    return kept

class Runner:
    def invoke(self, step):
        step(self)

    def start(self, step):
        step.main()

class Command:
    def main(self): ...

def command(name=None, callback=None):
    def around(function):
        return Command()
    return around
"""
HANDED = {
    "app.py": "import calling\nfrom calling import each\n\ndef one(x): ...\n\ndef two(): ...\n\ndef three(): ...\n\n"
    "class A:\n    def send(self, x): ...\n\ndef by_name(a: A):\n    each(one, done=two, kept=three)\n"
    "    calling.Runner().invoke(a.send)\n\ndef held(step):\n    calling.each(step)\n\nheld(one)\n",
}


@pytest.fixture
def libraries(tmp_path: Path) -> InstalledLibraries:
    (tmp_path / "web.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "calling.py").write_text(CALLING, encoding="utf-8")
    return InstalledLibraries(LibraryPaths(library_paths(None).standard, (3, 12), (str(tmp_path),)))


def name_of(snapshot: Snapshot, place: object) -> str:
    assert isinstance(place, SymbolRef)
    return qualified_name(snapshot.facts(place.file), place.definition)


def test_what_libraries_call_on_objects_of_the_workspace(libraries: InstalledLibraries) -> None:
    snapshot = snapshot_of(FILES, libraries=libraries)
    edges = [edge for path in FILES for edge in edges_from(snapshot, path)]
    inherited = [edge for edge in edges if edge.attributes.get("implicit") == "inherited"]
    assert {f"{name_of(snapshot, edge.source)} -> {name_of(snapshot, edge.target)}" for edge in inherited} == WANTED
    assert all(edge.kind == "calls" and edge.confidence < 1 for edge in inherited)
    # A state that nobody linked finds the callers by the names of the library's members.
    for edge in inherited:
        assert isinstance(edge.target, SymbolRef)
        fresh = snapshot_of(FILES, libraries=libraries)
        assert (edge.source, edge.target) in {(one.source, one.target) for one in edges_to(fresh, edge.target)}


READING = {
    "app.py": "import web\n\nclass Mine(web.Client):\n    def _load(self): ...\n\n"
    "    @property\n    def limit(self): ...\n\n"
    "def read(mine: Mine):\n    return mine.form\n\ndef call(mine: Mine):\n    mine.get('')\n\n"
    "def write(mine: Mine):\n    mine.form = 1\n",
}


def test_what_reading_a_property_of_a_library_runs_and_reads(libraries: InstalledLibraries) -> None:
    snapshot = snapshot_of(READING, libraries=libraries)
    found = [edge for edge in edges_from(snapshot, FilePath("app.py")) if "implicit" in edge.attributes]
    spelled = {f"{edge.kind} {name_of(snapshot, edge.source)} -> {name_of(snapshot, edge.target)}" for edge in found}
    assert spelled == {"calls read -> Mine._load", "accesses read -> Mine.limit"}
    assert all(edge.confidence < 0.95 for edge in found)
    for edge in found:
        assert isinstance(edge.target, SymbolRef)
        fresh = snapshot_of(READING, libraries=libraries)
        assert edge.source in {one.source for one in edges_to(fresh, edge.target)}


def test_a_library_that_is_not_there_calls_nothing() -> None:
    snapshot = snapshot_of(FILES)
    edges = [edge for path in FILES for edge in edges_from(snapshot, path)]
    assert not [edge for edge in edges if edge.attributes.get("implicit") == "inherited"]


def test_what_libraries_call_of_their_arguments(libraries: InstalledLibraries) -> None:
    snapshot = snapshot_of(HANDED, libraries=libraries)
    edges = [edge for edge in edges_from(snapshot, FilePath("app.py")) if edge.attributes.get("via") == "flow"]
    found = {f"{name_of(snapshot, edge.source)} -> {name_of(snapshot, edge.target)}" for edge in edges}
    assert found == {"by_name -> one", "by_name -> two", "by_name -> A.send", "held -> one"}
    assert all(edge.ambiguous for edge in edges)
    for edge in edges:
        assert isinstance(edge.target, SymbolRef)
        fresh = snapshot_of(HANDED, libraries=libraries)
        assert (edge.source, edge.target) in {(one.source, one.target) for one in edges_to(fresh, edge.target)}


COMMANDS = {
    "app.py": "from calling import command\n\ndef check(): ...\n\n@command('one', callback=check)\ndef one(): ...\n\n"
    "@command()\ndef two(): ...\n\ndef plain(): ...\n\ndef own(f): return f\n\n@own\ndef three(): ...\n",
    "test_app.py": "import app\nfrom app import plain, three, two\nfrom calling import Runner\n\n"
    "def test_one():\n    Runner().start(app.one)\n\ndef test_two():\n    Runner().start(step=two)\n\n"
    "def test_plain():\n    Runner().start(plain)\n    Runner().start(three)\n    Runner().start(1)\n    print(two)\n",
}


def test_what_libraries_run_of_functions_that_they_have_made_objects_of(libraries: InstalledLibraries) -> None:
    snapshot = snapshot_of(COMMANDS, libraries=libraries)
    edges = list(edges_from(snapshot, FilePath("test_app.py")))
    edges = [edge for edge in edges if edge.attributes.get("via") == "flow" and isinstance(edge.target, SymbolRef)]
    found = {f"{name_of(snapshot, edge.source)} -> {name_of(snapshot, edge.target)}" for edge in edges}
    assert found == {"test_one -> one", "test_one -> check", "test_two -> two"}
    for edge in edges:
        assert isinstance(edge.target, SymbolRef)
        assert edge in list(edges_to(snapshot_of(COMMANDS, libraries=libraries), edge.target))


def test_of_many_classes_it_is_said_that_some_were_not_looked_at(libraries: InstalledLibraries) -> None:
    def running(number: int) -> tuple[frozenset[str], bool]:
        below = "".join(f"class Below{one}(Mine): ...\n\n" for one in range(number))
        snapshot = snapshot_of({**FILES, "below.py": f"from app import Mine\n\n{below}"}, libraries=libraries)
        facts = snapshot.facts(FilePath("app.py"))
        rows = range(len(facts.definitions))
        hook = next(row for row in rows if qualified_name(facts, row) == "Mine.hook")
        return names_running(snapshot, SymbolRef(FilePath("app.py"), hook))

    assert running(2) == (frozenset(("_prepare", "get", "open")), True)
    assert running(2 * MOST_CLASSES)[1] is False


KEPT = """
import functools
from collections.abc import Iterator, Mapping, MutableMapping, Sequence, Set

class Kept(MutableMapping[str, int]):
    def __getitem__(self, key): ...
    def __setitem__(self, key, value): ...
    def __delitem__(self, key): ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self): ...
    def again(self): return super().__contains__(1)

class Row(Sequence[int]):
    def __getitem__(self, key): ...
    def __len__(self): ...

class Names(Set[str]):
    def __contains__(self, key): ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self): ...

class Missing(dict[str, int]):
    def __missing__(self, key): ...

class Keyed(dict[str, int]):
    def __getitem__(self, key): ...

@functools.total_ordering
class Ordered:
    def __lt__(self, other): ...
    def __eq__(self, other): ...

class Below(Ordered): ...

class Ended:
    def __del__(self): ...
"""
CONSTRUCTS = {
    "1 in kept": {"Kept.__getitem__"},
    "kept == {}": {"Kept.__iter__", "Kept.__getitem__"},
    "kept.clear()": {"Kept.__iter__", "Kept.__getitem__", "Kept.__delitem__"},
    "kept.again()": set[str](),
    "1 in row": {"Row.__getitem__"},
    "for one in row: pass": {"Row.__getitem__"},
    "names <= names": {"Names.__len__", "Names.__iter__"},
    "names & names": {"Names.__contains__"},
    "len(names)": {"Names.__len__"},
    "missing[1]": {"Missing.__missing__"},
    "missing.get(1); 1 in missing": set[str](),
    "1 in keyed; len(keyed); keyed == {}": set[str](),
    "ordered >= below": {"Ordered.__lt__", "Ordered.__eq__"},
    "below < ordered": {"Ordered.__lt__"},
    "Ended()": {"Ended.__del__"},
}


@pytest.mark.parametrize("body", CONSTRUCTS)
def test_what_constructs_run_behind_methods_of_libraries(body: str, libraries: InstalledLibraries) -> None:
    """From both ends: of the code with the construct, and of the method that it runs."""
    takes = "kept: Kept, row: Row, names: Names, missing: Missing, keyed: Keyed, ordered: Ordered, below: Below"
    files = {"kept.py": KEPT, "use.py": f"from kept import *\n\ndef use({takes}):\n    {body}\n"}
    snapshot = snapshot_of(files, libraries=libraries)
    edges = [edge for edge in edges_from(snapshot, FilePath("use.py")) if "implicit" in edge.attributes]
    assert {name_of(snapshot, edge.target) for edge in edges} == CONSTRUCTS[body]
    for edge in edges:
        assert isinstance(edge.target, SymbolRef)
        fresh = snapshot_of(files, libraries=libraries)
        assert edge in list(edges_to(fresh, edge.target))
