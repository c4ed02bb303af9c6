"""Find: symbols by name, and what a question in words is about.

Owns: arguments of `graphls find`.
Must not know: how names are matched, how words are ranked.
Invariant: nothing found is a negative answer, not an error.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, At, Format, Root
from graphls.cli.rendering.answers import FAINT, NAME, PLACE, close_page, thing_row, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.verification import with_reported
from graphls.context.search import SearchHits, SearchQuery, method_for
from graphls.context.search_view import RankedNode, is_question, ranked_nodes
from graphls.context.vectors import built_in_provider
from graphls.graph.derivation import DIAGNOSTIC
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import answer
from graphls.queries.find import FindQuery, SymbolMatches, find
from graphls.queries.find_filter import NO_TEXT, checked_filter
from graphls.queries.node_views import NodeView, Presenter


class MatchMode(StrEnum):
    """How names are compared."""

    EXACT = "exact"
    PREFIX = "prefix"
    FUZZY = "fuzzy"


@attrs.frozen
class FindView:
    """Best matches first."""

    total: int
    matches: tuple[NodeView, ...]


@attrs.frozen(kw_only=True)
class SearchView:
    """What a question in words is about, best first. `vectors`: what vectors took part, "" where none did."""

    total: int
    matches: tuple[NodeView, ...]
    ranked: tuple[RankedNode, ...]
    """The matches again, each with what speaks for it."""
    sections: tuple[RankedNode, ...]
    """Sections of documents."""
    vectors: str


class SearchBy(StrEnum):
    """What a question is compared by."""

    WORDS = "words"
    VECTORS = "vectors"
    BOTH = "both"
    TASK = "task"


COMMAND = CommandEntry(
    help="Find symbols by name, or by words.",
    rank=100,
    read_only=True,
    synonyms=("where", "search", "symbols", "grep"),
)


def run(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT...",
            help="A name or part of it; Container.name asks for members; or a question in words. "
            "May be left out for kinds that no name binds: route, tool, heading, diagnostic.",
        ),
    ] = None,
    *,
    match: Annotated[MatchMode, typer.Option("--match", "-m", help="How names are compared.")] = MatchMode.FUZZY,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", "-k", metavar="KIND", help="class, function, route, diagnostic ...; repeat."),
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", metavar="NAME", help="python, typescript, go ...; repeat.")
    ] = None,
    under: Annotated[str, typer.Option("--under", metavar="PATH", help="Only what is below this folder.")] = "",
    severity: Annotated[
        list[str] | None,
        typer.Option(
            "--severity", metavar="NAME", help="Diagnostics that are error, warning, information or hint; repeat."
        ),
    ] = None,
    by: Annotated[
        SearchBy | None,
        typer.Option("--by", help="Rank by words, by what is near to them, by both, or as a pack for a task."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many to show.")] = 20,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    if by and match is not MatchMode.FUZZY:
        raise UsageError("--by ranks words and --match compares names: leave one of them out.")
    text = " ".join(words or ())
    with opened(ctx, root, at=at) as workspace:
        wrong = bool(severity) or DIAGNOSTIC in (kind or ())
        snapshot = (with_reported(workspace, at) if wrong else workspace).snapshot
        only = checked_filter(snapshot, kind or (), language or (), under, severity or ())
        if not text and (by or not only.lists):
            raise UsageError(NO_TEXT)
        wanted = FindQuery(text=text, mode=match.value, only=only, limit=limit, locals=True, documents=True)
        found = find(snapshot, wanted) if not by else SymbolMatches((), 0)
        if by or is_question(wanted, found):
            method = by.value if by else method_for(text)
            if method in ("vectors", "both") and built_in_provider() is None:
                raise UsageError("Vectors need numpy and scipy: pip install 'graphls[vectors]', or leave out --by.")
            hits = workspace.session.search(snapshot, SearchQuery(text=text, method=method, only=only, limit=limit))
            # Names that have the letters of one word are better than nothing.
            if by or hits.hits or hits.sections or " " in text:
                _ranked(snapshot, hits, text, format)
                return
        things = Presenter(snapshot)
        nodes = (*(match.place for match in found.matches), *found.derived)
        view = FindView(found.total, tuple(things.node(node) for node in nodes))
        envelope = answer(snapshot, found.coverage, found.next_step)
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = TextPage()
        page.rows(thing_row(thing) for thing in view.matches)
        if not view.matches:
            page.line(_nothing(text))
        close_page(page, envelope)
        page.write()
    if not view.matches:
        raise NegativeAnswer


def _nothing(text: str) -> str:
    if not text:
        return "There is nothing of that kind here."
    return f"Nothing is called like {text!r}; locals of functions are found by their whole name."


def _ranked(snapshot: Snapshot, found: SearchHits, text: str, format: Format) -> None:
    things = Presenter(snapshot)
    ranked = ranked_nodes(things, found.hits)
    view = SearchView(
        total=found.total,
        matches=tuple(one.node for one in ranked),
        ranked=ranked,
        sections=ranked_nodes(things, found.sections),
        vectors=found.vectors,
    )
    envelope = answer(snapshot, found.coverage, found.next_step)
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = TextPage()
        page.note(f"Ranked by {found.ranked_by}.")
        page.rows((*thing_row(one.node), (", ".join(one.words), FAINT)) for one in view.ranked)
        if view.sections:
            if view.ranked:
                page.line()
            page.line("In documents:")
            page.rows(((one.node.symbol, NAME), (one.node.at, PLACE)) for one in view.sections)
        if not view.ranked and not view.sections:
            page.line(f"No declaration that was searched has any of the words of {text!r}.")
        close_page(page, envelope)
        page.write()
    if not (view.ranked or view.sections):
        raise NegativeAnswer
