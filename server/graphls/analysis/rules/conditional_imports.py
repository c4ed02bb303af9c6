"""Conditional imports: modules of Python that are needed only now and then, or that only a run of the code tells.

Owns: which imports count, by what they depend on.
Must not know: how an import is read, what it leads to.
Invariant: one finding for each module and kind of circumstance, with every place as evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ImportFlag
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import SymbolRef

CODE: Final = "python.conditional_imports"
_SHIM: Final = "shim"
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "dynamic": ("imports by a name that is made at run time", "Import the module by name, or list what may be loaded."),
    "nested": ("imports inside functions", "Import at the top of the module, or move what both modules need."),
    "conditional": ("imports that depend on a condition", "Say in one module what is optional, and import from there."),
    "type checking": ("imports for type checkers alone", "Move what the annotations need to a module below both."),
    _SHIM: ("names that a function of the module looks up", "Bind the names that the module offers."),
}
_Row = tuple[str, int, int]


def check(views: Views) -> Iterator[Claim]:
    """One claim for each module and kind."""
    for path in views.sources(programs=False):
        if views.in_scope(path) and views.is_in_language_of(CODE, path):
            rows = views.per_file("conditional imports", path, lambda facts: tuple(_rows(facts)))
            for kind in _WORDS:
                places = [(start, end) for found, start, end in rows if found == kind]
                if places:
                    yield _claim(views, path, kind, places)


def _rows(facts: FileFacts) -> Iterator[_Row]:
    table = facts.imports
    for row, flags in enumerate(table.flags):
        kind = _kind(ImportFlag(flags))
        if kind:
            yield kind, table.start[row], table.end[row]
    names = facts.definitions
    for row, kind in enumerate(names.kind):
        if kind == DefinitionKind.FUNCTION and names.owner[row] < 0 and facts.strings[names.name[row]] == "__getattr__":
            yield _SHIM, names.start[row], names.end[row]


def _kind(flags: ImportFlag) -> str:
    """The strongest circumstance of an import, "" where it has none."""
    if flags & ImportFlag.DYNAMIC:
        return "dynamic"
    if flags & ImportFlag.TYPE_CHECKING:
        return "type checking"
    if flags & ImportFlag.LOCAL:
        return "nested"
    return "conditional" if flags & ImportFlag.CONDITIONAL else ""


def _claim(views: Views, path: FilePath, kind: str, places: list[tuple[int, int]]) -> Claim:
    what, advice = _WORDS[kind]
    return Claim(
        key=(views.module(path), kind),
        title=f"{views.module(path)}: {what}",
        pressure="What the module needs shows only where this code runs, and a failure comes as late.",
        confidence="high",
        evidence=tuple(Evidence(path, start, end, what, SymbolRef(path, -1)) for start, end in places[:20]),
        suggestions=(advice,),
        measures={"places": len(places)},
        caveats=("Such an import may be the way to break a cycle, or to do without what is not installed.",),
    )


RULE = Rule(
    code=CODE,
    category="idiom",
    priority="info",
    title="Conditional imports",
    doc="""Imports in functions, below conditions, below TYPE_CHECKING or by a name made at run time, and modules whose
    `__getattr__` looks names up. Not in tests, scripts and settings files.""",
    check=check,
    enabled=False,
)
