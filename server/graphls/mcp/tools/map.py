"""Map: the tool that shows a repository at a glance.

Owns: map.
Must not know: how anything is counted.
Invariant: at most 1,500 tokens; counts are of everything, lists say how much they leave out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from graphls.mcp.paging import Reply
from graphls.mcp.requests import CommitRequest, Scope
from graphls.mcp.results import SummaryReply
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext, ToolEntry
from graphls.mcp.wording import counted
from graphls.queries.answer import answer
from graphls.queries.summary import INNER_KINDS, MAX_LISTED, Counted, Summary, summary

_BYTES: Final = 900
"""Of one list."""


class MapRequest(CommitRequest):
    scope: Scope = ""


def shape(context: ToolContext, request: MapRequest) -> Reply:
    """The shape of a scope."""
    scope = context.subjects.scope(request.scope)
    found = summary(context.snapshot, scope)
    envelope = answer(context.snapshot)
    return Reply(envelope, SummaryReply(summary=found), lambda: _text(found, scope or context.state.workspace.name))


def _text(found: Summary, scope: str) -> TextAnswer:
    languages = ", ".join(f"{one.name or 'no language'} {one.count}" for one in found.languages)
    size = f"{counted(found.files, 'file')} ({found.test_files} of tests), {found.bytes // 1000:,} kB"
    head = f"{scope}: {size}, {languages}"
    foot = [f"{counted(found.skipped, 'file')} skipped: read graphls://status"] if found.skipped else []
    rows = (
        *_list("packages (files)", _counts(found.packages), len(found.packages) >= MAX_LISTED),
        *_list("folders (files)", _counts(found.folders), len(found.folders) >= MAX_LISTED),
        *_list("symbols", _counts([one for one in found.symbols if one.name not in INNER_KINDS]), False),
        *_list("entry points", found.entry_points, len(found.entry_points) >= MAX_LISTED),
        *_list("imported or used by most", _counts(found.most_imported), len(found.most_imported) >= MAX_LISTED),
        *_list("public names", found.public_api, len(found.public_api) >= MAX_LISTED * 5),
    )
    return TextAnswer(head, rows, tuple(foot))


def _counts(listed: Sequence[Counted]) -> list[str]:
    return [f"{one.name} {one.count}" for one in listed]


def _list(title: str, words: Sequence[str], cut: bool) -> Iterator[Row]:
    """One line; `cut`: there are more than those that are known here."""
    room, shown = _BYTES, list[str]()
    for word in words:
        room -= len(word.encode()) + 2
        if room < 0:
            break
        shown.append(word)
    left = len(words) - len(shown)
    more = f", and {left}{' or more' if cut else ''} more" if left else ", and more" if cut else ""
    yield Row(f"{title}: {', '.join(shown) or 'none found'}{more}")


TOOL = ToolEntry(
    name="map",
    title="Map of the repository",
    description="The repository or a part of it in at most 1,500 tokens: languages, packages, folders, entry points, "
    "what most modules import, public names. Once, at the start.",
    queries=(Query(name="map", request=MapRequest, contents=SummaryReply, run=shape),),
    rank=5,
)
