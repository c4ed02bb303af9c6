"""Explain: why a pack holds its items.

Owns: explain.
Must not know: how code is ranked.
Invariant: the same arguments as those of the pack give the account of that pack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, cast

from pydantic import Field

from graphls.context.pack import Item
from graphls.graph.errors import BadRequest
from graphls.mcp.paging import Reply
from graphls.mcp.requests import Budget, PagedRequest, Path, Subject
from graphls.mcp.results import ExplainedItem, Merit, PackExplanation
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.tools.context import ContextRequest, pack_answer, packed
from graphls.mcp.wording import counted


class ExplainRequest(PagedRequest):
    task: Annotated[str, Field(max_length=100_000, description="explain: as it was given to context")] = ""
    files: Annotated[tuple[Path, ...], Field(max_length=200)] = ()
    symbols: Annotated[tuple[Subject, ...], Field(max_length=200)] = ()
    budget: Budget | None = None
    tests: bool | None = None
    node: Annotated[str, Field(max_length=1_000, description="explain: this item, id or symbol")] = ""


def explain(context: ToolContext, request: ExplainRequest) -> Reply:
    """The account of a pack."""
    if not (request.task.strip() or request.files or request.symbols):
        raise BadRequest("Give the arguments of the context to explain: task, files or symbols.")
    asked = ContextRequest(
        task=request.task, files=request.files, symbols=request.symbols, budget=request.budget, tests=request.tests
    )
    context, wanted, made = packed(context, asked, explain=True)
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

    def text() -> TextAnswer:
        head = f"context {made.id}: {counted(len(contents.items), 'item')}, words {', '.join(contents.words) or 'none'}"
        return TextAnswer(head, tuple(_rows(contents)))

    return Reply(pack_answer(context, wanted, made), contents, text, "items")


def _rows(contents: PackExplanation) -> Iterator[Row]:
    for item in contents.items:
        why = ", ".join(f"{merit.kind} {merit.score:.2f}" for merit in item.merits)
        yield Row(f"{item.file}:{item.start_line}  {item.symbol}  {item.score:.2f} = {item.factor:.2f} x ({why})")


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


QUERIES = (Query(name="explain", request=ExplainRequest, contents=PackExplanation, run=explain),)
