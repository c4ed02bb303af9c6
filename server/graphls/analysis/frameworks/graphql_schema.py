"""GraphQL schema: what all `.graphql` files of a workspace declare, and which of it a name or a way means.

Owns: types, fields, arguments, values, directives and fragments by name; following a way from type to type.
Must not know: how a document is read, who asks.
Invariant: of several declarations of one name the one of the file itself counts, else those of the nearest folder;
    where two are left, a name means none. A file that has one schema around it never leads to another one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import attrs

from graphls.analysis.frameworks.document_entries import document_of, entry_nodes
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot
from graphls.languages.config.graphql import CHOSEN, DIRECTIVE, FRAGMENT, GIVEN, SCHEMA, TYPE, TYPES, VALUE, WAY
from graphls.languages.config.reading import format_of

_Entry = TypeVar("_Entry")
_ROOTS: Final[Mapping[str, str]] = {"query": "Query", "mutation": "Mutation", "subscription": "Subscription"}
"""Where operations begin when no schema says it."""
_SCHEMAS: Final = Memo["GraphqlSchema"]("schema of GraphQL", rests_on_links=False)


@attrs.frozen
class SchemaEntry:
    """A declaration, with the name of the type that it leads to."""

    node: DerivedNode
    leads: str


@attrs.frozen(eq=False)
class GraphqlSchema:
    """Declarations of GraphQL files."""

    types: Mapping[str, Sequence[SchemaEntry]]
    fragments: Mapping[str, Sequence[SchemaEntry]]
    inner: Mapping[str, Sequence[SchemaEntry]]
    """Fields, arguments and values with what they are of before their names, and directives. Of all three tables the
    entries of one name are in the order of their files."""
    roots: Sequence[FilePath]
    """Files that declare where queries begin, in order: each is of another schema."""
    _around: dict[str, str] = attrs.field(factory=dict[str, str])

    def named(self, kind: str, text: str, file: FilePath) -> DerivedNode | None:
        """What a name of a kind, or a way, means in a file."""
        if kind == WAY:
            found = self._reached(text.split(" "), file)
        else:
            by_kind = {TYPE: self.types, FRAGMENT: self.fragments, DIRECTIVE: self.inner}
            found = self._nearest(by_kind[kind].get(text, ()), file)
        return None if found is None else found.node

    def _reached(self, way: Sequence[str], file: FilePath) -> SchemaEntry | None:
        """The last step of a way. Each step asks for an argument of what the one before declares, or for something of
        the type that this leads to."""
        at = self._begin(way[0], file)
        entry: SchemaEntry | None = None
        for step in way[1:]:
            owner = at.node.name if step[0] == GIVEN and at.node is not None else at.leads
            entry = self._nearest(self.inner.get(f"{owner}.{step[1:]}", ()), file)
            if entry is None or (step[0] == CHOSEN) != (entry.node.subkind == VALUE):
                return None
            at = _WayEnd(entry.leads, entry.node)
        return entry

    def _begin(self, first: str, file: FilePath) -> _WayEnd:
        holder, _, operation = first.partition(".")
        if holder == SCHEMA and operation:
            root = self._nearest(self.inner.get(first, ()), file)
            return _WayEnd(_ROOTS.get(operation, "") if root is None else root.leads)
        found = self._nearest(self.inner.get(first, ()), file) if first.startswith("@") else None
        return _WayEnd(first, None if found is None else found.node)

    def _nearest(self, found: Sequence[SchemaEntry], file: FilePath) -> SchemaEntry | None:
        """The one declaration that a file means."""
        own = [entry for entry in _below(found, file, _file_of) if entry.node.file == file]
        folder, last = file.rpartition("/")[0], self._schema_around(file)
        while not own:
            own = _below(found, f"{folder}/" if folder else "", _file_of)
            if folder == last:
                break
            folder = folder.rpartition("/")[0]
        return own[0] if len(own) == 1 else None

    def _schema_around(self, file: FilePath) -> str:
        """The largest folder around a file that has one schema; the top where those around it have none or several."""
        folder = file.rpartition("/")[0]
        known = self._around.get(folder)
        if known is None:
            at, schemas, known = folder, 0, ""
            while at and (count := len(_below(self.roots, f"{at}/", str))) <= 1:
                known, schemas = at, count
                at = at.rpartition("/")[0]
            if not schemas or (not at and len(self.roots) <= 1):
                known = ""
            self._around[folder] = known
        return known


@attrs.frozen
class _WayEnd:
    """How far a way has been followed."""

    leads: str
    node: DerivedNode | None = None


def graphql_schema(snapshot: Snapshot) -> GraphqlSchema:
    """What all files declare."""

    def gathered() -> GraphqlSchema:
        files = sorted(path for path in snapshot.shards if format_of(path) == "graphql")
        types: dict[str, list[SchemaEntry]] = {}
        fragments: dict[str, list[SchemaEntry]] = {}
        inner: dict[str, list[SchemaEntry]] = {}
        for path in files:
            leads = {(entry.name, entry.start): entry.leads for entry in document_of(snapshot, path).entries}
            for node in entry_nodes(snapshot, path):
                kind = node.subkind
                table = types if kind in TYPES else fragments if kind == FRAGMENT else inner
                if table is not inner or "." in node.name or kind == DIRECTIVE:
                    entry = SchemaEntry(node, leads.get((node.name, node.start), ""))
                    table.setdefault(node.name, []).append(entry)
        begins = {"Query", *(entry.leads for entry in inner.get(f"{SCHEMA}.query", ()))}
        roots = sorted({entry.node.file for name in begins for entry in types.get(name, ())})
        return GraphqlSchema(types, fragments, inner, roots)

    return _SCHEMAS.once(snapshot, gathered)


def _below(found: Sequence[_Entry], prefix: str, file: Callable[[_Entry], str]) -> Sequence[_Entry]:
    """Those whose files begin with a prefix; they stand together."""
    return found[bisect_left(found, prefix, key=file) : bisect_left(found, f"{prefix}\U0010ffff", key=file)]


def _file_of(entry: SchemaEntry) -> str:
    return entry.node.file
