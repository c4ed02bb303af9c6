"""ty: the checker that is installed with graphls, asked for real.

Owns: what verification makes of a small workspace.
Must not know: how the server is run.
Invariant: with the checker no false edge and no lost one; two complete runs say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
import pytest

from graphls.compilers.background import Background, CheckerProgress
from graphls.compilers.checkers import Checker, NoChecker, find_python_checker
from graphls.compilers.status import CheckerState
from graphls.compilers.verifier import Verifier
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Shard, Snapshot
from graphls.graph.verification import provenance
from graphls.session.memory import snapshot_of
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.workspace import Workspace

LONG = 300_000
FILES = {
    "shop/__init__.py": "",
    "shop/model.py": (
        "from __future__ import annotations\n"
        "from typing import Generic, TypeVar\n"
        'T = TypeVar("T")\n'
        "class Box(Generic[T]):\n"
        "    def __init__(self, item: T) -> None:\n"
        "        self.item = item\n"
        "    def get(self) -> T:\n"
        "        return self.item\n"
        "class Order:\n"
        "    total: int = 0\n"
        "    def pay(self) -> int:\n"
        "        return self.total\n"
    ),
    "shop/use.py": (
        "import re\n"
        "from shop.model import Box, Order\n"
        "def each(boxes: list[Box[Order]]):\n"
        "    é = [box.get() for box in boxes]\n"
        "    return 'é', sorted(é, key=lambda order: order.pay()), re.escape('x').upper\n"
        "def blind(thing):\n"
        "    return thing.pay()\n"
    ),
    "shop/part.py": (
        "class Part:\n"
        "    def __init__(self, number: int) -> None: ...\n"
        "    def again(self):\n"
        "        return self.__class__(1)\n"
    ),
    "shop/mixed.py": (
        "from nowhere import make\n"
        "class A:\n"
        "    def fit(self): ...\n"
        "class B:\n"
        "    def fit(self): ...\n"
        "def make_a(n):\n"
        "    if n:\n"
        "        return A()\n"
        "    return make(n)\n"
        "def run():\n"
        "    things = {'x': make_a(1), 'y': B()}\n"
        "    for n, t in things.items():\n"
        "        t.fit()\n"
        "def sole():\n"
        "    t = B()\n"
        "    t.fit()\n"
    ),
    "shop/broken.py": "from shop.model import Order\ndef f() -> int:\n    return Order().pay().missing\n",
}
USE = FilePath("shop/use.py")


class Shelf:
    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.values.get(key)

    def put(self, values: Mapping[str, bytes]) -> None:
        self.values.update(values)


class Place:
    """A workspace on disk, and verifiers for it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.made: list[Verifier] = []
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        self.snapshot = snapshot_of(FILES)

    def verifier(self, shelf: Shelf | None = None) -> Verifier:
        checker = find_python_checker(CheckerSettings())
        assert isinstance(checker, Checker), checker
        self.made.append(Verifier(Workspace.of([str(self.root)]), (checker,), backend=shelf))
        return self.made[-1]

    def complete(self, shelf: Shelf | None = None) -> Verifier:
        verifier = self.verifier(shelf)
        background = Background(verifier)
        background.work_on(self.snapshot)
        assert background.wait(300)
        background.stop()
        return verifier


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    for verifier in made.made:
        verifier.close()


def named(snapshot: Snapshot, path: FilePath, name: str, nth: int = 0) -> set[str]:
    """Targets of the nth use of a name, spelled, with their provenance."""
    facts = snapshot.facts(path)
    rows = [row for row, used in enumerate(facts.occurrences.name) if facts.strings[used] == name]
    found: set[str] = set()
    for target in snapshot.targets(path, rows[nth]):
        spelled = target.external
        if target.place is not None:
            table = snapshot.facts(target.place.file)
            line, _ = table.line_column(table.definitions.start[target.place.definition])
            spelled = f"{target.place.file}:{line + 1}"
        found.add(f"{spelled} {provenance(target.rule)}")
    return found


def test_inference_that_needs_a_checker(place: Place) -> None:
    settled = place.verifier().verify_file(place.snapshot, USE, LONG)
    assert settled.left_out == 0
    assert named(settled.snapshot, USE, "pay") == {"shop/model.py:11 compiler_unchecked"}
    assert named(settled.snapshot, USE, "upper") == {"builtins.str.upper compiler_unchecked"}


def test_silence_stays_unresolved(place: Place) -> None:
    settled = place.verifier().verify_file(place.snapshot, USE, LONG)
    assert named(settled.snapshot, USE, "pay", 1) == set()
    assert settled.left_out == 0


def test_a_part_is_not_the_whole(place: Place) -> None:
    """`t` is `Unknown | B` to ty, which answers `B.fit`: `A.fit` lost its one caller."""
    snapshot = place.complete().verified(place.snapshot)
    mixed = FilePath("shop/mixed.py")
    facts = snapshot.facts(mixed)
    rows = [row for row, name in enumerate(facts.occurrences.name) if facts.strings[name] == "fit"]
    found = [[(target.ambiguous, target.confidence <= 0.6) for target in snapshot.targets(mixed, row)] for row in rows]
    assert found == [[(True, True), (True, True)], [(False, False)]]


def test_what_runs_is_not_where_the_name_is_defined(place: Place) -> None:
    """ty also names the constructor that runs; the name itself is a property of `object`."""
    part = FilePath("shop/part.py")
    settled = place.verifier().verify_file(place.snapshot, part, LONG)
    assert named(settled.snapshot, part, "__class__") == {"builtins.object.__class__ compiler_unchecked"}


def test_background_settles_everything_and_judges_modules(place: Place) -> None:
    seen: list[CheckerProgress] = []
    verifier = place.verifier()
    background = Background(verifier, seen.append)
    background.work_on(place.snapshot, (USE,))
    assert background.wait(300)
    assert seen[-1].phase == "done"
    assert seen[-1].without_answer == 0
    snapshot = verifier.verified(place.snapshot)
    assert named(snapshot, USE, "pay") == {"shop/model.py:11 compiler_checked"}
    problems = verifier.problems(snapshot, FilePath("shop/broken.py"))
    assert problems is not None
    (problem,) = problems
    assert problem.code.endswith("-attribute")
    assert (problem.severity, problem.source) == ("error", "ty")
    assert FILES["shop/broken.py"][problem.start : problem.end].endswith("missing")
    assert verifier.problems(snapshot, USE) is not None
    background.stop()


def test_two_complete_runs_are_equal(place: Place) -> None:
    assert place.complete().overlay().digest == place.complete().overlay().digest


def test_second_start_asks_nothing(place: Place) -> None:
    shelf = Shelf()
    first = place.complete(shelf)
    second = place.complete(shelf)
    assert first.status()[0].asked > 0
    assert second.status()[0].asked == 0
    assert second.status()[0].state is CheckerState.IDLE
    assert second.overlay().digest == first.overlay().digest


def test_unsaved_text_is_what_the_checker_sees(place: Place) -> None:
    verifier = place.verifier()
    verifier.verify_file(place.snapshot, USE, LONG)
    edited = {**FILES, "shop/model.py": FILES["shop/model.py"].replace("def pay", "\n\n    def pay")}
    snapshot = as_unsaved(snapshot_of(edited, revision=2), "shop/model.py")
    settled = verifier.verify_file(snapshot, USE, LONG)
    assert named(settled.snapshot, USE, "pay") == {"shop/model.py:13 compiler_unchecked"}


def test_change_on_disk_reaches_the_checker(place: Place) -> None:
    verifier = place.verifier()
    verifier.verify_file(place.snapshot, USE, LONG)
    changed = FILES["shop/model.py"].replace("def pay", "def settle(self): ...\n    def pay")
    (place.root / "shop/model.py").write_text(changed)
    snapshot = snapshot_of({**FILES, "shop/model.py": changed}, revision=2)
    settled = verifier.verify_file(snapshot, USE, LONG)
    assert named(settled.snapshot, USE, "pay") == {"shop/model.py:12 compiler_unchecked"}


def test_people_come_first(place: Place) -> None:
    verifier = place.verifier()
    background = Background(verifier)
    with verifier.precedence():
        background.work_on(place.snapshot)
        assert not background.wait(0.1)  # it gives way for .6 s at the most
        assert verifier.verify_file(place.snapshot, USE, LONG).left_out == 0
    assert background.wait(300)
    background.stop()


def test_without_a_checker_nothing_is_lost() -> None:
    snapshot = snapshot_of(FILES)
    verifier = Verifier(Workspace.of([]), (NoChecker("ty", "ty is not installed; install it with: pip install ty"),))
    settled = verifier.verify_file(snapshot, USE, LONG)
    assert settled.snapshot is snapshot
    assert settled.left_out == settled.uncertain > 0
    assert settled.reason == "ty is not installed; install it with: pip install ty"
    assert verifier.status()[0].state is CheckerState.MISSING
    assert verifier.problems(snapshot, USE) is None


def test_checker_switched_off() -> None:
    checker = find_python_checker(CheckerSettings(enabled=False))
    assert isinstance(checker, NoChecker)
    assert checker.off


def as_unsaved(snapshot: Snapshot, path: str) -> Snapshot:
    def unsaved(shard: Shard) -> Shard:
        return attrs.evolve(shard, dirty=True) if shard.path == path else shard

    return attrs.evolve(snapshot, shards={name: unsaved(shard) for name, shard in snapshot.shards.items()})
