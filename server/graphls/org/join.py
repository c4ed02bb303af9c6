"""Join: from the names that a repository uses outside of itself to the repositories that offer them.

Owns: which repository a name is of, the node behind it, what is said where that is not certain.
Must not know: how tables are made or kept, tasks.
Invariant: a row says a symbol only where the name is offered; where more than one repository may be meant each is a row
    and `ambiguous`; a name that its package does not offer is a row without a node.

A name belongs to a repository by its first part (Python: the module, npm: the package). Of several repositories those
count whose package the manifest of the user requires. The longest offered beginning of the name decides; what a
repository only passes on (`leads_to`) is followed to the repository that declares it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from graphls.org.offers import PIP, quoted
from graphls.tables.duckdb_file import duckdb_in

NPM: Final = "npm"
_ROUNDS: Final = 4
"""Repositories that pass a name on, one to the next."""

_INPUT: Final = """
CREATE TABLE providers(repository TEXT, head TEXT, language TEXT, package TEXT, version TEXT, wanted TEXT);
CREATE VIEW uses AS SELECT * FROM read_parquet({uses});
CREATE VIEW offers AS
  SELECT parse_filename(filename, true) AS repository, * EXCLUDE (filename)
  FROM read_parquet({offers}, filename = true);
CREATE TABLE wanted AS SELECT DISTINCT name AS asked, name, '' AS via FROM uses WHERE language = 'python';
CREATE TABLE found(asked TEXT, name TEXT, via TEXT, repository TEXT, node TEXT, symbol TEXT, level TEXT,
                   leads_to TEXT, rest TEXT, round INTEGER);
"""
_ROUND: Final = """
CREATE OR REPLACE TABLE fresh AS
  WITH prefixes AS (
    SELECT asked, name, via, unnest(range(1, len(string_split(name, '.')) + 1)) AS size FROM wanted
  ), cut AS (
    SELECT *, array_to_string(string_split(name, '.')[1:size], '.') AS prefix FROM prefixes
  ), matched AS (
    SELECT cut.*, offers.repository, offers.node, offers.leads_to, offers.kind,
      offers.module || CASE offers.kind WHEN 'module' THEN '' ELSE ':' || offers.qualified_name END AS symbol
    FROM cut JOIN offers ON offers.name = cut.prefix AND offers.language = 'python'
    WHERE EXISTS (SELECT 1 FROM providers WHERE providers.repository = offers.repository AND
                  providers.head = split_part(cut.name, '.', 1) AND providers.language = 'pip')
  ), longest AS (
    SELECT * FROM matched QUALIFY size = max(size) OVER (PARTITION BY asked, name, repository)
  )
  SELECT asked, name, via, repository, node, symbol,
    CASE WHEN prefix = name THEN 'symbol' WHEN kind = 'module' THEN 'module' ELSE 'container' END AS level,
    leads_to, substr(name, length(prefix) + 1) AS rest, {number} AS round
  FROM longest;
INSERT INTO found SELECT fresh.* FROM fresh
  WHERE NOT EXISTS (SELECT 1 FROM found WHERE found.asked = fresh.asked AND found.name = fresh.name);
CREATE OR REPLACE TABLE wanted AS
  SELECT DISTINCT asked, leads_to || rest AS name, CASE via WHEN '' THEN repository ELSE via END AS via
  FROM fresh WHERE leads_to IS NOT NULL AND leads_to || rest <> name;
"""
_CROSSINGS: Final = """
CREATE TABLE python AS
  SELECT found.asked, found.repository, found.node, found.symbol, found.level, found.via
  FROM found WHERE node IS NOT NULL AND repository <> {own};
CREATE TABLE packaged AS
  SELECT DISTINCT uses.name AS asked, providers.repository, providers.head,
    ltrim(substr(uses.name, length(providers.head) + 1), '/') AS rest
  FROM uses JOIN providers ON providers.language = 'npm' AND uses.language <> 'python'
    AND (uses.name = providers.head OR starts_with(uses.name, providers.head || '.')
         OR starts_with(uses.name, providers.head || '/'))
  WHERE providers.repository <> {own}
  QUALIFY length(providers.head) = max(length(providers.head)) OVER (PARTITION BY uses.name);
CREATE TABLE exported AS
  SELECT packaged.asked, packaged.repository, min(offers.node) AS node,
    min(offers.module || ':' || offers.qualified_name) AS symbol
  FROM packaged JOIN offers ON offers.repository = packaged.repository AND offers.language <> 'python'
    AND offers.name = split_part(packaged.rest, '.', -1)
  GROUP BY packaged.asked, packaged.repository HAVING count(DISTINCT offers.node) = 1;
CREATE TABLE led AS
  SELECT asked, repository, node, symbol, level, via, false AS by_name FROM python
  UNION ALL
  SELECT packaged.asked, packaged.repository, exported.node, exported.symbol,
    CASE WHEN exported.node IS NULL THEN 'package' ELSE 'exported_name' END, '', exported.node IS NOT NULL
  FROM packaged LEFT JOIN exported USING (asked, repository);
CREATE TABLE declared AS
  SELECT repository, any_value(package) AS package, any_value(version) AS version, max(wanted) AS wanted,
    max(wanted) IS NOT NULL AS declared FROM providers GROUP BY repository;
CREATE TABLE chosen AS
  SELECT led.*, declared.package, declared.version, declared.wanted, declared.declared
  FROM led JOIN declared USING (repository)
  QUALIFY via <> '' OR declared.declared = max(declared.declared) OVER (PARTITION BY asked);
CREATE TABLE crossings AS
  SELECT uses.name, uses.kind, uses.source, uses.source_name, uses.source_module, uses.language, uses.file,
    uses.start_line, uses.start_column, uses.site_count, uses.resolution,
    CASE WHEN chosen.by_name THEN uses.confidence * 0.5 ELSE uses.confidence END AS confidence,
    uses.ambiguous OR chosen.by_name OR several.count > 1 AS ambiguous,
    chosen.repository AS provider, chosen.node, chosen.symbol, chosen.level, chosen.via, chosen.package,
    chosen.version, chosen.wanted, chosen.declared
  FROM uses JOIN chosen ON chosen.asked = uses.name
  JOIN (SELECT asked, count(DISTINCT repository) AS count FROM chosen GROUP BY asked) AS several
    ON several.asked = uses.name
  WHERE (uses.language = 'python') = (chosen.level NOT IN ('package', 'exported_name'));
"""


def crossing_tables(
    folder: str, path: str, providers: Sequence[Mapping[str, object]], own: Mapping[str, object]
) -> int:
    """Writes the crossings of the repository whose `uses` are in a folder, by the `offers` there. `providers`: what
    the catalogue says of those that may be meant; `own` of the one that asks. How many rows there are."""
    wanted = _requirements(own)
    with duckdb_in(folder) as connection:
        places = {name: quoted(os.path.join(folder, name, "*.parquet")) for name in ("uses", "offers")}
        for statement in _INPUT.format(**places).split(";\n"):
            connection.execute(statement) if statement.strip() else None
        for row in _rows(providers, wanted):
            connection.execute("INSERT INTO providers VALUES (?, ?, ?, ?, ?, ?)", row)
        for number in range(_ROUNDS):
            connection.execute(_ROUND.format(number=number))
        connection.execute(_CROSSINGS.format(own=quoted(str(own["name"]))))
        connection.execute("COPY (SELECT * FROM crossings ORDER BY ALL) TO ? (FORMAT parquet)", [path])
        connection.execute("SELECT count(*) FROM crossings")
        return int(connection.fetchall()[0][0] or 0)


class Providers:
    """Which repositories others can lead to, by the first parts of the names that they offer."""

    def __init__(self, everybody: Iterable[Mapping[str, object]]) -> None:
        self._known = {str(one["name"]): one for one in everybody}
        self._by_head: dict[str, list[str]] = {}
        for name, one in self._known.items():
            for head in _heads(one):
                self._by_head.setdefault(head, []).append(name)

    def of(self, own: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
        """Those that names used in one may lead to, also by way of others; by name."""
        found: set[str] = set()
        waiting = _texts(own.get("used"))
        while waiting:
            fresh = {name for head in waiting for name in self._by_head.get(head, ())} - found
            found |= fresh
            waiting = [head for name in fresh for head in _texts(self._known[name].get("leads"))]
        return [self._known[name] for name in sorted(found - {str(own["name"])})]


def _heads(one: Mapping[str, object]) -> set[str]:
    return {*_texts(one.get("tops")), *(name for name, _, manager in _packages(one) if manager == NPM)}


def _rows(providers: Iterable[Mapping[str, object]], wanted: Mapping[str, str]) -> Iterable[Sequence[object]]:
    for one in providers:
        packages = _packages(one)
        asked = [name for name, _, _ in packages if name in wanted]
        main = next((each for each in packages if each[0] in asked), packages[0] if packages else ("", "", ""))
        said = wanted[asked[0]] if asked else None
        for top in _texts(one.get("tops")):
            yield str(one["name"]), top, PIP, main[0], main[1], said
        for name, version, manager in packages:
            if manager == NPM:
                yield str(one["name"]), name, NPM, name, version, wanted.get(name)


def _requirements(own: Mapping[str, object]) -> Mapping[str, str]:
    """Versions that a repository asks for, as JSON, by package."""
    rows = cast("Sequence[Sequence[str]]", own.get("requires") or ())
    return {row[0]: json.dumps(list(row[1:])) for row in rows}


def _packages(one: Mapping[str, object]) -> Sequence[tuple[str, str, str]]:
    rows = cast("Sequence[Sequence[str]]", one.get("packages") or ())
    return [(row[0], row[1], row[2]) for row in rows]


def _texts(said: object) -> Sequence[str]:
    return cast("Sequence[str]", said or ())
