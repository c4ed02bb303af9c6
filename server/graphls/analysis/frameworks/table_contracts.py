"""Table contracts: edges between code and the tables of a database that it names.

Owns: which tables, models and columns statements in code and models mean, in both directions.
Must not know: what a statement or a model is, any particular library.
Invariant: an edge rests on a declaration on both sides: statements of SQL files, models, or statements in code that
    create a table where neither of these does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from graphls.analysis.frameworks.code_migrations import code_migration
from graphls.analysis.frameworks.code_signs import CodeMarks, CodeSigns, code_marks, code_signs, files_marked, is_schema
from graphls.analysis.frameworks.declared_nodes import ContractUse, FileDerivation, edges_by_site
from graphls.analysis.frameworks.document_entries import entry_nodes
from graphls.analysis.frameworks.model_clients import MODEL, model_names
from graphls.analysis.frameworks.nesting import Nesting
from graphls.analysis.frameworks.query_chains import given_columns
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.sql_strings import SqlName, sql_names
from graphls.analysis.frameworks.sql_tables import named_alike, sql_tables
from graphls.analysis.frameworks.table_models import TABLE, applicable_models, plural_name, snake_name, table_models
from graphls.facts.paths import FilePath, nearest, shared_folders
from graphls.graph.derivation import DERIVED, DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.databases import COLUMN, EMBEDDED

_MAPPED: Final = "table"
"""The attribute `via` of edges from models to what they stand for."""
_CREATED: Final = "sql.create"
"""The rule of statements in code that create a table."""
_CLIENT: Final = "client"
"""The rule of members of generated clients."""
_CHANGED: Final = "migration"
"""The rule of names that a migration in code changes."""
_KINDS: Final = (TABLE, MODEL)
_MOST: Final = 8
"""Models of one table; a name that more have says nothing."""
_UNSURE: Final = 0.5
_BY_RULE: Final = 0.9
"""Of a table that a library names after a class."""
_MARKS: Final = CodeMarks.TABLES | CodeMarks.CLIENTS | CodeMarks.MIGRATIONS
_Meant: TypeAlias = "Mapping[DerivedNode | SymbolRef, tuple[float, bool]]"
"""What a use means, how sure that is, and whether it is a guess among several databases."""


def table_uses(file: FileRules, *, clients: bool) -> Iterator[ContractUse]:
    """Tables and columns that one file names, and those that it declares; with `clients` also models of schemas."""
    data, table = file.code.data, file.facts.definitions
    bodies = (row for row, body in enumerate(table.body) if body >= 0)
    owners = Nesting((table.full_start[row], table.full_end[row], row) for row in bodies)
    yield from table_models(file, applicable_models(file.path, data))
    for one in sql_names(file.path, data):
        source = SymbolRef(file.path, owners.around(one.start))
        if one.declares:
            if one.kind == TABLE:
                yield ContractUse(TABLE, one.text, source, one.start, one.end, 1.0, serves=True, rule=_CREATED)
        else:
            yield ContractUse(TABLE, _spelled(one), source, one.start, one.end, 1.0, rule=EMBEDDED)
    for given in given_columns(file.path, data, members=False):
        source = SymbolRef(file.path, owners.around(given.start))
        name, sure = given.holder, 1.0
        if given.model >= 0:
            name, sure = plural_name(snake_name(name)), _BY_RULE
        if given.text:
            # A condition may name what a column is the key of.
            columns = (given.text, f"{given.text}_id") if given.model >= 0 else (given.text,)
            name = " ".join(f"{name}:{column}" for column in columns)
        yield ContractUse(TABLE, name, source, given.start, given.end, sure, rule=EMBEDDED)
    for one in model_names(data) if clients else ():
        source = SymbolRef(file.path, owners.around(one.start))
        yield ContractUse(MODEL, one.text, source, one.start, one.end, one.confidence, rule=_CLIENT)


def changed_tables(file: FileRules) -> Iterator[ContractUse]:
    """Tables and columns that the migrations of one file change."""
    table = file.facts.definitions
    bodies = (row for row, body in enumerate(table.body) if body >= 0)
    owners = Nesting((table.full_start[row], table.full_end[row], row) for row in bodies)
    for one in code_migration(file.snapshot, file.path).touched:
        source = SymbolRef(file.path, owners.around(one.start))
        yield ContractUse(TABLE, one.text, source, one.start, one.end, 1.0, rule=_CHANGED)


def _spelled(one: SqlName) -> str:
    return one.text if one.kind == TABLE else " ".join(f"{holder}:{one.text}" for holder in one.holders)


class TableContracts:
    """The edges of one snapshot."""

    def __init__(self, snapshot: Snapshot, derived: Callable[[FilePath], FileDerivation]) -> None:
        self._snapshot = snapshot
        self._derived = derived
        self._signs: Mapping[FilePath, CodeSigns] | None = None
        self._declared_as: dict[tuple[str, bool], Sequence[ContractUse]] = {}
        self._serving_in: dict[FilePath, Mapping[tuple[str, bool], Sequence[ContractUse]]] = {}
        self._fitting_to: dict[tuple[str, bool], Sequence[ContractUse]] = {}
        self._nearest_to: dict[tuple[FilePath, str, bool], _Meant] = {}
        self._schemas: Mapping[str, Sequence[DerivedNode]] | None = None
        self._uses: dict[tuple[str, str], Sequence[ContractUse]] = {}
        self._edges: dict[ContractUse, Sequence[RawEdge]] = {}

    def edges_from(self, path: FilePath) -> Sequence[RawEdge]:
        """Edges whose source is in one file."""
        return edges_by_site(edge for use in self._of_file(path) for edge in self._of(use))

    def edges_to(self, place: SymbolRef | DerivedNode) -> Sequence[RawEdge]:
        """Edges that end at one place."""
        names = dict.fromkeys(self._names(place))
        uses = dict.fromkeys(
            use for name in names for use in self._uses_of(name, entry=not isinstance(place, SymbolRef))
        )
        return edges_by_site(edge for use in uses for edge in self._of(use) if edge.target == place)

    def _names(self, place: SymbolRef | DerivedNode) -> Iterator[str]:
        """Under which names code may mean a place."""
        if isinstance(place, SymbolRef):
            for use in self._of_file(place.file):
                if use.serves and use.source == place:
                    yield from use.name.split(" ")
        elif place.in_document and place.subkind == "column":
            holder, _, column = place.name.rpartition(".")
            yield f"{holder}:{column}"
        elif place.in_document and (place.subkind in ("table", "view") or _is_in_schema(place)):
            yield place.name

    def _uses_of(self, name: str, *, entry: bool) -> Sequence[ContractUse]:
        """Uses that may mean a name: statements, and where it is an entry of a document, models."""
        table = _table(name) if entry else ""
        key = _last(name), table
        known = self._uses.get(key)
        if known is None:
            files = [
                path
                for path, signs in self._all_signs().items()
                if key[0] in signs.words or (entry and signs.may_declare(table))
            ]
            found = (use for path in files for use in self._of_file(path))
            known = tuple(use for use in found if key[0] in map(_last, use.name.split(" ")))
            self._uses[key] = known
        return known

    def _of_file(self, path: FilePath) -> Iterator[ContractUse]:
        if path in self._snapshot.shards and code_marks(self._snapshot, path) & _MARKS:
            yield from (use for use in self._derived(path).uses if use.kind in _KINDS)

    def _all_signs(self) -> Mapping[FilePath, CodeSigns]:
        """Of the files that may name or declare tables."""
        if self._signs is None:
            snapshot = self._snapshot
            self._signs = {path: code_signs(snapshot, path) for path in files_marked(snapshot, _MARKS)}
        return self._signs

    def _declared(self, name: str, *, created: bool) -> Sequence[ContractUse]:
        """Models of a name, or statements that create it."""
        key = _key(name), created
        known = self._declared_as.get(key)
        if known is None:
            table = _table(name)
            files = [path for path, signs in self._all_signs().items() if signs.may_declare(table)]
            known = tuple(use for path in files for use in self._serving(path).get(key, ()))
            self._declared_as[key] = known
        return known

    def _serving(self, path: FilePath) -> Mapping[tuple[str, bool], Sequence[ContractUse]]:
        """Declarations of one file by the names they are found by, and whether they are statements that create."""
        known = self._serving_in.get(path)
        if known is None:
            found: dict[tuple[str, bool], list[ContractUse]] = {}
            for use in self._of_file(path):
                for key in dict.fromkeys(map(_key, use.name.split(" "))) if use.serves else ():
                    found.setdefault((key, use.rule == _CREATED), []).append(use)
            known = self._serving_in[path] = found
        return known

    def _nearest(self, path: FilePath, name: str, *, created: bool) -> _Meant:
        """Of several declarations of a name those whose folder is nearest: a table may have more than one model."""
        asked = path, name, created
        known = self._nearest_to.get(asked)
        if known is None:
            known = self._nearest_to[asked] = _nearest_of(path, self._fitting(name, created=created))
        return known

    def _fitting(self, name: str, *, created: bool) -> Sequence[ContractUse]:
        """All declarations of a name. Tests of a library declare the same few tables thousands of times."""
        known = self._fitting_to.get((name, created))
        if known is None:
            wanted = name.casefold().partition(":")[0].split(".")
            known = tuple(one for one in self._declared(name, created=created) if _fits(one.name, wanted))
            self._fitting_to[name, created] = known
        return known

    def _of(self, use: ContractUse) -> Sequence[RawEdge]:
        known = self._edges.get(use)
        if known is None:
            known = self._edges[use] = tuple(self._made(use))
        return known

    def _made(self, use: ContractUse) -> Iterator[RawEdge]:
        for place, (confidence, unsure) in self._meant(use).items():
            if place == use.source:
                continue
            yield RawEdge(
                source=use.source,
                target=place,
                kind="references",
                provenance=DERIVED,
                resolution="name",
                confidence=round(use.confidence * confidence * (_UNSURE if unsure else 1.0), 4),
                ambiguous=unsure,
                sites=((use.source.file, use.start, use.end),),
                attributes={"via": EMBEDDED} if use.rule == EMBEDDED else {"via": _MAPPED, "rule": use.rule},
            )

    def _meant(self, use: ContractUse) -> _Meant:
        """What the first of the names means that is declared anywhere."""
        here, tables = use.source.file, sql_tables(self._snapshot)
        if use.kind == MODEL:
            return self._schema_entry(use)
        for name in use.name.split(" ") if use.rule != _CREATED else ():
            holder, colon, column = name.partition(":")
            full = f"{holder}.{column}" if colon else holder
            nodes, unsure = tables.current(full, here, column=bool(colon))
            if use.rule == _CHANGED:
                before = tables.before(COLUMN if colon else TABLE, full, (here, use.start))
                nodes, unsure = (() if before is None else (before,)), False
            found: dict[DerivedNode | SymbolRef, tuple[float, bool]] = dict.fromkeys(nodes, (1.0, unsure))
            if not use.serves:
                found |= self._nearest(here, name, created=False)
                if not found and not colon:
                    found |= self._nearest(here, name, created=True)
            if found:
                return found
            if colon and not tables.current(holder, here, column=False)[0]:
                return {}  # nobody knows all columns of this table: the name may be one of them
        return {}

    def _schema_entry(self, use: ContractUse) -> _Meant:
        """The model of the nearest schema: a client spells its first letter small."""
        wanted = (use.name, use.name[:1].upper() + use.name[1:])
        found = [node for name in dict.fromkeys(wanted) for node in self._in_schemas().get(name, ())]
        best = nearest(use.source.file, found, lambda node: node.file)
        return {node: (1.0, len(best) > 1) for node in best} if len(best) <= _MOST else {}

    def _in_schemas(self) -> Mapping[str, Sequence[DerivedNode]]:
        """What schemas declare beside fields and values."""
        if self._schemas is None:
            found: dict[str, list[DerivedNode]] = {}
            for path in self._snapshot.shards:
                for node in entry_nodes(self._snapshot, path) if is_schema(path) else ():
                    if _is_in_schema(node):
                        found.setdefault(node.name, []).append(node)
            self._schemas = found
        return self._schemas


def _is_in_schema(node: DerivedNode) -> bool:
    """Whether an entry is one that a client offers."""
    return "." not in node.name and is_schema(node.file)


def _nearest_of(path: FilePath, fitting: Sequence[ContractUse]) -> _Meant:
    if not fitting:
        return {}
    found = nearest(path, fitting, lambda one: one.source.file)
    unsure = (
        shared_folders(found[0].source.file, path) == 0 and len({one.source.file.split("/")[0] for one in found}) > 1
    )
    return {one.source: (one.confidence, unsure) for one in found} if len(found) <= _MOST else {}


def _fits(names: str, wanted: Sequence[str]) -> bool:
    tables = (name.partition(":")[0].split(".") for name in names.casefold().split(" "))
    return any(named_alike(table, wanted) for table in tables)


def _key(name: str) -> str:
    """Of a table its last part, of a column with that of its table before it."""
    holder, colon, column = name.casefold().partition(":")
    return f"{holder.rpartition('.')[2]}{colon}{column}"


def _table(name: str) -> str:
    """The last part of the name of the table."""
    return name.casefold().partition(":")[0].rpartition(".")[2]


def _last(name: str) -> str:
    """What every name of a thing has in common."""
    holder, colon, column = name.casefold().partition(":")
    return column if colon else holder.rpartition(".")[2]
