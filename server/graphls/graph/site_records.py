"""Site records: one node a use of a name, for exports that ask for them.

Owns: `reference_site` and `call_site` nodes, resolved and unresolved alike.
Must not know: edges, encoding.
Invariant: every occurrence of a file is one node; what it means is in its attributes, and why it means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphls.facts.kinds import Role, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.addresses import NodeId, digest_of, spelled
from graphls.graph.identity import external_id, node_id
from graphls.graph.node_records import FileNodes
from graphls.graph.nodes import qualified_name
from graphls.graph.records import Json, Node
from graphls.graph.snapshot import Snapshot, Target


def file_sites(snapshot: Snapshot, path: FilePath) -> Iterator[Node]:
    """Every use of a name in a file, in source order."""
    if not snapshot.shards[path].language:
        return
    nodes, links = FileNodes(snapshot, path), snapshot.links(path)
    facts, table = nodes.facts, nodes.facts.occurrences
    reasons = dict(zip(links.unresolved.occurrence, links.unresolved.reason, strict=True))
    equals: dict[tuple[str, str, Role], int] = {}
    module = snapshot.module_name(path).dotted
    for row in range(len(table)):
        role = Role(table.role[row])
        owner = qualified_name(facts, table.owner[row])
        name = facts.strings[table.name[row]]
        ordinal = equals[owner, name, role] = equals.get((owner, name, role), -1) + 1
        attributes: dict[str, Json] = {"role": role.name.lower(), "owner": nodes.id(table.owner[row])}
        attributes["targets"] = [_target_id(snapshot, target) for target in snapshot.targets(path, row)]
        if row in reasons:
            attributes["unresolved"] = UnresolvedReason(reasons[row]).name.lower()
        where = nodes.range(table.start[row], table.end[row])
        yield Node(
            id=NodeId(spelled("n", digest_of(nodes.own.home, owner, "site", name, role.name, str(ordinal)))),
            kind="call_site" if role == Role.CALL else "reference_site",
            name=name,
            qualified_name=f"{owner}.{name}" if owner else name,
            module=module,
            package=snapshot.package_of(path),
            language=snapshot.shards[path].language,
            file=path,
            range=where,
            full_range=where,
            attributes=attributes,
        )


def _target_id(snapshot: Snapshot, target: Target) -> NodeId:
    return node_id(snapshot, target.place) if target.place is not None else external_id(target.external)
