"""Python's search for cycles: rare in the midst of work, complete at rest."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from graphls.session import cycles
from graphls.session.cycles import Aside, look_at_new, look_rarely


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
    look_rarely()
    looks: list[dict[str, int]] = []
    gc.callbacks.append(lambda _, about: looks.append(about))
    kept = [[number] for number in range(100_000)]
    gc.callbacks.pop()
    assert looks == []
    assert len(kept) == 100_000


def test_new_cycles_are_freed_between_questions() -> None:
    look_rarely()
    rings = [Ring() for _ in range(3_000)]
    seen = weakref.ref(rings[0])
    rings.clear()
    look_at_new()
    assert seen() is None


def test_what_was_set_aside_is_freed_once_it_is_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycles, "_SINCE", 0)
    aside, rings = Aside(), [Ring() for _ in range(100)]
    seen = weakref.ref(rings[0])
    assert aside.renew()
    rings.clear()
    gc.collect()
    assert seen() is not None
    assert aside.renew()
    assert seen() is None
    monkeypatch.setattr(cycles, "_SINCE", 100_000)
    assert not aside.renew()
    kept = [[number] for number in range(200_000)]
    assert aside.renew()
    assert kept


def test_old_garbage_goes_without_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    look_rarely()
    aside = Aside()
    assert not aside.look()
    monkeypatch.setattr(cycles, "_SINCE", 0)
    monkeypatch.setattr(cycles, "_GROWN", 500)
    assert aside.renew()
    rings = [Ring() for _ in range(3_000)]
    seen = weakref.ref(rings[0])
    look_at_new()
    look_at_new()
    gc.collect(1)
    rings.clear()
    gc.collect(1)
    assert seen() is not None
    assert aside.look()
    assert seen() is None


def test_garbage_counts_from_where_memory_was_lowest(monkeypatch: pytest.MonkeyPatch) -> None:
    look_rarely()
    aside = Aside()
    monkeypatch.setattr(cycles, "_SINCE", 0)
    monkeypatch.setattr(cycles, "_GROWN", 3_000)
    assert aside.renew()
    passing = [[number] for number in range(100_000)]
    assert aside.look()
    passing.clear()
    assert not aside.look()
    rings = [Ring() for _ in range(3_000)]
    seen = weakref.ref(rings[0])
    rings.clear()
    assert not aside.look(busy=True)
    assert aside.look()
    assert seen() is None
