"""Folder limits: what one of several open folders says of its own files, and how a raw table becomes that.

Owns: the fields, the largest values that single folders may choose.
Must not know: how files are walked or read, who sends a table.
Invariant: what is not said is None, and then the values of the workspace count; an unknown field is rejected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import attrs

from graphls.settings.kinds import FlagKind, RejectedError, WholeNumberKind, snake

MOST_BYTES: Final = 10_000_000
MOST_LINE_BYTES: Final = 1_000_000
_NAME_LENGTH: Final = 500


@attrs.frozen
class FolderLimits:
    """Other values of `files` in the open folder of a name."""

    folder: str = attrs.field(metadata={"doc": "Name of the open folder."})
    follow_ignore: bool | None = attrs.field(default=None, metadata={"doc": "As files.followIgnore."})
    max_bytes: int | None = attrs.field(default=None, metadata={"doc": f"As files.maxBytes, up to {MOST_BYTES}."})
    max_line_bytes: int | None = attrs.field(
        default=None, metadata={"doc": f"As files.maxLineBytes, up to {MOST_LINE_BYTES}."}
    )


@attrs.frozen
class FolderLimitsTable:
    """A table with the name of a folder and values."""

    expected: str = "a table with folder and followIgnore, maxBytes, maxLineBytes"

    def read(self, raw: object) -> FolderLimits:
        if isinstance(raw, FolderLimits):
            return raw
        if not isinstance(raw, Mapping):
            raise RejectedError(self.expected, raw)
        table = {snake(str(name)): value for name, value in cast("Mapping[object, object]", raw).items()}
        folder = table.pop("folder", None)
        if not isinstance(folder, str) or not 0 < len(folder) <= _NAME_LENGTH or not folder.isprintable():
            raise RejectedError(self.expected, cast("object", raw))
        follow, most, line = (table.pop(name, None) for name in ("follow_ignore", "max_bytes", "max_line_bytes"))
        if table:
            raise RejectedError(self.expected, cast("object", raw))
        return FolderLimits(
            folder,
            None if follow is None else FlagKind().read(follow),
            None if most is None else WholeNumberKind(1, MOST_BYTES).read(most),
            None if line is None else WholeNumberKind(1, MOST_LINE_BYTES).read(line),
        )
