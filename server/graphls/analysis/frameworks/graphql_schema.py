"""GraphQL schema: what all `.graphql` files and schemas in code declare, and which of it a name or a way means.

Owns: types, fields, arguments, values, directives and fragments by name; following a way from type to type.
Must not know: how a document is read, who asks.
Invariant: where configuration says which schema a file belongs to, no other counts. Else of several declarations of one
    name the one of the file itself counts, else those of the nearest folder; where two are left, a name means none. A
    file that has one schema around it never leads to another one, and a schema in a test counts there alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final, TypeVar

import attrs

from graphls.analysis.frameworks.document_entries import document_of, entry_nodes
from graphls.analysis.frameworks.embedded_graphql import embedded_graphql, files_with_graphql
from graphls.analysis.frameworks.graphql_projects import GraphqlProject, graphql_projects
from graphls.facts.cached_property import cached_property
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.graphql import CHOSEN, DIRECTIVE, FIELD, FRAGMENT, GIVEN, SCHEMA, TYPE, TYPES, VALUE, WAY
from graphls.languages.config.reading import format_of

_Entry = TypeVar("_Entry")
_ROOTS: Final[Mapping[str, str]] = {"query": "Query", "mutation": "Mutation", "subscription": "Subscription"}
"""Where operations begin when no schema says it."""
_FORMAT: Final = "graphql"
_SCHEMAS: Final = Memo["GraphqlSchema"]("schema of GraphQL", rests_on_links=False)
_ANY: Final = Memo[bool]("whether there is a schema of GraphQL", rests_on_links=False)


@attrs.frozen
class SchemaEntry:
    """A declaration, with the name of the type that it leads to. Of a fragment in code, the definition around it."""

    place: DerivedNode | SymbolRef
    leads: str = ""


@attrs.frozen(eq=False, slots=False)
class GraphqlSchema:
    """Declarations of GraphQL files."""

    types: Mapping[str, Sequence[SchemaEntry]]
    fragments: Mapping[str, Sequence[SchemaEntry]]
    inner: Mapping[str, Sequence[SchemaEntry]]
    """Fields, arguments and values with what they are of before their names, and directives. Of all three tables the
    entries of one name are in the order of their files."""
    roots: Sequence[FilePath]
    """Files that declare where queries begin, in order: each is of another schema."""
    projects: Sequence[GraphqlProject] = ()
    tests: Set[FilePath] = frozenset()
    """Files with schemas that count in themselves alone."""
    sources: Sequence[FilePath] = ()
    """Files of other formats that declare something, or say what belongs together."""
    _around: dict[str, str] = attrs.field(factory=dict[str, str])
    _of_file: dict[str, Sequence[GraphqlProject | None]] = attrs.field(
        factory=dict[str, "Sequence[GraphqlProject | None]"]
    )

    def named(self, kind: str, text: str, file: FilePath) -> DerivedNode | None:
        """What a name of a kind, or a way, means in a document that is a file, where that is one thing of a file."""
        found = self.places(kind, text, file)
        first = found[0] if len(found) == 1 else None
        return first if isinstance(first, DerivedNode) else None

    def places(self, kind: str, text: str, file: FilePath) -> Sequence[DerivedNode | SymbolRef]:
        """The same with each that it may mean: one for each schema that the file belongs to."""
        found = (self._in_project(kind, text, file, project) for project in self._projects(file))
        return tuple(dict.fromkeys(entry.place for entry in found if entry is not None))

    def fields(self, name: str, file: FilePath, *, folded: bool) -> Sequence[DerivedNode]:
        """The fields of the name `Type.field` that code in a file may answer; `folded`: however that is spelled."""
        names = self._spelled.get(folded_name(name), ()) if folded else (name,)
        found = (entry.place for one in names for entry in self._near(self.inner.get(one, ()), file))
        return [place for place in found if isinstance(place, DerivedNode) and place.subkind == FIELD]

    @cached_property
    def _spelled(self) -> Mapping[str, Sequence[str]]:
        """Names of fields where capitals and underscores do not count."""
        found: dict[str, list[str]] = {}
        for name in self.inner:
            if name.count(".") == 1:
                found.setdefault(folded_name(name), []).append(name)
        return found

    def _projects(self, file: FilePath) -> Sequence[GraphqlProject | None]:
        """Those that a file belongs to; None where configuration says nothing of it."""
        known = self._of_file.get(file)
        if known is None:
            found: dict[tuple[str, ...], GraphqlProject] = {}
            for project in self.projects:
                if project.has(file):
                    found.setdefault(project.schema, project)
            known = self._of_file[file] = tuple(found.values()) or (None,)
        return known

    def _in_project(self, kind: str, text: str, file: FilePath, project: GraphqlProject | None) -> SchemaEntry | None:
        if kind == WAY:
            return self._reached(text.split(" "), file, project)
        by_kind = {TYPE: self.types, FRAGMENT: self.fragments, DIRECTIVE: self.inner}
        return self._nearest(by_kind[kind].get(text, ()), file, project)

    def _reached(self, way: Sequence[str], file: FilePath, project: GraphqlProject | None) -> SchemaEntry | None:
        """The last step of a way. Each step asks for an argument of what the one before declares, or for something of
        the type that this leads to."""
        at = self._begin(way[0], file, project)
        entry: SchemaEntry | None = None
        for step in way[1:]:
            owner = at.node.name if step[0] == GIVEN and at.node is not None else at.leads
            entry = self._nearest(self.inner.get(f"{owner}.{step[1:]}", ()), file, project)
            node = None if entry is None else entry.place
            if entry is None or not isinstance(node, DerivedNode) or (step[0] == CHOSEN) != (node.subkind == VALUE):
                return None
            at = _WayEnd(entry.leads, node)
        return entry

    def _begin(self, first: str, file: FilePath, project: GraphqlProject | None) -> _WayEnd:
        holder, _, operation = first.partition(".")
        if holder == SCHEMA and operation:
            root = self._nearest(self.inner.get(first, ()), file, project)
            return _WayEnd(_ROOTS.get(operation, "") if root is None else root.leads)
        found = self._nearest(self.inner.get(first, ()), file, project) if first.startswith("@") else None
        node = None if found is None else found.place
        return _WayEnd(first, node if isinstance(node, DerivedNode) else None)

    def _nearest(
        self, found: Sequence[SchemaEntry], file: FilePath, project: GraphqlProject | None
    ) -> SchemaEntry | None:
        """The one declaration that a file means."""
        near = self._near(found, file, project)
        return near[0] if len(near) == 1 else None

    def _near(
        self, found: Sequence[SchemaEntry], file: FilePath, project: GraphqlProject | None = None
    ) -> Sequence[SchemaEntry]:
        """The declarations that are nearest to a file."""
        own = _below(found, file, _file_of)
        own = [entry for entry in own if entry.place.file == file]
        if own:
            return own
        found = self._visible(found, file)
        if project is not None:
            inside = [entry for entry in found if _belongs(entry, project)]
            if len(inside) < 2 or not isinstance(inside[0].place, SymbolRef):
                return inside
            found = inside
        folder, last = file.rpartition("/")[0], "" if project is not None else self._schema_around(file)
        while True:
            own = _below(found, f"{folder}/" if folder else "", _file_of)
            if own or folder == last:
                return own
            folder = folder.rpartition("/")[0]

    def _visible(self, found: Sequence[SchemaEntry], file: FilePath) -> Sequence[SchemaEntry]:
        """Without schemas that tests have for themselves."""
        if self.tests:
            found = [entry for entry in found if entry.place.file not in self.tests]
        if found and format_of(file) != _FORMAT and not is_test_file(file):
            return [entry for entry in found if not is_test_file(entry.place.file)]
        return found

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


def folded_name(name: str) -> str:
    """What is left of a name where capitals and underscores do not count."""
    return name.replace("_", "").casefold()


def graphql_schema(snapshot: Snapshot, watched: Snapshot | None = None) -> GraphqlSchema:
    """What all files declare. Who watches notes the files of code and configuration that it rests on."""
    schema = _SCHEMAS.once(snapshot, lambda: _gathered(snapshot))
    if watched is not None:
        for path in schema.sources:
            watched.shards.get(path)
    return schema


def has_graphql_schema(snapshot: Snapshot) -> bool:
    """Whether anything declares fields."""
    return _ANY.once(
        snapshot,
        lambda: (
            any(format_of(path) == _FORMAT for path in snapshot.shards)
            or any(embedded_graphql(snapshot, path).entries for path in sorted(files_with_graphql(snapshot)))
        ),
    )


def _gathered(snapshot: Snapshot) -> GraphqlSchema:
    types: dict[str, list[SchemaEntry]] = {}
    fragments: dict[str, list[SchemaEntry]] = {}
    inner: dict[str, list[SchemaEntry]] = {}
    made: list[tuple[DerivedNode, str]] = []
    variables: dict[str, set[str]] = {}
    inside = files_with_graphql(snapshot)
    files = sorted({path for path in snapshot.shards if format_of(path) == _FORMAT} | inside)
    tests: set[FilePath] = set()
    declaring: set[FilePath] = set()
    for path in files:
        if path in inside:
            embedded = embedded_graphql(snapshot, path)
            leads, nodes = embedded.leads, embedded.nodes
            if nodes:
                declaring.add(path)
            for held, name in embedded.made.variables.items():
                variables.setdefault(held, set()).add(name)
            made += [
                (node, leads[node.name, node.start]) for node in nodes if (node.name, node.start) in embedded.made_at
            ]
            nodes = [node for node in nodes if (node.name, node.start) not in embedded.made_at]
            for name, row in embedded.fragments:
                fragments.setdefault(name, []).append(SchemaEntry(SymbolRef(path, row)))
            if nodes and is_test_file(path):
                tests.add(path)
        else:
            leads = {(entry.name, entry.start): entry.leads for entry in document_of(snapshot, path).entries}
            nodes = entry_nodes(snapshot, path)
        for node in nodes:
            kind = node.subkind
            table = types if kind in TYPES else fragments if kind == FRAGMENT else inner
            if table is not inner or "." in node.name or kind == DIRECTIVE:
                entry = SchemaEntry(node, leads.get((node.name, node.start), ""))
                table.setdefault(node.name, []).append(entry)
    _add_made(made, variables, types, inner)
    begins = {"Query", *(entry.leads for entry in inner.get(f"{SCHEMA}.query", ()))}
    roots = sorted({entry.place.file for name in begins for entry in types.get(name, ())} - tests)
    projects = graphql_projects(snapshot)
    sources = sorted({one.config for one in projects} | (inside & declaring))
    return GraphqlSchema(types, fragments, inner, roots, projects, frozenset(tests), sources)


def _add_made(
    made: Sequence[tuple[DerivedNode, str]],
    variables: Mapping[str, Set[str]],
    types: dict[str, list[SchemaEntry]],
    inner: dict[str, list[SchemaEntry]],
) -> None:
    """Takes in what calls make, but for types that a document declares: that was made from the calls."""
    declared = frozenset(types)
    roots = "Query" in types or any(name.startswith(f"{SCHEMA}.") for name in inner)
    for node, leads in made:
        owner = node.name.partition(".")[0]
        if owner in declared or (owner == SCHEMA and roots):
            continue
        named = variables.get(leads, frozenset((leads,)))
        entry = SchemaEntry(node, min(named) if len(named) == 1 else "")
        table = inner if node.subkind == FIELD else types
        table.setdefault(node.name, []).append(entry)


def _belongs(entry: SchemaEntry, project: GraphqlProject) -> bool:
    """Whether a declaration is one of a project's: fragments are declared by its documents."""
    path, place = entry.place.file, entry.place
    fragment = isinstance(place, SymbolRef) or place.subkind == FRAGMENT
    return project.has(path) if fragment else project.has_schema(path)


def _below(found: Sequence[_Entry], prefix: str, file: Callable[[_Entry], str]) -> Sequence[_Entry]:
    """Those whose files begin with a prefix; they stand together."""
    return found[bisect_left(found, prefix, key=file) : bisect_left(found, f"{prefix}\U0010ffff", key=file)]


def _file_of(entry: SchemaEntry) -> str:
    return entry.place.file
