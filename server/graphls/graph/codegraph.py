"""Codegraph: the export of a compiler that writes codegraph records, schema 1 to 7.

Owns: which record becomes which node or edge, and what is mended of them.
Must not know: workspaces, files, how answers are laid out.
Invariant: every record with a place in the graph is in it, every `target_id` is an edge; what this version does not
    know is passed on as it is. The result keeps to the rules of `graphls check`.

A record names others by ids of its own: they become attributes (`codegraph_id`), and ids of graphls are made of them.
What is mended: absolute paths are made relative to the root, lines and columns count from 0, an id that comes twice is
one node, an end that no record has becomes a node outside.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from posixpath import basename, dirname, isabs, relpath
from typing import Final, cast

import attrs

from graphls.graph.addresses import digest_of, format_id
from graphls.graph.exported_graph import ExportedGraph
from graphls.graph.records import (
    SCHEMA_VERSION,
    Counts,
    Edge,
    Generator,
    Header,
    Json,
    Node,
    Opaque,
    PositionUnit,
    ProviderName,
    Range,
    Record,
    Site,
    WorkspaceName,
)

OLDEST: Final = 1
NEWEST: Final = 7
_CHECKED: Final = "compiler_checked"
_UNCHECKED: Final = "compiler_unchecked"
_KINDS: Final[Mapping[str, tuple[str, str | None]]] = {
    "function": ("callable", "function"),
    "method": ("method", None),
    "property": ("method", "property"),
    "field": ("field", None),
    "variant": ("enum_variant", None),
    "enum_variant": ("enum_variant", None),
    "model": ("declaration", "class"),
    "class": ("declaration", "class"),
    "newtype": ("declaration", "class"),
    "rusttype": ("declaration", "class"),
    "trait": ("declaration", "interface"),
    "enum": ("declaration", "enum"),
    "type_alias": ("declaration", "type_alias"),
    "const": ("declaration", "constant"),
    "static": ("declaration", "variable"),
}
_USED: Final = frozenset({
    "record", "id", "language", "path", "size_bytes", "provenance", "degraded", "file_id", "module_id", "name", "span",
    "kind", "visibility", "signature", "owner_id", "target_id", "module_path", "parent_id", "child_id", "source_id",
    "message", "severity", "code", "primary_span",
})  # fmt: skip
_MOST_SITES: Final = 20
_SEEN: Final = frozenset(("references", "calls", "imports"))
"""Edges that stand somewhere in the text."""
_Fields = Mapping[str, object]


class NotCodegraph(ValueError):
    """The lines are no such export, or one of a version that is not known."""


def is_codegraph(first: bytes) -> bool:
    """Whether a line begins an export of this kind: its version is a number, that of graphls a text."""
    if b'"compiler_version"' not in first:
        return False
    try:
        fields = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(fields, dict) and isinstance(cast("_Fields", fields).get("compiler_version"), str)


def read_codegraph(lines: Iterable[bytes]) -> ExportedGraph:
    """The same graph in records of graphls. Raises NotCodegraph."""
    records = [_fields(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not records or records[0].get("record") != "header":
        raise NotCodegraph("the first line is no header")
    version = records[0].get("schema_version")
    if not isinstance(version, int) or not OLDEST <= version <= NEWEST:
        raise NotCodegraph(f"schema {version} is not known: {OLDEST} to {NEWEST} are")
    return ExportedGraph(list(_CodegraphReader(records).records()))


def _fields(number: int, line: bytes) -> _Fields:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotCodegraph(f"line {number} is no JSON") from error
    if not isinstance(found, dict) or not isinstance(cast("_Fields", found).get("record"), str):
        raise NotCodegraph(f"line {number} is no record")
    return cast("_Fields", found)


def _text(fields: _Fields, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


class _CodegraphReader:
    """One export on its way."""

    def __init__(self, records: list[_Fields]) -> None:
        self._header, self._facts = records[0], records[1:]
        self._root = _text(self._header, "root_path")
        self._nodes: dict[str, Node] = {}
        """By the ids of the export."""
        self._edges: dict[tuple[str, str, str], tuple[dict[tuple[str, Range], Site], set[str]]] = {}
        """Source, target, kind -> where it is seen, and how sure each place is."""
        self._files: dict[str, str] = {}
        """Path -> the id of the export."""
        self._others: list[Opaque] = []
        self._unresolved = 0

    def records(self) -> Iterator[Record]:
        for fields in self._facts:
            self._add_node(fields)
        for fields in self._facts:
            self._add_edges(fields)
        nodes = sorted(self._nodes.values(), key=_order)
        plain = [node for node in nodes if node.kind != "diagnostic"]
        problems = [node for node in nodes if node.kind == "diagnostic"]
        edges = sorted(self._made_edges(), key=lambda edge: (edge.source, edge.kind, edge.target, edge.id))
        yield self._head(Counts(len(plain), len(edges), len(problems), self._unresolved))
        yield from plain
        yield from edges
        yield from problems
        yield from self._others

    def _head(self, counts: Counts) -> Header:
        header = self._header
        version = _text(header, "compiler_version")
        languages = tuple(sorted({node.language for node in self._nodes.values() if node.language}))
        package = header.get("package")
        named = _text(cast("_Fields", package), "name") if isinstance(package, dict) else ""
        whole = json.dumps([header, *self._facts], sort_keys=True)
        return Header(
            schema_version=SCHEMA_VERSION,
            generator=Generator(f"{languages[0]} compiler" if languages else "compiler", version),
            mode="checked" if _text(header, "mode") == "strict" else "allow-errors",
            snapshot=format_id("s", digest_of(whole)),
            revision=None,
            workspace=WorkspaceName(named or basename(self._root.rstrip("/")) or "workspace", (named,) * bool(named)),
            position=PositionUnit("utf-32"),
            languages=languages,
            providers=tuple(ProviderName(one, "compiler", version, "") for one in languages),
            degraded=header.get("degraded") is True,
            counts=counts,
        )

    # ---- nodes

    def _add_node(self, fields: _Fields) -> None:
        record, id = _text(fields, "record"), _text(fields, "id")
        if record == "file":
            path = self._path(_text(fields, "path"))
            attributes = {"size": size} if isinstance(size := fields.get("size_bytes"), int) else {}
            self._files[path] = id
            self._keep(fields, Node(id, "file", name=basename(path), qualified_name=path, file=path), attributes)
        elif record == "module":
            parts = fields.get("module_path")
            words = cast("list[object]", parts) if isinstance(parts, list) else []
            dotted = ".".join(str(one) for one in words) or _text(fields, "name")
            self._keep(fields, Node(id, "module", name=_text(fields, "name"), qualified_name=dotted, module=dotted))
        elif record == "declaration":
            written = _text(fields, "kind")
            kind, subkind = _KINDS.get(written, ("declaration", written or None))
            node = Node(
                id,
                kind,
                subkind,
                name=_text(fields, "name"),
                qualified_name=_text(fields, "name"),
                signature=_text(fields, "signature") or None,
                visibility="public" if _text(fields, "visibility") == "public" else "internal",
                exported=_text(fields, "visibility") == "public",
            )
            self._keep(fields, node, {"declared_as": written})
        elif record == "diagnostic":
            about = {"severity": _text(fields, "severity"), "message": _text(fields, "message")}
            self._keep(fields, Node(id, "diagnostic", name=_text(fields, "code")), about)
        elif record not in ("import", "export", "reference", "call", "containment"):
            self._others.append(Opaque(cast("Mapping[str, Json]", fields)))

    def _keep(self, fields: _Fields, node: Node, attributes: Mapping[str, Json] | None = None) -> None:
        """Adds a node; fields that are not known go with it."""
        span = self._span(fields)
        unknown = (name for name, value in fields.items() if name not in _USED and value not in (None, []))
        more = {name: cast("Json", fields[name]) for name in unknown}
        module = self._nodes.get(_text(fields, "module_id"))
        file = self._nodes.get(_text(fields, "file_id"))
        made = attrs.evolve(
            node,
            id=format_id("n", digest_of("codegraph", node.id)),
            language=_text(fields, "language") or None,
            file=node.file or (span[0] if span is not None else file.file if file is not None else None),
            range=span[1] if span is not None else None,
            full_range=span[1] if span is not None else None,
            module=node.module or (module.qualified_name if module is not None else None),
            provenance=_CHECKED if _text(fields, "provenance") == "checked" else _UNCHECKED,
            attributes={**(attributes or {}), "codegraph_id": node.id, **more},
        )
        self._nodes.setdefault(node.id, made)

    def _outside(self, id: str, name: str) -> Node:
        """A node for an end that no record has."""
        known = self._nodes.get(id)
        if known is None:
            made = format_id("n", digest_of("codegraph", id))
            about: Mapping[str, Json] = {"codegraph_id": id}
            known = Node(made, "external", name=name, qualified_name=name, provenance="external", attributes=about)
            self._nodes[id] = known
        return known

    # ---- edges

    def _add_edges(self, fields: _Fields) -> None:
        record = _text(fields, "record")
        holder = _text(fields, "owner_id") or _text(fields, "module_id")
        if record == "containment":
            self._edge(fields, _text(fields, "parent_id"), _text(fields, "child_id"), "contains")
        elif record == "module":
            self._edge(fields, _text(fields, "file_id"), _text(fields, "id"), "contains")
        elif record == "export":
            self._edge(fields, holder, _text(fields, "source_id"), "exports")
        elif record == "import":
            path = _text(fields, "path")
            self._edge(fields, holder, f"outside:{path}", "imports", name=path)
        elif record in ("reference", "call"):
            name = _text(fields, "callee" if record == "call" else "name")
            if _text(fields, "target_id"):
                self._edge(fields, holder, _text(fields, "target_id"), f"{record}s", name=name)
            else:
                self._unresolved += 1
        elif record == "diagnostic":
            span = self._span(fields)
            about = self._files.get(span[0], "") if span is not None else ""
            self._edge(fields, _text(fields, "id"), about, "diagnoses")

    def _edge(self, fields: _Fields, source: str, target: str, kind: str, *, name: str = "") -> None:
        if not source or not target:
            return
        key = (self._outside(source, source).id, self._outside(target, name or target).id, kind)
        sites, tiers = self._edges.setdefault(key, ({}, set()))
        tiers.add(_CHECKED if _text(fields, "provenance") == "checked" else _UNCHECKED)
        span = self._span(fields) if kind in _SEEN else None
        if span is not None:
            sites[span] = Site(*span)

    def _made_edges(self) -> Iterator[Edge]:
        for (source, target, kind), (sites, tiers) in self._edges.items():
            yield Edge(
                id=format_id("e", digest_of(source, target, kind)),
                kind=kind,
                source=source,
                target=target,
                provenance=_UNCHECKED if _UNCHECKED in tiers else _CHECKED,
                sites=tuple(sites[span] for span in sorted(sites)[:_MOST_SITES]),
                site_count=len(sites),
            )

    # ---- places

    def _path(self, path: str) -> str:
        """Relative to the root, which may be a file."""
        root = dirname(self._root) if "." in basename(self._root) else self._root
        plain = path.replace("\\", "/")
        if isabs(plain) and isabs(root):
            plain = relpath(plain, root)
        return plain.removeprefix("./")

    def _span(self, fields: _Fields) -> tuple[str, Range] | None:
        found = fields.get("span") or fields.get("primary_span")
        if not isinstance(found, dict):
            return None
        span = cast("_Fields", found)
        numbers = [span.get(name) for name in ("start_line", "start_column", "end_line", "end_column")]
        if not all(isinstance(one, int) for one in numbers):
            return None
        first, left, last, right = (max(cast("int", one) - 1, 0) for one in numbers)
        return self._path(_text(span, "file")), (first, left, *max((last, right), (first, left)))


def _order(node: Node) -> tuple[str, tuple[int, ...], str, str]:
    return node.file or "", tuple(node.range[:2]) if node.range is not None else (-1, -1), node.kind, node.id
