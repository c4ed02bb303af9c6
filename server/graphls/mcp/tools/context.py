"""Context: the tool that gathers the code a task needs.

Owns: context.
Must not know: how code is ranked.
Invariant: the items of a pack come in its order; the first page holds the whole budget; source that this session was
    given is not sent again unless asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import attrs
from pydantic import Field

from graphls.context.formats import Heading, compact
from graphls.context.pack import Item, Pack, PackRequest, coverage, next_step
from graphls.graph.errors import BadRequest
from graphls.mcp.paging import Reply
from graphls.mcp.requests import Budget, CommitRequest, Path, Subject
from graphls.mcp.results import PackReply
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext, ToolEntry
from graphls.queries.answer import Answer, answer


class ContextRequest(CommitRequest):
    task: Annotated[str, Field(max_length=100_000, description="any words: an issue, an error, a stack trace")] = ""
    files: Annotated[tuple[Path, ...], Field(max_length=200, description="that matter for sure")] = ()
    symbols: Annotated[tuple[Subject, ...], Field(max_length=200, description="that matter for sure")] = ()
    budget: Budget | None = None
    tests: Annotated[bool | None, Field(description="hold tests too; else the task decides")] = None
    resend: Annotated[bool, Field(description="also source sent before")] = False


def gather(context: ToolContext, request: ContextRequest) -> Reply:
    """The pack of a task, of files or of symbols."""
    if not (request.task.strip() or request.files or request.symbols):
        raise BadRequest("Say what the context is for: task, files or symbols.")
    context, wanted, made = packed(context, request)
    envelope = pack_answer(context, wanted, made)
    return Reply(envelope, _contents(made), lambda: _text(context, request, made, envelope), "items")


def packed(
    context: ToolContext, request: ContextRequest, *, explain: bool = False
) -> tuple[ToolContext, PackRequest, Pack]:
    """The pack, what it was asked for, and the snapshot it was made from."""
    wanted = PackRequest(
        task=request.task,
        files=tuple(context.subjects.file(path) for path in request.files),
        nodes=request.symbols,
        budget=request.budget or context.state.settings.pack.budget,
        explain=explain,
        at=context.at,
        tests=request.tests,
    )
    snapshot, made = context.state.session.pack(context.snapshot, wanted)
    return context.with_snapshot(snapshot), wanted, made


def pack_answer(context: ToolContext, request: PackRequest, made: Pack) -> Answer:
    """The envelope of a pack."""
    return answer(context.snapshot, coverage(context.snapshot, request, made), next_step(made.items))


def _contents(made: Pack) -> PackReply:
    return PackReply(
        id=made.id,
        task=made.task[:2_000],
        budget=made.budget,
        used=made.used,
        tokenizer=made.tokenizer,
        items=made.items,
        links=made.links,
        tests=made.tests,
        decisions=made.decisions,
        left_out=made.left_out,
        more=made.more,
    )


def _text(context: ToolContext, request: ContextRequest, made: Pack, envelope: Answer) -> TextAnswer:
    heading = Heading.of(envelope)
    number = context.sent.next_answer()
    items = made.items if request.resend else tuple(_new(context, made, number))
    known = sum(new is not old for new, old in zip(items, made.items, strict=True))
    head, *lines = compact(attrs.evolve(made, items=items), heading).rstrip("\n").split("\n")
    again = f"; {known} of them unchanged since earlier answers (resend: true sends them)" if known else ""
    about = f"context {made.id}: {len(items)} items, {made.omitted} declarations left out{again}"
    return TextAnswer(about, tuple(map(Row, (head, *lines))), whole=True)


def _new(context: ToolContext, made: Pack, number: int) -> Iterator[Item]:
    """The items, those that were sent before with a word in place of their text."""
    for item in made.items:
        before = context.sent.sent_in(number, item.file, item.start_line, item.text)
        word = f"(unchanged since answer {before})"
        if before and len(item.text) > len(word):
            context.sent.spare(item.text)
            item = attrs.evolve(item, text=word)
        yield item


TOOL = ToolEntry(
    name="context",
    title="Code for a task",
    description="The code that a task needs, ranked, whole enough to edit, within a budget of tokens. Start here when "
    "you do not know the place; paste issues and stack traces as they are. Not for one known symbol (understand).",
    queries=(Query(name="context", request=ContextRequest, contents=PackReply, run=gather),),
    rank=4,
)
