"""Documents below: Markdown files that a user names, wherever they are.

Owns: which files of a folder are Markdown, how many are read.
Must not know: what they say.
Invariant: links are not followed into other folders; same folder, same order.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from graphls.sources.read import read_small

_ENDINGS: Final = (".md", ".markdown")
MOST: Final = 2_000


def documents_below(argument: str) -> Sequence[tuple[str, bytes | None]]:
    """Path and text of a Markdown file, or of all below a folder; None for one that cannot be read."""
    if os.path.isfile(argument):
        return [(argument, read_small(argument))] if argument.endswith(_ENDINGS) else []
    found: list[str] = []
    for folder, folders, files in os.walk(argument):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [os.path.join(folder, name) for name in sorted(files) if name.endswith(_ENDINGS)]
        if len(found) > MOST:
            break
    return [(path, read_small(path)) for path in found[:MOST]]
