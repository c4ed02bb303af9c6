"""Repeated dispatch: one set of cases that several functions each choose between.

Owns: which choices count as the same, which are too ordinary to mention.
Must not know: how choices are spelled in a language.
Invariant: a choice is in at most one finding.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import Dispatch, Views
from graphls.facts.columns import rows_with
from graphls.facts.paths import FilePath

LEAST_CASES = 3
LEAST_FUNCTIONS = 2
_MOST_LOOKED_AT: Final = 20
"""Choices of a family whose names are looked up."""
_ALIKE = 0.75
_PLAIN = re.compile(r"^(-?[\d.]+|None|True|False|_|b?(['\"]).?\2)$")
_BUILTIN = frozenset(dir(builtins))
_KEY = re.compile(
    r"^(['\"])(?:(?:Alt|Cmd|Control|Ctrl|Meta|Mod|Option|Shift)[-+ ])*(?:Arrow(?:Down|Left|Right|Up)|Backspace|CapsLock"
    r"|Delete|End|Enter|Esc|Escape|F\d\d?|Home|Insert|Page(?:Down|Up)|Return|Space|Tab| )\1$"
)
"""Keys of a keyboard, as every program with a window or a terminal tells them apart."""


_SETTLED: Final = frozenset((
    "true", "false", "null", "none", "undefined", "nil", "nan", "yes", "no", "on", "off",
    "string", "str", "number", "int", "integer", "float", "double", "bool", "boolean", "object", "array", "list",
    "function", "symbol", "bigint", "bytes", "any",
    "debug", "info", "notice", "warning", "warn", "error", "critical", "fatal", "trace",
    "up", "down", "left", "right", "top", "bottom", "center", "middle", "start", "end", "before", "after", "forward",
    "backward", "horizontal", "vertical", "both", "north", "south", "east", "west", "asc", "desc",
    "get", "post", "put", "patch", "delete", "head", "options",
))  # fmt: skip
"""Words for values and types of data, levels of a log, directions (corners too) and methods of HTTP: sets that nobody
adds to. Letters that are written by number or name are plain as well."""
_TEXT: Final = re.compile(r"^[a-zA-Z]{0,2}(['\"`]).*\1$", re.DOTALL)
_SUBJECT_NAME: Final = re.compile(r"(\w+)[^\w]*$")


def check(views: Views) -> Iterator[Claim]:
    """One claim for each family of cases that is dispatched on in several functions."""
    choices = [choice for path in views.sources() for choice in views.dispatches(path) if _is_informative(choice)]
    known: set[tuple[str, ...]] = set()
    for family in (part for whole in _families(choices) for part in _parts(whole)):
        # Copies of a function in other files, compiled or vendored, are no further place that somebody keeps up.
        written = {(views.name(choice.place), choice.subject, choice.cases) for choice in family}
        functions = min(len({choice.place for choice in family}), len(written))
        shown = functions >= LEAST_FUNCTIONS and any(views.in_scope(choice.place.file) for choice in family)
        if shown and _is_own(views, family):
            yield _claim(views, family, functions, known)


def _is_informative(choice: Dispatch) -> bool:
    """Whether the cases are names of this project's own making: not small numbers, letters, keys or built-in types."""
    return sum(not _is_plain(case) for case in choice.cases) >= LEAST_CASES


def _is_plain(case: str) -> bool:
    if _PLAIN.match(case) or _KEY.match(case):
        return True
    if _TEXT.match(case):
        text = case.strip("bBfFrRuU").strip("'\"`")
        return text.startswith("\\") or _SETTLED.issuperset(re.split(r"[-_ ]", text.lower()))
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


def _parts(family: list[Dispatch]) -> Iterator[list[Dispatch]]:
    """A family whose cases are texts, by what is chosen by: equal words for what has another name in another file need
    not mean the same."""
    if not all(_TEXT.match(case) for choice in family for case in choice.cases):
        yield family
        return
    parts: list[tuple[set[FilePath], set[str], list[Dispatch]]] = []
    for choice in family:
        files, subjects, members = {choice.place.file}, {_subject(choice)}, [choice]
        apart: list[tuple[set[FilePath], set[str], list[Dispatch]]] = []
        for part in parts:
            if part[0] & files or part[1] & subjects:
                files, subjects, members = files | part[0], subjects | part[1], [*part[2], *members]
            else:
                apart.append(part)
        parts = [*apart, (files, subjects, members)]
    yield from (sorted(members, key=lambda c: (c.place.file, c.start)) for _, _, members in parts)


def _subject(choice: Dispatch) -> str:
    found = _SUBJECT_NAME.search(choice.subject)
    return found[1] if found is not None else f"{choice.place.file} {choice.subject}"


def _is_own(views: Views, family: Sequence[Dispatch]) -> bool:
    """Whether names of the workspace are among the cases, where all of them are names: those of a library stand in
    every program that uses it."""
    cases = {case for choice in family for case in choice.cases}
    if not all(re.fullmatch(r"[\w.:$]+", case) for case in cases):
        return True
    leads: dict[str, bool] = defaultdict(bool)
    for choice in family[:_MOST_LOOKED_AT]:
        facts = views.snapshot.facts(choice.place.file)
        table, row = facts.definitions, choice.place.definition
        own = range(table.full_start[row], table.full_end[row]) if row >= 0 else range(0)
        for case in choice.cases:
            name = re.split(r"[.:$]+", case)[-1]
            index = facts.strings.index(name) if name in facts.strings and not leads[case] else -1
            for at in rows_with(facts.occurrences.name, index) if index >= 0 else ():
                if facts.occurrences.start[at] in own:
                    targets = views.snapshot.targets(choice.place.file, at)
                    leads[case] = leads[case] or any(target.place is not None for target in targets)
    return sum(leads.values()) >= min(LEAST_CASES, len(cases))


def _claim(views: Views, family: list[Dispatch], functions: int, known: set[tuple[str, ...]]) -> Claim:
    cases = sorted(set[str]().union(*(choice.cases for choice in family)))
    listing = ", ".join(cases[:5]) + (", ..." if len(cases) > 5 else "")
    partial = [choice for choice in family if len(choice.cases) < len(cases)]
    files = {choice.place.file for choice in family}
    key = tuple(cases)
    if key in known:
        key = (*key, _subject(family[0]), family[0].place.file)
    known.add(key)
    return Claim(
        key=key,
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
    letters, keys of a keyboard, directions, levels of a log, types of data or names of a library do not count, nor do
    words by which different things are chosen in different files, nor test files.""",
    check=check,
)
