"""Conditional imports of scripts: modules of TypeScript or JavaScript that are needed only now and then.

Owns: the words for each circumstance.
Must not know: how an import is read, what it leads to.
Invariant: imports of types alone, which do not run, are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphls.analysis.finding import Claim, Rule
from graphls.analysis.import_circumstances import Words, circumstance_claims, import_rows
from graphls.analysis.views import Views

CODE: Final = "typescript.conditional_imports"
_WORDS: Final[Words] = {
    "dynamic": ("imports that run when the code does", "Import at the top, unless it is meant to load later."),
    "nested": ("modules that functions require", "Require at the top of the file, or move what both files need."),
}


def check(views: Views) -> Iterator[Claim]:
    """One claim for each module and kind."""
    caveat = "Such an import may split a bundle, break a cycle, or do without what is not installed."
    return circumstance_claims(views, CODE, _WORDS, import_rows, caveat)


RULE = Rule(
    code=CODE,
    category="idiom",
    priority="info",
    title="Conditional imports",
    doc="""`import()`, and `require` in functions. Not in tests, scripts and settings files.""",
    check=check,
    enabled=False,
)
