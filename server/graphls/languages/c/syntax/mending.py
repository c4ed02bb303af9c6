"""Mending: right code that the grammar takes for broken, written so that the grammar understands it.

Owns: what the grammar does not know, and the text of the same length that stands in for it.
Must not know: facts, what any node means.
Invariant: offsets stay what they are and only the tree comes from the other text, where that is less broken.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from operator import ne
from typing import Final, TypeAlias

from tree_sitter import Node, Point, Tree

from graphls.languages.c.syntax.declaring_macros import without_declaring
from graphls.languages.c.syntax.directive_lines import (
    BLANKED,
    CONDITION,
    DIRECTIVE,
    EITHER,
    READ_APART,
    blank,
    in_code,
    lines_of,
    replaced,
)
from graphls.languages.c.syntax.newer_words import newer_c, newer_cpp
from graphls.languages.extract.grammars import ParserWork, parse, parser

_LIST: Final = re.compile(
    rb"(?:\benum\b\s*\w*\s*|=\s*)\{(?:[^;{}#]|\{[^;{}#]*+\}|#[ \t]*\w++(?:[^\n\\]|\\.|\\\r?\n)*+)*+\}", re.DOTALL
)
"""Enumerators, or the values of an array, with directives among them."""
_TEMPLATE: Final = re.compile(rb"\btemplate\s*<")
_GIVEN_MACRO: Final = re.compile(rb"\s*([A-Z][A-Z0-9_]{4,})\s*(?=\()")
_LONGEST_HEAD: Final = 1000
_OPENS, _CLOSES = b"()"
_WORD_BYTES: Final = bytes(chr(byte).isalnum() or byte == ord("_") for byte in range(128)) + bytes(128)
_CHOOSING: Final = re.compile(rb"\b(if\s+)[A-Z][A-Z0-9_]{3,}(?=\s*\()")
"""A macro between `if` and its condition."""
_CONSTRUCTING: Final = re.compile(
    rb"^([ \t]*)[A-Z][A-Z0-9_]{3,}(?=[ \t]+[A-Za-z_]\w*\((?:[^;{}()]|\([^;{}()]*\))*\)\s*(?:noexcept\s*)?:(?!:))",
    re.MULTILINE,
)
"""A word in capital letters in front of a constructor that initializes members."""
_ASKED: Final = re.compile(rb"(?<![\w\"])[A-Za-z_]\w*")
_PARENTHESES: Final = rb"\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)"
_ATTRIBUTE: Final = re.compile(
    rb"\b__attribute(?:__)?[ \t]*"
    + _PARENTHESES
    + rb"|\b__declspec[ \t]*"
    + _PARENTHESES
    + rb"|\b__asm(?:__)?[ \t]*"
    + _PARENTHESES
    + rb"(?=[ \t]*;)|\b__(?:inline|restrict|extension|forceinline|volatile)(?:__)?\b"
)
_CONTAINER: Final = re.compile(rb"\b([A-Z][A-Z0-9]*_OF[ \t]*\([ \t]*)(\w+)([ \t]*\))(?=\s*\*)")
"""A macro for a container of something, as a type: `STACK_OF(X509) *chain`."""
_HINT: Final = re.compile(
    rb"^[ \t]*__[a-z]\w*(?<!__)[ \t]+(?=[A-Za-z_]\w*[ \t]*(?:\*+[ \t]*|[ \t])[A-Za-z_]\w*\()", re.MULTILINE
)
"""A word that a compiler may take for a hint, in front of a type and a function: `__owur X509 *read(void);`."""
_STATEMENT: Final = re.compile(
    rb"^[ \t]*[A-Z_][A-Z0-9_]{2,}[ \t]*\((?:[^()\n;{}]|\([^()\n]*\))*\)[ \t]*$", re.MULTILINE
)
"""A macro that stands alone on its line, without a semicolon."""
_UNENDED: Final = re.compile(
    rb"^([ \t]+[A-Z_][A-Z0-9_]{2,}[ \t]*\((?:[^()\n;{}]|\([^()\n]*\))*\)[ \t]*\r?\n)[ \t](?![ \t]*\{)", re.MULTILINE
)
"""The same with a line behind it that begins with a blank."""
_LABEL: Final = re.compile(
    rb"\b[A-Z][A-Z0-9_]{2,}[ \t]*\((?:[^()\n;{}]|\([^()\n]*\))*\)(?=[ \t]*(?:[A-Za-z_]|;?[ \t]*$))", re.MULTILINE
)
_WRITING: Final = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(?:[^;\n\\(]|\\\r?\n)*[\w)\]];(?:[^\n\\]|\\\r?\n)*", re.MULTILINE
)
"""A macro without brackets whose text has declarations in it."""
_WORD: Final = re.compile(
    rb"\bPyObject_(?:VAR_)?HEAD\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b"
    rb"(?!\s*[=,)]|[ \t]*(?:[(.\[]|->|\*(?![ \t]*\w+[ \t]*\)[ \t]*\()))"
    rb"|(?:(?<=void )|(?<=char ))[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9](?=[ \t]*(?:\n[ \t]*)?\*)"
)
"""A word in capital letters where the grammar knows none. In front of `*` it is a type: `X509_REQ *x`, but not
in `(NAPI_CDECL *callback)(...)` and `void JEMALLOC_NOTHROW *`."""
_COUNTED: Final = re.compile(
    rb"\b[a-z_]\w*[ \t]*\([ \t]*\d+[ \t]*(?:,[ \t]*\d+[ \t]*)*\)"
    rb"(?=[ \t\r\n]+\**[ \t]*[A-Za-z_]\w*[ \t]*\([^;{}]*\)\s*[;{])"
)
"""A macro that is given numbers between a type and a function: `void printflike(1, 2) log(const char *, ...);`."""
_SPECIFIER: Final = re.compile(
    rb"^[ \t]*(?:[A-Z][A-Z0-9_]*|__[a-z]\w*(?<!__attribute__)(?<!__declspec)(?<!__extension__))[ \t]+"
    rb"(?=(?:const|static|extern|struct|union|enum|void|int|char|short|long|float|double|unsigned|signed|size_t)\b)",
    re.MULTILINE,
)
"""A word in capital letters in front of a type."""
_MARK: Final = re.compile(rb"(?<=[a-z0-9_][ \t])[A-Z][A-Z0-9_]{3,}(?=[ \t]*(?:[,){;=]|$))", re.MULTILINE)
"""A word in capital letters behind a name."""
_CAPITALS: Final = re.compile(rb"(?<![\w\"#])[A-Z][A-Z0-9_]+\b")
_EXPORTED: Final = re.compile(
    rb"(\b(?:class|struct|union|enum)[ \t]+)[A-Z][A-Z0-9_]{2,}(?:[ \t]*" + _PARENTHESES + rb")?"
    rb"(?=\s+[A-Za-z_][\w:]*(?:<[^<>;{}]*>)?\s*(?:final\s*)?[:{;])"
)
"""A word in capital letters between `class` and a name."""
_OPENED: Final = re.compile(
    rb"^[ \t]*([A-Z][A-Z0-9_]*(BEGIN|END|OPEN|CLOSE)_NAMESPACE|[A-Z][A-Z0-9_]*_NAMESPACE_(BEGIN|END|OPEN|CLOSE))\b"
    rb"(?:[ \t]*\([^()\n]*\))?[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
"""A macro that begins or ends a namespace, alone on its line."""
_EXPORTING: Final = re.compile(rb"^[ \t]*[A-Z][A-Z0-9_]*_(?:BEGIN|END)_EXPORT[ \t]*;?[ \t]*$", re.MULTILINE)
_BEGINNINGS: Final = (b"BEGIN", b"OPEN")
_NAMESPACE: Final = b"namespace{"
_QUEUE: Final = re.compile(
    rb"(\b(?:LIST|SLIST|STAILQ|TAILQ|SIMPLEQ|CIRCLEQ|RB|SPLAY)_HEAD[ \t]*\()"
    rb"([ \t]*\w*)([ \t]*,\s*(?:struct[ \t]+)?(\w+)[ \t]*\))"
)
"""The head of a list of BSD."""
_ARGUMENT: Final = re.compile(
    rb"(?<=[(,])[ \t]*(?:const[ \t]+)?(?:struct|union|enum)[ \t]+(\w+)(?:[ \t]*\*+)?(?=[ \t]*[,)])"
)
"""A type as an argument of a macro."""
_ANNOTATION: Final = re.compile(
    rb"(?<=[\w)\]])(?<!return)(?<!else)(?<!case)(?<!throw)\s+[A-Z][A-Z0-9_]{3,}[ \t]*"
    + _PARENTHESES
    + rb"(?=\s*(?:[;{=:]|[A-Z][A-Z0-9_]{3,}[ \t]*[;({]))"
)
"""A macro with arguments between a declarator and the end of its declaration."""
_AMID: Final = re.compile(rb"/\*[^*\n]*(?:\*(?!/)[^*\n]*)*\*/(?=[ \t]*(?:[^\s/\\]|\\\r?\n[ \t]*\S))")
"""A comment in a directive, with more of it behind."""
_UNCALLED: Final = re.compile(
    rb"\b([A-Z][A-Z0-9_]{2,}[ \t]*\()([ \t]*=[^()\n;{}]*|[A-Za-z_][^()\n;{}]*;[ \t]*)(\))(?=[ \t]*(?:;|$))",
    re.MULTILINE,
)
"""A macro that is given what no call is: a value with its sign, or a whole declaration."""
_ENUMERATOR: Final = re.compile(
    rb"^([ \t]*(?!return\b|else\b|case\b|typedef\b|static\b|extern\b)[A-Za-z_]\w*(?:\s|/\*[^*]*\*/)+)"
    rb"[A-Z][A-Z0-9_]{3,}[ \t]*" + _PARENTHESES + rb"(?=\s*[=,}])",
    re.MULTILINE,
)
"""A macro with arguments between the name of an enumerator and what is behind it."""
_ENUMERATING: Final = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\([ \t]*(\w+)[ \t]*(?:,[^()\n]*)?\)(?:[ \t]|\\\r?\n)+(\2)\b(?![ \t]*[#(.\[])",
    re.MULTILINE,
)
"""A macro whose text begins with its first argument."""
_BLOCK: Final = re.compile(rb"\b[A-Z][A-Z0-9_]{2,}[ \t]*" + _PARENTHESES + rb"(?=\s*\{)")
"""A macro with a block behind it."""
_RARE: Final = re.compile(rb"\b(?:_?WIN(?:32|64)|_MSC_VER|__BORLANDC__|__MINGW32__)\b")
_DIFFERING: Final = re.compile(rb"\x01(?:\x00{0,2}\x01)*")
_BLOCK_BYTES: Final = 1024
MendingRule: TypeAlias = Callable[[bytes, Tree], bytes]
_FAR_WORSE: Final = 4
_MOST_HALVES: Final = 10
"""Texts that are tried where one rule makes a file far worse."""
_MOST_IN_VAIN: Final = 2_000
"""Work of the parser on a text that stays one broken place from start to end, however it is mended. Most such texts
take a tenth to a third of that a time; of some nothing of the tree before is of use, and each costs half a second."""
_LEAST_WORK: Final = 100
_WORK_A_KILOBYTE: Final = {"c": 32, "cpp": 16}
"""Work of the parser on other texts of one file, beside that on its own: a third of a second a megabyte of C++, about,
and twice that of C, whose trees are read in half the time."""
MOST: Final = 200
"""Broken places of one file."""
_NEAR: Final = 500
"""Bytes between a broken place and the directive of a condition that may have to do with it."""


class _Tries:
    """Other texts that were tried for one file."""

    def __init__(self, grammar: str, size: int) -> None:
        self._grammar, self._size = grammar, size
        self._looks = self._in_vain = 0

    def are_over(self) -> bool:
        """Whether no more is to be tried: a text that much is broken of costs as much each time as it did at first."""
        most = _LEAST_WORK + self._size * _WORK_A_KILOBYTE[self._grammar] // 1000
        return self._in_vain > min(2 * most, _MOST_IN_VAIN) or self._looks > most

    def tried(self, text: bytes, before: Tree) -> tuple[Tree, int]:
        """The tree of a text, and how much of it is broken."""
        work = ParserWork()
        made = parse(parser(self._grammar), text, before, work)
        broken = _broken(made.root_node)
        if broken > self._size:
            self._in_vain += work.looks
        else:
            self._looks += work.looks
        return made, broken


def mended(data: bytes, tree: Tree, *, fresh: bool = True) -> tuple[bytes, Tree]:
    """The text that the grammar understands better, if there is one, and its tree. `fresh`: the tree given was made
    from scratch."""
    return _mended(data, tree, "c", _RULES, fresh=fresh)


def mended_cpp(data: bytes, tree: Tree | None) -> tuple[bytes, Tree]:
    """The same of C++, where a word between `class` and its name is no error to the grammar, but another statement."""
    text = in_code(data, lambda code: _EXPORTING.sub(blank, _EXPORTED.sub(_blank_word, code)))
    opened = opened_by_macros(text)
    if opened:
        other = bytearray(text)
        for start, end, begins in opened:
            mark = _NAMESPACE if begins else b"}"
            other[start:end] = mark.ljust(end - start)
        text = bytes(other)
    if tree is None or text != data:
        tree = parse(parser("cpp"), text)
    return _mended(text, tree, "cpp", _CPP_RULES)


def opened_by_macros(data: bytes) -> list[tuple[int, int, bool]]:
    """Words that begin and end namespaces, where each one that begins has one that ends: start, end, which it is."""
    found: list[tuple[int, int, bool]] = []
    depth, code = 0, replaced(DIRECTIVE, blank, data) if b"_NAMESPACE" in data else b""
    for match in _OPENED.finditer(code):
        begins = (match[2] or match[3]) in _BEGINNINGS
        depth += 1 if begins else -1
        if depth < 0 or len(match[1]) < len(_NAMESPACE):
            return []
        found.append((*match.span(1), begins))
    return [] if depth else found


def _blank_word(match: re.Match[bytes]) -> bytes:
    return match[1] + b" " * (len(match[0]) - len(match[1]))


def _blank_rest(match: re.Match[bytes]) -> bytes:
    return match[1] + match[0][len(match[1]) :].translate(BLANKED)


def _mended(
    data: bytes, tree: Tree, grammar: str, rules: Sequence[MendingRule], *, fresh: bool = True
) -> tuple[bytes, Tree]:
    """Each other text is parsed from the tree of the one before: it differs in a few places. Near an error such a tree
    may rest on the tree before, so the first has to be one from scratch, which the text alone decides."""
    if grammar == "c" and _QUEUE.search(data) is not None:
        other = _queues(data, tree)  # the grammar takes them for calls
        if other != data:
            data, tree, fresh = other, parse(parser(grammar), other), True
    if not tree.root_node.has_error:
        return data, tree
    text, least, base = data, _broken(tree.root_node), tree if fresh else None
    work, refused = _Tries(grammar, len(text)), list[bytes]()
    for rule in rules:
        if not least or work.are_over():
            break
        other = rule(text, tree)
        if other == text or other in refused:
            continue
        tried, base = other, base or parse(parser(grammar), text)
        made, broken = work.tried(other, _edited(base, text, other))
        if broken > _FAR_WORSE * least:  # one place in the wrong makes all of a file one error
            other, made, broken = _helping(text, other, base, least, work)
        # Where a whole file is one broken place, what is surely no code of C may leave as much broken as there was.
        if broken < least or (broken == least and rule in _SURE):
            text, tree, least, base, refused = other, made, broken, made, []
        else:
            refused.append(tried)
    return text, tree


def _helping(text: bytes, other: bytes, base: Tree, least: int, work: _Tries) -> tuple[bytes, Tree, int]:
    """The places where another text differs that leave it less broken: halves of what does harm, and halves of halves.
    Where the first half does none, the second does, and is halved without a look at it."""
    best, made, tries = text, base, 0
    harmful = [list(_differing(text, other))]
    while harmful and tries < _MOST_HALVES and not work.are_over():
        part = harmful.pop(0)
        first, second = part[: len(part) // 2], part[len(part) // 2 :]
        for half in (first, second) if first else ():
            tried = bytearray(best)
            for start, end in half:
                tried[start:end] = other[start:end]
            tries += 1
            tree, broken = work.tried(bytes(tried), _edited(made, best, bytes(tried)))
            if broken > _FAR_WORSE * least:
                harmful.append(half)
                continue
            if broken < least:
                best, made, least = bytes(tried), tree, broken
            if half is first:
                harmful.append(second)
                break
    return best, made, least


def _edited(tree: Tree, text: bytes, other: bytes) -> Tree:
    """The tree of a text, edited to where another text of the same length and the same lines differs."""
    made = tree.copy()
    row = line = at = 0
    for start, end in _differing(text, other):
        row += text.count(b"\n", at, start)
        line, at = max(line, text.rfind(b"\n", at, start) + 1), start
        rows = text.count(b"\n", start, end)
        last = text.rfind(b"\n", start, end) + 1 if rows else line
        here, there = Point(row, start - line), Point(row + rows, end - last)
        made.edit(start, end, end, here, there, there)
    return made


def _differing(text: bytes, other: bytes) -> Iterator[tuple[int, int]]:
    """Where two texts of one length differ, block by block."""
    for block in range(0, len(text), _BLOCK_BYTES):
        one, another = text[block : block + _BLOCK_BYTES], other[block : block + _BLOCK_BYTES]
        if one != another:
            for match in _DIFFERING.finditer(bytes(map(ne, one, another))):
                yield block + match.start(), block + match.end()


def blanked_words(data: bytes, text: bytes) -> Iterator[tuple[int, int]]:
    """Words that the other text lacks: names of macros, in capital letters or given numbers, and those that conditions
    ask for."""
    for match in lines_of(CONDITION, data) if data != text else ():
        if text[match.start(1)] != data[match.start(1)]:
            for word in _ASKED.finditer(data, match.end(1), match.end()):
                if word[0] != b"defined" and _CAPITALS.fullmatch(word[0]) is None:
                    yield word.span()
    apart = [match.span() for match in _read_apart(data, text)]
    if data == text:
        return
    for match in _words_lost(_CAPITALS, data, text):
        at = bisect_right(apart, (match.start(), len(data))) - 1
        if at < 0 or match.start() >= apart[at][1]:
            yield match.span()
    for match in _words_lost(_COUNTED, data, text):
        yield match.start(), match.start() + len(match[0].partition(b"(")[0].rstrip())


def blanked_directives(data: bytes, text: bytes) -> bytes:
    """Nothing but the macros and includes that the other text lacks, where they stand; "" where it lacks none."""
    found = list(_read_apart(data, text))
    if not found:
        return b""
    other = bytearray(data.translate(BLANKED))
    for match in found:
        other[match.start() : match.end()] = match[0]
    return bytes(other)


def _words_lost(pattern: re.Pattern[bytes], data: bytes, text: bytes) -> Iterator[re.Match[bytes]]:
    """What a pattern that begins with a word finds where the other text lacks that."""
    for start, end in _differing(data, text):
        at = start
        while at < end:
            found = None
            if data[at] != text[at] and not (at and _WORD_BYTES[data[at - 1]]):
                found = pattern.match(data, at)
            if found is not None:
                yield found
            at = at + 1 if found is None else max(found.end(), at + 1)


def _read_apart(data: bytes, text: bytes) -> Iterator[re.Match[bytes]]:
    for match in lines_of(READ_APART, data) if data != text else ():
        at = data.index(b"#", match.start())
        if text[at] != data[at]:
            yield match


def _broken(root: Node) -> int:
    """Bytes below broken nodes, and what is missing."""
    count, pending = 0, [root] if root.has_error else []
    while pending:
        node = pending.pop()
        if node.is_error:
            count += node.end_byte - node.start_byte + 1
        elif node.is_missing:
            count += 1
        else:
            pending += [child for child in node.children if child.has_error or child.is_missing]
    return count


def _attributes(data: bytes, tree: Tree) -> bytes:
    return in_code(data, lambda text: _HINT.sub(blank, _CONTAINER.sub(_blank_around, _ATTRIBUTE.sub(blank, text))))


def _queues(data: bytes, tree: Tree) -> bytes:
    """`TAILQ_HEAD(name, type)` of BSD is `struct name { };`, and without a name a struct without one."""
    return in_code(data, lambda code: _QUEUE.sub(_queue, code))


def _queue(match: re.Match[bytes]) -> bytes:
    word, name, rest = match[1], match[2], match[3]
    if not name.strip():
        return b"int" + b" " * (len(match[0]) - 3)
    return b"struct".ljust(len(word)) + name + rest[:-2].translate(BLANKED) + b"{}"


def queue_types(data: bytes, text: bytes) -> Iterator[tuple[int, int]]:
    """Tags that such macros are given, which the other text lacks."""
    for match in _QUEUE.finditer(data) if data != text else ():
        if text[match.start()] != data[match.start()]:
            yield match.span(4)


def _members(data: bytes, tree: Tree) -> bytes:
    """Blanks macros of the file that write members, where one may begin."""
    names = sorted({found[1] for found in _WRITING.finditer(data)})
    if not names:
        return data
    written = re.compile(rb"(?<=[;{}\n])[ \t]*\b(?:" + b"|".join(names) + rb")\b(?=\s*[A-Za-z_};])")
    return in_code(data, lambda code: written.sub(blank, code))


def _counted(data: bytes, tree: Tree) -> bytes:
    return in_code(data, lambda text: _COUNTED.sub(blank, text))


def _statements(data: bytes, tree: Tree) -> bytes:
    return in_code(data, lambda text: _STATEMENT.sub(blank, text))


def _ended(data: bytes, tree: Tree) -> bytes:
    """Ends macros that stand alone on their lines, as `FOREACH(one, list)`, in the blank that begins the next line."""
    return in_code(data, lambda text: _UNENDED.sub(rb"\1;", text))


def _specifiers(data: bytes, tree: Tree) -> bytes:
    return in_code(data, lambda text: _SPECIFIER.sub(blank, text))


def _heads(data: bytes, tree: Tree) -> bytes:
    """Macros of C++ that stand for a parameter of a template, with a condition (`FMT_ENABLE_IF(!x)`), in front of
    constructors and of conditions."""
    text = bytearray(data)
    for head in _TEMPLATE.finditer(data):
        for macro in _macros_of_head(data, head.end()):
            start, end = macro.span(1)
            text[start:end] = b"int" + b" " * (end - start - 4) + b"="
    return in_code(bytes(text), lambda code: _CONSTRUCTING.sub(_blank_word, _CHOOSING.sub(_blank_word, code)))


def _macros_of_head(data: bytes, at: int) -> Iterator[re.Match[bytes]]:
    """Macros that stand where a parameter of a template begins."""
    angles = 1
    macro = _GIVEN_MACRO.match(data, at)
    for end in range(at, min(at + _LONGEST_HEAD, len(data))):
        if end < at:
            continue
        if macro is not None:
            yield macro
            at, macro = _closed(data, macro.end()), None
            continue
        sign = data[end : end + 1]
        angles += (sign == b"<") - (sign == b">" and data[end - 1 : end] != b"-")
        if not angles or sign in (b"{", b"}", b";"):
            return
        if sign == b"(":
            at = _closed(data, end)
        elif sign == b"," and angles == 1:
            macro = _GIVEN_MACRO.match(data, end + 1)


def _closed(data: bytes, at: int) -> int:
    """Behind the bracket that closes the one at a place."""
    depth = 0
    for end in range(at, min(at + _LONGEST_HEAD, len(data))):
        depth += (data[end] == _OPENS) - (data[end] == _CLOSES)
        if not depth:
            return end + 1
    return at + 1


def _words(data: bytes, tree: Tree) -> bytes:
    """Blanks words in capital letters near what is broken."""
    return _near(data, tree, _WORD)


def _marks(data: bytes, tree: Tree) -> bytes:
    """Blanks words in capital letters behind names near what is broken."""
    return _near(data, tree, _MARK)


def _calls(data: bytes, tree: Tree) -> bytes:
    """Blanks what looks like a call of a macro near what is broken."""
    return _near(data, tree, _LABEL)


def _annotations(data: bytes, tree: Tree) -> bytes:
    """Blanks macros between a declarator and the end of its declaration near what is broken."""
    return _near(data, tree, _ANNOTATION, 3)


def _commented(data: bytes, tree: Tree) -> bytes:
    """Blanks comments in the midst of the text of a macro, with which it ends to the grammar."""
    return replaced(DIRECTIVE, lambda one: _AMID.sub(blank, one[0]) if b"/*" in one[0] else one[0], data)


def _enumerators(data: bytes, tree: Tree) -> bytes:
    """Leaves the name of macros that write enumerators: `NAME(first, 1),` where the text of `NAME` begins so; of those
    that wrap a declaration or its value, these."""
    data = in_code(data, lambda code: _UNCALLED.sub(_blank_around, _ENUMERATOR.sub(_blank_rest, code)))
    names = sorted({found[1] for found in _ENUMERATING.finditer(data)}, key=len, reverse=True)
    if not names:
        return data
    written = re.compile(
        rb"^([ \t]*(?:"
        + b"|".join(names)
        + rb")[ \t]*\([ \t]*)([A-Za-z_]\w*)([ \t]*(?:,(?:[^()]|"
        + _PARENTHESES
        + rb")*)?\))(?=\s*(?:[,}]|/\*|//|$))",
        re.MULTILINE,
    )
    return in_code(data, lambda code: written.sub(_blank_around, code))


def _blank_around(match: re.Match[bytes]) -> bytes:
    return match[1].translate(BLANKED) + match[2] + match[3].translate(BLANKED)


def _arguments(data: bytes, tree: Tree) -> bytes:
    """Leaves the names of types that macros are given near what is broken."""
    return _near(data, tree, _ARGUMENT)


def _blocks(data: bytes, tree: Tree) -> bytes:
    """Blanks macros in front of blocks near what is broken."""
    return _near(data, tree, _BLOCK, 1)


def _near(data: bytes, tree: Tree, pattern: re.Pattern[bytes], lines: int = 0) -> bytes:
    text = bytearray(data)
    directives = [match.span() for match in lines_of(EITHER, data)]
    for start, end in _stretches(tree.root_node, data, lines):
        for match in pattern.finditer(data, start, end):
            at = bisect_right(directives, (match.start(), len(data))) - 1
            if at < 0 or match.start() >= directives[at][1]:  # names of macros stay
                name = match.group(1) if pattern.groups else b""
                at = match.start(1) if pattern.groups else match.end()
                text[match.start() : match.end()] = blank(match)
                text[at : at + len(name)] = name
    return bytes(text)


def _places(root: Node, data: bytes) -> list[tuple[int, int]]:
    """The lines of broken places, with the line before."""
    found: list[tuple[int, int]] = []
    pending = [root]
    while pending and len(found) < MOST:
        node = pending.pop()
        if node.is_error or node.is_missing:
            begin = data.rfind(b"\n", 0, max(0, data.rfind(b"\n", 0, node.start_byte)))
            end = data.find(b"\n", node.end_byte)
            found.append((begin + 1, len(data) if end < 0 else end))
        else:
            pending += [child for child in node.children if child.has_error or child.is_missing]
    return found


def _stretches(root: Node, data: bytes, lines: int) -> list[tuple[int, int]]:
    """The lines of broken places and some behind each, one stretch where they meet: there may be many in one line."""
    found: list[tuple[int, int]] = []
    for start, last in sorted(_places(root, data)):
        end = last
        for _ in range(lines):
            end = data.find(b"\n", end + 1) if end >= 0 else end
        end = end if end >= 0 else len(data)
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _lists(data: bytes, tree: Tree) -> bytes:
    """Blanks macros and includes among enumerators and values, which are read apart."""
    return _LIST.sub(lambda match: replaced(READ_APART, blank, match[0]), data)


def _conditions(data: bytes, tree: Tree) -> bytes:
    """Blanks the directives of conditions: every branch is read, as if all held."""
    return replaced(CONDITION, blank, data)


def _inner_conditions(data: bytes, tree: Tree) -> bytes:
    """Blanks the directives of the innermost conditions around broken places."""
    text = bytearray(data)
    for parts in _branches(data, tree, inner=True):
        for part in parts:
            text[part.start() : part.end()] = blank(part)
    return bytes(text)


def _inner_branches(data: bytes, tree: Tree) -> bytes:
    """Keeps one branch of the innermost conditions around broken places."""
    text = bytearray(data)
    for parts in _branches(data, tree, inner=True):
        _keep_one(text, parts)
    return bytes(text)


def _first_branches(data: bytes, tree: Tree) -> bytes:
    """Keeps one branch of each condition that has a broken place in it or around it."""
    text = bytearray(data)
    for parts in _branches(data, tree, inner=False):
        _keep_one(text, parts)
    return bytes(text)


def _branches(data: bytes, tree: Tree, *, inner: bool) -> Iterator[list[re.Match[bytes]]]:
    """The directives of each condition that has a broken place in it or around it. `inner`: of conditions in each other
    the innermost for each place."""
    places = set(_places(tree.root_node, data))
    open_: list[list[re.Match[bytes]]] = []
    for match in lines_of(CONDITION, data):
        word = match[1]
        if word.startswith(b"if"):
            open_.append([match])
        elif open_ and word != b"endif":
            open_[-1].append(match)
        elif open_:
            parts = [*open_.pop(), match]
            start, end = parts[0].start(), match.end()
            # What lacks the statement behind a condition ends in front of it.
            found = [
                place for place in places if start <= place[1] + inner and place[0] <= end and _is_at(place, parts)
            ]
            if found:
                yield parts
                places.difference_update(found if inner else ())


def _is_at(place: tuple[int, int], parts: Sequence[re.Match[bytes]]) -> bool:
    """Whether one of a condition's directives is near a place. Others, as those around a whole header, do not break it,
    and without them all of it is parsed again."""
    at = bisect_left(parts, place[0] - _NEAR, key=lambda part: part.end())
    return at < len(parts) and parts[at].start() <= place[1] + _NEAR


def _keep_one(text: bytearray, parts: list[re.Match[bytes]]) -> None:
    """Blanks the directives of one condition, and every branch but the first that can hold."""
    first = parts[0][0]
    chosen = 1 if len(parts) > 2 and (first.split()[-1:] == [b"0"] or _is_rare(first)) else 0
    for at, part in enumerate(parts):
        text[part.start() : part.end()] = blank(part)
        if at + 1 < len(parts) and at != chosen:
            start, end = part.end(), parts[at + 1].start()
            text[start:end] = bytes(text[start:end]).translate(BLANKED)


def _is_rare(condition: bytes) -> bool:
    """Whether a condition asks for Windows or its compiler, of which less code is read with less harm."""
    return _RARE.search(condition) is not None and b"ifndef" not in condition and b"!" not in condition


_RULES: Final = (
    _attributes,
    _commented,
    newer_c,
    _enumerators,
    without_declaring,
    _lists,
    _members,
    _counted,
    _arguments,
    _specifiers,
    _words,
    _marks,
    _ended,
    _statements,
    _conditions,
    _calls,
    _first_branches,
    _words,
    _calls,
)
_SURE: Final = frozenset((_attributes, _commented, _enumerators, _counted))
_CPP_RULES: Final = (
    _words,  # it helps most texts most, and what is tried behind it costs less
    _attributes,
    _commented,
    newer_cpp,
    _heads,
    _lists,
    _annotations,
    _blocks,
    _specifiers,
    _words,
    _marks,
    _statements,
    _calls,
    _inner_conditions,
    _inner_branches,
    _first_branches,
    _words,
    _calls,
)
