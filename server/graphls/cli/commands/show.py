"""Show: one symbol with all that is directly about it.

Owns: arguments of `graphls show`, the layout of a symbol.
Must not know: how edges are found.
Invariant: counts are of all edges, also where fewer are listed.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.analysis.finding import PRIORITIES
from graphls.analysis.records import owner_of
from graphls.analysis.sarif.imported import SarifReport, imported_findings
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import EVERY, WITHIN, AsFormat, At, Format, Root, Symbol, Unresolved, Verify, Within
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, legend, link_rows, write_answer
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import branches_taken
from graphls.cli.symbols import code_places, node_of_text
from graphls.cli.verification import settled
from graphls.graph.diagnoses import DIAGNOSES
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import answer
from graphls.queries.coverage_reports import CoverageRefused
from graphls.queries.node import node
from graphls.queries.node_views import EdgeView, NodeView, Presenter
from graphls.queries.symbol_diagnostics import SymbolDiagnostic, symbol_diagnostics
from graphls.queries.symbol_lookup import namesakes
from graphls.session.coverage_view import CoverageRow, coverage_at
from graphls.session.finding_views import ReportedFinding, report_findings
from graphls.session.ingested_logs import ingested_logs
from graphls.session.reports import coverage_of, sarif_reports


@attrs.frozen
class EdgeGroup:
    """Links of one kind in one direction."""

    kind: str
    incoming: bool
    count: int
    links: tuple[EdgeView, ...]


@attrs.frozen
class SymbolView:
    """A symbol, its members, its links."""

    node: NodeView
    members: tuple[NodeView, ...]
    links: tuple[EdgeGroup, ...]
    diagnostics: tuple[SymbolDiagnostic, ...] = ()
    """What could not be read here, and what a checker that went through the module finds wrong; of symbols inside these
    have it."""
    reported: tuple[ReportedFinding, ...] = ()
    """What SARIF logs say of it, most pressing first."""
    covered_by: CoverageRow | None = None
    """How much of it tests ran; null where no report speaks of it."""
    coverage_reports: tuple[str, ...] = ()
    namesakes: tuple[str, ...] = ()
    """What else the name that was asked for may mean."""


COMMAND = CommandEntry(
    help="Show one symbol: what it is and holds, what touches it.",
    rank=110,
    read_only=True,
    synonyms=("understand", "symbol", "node", "hover", "callers", "callees", "refs", "references", "usages"),
)


def run(
    ctx: typer.Context,
    symbol: Symbol,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Links of each kind to list.")] = 10,
    verify: Verify = False,
    unresolved: Unresolved = False,
    within: Within = WITHIN,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, checker=verify, at=at, within=within) as workspace:
        place = node_of_text(workspace, symbol)
        snapshot = settled(workspace, code_places(place), wanted=verify).snapshot
        found = node(snapshot, place, limit)
        things = Presenter(snapshot)
        view = SymbolView(
            things.node(found.place),
            tuple(things.node(member) for member in found.members),
            tuple(
                EdgeGroup(group.kind, group.incoming, group.count, things.edges(group.edges)) for group in found.groups
            ),
        )
        if isinstance(place, SymbolRef):
            view = attrs.evolve(view, namesakes=namesakes(snapshot, symbol, place))
        if isinstance(place, SymbolRef) and not at:
            view = attrs.evolve(view, reported=_reported(workspace, snapshot, place))
            view = _with_coverage(view, workspace, snapshot, place)
        if isinstance(place, SymbolRef):
            view = attrs.evolve(view, diagnostics=symbol_diagnostics(snapshot, place))
        envelope = answer(snapshot, found.coverage, listed=EVERY if unresolved else 0)
    if format is Format.JSON:
        write_answer(envelope, view)
        return
    page = _page(view)
    close_page(page, envelope)
    page.write()


def _reported(workspace: OpenWorkspace, snapshot: Snapshot, place: SymbolRef) -> tuple[ReportedFinding, ...]:
    """Of the text that is there now: a log says nothing of other states."""
    brought = imported_findings(snapshot, _logs(workspace)).findings
    own = [found for found in brought if owner_of(snapshot, found.at) == place]
    return report_findings(Presenter(snapshot), sorted(own, key=lambda found: PRIORITIES.index(found.priority)))


def _logs(workspace: OpenWorkspace) -> tuple[SarifReport, ...]:
    kept = ingested_logs(workspace.store, workspace.workspace)
    return (*sarif_reports(workspace.workspace, workspace.settings), *kept)


def _with_coverage(view: SymbolView, workspace: OpenWorkspace, snapshot: Snapshot, place: SymbolRef) -> SymbolView:
    try:
        found = coverage_of(workspace.workspace, snapshot, workspace.settings)
    except CoverageRefused:
        return view
    if found is None:
        return view
    row = next(coverage_at(Presenter(snapshot), found, place), None)
    return attrs.evolve(view, covered_by=row, coverage_reports=found.reports)


def _diagnostic(one: SymbolDiagnostic, about: NodeView) -> tuple[Part, ...]:
    said = one.code if one.code == one.origin else f"{one.origin} {one.code}"
    return one.severity, said, (f"{about.file}:{one.line}", PLACE), one.message


def _page(view: SymbolView) -> TextPage:
    page, thing = TextPage(), view.node
    page.line((thing.word, KIND), " " * bool(thing.word), (thing.symbol, NAME))
    owner = next((group.links[0].source for group in view.links if group.incoming and group.kind == "defines"), "")
    rows = [("at", (thing.at, PLACE)), ("in", (owner, NAME)), ("id", (thing.id, FAINT))]
    if view.namesakes:
        more = f" and {len(view.namesakes) - 3} more" if len(view.namesakes) > 3 else ""
        rows.append(("also called so", (", ".join(view.namesakes[:3]) + more, FAINT)))
    page.rows([row for row in rows if row[1][0]], indent="  ")
    for text in (thing.signature, thing.doc):
        if text:
            page.line("  ", text)
    if view.members:
        page.heading(f"holds {len(view.members)}")
        page.rows([((m.what, KIND), (m.name, NAME), (m.at, PLACE)) for m in view.members], indent="  ")
    if view.covered_by is not None:
        row = view.covered_by
        ways = branches_taken(row.branches_covered, row.branches)
        lines = f"{row.covered} of {row.lines} lines ({row.percent:g} %)"
        share = f"{lines}, {ways}" if ways else lines
        page.rows([("tests ran", share, (", ".join(view.coverage_reports), FAINT))], indent="  ")
    if view.diagnostics:
        page.heading(f"diagnostics {len(view.diagnostics)}")
        page.rows((_diagnostic(one, thing) for one in view.diagnostics), indent="  ")
    if view.reported:
        page.heading(f"reported {len(view.reported)}")
        page.rows(
            [(one.priority, one.rule, (f"{one.evidence[0].file}:{one.evidence[0].line}", PLACE), one.title)
             for one in view.reported], indent="  ",
        )  # fmt: skip
    for group in view.links:
        # Where it stands and what it holds is said above.
        if group.kind not in ("contains", "defines", DIAGNOSES):
            _group(page, group)
    used = legend(link for group in view.links for link in group.links)
    if used:
        page.line()
        page.note(used)
    return page


def _group(page: TextPage, group: EdgeGroup) -> None:
    arrow = "<-" if group.incoming else "->"
    page.heading(f"{arrow} {group.kind} {group.count}")
    page.rows(link_rows(group.links, other="source" if group.incoming else "target"), indent="  ")
    if group.count > len(group.links):
        page.note(f"  {group.count - len(group.links)} more")
