"""Contexts: the code that a task or files need, and why it was chosen.

Owns: context_for_task, context_for_files, explain_context.
Must not know: how code is ranked.
Invariant: the items of a pack come in its order, whatever the size of a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from graphls.context.pack import Item, Pack, PackRequest, coverage, next_step
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ContextForFiles, ContextForTask, ExplainContext
from graphls.mcp.results import ExplainedItem, Merit, PackExplanation, PackReply
from graphls.mcp.tool_catalog import ToolContext, ToolEntry
from graphls.queries.answer import Answer, answer


def for_task(context: ToolContext, request: ContextForTask) -> Reply:
    """The pack of a task."""
    return _reply(*_pack(context, request))


def for_files(context: ToolContext, request: ContextForFiles) -> Reply:
    """The pack of files."""
    whole = ContextForTask(task=request.task or " ", files=request.files, budget=request.budget, tests=request.tests)
    return _reply(*_pack(context, whole))


def explain(context: ToolContext, request: ExplainContext) -> Reply:
    """The account of a pack."""
    context, wanted, made = _pack(context, request, explain=True)
    explanation = made.explanation
    merits = cast("Sequence[Mapping[str, Any]]", explanation.get("merits") or ())
    items = [_explained(item, merit) for item, merit in zip(made.items, merits, strict=False)]
    contents = PackExplanation(
        id=made.id,
        words=_texts(explanation, "words"),
        identifiers=_texts(explanation, "identifiers"),
        symbols=_texts(explanation, "symbols"),
        files=_texts(explanation, "files"),
        changed_weights=cast("Mapping[str, Any]", explanation.get("changed_weights") or {}),
        items=tuple(item for item in items if not request.node or request.node in (item.node, item.symbol)),
    )
    return Reply(_envelope(context, wanted, made), contents, "items")


def _pack(
    context: ToolContext, request: ContextForTask, *, explain: bool = False
) -> tuple[ToolContext, PackRequest, Pack]:
    wanted = PackRequest(
        task=request.task,
        files=tuple(context.subjects.file(path) for path in request.files),
        nodes=request.symbols,
        budget=request.budget or context.state.settings.pack.budget,
        explain=explain,
        tests=request.tests,
    )
    snapshot, made = context.state.session.pack(context.snapshot, wanted)
    return context.with_snapshot(snapshot), wanted, made


def _reply(context: ToolContext, wanted: PackRequest, made: Pack) -> Reply:
    contents = PackReply(
        id=made.id,
        task=made.task[:2_000],
        budget=made.budget,
        used=made.used,
        tokenizer=made.tokenizer,
        items=made.items,
        links=made.links,
        tests=made.tests,
        left_out=made.left_out,
        more=made.more,
    )
    return Reply(_envelope(context, wanted, made), contents, "items")


def _envelope(context: ToolContext, request: PackRequest, made: Pack) -> Answer:
    return answer(context.snapshot, coverage(context.snapshot, request, made), next_step(made.items))


def _explained(item: Item, scores: Mapping[str, Any]) -> ExplainedItem:
    return ExplainedItem(
        node=item.node,
        symbol=item.symbol,
        file=item.file,
        start_line=item.start_line,
        end_line=item.end_line,
        detail=item.detail,
        score=item.score,
        reason=item.reason,
        tokens=item.tokens,
        factor=scores["factor"],
        merits=tuple(Merit(**merit) for merit in scores["reasons"]),
    )


def _texts(merit: Mapping[str, object], key: str) -> tuple[str, ...]:
    found = merit.get(key)
    return tuple(dict.fromkeys(str(text) for text in cast("list[object]", found))) if isinstance(found, list) else ()


TOOLS = (
    ToolEntry(
        name="context_for_task",
        title="Code for a task",
        description="Start here. Gives the code that a task needs, ranked over the code graph, within a token budget: "
        "items with file, lines, text and the reason they were chosen, and the links among them. Give the task in any "
        "words; paste issues, errors and stack traces as they are.",
        request=ContextForTask,
        contents=PackReply,
        run=for_task,
    ),
    ToolEntry(
        name="context_for_files",
        title="Code around files",
        description="Gives what you need to know to work on files you already chose: their declarations and what these "
        "are linked to elsewhere, within a token budget.",
        request=ContextForFiles,
        contents=PackReply,
        run=for_files,
    ),
    ToolEntry(
        name="explain_context",
        title="Why a pack holds its items",
        description="Says for each item of context_for_task (same arguments) which merits brought it in and with what "
        "score, and which words, names and files were read from the task.",
        request=ExplainContext,
        contents=PackExplanation,
        run=explain,
    ),
)
