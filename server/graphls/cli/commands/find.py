"""Find: symbols by name.

Owns: arguments of `graphls find`.
Must not know: how names are matched.
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
from graphls.cli.rendering.answers import close_page, thing_row, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.queries.answer import answer
from graphls.queries.find import FindQuery, find
from graphls.queries.node_views import NodeView, Presenter

_KINDS = (
    "callable", "class", "constant", "declaration", "enum", "enum_variant", "field", "function", "interface", "method",
    "namespace", "property", "protocol", "route", "test", "tool", "type_alias", "variable",
)  # fmt: skip


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


COMMAND = CommandEntry(help="Find symbols by name.", rank=100, read_only=True)


def run(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A name or part of it; Container.name asks for members.")],
    *,
    match: Annotated[MatchMode, typer.Option("--match", "-m", help="How names are compared.")] = MatchMode.FUZZY,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", "-k", metavar="KIND", help="class, function, method ...; repeat.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many to show.")] = 20,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    wanted = FindQuery(text=text, mode=match.value, kinds=frozenset(_known(kind or [])), limit=limit, locals=True)
    with opened(ctx, root, at=at) as workspace:
        snapshot = workspace.snapshot
        found = find(snapshot, wanted)
        things = Presenter(snapshot)
        nodes = (*(match.place for match in found.matches), *found.derived)
        view = FindView(found.total, tuple(things.node(node) for node in nodes))
        envelope = answer(snapshot, found.coverage, found.next_step)
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = TextPage()
        if found.partial:
            page.note("No name has all of these words; these have most of them.")
        page.rows(thing_row(thing) for thing in view.matches)
        if not view.matches:
            page.line(f"Nothing is called like {text!r}; locals of functions are found by their whole name.")
        close_page(page, envelope)
        page.write()
    if not view.matches:
        raise NegativeAnswer


def _known(kinds: list[str]) -> list[str]:
    unknown = sorted(set(kinds) - set(_KINDS))
    if unknown:
        raise UsageError(f"No symbol is of the kind {unknown[0]!r}. Use one of: {', '.join(_KINDS)}.")
    return kinds
