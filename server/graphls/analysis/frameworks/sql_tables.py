"""SQL tables: what all `.sql` files and migrations in code of a workspace declare, and which of it a name means.

Owns: tables, columns, types and functions by name; which of several migrations that declare one thing counts.
Must not know: what a statement is, who asks.
Invariant: of several declarations the one counts that a database would know which ran the files in the order of their
    names up to the use; files of another folder count only where none of a nearer one declares the name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import attrs

from graphls.analysis.frameworks.code_migrations import code_migration
from graphls.analysis.frameworks.code_signs import CodeMarks, files_marked
from graphls.analysis.frameworks.document_entries import SQL, document_of, entry_nodes
from graphls.facts.paths import FilePath, nearest, shared_folders
from graphls.graph.derivation import DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot
from graphls.languages.config.databases import COLUMN
from graphls.languages.config.reading import format_of

Place: TypeAlias = "tuple[FilePath, int]"
"""A file and a byte of it."""
_Order: TypeAlias = "tuple[Sequence[tuple[int, str]], bool, int]"
_DIGITS: Final = re.compile(r"(\d+)")
_DATE: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_]?(\d\d)[-_]?(\d\d)(?:[-_]?(\d{4,6})(?!\d))?")
"""A day as migrations are called by it, with or without the time behind it."""
_OWN_FOLDER: Final = re.compile(r"\d{8,}(?:[-_.]|$)|\d{4}-\d\d-\d\d")
"""How the folder of one migration is called."""
_OWN_FILES: Final = frozenset(("up.sql", "down.sql", "migration.sql"))
_WAY: Final = re.compile(
    r"(?:^|(?<=[^a-z]))(?:up|(down|rollback|revert|undo))(?=[^a-z]|$)|^(?:V|(U))(?=\d[\d._]*__)", re.IGNORECASE
)
"""Whether a migration does something or takes it back, by the name of its file."""
_MOST: Final = 256
"""Declarations of one name; one that more files make again and again leads nowhere."""
_MOST_NAMES: Final = 16
"""Names that one table had, one after the other."""
_TABLES: Final = Memo["SqlTables"]("tables of SQL", rests_on_links=False)


@attrs.frozen(eq=False)
class SqlTables:
    """Declarations of SQL files."""

    by_name: Mapping[tuple[bool, str], Sequence[DerivedNode]]
    """Whether it is a column, and the last name folded (of a column with its table) -> declarations, in order."""
    renamed: Mapping[str, Sequence[tuple[Place, str]]]
    """The last name of a table, folded -> where it took that name, and the name before."""

    def named(self, kind: str, text: str, at: Place) -> DerivedNode | None:
        """What a name means at a place: a column by `table.column`, all else by a name that may have a schema."""
        before = self.before(kind, text, at)
        if before is not None:
            return before
        near = self._near(text, at[0], column=kind == COLUMN)
        return next((node for node in near if not _takes_back(node.file) or node.file == at[0]), None)

    def before(self, kind: str, text: str, at: Place) -> DerivedNode | None:
        """The same of what is declared up to the place alone."""
        column = kind == COLUMN
        found = [
            node
            for name, until in (self._names(text, at) if column else ((text, at),))
            for node in self._near(name, at[0], column=column)
            if _is_before((node.file, node.start), until, at[0])
        ]
        return max(found, key=lambda node: _order(node.file, node.start), default=None)

    def _names(self, column: str, at: Place) -> Sequence[tuple[str, Place]]:
        """A column by all names that its table had up to a place, the last first, and how long it had each."""
        table, _, name = column.rpartition(".")
        names = [(table, at)]
        for one, until in names:  # grows
            for place, old in self.renamed.get(one.casefold().rpartition(".")[2], ()):
                if (
                    len(names) < _MOST_NAMES
                    and _is_before(place, until, at[0])
                    and all(old != known for known, _ in names)
                ):
                    names.append((old, place))
        return [(f"{one}.{name}", until) for one, until in names]

    def current(self, text: str, path: FilePath, *, column: bool) -> tuple[Sequence[DerivedNode], bool]:
        """What a name means to code: the last declaration that nothing takes back, of the nearest folder; and whether
        that is a guess among several databases."""
        near = self._near(text, path, column=column)
        if not near and column:
            table, _, name = text.rpartition(".")
            renamed = self.renamed.get(table.casefold().rpartition(".")[2], ())
            old = [one for place, one in renamed if not _takes_back(place[0])]
            near = self._near(f"{old[-1]}.{name}", path, column=True) if old else ()
        if not near:
            return (), False
        last = max(enumerate(near), key=lambda one: (not _takes_back(one[1].file), one[0]))[1]
        tops = {node.file.split("/")[0] for node in near}
        return (last,), shared_folders(last.file, path) == 0 and len(tops) > 1

    def _near(self, text: str, path: FilePath, *, column: bool) -> Sequence[DerivedNode]:
        """The declarations of a name in the folder that is nearest to a file, in order."""
        parts = text.casefold().split(".")
        found = self.by_name.get((column, ".".join(parts[-2:] if column else parts[-1:])), ())
        if len(found) > _MOST:
            return ()
        fitting = [node for node in found if named_alike(node.name.casefold().split("."), parts)]
        return nearest(_among(path), fitting, lambda node: _among(node.file))


def sql_tables(snapshot: Snapshot, watched: Snapshot | None = None) -> SqlTables:
    """What all files declare. Who watches notes the files of code that it rests on."""
    if watched is not None:
        for path in files_marked(snapshot, CodeMarks.MIGRATIONS):
            watched.shards.get(path)
    return _TABLES.once(snapshot, lambda: _gathered(snapshot))


def _gathered(snapshot: Snapshot) -> SqlTables:
    code = frozenset(files_marked(snapshot, CodeMarks.MIGRATIONS))
    files = sorted(
        (path for path in snapshot.shards if path in code or format_of(path) == SQL), key=lambda path: _order(path, 0)
    )
    found: dict[tuple[bool, str], list[DerivedNode]] = {}
    renamed: dict[str, list[tuple[Place, str]]] = {}
    for path in files:
        for entry in () if path in code else document_of(snapshot, path).entries:
            if entry.leads:
                renamed.setdefault(entry.name.casefold().rpartition(".")[2], []).append(
                    ((path, entry.start), entry.leads)
                )
        for node in code_migration(snapshot, path).nodes if path in code else entry_nodes(snapshot, path):
            column = node.subkind == COLUMN
            if column or node.subkind not in ("index", "trigger"):
                parts = node.name.casefold().split(".")
                key = ".".join(parts[-2:] if column else parts[-1:])
                found.setdefault((column, key), []).append(node)
    return SqlTables(found, renamed)


def named_alike(declared: Sequence[str], used: Sequence[str]) -> bool:
    """Whether names mean one thing: a schema that only one of them has decides nothing."""
    count = min(len(declared), len(used))
    return list(declared[-count:]) == list(used[-count:])


def _is_before(place: Place, at: Place, reader: FilePath) -> bool:
    """Whether what happens at one place is done at another. What takes something back is run by itself alone."""
    return (place[0] == reader or not _takes_back(place[0])) and _order(*place) <= _order(*at)


def _order(path: FilePath, at: int) -> _Order:
    """The order in which files run: by the numbers in their names; what takes a migration back comes behind it."""
    return *_file_order(path), at


@lru_cache(maxsize=20_000)
def _file_order(path: FilePath) -> tuple[Sequence[tuple[int, str]], bool]:
    folder, slash, name = path.rpartition("/")
    spelled = _DATE.sub(_day, folder + slash + _WAY.sub("", name))
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(spelled)], _takes_back(path)


def _day(found: re.Match[str]) -> str:
    """A day and its time in one spelling."""
    return f"{found[1]}{found[2]}{found[3]}.{found[4] or ''}"


def _takes_back(path: FilePath) -> bool:
    """Whether a migration undoes another one, by its name."""
    return any(found[1] or found[2] for found in _WAY.finditer(path.rpartition("/")[2]))


def _among(path: FilePath) -> str:
    """A path without the folder that one migration has for itself."""
    folder, _, name = path.rpartition("/")
    around, _, own = folder.rpartition("/")
    return f"{around}/{name}" if name in _OWN_FILES or _OWN_FOLDER.match(own) else path
