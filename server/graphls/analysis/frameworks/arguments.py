"""Arguments: what stands between the parentheses of a call, as stretches of text.

Owns: splitting arguments and object literals, reading literals off them, finding what a wrapping call wraps.
Must not know: facts, names, rules.
Invariant: nothing is evaluated; text that is no argument list gives no arguments; work is bounded by LONGEST.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import attrs

LONGEST = 20_000
"""Bytes of one argument list that are looked at."""
_CUT = re.compile(rb"[\"'`#/-]")
"""What begins a string or a comment: the end of the longest list may stand in one."""
_NESTED = 8
"""Lists inside of each other from which on it is written down where brackets close: each list around asks again."""
_OPEN, _CLOSE = b"([{", b")]}"
_KEYWORD = re.compile(rb"([A-Za-z_]\w*)\s*=(?![=>])")
_KEY = re.compile(rb"""(?:(?:async\s+|get\s+)?([A-Za-z_$][\w$]*)|"([^"\n]*)"|'([^'\n]*)')\s*(:|\(|(?=,|\}|\Z))""")
_PAIR_KEY = re.compile(rb"""(?:[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*|"[^"\n]*"|'[^'\n]*'|\d+)\s*:\s*""")
_ANGLE = re.compile(rb"=>|[<>;]")


@attrs.frozen
class LexicalRules:
    """What comments and strings look like."""

    noise: re.Pattern[bytes]
    string: re.Pattern[bytes]
    """Prefix and string."""
    passed: re.Pattern[bytes]
    """A stretch in which no bracket and no comma counts: words, strings, comments and white space."""
    whole: re.Pattern[bytes]
    """The same with brackets that hold nothing but that, or others of this kind: most are passed at once."""
    within: re.Pattern[bytes]
    """The same inside of brackets, where no comma counts either."""
    function: re.Pattern[bytes]
    """Beginning of a function; where it ends in a bracket, what stands behind the brackets decides."""
    opaque: re.Pattern[bytes] | None = None
    """What is skipped at the beginning of an argument, whatever is in it."""
    keywords: bool = True
    """`name=value` is an argument by name."""
    blocks: re.Pattern[bytes] | None = None
    """Words that open a block, as a bracket does, or (the first group) close one."""


def _lexis(
    noise: bytes,
    prefix: bytes,
    string: bytes,
    function: bytes,
    *,
    opaque: re.Pattern[bytes] | None = None,
    keywords: bool = True,
    blocks: bytes = b"",
) -> LexicalRules:
    # Words hold what a prefix is made of: it makes no difference to where a string ends.
    plain = rb"[^\s#/\\\"'`()\[\]{},]+|" + string + b"|" + noise
    if blocks:  # a word at a time: any may open a block; signs may begin a comment
        plain = noise + b"|" + string + rb"|(?!(?:" + blocks + rb")\b)\w+|[^\s\w\"'()\[\]{},-]+|-"
    # Atomic, as a match of `plain` alone is: what is no whole bracket is never tried in another way.
    flat = b"[(\\[{](?>(?:" + plain + b"|,)*)[)\\]}]"
    deep = b"[(\\[{](?>(?:" + plain + b"|,|" + flat + b")*)[)\\]}]"
    return LexicalRules(
        re.compile(b"(?:" + noise + b")*", re.DOTALL),
        re.compile(b"(" + prefix + b")(" + string + b")", re.DOTALL),
        re.compile(b"(?:" + plain + b")+", re.DOTALL),
        re.compile(b"(?:" + plain + b"|" + deep + b")+", re.DOTALL),
        re.compile(b"(?:" + plain + b"|,|" + deep + b")+", re.DOTALL),
        re.compile(function),
        opaque,
        keywords,
        re.compile(rb"(?:" + blocks + rb")\b") if blocks else None,
    )


_LINE_STRINGS = rb"(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')"
"""A quote behind a backslash begins none: else the rest of a line would be gone through at each of them."""
HASHES = _lexis(
    rb"\s|#[^\n]*|\\\n",
    rb"[rRbBuUfFtT]{0,2}",
    rb"(?<!\\)(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?''')|" + _LINE_STRINGS,
    rb"lambda\b",
)
SLASHES = _lexis(
    rb"\s|//[^\n]*|/\*.*?(?:\*/|\Z)",
    b"",
    _LINE_STRINGS + rb"|(?<!\\)`(?:[^`\\]|\\.)*+`",
    rb"(?:async\b\s*)?(?:function\b|[\w$]+\s*=>|\(|[\w$]+\s*\()",
    opaque=re.compile(rb"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*"),
    keywords=False,
)
DASHES = _lexis(
    rb"\s|--\[\[.*?(?:\]\]|\Z)|--\[=+\[.*?(?:\]=+\]|\Z)|--[^\n]*",
    b"",
    _LINE_STRINGS,
    rb"function\b",
    keywords=False,
    blocks=rb"(?:function|if|do|repeat)|(end|until)",
)
LEXIS = {"#": HASHES, "//": SLASHES, "--": DASHES}
"""By what begins a comment that ends with its line."""


@attrs.frozen
class Argument:
    """One argument: its keyword or "", its position or -1, its text."""

    keyword: str
    position: int
    start: int
    end: int


def choose_argument(given: Sequence[Argument], names: Sequence[str]) -> Argument | None:
    """The argument that stands at one of these places: positions, keywords; `last`, if it is not the first one."""
    for argument in given:
        if argument.keyword in names if argument.keyword else str(argument.position) in names:
            return argument
    return given[-1] if "last" in names and len(given) > 1 and not given[-1].keyword else None


@attrs.frozen(eq=False)
class CodeText:
    """The text of one file, and how to read it."""

    data: bytes
    lexis: LexicalRules = HASHES
    longest: int = LONGEST
    """Bytes of one list that are looked at."""
    _closed: dict[int, int] = attrs.field(init=False, factory=dict[int, int])
    """Offsets behind brackets that close, by where they open, of those far inside of others."""
    _unclosed: list[int] = attrs.field(init=False, factory=list[int])
    """Where brackets open that were not closed at the end of a list that is too long; last, that end."""

    def arguments(self, callee_end: int) -> tuple[Argument, ...]:
        """Arguments of the call whose callee ends there; none when it is no call."""
        start = self._behind_types(self._skipped(callee_end))
        if self.data[start : start + 1] != b"(":
            return ()
        return tuple(self._split(start + 1))

    def elements(self, opening: int) -> tuple[Argument, ...]:
        """What stands in brackets of any kind, without the keys of a mapping; none where no bracket opens there."""
        sign = self.data[opening : opening + 1]
        if sign not in (b"(", b"[", b"{"):
            return ()
        found = tuple(self._split(opening + 1))
        return tuple(self._value(one) for one in found) if sign == b"{" else found

    def parts(self, opening: int) -> tuple[Argument, ...]:
        """What commas part in brackets of any kind that open at a place."""
        return tuple(self._split(opening + 1))

    def _value(self, pair: Argument) -> Argument:
        key = _PAIR_KEY.match(self.data, pair.start, pair.end)
        return pair if key is None else attrs.evolve(pair, start=key.end())

    def behind(self, callee_end: int) -> int:
        """Where the arguments of a call end: there a second list of arguments may begin."""
        start = self._behind_types(self._skipped(callee_end))
        return self._after(start, min(len(self.data), start + self.longest))

    def behind_bracket(self, opening: int) -> int:
        """The offset behind the bracket that closes the one at a place."""
        return self._after(opening, min(len(self.data), opening + self.longest))

    def _behind_types(self, at: int) -> int:
        """Behind the types between `<` and `>` that a call is given, where a bracket follows."""
        if self.lexis is not SLASHES or self.data[at : at + 1] != b"<":
            return at
        depth, last = 0, min(len(self.data), at + self.longest)
        for mark in _ANGLE.finditer(self.data, at, last):
            if mark[0] == b";":
                return at
            depth += {b"<": 1, b">": -1}.get(mark[0], 0)
            if depth == 0 and mark[0] == b">":
                behind = self._skipped(mark.end())
                return behind if self.data[behind : behind + 1] == b"(" else at
        return at

    def place(self, given: Sequence[Argument], names: Sequence[str]) -> Argument | None:
        """As `chosen`; `0.name` is a member of an object literal, `0.name.inner` one of a literal inside of it."""
        found = choose_argument(given, names)
        for name in names if found is None else ():
            position, *keys = name.split(".")
            found = choose_argument(given, (position,)) if keys else None
            for key in keys:
                inside = self.members(found) if found is not None else ()
                found = next((one for one in inside if one.keyword == key), None)
            if found is not None:
                break
        return found

    def members(self, holder: Argument) -> Iterator[Argument]:
        """Members of an object literal, each with its key; what is no literal has none."""
        if self.data[holder.start : holder.start + 1] != b"{":
            return
        for part in self._split(holder.start + 1):
            key = _KEY.match(self.data, part.start, part.end)
            if key is not None:
                name = next((text for text in key.groups()[:3] if text is not None), b"")
                start = self._skipped(key.end(), part.end) if key[4] == b":" else part.start
                yield Argument(name.decode("utf-8", "replace"), -1, start, part.end)

    def is_function(self, start: int, end: int) -> bool:
        """Whether an argument is a function that is written out."""
        found = self.lexis.function.match(self.data, start, end)
        if found is None:
            return False
        if found[0][-1:] != b"(":
            return True
        behind = self._skipped(self._after(found.end() - 1, end), end)
        return self.data[behind : behind + 2] == b"=>" or self.data[behind : behind + 1] in (b":", b"{")

    def literal(self, start: int, end: int) -> str | None:
        """What a string literal says, several in a row too; None where it is none, or computed."""
        found: list[bytes] = []
        while start < end:
            string = self.lexis.string.match(self.data, start, end)
            if string is None or _computed(string):
                return None
            quotes = 3 if string[2][:3] in (b'"""', b"'''") else 1
            found.append(string[2][quotes:-quotes])
            start = self._skipped(string.end(), end)
        return b"".join(found).decode("utf-8", "replace") if found else None

    def strings(self, start: int, end: int) -> Iterator[tuple[str, int, int]]:
        """Plain string literals in a stretch of text, with where their contents stand."""
        at = start
        while at < end:
            at = self._skipped(at, end)
            string = self.lexis.string.match(self.data, at, end)
            if string is None:
                at += 1
                continue
            quotes = 3 if string[2][:3] in (b'"""', b"'''") else 1
            if not _computed(string):
                first, last = string.start(2) + quotes, string.end(2) - quotes
                yield self.data[first:last].decode("utf-8", "replace"), first, last
            at = string.end()

    def callee_end(self, start: int, end: int) -> int:
        """Where the callee ends, in an argument that is a call as a whole; -1 when it is none."""
        at = start
        while at < end and at - start < self.longest:
            at = self._skipped(at, end)  # a comment may hold code
            character = self.data[at : at + 1]
            if character == b"(":
                return at if self._after(at, end) >= end else self._next_callee(at, end)
            string = self.lexis.string.match(self.data, at, end)
            at = string.end() if string else at + 1
        return -1

    def _next_callee(self, opening: int, end: int) -> int:
        """`a(b)(c)`: the callee is `a(b)`."""
        at = self._skipped(self._after(opening, end), end)
        while at < end and self.data[at : at + 1] not in (b"(", b""):
            at = self._skipped(at + 1, end)
        if at >= end:
            return -1
        return at if self._after(at, end) >= end else self._next_callee(at, end)

    def _after(self, opening: int, end: int) -> int:
        """The offset behind the bracket that closes one."""
        known = self._closed.get(opening)
        if known is not None:
            return min(known, end)
        depth, at = 0, opening
        while at < end:
            passed = (self.lexis.within if depth > 0 else self.lexis.passed).match(self.data, at, end)
            if passed:
                at = passed.end()
                continue
            step, length = self._nesting(at)
            at += length
            depth += step
            if step < 0 and depth <= 0:
                return at
        return end

    def _nesting(self, at: int) -> tuple[int, int]:
        """Whether a bracket, or a block of words, opens (1) or closes (-1) at an offset, and in how many bytes."""
        word = self.lexis.blocks.match(self.data, at) if self.lexis.blocks is not None else None
        if word is not None:
            return (1 if word[1] is None else -1), len(word[0])
        character = self.data[at : at + 1]
        return (character in _OPEN) - (character in _CLOSE) if character else 0, 1

    def _split(self, at: int) -> Iterator[Argument]:
        last = min(len(self.data), at + self.longest)
        open_at: list[int] = []
        closed: dict[int, int] = {}
        position = 0
        begin = first = at = self._skipped(at, last)
        while at < last:
            opaque = self.lexis.opaque if at == begin else None
            passed = opaque.match(self.data, at, last) if opaque is not None else None
            passed = passed or (self.lexis.within if open_at else self.lexis.whole).match(self.data, at, last)
            if passed:
                at = passed.end()
                continue
            character = self.data[at : at + 1]
            if not open_at and character in (b",", b")", b"]", b"}"):
                argument = self._argument(begin, at, position)
                if argument is not None:
                    position += not argument.keyword
                    yield argument
                if character != b",":
                    if closed and (self.lexis.opaque is None or b"/" not in self.data[first:at]):
                        self._closed.update(closed)
                    return
                begin = at = self._skipped(at + 1, last)
                continue
            at = self._nested(at, last, open_at, closed)
        if len(open_at) > _NESTED and self.lexis.blocks is None and _CUT.search(self.data, first, last) is None:
            self._unclosed[:] = [*open_at, last]
        if last < len(self.data) and (cut := self._argument(begin, last, position)) is not None:
            yield cut

    def _nested(self, at: int, last: int, open_at: list[int], closed: dict[int, int]) -> int:
        """Behind a bracket or one other character; the brackets that are open by then, and those that closed."""
        known = self._closed.get(at)
        if known is not None and known <= last:
            return known
        if (passed := self._reopened(at, last, open_at)) > 0:
            return passed
        step, length = self._nesting(at)
        if step > 0:
            open_at.append(at)
        elif step < 0 and open_at:
            opening = open_at.pop()
            if len(open_at) >= _NESTED:
                closed[opening] = at + length
        return at + length

    def _reopened(self, at: int, last: int, open_at: list[int]) -> int:
        """Where a list around was left off, if it came by here; what is open there is added. -1 where it did not."""
        seen = self._unclosed
        if not seen or not at < seen[-1] <= last:
            return -1
        index = bisect_left(seen, at)
        if seen[index] != at:
            return -1
        open_at += seen[index:-1]
        return seen[-1]

    def _argument(self, begin: int, end: int, position: int) -> Argument | None:
        while end > begin and self.data[end - 1 : end].isspace():
            end -= 1
        if begin >= end:
            return None
        keyword = _KEYWORD.match(self.data, begin, end) if self.lexis.keywords else None
        if keyword is None:
            return Argument("", position, begin, end)
        name = keyword[1].decode("utf-8", "replace")
        return Argument(name, -1, self._skipped(keyword.end(), end), end)

    def _skipped(self, at: int, end: int | None = None) -> int:
        """Behind white space and comments."""
        noise = self.lexis.noise.match(self.data, at, len(self.data) if end is None else end)
        return noise.end() if noise else at


def _computed(string: re.Match[bytes]) -> bool:
    """Whether a string holds code."""
    return bool(set(string[1].lower()) & set(b"fbt")) or (string[2].startswith(b"`") and b"${" in string[2])
