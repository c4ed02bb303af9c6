"""Import circumstances: which imports run only now and then, and the claims about them.

Owns: the circumstances and their order, one claim for each module and circumstance.
Must not know: any particular rule, how an import is read, what it leads to.
Invariant: an import is in at most one claim of a rule, with its place as evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from graphls.analysis.finding import Claim, Evidence
from graphls.analysis.views import Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ImportFlag
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import SymbolRef

CircumstanceRow: TypeAlias = tuple[str, int, int]
Words: TypeAlias = Mapping[str, tuple[str, str]]
"""Circumstance -> what the module does, what else it could do."""


def circumstance_claims(
    views: Views, code: str, words: Words, rows: Callable[[FileFacts], Iterator[CircumstanceRow]], caveat: str
) -> Iterator[Claim]:
    """One claim for each module of the rule's language and circumstance that has words."""
    for path in views.sources(programs=False):
        if views.in_scope(path) and views.is_in_language_of(code, path):
            found = views.per_file("conditional imports", path, lambda facts: tuple(rows(facts)))
            for kind, (what, advice) in words.items():
                places = [(start, end) for known, start, end in found if known == kind]
                if places:
                    yield _claim(views, path, (kind, what, advice, caveat), places)


def import_rows(facts: FileFacts) -> Iterator[CircumstanceRow]:
    """The imports of a file that have a circumstance, in order of place."""
    table = facts.imports
    for row, flags in enumerate(table.flags):
        kind = _circumstance(ImportFlag(flags))
        if kind:
            yield kind, table.start[row], table.end[row]


def _circumstance(flags: ImportFlag) -> str:
    """The strongest circumstance of an import, "" where it has none."""
    if flags & ImportFlag.TYPE_CHECKING:
        return "type checking"
    if flags & ImportFlag.DYNAMIC:
        return "dynamic"
    if flags & ImportFlag.LOCAL:
        return "nested"
    return "conditional" if flags & ImportFlag.CONDITIONAL else ""


def _claim(views: Views, path: FilePath, said: tuple[str, str, str, str], places: list[tuple[int, int]]) -> Claim:
    kind, what, advice, caveat = said
    return Claim(
        key=(views.module(path), kind),
        title=f"{views.module(path)}: {what}",
        pressure="What the module needs shows only where this code runs, and a failure comes as late.",
        confidence="high",
        evidence=tuple(Evidence(path, start, end, what, SymbolRef(path, -1)) for start, end in places[:20]),
        suggestions=(advice,),
        measures={"places": len(places)},
        caveats=(caveat,),
    )
