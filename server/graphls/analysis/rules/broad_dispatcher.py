"""Broad dispatcher: a choice between many cases that is edited often, along with files that nothing ties it to.

Owns: how many cases are many, which measures make it a finding.
Must not know: how choices are spelled in a language, how history is read.
Invariant: history and coverage explain the finding; none of them is one by itself. Without history nothing is said, and
    a report of coverage that does not speak of the function counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from graphls.analysis.change_history import ChangeHistory
from graphls.analysis.finding import Claim, Evidence, Measure, Rule
from graphls.analysis.git_signals import FileSignals
from graphls.analysis.risk import CoupledFile, hidden_of
from graphls.analysis.views import Dispatch, Views, is_program, is_test
from graphls.facts.paths import FilePath

LEAST_CASES: Final = 6
_HOT: Final = 75.0
"""At most a quarter of the files are edited more."""
_FEW: Final = 3
_COVERED: Final = 50.0
_OBSERVED: Final = "process_observed"


@attrs.frozen
class _RiskyChoice:
    choice: Dispatch
    signals: FileSignals
    rank: float
    hidden: tuple[CoupledFile, ...]
    covered: float | None


def check(views: Views) -> Iterator[Claim]:
    """One claim for each function, about its broadest choice."""
    broad: dict[FilePath, list[Dispatch]] = {}
    for path in views.sources(programs=False):
        found = _broadest(views.dispatches(path)) if views.in_scope(path) else []
        if found:
            broad[path] = found
    history = views.history() if broad else None
    reached: dict[str, frozenset[str] | None] = {}
    for choices in broad.values():
        for choice in choices:
            risky = _risky(views, choice, history, reached) if history is not None else None
            if risky is not None:
                yield _claim(views, risky)


def _broadest(choices: tuple[Dispatch, ...]) -> list[Dispatch]:
    """The choice with most cases of each function that has a broad one."""
    found: dict[int, Dispatch] = {}
    for choice in choices:
        known = found.get(choice.place.definition)
        if len(choice.cases) >= LEAST_CASES and (known is None or len(known.cases) < len(choice.cases)):
            found[choice.place.definition] = choice
    return list(found.values())


def _risky(
    views: Views, choice: Dispatch, history: ChangeHistory, reached: dict[str, frozenset[str] | None]
) -> _RiskyChoice | None:
    signals, path = history.signals, choice.place.file
    own = signals.files.get(path)
    if own is None or own.commits < _FEW or signals.ranks[path] < _HOT:
        return None
    covered = None if history.covered is None else history.covered.get(choice.place)
    if covered is not None and covered >= _COVERED:
        return None
    hidden = hidden_of(views.snapshot, own, reached, lambda other: not (is_test(other) or is_program(other)))
    return _RiskyChoice(choice, own, signals.ranks[path], hidden, covered) if hidden else None


def _claim(views: Views, risky: _RiskyChoice) -> Claim:
    choice, own = risky.choice, risky.signals
    symbol, cases = views.symbol(choice.place), len(choice.cases)
    measures: Mapping[str, Measure] = {
        "cases": cases,
        "commits": own.commits,
        "authors": len(own.authors),
        "changes_with": tuple(f"{one.file} ({one.count})" for one in risky.hidden),
        **({} if risky.covered is None else {"covered_percent": round(risky.covered)}),
    }
    hidden = [_hidden(risky, one) for one in risky.hidden]
    return Claim(
        key=(symbol, choice.subject),
        title=f"{symbol} chooses between {cases} cases, in a file that changes often with {risky.hidden[0].file}",
        pressure="Each new case is edited here and in files that nothing in the code ties to it.",
        confidence="medium" if risky.covered is not None else "low",
        evidence=(
            Evidence(choice.place.file, choice.start, choice.end, f"{symbol} chooses by {choice.subject or 'case'}",
                     choice.place),
            *hidden,
        ),
        suggestions=(
            "Keep what differs by case in one table or on the cases, and have the other files read it.",
        ),
        risks=("A case that is added in one of these files and forgotten in another.",),
        measures=measures,
        caveats=(
            "History is that of the files, not of this choice alone.",
            *(("No report of coverage speaks of it.",) if risky.covered is None else ()),
        ),
    )  # fmt: skip


def _hidden(risky: _RiskyChoice, other: CoupledFile) -> Evidence:
    note = f"{other.file} changed {other.count} times in the same commits, and no edge ties the two"
    return Evidence(FilePath(other.file), 0, 0, note, tier=_OBSERVED)


RULE = Rule(
    code="arch.broad_dispatcher",
    category="risk",
    priority="P3",
    title="Broad dispatcher under risk",
    doc="""A function that chooses between at least six cases, in a file of which at most a quarter of the others have
    a higher hotspot score, that changed three times or more together with code that no edge of the graph ties to it.
    Where a report of coverage says that tests run half of the function, it is none. Not tests, scripts and settings
    files.""",
    check=check,
    enabled=False,
)
