"""LineIndex against a slow model that walks the text."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphls.facts.lines import Encoding, LineIndex, encode_text

ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
PIECES = ["a", "bc", "\n", "\r", "\r\n", "\f", "\x85", "\u2028", "é", "漢", "😀", "\t", "\ufeff"]
PIECES += ["x" * 8189, "é" * 4095]  # so that line ends fall on the borders of blocks
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def width(char: str, encoding: Encoding) -> int:
    if encoding == "utf-32":
        return 1
    return len(char.encode()) if encoding == "utf-8" else 1 + (ord(char) > 0xFFFF)


def model(text: str, encoding: Encoding) -> list[tuple[int, tuple[int, int]]]:
    """(byte offset, position) of every place a cursor can stand."""
    places: list[tuple[int, tuple[int, int]]] = []
    offset = line = character = 0
    if text.startswith("\ufeff"):
        text, offset = text[1:], 3
    for piece in re.findall(r"\r\n|[\s\S]", text):
        places.append((offset, (line, character)))
        offset += len(piece.encode())
        if piece in ("\r\n", "\n", "\r"):
            line, character = line + 1, 0
        else:
            character += width(piece, encoding)
    return [*places, (offset, (line, character))]


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_every_place_round_trips(text: str, encoding: Encoding) -> None:
    index = LineIndex(text.encode())
    places = model(text, encoding)
    assert index.line_count == places[-1][1][0] + 1
    for offset, position in places[:60] + places[-60:]:
        assert index.position(offset, encoding) == position
        assert index.offset(*position, encoding) == offset


@given(TEXTS, st.integers(0, 60), st.integers(0, 60), TEXTS)
def test_an_edited_index_equals_a_fresh_one(text: str, start: int, length: int, new: str) -> None:
    data = text.encode()
    start, end = min(start, len(data)), min(start + length, len(data))
    edited = LineIndex(data).edited(start, end, new.encode())
    fresh = LineIndex(data[:start] + new.encode() + data[end:])
    assert edited.data == fresh.data
    assert edited.line_count == fresh.line_count
    assert [edited.span(n) for n in range(edited.line_count)] == [fresh.span(n) for n in range(fresh.line_count)]


@given(st.binary(max_size=60), st.integers(-3, 70), st.integers(-3, 2**40), st.sampled_from(ENCODINGS))
def test_no_bytes_and_no_numbers_raise(data: bytes, line: int, character: int, encoding: Encoding) -> None:
    index = LineIndex(data)
    assert 0 <= index.offset(line, character, encoding) <= len(data)
    assert index.position(character, encoding) >= (0, 0)


@pytest.mark.parametrize(
    ("text", "place", "encoding", "offset"),
    [
        ("abc\ndef", (0, 99), "utf-16", 3),
        ("abc\r\ndef", (0, 4), "utf-16", 3),
        ("abc\rdef", (1, 0), "utf-16", 4),
        ("abc\ndef", (9, 0), "utf-16", 7),
        ("a\fb\x85c\u2028d", (0, 7), "utf-16", 10),
        ("😀x", (0, 1), "utf-16", 0),
        ("😀x", (0, 2), "utf-16", 4),
        ("😀x", (0, 1), "utf-32", 4),
        ("😀x", (0, 3), "utf-8", 0),
        ("\ufeffdef", (0, 0), "utf-16", 3),
        ("\ufeffdef", (0, 1), "utf-8", 4),
        ("\ufeff", (0, 5), "utf-8", 3),
        ("", (0, 0), "utf-8", 0),
    ],
)
def test_positions_are_clamped(text: str, place: tuple[int, int], encoding: Encoding, offset: int) -> None:
    assert LineIndex(text.encode()).offset(*place, encoding) == offset


@pytest.mark.parametrize(("offset", "position"), [(0, (0, 0)), (1, (0, 0)), (3, (0, 0)), (4, (0, 1)), (99, (1, 1))])
def test_bytes_of_a_byte_order_mark_are_column_zero(offset: int, position: tuple[int, int]) -> None:
    assert LineIndex("\ufeffab\nc".encode()).position(offset, "utf-16") == position


@pytest.mark.parametrize(
    ("offset", "point"), [(0, (0, 0)), (2, (0, 2)), (4, (0, 4)), (5, (1, 0)), (6, (1, 1)), (7, (2, 0))]
)
def test_tree_sitter_rows_end_with_line_feeds_only(offset: int, point: tuple[int, int]) -> None:
    assert LineIndex(b"a\rb\r\nc\nd").row_column(offset) == point
    assert LineIndex(b"a b \nc\nd").row_column(offset) == point


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("x\ud83d", "x\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\ufeffa\ud800", "\ufeffa\ufffd"),
    ],
)
def test_lone_surrogates_become_replacement_characters(text: str, encoded: str) -> None:
    assert encode_text(text) == encoded.encode()
