"""Mending: right code that the grammar takes for broken, written so that the grammar understands it.

Owns: what the grammar does not know, and the text of the same length that stands in for it.
Must not know: facts, what any node means.
Invariant: offsets stay what they are and only the tree comes from the other text, where that is less broken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from tree_sitter import Node, Tree

from graphls.languages.extract.grammars import parse, parser
from graphls.languages.extract.recovery import Stretch

IMPORT_TYPE = b"import("
"""Begins the text of what reads as a plain name and is the module of a type."""
MOST = 400
"""Places of a kind that are mended in one file, and errors that are looked at."""
LONGEST = 4000
"""Bytes of a list of type parameters."""

Change: TypeAlias = tuple[int, bytes]
"""Offset, and what stands there instead."""

# Each pattern begins with plain letters, which are looked for many times faster than anything else; what stands before
# them is looked at then.
_USING = re.compile(rb"using[ \t]+(?=(?!of\b|in\b)[A-Za-z_$][\w$]*[ \t]*(?:[=:][^=]|of\b))")
_NAME_ENDS = re.compile(rb"[\w$.]\Z")
_SIGNATURE = re.compile(rb"\n[ \t]*(?=<)")
_COMMENT = re.compile(rb"(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)\s*\Z")
_TYPE_ENDS = re.compile(rb"[\w$\])>}'\"`]\Z")
_KEY_IN = re.compile(rb"in(?=\??[ \t]*:)")
_KEY_BEFORE = re.compile(rb"(?:[{;,\n]|\breadonly)\Z")
_IMPORTED = re.compile(rb"import\((?:'[^'\n]*'|\"[^\"\n]*\")\)")
_PART = re.compile(rb"(?:\.[\w$]+)+(?:\[\]|<[^;{}()]{0,400}>(?![ \t]*\())")
_WORD_ENDS = re.compile(rb"\w\Z")
_EXPORT_TYPE = re.compile(rb"export\s+(type)\s*\*")
_IMPORT_PHASE = re.compile(rb"import\s+(defer|source)(?=\s+(?:\*|[\w$]+)\s+(?:as|from)\b)")
_ACCESSOR = re.compile(rb"accessor(?=[ \t]+[\w$#\[])")
_MODIFIED = re.compile(rb"\b(?:static|abstract|override|declare|readonly|public|private|protected)\Z")
_FROM = re.compile(rb"from\s*(?:'[^'\n]*'|\"[^\"\n]*\")[ \t]*((?:with|assert)[ \t]*\{[^{}]{0,400}\})")
_IMPORT = re.compile(rb"import\s*(?:'[^'\n]*'|\"[^\"\n]*\")[ \t]*((?:with|assert)[ \t]*\{[^{}]{0,400}\})")
_PARAMETER = rb"(?=\s+(?!extends\b)[A-Za-z_$][\w$]*\s*(?:extends\b|[=,>]))"
_VARIANCES = tuple(re.compile(word + _PARAMETER) for word in (rb"in\s+out", rb"in", rb"out"))
_LISTED = re.compile(rb"[<,]\s*(?:const)?\Z")
_TYPE_NAME = re.compile(rb"type(?=\s+extends\b)")
_OPENED = re.compile(rb"\(\s*\Z")
_USED = re.compile(rb"using(?=\s*[:,)=.;?}\]])")
_UNTYPED = re.compile(rb"\((any|bigint|boolean|never|number|object|string|symbol|unknown)\)(?=\s*=>)")


def mended(data: bytes, tree: Tree, grammar: str, deciding: Sequence[Stretch] | None = None) -> Tree:
    """The tree of the text that the grammar understands better, if there is one. `deciding`: the stretches that decide
    how what is broken is parsed, where they are known: other words in sound code mend nothing."""
    data, tree = _constant(data, tree, grammar)
    if not tree.root_node.has_error:
        return tree
    text, decides = bytearray(data), deciding is None
    for rule in _RULES:
        for start, other in rule(data):
            if not _quoted(tree.root_node, start):
                text[start : start + len(other)] = other
                decides = decides or any(first <= start < end for first, end in deciding or ())
    if not decides or bytes(text) == data:
        return tree
    made = parse(parser(grammar), bytes(text))
    return made if _broken(made.root_node) < _broken(tree.root_node) else tree


def _constant(data: bytes, tree: Tree, grammar: str) -> tuple[bytes, Tree]:
    """`using x = y` and `await using x = y` declare as `const x = y` does; the grammar takes them for assignments."""
    if b"using" not in data:
        return data, tree
    text = bytearray(data)
    for _, (start, end) in zip(range(MOST), _usings(data), strict=False):
        if not _quoted(tree.root_node, start):
            text[start:end] = b"const".ljust(end - start)
    if bytes(text) == data:
        return data, tree
    made = parse(parser(grammar), bytes(text))
    return (bytes(text), made) if _broken(made.root_node) <= _broken(tree.root_node) else (data, tree)


def _usings(data: bytes) -> Iterator[tuple[int, int]]:
    """Where `using` or `await using` begins a declaration, and where its name begins."""
    for match in _USING.finditer(data):
        start = match.start()
        before = _skipped_back(data, start)
        if (
            before < start
            and data[max(0, before - 5) : before] == b"await"
            and not _behind(_NAME_ENDS, data, before - 5)
        ):
            yield before - 5, match.end()
        elif not _behind(_NAME_ENDS, data, start):
            yield start, match.end()


def _skipped_back(data: bytes, offset: int) -> int:
    """Where the blanks before a place begin."""
    while offset > 0 and data[offset - 1] in b" \t":
        offset -= 1
    return offset


def _behind(pattern: re.Pattern[bytes], data: bytes, offset: int) -> bool:
    """Whether what ends at a place does so as a pattern says."""
    return pattern.search(data[max(0, offset - 12) : offset]) is not None


def _signatures(data: bytes) -> Iterator[Change]:
    """A line that begins with type parameters is a member of its own: a semicolon before it."""
    for _, match in zip(range(MOST), _SIGNATURE.finditer(data), strict=False):
        at = match.end() - 1
        before = data[max(0, match.start() - LONGEST) : match.start()].rstrip()
        while comment := _COMMENT.search(before):
            before = before[: comment.start()].rstrip()
        if at > match.start() and _TYPE_ENDS.search(before[-1:]) and _called(data, at + 1):
            yield at, b";"


def _called(data: bytes, start: int) -> bool:
    """Whether `<...>` is followed by a bracket."""
    depth = 0
    for at in range(start, min(len(data), start + LONGEST)):
        sign = data[at]
        if sign == _OPEN:
            depth += 1
        elif sign == _CLOSE and data[at - 1] != _EQUALS:
            depth -= 1
            if depth == 0:
                return data[at + 1 : at + 20].lstrip().startswith(b"(")
    return False


def _keys(data: bytes) -> Iterator[Change]:
    """`in?: T`, which reads as variance."""
    places = (match.start() for match in _KEY_IN.finditer(data))
    found = (start for start in places if _behind(_KEY_BEFORE, data, _skipped_back(data, start)))
    return ((start, b"i_") for _, start in zip(range(MOST), found, strict=False))


def _imported(data: bytes) -> Iterator[Change]:
    """`import("m").T[]`, `import("m").T<U>`, `typeof import("m")` among type arguments: plain names for modules."""
    seen, match = 0, _IMPORTED.search(data)
    while match is not None and seen < MOST:
        start, end = match.span()
        is_typeof = data[max(0, start - 7) : start] == b"typeof "
        if is_typeof or (not _behind(_WORD_ENDS, data, start) and _PART.match(data, end)):
            seen += 1
            yield start, b"i" * (end - start)
            match = _IMPORTED.search(data, end)
        else:
            match = _IMPORTED.search(data, start + 1)


def _blank(data: bytes) -> Iterator[Change]:
    """Words that the grammar does not expect and that change no name: white space."""
    found = [
        match.span(1)
        for pattern in (_EXPORT_TYPE, _IMPORT_PHASE, _FROM, _IMPORT)
        for match in pattern.finditer(data)
        if not _behind(_WORD_ENDS, data, match.start())
    ]
    for match in _ACCESSOR.finditer(data):
        before = _skipped_back(data, match.start())
        if before < match.start() and _behind(_MODIFIED, data, before):
            found.append(match.span())
    for start, end in sorted(found)[:MOST]:
        yield start, re.sub(rb"[^\r\n]", b" ", data[start:end])


def _variances(data: bytes) -> Iterator[Change]:
    """`in`, `out` and `in out` before a type parameter: white space."""
    found = [match.span() for pattern in _VARIANCES for match in pattern.finditer(data)]
    for start, end in found[: 4 * MOST]:
        before = data[max(0, start - LONGEST) : start].rstrip()
        while comment := _COMMENT.search(before):
            before = before[: comment.start()].rstrip()
        if _LISTED.search(before[-12:]):
            yield start, re.sub(rb"[^\r\n]", b" ", data[start:end])


def _words(data: bytes) -> Iterator[Change]:
    """`type`, `using` and names of types as plain names where the grammar takes them for words of its own."""
    found = [match.end() for match in _TYPE_NAME.finditer(data) if _behind(_OPENED, data, match.start())]
    found += [match.end() for match in _USED.finditer(data) if not _behind(_NAME_ENDS, data, match.start())]
    found += [match.end(1) for match in _UNTYPED.finditer(data)]
    return ((end - 1, b"_") for end in found[: 4 * MOST])


def _quoted(root: Node, offset: int) -> bool:
    """Whether a place is in a comment or a string."""
    node = root.descendant_for_byte_range(offset, offset)
    return node is not None and node.type in ("comment", "string_fragment", "template_string", "regex_pattern")


def _broken(root: Node) -> int:
    """How much is not understood: bytes in errors, and what is missing."""
    amount = seen = 0
    pending = [root]
    while pending and seen < MOST:
        node = pending.pop()
        if node.is_error or node.is_missing:
            seen += 1
            amount += node.end_byte - node.start_byte + 1
        else:
            pending.extend(child for child in node.children if child.has_error or child.is_missing)
    return amount


_OPEN, _CLOSE, _EQUALS = b"<>="
_RULES: tuple[Callable[[bytes], Iterator[Change]], ...] = (
    _signatures,
    _keys,
    _imported,
    _blank,
    _variances,
    _words,
)
