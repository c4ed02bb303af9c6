"""Broken uses: lines that still spell a name which edits took away.

Owns: which occurrences of such a name lead nowhere now.
Must not know: layout, JSON, version control, what else the edits reach.
Invariant: an occurrence that means something of the workspace is none of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphls.facts.columns import rows_with
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, Target
from graphls.queries.changed import RemovedName
from graphls.queries.code_lines import CodeLine, CodeLines
from graphls.queries.rows import string_index

MAX_FILES = 200


def broken_uses(snapshot: Snapshot, removed: Iterable[RemovedName]) -> tuple[CodeLine, ...]:
    """One record a line, by name, file and position."""
    lines = CodeLines(snapshot)
    found: dict[tuple[str, int], CodeLine] = {}
    for gone in removed:
        name = gone.qualified.rpartition(".")[2]
        for path in snapshot.files_with_name(name)[:MAX_FILES]:
            for start, owner in _leading_nowhere(snapshot, path, name):
                line = lines.at(path, start, owner)
                found.setdefault((line.file, line.line), line)
    return tuple(found.values())


def _leading_nowhere(snapshot: Snapshot, path: FilePath, name: str) -> Iterator[tuple[int, int]]:
    if not snapshot.shards[path].language:
        return
    facts = snapshot.facts(path)
    number = string_index(facts, name)
    if number < 0:
        return
    uses, table = facts.occurrences, facts.definitions
    # What binds the name itself is no use of what is gone; an import is one.
    bound = {start for start, kind in zip(table.start, table.kind, strict=True) if kind != DefinitionKind.IMPORT}
    for row in rows_with(uses.name, number):
        if uses.start[row] not in bound and not any(_leads(target) for target in snapshot.targets(path, row)):
            yield uses.start[row], uses.owner[row]


def _leads(target: Target) -> bool:
    """Whether something is there, in the workspace or outside."""
    return target.place is not None or bool(target.external)
