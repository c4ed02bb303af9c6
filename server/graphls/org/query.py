"""Query: questions to the tables of an organisation.

Owns: who uses a name, which version of a package is wanted where, what a removal reaches, SQL of the user.
Must not know: how tables came about, words for people.
Invariant: an answer counts what may be missing from it; a name that nobody offers is not "0 users".
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, cast
from urllib.parse import unquote

import attrs

from graphls.graph.edge_records import MAX_SITES
from graphls.graph.packages import normal_name
from graphls.org.objects import CATALOGUE, OrgStore, table_object
from graphls.org.offers import quoted
from graphls.tables.columns import Cell
from graphls.tables.duckdb_file import DuckConnection, duckdb_in

TABLES: Final = ("nodes", "edges", "sites", "decorators", "header", "offers", "uses", "crossings")
NEEDED: Final[Mapping[str, Sequence[str]]] = {
    "users": ("offers", "uses", "crossings"),
    "removal": ("nodes", "edges", "offers", "crossings"),
    "versions": (),
}
"""The tables that each question reads; SQL may read all."""
_MEMORY_MB: Final = 2_000
_FOLLOWED: Final = (
    "('calls', 'instantiates', 'references', 'extends', 'implements', 'overrides', 'decorates', 'type_ref', "
    "'accesses', 'renders')"
)
_IMPORTS: Final = "('imports', 'aliases', 'exports')"

_MEANT: Final = """
CREATE TABLE meant AS
WITH RECURSIVE named(name) AS (
  SELECT ?
  UNION
  SELECT leads_to FROM named JOIN offers USING (name) WHERE leads_to IS NOT NULL
)
SELECT DISTINCT repository, node, module || ':' || qualified_name AS symbol, kind FROM offers
WHERE name IN (SELECT name FROM named) AND node IS NOT NULL
"""
_USERS: Final = f"""
-- One name may be several declarations, in the arms of a condition.
SELECT DISTINCT crossings.repository, file, start_line + 1 AS line, crossings.kind,
  source_module || ':' || source_name AS source, crossings.name,
  wanted, version, declared, crossings.ambiguous, confidence, via
FROM crossings JOIN meant ON meant.repository = crossings.provider AND meant.node = crossings.node
WHERE level IN ('symbol', 'exported_name') AND crossings.kind NOT IN {_IMPORTS}
ORDER BY ALL
"""
_UNLISTED: Final = f"""
SELECT coalesce(sum(site_count - {MAX_SITES}), 0) FROM (
  SELECT DISTINCT crossings.repository, source, crossings.name, crossings.kind, site_count
  FROM crossings JOIN meant ON meant.repository = crossings.provider AND meant.node = crossings.node
  WHERE level IN ('symbol', 'exported_name') AND crossings.kind NOT IN {_IMPORTS} AND site_count > {MAX_SITES}
)
"""
_UNOFFERED: Final = f"""
SELECT repository, file, start_line + 1 AS line, kind, source_module || ':' || source_name AS source, name,
  NULL AS wanted, NULL AS version, false AS declared, ambiguous, confidence, '' AS via
FROM uses WHERE name = ? AND kind NOT IN {_IMPORTS} ORDER BY ALL
"""
_REMOVAL: Final = f"""
WITH RECURSIVE gone AS (
  SELECT meant.repository, nodes.id AS node FROM meant JOIN nodes ON nodes.repository = meant.repository
  JOIN nodes AS top ON top.repository = meant.repository AND top.id = meant.node
  WHERE nodes.module = top.module
    AND (nodes.id = top.id OR starts_with(nodes.qualified_name, top.qualified_name || '.'))
), links AS (
  SELECT repository, source, repository AS at, target, ambiguous FROM edges WHERE kind IN {_FOLLOWED}
  UNION ALL
  SELECT repository, source, provider, node, ambiguous FROM crossings
  WHERE level IN ('symbol', 'exported_name') AND kind IN {_FOLLOWED}
), modules AS (
  -- What a module as a whole uses, its import lines among it, is met; who uses the module is another question.
  SELECT repository, id FROM nodes WHERE kind IN ('module', 'file')
), reached(repository, node, depth) AS (
  SELECT repository, node, 0 FROM gone
  UNION
  SELECT links.repository, links.source, reached.depth + 1
  FROM reached JOIN links ON links.at = reached.repository AND links.target = reached.node
  WHERE reached.depth < ? AND (reached.repository, reached.node) NOT IN (SELECT repository, id FROM modules)
)
SELECT reached.repository, nodes.file, nodes.start_line + 1 AS line, nodes.kind,
  nodes.module || ':' || nodes.qualified_name AS symbol, min(depth) AS depth
FROM reached JOIN nodes ON nodes.repository = reached.repository AND nodes.id = reached.node
WHERE nodes.kind <> 'import'
GROUP BY ALL HAVING min(depth) > 0 ORDER BY depth, reached.repository, file, line, symbol
"""


class OrgQueryRefused(ValueError):
    """The question cannot be asked. The text is fit for users."""


@attrs.frozen
class OrgAnswer:
    """Rows with names of their columns. `total`: rows before the limit. `offered`: the repositories that offer what was
    asked about, as `repository symbol`. `unresolved`: uses in all repositories that no rule resolves; each may be one
    more. `left_out`: files that are in no table. `unlisted`: uses whose lines are in no table, since a symbol uses the
    name more often than a record lists."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int
    offered: tuple[str, ...]
    repositories: int
    unresolved: int
    left_out: int
    unlisted: int = 0


@attrs.frozen(eq=False)
class OrgTables:
    """The tables, and what the catalogue says of each repository."""

    connection: DuckConnection
    catalogue: Mapping[str, Mapping[str, object]]

    def users(self, name: str, limit: int) -> OrgAnswer:
        """Who uses a public name, by place; where nobody offers it, who uses a name outside that is called so."""
        offered = self._meant(name)
        self.connection.execute(_USERS if offered else _UNOFFERED, [] if offered else [name])
        found = self._answer(limit, offered)
        self.connection.execute(_UNLISTED)
        (unlisted,) = self.connection.fetchall()[0] if offered else (0,)
        return attrs.evolve(found, unlisted=int(unlisted or 0))

    def removal(self, name: str, depth: int, limit: int) -> OrgAnswer:
        """What the removal of a public name, with its members, reaches in all repositories. Raises OrgQueryRefused."""
        offered = self._meant(name)
        if not offered:
            raise OrgQueryRefused(
                f"No repository offers {name!r}. Give a name as others import it, such as click.option."
            )
        self.connection.execute(_REMOVAL, [depth])
        return self._answer(limit, offered)

    def versions(self, package: str, limit: int) -> OrgAnswer:
        """Which version of a package each repository wants, and which ones are here."""
        wanted = normal_name(package)
        here = [
            (f"{name} {said[1] or '(no version)'}")
            for name, one in self.catalogue.items()
            for said in _rows(one, "packages")
            if said[0] == wanted
        ]
        rows = [
            (name, " ".join(said[1:]) or "any")
            for name, one in self.catalogue.items()
            for said in _rows(one, "requires")
            if said[0] == wanted
        ]
        return self._envelope(("repository", "wanted"), sorted(rows), limit, tuple(here))

    def sql(self, statement: str, values: Mapping[str, str], limit: int, seconds: float) -> OrgAnswer:
        """The rows of a SELECT of the user's, which can read the tables and nothing else. Raises OrgQueryRefused."""
        timer = threading.Timer(seconds, self.connection.interrupt)
        timer.start()
        try:
            text = statement.strip().rstrip(";")
            # In brackets nothing but a question can stand.
            self.connection.execute(
                f"SELECT * FROM (\n{text}\n) LIMIT {limit + 1}", cast("Sequence[object]", dict(values))
            )
            return self._answer(limit, ())
        finally:
            timer.cancel()

    def _meant(self, name: str) -> tuple[str, ...]:
        self.connection.execute("DROP TABLE IF EXISTS meant")
        self.connection.execute(_MEANT, [name])
        self.connection.execute("SELECT repository, symbol FROM meant ORDER BY ALL")
        return tuple(f"{repository} {symbol}" for repository, symbol in self.connection.fetchall())

    def _answer(self, limit: int, offered: tuple[str, ...]) -> OrgAnswer:
        columns = tuple(str(column[0]) for column in self.connection.description)
        return self._envelope(columns, self.connection.fetchall(), limit, offered)

    def _envelope(
        self, columns: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], limit: int, offered: tuple[str, ...]
    ) -> OrgAnswer:
        unresolved = sum(cast("int", one.get("unresolved") or 0) for one in self.catalogue.values())
        left_out = sum(len(cast("list[str]", one.get("problems") or [])) for one in self.catalogue.values())
        return OrgAnswer(columns, tuple(rows[:limit]), len(rows), offered, len(self.catalogue), unresolved, left_out)


@contextmanager
def opened_tables(store: OrgStore, needed: Sequence[str] = TABLES) -> Generator[OrgTables]:
    """These tables of a store: of a folder where they are, of another store as copies. Raises OrgQueryRefused,
    RemoteError, LibraryMissing."""
    held = store.state(CATALOGUE)
    catalogue = cast("Mapping[str, Mapping[str, object]]", held.get("repositories") or {})
    if not catalogue:
        raise OrgQueryRefused(f"There is no catalogue in {store.url}. Make one: graphls org index SOURCES --store URL.")
    with tempfile.TemporaryDirectory(prefix="graphls-org-") as scratch:
        folder = _folder(store.url) or _copied(store, catalogue, scratch, needed)
        try:
            with duckdb_in(scratch, threads=os.cpu_count() or 1, memory_mb=_MEMORY_MB) as connection:
                for table in needed:
                    paths = [os.path.join(folder, table_object(table, name)) for name in catalogue]
                    listed = ", ".join(quoted(path) for path in paths if os.path.isfile(path))
                    connection.execute(
                        f'CREATE VIEW {table} AS SELECT * EXCLUDE ("table") '
                        f"FROM read_parquet([{listed}], hive_partitioning = true, hive_types_autocast = false)"
                    )
                connection.execute(f"SET allowed_directories = [{quoted(folder)}, {quoted(scratch)}]")
                connection.execute("SET enable_external_access = false")
                connection.execute("SET lock_configuration = true")
                yield OrgTables(connection, catalogue)
        except ValueError as error:
            raise OrgQueryRefused(str(error)) from error


def _folder(url: str) -> str:
    return unquote(url.removeprefix("file://")) if url.startswith("file://") else ""


def _copied(store: OrgStore, catalogue: Mapping[str, object], folder: str, needed: Sequence[str]) -> str:
    for table in needed:
        for name in catalogue:
            data = store.read(table_object(table, name))
            path = os.path.join(folder, table_object(table, name))
            if data is not None:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
    return folder


def _rows(one: Mapping[str, object], key: str) -> Sequence[Sequence[str]]:
    return cast("Sequence[Sequence[str]]", one.get(key) or ())
