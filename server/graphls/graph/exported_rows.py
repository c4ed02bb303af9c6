"""Exported rows: which declarations a file offers to others on purpose.

Owns: what counts as exported outside of classes and functions.
Must not know: records, edges, the text of a file.
Invariant: it follows from facts alone, so records and edges of any snapshot with these facts say the same.
"""

from __future__ import annotations

from collections.abc import Set

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.nodes import container
from graphls.graph.snapshot import Snapshot
from graphls.languages.capabilities import Exports

_EXPORTED = int(DefinitionFlag.EXPORTED)
_ROWS = Memo["Set[int]"]("exported rows", rests_on_links=False)


def exported_rows(snapshot: Snapshot, path: FilePath) -> Set[int]:
    """Rows of a file outside of classes and functions that it exports; with those of its namespaces."""
    shard = snapshot.shards[path]
    return _ROWS.once(shard, lambda: frozenset(_exported(snapshot, path)))


def _exported(snapshot: Snapshot, path: FilePath) -> set[int]:
    facts, known = snapshot.facts(path), snapshot.capabilities(path)
    if known is not None and known.exports is not None:
        return _by_words(facts, path, known.exports)
    table, found = facts.definitions, set[int]()
    listed = snapshot.surface(path).exports is not None
    for row, kind in enumerate(table.kind):
        if container(facts, row) >= 0:
            continue
        if listed or kind == DefinitionKind.IMPORT:
            if table.flags[row] & _EXPORTED:
                found.add(row)
        elif not facts.strings[table.name[row]].startswith("_") or _is_dunder(facts.strings[table.name[row]]):
            found.add(row)
    return found


def _by_words(facts: FileFacts, path: FilePath, exports: Exports) -> set[int]:
    table = facts.definitions
    found: set[int] = set()
    for row in sorted(exports.offered(path, facts) | _passed_on(facts)):
        around = container(facts, row)
        # A namespace comes before what it holds, and offers nothing where it is not offered.
        if around >= 0 and (around not in found or table.kind[around] != DefinitionKind.NAMESPACE):
            continue
        name, signature = facts.strings[table.name[row]], table.signature[row]
        if not name:
            continue  # nobody else can name it
        before = facts.strings[signature].partition(name)[0] if signature >= 0 else ""
        said = exports.visibility(name, before.encode())
        # No word says of a namespace that all may use what is in it.
        open_space = table.kind[row] == DefinitionKind.NAMESPACE and said != "private"
        if said == "public" or open_space or table.kind[row] == DefinitionKind.IMPORT:
            found.add(row)
    return found


def _passed_on(facts: FileFacts) -> set[int]:
    """Imports that a file exports again."""
    table = facts.definitions
    rows = table.rows_where("kind", DefinitionKind.IMPORT)
    return {row for row in rows if table.flags[row] & _EXPORTED}


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > 4
