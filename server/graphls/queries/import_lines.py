"""Import lines: which files each line of a file imports, as one snapshot sees it.

Owns: whether a file's own links say so already, or what a checker said has to be taken in.
Must not know: names of modules, packages, maps.
Invariant: what a linked file imports is known without its facts and links, unless a checker spoke of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphls.facts.columns import rows_with
from graphls.facts.kinds import Role
from graphls.facts.paths import FilePath
from graphls.graph.import_rows import ImportRow, import_rows
from graphls.graph.snapshot import Snapshot


def imported_files(snapshot: Snapshot, path: FilePath) -> frozenset[str]:
    """Files that the imports of a file bring in; no other use of it is resolved for that."""
    if not snapshot.shards[path].language:
        return frozenset()
    rows = snapshot.own_import_rows(path)
    if rows is None:
        facts = snapshot.facts(path)
        uses = [row for role in (Role.IMPORT, Role.EXPORT) for row in rows_with(facts.occurrences.role, role)]
        rows = import_rows(facts, snapshot.links_at(path, sorted(uses), frame=True))
    return frozenset(file for _, file, _ in rows if file != path)


def import_lines(snapshot: Snapshot, path: FilePath) -> Sequence[ImportRow]:
    """Those of one file, in order of line."""
    shard = snapshot.shards[path]
    if not shard.language:
        return ()
    if snapshot.verification is None or not snapshot.verification.may_answer(shard):
        known = snapshot.own_import_rows(path)
        if known is not None:
            return known
    return import_rows(snapshot.facts(path), snapshot.links(path))
