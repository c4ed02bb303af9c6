"""Bounded memo: what stays of values of files when work ends, and that answers are the same whatever has gone.

Owns: the order in which values go, calls by flow with and without what files carried.
Must not know: faces, time.
Invariant: after `trim_values` what is kept fits; a value that has gone is made again, equal.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphls.analysis.flow import calls, passing
from graphls.graph.addresses import addresses
from graphls.graph.edges import edges_from, edges_of, edges_to
from graphls.graph.memo import BoundedMemo, drop_values, trim_values
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of
from unit.test_flow_calls import CASES

BOUND = 10
VALUES = BoundedMemo[int]("sized value of a test", lambda value: value, BOUND)
MEMOS = (
    passing._MEMO,  # pyright: ignore[reportPrivateUsage]
    passing._OPERANDS,  # pyright: ignore[reportPrivateUsage]
    calls._MEMO,  # pyright: ignore[reportPrivateUsage]
)


@attrs.frozen(eq=False)
class Holder:
    """What carries values."""

    memo: dict[str, object] = attrs.field(factory=dict[str, object])


def _values(holders: list[Holder]) -> list[int]:
    return [number for number, one in enumerate(holders) if VALUES.get(one) is not None]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(("read", "drop", "trim"))), max_size=40))
def test_those_read_last_stay_as_many_as_fit(steps: list[tuple[int, str]]) -> None:
    """The holder of a number has a value of that many bytes."""
    holders = [Holder() for _ in range(6)]
    order: list[int] = []
    for number, step in steps:
        if step == "read":
            assert VALUES.once(holders[number], lambda number=number: number) == number
            order = [one for one in order if one != number] + [number]
        elif step == "drop":
            drop_values(holders[number])
        else:
            trim_values()
            while sum(order) > BOUND:
                order = order[1:]
            assert sum(_values(holders)) <= BOUND
            assert set(_values(holders)) <= set(order)
            assert VALUES.size == sum(order)
    del holders  # nothing refers back to them
    trim_values()
    assert VALUES.size == 0


def test_work_under_way_keeps_all_that_it_reads() -> None:
    holders = [Holder() for _ in range(9)]
    for one in holders:
        VALUES.once(one, lambda: BOUND)
    assert _values(holders) == list(range(9))
    trim_values()
    assert _values(holders) == [8]


GROWING = BoundedMemo[list[int]]("growing value of a test", len, BOUND, grows=True)


def test_a_value_that_grows_goes_once_it_is_too_large() -> None:
    one, other = Holder(), Holder()
    value = GROWING.once(one, lambda: [1])
    value += range(BOUND - 1)
    trim_values()
    assert GROWING.get(one) is value
    value.append(1)
    GROWING.once(other, lambda: [2])
    trim_values()
    assert GROWING.get(one) is None
    assert (GROWING.get(other), GROWING.size) == ([2], 1)


def _collecting(value: int) -> int:
    gc.collect()
    return value


COLLECTING = BoundedMemo[int]("value of a test that collects garbage", _collecting, BOUND, grows=True)


def test_garbage_that_is_collected_while_values_are_weighed_counts_once() -> None:
    first, second = Holder(), Holder()
    COLLECTING.once(first, lambda: 1)
    COLLECTING.once(second, lambda: 2)
    second.memo["itself"] = second
    del second
    trim_values()
    trim_values()
    assert COLLECTING.size == 1


def test_a_value_that_was_handed_on_is_weighed_too() -> None:
    one, other = Holder(), Holder()
    value = GROWING.once(one, lambda: [1] * (BOUND + 1))
    GROWING.carry(one, other)
    assert GROWING.once(other, list) is value
    trim_values()
    assert (GROWING.get(one), GROWING.get(other)) == (None, None)


def test_what_does_not_fit_alone_goes_as_well() -> None:
    one = Holder()
    VALUES.once(one, lambda: BOUND + 1)
    trim_values()
    assert VALUES.get(one) is None
    assert VALUES.once(one, lambda: 3) == 3


def _said(snapshot: Snapshot, *, trimmed: bool) -> Mapping[str, object]:
    found: dict[str, object] = {}
    for path in snapshot.files():
        found[path] = tuple(edges_from(snapshot, path))
        for row in (-1, *dict.fromkeys(addresses(snapshot, path).rows)):
            for ask in (edges_of, edges_to):
                found[f"{ask.__name__} {path} {row}"] = tuple(ask(snapshot, SymbolRef(path, row)))
                if trimmed:
                    trim_values()
    return found


@pytest.mark.parametrize("case", CASES)
def test_calls_by_flow_are_the_same_whatever_has_gone(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files, _ = CASES[case]
    texts: dict[str, str | bytes] = dict(files)
    whole = _said(snapshot_of(texts), trimmed=False)
    for memo in MEMOS:
        monkeypatch.setattr(memo, "bound", 0)
    assert _said(snapshot_of(texts), trimmed=True) == whole
    assert [memo.size for memo in MEMOS] == [0, 0, 0]
