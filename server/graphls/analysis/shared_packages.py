"""Shared packages: files that name each other's things without an import.

Owns: which package a file shares with others.
Must not know: imports, history, what follows from it.
Invariant: no two files of a language whose files need imports share one.
"""

from __future__ import annotations

from graphls.analysis.views import Views
from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import Role
from graphls.facts.paths import FilePath


def shared_package(views: Views, path: FilePath) -> str:
    """What names the package that a file shares, "" where it shares none: what the file says, else its folder."""
    known = views.snapshot.capabilities(path)
    if known is None or not known.shared_package:
        return ""
    said = views.per_file("package clause", path, _clause) if known.shared_package == "clause" else ""
    return f"{known.name} {said or path.rpartition('/')[0]}"


def _clause(facts: FileFacts) -> str:
    return next(
        (facts.strings[facts.occurrences.name[row]] for row in rows_with(facts.occurrences.role, Role.EXPORT)), ""
    )
