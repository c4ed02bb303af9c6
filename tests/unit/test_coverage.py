"""Coverage: reports in three formats, and what they say of functions.

Owns: one report, written as each tool writes it.
Must not know: layout.
Invariant: every format gives the same numbers.
"""

from __future__ import annotations

import json

import pytest

from graphls.facts.paths import FilePath
from graphls.queries.coverage import workspace_coverage
from graphls.queries.coverage_records import coverage_nodes
from graphls.queries.coverage_reports import CoverageInput, CoverageRefused, line_coverage
from graphls.queries.node_views import Presenter
from graphls.session.coverage_view import coverage_view
from graphls.session.memory import snapshot_of

TEXT = """import functools


@functools.cache
def a(x):
    if x:
        return 1
    return 2


class Box:
    def __init__(self):
        self.x = 1

    def get(self):
        def inner():
            return self.x

        return inner()


def never():
    return 0
"""
FILES = {"pkg/m.py": TEXT, "pkg/n.ts": "export const n = 1\n"}
HITS = {1: 1, 4: 1, 5: 1, 6: 1, 7: 0, 8: 1, 11: 1, 12: 1, 13: 3, 15: 1, 16: 1, 17: 0, 19: 1, 22: 1, 23: 0}

LCOV = "TN:\nSF:/repo/pkg/m.py\n" + "".join(f"DA:{line},{count}\n" for line, count in HITS.items()) + "end_of_record\n"
JSON = json.dumps({"meta": {"version": "7.6"}, "files": {"pkg/m.py": {
    "executed_lines": [line for line, count in HITS.items() if count],
    "missing_lines": [line for line, count in HITS.items() if not count],
}}})  # fmt: skip
XML = (
    '<?xml version="1.0" ?>\n<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">\n'
    "<coverage><sources><source>/repo/pkg</source></sources><packages><package><classes>"
    '<class filename="m.py"><methods/><lines>'
    + "".join(f'<line number="{line}" hits="{count}"/>' for line, count in HITS.items())
    + "</lines></class></classes></package></packages></coverage>"
)


# `if x:` in line 6 goes on to 7 (never) or 8; `for` of another file has no branch of its own.
WAYS_LCOV = LCOV.replace(
    "end_of_record", "BRDA:6,0,jump to line 7,0\nBRDA:6,0,jump to line 8,1\nBRF:2\nBRH:1\nend_of_record"
)
WAYS_JSON = json.dumps({"meta": {"branch_coverage": True}, "files": {"pkg/m.py": {
    **json.loads(JSON)["files"]["pkg/m.py"], "executed_branches": [[6, 8]], "missing_branches": [[6, 7]],
}}})  # fmt: skip
WAYS_XML = XML.replace(
    '<line number="6" hits="1"/>',
    '<line number="6" hits="1" branch="true" condition-coverage="50% (1/2)" missing-branches="7"/>',
)


def relative(path: str) -> str | None:
    return path.removeprefix("/repo/") if path.startswith("/repo/") else None


def read(text: str, files: dict[str, str] | None = None):
    snapshot = snapshot_of(files or FILES)
    report = line_coverage(CoverageInput("report", text.encode(), relative), snapshot.shards.keys())
    return snapshot, workspace_coverage(snapshot, [report])


@pytest.mark.parametrize("text", [LCOV, JSON, XML], ids=["lcov", "coverage.py", "cobertura"])
def test_every_format_says_the_same_of_functions(text: str) -> None:
    snapshot, found = read(text)
    view = coverage_view(Presenter(snapshot), found)
    assert (view.lines, view.covered, view.percent) == (15, 12, 80.0)
    assert {one.symbol: (one.covered, one.lines) for one in view.functions} == {
        "pkg.m:a": (2, 3), "pkg.m:Box.__init__": (1, 1), "pkg.m:Box.get": (2, 2), "pkg.m:Box.get.inner": (0, 1),
        "pkg.m:never": (0, 1),
    }  # fmt: skip
    assert [one.file for one in view.files] == ["pkg/m.py"]


@pytest.mark.parametrize("text", [WAYS_LCOV, WAYS_JSON, WAYS_XML], ids=["lcov", "coverage.py", "cobertura"])
def test_every_format_says_the_same_of_branches(text: str) -> None:
    snapshot, found = read(text)
    view = coverage_view(Presenter(snapshot), found)
    assert (view.branches, view.branches_covered, view.percent) == (2, 1, 80.0)
    ways = {one.symbol: (one.branches_covered, one.branches) for one in view.functions}
    assert ways.pop("pkg.m:a") == (1, 2)
    assert set(ways.values()) == {(0, 0)}
    (node,) = coverage_nodes(snapshot, found)
    assert node.node.attributes["branches_covered"] == 1
    assert {edge.edge.attributes.get("branches") for edge in node.edges} == {0, 2}


def test_branches_of_reports_add_up_and_without_such_a_report_there_is_no_number() -> None:
    snapshot, found = read(LCOV)
    view = coverage_view(Presenter(snapshot), found)
    assert {view.branches, *(one.branches for one in (*view.files, *view.functions))} == {None}
    other = WAYS_LCOV.replace("7,0\nBRDA", "7,2\nBRDA").replace("8,1\n", "8,-\n")
    texts = (WAYS_LCOV, other, WAYS_XML, LCOV)
    reports = [line_coverage(CoverageInput("r", text.encode(), relative), snapshot.shards) for text in texts]
    whole = workspace_coverage(snapshot, reports).files[FilePath("pkg/m.py")].file
    assert (whole.branches, whole.branches_covered) == (2, 2)


def test_reports_add_up_and_scopes_choose() -> None:
    snapshot = snapshot_of(FILES)
    more = "SF:pkg/m.py\nDA:7,1\nend_of_record\nSF:pkg/n.ts\nDA:1,0\nend_of_record\n"
    reports = [line_coverage(CoverageInput("r", text.encode(), relative), snapshot.shards) for text in (LCOV, more)]
    found = workspace_coverage(snapshot, reports)
    assert found.files[FilePath("pkg/m.py")].file.covered == 13
    assert coverage_view(Presenter(snapshot), found, "pkg/n.ts").percent == 0.0
    assert coverage_view(Presenter(snapshot), found, "elsewhere").percent is None


def test_what_is_not_of_the_workspace_is_counted_and_what_is_outdated_is_named() -> None:
    text = "SF:/other/m.py\nDA:1,1\nend_of_record\nSF:m.py\nDA:1,1\nend_of_record\nSF:pkg/n.ts\nDA:9,1\nend_of_record\n"
    _, found = read(text)
    assert (found.outside, found.outdated, found.files) == (2, ("pkg/n.ts",), {})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is neither LCOV"),
        ("{", "is not JSON"),
        ("{}", 'has no "files"'),
        ("<coverage", "is not XML"),
        ("<html></html>", "no Cobertura report"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><coverage/>', "defines XML entities"),
    ],
)
def test_what_is_no_report_is_refused(text: str, why: str) -> None:
    with pytest.raises(CoverageRefused, match=why):
        read(text)


def test_a_report_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(CoverageRefused, match=r"gone\.info cannot be read"):
        line_coverage(CoverageInput("gone.info", None), ())
