"""Document: what one file of configuration or prose says by itself.

Owns: the shape of entries, of values and of references by text.
Must not know: formats, the workspace.
Invariant: offsets are bytes of the file; entries come in source order, a reference names the entry that it is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import attrs


class ReferenceKind(IntEnum):
    """How the text of a reference names what it means."""

    FILE = 0
    """A path below the folder `base`, which may lack what the name of a folder or module stands for."""
    NEAR = 1
    """A path below the folder of the document or below `base`: what both lead to, or the one that is there."""
    DOTTED = 2
    """`package.module:name` or `package.module.name` as a whole."""
    ENTRY = 3
    """The name of an entry, of the document itself or of the file `base`."""
    LINK = 4
    """A link of prose: a path below `base`, perhaps with the anchor of a heading behind it."""
    SPAN = 5
    """Code in prose: a path or a qualified name."""
    PROGRAM = 6
    """What a command line runs: a path below `base`, with an ending."""
    IMPORTED = 7
    """An entry of a document that this one brings in by one of the paths `also`; `base` is the package of this one."""
    DECLARED = 8
    """An entry of any SQL document. `base`: its kind; `also`: what may hold it, the likeliest first."""
    WAY = 9
    """An entry of any GraphQL document, of the kind `base` or by a way through types."""
    IMAGE = 10
    """The name of an image of containers, which another document may build; see `images`."""
    FOLDER = 11
    """A path below the folder of the document or the top, of which all files are meant."""
    MODEL = 13
    """A model of the dbt project around the document, or of the package `base`. `also`: its version."""
    SOURCE = 14
    """A table of a source of the dbt project around the document."""
    MACRO = 15
    """A macro of the dbt project around the document, or of the package `base`."""
    SCRIPT = 12
    """An entry of the `package.json` whose package is called `base`. `also`: "scope" where the scope of the name may be
    left out, and the folder that is meant where no package is called so."""


@attrs.frozen
class ConfigEntry:
    """A part of a document that can be named: a key, a heading, a target. Offsets are bytes."""

    kind: str
    name: str
    """Keys of a path have dots between them."""
    start: int
    end: int
    full_start: int
    full_end: int
    leads: str = ""
    """The name of the type of what it holds, in formats that declare types."""


@attrs.frozen
class ConfigReference:
    """A stretch of a document that names something."""

    kind: ReferenceKind
    text: str
    start: int
    end: int
    base: str = ""
    """A folder of the workspace, or the file of an entry."""
    also: tuple[str, ...] = ()
    """What may stand behind a path that is not there: endings, and files that stand for a folder."""


@attrs.frozen
class ConfigDocument:
    """All that one document says."""

    entries: Sequence[ConfigEntry] = ()
    references: Sequence[ConfigReference] = ()
    cut: bool = False
    """It has more entries than are listed: it counts as one thing."""
    package: str = ""
    """What stands before the names of entries where code speaks of them."""


@attrs.frozen
class ConfigValue:
    """A scalar of a document of keys and values."""

    path: tuple[str, ...]
    """Keys from the outside in; the number of an item where it stands in a list."""
    text: str
    start: int
    end: int
    """Of the text, without quotes."""
    plain: bool = True
    """On one line, with nothing in it that stands for something else."""


@attrs.frozen
class ConfigKey:
    """A key, with all that it holds."""

    path: tuple[str, ...]
    start: int
    end: int
    full_start: int
    full_end: int


@attrs.frozen
class KeyedText:
    """What a reader of keys and values finds. `anchors`, `aliases`: names with their stretches."""

    keys: Sequence[ConfigKey] = ()
    values: Sequence[ConfigValue] = ()
    anchors: Sequence[tuple[str, int, int]] = ()
    aliases: Sequence[tuple[str, int, int]] = ()
