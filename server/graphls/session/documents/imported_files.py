"""Imported files: the files that an open file will soon be asked about.

Owns: which files its imports name.
Must not know: whether they are indexed, how names are resolved.
Invariant: a hint for the order of work; a wrong hint changes no answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.session.index.layout import Layout

_MOST = 200


def imported_files(path: FilePath, facts: FileFacts, layout: Layout) -> Sequence[FilePath]:
    """Files of the workspace that the file imports, in order."""
    found: dict[FilePath, None] = {}
    for table in layout.modules.values():
        own = table.names.get(path)
        if own is None:
            continue
        imports, strings = facts.imports, facts.strings
        for row in range(min(len(imports), _MOST)):
            module = strings[imports.module[row]]
            level = imports.level[row]
            base = own.dotted.split(".")
            base = base[: len(base) - level + own.package] if level else []
            dotted = ".".join([*base, *([module] if module else [])])
            name = strings[imports.name[row]] if imports.name[row] >= 0 else ""
            for candidate in (dotted, f"{dotted}.{name}"):
                file = table.find(candidate, path)
                if file is not None:
                    found[file] = None
    return tuple(found)
