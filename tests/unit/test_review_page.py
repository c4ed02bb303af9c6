"""Review page: what declares things stands before what does not, for a page shows the first rows."""

from __future__ import annotations

from graphls.cli.rendering.review_page import sections
from graphls.queries.changed_view import TouchedFile
from graphls.session.review import DeltaView, ReviewReport


def touched(file: str) -> TouchedFile:
    return TouchedFile(file=file, status="modified", old_file=None, hunks=(), reason="")


def delta(file: str, kind: str) -> DeltaView:
    return DeltaView(
        file=file, symbol=f"{file}:{kind}", kind=kind, action="modified", line=1, lines_before=1, lines_after=2,
        delta=1, drift="", signature_before=None, signature_after=None,
    )  # fmt: skip


def test_files_with_changed_symbols_come_first() -> None:
    report = ReviewReport(
        base="", files=tuple(map(touched, ("l10n/a.js", "notes.md", "src/pay.js"))),
        symbols=(delta("l10n/a.js", "module"), delta("src/pay.js", "function")), drift=(), reach=(), affected=(),
        affected_omitted=0, tests=(), tests_omitted=0, new_findings=None, reviewed_findings=(), fixed_findings=None,
        reported=None, failed_rules={}, decisions=(), clones=(), risk=None, no_risk="",
    )  # fmt: skip
    rows = {section.title: section.rows for section in sections(report)}
    assert [row[1] for row in rows["Change"]] == ["src/pay.js", "l10n/a.js", "notes.md"]
    assert [row[1] for row in rows["Symbols"]] == ["src/pay.js:function", "l10n/a.js:module"]
