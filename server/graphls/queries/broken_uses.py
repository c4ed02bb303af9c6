"""Broken uses: lines that still spell a name which edits took away.

Owns: which occurrences of such a name led somewhere before the edits and lead nowhere now.
Must not know: layout, JSON, version control, what else the edits reach.
Invariant: an occurrence that means something of the workspace is none of these, nor one that meant nothing before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import use_at
from graphls.graph.request_budget import spend, until_spent
from graphls.graph.snapshot import Snapshot, Target
from graphls.queries.changed import FileDiff, RemovedName
from graphls.queries.code_lines import CodeLine, CodeLines
from graphls.queries.hunks import unchanged_lines
from graphls.queries.rows import string_index

MAX_FILES = 200


def broken_uses(
    before: Callable[[], Snapshot], snapshot: Snapshot, edits: Sequence[FileDiff], removed: Iterable[RemovedName]
) -> tuple[CodeLine, ...]:
    """One record a line, by name, file and position. `before`: the graph before the edits."""
    names = dict.fromkeys(gone.qualified.rpartition(".")[2] for gone in removed)
    if not names:
        return ()
    past = _Past(before(), snapshot, {edit.path: edit for edit in edits})
    lines, found = CodeLines(snapshot), dict[tuple[str, int], CodeLine]()
    for path, row in until_spent(_broken(past, names)):
        uses = snapshot.facts(path).occurrences
        line = lines.at(path, uses.start[row], uses.owner[row])
        found.setdefault((line.file, line.line), line)
    return tuple(found.values())


def _broken(past: _Past, names: Iterable[str]) -> Iterator[tuple[FilePath, int]]:
    for name in names:
        for path in past.now.files_with_name(name)[:MAX_FILES]:
            spend()
            yield from ((path, row) for row in _leading_nowhere(past.now, path, name) if past.led(path, row))


def _leading_nowhere(snapshot: Snapshot, path: FilePath, name: str) -> Iterator[int]:
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
        if uses.start[row] not in bound and not _leads(snapshot.targets(path, row)):
            yield row


def _leads(targets: Iterable[Target]) -> bool:
    """Whether something is there, in the workspace or outside."""
    return any(target.place is not None or target.external for target in targets)


@attrs.define
class _Past:
    """The graph before the edits, asked about uses of now."""

    before: Snapshot
    now: Snapshot
    edits: dict[FilePath, FileDiff]
    _lines: dict[FilePath, dict[int, int]] = attrs.field(factory=dict[FilePath, dict[int, int]], init=False)

    def led(self, path: FilePath, row: int) -> bool:
        """Whether a use of now led somewhere before. One on a line that is new did where it is a plain name: what it
        names is among what is gone."""
        edit = self.edits.get(path)
        if edit is None:
            return _leads(self.before.targets(path, row))
        facts = self.now.facts(path)
        start = facts.occurrences.start[row]
        line, _ = facts.line_column(start)
        old_path, old_line = edit.old_path or path, self._line_before(edit).get(line)
        shard = self.before.shards.get(old_path)
        if shard is None or not shard.language or old_line is None:
            return facts.occurrences.base[row] == NONE
        old = self.before.facts(old_path)
        former = use_at(old, old.lines[old_line] + start - facts.lines[line])
        return former != NONE and _leads(self.before.targets(old_path, former))

    def _line_before(self, edit: FileDiff) -> dict[int, int]:
        """Line of now -> line of before, for those that are the same."""
        known = self._lines.get(edit.path)
        if known is None:
            text = self.now.text(edit.path) or b""
            known = self._lines[edit.path] = dict(unchanged_lines(edit.before or b"", text))
        return known
