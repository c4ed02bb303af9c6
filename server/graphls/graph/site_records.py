"""Site records: one node a use of a name, for exports that ask for them.

Owns: `reference_site` and `call_site` nodes, resolved and unresolved alike; the edges that tie them to the graph.
Must not know: encoding, which other records are written.
Invariant: every occurrence of a file is one node; `contains` leads to it from what owns it and `references` from it to
each thing of the graph that it means. What it means is in its attributes too, and why it means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphls.facts.cached_property import cached_property
from graphls.facts.kinds import Role, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.addresses import NodeId, addresses, digest_of, format_id
from graphls.graph.edge_records import AttachedEdge, plain_edge
from graphls.graph.evidence import KINDS
from graphls.graph.identity import edge_id, end_id
from graphls.graph.node_records import FileNodes
from graphls.graph.nodes import lasting_row, node_row, qualified_name
from graphls.graph.records import Edge, Json, Node, Site
from graphls.graph.snapshot import Snapshot, SymbolRef, Target, rows_of
from graphls.graph.verification import provenance

_REFERENCES = "references"


class FileSites:
    """Every use of a name in one file that has a language. Made for one export, then dropped."""

    def __init__(self, snapshot: Snapshot, path: FilePath, locals: bool) -> None:
        """`locals`: variables and parameters of functions are nodes."""
        self._snapshot = snapshot
        self._path = path
        self._locals = locals
        self._nodes = FileNodes(snapshot, path)
        self._facts = self._nodes.facts
        self._links = snapshot.links(path)

    def nodes(self) -> Iterator[Node]:
        """In source order."""
        table, links = self._facts.occurrences, self._links
        reasons = dict(zip(links.unresolved.occurrence, links.unresolved.reason, strict=True))
        module, package = self._snapshot.module_name(self._path).dotted, self._snapshot.package_of(self._path)
        language = self._snapshot.shards[self._path].language
        for row, ident in self._ids.items():
            role, name = Role(table.role[row]), self._facts.strings[table.name[row]]
            owner = qualified_name(self._facts, table.owner[row])
            targets = self._targets(row)
            visible = [target for target in targets if self._is_visible(target)]
            attributes: dict[str, Json] = {"role": role.name.lower(), "owner": self._owner(row)}
            attributes["targets"] = [end_id(self._snapshot, _end(target)) for target in visible]
            if reasons.get(row) == UnresolvedReason.OUTSIDE_PARAMETER:
                attributes["outside"] = True
            elif row in reasons:
                attributes["unresolved"] = UnresolvedReason(reasons[row]).name.lower()
            elif len(visible) < len(targets):
                attributes["local"] = True
            where = self._nodes.range(table.start[row], table.end[row])
            yield Node(
                id=ident,
                kind=_kind(role),
                name=name,
                qualified_name=f"{owner}.{name}" if owner else name,
                module=module,
                package=package,
                language=language,
                file=self._path,
                range=where,
                full_range=where,
                attributes=attributes,
            )

    def edges(self) -> Iterator[AttachedEdge]:
        """From owners to sites and from sites to targets."""
        table = self._facts.occurrences
        for row, ident in self._ids.items():
            kind = _kind(table.role[row])
            yield AttachedEdge(
                plain_edge(self._owner(row), ident, "contains"), kind, SymbolRef(self._path, self._owner_row(row))
            )
            where = self._nodes.range(table.start[row], table.end[row])
            known: set[str] = set()
            for target in self._targets(row):
                end = end_id(self._snapshot, _end(target))
                if end not in known and self._is_visible(target):
                    known.add(end)
                    yield AttachedEdge(self._edge(ident, end, target, Site(self._path, where)), kind, _end(target))

    def _edge(self, ident: str, end: str, target: Target, site: Site) -> Edge:
        where, how = provenance(target.rule), target.resolution.name.lower()
        return Edge(
            id=edge_id(ident, end, _REFERENCES, where),
            kind=_REFERENCES,
            source=ident,
            target=end,
            provenance=where,
            resolution=how,
            confidence=target.confidence,
            ambiguous=target.ambiguous,
            sites=(Site(site.file, site.range, where, how, target.confidence),),
            site_count=1,
            attributes={"as": KINDS[target.edge]},
        )

    @cached_property
    def _ids(self) -> Mapping[int, NodeId]:
        """Row of occurrences -> id of its site, in source order."""
        facts, table, home = self._facts, self._facts.occurrences, self._nodes.own.home
        equals: dict[tuple[str, str, str], int] = {}
        found: dict[int, NodeId] = {}
        for row in range(len(table)):
            key = (qualified_name(facts, table.owner[row]), facts.strings[table.name[row]], Role(table.role[row]).name)
            ordinal = equals[key] = equals.get(key, -1) + 1
            owner, name, role = key
            found[row] = NodeId(format_id("n", digest_of(home, owner, "site", name, role, str(ordinal))))
        return found

    def _owner_row(self, row: int) -> int:
        owner = self._facts.occurrences.owner[row]
        return node_row(self._facts, owner) if self._locals else lasting_row(self._facts, owner)

    def _owner(self, row: int) -> NodeId:
        return self._nodes.id(self._owner_row(row))

    def _targets(self, row: int) -> list[Target]:
        links = self._links
        return [self._snapshot.target(self._path, links, at) for at in rows_of(links.targets, row)]

    def _is_visible(self, target: Target) -> bool:
        """Whether a target is a node of an export."""
        place = target.place
        if place is None or place.definition < 0 or self._locals:
            return True
        return addresses(self._snapshot, place.file).slots[place.definition] >= 0


def _kind(role: int) -> str:
    return "call_site" if role == Role.CALL else "reference_site"


def _end(target: Target) -> SymbolRef | str:
    return target.external if target.place is None else target.place
