"""Declaring files: those that may declare routes, tools and jobs, known without deriving anything.

Owns: the names by which such files are found, the look at one of them.
Must not know: what is declared, faces.
Invariant: a file that is not among these declares none; one that is may still declare none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphls.analysis.frameworks.code_signs import CodeMarks, code_marks, routing_files
from graphls.analysis.frameworks.document_entries import is_plain_document
from graphls.analysis.frameworks.listed_tools import may_list_tools
from graphls.analysis.frameworks.manifests import is_manifest
from graphls.analysis.frameworks.marks import marks
from graphls.analysis.frameworks.procedures import may_have_procedures
from graphls.analysis.frameworks.routes import DECLARING
from graphls.analysis.frameworks.rules import RuleSet
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot

_NAMED: Final = Memo["frozenset[FilePath]"]("files that may declare routes and tools")


def may_declare(snapshot: Snapshot, path: FilePath, rules: RuleSet) -> bool:
    """Whether a file may declare what is no part of a document. Raises BudgetSpentError: facts are read for it."""
    shard = snapshot.shards[path]
    if not shard.language or is_plain_document(snapshot, path):
        return is_manifest(path)
    if may_list_tools(snapshot, path) or may_have_procedures(snapshot, path):
        return True
    if path in routing_files(snapshot) and code_marks(snapshot, path) & CodeMarks.ROUTES:
        return True
    named = _NAMED.once(snapshot, lambda: frozenset(_named(snapshot, rules)))
    stem = path.rpartition("/")[2].partition(".")[0]
    placed = any(("*" in rule.stems or stem in rule.stems) and path.endswith(rule.endings) for rule in rules.files)
    if path not in named and not placed:
        return False
    spend()
    found = marks(snapshot, shard, rules)
    return bool(found.decorated or found.called or found.members or found.exported)


def _named(snapshot: Snapshot, rules: RuleSet) -> Iterator[FilePath]:
    """Files that spell what some rule looks for."""
    names: set[str] = set()
    imported: set[tuple[str, str]] = set()
    for table in (rules.calls, rules.decorators):
        for name, patterns in table.items():
            for one in (one for one in patterns if one.rule.yields in DECLARING):
                if one.rule.imported:  # a name that much code has: only beside that of the package
                    imported.add((name, one.root))
                else:
                    names.add(name)
    for name, root in sorted(imported):
        beside = frozenset(snapshot.files_with_name(root))
        yield from (path for path in snapshot.files_with_name(name) if path in beside) if beside else ()
    names |= {name.rpartition(".")[2] for name, rule in rules.bare.items() if rule.yields in DECLARING}
    for one in rules.bases:
        names.update(name for name in one.rule.handler if one.rule.yields in DECLARING and not name.endswith("*"))
    for name in sorted(names):
        yield from snapshot.files_with_name(name)
