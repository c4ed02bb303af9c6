"""Conditional imports: modules of Python that are needed only now and then, or that only a run of the code tells.

Owns: the words for each circumstance, modules that look names up.
Must not know: how an import is read, what it leads to.
Invariant: one finding for each module and kind of circumstance, with every place as evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphls.analysis.finding import Claim, Rule
from graphls.analysis.import_circumstances import CircumstanceRow, Words, circumstance_claims, import_rows
from graphls.analysis.views import Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind

CODE: Final = "python.conditional_imports"
_SHIM: Final = "shim"
_WORDS: Final[Words] = {
    "dynamic": ("imports by a name that is made at run time", "Import the module by name, or list what may be loaded."),
    "nested": ("imports inside functions", "Import at the top of the module, or move what both modules need."),
    "conditional": ("imports that depend on a condition", "Say in one module what is optional, and import from there."),
    "type checking": ("imports for type checkers alone", "Move what the annotations need to a module below both."),
    _SHIM: ("names that a function of the module looks up", "Bind the names that the module offers."),
}


def check(views: Views) -> Iterator[Claim]:
    """One claim for each module and kind."""
    caveat = "Such an import may be the way to break a cycle, or to do without what is not installed."
    return circumstance_claims(views, CODE, _WORDS, _rows, caveat)


def _rows(facts: FileFacts) -> Iterator[CircumstanceRow]:
    """Imports, and functions that look up names of the module."""
    yield from import_rows(facts)
    names = facts.definitions
    for row, kind in enumerate(names.kind):
        if kind == DefinitionKind.FUNCTION and names.owner[row] < 0 and facts.strings[names.name[row]] == "__getattr__":
            yield _SHIM, names.start[row], names.end[row]


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
