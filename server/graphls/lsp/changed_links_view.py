"""Changed links view: links of a set of edits as graph/changedImpact answers them.

Owns: the form of links and of the nodes at their ends.
Must not know: how links are compared.
Invariant: a removed link has no sites: its lines are those of a text that is gone.
"""

from __future__ import annotations

import attrs

from graphls.lsp.messages import ChangedEndView, ChangedImpactResult, ChangedLinkView
from graphls.lsp.to_proto import ToProto
from graphls.lsp.views import edge_view, node_view
from graphls.queries.changed_links import ChangedLink, ChangedLinks


def with_links(
    proto: ToProto, earlier: ToProto, result: ChangedImpactResult, found: ChangedLinks
) -> ChangedImpactResult:
    """An answer with its links. `earlier`: the conversion of the state before the edits."""

    def view(link: ChangedLink) -> ChangedLinkView:
        removed = link.change == "removed"
        edge = edge_view(earlier if removed else proto, link.edge, sites=not removed)
        return ChangedLinkView(edge=edge, change=link.change)

    return attrs.evolve(
        result,
        links=[view(link) for link in found.links],
        links_omitted=found.omitted,
        ends=[
            *(ChangedEndView(node=node_view(proto, node), gone=False) for node in found.ends),
            *(ChangedEndView(node=node_view(earlier, node), gone=True) for node in found.gone),
        ],
    )
