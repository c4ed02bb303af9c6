"""View: a picture of the graph for a browser.

Owns: arguments of `graphls view`, which picture they mean, where the page goes.
Must not know: how the view draws, how anything is found.
Invariant: a page is written whole or not at all; a served one ends with the command.
"""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Mapping
from typing import Annotated, Any, cast, get_args

import attrs
import typer

from graphls.analysis.findings import findings
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import Root, Verify
from graphls.cli.output_files import check_place, write_whole
from graphls.cli.rendering.words import visible
from graphls.cli.symbols import place_of
from graphls.cli.verification import settled
from graphls.cli.viewing.drawing import scheme_of
from graphls.cli.viewing.graph_news import GraphNews
from graphls.cli.viewing.layers import layers_picture
from graphls.cli.viewing.page import page, picture_json
from graphls.cli.viewing.pictures import (
    Picture,
    changes_picture,
    findings_picture,
    impact_picture,
    map_picture,
    neighborhood_picture,
    trace_picture,
)
from graphls.cli.viewing.serving import Refusal, serve
from graphls.facts.paths import FilePath
from graphls.graph.drawing import svg
from graphls.graph.errors import GraphError, UnknownSymbol
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.changed import ChangesQuery, changed_impact
from graphls.queries.changed_links import changed_links
from graphls.queries.impact import MAX_EDGES
from graphls.queries.neighborhood import MAX_LIMIT, Direction
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.before import before_edits
from graphls.session.comparing import Changes, edits
from graphls.session.known_findings import known_findings
from graphls.sources.limits import SourceLimits

Subject = Annotated[
    str, typer.Argument(metavar="[SYMBOL]", help="The symbol in the middle; with --map or --findings a folder.")
]
_DEEPEST = 5
_DRAWN = ".svg"


@attrs.frozen
class ViewRequest:
    """What is to be drawn."""

    subject: str
    impact: bool
    downstream: bool
    to: str
    map: bool
    findings: bool
    changes: bool
    base: str
    depth: int
    limit: int
    verify: bool


COMMAND = CommandEntry(help="Draw a part of the graph as a page for a browser.", rank=240)


def run(
    ctx: typer.Context,
    subject: Subject = "",
    *,
    impact: Annotated[bool, typer.Option("--impact", help="What a change of it may reach.")] = False,
    downstream: Annotated[bool, typer.Option("--downstream", help="What it depends on.")] = False,
    to: Annotated[str, typer.Option("--to", metavar="SYMBOL", help="How it reaches this one.")] = "",
    packages: Annotated[
        bool, typer.Option("--map", "--layers", help="Packages, which can be unfolded, and their imports.")
    ] = False,
    report: Annotated[bool, typer.Option("--findings", help="What the rules say.")] = False,
    changed: Annotated[
        bool, typer.Option("--changed", help="What the edits since the last commit touch, and what that reaches.")
    ] = False,
    since: Annotated[
        str,
        typer.Option(
            "--since",
            metavar="COMMIT",
            help="With --changed: since this branch, tag or commit; BASE...: since it was left.",
        ),
    ] = "",
    depth: Annotated[int, typer.Option("--depth", "-d", min=0, max=_DEEPEST, help="Steps; 0: 1, or 3 for impact.")] = 0,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many nodes to draw.")] = 120,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The page; NAME.svg: a drawing; -: standard output.")
    ] = "",
    serving: Annotated[bool, typer.Option("--serve", help="Serve it on this machine, able to ask for more.")] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to serve on; 0: any.")] = 0,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    verify: Verify = False,
    root: Root = ".",
) -> None:
    changed = changed or bool(since)
    wanted = ViewRequest(
        subject, impact or downstream, downstream, to, packages, report, changed, since, depth, limit, verify
    )
    _checked(wanted, serving=serving, output=output)
    stage = "complete" if packages or report else "ready"
    with opened(ctx, root, stage, checker=verify, stays=serving) as workspace:
        picture = _picture(workspace, wanted, is_drawn=output.endswith(_DRAWN))
        if serving:
            _serve(workspace, picture, port, show=show)
            return
    written = "".join(svg(scheme_of(picture))) if output.endswith(_DRAWN) else page(picture)
    _write(written, output or "graphls-view.html", show=show)


def _checked(wanted: ViewRequest, *, serving: bool, output: str) -> None:
    kinds = (wanted.impact, bool(wanted.to), wanted.map, wanted.findings, wanted.changes)
    if sum(kinds) > 1:
        raise UsageError("Choose one of --impact, --to, --map, --changed and --findings.")
    if wanted.subject and wanted.changes:
        raise UsageError("Edits have no symbol in the middle: leave it out, or --changed.")
    if not wanted.subject and not any(kinds[2:]):
        raise UsageError("Give a symbol, or one of --map, --changed and --findings.")
    if wanted.verify and any(kinds[2:]):
        raise UsageError("A checker settles what is around a symbol: leave out --verify.")
    if wanted.findings and output.endswith(_DRAWN):
        raise UsageError("Findings are text, not a drawing: give --output a name that ends in .html.")
    if output not in ("", "-"):
        check_place(output)
    if serving and output:
        raise UsageError("Choose one of --serve and --output.")


def _picture(workspace: OpenWorkspace, wanted: ViewRequest, *, is_drawn: bool) -> Picture:
    snapshot = workspace.snapshot
    if wanted.map and is_drawn:
        return layers_picture(snapshot, _files(workspace, wanted.subject), wanted.limit)
    if wanted.map:
        return map_picture(snapshot, _folder(workspace, wanted.subject), workspace.settings.findings.layers)
    if wanted.findings:
        scope = _folder(workspace, wanted.subject)
        found = findings(
            snapshot, workspace.settings, known_findings(workspace.workspace, workspace.settings, workspace.store)
        )
        return findings_picture(snapshot, found.chosen(scope=scope))
    if wanted.changes:
        return _changes(workspace, snapshot, "compare" if wanted.base else "all", wanted.base, wanted.depth or 3)
    place = place_of(workspace, wanted.subject)
    direction: Direction = ("out" if wanted.downstream else "in") if wanted.impact else "out" if wanted.to else "both"
    depth = wanted.depth or (3 if wanted.impact or wanted.to else 1)
    snapshot = settled(workspace, (place,), direction, depth, wanted=wanted.verify).snapshot
    if wanted.impact:
        stream = "downstream" if wanted.downstream else "upstream"
        return impact_picture(snapshot, place, stream, wanted.depth or 3, wanted.limit)
    if wanted.to:
        return trace_picture(snapshot, place, place_of(workspace, wanted.to))
    return neighborhood_picture(snapshot, place, wanted.depth or 1, wanted.limit)


def _changes(workspace: OpenWorkspace, snapshot: Snapshot, changes: Changes, base: str, depth: int) -> Picture:
    settings, folders = workspace.settings, workspace.workspace
    found = edits(folders, snapshot, SourceLimits.of(settings.files), changes, base)
    before = before_edits(snapshot, settings, found, folders.prefixes)
    answered = changed_impact(snapshot, found, ChangesQuery(depth, edges=MAX_EDGES, limit=200), lambda _: before)
    return changes_picture(snapshot, answered, changed_links(snapshot, before, found, answered), changes, base)


def _folder(workspace: OpenWorkspace, scope: str) -> str:
    return "" if scope in ("", ".") else workspace.workspace.contained(scope)


def _files(workspace: OpenWorkspace, scope: str) -> list[FilePath]:
    folder = _folder(workspace, scope)
    shards = workspace.snapshot.shards
    found = [path for path, shard in shards.items() if shard.language and _within(path, folder)]
    if not found:
        raise UsageError(f"{scope or '.'!r} holds no module of the graph.")
    return sorted(found)


def _within(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _write(text: str, output: str, *, show: bool) -> None:
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        return
    write_whole(output, [text.encode()])
    sys.stdout.write(f"wrote {visible(output)}\n")
    if show:
        import pathlib

        webbrowser.open(pathlib.Path(output).absolute().as_uri())


# Serving


def _serve(workspace: OpenWorkspace, picture: Picture, port: int, *, show: bool) -> None:
    def announce(address: str) -> None:
        sys.stdout.write(f"{address}\nCtrl-C ends it.\n")
        sys.stdout.flush()
        if show:
            webbrowser.open(address)

    def newest() -> Snapshot:
        workspace.session.look()
        return workspace.session.snapshot()

    news = GraphNews(newest)
    news.since(picture.standing.revision)
    try:
        serve(
            lambda: page(picture, served=True),
            lambda question: _answered(workspace, question),
            news.since,
            port,
            announce,
        )
    except OSError as error:
        raise UsageError(
            f"Port {port} cannot be listened on: {error.strerror or error}. Give another, or 0."
        ) from error


def _answered(workspace: OpenWorkspace, question: Mapping[str, Any]) -> str:
    """A question of the view, answered from the newest snapshot."""
    workspace.session.look()
    snapshot = workspace.session.snapshot()

    def place(name: str) -> SymbolRef:
        return _node_of_page(snapshot, str(question.get(name, "")), _symbol(question, name))

    depth_value = question.get("depth")
    depth = min(max(depth_value, 1), _DEEPEST) if isinstance(depth_value, int) else 1
    limit_value = question.get("limit")
    limit = min(max(limit_value, 1), MAX_LIMIT) if isinstance(limit_value, int) else 200
    try:
        match question.get("kind"):
            case "neighborhood":
                return picture_json(neighborhood_picture(snapshot, place("node"), depth, limit))
            case "impact":
                stream = "downstream" if question.get("direction") == "downstream" else "upstream"
                return picture_json(impact_picture(snapshot, place("node"), stream, depth))
            case "trace":
                return picture_json(trace_picture(snapshot, place("source"), place("target")))
            case "changes":
                changes, base = str(question.get("changes", "all")), str(question.get("base", ""))
                if changes not in get_args(Changes):
                    raise Refusal("There are no such changes.")
                return picture_json(_changes(workspace, snapshot, cast("Changes", changes), base, depth))
            case "map":
                layers = workspace.settings.findings.layers
                return picture_json(map_picture(snapshot, str(question.get("scope", "")), layers))
            case _:
                raise Refusal("There is no such picture.")
    except GraphError as error:
        raise Refusal(error.message) from error


def _symbol(question: Mapping[str, Any], name: str) -> str:
    """How people write what a question names by an id."""
    if name == "node":
        return str(question.get("symbol") or "")
    symbols, index = question.get("symbols"), ("source", "target").index(name)
    named = cast("list[object]", symbols) if isinstance(symbols, list) else []
    return str(named[index]) if index < len(named) else ""


def _node_of_page(snapshot: Snapshot, node: str, symbol: str) -> SymbolRef:
    """A node of the page, which may have another id by now, or be gone."""
    try:
        return one_symbol(snapshot, node)
    except UnknownSymbol:
        if not symbol:
            raise
    try:
        return one_symbol(snapshot, symbol)
    except UnknownSymbol:
        raise Refusal(f"{symbol} is not in the graph any more: it was renamed, moved or deleted.") from None
