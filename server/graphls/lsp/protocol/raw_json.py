"""Raw json: values whose JSON is made by hand, where an answer has hundreds of them.

Owns: the value, and how it gets into the message around it.
Must not know: what values say, methods.
Invariant: a message with written values is the text that the same message with plain ones would be.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

MARK: Final = secrets.token_hex(16)
"""Stands in a message where a written value belongs. Nobody else ever sees it, so that nothing else is spelled so."""
_QUOTED: Final = f'"{MARK}"'


class RawJson:
    """JSON text that stands for a value; subclasses say for which."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class JsonLocations:
    """Written values in the order in which a message is encoded."""

    def __init__(self, plain: Callable[[object], object]) -> None:
        """`plain`: the form of whatever else JSON does not know."""
        self._plain = plain
        self._texts: list[str] = []

    def plain(self, value: object) -> object:
        """What stands for a value in the message."""
        if isinstance(value, RawJson):
            self._texts.append(value.text)
            return MARK
        return self._plain(value)

    def filled(self, message: str) -> str:
        """The encoded message with the values where they belong."""
        if not self._texts:
            return message
        around = message.split(_QUOTED)
        parts = [part for pair in zip(around, self._texts, strict=False) for part in pair]
        return "".join((*parts, around[-1]))
