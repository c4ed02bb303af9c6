"""Framing: however bytes are cut, and whatever came before, a well-formed message is found."""

from __future__ import annotations

from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphls.lsp.protocol.framing import MAX_HEADER, Body, Broken, Framing, frame

BODIES = st.sampled_from([b"{}", b'{"a":1}', b"[1,\r\n2]", b'"Content-Length: 5\\r\\n\\r\\n{"', b"x" * 300])
JUNK = st.sampled_from(
    [
        b"",
        b"\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n{}",
        b"Content-Length: 400\r\n\r\n{",
        b"Other: 1\r\n\r\n",
        b"junk",
        b"junk\n",
        b"\x00\xff" * 40,
        b"y" * (MAX_HEADER + 1),
        b"Content-Length: 2\r\n" * 3 + b"y" * MAX_HEADER + b"\r\n\r\n",
    ]
)


def everything(framing: Framing, stream: bytes, cuts: list[int]) -> list[Body | Broken]:
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [found for start, end in pairwise(places) for found in framing.feed(stream[start:end])]


@given(st.lists(BODIES), st.lists(st.integers(0, 5000), max_size=8))
def test_cuts_do_not_matter(bodies: list[bytes], cuts: list[int]) -> None:
    found = everything(Framing(), b"".join(map(frame, bodies)), cuts)
    assert found == [Body(body) for body in bodies]


@given(st.lists(st.tuples(JUNK, BODIES), min_size=1, max_size=4), st.lists(st.integers(0, 5000), max_size=8))
def test_the_last_message_is_found_behind_any_junk(parts: list[tuple[bytes, bytes]], cuts: list[int]) -> None:
    stream = b"".join(junk + frame(body) for junk, body in parts)
    found = everything(Framing(), stream + frame(b"{}" + b" " * 600) + frame(b'{"last":1}'), cuts)
    assert found[-1] == Body(b'{"last":1}')


@given(st.lists(st.binary(max_size=400), max_size=20))
def test_any_bytes_are_survived_in_bounded_memory(chunks: list[bytes]) -> None:
    framing = Framing(max_body=1000)
    for chunk in chunks:
        assert all(isinstance(found, Body | Broken) for found in framing.feed(chunk))


@pytest.mark.parametrize("before", [b"", b"Content-Length: 2\r\n" * 2000])
@pytest.mark.parametrize("behind", [b"", b"\r\n\r\n{}"])
def test_a_header_without_end_is_given_up_once(before: bytes, behind: bytes) -> None:
    """It begins like a header, so who searches for the next one must not come upon it again."""
    framing = Framing()
    endless = before + b"Content-Length: 2\r\nX-Pad: " + b" " * 4 * MAX_HEADER
    assert list(islice(framing.feed(endless + behind), 9)) == [Broken("The header block is too long.")]
    assert list(islice(framing.feed(frame(b'{"last":1}')), 9))[-1] == Body(b'{"last":1}')


@given(st.integers(3, 5000), st.lists(st.integers(0, 5000), max_size=8))
def test_a_short_body_is_left_as_soon_as_the_next_header_is_there(length: int, cuts: list[int]) -> None:
    short = b"Content-Length: %d\r\n\r\n{}" % length
    first, *others = everything(Framing(), short + frame(b'{"last":1}'), cuts)
    assert first == Broken("The body is shorter than Content-Length says.") or isinstance(first, Body)
    assert others == [Body(b'{"last":1}')]


@given(st.lists(st.integers(0, 5000), max_size=8))
def test_a_body_that_ends_like_the_beginning_of_a_header_is_followed_by_one(cuts: list[int]) -> None:
    for odd in (b"c", b"echo Conten", b"x Content-Length: 5"):
        found = everything(Framing(), frame(odd) + frame(b'{"last":1}'), cuts)
        assert found == [Body(odd), Body(b'{"last":1}')]


def test_a_body_without_end_is_given_up_once() -> None:
    framing = Framing()
    assert list(framing.feed(b"Content-Length: 99\r\n\r\n{")) == []
    assert framing.midway
    assert list(framing.give_up()) == [Broken("The body is shorter than Content-Length says.")]
    assert not framing.midway
    assert list(framing.give_up()) == []
    assert list(framing.feed(b'"rest":1}' + frame(b'{"last":1}'))) == [Body(b'{"last":1}')]


def test_a_web_page_is_hopeless() -> None:
    (found, *_) = Framing().feed(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
    assert found == Broken("This is a language server, not a web server.", hopeless=True)
