"""Query chains: columns that code gives to libraries which make statements, `knex("users").where("mail", x)`.

Owns: the declared rules of libraries, from the text of a file to the table or class asked and the columns given.
Must not know: which tables and columns there are, what a class is.
Invariant: a chain begins with a table or class that is written out, and ends at the first thing that is no call; a
    string with anything but a name in it is no column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import attrs

from graphls.analysis.frameworks.arguments import HASHES, SLASHES, Argument, CodeText
from graphls.analysis.frameworks.rules import rule_heads, shipped_table, text_pattern, words_of

_CALL: Final = re.compile(rb"(\w+[!?]?)\s*(?=\()")
_ATTRIBUTE: Final = re.compile(rb"\w+(?![\w(])")
_COLUMN: Final = re.compile(rb"-?(?:(\w+)\.)?(\w+)(?:\s+(?:as\s+\w+|asc|desc))?", re.IGNORECASE)
_KEYWORD: Final = re.compile(rb"\s*:?(\w+)(?::(?!:)|\s*=>)\s*(?=\S)")
_QUOTED_KEY: Final = re.compile(rb"\s*[\"'](\w+)[\"']\s*(?:=>|:)")
_SYMBOL: Final = re.compile(rb":(\w+)\s*\Z")
_NESTED: Final = re.compile(rb"~?\s*(?:models\.)?Q(?=\()")
_REMARK: Final = re.compile(rb"(?<!:)//|/\*|^\s*\*|(?:^|\s)\#(?!\{)")
_LONGEST_LINE: Final = 400
_MOST_CALLS: Final = 60
_MOST_CHAINS: Final = 2_000
_LONGEST: Final = 20_000


@attrs.frozen(eq=False)
class QueryRule:
    """How one library is asked."""

    name: str
    begins: re.Pattern[bytes]
    joint: re.Pattern[bytes]
    members: bool
    hashes: bool
    first: frozenset[str]
    every: frozenset[str]
    keyed: frozenset[str]


@attrs.frozen
class GivenColumn:
    """A column that a chain is given. Bytes of the file."""

    holder: str
    """The table as written, or the class."""
    model: int
    """Where the class is written; -1 for a table."""
    text: str
    """Empty where it is the table by itself."""
    start: int
    end: int
    rule: QueryRule


@cache
def query_rules() -> Sequence[QueryRule]:
    """The rules that come with the package."""
    return tuple(map(_rule, range(len(shipped_table("queries")))))


@cache
def _rule(number: int) -> QueryRule:
    raw = shipped_table("queries")[number]
    begins, joint = text_pattern(raw, "begins"), text_pattern(raw, "joint")
    if begins is None or joint is None:
        raise ValueError(f"the rule {raw['name']} does not say how a chain begins and goes on")
    return QueryRule(
        name=str(raw["name"]),
        begins=begins,
        joint=joint,
        members=bool(raw.get("members")),
        hashes=bool(raw.get("hashes")),
        first=frozenset(words_of(raw, "first")),
        every=frozenset(words_of(raw, "every")),
        keyed=frozenset(words_of(raw, "keyed")),
    )


def given_columns(path: str, text: bytes, *, members: bool) -> Iterator[GivenColumn]:
    """Columns that the chains of a file are given, by rule. `members`: of classes that have them as members, or all
    others."""
    for number, head in enumerate(rule_heads("queries")):
        if bool(shipped_table("queries")[number].get("members")) == members and head.fits(path, text):
            yield from _ChainReader(_rule(number), text).columns()


class _ChainReader:
    """The chains of one rule in one file."""

    def __init__(self, rule: QueryRule, text: bytes) -> None:
        self._rule = rule
        self._code = CodeText(text, HASHES if rule.hashes else SLASHES, _LONGEST)

    def columns(self) -> Iterator[GivenColumn]:
        """In source order."""
        for number, begin in enumerate(self._rule.begins.finditer(self._code.data)):
            if number >= _MOST_CHAINS or self._is_remark(begin.start()):
                continue
            group = next(key for key, said in begin.groupdict().items() if said is not None)
            holder = begin[group].decode("utf-8", "replace")
            model = begin.start(group) if group.startswith("model") else -1
            if model < 0:
                yield GivenColumn(holder, model, "", begin.start(group), begin.end(group), self._rule)
            for start, end, spelled in self._chain(begin.end()):
                yield GivenColumn(spelled or holder, model, _text(self._code.data, start, end), start, end, self._rule)

    def _is_remark(self, at: int) -> bool:
        line = self._code.data[max(self._code.data.rfind(b"\n", 0, at) + 1, at - _LONGEST_LINE) : at]
        return _REMARK.search(line) is not None

    def _chain(self, at: int) -> Iterator[tuple[int, int, str]]:
        """Where names of columns stand in the calls behind an offset, with the table that is written before one."""
        data, rule = self._code.data, self._rule
        for _ in range(_MOST_CALLS):
            joint = rule.joint.match(data, at)
            call = _CALL.match(data, joint.end()) if joint is not None else None
            if call is None:
                other = _ATTRIBUTE.match(data, joint.end()) if joint is not None else None
                if other is None or rule.name != "activerecord.query":
                    return
                at = other.end()
                continue
            name = call[1].decode("ascii", "replace")
            given = self._code.arguments(call.end())
            yield from self._given(name, given)
            at = self._code.behind(call.end())

    def _given(self, name: str, given: Sequence[Argument]) -> Iterator[tuple[int, int, str]]:
        rule = self._rule
        if name in rule.keyed:
            for argument in given:
                yield from self._keys(argument)
        strings = given if name in rule.every else given[:1] if name in rule.first else ()
        for argument in strings:
            parts = (argument,)
            if self._code.data[argument.start : argument.start + 1] == b"[":
                parts = self._code.elements(argument.start)
            for part in parts if not argument.keyword else ():
                yield from self._string(part)

    def _keys(self, argument: Argument) -> Iterator[tuple[int, int, str]]:
        """Names of arguments, and keys of an object."""
        data = self._code.data
        if argument.keyword:
            end = data.rfind(b"=", 0, argument.start)
            start = data.rfind(argument.keyword.encode(), 0, end)
            yield start, start + len(argument.keyword.split("__")[0]), ""
            return
        nested = _NESTED.match(data, argument.start, argument.end)
        if nested is not None:
            for one in self._code.arguments(nested.end()):
                yield from self._keys(one)
            return
        sign = data[argument.start : argument.start + 1]
        parts = self._code.elements(argument.start) if sign == b"[" else ()
        for part in (argument, *parts):
            key = _KEYWORD.match(data, part.start, part.end) or _QUOTED_KEY.match(data, part.start, part.end)
            if key is not None:
                yield key.start(1), key.end(1), ""
        if sign == b"{":
            for member in self._code.members(argument):
                at = data.rfind(member.keyword.encode(), argument.start, member.start) if member.keyword else -1
                if data[member.start : member.start + len(member.keyword)] == member.keyword.encode():
                    at = member.start if at < 0 or data[at : member.start].find(b":") < 0 else at
                if at >= 0:
                    yield at, at + len(member.keyword), ""

    def _string(self, part: Argument) -> Iterator[tuple[int, int, str]]:
        data = self._code.data
        symbol = _SYMBOL.match(data, part.start, part.end)
        if symbol is not None:
            yield *symbol.span(1), ""
            return
        for _, start, end in self._code.strings(part.start, part.end):
            column = _COLUMN.fullmatch(data, start, end)
            if column is not None and data[part.start + 1 : start].strip() == b"":
                length = end - start if not self._rule.members else len(column[2].split(b"__")[0])
                first = column.start(2)
                yield first, min(column.end(2), first + length), (column[1] or b"").decode("ascii", "replace")
            return


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace")
