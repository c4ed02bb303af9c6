"""Written results: what the tables of the standard library say that a method gives, as values.

Owns: how such a text is read; what a written type with open parts is by a value.
Must not know: which methods there are.
Invariant: a word that stands for something unknown is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from graphls.languages.declared.inference import BUILTIN, DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import Composite, Outside, Several, Value
from graphls.languages.rust.types.standard import HOMES, ITERATOR, MAPS

COLLECTED: Final = "Collected"
"""The name of what `collect()` gives, before its type is known."""


@final
class WrittenResult:
    """Reads a result as a table writes it."""

    def __init__(
        self,
        types: DeclaredInference,
        text: str,
        parts: tuple[Value | None, ...],
        receiver: Value,
        *,
        unit: DeclaredUnit,
        arguments: Sequence[int],
        closure: Callable[[], Value | None],
    ) -> None:
        self.types = types
        self.text = text
        self.parts = parts
        self.receiver = receiver
        self.unit = unit
        self.arguments = arguments
        self.closure = closure
        self.at = 0

    def value(self) -> Value | None:
        """The next value in the text."""
        word = self._word()
        inner: list[Value | None] = []
        if word not in ("()", "[]") or self.text[self.at : self.at + 1] == "(":
            inner = self._listed()
        if word == "()":
            return Several(tuple(inner))
        if word == "[]":
            return Composite("[]", tuple(inner))
        if word == "Iter":
            return Outside(ITERATOR, tuple(inner))
        if word == COLLECTED:
            return Outside(COLLECTED, tuple(inner))
        if word in HOMES:
            return Outside(HOMES[word], tuple(inner))
        return self._plain(word)

    def _word(self) -> str:
        start = self.at
        if self.text.startswith(("()", "[]"), start):
            self.at += 2
            return self.text[start : start + 2]
        while self.at < len(self.text) and self.text[self.at] not in "(),":
            self.at += 1
        return self.text[start : self.at]

    def _listed(self) -> list[Value | None]:
        found: list[Value | None] = []
        if self.text[self.at : self.at + 1] != "(":
            return found
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != ")":
            found.append(self.value())
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
        self.at += 1
        return found

    def _plain(self, word: str) -> Value | None:
        types = self.types
        if word == "self":
            return self.receiver
        if word == "?" or not word:
            return None
        if word.isdecimal():
            return self.parts[int(word)] if int(word) < len(self.parts) else None
        head, rest = word[0], word[1:]
        if word == "0e":
            return types.element(self.parts[0]) if self.parts else None
        if head == "r" and rest in ("", "0", "1", "e"):
            value = self.closure()
            if rest == "e":
                return types.element(value)
            return argument_of(value, int(rest)) if rest else value
        if head in "ab" and rest in ("", "0", "e"):
            at = 0 if head == "a" else 1
            value = types.infer(self.unit, self.arguments[at]) if at < len(self.arguments) else None
            if rest == "e":
                return types.element(value)
            return argument_of(value, 0) if rest else value
        return Outside(BUILTIN + word)


def argument_of(value: Value | None, at: int) -> Value | None:
    """A type argument of something outside."""
    return value.arguments[at] if isinstance(value, Outside) and at < len(value.arguments) else None


def last_part(value: Outside) -> str:
    """The last part of a dotted name."""
    return value.dotted.rpartition(".")[2]


def filled(type_: Value | None, value: Callable[[], Value | None]) -> Value | None:
    """A written type whose parts that are left open come from a value."""
    if isinstance(type_, Outside) and (not type_.arguments or None in type_.arguments):
        given = value()
        if isinstance(given, Outside) and given.arguments:
            if not type_.arguments:
                return type_
            if last_part(given) == COLLECTED:
                return Outside(type_.dotted, _collected(type_, given.arguments[0]))
            if last_part(given) == last_part(type_) or len(given.arguments) == len(type_.arguments):
                parts = zip(type_.arguments, given.arguments, strict=False)
                return Outside(type_.dotted, tuple([mine or other for mine, other in parts]))
    return type_


def _collected(type_: Outside, item: Value | None) -> tuple[Value | None, ...]:
    if last_part(type_) in MAPS and isinstance(item, Several):
        parts = zip(type_.arguments, item.parts, strict=False)
        return tuple([mine or other for mine, other in parts])
    return (type_.arguments[0] or item, *type_.arguments[1:])
