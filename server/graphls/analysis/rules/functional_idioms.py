"""Functional idioms: lambdas of Python that are given a name.

Owns: which lambdas count.
Must not know: what a lambda does.
Invariant: a lambda is in at most one finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import SymbolRef

CODE: Final = "python.functional_idioms"
_BOUND: Final = frozenset((DefinitionKind.VARIABLE, DefinitionKind.CONSTANT))


def check(views: Views) -> Iterator[Claim]:
    """One claim for each name that is bound to a lambda."""
    for path in views.sources():
        if views.in_scope(path) and views.is_in_language_of(CODE, path):
            for row in views.per_file("named lambdas", path, lambda facts: tuple(_rows(facts))):
                yield _claim(views, path, row)


def _rows(facts: FileFacts) -> Iterator[int]:
    table, kinds = facts.definitions, facts.expressions.kind
    for row, kind in enumerate(table.kind):
        value = table.value[row]
        if kind in _BOUND and value >= 0 and kinds[value] == ExpressionKind.LAMBDA:
            yield row


def _claim(views: Views, path: FilePath, row: int) -> Claim:
    place, table = SymbolRef(path, row), views.snapshot.facts(path).definitions
    symbol = views.symbol(place)
    return Claim(
        key=(symbol,),
        title=f"{views.name(place)}: a lambda with a name",
        pressure="A traceback calls it <lambda>, and it has neither documentation nor annotations.",
        confidence="high",
        evidence=(Evidence(path, table.start[row], table.end[row], f"{symbol} is bound to a lambda", place),),
        suggestions=("Write def, or take what operator, functools or itertools have.",),
    )


RULE = Rule(
    code=CODE,
    category="idiom",
    priority="info",
    title="Functional idioms",
    doc="""A lambda that is assigned to a name. Functions that return functions are not judged, nor are tests.""",
    check=check,
    enabled=False,
)
