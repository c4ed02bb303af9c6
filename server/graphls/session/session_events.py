"""Session events: what an agent did besides asking graphls, as whoever runs it reports.

Owns: the shape of an event, what is refused, totals of a session.
Must not know: providers of agents, layout, where events come from.
Invariant: a batch is taken in whole or not at all; no payload is kept, only sizes, digests and names.
"""

from __future__ import annotations

import itertools
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias, cast, get_args

import attrs
from cattrs import Converter
from cattrs.errors import ForbiddenExtraKeysError

from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.graph.errors import BadRequest
from graphls.session.dated_rows import MOST, DatedRows
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

EventKind: TypeAlias = Literal[
    "provider_call", "tool_call", "file_read", "file_listing", "injection", "truncation", "cache_hit", "edit_proposal"
]
KINDS: Final[tuple[str, ...]] = get_args(EventKind)
_FORM: Final = "session events 1"
_LONGEST: Final = 300
_SHOWN: Final = 40
_MOST_TRANSFORMS: Final = 20
_DENIED: Final = ("deny", "denied", "block", "blocked", "refused")


@attrs.frozen(kw_only=True)
class EventTransform:
    """What was done to a payload on its way: bytes that it took away, digests of before and after."""

    name: str
    reason: str = ""
    input_hash: str = ""
    output_hash: str = ""
    bytes_removed: int = 0


@attrs.frozen(kw_only=True)
class SessionEvent:
    """One event. `time`: seconds since 1970; `direction`: `in` to the agent, `out` of it; `payload`: what kind of text
    it was about; `decision`: of whoever may refuse it; `transforms`: in their order."""

    kind: str
    session: str
    time: int = 0
    provider: str = ""
    model: str = ""
    tool: str = ""
    target: str = ""
    direction: str = ""
    payload: str = ""
    bytes: int = 0
    input_hash: str = ""
    output_hash: str = ""
    cache_key: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    decision: str = ""
    transforms: tuple[EventTransform, ...] = ()

    @property
    def is_denied(self) -> bool:
        """Whether it was refused."""
        return self.decision.lower() in _DENIED


@attrs.frozen(kw_only=True)
class EventTotals:
    """Sums over events."""

    events: int
    kinds: Mapping[str, int]
    denials: int
    bytes: int
    bytes_removed: int
    tokens_in: int
    tokens_out: int


class SessionEvents:
    """Events of one workspace."""

    def __init__(self, store: BlobStore | None, workspace: Workspace) -> None:
        self._rows = DatedRows(store, workspace, _FORM)

    def take_in(self, lines: Iterable[str], session: str) -> int:
        """Events as JSON, one a line; how many. `session`: of those that name none. Raises BadRequest, before
        anything is kept."""
        found = [_read(number, line, session) for number, line in enumerate(lines, 1) if line.strip()]
        for one in found:
            self._rows.put(encode_plain(attrs.asdict(one)))
        return len(found)

    def entries(self, session: str = "", kind: str = "", limit: int = 50) -> tuple[SessionEvent, ...]:
        """The newest first."""
        known = (one for one in map(_event, self._rows.newest()) if one is not None)
        chosen = (one for one in known if session in ("", one.session) and kind in ("", one.kind))
        return tuple(itertools.islice(chosen, limit))

    def totals(self, session: str) -> EventTotals:
        """Of one session."""
        return event_totals(self.entries(session, limit=MOST))

    def prune(self, days: int | None = None) -> int:
        """Drops what is too old, and the oldest of too many; how many."""
        return self._rows.prune(days)

    def erase(self) -> int:
        """Forgets everything; how much there was."""
        return self._rows.erase()


def event_totals(events: Sequence[SessionEvent]) -> EventTotals:
    """Sums over events."""
    return EventTotals(
        events=len(events),
        kinds=dict(sorted(Counter(one.kind for one in events).items())),
        denials=sum(one.is_denied for one in events),
        bytes=sum(one.bytes for one in events),
        bytes_removed=sum(each.bytes_removed for one in events for each in one.transforms),
        tokens_in=sum(one.tokens_in for one in events),
        tokens_out=sum(one.tokens_out for one in events),
    )


def _read(number: int, line: str, session: str) -> SessionEvent:
    try:
        raw: object = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRequest(f"Line {number} is no JSON.") from None
    if not isinstance(raw, dict):
        raise BadRequest(f"Line {number} is no object.")
    values = {"session": session, "time": int(time.time()), **cast("dict[str, object]", raw)}
    try:
        event = _CONVERTER.structure(values, SessionEvent)
    except (ForbiddenExtraKeysError, TypeError, ValueError, KeyError, AttributeError) as error:
        names = ", ".join(field.name for field in attrs.fields(SessionEvent))
        raise BadRequest(f"Line {number} is no event: {error}. One has {names}.") from None
    if event.kind not in KINDS:
        raise BadRequest(f"Line {number}: {event.kind!r} is no kind of event. Use one of {', '.join(KINDS)}.")
    if not event.session:
        raise BadRequest(f"Line {number} names no session: give it one, or --session.")
    if len(event.transforms) > _MOST_TRANSFORMS:
        raise BadRequest(f"Line {number} has more than {_MOST_TRANSFORMS} transforms.")
    return event


def _number(value: object, _: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{str(value)[:_SHOWN]!r} is no number from 0 on")
    return value


def _text(value: object, _: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:_SHOWN]!r} is no text")
    return value[:_LONGEST]


def _converter() -> Converter:
    """Takes values as they are, or not at all."""
    converter = Converter(forbid_extra_keys=True, detailed_validation=False)
    converter.register_structure_hook(int, _number)
    converter.register_structure_hook(str, _text)
    return converter


_CONVERTER: Final = _converter()


def _event(raw: bytes) -> SessionEvent | None:
    try:
        return _CONVERTER.structure(decode_plain(raw), SessionEvent)
    except (CodecError, ForbiddenExtraKeysError, TypeError, ValueError, KeyError, AttributeError):
        return None
