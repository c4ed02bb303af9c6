"""Repeated dispatch: one set of cases that several functions each choose between.

Owns: which choices count as the same, which are too ordinary to mention.
Must not know: how choices are spelled in a language.
Invariant: a choice is in at most one finding.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterator

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import Dispatch, Views

LEAST_CASES = 3
LEAST_FUNCTIONS = 2
_ALIKE = 0.75
_PLAIN = re.compile(r"^(-?[\d.]+|None|True|False|_|b?(['\"]).?\2)$")
_BUILTIN = frozenset(dir(builtins))
_KEY = re.compile(
    r"^(['\"])(?:(?:Alt|Cmd|Control|Ctrl|Meta|Mod|Option|Shift)[-+ ])*(?:Arrow(?:Down|Left|Right|Up)|Backspace|CapsLock"
    r"|Delete|End|Enter|Esc|Escape|F\d\d?|Home|Insert|Page(?:Down|Up)|Return|Space|Tab| )\1$"
)
"""Keys of a keyboard, as every program with a window or a terminal tells them apart."""


def check(views: Views) -> Iterator[Claim]:
    """One claim for each family of cases that is dispatched on in several functions."""
    choices = [choice for path in views.sources() for choice in views.dispatches(path) if _is_informative(choice)]
    for family in _families(choices):
        functions = {choice.place for choice in family}
        if len(functions) >= LEAST_FUNCTIONS and any(views.in_scope(choice.place.file) for choice in family):
            yield _claim(views, family, len(functions))


def _is_informative(choice: Dispatch) -> bool:
    """Whether the cases are names of this project's own making: not small numbers, letters, keys or built-in types."""
    return sum(not _is_plain(case) for case in choice.cases) >= LEAST_CASES


def _is_plain(case: str) -> bool:
    if _PLAIN.match(case) or _KEY.match(case):
        return True
    names = [name.strip() for name in case.strip("()").split(",") if name.strip()]
    return all(name in _BUILTIN or name.partition(".")[0] in sys.stdlib_module_names for name in names)


def _families(choices: list[Dispatch]) -> list[list[Dispatch]]:
    """Choices grouped with the largest choice that they nearly equal."""
    families: list[tuple[frozenset[str], list[Dispatch]]] = []
    for choice in sorted(choices, key=lambda c: (-len(c.cases), c.cases, c.place.file, c.start)):
        cases = frozenset(choice.cases)
        for known, members in families:
            if len(cases & known) >= _ALIKE * len(cases | known):
                members.append(choice)
                break
        else:
            families.append((cases, [choice]))
    return [sorted(members, key=lambda c: (c.place.file, c.start)) for _, members in families]


def _claim(views: Views, family: list[Dispatch], functions: int) -> Claim:
    cases = sorted(set[str]().union(*(choice.cases for choice in family)))
    listing = ", ".join(cases[:5]) + (", ..." if len(cases) > 5 else "")
    partial = [choice for choice in family if len(choice.cases) < len(cases)]
    files = {choice.place.file for choice in family}
    return Claim(
        key=tuple(cases),
        title=f"{functions} functions choose between the same {len(cases)} cases: {listing}",
        pressure="A new case has to be added in every one of these places, and nothing says so when one is forgotten.",
        confidence="high" if len(partial) == 0 else "medium",
        priority="P2" if functions >= 3 and len(files) > 1 else None,
        evidence=tuple(_evidence(views, choice, cases) for choice in family[:20]),
        suggestions=(
            "Keep what differs by case in one table or on the cases themselves, and look it up.",
            "Where the cases are classes, a method on them replaces the choice.",
        ),
        risks=("Cases that are handled in one place and forgotten in another.",) if partial else (),
        measures={"functions": functions, "cases": tuple(cases[:50]), "partial": len(partial), "files": len(files)},
        caveats=("Equal spelling is taken for equal meaning.",),
    )


def _evidence(views: Views, choice: Dispatch, cases: list[str]) -> Evidence:
    missing = [case for case in cases if case not in choice.cases]
    lacks = f", without {', '.join(missing[:3])}" if missing else ""
    note = f"{views.symbol(choice.place)} chooses by {choice.subject or 'case'}{lacks}"
    return Evidence(choice.place.file, choice.start, choice.end, note, choice.place)


RULE = Rule(
    code="arch.repeated_dispatch",
    category="architecture",
    priority="P3",
    title="Repeated dispatch",
    doc="""The same set of at least three cases is chosen between in at least two functions. Sets of numbers, single
    letters, keys of a keyboard or built-in types do not count, nor do test files.""",
    check=check,
)
