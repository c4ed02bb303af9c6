"""Layer violation: an import against the declared order of layers.

Owns: which imports count.
Must not know: where the layers were declared, which of them a module is in.
Invariant: says nothing while no layers are declared.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import ImportEdge, Views, is_test
from graphls.facts.kinds import ImportFlag
from graphls.graph.declared_layers import DeclaredLayers
from graphls.graph.snapshot import SymbolRef


def check(views: Views) -> Iterator[Claim]:
    """One claim for each pair of modules whose import goes up, or across a shared layer."""
    declared = DeclaredLayers(views.layers)
    if not declared.levels:
        return
    for edge in views.imports():
        if edge.flags & ImportFlag.TYPE_CHECKING or is_test(edge.source):
            continue
        source, target = views.module(edge.source), views.module(edge.target)
        upper, lower = declared.name_of(source), declared.name_of(target)
        if declared.is_against(upper, lower):
            yield _claim(edge, (source, upper), (target, lower), across=declared.is_shared(upper, lower))


def _claim(edge: ImportEdge, source: tuple[str, str], target: tuple[str, str], *, across: bool) -> Claim:
    order = "which shares its layer and is declared independent" if across else "which is a higher layer"
    return Claim(
        key=(source[0], target[0]),
        title=f"{source[0]} imports {target[0]} against the declared layers",
        pressure=f"{source[1]} must not import from {target[1]}, {order}.",
        confidence="high",
        evidence=(
            Evidence(edge.source, edge.start, edge.end, f"{source[0]} imports {target[0]}", SymbolRef(edge.source, -1)),
        ),
        suggestions=("Move what is needed to a lower layer.", "Hand it in from above instead of importing it."),
        measures={"from_layer": source[1], "to_layer": target[1]},
        caveats=("Imports by computed name, and those under TYPE_CHECKING, are not seen.",),
    )


RULE = Rule(
    code="arch.layer_violation",
    category="architecture",
    priority="P1",
    title="Layer violation",
    doc="""A module imports from a higher layer, or from another package of its own layer, as `findings.layers` declares
    them. Without declared layers the rule is silent.""",
    check=check,
)
