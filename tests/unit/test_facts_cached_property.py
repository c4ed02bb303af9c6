"""Cached properties: computed once, and nobody waits for another object."""

from __future__ import annotations

import threading

import attrs

from graphls.facts.cached_property import cached_property


class Reader:
    def __init__(self, gate: threading.Event) -> None:
        self.gate = gate
        self.times = 0

    @cached_property
    def value(self) -> int:
        self.times += 1
        assert self.gate.wait(60)
        return self.times


@attrs.frozen
class Slotted:
    number: int

    @cached_property
    def twice(self) -> int:
        return self.number * 2


def test_a_value_is_computed_once() -> None:
    gate = threading.Event()
    gate.set()
    reader = Reader(gate)
    assert [reader.value, reader.value, reader.times] == [1, 1, 1]
    assert Slotted(2).twice == 4


def test_nobody_waits_for_a_value_of_another_object() -> None:
    shut, open_gate = threading.Event(), threading.Event()
    open_gate.set()
    slow, quick = Reader(shut), Reader(open_gate)
    waiting = threading.Thread(target=lambda: slow.value)
    waiting.start()
    while not slow.times:
        pass
    try:
        asking = threading.Thread(target=lambda: quick.value)
        asking.start()
        asking.join(10)
        assert not asking.is_alive()
    finally:
        shut.set()
        waiting.join(60)
    assert (slow.value, slow.times) == (1, 1)
