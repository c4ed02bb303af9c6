"""Shared packages: files that name each other's things without an import.

Owns: which package a file shares with others.
Must not know: imports, history, what follows from it.
Invariant: no two files of a language whose files need imports share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

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


def seen_packages(
    files: Iterable[FilePath], imports: Iterable[tuple[FilePath, FilePath]], packages: Mapping[FilePath, str]
) -> Mapping[FilePath, Set[str]]:
    """For each file its own package and those of which it imports a file: an import of a package leads to one of its
    files. `imports`: pairs of which the first imports the second."""
    found = {path: {packages[path]} if packages.get(path) else set[str]() for path in files}
    for path, other in imports:
        if path in found and packages.get(other):
            found[path].add(packages[other])
    return found


def _clause(facts: FileFacts) -> str:
    return next(
        (facts.strings[facts.occurrences.name[row]] for row in rows_with(facts.occurrences.role, Role.EXPORT)), ""
    )
