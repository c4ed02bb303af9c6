"""Tables as they come out of the cache: made when they are read, checked before."""

from __future__ import annotations

import threading

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphls.facts.columns import Bases, ColumnPacker, Lists, Table, column, rows_with


def _bytes(table: Table) -> list[bytes]:
    return [bytes(one) for one in table.to_columns()]


def test_a_table_from_columns_is_the_table_that_was_packed() -> None:
    whole = Bases.of([(1, 2, 3), (4, 5, 6)])
    again = Bases.from_columns(whole.to_columns())
    assert isinstance(again, Bases)
    assert len(again) == 2
    assert list(again.keyword) == [3, 6]
    assert type(again) is Bases
    assert len(again) == 2
    assert [list(getattr(again, field.name)) for field in attrs.fields(Bases)] == [[1, 4], [2, 5], [3, 6]]
    assert _bytes(again) == _bytes(whole)


def test_a_table_that_nobody_read_packs_itself() -> None:
    whole = Bases.of([(1, 2, 3)])
    assert _bytes(Bases.from_columns(whole.to_columns())) == _bytes(whole)


def test_a_table_has_no_other_attributes() -> None:
    table = Bases.from_columns(Bases.of([(1, 2, 3)]).to_columns())
    assert not hasattr(table, "nonsense")
    assert list(table.keyword) == [3]
    assert not hasattr(table, "nonsense")


@pytest.mark.parametrize("columns", [[b""], [b"", b"", b"1234"], [b"123", b"123", b"123"]])
def test_columns_of_another_shape_are_refused_before_anybody_reads_them(columns: list[bytes]) -> None:
    with pytest.raises(ValueError, match="column"):
        Bases.from_columns(columns)


def test_threads_that_read_at_once_see_the_same() -> None:
    raw = Bases.of([(row, row, row) for row in range(50_000)]).to_columns()
    tables = [Bases.from_columns(raw) for _ in range(50)]
    seen: list[int] = []

    def read() -> None:
        seen.extend(table.expression[-1] + len(table.keyword) for table in tables)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [99_999] * 200


def test_tables_that_are_packed_together_are_those_that_are_packed_alone() -> None:
    packing = ColumnPacker()
    packing.rows([(1, 2, 3), (4, 5, -6)])
    packing.rows([])
    packing.flat([7, 8, 9, 10, 11, 12], 2)
    packing.flat([], 3)
    bases, nothing, lists, none = packing.packed()
    assert _bytes(Bases.from_valid_columns(bases)) == _bytes(Bases.of([(1, 2, 3), (4, 5, -6)]))
    assert _bytes(Lists.from_valid_columns(lists)) == _bytes(Lists.of([(7, 8), (9, 10), (11, 12)]))
    assert _bytes(Bases.from_valid_columns(nothing)) == _bytes(Bases.from_valid_columns(none)) == _bytes(Bases.of(()))


def test_one_column_of_a_table_that_nobody_read_leaves_it_unread() -> None:
    raw = Bases.of([(1, 2, 3), (4, 5, 6)]).to_columns()
    table = Bases.from_valid_columns(raw)
    assert list(table.one("keyword")) == [3, 6]
    assert type(table) is not Bases
    assert list(table.with_column("keyword", table.one("definition")).keyword) == [1, 4]
    assert list(table.one("keyword")) == [3, 6]


@given(st.lists(st.sampled_from((0, 1, -1, 256, 65_536, 2**24, -(2**31), 2**31 - 1)), max_size=300))
def test_rows_with_a_value_are_those_that_have_it(values: list[int]) -> None:
    """Short and long columns, few and many rows; bytes of a value also stand across two others."""
    rows = column(values)
    for value in (*values[:3], 0, -1, 2**16, 7):
        assert list(rows_with(rows, value)) == [row for row, other in enumerate(values) if other == value]
