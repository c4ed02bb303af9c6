"""Offers: the names under which other repositories can use what one has, and the names that it uses of others.

Owns: the tables `offers` and `uses`, made from records; what the catalogue says of one repository.
Must not know: other repositories, where tables go.
Invariant: a name is offered if importing it in another repository gives the node, by imports and classes of this one.

Python: `module.name` for every declaration, and for what an import binds in a module, wherever that leads, also by
`import *` of its own modules; members of classes under each name of the class, inherited ones too. A name that leads
out of the repository is offered with `leads_to`. For other languages what a module exports, by its last name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from graphls.graph.nodes import is_test_file
from graphls.graph.packages import merged_requirements, normal_name
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import providers
from graphls.tables.duckdb_file import DuckConnection, duckdb_in

PIP: Final = "pip"
"""The installer of the language whose modules and members are all one dotted name."""
_DEPTH: Final = 12
"""Imports of imports, and bases of bases, that are followed."""

_VIEWS: Final = """
CREATE VIEW nodes AS SELECT * FROM read_parquet('{folder}/nodes.parquet');
CREATE VIEW edges AS SELECT * FROM read_parquet('{folder}/edges.parquet');
CREATE VIEW sites AS SELECT * FROM read_parquet('{folder}/sites.parquet');
CREATE TABLE offered(module TEXT);
CREATE TABLE listed(module TEXT, name TEXT);
"""
_OFFERS: Final = f"""
CREATE TABLE outside AS SELECT id, qualified_name AS name FROM nodes WHERE kind IN ('external', 'stdlib_item');
CREATE TABLE own AS
  SELECT id, kind, subkind, module, qualified_name, language, exported FROM nodes
  WHERE module IS NOT NULL AND language IS NOT NULL
    AND kind IN ('module', 'declaration', 'callable', 'method', 'field', 'enum_variant', 'import', 'api_member',
                 'trait_requirement');
CREATE TABLE passed AS
  WITH RECURSIVE alias(id, target, depth) AS (
    SELECT own.id, edges.target, 1 FROM own JOIN edges ON edges.source = own.id AND edges.kind = 'aliases'
    UNION
    SELECT alias.id, edges.target, alias.depth + 1 FROM alias
    JOIN edges ON edges.source = alias.target AND edges.kind = 'aliases' WHERE alias.depth < {_DEPTH}
  )
  SELECT DISTINCT id, target FROM alias;
CREATE TABLE inside AS SELECT own.* FROM own JOIN offered USING (module)
  WHERE kind <> 'import' AND own.id NOT IN (SELECT id FROM passed);
CREATE TABLE bound AS
  SELECT DISTINCT own.module || '.' || own.qualified_name AS name, own.qualified_name AS last, passed.target,
    own.language, own.exported
  FROM passed JOIN own USING (id) JOIN offered ON offered.module = own.module;
CREATE TABLE stars AS
  SELECT DISTINCT own.module, target.module AS target, nodes.start_line AS line
  FROM own JOIN nodes USING (id) JOIN sites ON sites.file = nodes.file AND sites.start_line = nodes.start_line
  JOIN edges ON edges.id = sites.edge AND edges.kind = 'imports'
  JOIN nodes AS target ON target.id = edges.target AND target.kind = 'module'
  WHERE own.kind = 'import' AND own.language = 'python' AND json_contains(nodes.modifiers, '"star"');
CREATE TABLE top AS
  SELECT module, qualified_name AS name, id AS target FROM own
  WHERE language = 'python' AND kind NOT IN ('module', 'import') AND NOT contains(qualified_name, '.')
    AND id NOT IN (SELECT id FROM passed)
  UNION
  SELECT own.module, own.qualified_name, passed.target FROM passed JOIN own USING (id)
  WHERE own.language = 'python' AND NOT contains(own.qualified_name, '.');
CREATE TABLE starred AS
  WITH RECURSIVE closed AS (
    SELECT DISTINCT module FROM listed
  ), shown(module, name, target, line) AS (
    SELECT stars.module, top.name, top.target, stars.line FROM stars JOIN top ON top.module = stars.target
    WHERE CASE WHEN top.module IN (FROM closed) THEN (top.module, top.name) IN (FROM listed)
      ELSE NOT starts_with(top.name, '_') END
    UNION
    SELECT stars.module, shown.name, shown.target, stars.line FROM stars JOIN shown ON shown.module = stars.target
    WHERE CASE WHEN shown.module IN (FROM closed) THEN (shown.module, shown.name) IN (FROM listed)
      ELSE NOT starts_with(shown.name, '_') END
  )
  SELECT module, name, target FROM shown WHERE (module, name) NOT IN (SELECT module, name FROM top)
  -- Of two the later one hides the earlier.
  QUALIFY line = max(line) OVER (PARTITION BY module, name);
INSERT INTO bound
  SELECT module || '.' || name, name, target, 'python', false FROM starred JOIN offered USING (module);
CREATE TABLE members AS
  WITH RECURSIVE above(class, base, depth) AS (
    SELECT id, id, 0 FROM inside WHERE subkind IN ('class', 'interface', 'enum', 'protocol')
    UNION
    SELECT above.class, edges.target, above.depth + 1 FROM above
    JOIN edges ON edges.source = above.base AND edges.kind = 'extends' WHERE above.depth < {_DEPTH}
  ), named AS (
    SELECT above.class, above.depth, inside.id, substr(inside.qualified_name, length(base.qualified_name) + 2) AS rest
    FROM above JOIN own AS base ON base.id = above.base
    JOIN inside ON inside.module = base.module AND inside.language = 'python'
      AND starts_with(inside.qualified_name, base.qualified_name || '.')
  )
  SELECT class, rest, arg_min(id, (depth, id)) AS id FROM named GROUP BY class, rest;
CREATE TABLE direct AS
  SELECT CASE kind WHEN 'module' THEN module ELSE module || '.' || qualified_name END AS name, id AS node
  FROM inside WHERE language = 'python';
CREATE TABLE offers AS
  WITH names AS (
    SELECT name, node, NULL AS leads_to FROM direct
    UNION SELECT direct.name || '.' || members.rest, members.id, NULL FROM direct
      JOIN members ON members.class = direct.node
    UNION SELECT bound.name, bound.target, NULL FROM bound JOIN inside ON inside.id = bound.target
      WHERE bound.language = 'python'
    UNION SELECT bound.name || '.' || members.rest, members.id, NULL FROM bound
      JOIN members ON members.class = bound.target WHERE bound.language = 'python'
    UNION SELECT bound.name, NULL, outside.name FROM bound JOIN outside ON outside.id = bound.target
      WHERE bound.language = 'python'
  )
  SELECT names.name, names.node, names.leads_to, 'python' AS language, inside.kind, inside.subkind,
    inside.module, inside.qualified_name, coalesce(inside.exported, false) AS exported
  FROM names LEFT JOIN inside ON inside.id = names.node
  UNION
  SELECT qualified_name, id, NULL, language, kind, subkind, module, qualified_name, exported
  FROM inside WHERE language <> 'python' AND kind <> 'module' AND exported
  UNION
  SELECT bound.last, inside.id, NULL, inside.language, kind, subkind, module, qualified_name, true
  FROM bound JOIN inside ON inside.id = bound.target WHERE bound.language <> 'python' AND bound.exported;
"""
_USES: Final = """
CREATE TABLE uses AS
  SELECT outside.name, edges.kind, edges.source, source.qualified_name AS source_name, source.module AS source_module,
    source.language, edges.resolution, edges.confidence, edges.ambiguous, edges.site_count,
    sites.file, sites.start_line, sites.start_column
  FROM edges JOIN outside ON outside.id = edges.target JOIN nodes AS source ON source.id = edges.source
  LEFT JOIN sites ON sites.edge = edges.id
  WHERE edges.kind NOT IN ('requires', 'contains') AND source.language IS NOT NULL;
"""


def write_join_tables(folder: str, snapshot: Snapshot) -> None:
    """Makes `offers.parquet` and `uses.parquet` beside the tables of records. Raises ValueError, LibraryMissing."""
    with duckdb_in(folder) as connection:
        connection.execute(_VIEWS.format(folder=folder.replace("'", "''")))
        for module in sorted(set(_offered(snapshot))):
            connection.execute("INSERT INTO offered VALUES (?)", [module])
        for module, name in sorted(set(_listed(snapshot))):
            connection.execute("INSERT INTO listed VALUES (?, ?)", [module, name])
        connection.execute(_OFFERS)
        connection.execute(_USES)
        for table in ("offers", "uses"):
            path = os.path.join(folder, f"{table}.parquet")
            connection.execute(f"COPY (SELECT * FROM {table} ORDER BY ALL) TO ? (FORMAT parquet)", [path])


def repository_facts(folder: str, snapshot: Snapshot) -> Mapping[str, list[str] | list[list[str]]]:
    """What others need to know to choose it: `tops`, first parts of the names that it offers, `leads` and `used`, those
    of names outside that it passes on and uses, `packages` as name, version and manager, `requires` as name and
    versions."""
    with duckdb_in(folder) as connection:
        offers, uses = (quoted(os.path.join(folder, f"{name}.parquet")) for name in ("offers", "uses"))
        tops = _column(connection, f"SELECT DISTINCT split_part(name, '.', 1) FROM {offers} WHERE language = 'python'")
        leads = _column(connection, f"SELECT DISTINCT split_part(leads_to, '.', 1) FROM {offers} WHERE leads_to <> ''")
        connection.execute(f"SELECT DISTINCT language, name FROM {uses}")
        used = {head for language, name in connection.fetchall() for head in heads(str(language), str(name))}
    declared = list(snapshot.declared.values())
    packages = {
        (normal_name(one.name), one.version, _manager(snapshot, place)): None
        for place, one in sorted(snapshot.declared.items())
        if one.name
    }
    requires = [
        [normal_name(name), *_texts(said.get("versions"))] for name, said in merged_requirements(declared).items()
    ]
    return {
        "tops": tops,
        "leads": leads,
        "used": sorted(used),
        "packages": [list(one) for one in packages],
        "requires": sorted(requires),
    }


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def heads(language: str, name: str) -> Iterator[str]:
    """How a name outside may begin that says whose it is: of Python the first part, else the package of a specifier,
    which may have a scope, and dots that nobody can tell from those before members."""
    known = providers().get(language)
    if known is not None and known.capabilities.package_manager == PIP:
        yield name.partition(".")[0]
    elif not name.startswith((".", "/")):
        parts = name.split("/")
        before = f"{parts[0]}/" if name.startswith("@") and len(parts) > 1 else ""
        dotted = parts[1 if before else 0].split(".")
        yield from (before + ".".join(dotted[:count]) for count in range(1, min(len(dotted), 3) + 1))


def _offered(snapshot: Snapshot) -> Iterator[str]:
    """Modules that another repository can import: of no test, and seen from everywhere."""
    for table in snapshot.modules.values():
        for file, name in table.names.items():
            if file in snapshot.shards and not name.local and not is_test_file(file):
                yield str(name.dotted)


def _listed(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The names that modules list as all that `import *` takes, where the list is whole."""
    for table in snapshot.modules.values():
        for file, name in table.names.items():
            surface = snapshot.surface(file) if file in snapshot.shards else None
            if surface is not None and surface.exports is not None and not surface.dynamic:
                yield from ((str(name.dotted), exported) for exported in surface.exports)


def _manager(snapshot: Snapshot, folder: str) -> str:
    """The installer of the language that most files below a folder have."""
    prefix = f"{folder}/" if folder else ""
    counts: dict[str, int] = {}
    for path, shard in snapshot.shards.items():
        if path.startswith(prefix) and shard.language in providers():
            manager = providers()[shard.language].capabilities.package_manager
            counts[manager] = counts.get(manager, 0) + 1
    return min(counts, key=lambda one: (-counts[one], one), default="")


def _column(connection: DuckConnection, statement: str) -> list[str]:
    connection.execute(statement)
    return sorted(str(row[0]) for row in connection.fetchall() if row[0])


def _texts(said: object) -> list[str]:
    return [str(text) for text in cast("Sequence[object]", said)] if isinstance(said, tuple | list) else []
