"""Page: an answer as lines of text, with columns and a little colour.

Owns: alignment, styles, the choice between a terminal and a pipe.
Must not know: what is shown.
Invariant: the same page has the same words with and without colour.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

from graphls.cli.rendering.words import visible

Part = str | tuple[str, str]
"""Text, or text with a style."""
_GAP = "  "


class TextPage:
    """Lines in the making."""

    def __init__(self) -> None:
        self._lines: list[tuple[Part, ...]] = []

    def line(self, *parts: Part) -> None:
        """One line."""
        self._lines.append(tuple(part if isinstance(part, str) else (part[0], part[1]) for part in parts))

    def heading(self, text: str) -> None:
        """A line above others, after an empty one."""
        if self._lines:
            self.line()
        self.line((text, "bold"))

    def rows(self, rows: Iterable[Sequence[Part]], indent: str = "") -> None:
        """Lines in columns; columns that are empty in every row take no room."""
        table = [tuple(row) for row in rows]
        count = max((len(row) for row in table), default=0)
        widths = [max((_width(_text(row[i])) for row in table if i < len(row)), default=0) for i in range(count)]
        for row in table:
            self.line(indent, *_padded(row, widths))

    def note(self, text: str) -> None:
        """A line that matters less."""
        self.line((text, "dim"))

    def write(self) -> None:
        """Everything to standard output."""
        if _coloured():
            _write_styled(self._lines)
            return
        for parts in self._lines:
            sys.stdout.write("".join(visible(_text(part)) for part in parts).rstrip() + "\n")


def _padded(row: Sequence[Part], widths: Sequence[int]) -> Iterable[Part]:
    last = max((index for index, part in enumerate(row) if _text(part)), default=-1)
    for index, part in enumerate(row[: last + 1]):
        if not widths[index]:
            continue
        yield part
        if index < last:
            yield " " * (widths[index] - _width(_text(part))) + _GAP


def _text(part: Part) -> str:
    return part if isinstance(part, str) else part[0]


def _width(text: str) -> int:
    plain = visible(text)
    return len(plain) if plain.isascii() else sum(2 if east_asian_width(letter) in "WF" else 1 for letter in plain)


def _coloured() -> bool:
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _write_styled(lines: Sequence[tuple[Part, ...]]) -> None:
    """rich is loaded for terminals only; it honours NO_COLOR and terminals without colour."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for parts in lines:
        text = Text()
        for part in parts:
            text.append(visible(_text(part)), style="" if isinstance(part, str) else part[1])
        text.rstrip()
        console.print(text, soft_wrap=True)
