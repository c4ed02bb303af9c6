"""A question that met its time limit is put again while there is nothing to say of what it wants."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import cast

import pytest

from graphls.mcp.continued_query import answered
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ToolRequest
from graphls.mcp.tool_catalog import Query, ToolContext


class _Queries:
    """A query whose answers come one after the other."""

    whole = True

    def __init__(self, *replies: Reply) -> None:
        self.left = list(replies)

    def run(self, context: ToolContext, request: ToolRequest) -> Reply:
        return self.left.pop(0)


def _reply(rows: int, *, cut: bool, secondary: bool = False, may_be_empty: bool = False) -> Reply:
    made = SimpleNamespace(
        answer=SimpleNamespace(is_cut_short=cut), contents=SimpleNamespace(matches=tuple(range(rows))),
        pages="matches", is_secondary=secondary, may_be_empty=may_be_empty,
    )  # fmt: skip
    return cast("Reply", made)


def _answered(*replies: Reply, linked: bool = True) -> tuple[Reply, int]:
    def wait(*_: object) -> bool:
        return linked

    session = SimpleNamespace(wait=wait)
    context = SimpleNamespace(state=SimpleNamespace(session=session, patience=60.0))
    query = _Queries(*replies)
    found = answered(cast("Query", query), cast("ToolContext", context), cast("ToolRequest", None), threading.Event())
    return found, len(query.left)


@pytest.mark.parametrize(
    ("first", "goes_on"),
    [
        (_reply(3, cut=True), False),
        (_reply(0, cut=True), True),
        (_reply(0, cut=True, may_be_empty=True), False),
        (_reply(3, cut=True, secondary=True), True),
        (_reply(3, cut=False, secondary=True), False),
        (_reply(0, cut=False), False),
    ],
)
def test_a_question_goes_on_as_long_as_it_has_nothing_of_what_is_wanted(first: Reply, goes_on: bool) -> None:
    last = _reply(2, cut=False)
    found, left = _answered(first, last)
    assert (found is last) == goes_on
    assert left == (0 if goes_on else 1)


def test_a_part_of_an_answer_is_not_given_while_files_are_linked() -> None:
    last = _reply(2, cut=False)
    assert _answered(_reply(3, cut=True), last, linked=False)[0] is last
