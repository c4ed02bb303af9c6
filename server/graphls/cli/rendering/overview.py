"""Overview: the page about a workspace, in text.

Owns: the order of its parts, the wording.
Must not know: how any of it was found.
Invariant: warnings stand at the end, where they are seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphls.analysis.centrality import CentralFile
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import counted
from graphls.session.overview_report import OverviewReport


def overview_page(report: OverviewReport) -> TextPage:
    """The whole page."""
    page = TextPage()
    languages = ", ".join(f"{one.name} {one.count}" for one in report.languages)
    page.line(f"{counted(report.files, 'file')} ({languages}); health {report.health:g}")
    if report.entries:
        kinds = ", ".join(counted(one.count, one.name) for one in report.entries)
        page.line(("entries", KIND), "  ", kinds, ("  (graphls entry lists them)", FAINT))
    for title, names in (("entry points", report.entry_points), ("public names", report.public_api)):
        if names:
            page.line((title, KIND), "  ", ", ".join(names))
    if report.central:
        page.heading("central files")
    for one in report.central:
        page.line("  ", (one.file, PLACE), f"  {one.score:g}  ",
                  (", ".join(f"{row.signal} {row.count:g}" for row in one.signals), FAINT))  # fmt: skip
    _groups(page, report)
    if report.processes:
        page.heading("processes (a heuristic)")
    page.rows([((one.name, NAME), (f"{len(one.steps)} steps, {one.confidence:g}", FAINT)) for one in report.processes],
              indent="  ")  # fmt: skip
    if report.decisions:
        page.heading("decisions")
    page.rows(
        [((one.status, KIND), one.title, (f"{one.file}:{one.line}", PLACE)) for one in report.decisions], indent="  "
    )
    if report.health_targets:
        page.heading("hard to change")
    page.rows(
        [((one.file, PLACE), f"health {one.health:g}", f"priority {one.priority:g}") for one in report.health_targets],
        indent="  ",
    )
    links = report.document_links
    page.line()
    into = f"{counted(links.resolved, 'link')} into the graph, {links.broken} broken"
    page.line(f"{counted(links.documents, 'document')}, {into}; {counted(report.findings, 'open finding')}")
    for warning in report.warnings:
        page.line((warning, "yellow"))
    page.rows([((one.command, NAME), one.why) for one in report.suggested_actions])
    return page


def _groups(page: TextPage, report: OverviewReport) -> None:
    if report.communities is None:
        return
    page.heading(f"communities ({report.communities.total})")
    page.rows(
        [((one.name, PLACE), counted(one.size, "file"), f"cohesion {one.cohesion:g}")
         for one in report.communities.communities],
        indent="  ",
    )  # fmt: skip
    if report.communities.surprises:
        page.heading("ties that may surprise")
    page.rows(
        [(str(one.points), (one.tie.one, PLACE), (one.tie.other, PLACE), ", ".join(one.reasons))
         for one in report.communities.surprises],
        indent="  ",
    )  # fmt: skip


def central_rows(one: CentralFile) -> Iterator[tuple[Part, ...]]:
    """What each point of a file is for."""
    for row in one.signals:
        yield (row.signal, KIND), f"{row.count:g}", f"+{row.points:g}", (", ".join(row.files[:3]), FAINT)
