"""Map: graph/map.

Owns: modules and imports as messages.
Must not know: how imports are counted or packages folded.
Invariant: `source` and `target` of an import are places in `modules` of the same answer.
"""

from __future__ import annotations

from graphls.lsp.from_proto import Context, to_proto
from graphls.lsp.messages import MapImportView, MapModuleView, MapResult
from graphls.lsp.params import ScopeParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.views import envelope
from graphls.queries.module_map import first_unfolded, folded, module_map


@custom("graph/map", ScopeParams, MapResult, kind="long", whole=True)
def of_modules(context: Context, params: ScopeParams) -> MapResult:
    """Which modules import which, for a client that folds them to packages."""
    found = module_map(context.snapshot, params.scope, context.session.settings.findings.layers)
    proto, unfolded = to_proto(context), first_unfolded(found)
    return MapResult(
        **envelope(context.snapshot, found.coverage),
        modules=[
            MapModuleView(
                name=one.name,
                parts=one.parts,
                file=one.file,
                uri=proto.uri(one.file),
                test=one.test,
                layer=one.layer,
            )
            for one in found.modules
        ],
        imports=[
            MapImportView(
                source=one.source,
                target=one.target,
                count=one.count,
                later=one.later,
                lines=tuple(line - 1 for line in one.lines),
                against=one.against,
            )
            for one in found.imports
        ],
        unfolded=unfolded,
        cycles=folded(found, unfolded).cycles,
        layers=found.layers,
    )


FEATURES: tuple[Declaration, ...] = (of_modules,)
