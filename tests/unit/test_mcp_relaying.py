"""What a successor of the editor's server is told, so that an agent notices nothing."""

from __future__ import annotations

import json

from graphls.mcp.proxy import PendingMessages


def line(**told: object) -> str:
    return json.dumps({"jsonrpc": "2.0", **told}) + "\n"


BEGIN = line(id=0, method="initialize", params={})
READY = line(method="notifications/initialized")
CALL = line(id=1, method="tools/call", params={})


def kept(*said: tuple[str, str]) -> PendingMessages:
    made = PendingMessages()
    for who, text in said:
        (made.from_agent if who == "agent" else made.from_server)(text)
    return made


def test_the_beginning_and_what_is_unanswered_are_said_again() -> None:
    told = kept(("agent", BEGIN), ("server", line(id=0, result={})), ("agent", READY), ("agent", CALL))
    assert told.replay() == [BEGIN, READY, CALL]
    assert told.is_known(line(id=0, result={}))
    assert not told.is_known(line(id=1, result={}))


def test_an_answer_is_not_asked_for_again() -> None:
    told = kept(("agent", BEGIN), ("server", line(id=0, result={})), ("agent", CALL), ("server", line(id=1, result={})))
    assert told.replay() == [BEGIN]


def test_a_beginning_that_was_refused_is_not_said_again() -> None:
    """As a client does whose first question came too late: it offers a handshake, and is told of the newer protocol."""
    told = kept(("agent", BEGIN), ("server", line(id=0, error={"code": -32022, "message": "newer"})), ("agent", CALL))
    assert told.replay() == [CALL]
    assert not told.is_known(line(id=0, result={}))
