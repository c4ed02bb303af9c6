"""Change plan view: the sites of a change, as faces for people and agents show them.

Owns: the records of a plan, one a line of code.
Must not know: layout, JSON, how sites are found.
Invariant: a line is shown once; it is certain where any site on it is.
"""

from __future__ import annotations

import attrs

from graphls.graph.snapshot import Snapshot
from graphls.queries.change_plan import Change, ChangePlan, count_by_file
from graphls.queries.code_lines import CodeLine, CodeLines
from graphls.queries.node_views import NodeView, Presenter


@attrs.frozen(kw_only=True)
class SiteView:
    """A line to edit. `why`: why it is only possible, or what it is besides a use."""

    file: str
    line: int
    text: str
    owner: str
    certain: bool
    why: str


@attrs.frozen(kw_only=True)
class TestFile:
    """A file of tests, and how many in it reach the symbol."""

    file: str
    tests: int


@attrs.frozen(kw_only=True)
class ChangePlanView:
    """Every line to edit, in an order to work in, then the tests to run."""

    change: Change
    node: NodeView
    certain: int
    possible: int
    files: int
    sites: tuple[SiteView, ...]
    tests: tuple[TestFile, ...]
    namesakes: tuple[CodeLine, ...]
    """Declarations of the same name that are no part of the plan."""


def change_plan_view(snapshot: Snapshot, presenter: Presenter, plan: ChangePlan) -> ChangePlanView:
    """The records of an answer."""
    lines = CodeLines(snapshot)
    found: dict[tuple[str, int], SiteView] = {}
    for site in plan.sites:
        line = lines.at(site.file, site.start, site.owner)
        known = found.get((line.file, line.line))
        if known is None or (site.certain and not known.certain):
            found[line.file, line.line] = SiteView(**attrs.asdict(line), certain=site.certain, why=site.why)
    sites = tuple(found.values())
    return ChangePlanView(
        change=plan.change,
        node=presenter.node(plan.place),
        certain=sum(site.certain for site in sites),
        possible=sum(not site.certain for site in sites),
        files=len({site.file for site in sites}),
        sites=sites,
        namesakes=tuple(
            lines.at(one.file, snapshot.facts(one.file).definitions.start[one.definition]) for one in plan.namesakes
        ),
        tests=tuple(TestFile(file=file, tests=count) for file, count in count_by_file(plan.tests).items()),
    )
