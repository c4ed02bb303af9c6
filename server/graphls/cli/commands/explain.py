"""Explain: why a pack holds what it holds, or why two symbols are linked.

Owns: arguments of `graphls explain`, the layout of reasons.
Must not know: how code is ranked, how names are resolved.
Invariant: every number that is shown was part of the decision.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.commands.pack import Budget, Files, Nodes, Task, Weights, answer_of, request_for
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import WITHIN, AsFormat, Format, Root, Verify, Within
from graphls.cli.rendering.answers import FAINT, NAME, PLACE, close_page, legend, link_mark, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.symbols import place_of
from graphls.cli.verification import settled, settled_pack
from graphls.context.pack import Pack
from graphls.graph.edges import edges_of
from graphls.queries.answer import answer, coverage_for
from graphls.queries.completeness import CoverageClaim
from graphls.queries.node_views import EdgeView, Presenter


@attrs.frozen
class EdgesView:
    """Direct links between two symbols, in both directions."""

    source: str
    target: str
    edges: tuple[EdgeView, ...]


COMMAND = CommandEntry(help="Say why a pack has its items, or how two symbols are tied.", rank=220, read_only=True)


def run(
    ctx: typer.Context,
    source: Annotated[
        str, typer.Argument(metavar="[SYMBOL]", help="With a second symbol: why the two are linked.")
    ] = "",
    target: Annotated[str, typer.Argument(metavar="[SYMBOL]", help="The other symbol.")] = "",
    *,
    task: Task = "",
    file: Files = None,
    node: Nodes = None,
    budget: Budget = 0,
    weight: Weights = None,
    verify: Verify = False,
    within: Within = WITHIN,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if bool(source) != bool(target) or bool(source) == bool(task or file or node):
        raise UsageError("Give two symbols to explain their links, or --task, --file or --node to explain a pack.")
    with opened(ctx, root, checker=verify, within=within) as workspace:
        if source:
            _edges_view(workspace, source, target, format, verify=verify)
            return
        request = request_for(
            workspace, task, file or [], node or [], weight or [], budget=budget, tests=None, explain=True
        )
        workspace, made = settled_pack(workspace, request, wanted=verify)
        envelope = answer_of(workspace, request, made)
    if format is Format.JSON:
        write_answer(envelope, made)
        return
    page = _pack_page(made)
    close_page(page, envelope)
    page.write()


def _edges_view(workspace: OpenWorkspace, source: str, target: str, format: Format, *, verify: bool) -> None:
    one, other = place_of(workspace, source), place_of(workspace, target)
    snapshot = settled(workspace, (one, other), wanted=verify).snapshot
    things = Presenter(snapshot)
    edges = [edge for edge in edges_of(snapshot, one) if edge.target == other]
    edges += [edge for edge in edges_of(snapshot, other) if edge.target == one and one != other]
    view = EdgesView(things.symbol(one), things.symbol(other), things.edges(edges))
    envelope = answer(snapshot, coverage_for(snapshot, CoverageClaim(uses_in=(one, other))))
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = _edges_page(view)
        close_page(page, envelope)
        page.write()
    if not edges:
        raise NegativeAnswer


def _edges_page(view: EdgesView) -> TextPage:
    page = TextPage()
    for link in view.edges:
        page.heading(f"{link.source} {link.kind} {link.target}")
        how = f"by {link.resolution}" if link.resolution else "by where it stands"
        page.line("  ", link_mark(link), " ", f"{link.provenance}, {how}, confidence {link.confidence:.2f}")
        for spot in link.sites:
            page.line("  ", (str(spot), PLACE))
        if link.site_count > len(link.sites):
            page.note(f"  {link.site_count - len(link.sites)} more")
    if not view.edges:
        page.line(f"No direct link between {view.source} and {view.target}; graphls trace looks further.")
    used = legend(view.edges)
    if used:
        page.line()
        page.note(used)
    return page


def _pack_page(made: Pack) -> TextPage:
    page = TextPage()
    explanation = made.explanation
    for title, key in (("words", "words"), ("identifiers", "identifiers"), ("symbols", "symbols"), ("files", "files")):
        words = explanation.get(key)
        if isinstance(words, list) and words:
            page.rows([((title, FAINT), ", ".join(dict.fromkeys(str(word) for word in words)))])  # pyright: ignore
    changed = explanation.get("changed_weights")
    if changed:
        page.line(("changed weights  ", FAINT), str(changed))
    page.line(f"{made.used:,} of {made.budget:,} tokens, counted as {made.tokenizer}; {made.omitted:,} left out")
    page.line()
    for item in made.items:
        page.line(f"{item.score:.3f} ", (item.symbol, NAME), "  ", (f"{item.file}:{item.start_line}", PLACE))
        page.line(f"      {item.reason}  ", (f"{item.detail}, {item.tokens} tokens", FAINT))
    if not made.items:
        page.line("Nothing fits this task. Name a symbol or a file of the workspace in it.")
    return page
