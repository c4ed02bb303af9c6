"""Python's search for cycles: rare in the midst of work, complete at rest."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from graphls.facts.paths import FilePath
from graphls.languages.resolve.units import Unit
from graphls.session.memory import snapshot_of
from graphls.session.process import gc_tuning
from graphls.session.process.gc_tuning import GcTuning, collect_young, raise_thresholds


class Ring:
    """Refers to itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def test_work_is_not_interrupted_for_a_few_objects() -> None:
    gc.collect()
    raise_thresholds()
    looks: list[dict[str, int]] = []
    gc.callbacks.append(lambda _, about: looks.append(about))
    kept = [[number] for number in range(40_000)]
    gc.callbacks.pop()
    assert looks == []
    assert len(kept) == 40_000


@pytest.fixture
def looks() -> Iterator[list[int]]:
    """How many objects each look may meet: its generation, as long as it lasts."""
    found: list[int] = []

    def note(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            found.append(sum(len(gc.get_objects(young)) for young in range(about["generation"] + 1)))

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


def test_no_look_while_people_wait_is_a_long_one(looks: list[int]) -> None:
    """What a large file says stays: in the midst of reading it only the newest of it is looked at, and none after."""
    raise_thresholds(serves=True)
    aside = GcTuning()
    gc.freeze()
    kept = [[number] for number in range(800_000)]
    collect_young()
    assert not aside.collect_if_grown(busy=True)
    assert aside.due
    assert looks
    assert max(looks) < 60_000
    passing = [[number] for number in range(60_000)]
    assert aside.collect_if_grown(busy=True)
    assert max(looks) < 300_000
    assert (len(kept), len(passing)) == (800_000, 60_000)


def test_what_was_set_aside_without_a_look_is_freed_once_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    raise_thresholds(serves=True)
    monkeypatch.setattr(gc_tuning, "_MUCH", 100)
    monkeypatch.setattr(gc_tuning, "_GROWN", 100)
    monkeypatch.setattr(gc_tuning, "_SINCE", 1_000)
    aside, rings = GcTuning(), [Ring() for _ in range(30_000)]
    seen = weakref.ref(rings[0])
    rings.clear()
    assert not aside.collect_if_grown()
    gc.collect()
    assert seen() is not None
    assert aside.collect_and_freeze()
    assert seen() is None


@pytest.mark.parametrize(("asked", "all_is_looked_at"), [(True, False), (False, True)])
def test_a_look_at_everything_waits_while_somebody_asks(
    asked: bool, all_is_looked_at: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    raise_thresholds(serves=True)
    monkeypatch.setattr(gc_tuning, "_TOO_MUCH", 100_000)
    aside, kept = GcTuning(), [[number] for number in range(400_000)]
    monkeypatch.setattr(aside, "_blocks", 0)
    monkeypatch.setattr(aside, "_looked", 0)
    monkeypatch.setattr(gc_tuning, "_TOO_MUCH_ASKED", 1_000_000_000)
    ring = Ring()
    seen = weakref.ref(ring)
    gc.freeze()  # as an earlier look set it aside
    del ring
    aside.collect_if_grown(busy=True, asked=asked)
    assert (seen() is None) is all_is_looked_at
    monkeypatch.setattr(gc_tuning, "_TOO_MUCH_ASKED", 100_000)
    monkeypatch.setattr(aside, "_blocks", 0)
    monkeypatch.setattr(aside, "_looked", 0)
    aside.collect_if_grown(busy=True, asked=asked)
    assert seen() is None
    assert kept


def test_new_cycles_are_freed_between_questions() -> None:
    raise_thresholds()
    rings = [Ring() for _ in range(3_000)]
    seen = weakref.ref(rings[0])
    rings.clear()
    collect_young()
    assert seen() is None


def test_what_was_set_aside_is_freed_once_it_is_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_tuning, "_SINCE", 0)
    aside, rings = GcTuning(), [Ring() for _ in range(100)]
    seen = weakref.ref(rings[0])
    assert aside.collect_and_freeze()
    rings.clear()
    gc.collect()
    assert seen() is not None
    assert aside.collect_and_freeze()
    assert seen() is None
    monkeypatch.setattr(gc_tuning, "_SINCE", 100_000)
    assert not aside.collect_and_freeze()
    kept = [[number] for number in range(200_000)]
    assert aside.collect_and_freeze()
    assert kept


def test_old_garbage_goes_without_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    raise_thresholds()
    aside = GcTuning()
    assert not aside.collect_if_grown()
    monkeypatch.setattr(gc_tuning, "_SINCE", 0)
    monkeypatch.setattr(gc_tuning, "_GROWN", 500)
    assert aside.collect_and_freeze()
    rings = [Ring() for _ in range(3_000)]
    seen = weakref.ref(rings[0])
    collect_young()
    collect_young()
    gc.collect(1)
    rings.clear()
    gc.collect(1)
    assert seen() is not None
    assert aside.collect_if_grown()
    assert seen() is None


def test_garbage_counts_from_where_memory_was_lowest(monkeypatch: pytest.MonkeyPatch) -> None:
    raise_thresholds()
    aside = GcTuning()
    monkeypatch.setattr(gc_tuning, "_SINCE", 0)
    monkeypatch.setattr(gc_tuning, "_GROWN", 3_000)
    assert aside.collect_and_freeze()
    passing = [[number] for number in range(100_000)]
    assert aside.collect_if_grown()
    passing.clear()
    assert not aside.collect_if_grown()
    rings = [Ring() for _ in range(3_000)]
    seen = weakref.ref(rings[0])
    rings.clear()
    assert not aside.collect_if_grown(busy=True)
    assert aside.collect_if_grown()
    assert seen() is None


def test_a_surface_that_was_read_goes_without_a_look_for_cycles() -> None:
    """Each edit makes a surface that others read: in a circle with its unit it stayed until a session had a rest."""
    gc.collect()
    gc.disable()
    try:
        snapshot = snapshot_of({"a.py": "class A:\n    def m(self): pass\n", "b.py": "from a import A\nA().m()\n"})
        surface = snapshot.surface(FilePath("a.py"))
        unit = Unit.of_surface(FilePath("a.py"), surface)
        assert Unit.of_surface(FilePath("a.py"), surface) is unit
        assert unit.members(0) is surface.members(0)
        there = weakref.ref(unit.expressions)
        del snapshot, surface, unit
        assert there() is None
    finally:
        gc.enable()
