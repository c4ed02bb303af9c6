"""SQL tables: what all `.sql` files and migrations in code of a workspace declare, and which of it a name means.

Owns: tables, columns, types and functions by name; which of several migrations that declare one thing counts.
Must not know: what a statement is, who asks.
Invariant: of several declarations the one counts that a database would know which ran the files in the order of their
    names up to the use; files of another folder count only where none of a nearer one declares the name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import attrs

from graphls.analysis.frameworks.code_migrations import code_migration
from graphls.analysis.frameworks.code_signs import CodeMarks, files_marked
from graphls.analysis.frameworks.document_entries import SQL, entry_nodes
from graphls.facts.paths import FilePath, nearest, shared_folders
from graphls.graph.derivation import DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot
from graphls.languages.config.databases import COLUMN
from graphls.languages.config.reading import format_of

Place: TypeAlias = "tuple[FilePath, int]"
"""A file and a byte of it."""
_DIGITS: Final = re.compile(r"(\d+)")
_BACK: Final = re.compile(r"(?:^|[^a-z])(?:down|rollback|revert|undo)(?:[^a-z]|$)", re.IGNORECASE)
_MOST: Final = 256
"""Declarations of one name; one that more files make again and again leads nowhere."""
_TABLES: Final = Memo["SqlTables"]("tables of SQL", rests_on_links=False)


@attrs.frozen(eq=False)
class SqlTables:
    """Declarations of SQL files."""

    by_name: Mapping[tuple[bool, str], Sequence[DerivedNode]]
    """Whether it is a column, and the last name folded (of a column with its table) -> declarations, in order."""

    def named(self, kind: str, text: str, at: Place) -> DerivedNode | None:
        """What a name means at a place: a column by `table.column`, all else by a name that may have a schema."""
        before = self.before(kind, text, at)
        return before or next(iter(self._near(text, at[0], column=kind == COLUMN)), None)

    def before(self, kind: str, text: str, at: Place) -> DerivedNode | None:
        """The same of what is declared up to the place alone."""
        near = self._near(text, at[0], column=kind == COLUMN)
        found = [node for node in near if _order(node.file, node.start) <= _order(*at)]
        return found[-1] if found else None

    def current(self, text: str, path: FilePath, *, column: bool) -> tuple[Sequence[DerivedNode], bool]:
        """What a name means to code: the last declaration that nothing takes back, of the nearest folder; and whether
        that is a guess among several databases."""
        near = self._near(text, path, column=column)
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
        return nearest(path, fitting, lambda node: node.file)


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
    for path in files:
        for node in code_migration(snapshot, path).nodes if path in code else entry_nodes(snapshot, path):
            column = node.subkind == COLUMN
            if column or node.subkind not in ("index", "trigger"):
                parts = node.name.casefold().split(".")
                key = ".".join(parts[-2:] if column else parts[-1:])
                found.setdefault((column, key), []).append(node)
    return SqlTables(found)


def named_alike(declared: Sequence[str], used: Sequence[str]) -> bool:
    """Whether names mean one thing: a schema that only one of them has decides nothing."""
    count = min(len(declared), len(used))
    return list(declared[-count:]) == list(used[-count:])


def _order(path: FilePath, at: int) -> tuple[bool, list[tuple[int, str]], int]:
    """The order in which files run: by the numbers in their names; those that take something back are last."""
    parts = [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(path)]
    return _takes_back(path), parts, at


def _takes_back(path: FilePath) -> bool:
    """Whether a migration undoes another one, by its name."""
    return _BACK.search(path.rpartition("/")[2]) is not None
