"""Paging: answers cut to a size, and the way to the rest.

Owns: the cap on an answer, opaque cursors, which list is cut.
Must not know: tools, what an answer says.
Invariant: the text of an answer is never longer than the cap, and what was cut is counted in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, Final, cast

import attrs

from graphls.graph.control_escapes import escape_controls
from graphls.graph.errors import BadRequest
from graphls.mcp.results import Quoted
from graphls.mcp.schemas import plain
from graphls.mcp.text_form import TextAnswer, text_page
from graphls.queries.answer import Answer
from graphls.queries.completeness import Cause, Gap

MAX_BYTES: Final = 25_000
"""The most that the text of one answer takes, unless the server was started with another number."""
LEAST_BYTES: Final = 4_000
_TEXT_KEPT: Final = 1_000
_CURSOR_BYTES: Final = 160
_CURSOR: Final = re.compile(r"(?P<first>[1-9]\d{0,8})\.(?P<request>[0-9a-f]{8})\.(?P<seen>[0-9a-f]{8})", re.ASCII)
_WHOLE: Final = frozenset({"causes"})


@attrs.frozen
class Reply:
    """What a tool answers: the envelope, the contents, the list of the contents that pages, and all of it as text."""

    answer: Answer
    contents: attrs.AttrsInstance
    text: Callable[[], TextAnswer]
    pages: str = ""
    is_secondary: bool = False
    """What there is was not asked for in the first place, as sections of documents where code is wanted."""
    may_be_empty: bool = False
    """A part of it without rows is an answer too: what it looks for is often nowhere, or only far off."""


@attrs.frozen
class ReplyPage:
    """Which part of an answer is asked for. `request`: digest of tool and arguments."""

    request: str
    cursor: str = ""
    max_bytes: int = MAX_BYTES


def request_digest(tool: str, arguments: Mapping[str, object]) -> str:
    """Tells requests apart; the cursor itself is no part of it."""
    parameters = {name: value for name, value in arguments.items() if name != "cursor"}
    text = json.dumps([tool, parameters], sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def paged_text(reply: Reply, page: ReplyPage) -> str:
    """A page of the answer as text, with the way to the rest."""
    made, snapshot = reply.text(), reply.answer.snapshot
    first = _first(page, snapshot)
    if first and first >= len(made.rows):
        raise BadRequest("The cursor points behind the end; ask again without it.")
    shown = text_page(made, reply.answer, first, page.max_bytes)
    if not shown.following:
        return shown.text
    return f'{shown.text}; the rest: cursor "{_cursor(page, snapshot, shown.following)}"'


def fitted(reply: Reply, page: ReplyPage) -> dict[str, Any]:
    """The answer as a JSON object within the cap."""
    envelope: dict[str, Any] = plain(reply.answer)
    made = {
        **plain(Quoted()),
        **envelope,
        **{key: value for key, value in plain(reply.contents).items() if key not in envelope},
    }
    first = _first(page, reply.answer.snapshot)
    if reply.pages:
        _paged(made, reply.pages, first, page)
    while len(_text(made)) > page.max_bytes:
        if not _shrunk(made):
            break
    return made


def _paged(made: dict[str, Any], name: str, first: int, page: ReplyPage) -> None:
    items: list[Any] = made[name]
    if first > len(items):
        raise BadRequest("The cursor points behind the end; ask again without it.")
    links = _links_by_item(made)
    room = page.max_bytes - len(_text({**made, name: [], **({"links": []} if links else {})})) - _CURSOR_BYTES
    end = first
    while end < len(items):
        room -= len(_text(items[end])) + 1 + sum(len(_text(link)) + 1 for link in links.get(end, ()))
        if room < 0 and end > first:
            break
        end += 1
    made[name] = items[first:end]
    if links:
        made["links"] = [link for link in made["links"] if max(link["source"], link["target"]) < end]
    if first:
        made["omitted_before"] = first
    if end < len(items):
        _cut(made, len(items) - end, "cursor", f"{len(items) - end} more are on the next pages")
        made["cursor"] = _cursor(page, str(made["snapshot"]), end)


def _links_by_item(made: dict[str, Any]) -> dict[int, list[dict[str, int]]]:
    """Links name items by number: each is shown once both its items were."""
    found: dict[int, list[dict[str, int]]] = {}
    for link in made.get("links") or ():
        found.setdefault(max(link["source"], link["target"]), []).append(link)
    return found


def lists_of(made: dict[str, Any]) -> dict[str, list[Any]]:
    """Entries that are lists with something in them."""
    return {key: cast("list[Any]", value) for key, value in made.items() if isinstance(value, list) and value}


def _shrunk(made: dict[str, Any]) -> bool:
    """Takes away half of the largest list, or the end of the longest text in a list of one."""
    lists = {key: items for key, items in lists_of(made).items() if key not in _WHOLE}
    if not lists:
        return False
    key = max(lists, key=lambda name: len(_text(lists[name])))
    items = lists[key]
    length = len(items) // 2
    if length:
        _cut(made, len(items) - length)
        made[key] = items[:length]
    else:
        made[key] = _shortened(items[0])
        _cut(made, 0 if made[key] else 1)
    return True


def _cut(
    made: dict[str, Any], count: int, request: str = "limit", reason: str = "the answer is cut to its most bytes"
) -> None:
    """Something was left out. How much is known only where it was known before."""
    known = made["omitted"] or not made["truncated"]
    made["omitted"] = made["omitted"] + count if known else 0
    made["truncated"], made["complete"] = True, False
    others = [cause for cause in made["causes"] if cause["cause"] != Cause.LIMIT]
    made["causes"] = [*others, plain(Gap(Cause.LIMIT, "in", made["omitted"]))]
    if made["next"]["kind"] == "answer":
        made["next"] = {**made["next"], "kind": "inspect", "request": request, "reason": reason}


def _shortened(item: Any) -> list[Any]:
    """The item with half of its longest text; nothing when that is no longer worth it."""
    fields = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    name = max(texts, key=lambda known: len(texts[known]), default="")
    if not name or len(texts[name]) < _TEXT_KEPT:
        return []
    return [{**fields, name: texts[name][: len(texts[name]) // 2]}]


def _text(value: object) -> bytes:
    text = escape_controls(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    return text.encode("utf-8", "replace")


def _cursor(page: ReplyPage, snapshot: str, first: int) -> str:
    return f"{first}.{page.request[:8]}.{_mark(snapshot)}"


def _mark(snapshot: str) -> str:
    return blake2b(snapshot.encode(), digest_size=4).hexdigest()


def _first(page: ReplyPage, snapshot: str) -> int:
    if not page.cursor:
        return 0
    found = _CURSOR.fullmatch(page.cursor)
    if found is None:
        raise BadRequest("The cursor is not one that an answer gave; ask again without it.")
    if found["request"] != page.request[:8]:
        raise BadRequest("The cursor belongs to other arguments; repeat those it came with, or ask without it.")
    if found["seen"] != _mark(snapshot):
        raise BadRequest("The graph changed since the cursor was given; ask again without it.")
    return int(found["first"])
