"""Packs: a context pack as JSON that costs little more than its text.

Owns: what a pack's JSON leaves out because it follows from the rest, one row a line.
Must not know: how code is ranked, other answers.
Invariant: nothing is lost: what is absent follows from what is there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast

from graphls.cli.rendering.wire import plain
from graphls.context.pack import Covering, Item, LeftOut, Pack
from graphls.graph.control_escapes import escape_controls
from graphls.queries.answer import Answer

_REASONS = 1
"""Merits of an item that are named; `graphls explain` names them all."""


def write_pack(envelope: Answer, made: Pack) -> None:
    """The envelope and the pack as one JSON object; every row of a list has its own line."""
    fields: dict[str, Any] = {}
    for part in (plain(envelope), plain(made)):
        for key, value in part.items():
            fields.setdefault(key, value)
    fields["items"] = [item_row(item) for item in made.items]
    fields["tests"] = [_row(test) for test in made.tests]
    if made.decisions:
        fields["decisions"] = [{key: value for key, value in plain(row).items() if key != "tokens"}
                               for row in made.decisions]  # fmt: skip
    else:
        del fields["decisions"]
    fields["left_out"] = [_row(row) for row in made.left_out]
    fields["links"] = [[link.source, link.kind, link.target] for link in made.links]
    if not made.explanation:
        del fields["explanation"]
    text = ",\n".join(f"{_bare(key)}:{_value(value)}" for key, value in fields.items())
    sys.stdout.flush()
    sys.stdout.buffer.write(escape_controls(f"{{{text}}}").encode("utf-8", "backslashreplace") + b"\n")


def item_row(item: Item) -> Mapping[str, Any]:
    """An item without a whole that is its own lines, and without a detail that is the whole `body`."""
    row = _row(item)
    if item.detail == "body":
        del row["detail"]
    if (item.whole_start, item.whole_end) == (item.start_line, item.end_line):
        del row["whole_start"], row["whole_end"]
    if not item.also:
        del row["also"]
    return {**row, "score": round(item.score, 3), "reason": "; ".join(item.reason.split("; ")[:_REASONS])}


def _row(row: Item | Covering | LeftOut) -> dict[str, Any]:
    """A row without its tokens, which a reader counts, and without what its file says too (`name`: the symbol within
    its module)."""
    fields = {key: value for key, value in plain(row).items() if key != "tokens"}
    fields["name"] = fields.pop("symbol").partition(":")[2]
    return fields


def _value(value: Any) -> str:
    rows = cast("Sequence[Any]", value) if isinstance(value, list) else ()
    if rows and isinstance(rows[0], dict):
        return "[\n" + ",\n".join(map(_bare, rows)) + "]"
    return _bare(value)


def _bare(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
