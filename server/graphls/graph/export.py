"""Export: the graph of a snapshot as JSON lines.

Owns: order of records, the header, what is refused, which part is written.
Must not know: where lines go, other formats.
Invariant: the lines are a function of contents and options, byte for byte; nothing is written before all is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

import attrs

from graphls import __version__
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.control_escapes import escape_controls
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_records import AttachedEdge, EdgeRecords
from graphls.graph.edges import RawEdge, edges_from
from graphls.graph.errors import BadRequest, GraphError
from graphls.graph.merkle import snapshot_id
from graphls.graph.node_records import end_record, external_kind, external_record
from graphls.graph.nodes import kind_of
from graphls.graph.partly_read import partly_read
from graphls.graph.projection import (
    file_diagnostics,
    file_nodes,
    frame_edges,
    package_names,
    required_packages,
    unread_edge,
    unread_node,
    workspace_edges,
    workspace_nodes,
)
from graphls.graph.records import (
    EDGE_KINDS,
    MODES,
    NODE_KINDS,
    SCHEMA_VERSION,
    VERIFY,
    Counts,
    Edge,
    Generator,
    Header,
    LibrariesName,
    Node,
    ProviderName,
    Record,
    Skipped,
    Verified,
    WorkspaceName,
)
from graphls.graph.scope import WORKSPACE, Scope, files_of, unread_of
from graphls.graph.site_records import FileSites
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spool import Spool
from graphls.graph.strictness import SOURCE, obstacles
from graphls.graph.verification import Extent, with_verification
from graphls.graph.wire import line_of, node_line, packed_edge, record_of, unpacked_edge
from graphls.languages.registry import providers

SHOWN_DIAGNOSTICS = 50
_ERRORS = "have errors", "has an error"
_WHAT: Mapping[str, tuple[str, str]] = {
    "syntax": ("do not parse", "does not parse"),
    SOURCE: ("keep the graph from being whole", "keeps the graph from being whole"),
}


@attrs.frozen(eq=False)
class AttachedNode:
    """A node that no file declares, and its edges. One in no file is written where an edge of it is."""

    node: Node
    edges: Sequence[AttachedEdge]


@attrs.frozen
class ExportOptions:
    """What is written."""

    mode: str = "checked"
    """`checked` refuses a graph with files that do not parse, are missing or were not linked, with imports of the
    workspace that lead nowhere, undefined names and, verified, errors; `allow-errors` reports files with errors."""
    scope: Scope = WORKSPACE
    kinds: tuple[str, ...] = ()
    """Kinds of nodes and edges to write; without any kind of node (of edge) all nodes (edges) are written."""
    sites: bool = False
    """One node for each use of a name as well."""
    locals: bool = False
    """Variables and parameters of functions as well."""
    verify: str = "none"
    """Own links alone, or with the answers of checkers that are `available`, or all of them (`complete`)."""
    checkers: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """The checker of each language whose answers are in the graph; with its version where all were asked for."""
    attached: Sequence[AttachedNode] = ()
    """Derived records to write as well, of files in the scope."""
    ties: Sequence[tuple[FilePath, AttachedEdge]] = ()
    """Derived edges between nodes of the graph, each with the file of its source."""
    revision: bool = False
    """The header names the revision; then two exports of equal contents may differ."""


class ExportRefused(GraphError):
    """A checked export of a workspace in which some file does not parse, is missing or uses what is not there, or in
    which a checker found errors."""

    def __init__(self, diagnostics: tuple[Node, ...]) -> None:
        first = diagnostics[0]
        line = first.range[0] + 1 if first.range else 0
        sources = {str(node.attributes.get("source")) for node in diagnostics}
        what = _WHAT.get(next(iter(sources)), _ERRORS) if len(sources) == 1 else _ERRORS
        where = f"{first.file} line {line}" if line else str(first.file)
        super().__init__(
            "graphls.degraded",
            f"{_places(len(diagnostics), what)}, the first in {where}: {first.attributes.get('message')}. "
            "Correct them, or export with the mode allow-errors.",
            {"diagnostics": [_brief(node) for node in diagnostics[:SHOWN_DIAGNOSTICS]]},
        )
        self.diagnostics = diagnostics


@attrs.frozen(eq=False)
class Export:
    """A graph that is ready to be written."""

    header: Header
    _nodes: Spool
    _edges: Spool
    _diagnostics: Spool

    def lines(self) -> Iterator[bytes]:
        """All lines with their ends, in order."""
        yield _encoded(line_of(self.header))
        yield from (_encoded(line) for line in self._records())

    def records(self) -> Iterator[Record]:
        """All records, in order."""
        yield self.header
        yield from (record_of(line) for line in self._records())

    def _records(self) -> Iterator[str]:
        yield from self._nodes.in_order()
        yield from (unpacked_edge(row) for row in self._edges.sorted())
        yield from self._diagnostics.in_order()


def export(snapshot: Snapshot, options: ExportOptions = ExportOptions()) -> Export:
    """The graph of a snapshot, or of a part of it. Raises ExportRefused, OutsideWorkspace, BadRequest."""
    snapshot, files, diagnostics = exportable(snapshot, options)
    return _Writer(snapshot, options, files, unread_of(snapshot, options.scope)).run(diagnostics)


def exportable(snapshot: Snapshot, options: ExportOptions) -> tuple[Snapshot, tuple[FilePath, ...], tuple[Node, ...]]:
    """The snapshot as it is written, the files that are, and their diagnostics. Raises what `export` raises."""
    if options.mode not in MODES:
        raise BadRequest(f"{options.mode!r} is no mode. Use one of: {', '.join(MODES)}.")
    if options.verify not in VERIFY:
        raise BadRequest(f"{options.verify!r} is no verification. Use one of: {', '.join(VERIFY)}.")
    if options.verify == "none":
        snapshot = with_verification(snapshot, None)
    files = files_of(snapshot, options.scope)
    diagnostics = tuple(node for path in files for node in file_diagnostics(snapshot, path))
    # What other tools reported is no reason to distrust the graph.
    errors = tuple(node for node in diagnostics if _is_error(node))
    if options.mode == "checked":
        refused = (*errors, *obstacles(snapshot, files, {node.file for node in errors}))
        if refused:
            raise ExportRefused(refused)
    return snapshot, files, diagnostics


def _is_error(node: Node) -> bool:
    return node.attributes.get("severity") == "error" and "input" not in node.attributes


class _Writer:
    def __init__(
        self,
        snapshot: Snapshot,
        options: ExportOptions,
        files: tuple[FilePath, ...],
        unread: Mapping[FilePath, str],
    ) -> None:
        self._snapshot = snapshot
        self._unread = unread
        self._options = options
        self._files = files
        self._inside = frozenset(files)
        chosen = frozenset(options.kinds)
        self._node_kinds = chosen & frozenset(NODE_KINDS)
        self._edge_kinds = chosen & frozenset(EDGE_KINDS)
        unknown = sorted(chosen - self._node_kinds - self._edge_kinds)
        if unknown:
            raise BadRequest(f"{', '.join(unknown)}: no such kind of node or edge.")
        self._nodes = Spool()
        # By source: `n:` and then two letters make 1,024 buckets.
        self._edges = Spool(skip=2, width=2)
        self._records = EdgeRecords(snapshot)
        self._externals: set[str] = set()
        self._beyond: dict[FilePath, set[int]] = {}
        self._attached: dict[str, list[AttachedNode]] = {}
        for one in map(self._in_scope, options.attached):
            if one is not None:
                self._attached.setdefault(one.node.file or "", []).append(one)
        self._unresolved = 0
        self._failing = False
        self._unlinked: Mapping[FilePath, str] = {}
        self._partly_read: Mapping[FilePath, str] = {}

    def run(self, diagnostics: tuple[Node, ...]) -> Export:
        self._put_edges(workspace_edges(self._snapshot, (*self._files, *self._unread)), "workspace", "package")
        needed = self._requirements()
        for path in self._files:
            self._gather(path)
        for path in self._unread:
            self._put_edges((unread_edge(self._snapshot, path),), "package", "file")
        for attached in self._attached.values():
            for one in attached:
                self._put_attached_edges(one.edges)
        self._put_attached_edges(edge for path, edge in self._options.ties if path in self._inside)
        outside = (external_record(self._snapshot, name) for name in self._externals)
        packages = workspace_nodes(self._snapshot, (*self._files, *self._unread), needed)
        nowhere = (one.node for one in self._attached.get("", ()))
        self._put_nodes(chain(packages, outside, nowhere))
        for path in sorted((*(self._snapshot.shards if self._beyond else self._files), *self._unread)):
            self._put_nodes(self._nodes_of(path))
        reports = Spool()
        for diagnostic in sorted(diagnostics, key=lambda node: (node.file or "", *_order(node))):
            if self._wants("diagnostic"):
                reports.add(node_line(diagnostic))
        self._failing = any(map(_is_error, diagnostics))
        failed = self._snapshot.link_failures()
        self._unlinked = {path: failed[path] for path in self._files if path in failed}
        self._partly_read = {path: why for path, why in partly_read(self._snapshot).items() if path in self._inside}
        return Export(self._header(reports.count), self._nodes, self._edges, reports)

    def _requirements(self) -> Set[str]:
        """Notes what packages need; those of the workspace that are needed."""
        needed: set[str] = set()
        for edge, name, inside in required_packages(self._snapshot, self._files):
            kind = "package" if inside else self._kind(name)
            if (self._edge_kinds and edge.kind not in self._edge_kinds) or not (
                self._wants("package") and self._wants(kind)
            ):
                continue
            self._edges.add(packed_edge(edge))
            if inside:
                needed.add(name)
            else:
                self._externals.add(name)
        return needed

    def _in_scope(self, one: AttachedNode) -> AttachedNode | None:
        """What is written of a node: all, or of one in no file the edges to what is written."""
        if one.node.file is not None:
            return one if one.node.file in self._inside else None
        edges = [tie for tie in one.edges if isinstance(tie.end, SymbolRef) and tie.end.file in self._inside]
        return AttachedNode(one.node, edges) if edges else None

    # ---- nodes

    def _nodes_of(self, path: FilePath) -> Iterator[Node]:
        if path in self._unread:
            yield unread_node(self._snapshot, path, self._unread[path])
        elif path in self._inside:
            yield from file_nodes(self._snapshot, path, self._options.locals)
            if self._options.sites and self._snapshot.shards[path].language:
                yield from self._sites(path).nodes()
            yield from (one.node for one in self._attached.get(path, ()))
        for row in sorted(self._beyond.get(path, ())):
            node = end_record(self._snapshot, SymbolRef(path, row))
            yield attrs.evolve(node, attributes={**node.attributes, "beyond": True})

    def _put_nodes(self, nodes: Iterable[Node]) -> None:
        for node in sorted((node for node in nodes if self._wants(node.kind)), key=_order):
            self._nodes.add(node_line(node))

    def _wants(self, kind: str) -> bool:
        return not self._node_kinds or kind in self._node_kinds

    # ---- edges

    def _gather(self, path: FilePath) -> None:
        if self._snapshot.shards[path].language:
            self._unresolved += self._snapshot.links(path).unresolved.open_count()
        for edge, ends in frame_edges(self._snapshot, path):
            self._put_edges((edge,), *ends)
        for raw in edges_from(self._snapshot, path, self._options.locals):
            if self._wants_edge(raw):
                self._note(raw.target)
                self._edges.add(self._records.row(raw))
        if self._options.sites and self._snapshot.shards[path].language:
            self._put_attached_edges(self._sites(path).edges())

    def _sites(self, path: FilePath) -> FileSites:
        return FileSites(self._snapshot, path, self._options.locals)

    def _put_attached_edges(self, edges: Iterable[AttachedEdge]) -> None:
        for item in edges:
            edge = item.edge
            if self._edge_kinds and edge.kind not in self._edge_kinds:
                continue
            other = item.other if item.end is None else self._kind(item.end)
            if not self._node_kinds or (self._wants(item.kind) and self._wants(other)):
                if item.end is not None:
                    self._note(item.end)
                self._edges.add(packed_edge(edge))

    def _put_edges(self, edges: Iterable[Edge], *ends: str) -> None:
        for edge in edges:
            if (not self._edge_kinds or edge.kind in self._edge_kinds) and all(self._wants(end) for end in ends):
                self._edges.add(packed_edge(edge))

    def _wants_edge(self, edge: RawEdge) -> bool:
        if self._edge_kinds and edge.kind not in self._edge_kinds:
            return False
        return not self._node_kinds or all(self._wants(self._kind(end)) for end in (edge.source, edge.target))

    def _kind(self, end: SymbolRef | DerivedNode | str) -> str:
        if isinstance(end, str):
            return external_kind(self._snapshot, end)
        if isinstance(end, DerivedNode):
            return end.kind
        language = self._snapshot.shards[end.file].language
        if not language:
            return "file"
        return kind_of(self._snapshot.facts(end.file), end.file, end.definition, language).kind

    def _note(self, target: SymbolRef | DerivedNode | str) -> None:
        """What an edge points at is written, wherever it is; what is derived stands in the file of its source."""
        if isinstance(target, str):
            self._externals.add(target)
        elif isinstance(target, SymbolRef) and target.file not in self._inside:
            plain = target.definition < 0
            row = target.definition if plain else addresses(self._snapshot, target.file).rows[target.definition]
            self._beyond.setdefault(target.file, set()).add(row)

    # ---- header

    def _header(self, diagnostics: int) -> Header:
        snapshot = self._snapshot
        languages = tuple(sorted({shard.language for shard in snapshot.shards.values()} - {""}))
        known = providers()
        # Where nothing is of a checker, none is named, whichever is running.
        checkers = self._options.checkers if self._options.verify != "none" else dict[str, str]()
        return Header(
            schema_version=SCHEMA_VERSION,
            generator=Generator("graphls", __version__),
            mode=self._options.mode,
            snapshot=snapshot_id(snapshot),
            revision=snapshot.revision if self._options.revision else None,
            workspace=WorkspaceName(
                snapshot.name, tuple(sorted(set(package_names(snapshot, (*snapshot.shards, *self._unread)).values())))
            ),
            languages=languages,
            providers=tuple(
                ProviderName(name, "graphls", __version__, known[name].recipe, checkers.get(name))
                for name in languages
                if name in known
            ),
            libraries=tuple(
                LibrariesName(language, **attrs.asdict(table.libraries.about), digest=table.libraries.stamp)
                for language, table in sorted(snapshot.modules.items())
                if table.libraries is not None
            ),
            dirty=tuple(path for path, shard in snapshot.shards.items() if shard.dirty),
            degraded=bool(self._failing or snapshot.skipped or snapshot.pending or self._unlinked or self._partly_read),
            problems=(
                *(Skipped(skipped.path, skipped.reason) for skipped in snapshot.skipped),
                *(Skipped(path, f"not linked: {reason}") for path, reason in self._unlinked.items()),
                *(Skipped(path, f"read in part: {reason}") for path, reason in self._partly_read.items()),
            ),
            counts=Counts(self._nodes.count, self._edges.count, diagnostics, self._unresolved),
            verification=self._verified(),
        )

    def _verified(self) -> Verified | None:
        snapshot = self._snapshot
        if self._options.verify == "none":
            return None
        extent = snapshot.verification.extent(snapshot) if snapshot.verification is not None else Extent(0, 0, 0, 0)
        return Verified(self._options.verify, extent.uncertain, extent.left_out, extent.modules, extent.clean)


def _order(node: Node) -> tuple[tuple[int, ...], str, str]:
    return node.range[:2] if node.range else (0, 0), node.kind, node.id


def _brief(node: Node) -> dict[str, object]:
    return {
        "file": node.file,
        "line": node.range[0] + 1 if node.range else None,
        "message": node.attributes.get("message"),
    }


def _places(count: int, what: tuple[str, str]) -> str:
    return f"1 place {what[1]}" if count == 1 else f"{count} places {what[0]}"


def _encoded(line: str) -> bytes:
    # As part of JSON what is spelled out means the character itself.
    return f"{line if line.isascii() else escape_controls(line)}\n".encode("utf-8", "replace")
