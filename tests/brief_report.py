"""Brief report: a run of thousands of tests in a few lines, and each failure by name as soon as it is known.

Owns: what `--brief FILE` prints instead of a dot for each test, and FILE: a line for each failed test, with its reason.
Must not know: what any test asks.
Invariant: FILE is complete at any moment, so that also a run that is cut short tells which tests failed.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

STRIDE = 1_000
"""So many tests pass between two lines of progress."""
LONGEST = 300
"""So many characters of a reason are kept."""


def reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """What a failure says in one line: the message where it was raised, else the last line that there is."""
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = str(crash.message if crash else report.longreprtext).strip().splitlines() or [""]
    said = " ".join(line.strip() for line in (lines[:3] if crash else lines[-1:]))
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"


class BriefReport:
    def __init__(self, config: pytest.Config, path: Path) -> None:
        self._config = config
        self._path = path
        self._began = time.monotonic()
        self._ended = 0
        path.write_text("", "utf-8")

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str] | None:
        """No dot, no letter; the counts at the end stay."""
        if isinstance(report, pytest.CollectReport):
            return None
        if hasattr(report, "wasxfail"):
            return ("xfailed" if report.skipped else "xpassed"), "", ""
        if report.when == "call" or not report.passed:
            return ("error" if report.failed and report.when != "call" else report.outcome), "", ""
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._write(f"{report.nodeid} ({report.when}, {report.duration:.1f} s): {reason(report)}")
        self._ended += report.when == "teardown"
        if report.when == "teardown" and not self._ended % STRIDE:
            self._print(f"{self._ended:,} tests, {time.monotonic() - self._began:.0f} s")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(f"{report.nodeid} (cannot be read): {reason(report)}")

    def _write(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        self._print(f"FAILED {line}")

    def _print(self, line: str) -> None:
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if isinstance(terminal, pytest.TerminalReporter):
            terminal.ensure_newline()
            terminal.write_line(line)
