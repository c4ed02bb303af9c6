"""Projection: all records of a file and of the workspace around the files.

Owns: which nodes and edges there are beside those that definitions and links give.
Must not know: encoding, order on the wire, what a reader asked for.
Invariant: every edge of a file starts at a node of that file, at its package, or at one of its diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.addresses import declared_package
from graphls.graph.derivation import DIAGNOSTIC
from graphls.graph.diagnoses import DIAGNOSES
from graphls.graph.edge_records import EdgeRecords, plain_edge
from graphls.graph.edges import edges_from
from graphls.graph.identity import external_id
from graphls.graph.node_records import (
    FileNodes,
    derived_record,
    external_record,
    file_id,
    node_record,
    package_id,
    workspace_id,
)
from graphls.graph.nodes import kind_of
from graphls.graph.packages import DeclaredPackage, merged_requirements, normal_name, package_attributes
from graphls.graph.records import Edge, Node
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import language_of

__all__ = [
    "external_record",
    "file_diagnostics",
    "file_edges",
    "file_nodes",
    "frame_edges",
    "node_record",
    "package_names",
    "required_packages",
    "unread_edge",
    "unread_node",
    "workspace_edges",
    "workspace_nodes",
]  # fmt: skip


def file_nodes(snapshot: Snapshot, path: FilePath, locals: bool = False) -> Iterator[Node]:
    """The file, its module and what the module declares, in source order."""
    nodes = FileNodes(snapshot, path)
    yield nodes.file_node()
    if snapshot.shards[path].language:
        yield nodes.node(-1)
        yield from (nodes.node(row) for row in nodes.rows(locals))
    if snapshot.derivation is not None:
        yield from (derived_record(snapshot, derived) for derived in snapshot.derivation.nodes(snapshot, path))


def unread_node(snapshot: Snapshot, path: FilePath, reason: str) -> Node:
    """A text file of which nothing but the name is known."""
    return Node(
        id=file_id(snapshot, path),
        kind="file",
        name=path.rpartition("/")[2],
        qualified_name=path,
        package=snapshot.package_of(path),
        language=language_of(path) or None,
        file=path,
        provenance="syntax_inferred",
        attributes={"skipped": reason},
    )


def unread_edge(snapshot: Snapshot, path: FilePath) -> Edge:
    """From the package to a text file that was not read."""
    return plain_edge(package_id(declared_package(snapshot, path)), file_id(snapshot, path), "contains")


def file_diagnostics(snapshot: Snapshot, path: FilePath) -> Iterator[Node]:
    """What is wrong with the file's text, what a checker finds wrong with the module, what logs say of it."""
    yield from (found.record for found in FileNodes(snapshot, path).diagnostics())


def file_edges(snapshot: Snapshot, path: FilePath, locals: bool = False) -> Iterator[Edge]:
    """From the package to the file, from the file to its module, and all that start inside."""
    yield from (edge for edge, _ in frame_edges(snapshot, path))
    records = EdgeRecords(snapshot)
    yield from (records.record(edge) for edge in edges_from(snapshot, path, locals))


def frame_edges(snapshot: Snapshot, path: FilePath) -> Iterator[tuple[Edge, tuple[str, str]]]:
    """Edges of a file that are not between places, with the kinds of their ends: its package, module, diagnostics."""
    file = file_id(snapshot, path)
    yield plain_edge(package_id(declared_package(snapshot, path)), file, "contains"), ("package", "file")
    language = snapshot.shards[path].language
    if language:
        nodes = FileNodes(snapshot, path)
        yield plain_edge(file, nodes.id(-1), "contains"), ("file", "module")
        for found in nodes.diagnostics():
            owner = nodes.owner_at(found.start)
            ends = DIAGNOSTIC, kind_of(nodes.facts, path, owner, language).kind
            yield plain_edge(found.record.id, nodes.id(owner), DIAGNOSES), ends
        return
    for found in FileNodes(snapshot, path).diagnostics():
        yield plain_edge(found.record.id, file, DIAGNOSES), (DIAGNOSTIC, "file")


def package_names(snapshot: Snapshot, files: Iterable[FilePath]) -> dict[str, str]:
    """Declared name ("" for none) -> name, of each package that has one of the files; sorted."""
    found = {declared_package(snapshot, path): snapshot.package_of(path) for path in files}
    return dict(sorted(found.items()))


def workspace_nodes(snapshot: Snapshot, files: Iterable[FilePath], needed: Iterable[str] = ()) -> Iterator[Node]:
    """The workspace, the packages of these files, and others that these need."""
    yield Node(
        id=workspace_id(),
        kind="workspace",
        name=snapshot.name,
        qualified_name=snapshot.name,
        provenance="manifest_declared",
    )
    for declared, name in sorted({**package_names(snapshot, files), **{one: one for one in needed}}.items()):
        yield Node(
            id=package_id(declared),
            kind="package",
            name=name,
            qualified_name=name,
            package=name,
            provenance="manifest_declared" if declared else "syntax_inferred",
            attributes=package_attributes(_declaring(snapshot, declared)),
        )


def workspace_edges(snapshot: Snapshot, files: Iterable[FilePath]) -> Iterator[Edge]:
    """From the workspace to the packages of these files."""
    for declared in package_names(snapshot, files):
        yield plain_edge(workspace_id(), package_id(declared), "contains", "manifest_declared")


def required_packages(snapshot: Snapshot, files: Iterable[FilePath]) -> Iterator[tuple[Edge, str, bool]]:
    """What the packages of these files need by their manifests: edge, name, and whether that is a package of the
    workspace."""
    own = {normal_name(name): name for name in sorted(snapshot.packages.values())}
    for package in package_names(snapshot, files):
        for name, attributes in merged_requirements(_declaring(snapshot, package).values()).items():
            inside = own.get(normal_name(name))
            if inside != package:
                target = external_id(name) if inside is None else package_id(inside)
                edge = plain_edge(package_id(package), target, "requires", "manifest_declared")
                yield attrs.evolve(edge, attributes=attributes), inside or name, inside is not None


def _declaring(snapshot: Snapshot, package: str) -> Mapping[str, DeclaredPackage]:
    """Folders whose manifests declare a package."""
    return {folder: one for folder, one in snapshot.declared.items() if package and one.name == package}
