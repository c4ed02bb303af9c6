"""Cython: a module of Cython as the Python module that says the same of names.

Owns: which words of Cython are types, declarations and casts, and how Python writes them.
Must not know: facts, grammars, other files, what C declares.
Invariant: each word of the module stands for that word of the file; one line of the file is read at a time, each word
    once. What is left out and may name something is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.languages.extract.relocation import StretchedText

_TOKEN: Final = re.compile(
    rb"(?P<text>[rRbBuUfFcC]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''(?:[^\\]|\\.)*?(?:'''|\Z)"
    rb"|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?))"
    rb"|(?P<word>[A-Za-z_\x80-\xff][\w\x80-\xff]*)|(?P<number>(?:\d[\w.]*(?<=[eE])[+-])?\.?\d[\w.]*)"
    rb"|(?P<space>(?:[ \t\f\r]|\\\r?\n)+)|(?P<comment>#[^\n]*)|(?P<line>\n)"
    rb"|(?P<mark>\.\.\.|->|\*\*|<<|>>|[<>=!]=|:=|.)",
    re.DOTALL,
)
_INCLUDED: Final = re.compile(rb"[\"'](?:\./)?((?:\w+/)*\w+(?:\.pxi)?)(?:\.pyx|\.pxd)?[\"']\Z")
_CAST_IN_TEXT: Final = re.compile(rb"(?<=[{(,])<[\w.* ]+\??>")
_COMPUTED: Final = re.compile(rb"[rR]?[fF]")
_SUFFIX: Final = re.compile(rb"(?<=\d)[uUlL]+\Z|(?<=[0-9a-fA-F])[uUlL]+\Z")
_OPENING: Final = frozenset((b"(", b"[", b"{"))
_CLOSING: Final = frozenset((b")", b"]", b"}"))
_MODIFIERS: Final = frozenset((b"public", b"readonly", b"inline", b"api", b"extern", b"packed", b"static", b"volatile"))
_C_WORDS: Final = frozenset((
    b"int", b"long", b"short", b"char", b"double", b"float", b"void", b"unsigned", b"signed", b"const", b"bint",
    b"size_t", b"ssize_t", b"Py_ssize_t", b"Py_hash_t", b"Py_UCS4", b"Py_UNICODE", b"ptrdiff_t", b"object", b"struct",
    b"union", b"enum", b"fused", b"complex", b"volatile", b"nogil", b"gil", b"except", b"noexcept", b"with", b"not",
    b"or", b"None", b"NULL", b"inline", b"public", b"readonly", b"api", b"extern", b"ndim", b"mode", b"new", b"str",
    b"bytes", b"list", b"dict", b"tuple", b"set", b"bool", b"unicode", b"type",
))  # fmt: skip
"""Words in types that name nothing a workspace declares."""
_QUALIFIERS: Final = frozenset((b"const", b"struct", b"union", b"enum", b"volatile"))
_PYTHON_TYPES: Final = frozenset((b"int", b"float", b"str", b"bytes", b"list", b"dict", b"tuple", b"set", b"bool"))
_BLOCKS: Final = frozenset((b"struct", b"union", b"enum", b"cppclass", b"fused"))
_BEFORE_OPERAND: Final = frozenset((
    b"", b"(", b"[", b"{", b",", b"=", b":", b"+", b"-", b"*", b"/", b"%", b"<", b">", b"==", b"!=", b"<=", b">=", b"&",
    b"|", b"^", b"~", b"<<", b">>", b"**", b":=", b";", b"return", b"and", b"or", b"not", b"in", b"is", b"if", b"else",
    b"elif", b"while", b"yield", b"await", b"lambda", b"assert", b"raise", b"del", b"for", b"with", b"print",
))  # fmt: skip
_IN_CASTS: Final = frozenset((b".", b"*", b"**", b"&", b"[", b"]", b":", b",", b"?", b"(", b")"))
_VIEW: Final = frozenset((b":", b",", b"1", b"*"))
"""Between the brackets of a view of memory: `double[:, ::1]`."""
_SPACED: Final = ["space", "word"]
_CONDITIONS: Final = {b"IF": b"if", b"ELIF": b"elif", b"ELSE": b"else"}
_FILLED: Final = b" = ..."
MOST_LEFT_OUT: Final = 100
"""Stretches that are said one by one; the others are said as one."""


@attrs.frozen
class Token:
    """One word, mark or space."""

    kind: str
    text: bytes
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


@attrs.frozen(eq=False)
class CythonModule:
    """The module, and the stretches of the file that it lacks and that may name something."""

    module: StretchedText
    left_out: Sequence[tuple[int, int]]


def read_cython(data: bytes) -> CythonModule:
    """A file of Cython as Python."""
    rewriting = _Rewriting()
    for line in _lines(data):
        rewriting.line(line)
    return CythonModule(rewriting.module, _merged(rewriting.left_out))


def _merged(stretches: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    found = sorted(stretches)
    rest = found[MOST_LEFT_OUT:]
    return [*found[:MOST_LEFT_OUT], (rest[0][0], max(end for _, end in rest))] if rest else found


def _lines(data: bytes) -> Iterator[Sequence[Token]]:
    """Tokens of each line, whose brackets may hold further ones."""
    line: list[Token] = []
    depth = 0
    for found in _TOKEN.finditer(data):
        token = Token(found.lastgroup or "", found[0], found.start())
        line.append(token)
        if token.kind == "mark":
            depth = max(0, depth + (token.text in _OPENING) - (token.text in _CLOSING))
        elif token.kind == "line" and not depth:
            yield line
            line = []
    if line:
        yield line


@attrs.define(eq=False)
class _CythonBlock:
    """Lines further in than its head. `how`: `dropped`, `enum`, `code`, `declarations`, `extern`: as C has these."""

    indentation: int
    how: str
    name: Token | None = None
    """Of an enumeration of C, until its first member: these stand beside it, not in it."""


class _Rewriting:
    """One file, line by line."""

    def __init__(self) -> None:
        self.module = StretchedText()
        self.left_out: list[tuple[int, int]] = []
        self._blocks: list[_CythonBlock] = []
        self._casts: list[Sequence[Token]] = []
        """Types of casts in the statement that is read."""

    # ------------------------------------------------------------ output

    def _keep(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            self.module.add(token.text, token.start, len(token.text))

    def _put(self, text: bytes, at: int) -> None:
        """Marks and words of the language that stand nowhere in the file."""
        self.module.add(text, at, 0)

    def _tail(self, token: Token, text: bytes) -> None:
        """The end of a word, which is one of Python."""
        self.module.add(text, token.end - len(text), len(text))

    def _drop(self, tokens: Sequence[Token]) -> None:
        """Says where words are left out that may name something."""
        named = [token for token in tokens if token.kind == "word" and token.text not in _C_WORDS]
        if named:
            self.left_out.append((named[0].start, named[-1].end))

    # ------------------------------------------------------------ lines

    def line(self, line: Sequence[Token]) -> None:
        """Adds one line."""
        first = next((at for at, token in enumerate(line) if token.kind not in ("space", "line", "comment")), None)
        if first is None:
            self._keep(line)
            return
        indentation = len(line[0].text.expandtabs()) if line[0].kind == "space" else 0
        while self._blocks and indentation <= self._blocks[-1].indentation:
            self._blocks.pop()
        last = len(line)
        while last > first and line[last - 1].kind in ("space", "line", "comment"):
            last -= 1
        how = self._blocks[-1].how if self._blocks else ""
        if how == "dropped":
            return
        self._keep(line[:first])
        self._statement(line[first:last], indentation, how)
        simple = line[last - 1].text != b":" and line[first].text != b"@"
        for types in self._casts:
            if not (simple and self._annotation(types, b"; ", line[last - 1].end)):
                self._drop(types)
        self._casts.clear()
        self._keep([token for token in line[last:] if token.kind == "line"])

    def _statement(self, tokens: Sequence[Token], indentation: int, how: str) -> None:
        words = [token.text for token in tokens if token.kind != "space"]
        head = words[0]
        if how == "enum":
            self._name_before(self._blocks[-1])
            self._members(tokens)
        elif head in (b"cdef", b"cpdef", b"ctypedef"):
            self._declaration(_without(tokens, 1), words[1:], indentation, tokens[0])
        elif how in ("declarations", "extern") and head not in (b"pass", b"def") and tokens[0].kind == "word":
            self._declaration(tokens, words, indentation, None)
        elif head == b"def" or words[:2] == [b"async", b"def"]:
            at = next(place for place, token in enumerate(tokens) if token.text == b"def") + 1
            self._keep(tokens[:at])
            self._put(b" ", tokens[at - 1].end)
            self._function(_trimmed(tokens[at:]), typed=False)
        else:
            self._other(tokens, words)

    def _other(self, tokens: Sequence[Token], words: Sequence[bytes]) -> None:
        """What declares nothing of C."""
        head = words[0]
        if head == b"cimport" or (head == b"from" and b"cimport" in words):
            for token in tokens:
                self._tail(token, b"import") if token.text == b"cimport" else self._keep((token,))
        elif head == b"include" and len(words) == 2 and tokens[-1].kind == "text":
            self._include(tokens[-1])
        elif head == b"DEF":
            self._expression(_without(tokens, 1))
        elif head in _CONDITIONS:
            self._put(_CONDITIONS[head], tokens[0].start)
            self._expression(tokens[1:])
        elif head == b"for" and b"from" in words and b"in" not in words:
            for token in tokens:
                self._put(b"in", token.start) if token.text == b"from" else self._expression((token,))
        elif head == b"property" and words[-1] == b":" and len(words) == 3:
            self._put(b"class ", tokens[0].start)
            self._keep(_without(tokens, 1))
        else:
            self._expression(tokens)

    def _include(self, text: Token) -> None:
        """A file that stands here: what it defines is imported from it."""
        found = _INCLUDED.match(text.text)
        if found is None:
            self._put(b"0", text.start)
            return
        self._put(b"from .", text.start)
        for at, part in enumerate(found[1].split(b"/")):
            start = text.start + found.start(1) + sum(len(one) + 1 for one in found[1].split(b"/")[:at])
            self._put(b"." if at else b"", start)
            self.module.add(part, start, len(part))
        self._put(b" import ", text.end)
        self.module.add(b"*", text.end - 1, 1)

    # ------------------------------------------------------------ declarations

    def _declaration(
        self, tokens: Sequence[Token], words: Sequence[bytes], indentation: int, head: Token | None
    ) -> None:
        tokens = self._plain(tokens, words)
        words = [token.text for token in tokens if token.kind != "space"]
        if not words:
            self._put(b"0", tokens[0].start if tokens else self.module.size)
        elif words[:2] == [b"extern", b"from"]:
            self._put(b"if 1:", tokens[0].start)
            self._blocks.append(_CythonBlock(indentation, "extern"))
        elif words[0] == b"cppclass":
            self._cpp_class(tokens, indentation)
        elif b"operator" in words:  # how it is written, nothing says by its name
            self._drop(tokens)
            self._put(b"0", tokens[0].start)
        elif words[0] == b":":
            self._put(b"if 1:", tokens[0].start)
            self._blocks.append(_CythonBlock(indentation, "declarations"))
        elif words[0] == b"class":
            self._class(tokens)
        elif words[0] in _BLOCKS and words[-1] == b":":
            self._block(tokens, words, indentation)
        elif head is not None and head.text == b"ctypedef":
            self._type_name(tokens)
        else:
            self._function_or_variables(tokens, indentation, head)

    def _plain(self, tokens: Sequence[Token], words: Sequence[bytes]) -> Sequence[Token]:
        """A declaration without modifiers and without what C alone has."""
        while words and words[0] in _MODIFIERS and words[:2] != [b"extern", b"from"]:
            tokens, words = _without(tokens, 1), words[1:]
        if not self._in_c or words[:2] == [b"extern", b"from"] or words[:1] == [b"cppclass"]:
            return tokens
        return _without_c_names(tokens)

    def _function_or_variables(self, tokens: Sequence[Token], indentation: int, head: Token | None) -> None:
        if _call(tokens) is None:
            self._variables(tokens)
            return
        self._tail(head, b"def") if head is not None else self._put(b"def", tokens[0].start)
        self._put(b" ", tokens[0].start)
        self._function(tokens, typed=True)
        if self._in_c and tokens[-1].text == b":":
            self._blocks.append(_CythonBlock(indentation, "code"))

    def _class(self, tokens: Sequence[Token]) -> None:
        """`cdef class Name(Base) [object C, type T]:`; without a colon it is declared elsewhere."""
        if not any(token.text == b":" for token in tokens):
            self._put(b"0", tokens[0].start)
            return
        depth = 0
        names = _without(tokens, 1)
        dotted = max((at for at, token in enumerate(names) if token.text == b"." and not depth), default=-1)
        bases = next((at for at, token in enumerate(names) if token.text in (b"(", b"[", b":")), len(names))
        self._keep(tokens[:1])
        self._put(b" ", tokens[0].end)
        for token in names[dotted + 1 if dotted < bases else 0 :]:
            depth += token.text == b"["
            if not depth:
                self._keep((token,))
            depth -= token.text == b"]"

    @property
    def _in_c(self) -> bool:
        """Whether what stands here is declared by C."""
        return bool(self._blocks) and self._blocks[-1].how == "extern"

    def _name_before(self, block: _CythonBlock) -> None:
        """The name of an enumeration of C, before its first member."""
        name, block.name = block.name, None
        if name is not None:
            self._keep((name,))
            self._put(b" = ...; ", name.end)

    def _cpp_class(self, tokens: Sequence[Token], indentation: int) -> None:
        """`cppclass Name[T, U=*](Base) nogil:`, perhaps without a body."""
        words = [token for token in tokens if token.kind not in ("space", "text")]
        name = next((token for token in words[1:] if token.kind == "word"), None)
        if name is None:
            self._put(b"0", tokens[0].start)
            return
        self._put(b"class ", tokens[0].start)
        self._keep((name,))
        rest = words[words.index(name) + 1 :]
        if rest and rest[0].text == b"[":
            closing = _closing(rest, 0)
            self._keep(rest[:1])
            for at, part in enumerate(_split(rest[1:closing], b",")):
                self._put(b", " if at else b"", part[0].start if part else name.end)
                self._keep(part[:1])
            self._keep(rest[closing : closing + 1])
            rest = rest[closing + 1 :]
        if rest and rest[0].text == b"(":
            self._keep(rest[: _closing(rest, 0) + 1])
        self._put(b":" if words[-1].text == b":" else b": 0", tokens[-1].end)
        if words[-1].text == b":":
            self._blocks.append(_CythonBlock(indentation, "extern"))

    def _block(self, tokens: Sequence[Token], words: Sequence[bytes], indentation: int) -> None:
        kind, held = words[0], None
        if kind == b"enum" and words[1] != b"class" and (len(words) == 2 or self._in_c):
            self._put(b"if 1:", tokens[0].start)
            held = next((token for token in tokens if token.kind == "word" and token.text != kind), None)
        else:
            named = [token for token in tokens if token.kind == "word" and token.text != b"class"]
            name = named[min(1, len(named) - 1)]
            self._put(b"class ", tokens[0].start)
            self._keep((name,))
            self._put(b":", name.end)
        if kind == b"fused":
            self._put(b" 0", tokens[-1].end)
        inner = "extern" if self._in_c else "declarations"
        how = {b"enum": "enum", b"fused": "dropped"}.get(kind, inner)
        self._blocks.append(_CythonBlock(indentation, how, held))

    def _members(self, tokens: Sequence[Token]) -> None:
        """Members of an enumeration: `A`, `A = 1`, several with commas."""
        for part in map(_without_c_names, _split(tokens, b",")):
            if part and part[0].kind == "word" and part[0].text != b"pass":
                self._keep(part[:1])
                if len(part) == 1:
                    self._put(_FILLED, part[0].end)
                else:
                    self._expression(part[1:])
                self._put(b";", part[-1].end)
        self._put(b"0", tokens[-1].end)

    def _type_name(self, tokens: Sequence[Token]) -> None:
        """`ctypedef TYPE name`, `ctypedef TYPE (*name)(...)`."""
        names = [token for token in tokens if token.kind == "word"]
        if not names:
            self._put(b"0", tokens[0].start)
            return
        pointed = next((at for at in range(len(tokens)) if _is_pointed(tokens, at)), 0)
        named = [token for token in tokens[pointed:] if token.kind == "word"]
        name = named[0] if pointed and named else names[-1]
        self._keep((name,))
        plain = () if pointed else _type_words(tokens[: tokens.index(name)])
        if plain and (len(plain) > 1 or plain[0].text not in _C_WORDS):
            self._put(b" = ", name.end)
            self._keep(plain)
            return
        self._put(_FILLED, name.end)
        self._drop([token for token in tokens if token is not name])

    def _variables(self, tokens: Sequence[Token]) -> None:
        """`TYPE a, b = 2, *c`."""
        typed: Sequence[Token] = ()
        for at, part in enumerate(_split(tokens, b",")):
            equals = _first(part, (b"=",))
            type_tokens, name = _declarator(part[:equals])
            typed = typed or type_tokens
            if name is None:
                self._drop(part)
                continue
            self._put(b";" if at else b"", name.start)
            self._keep((name,))
            noted = not at and self._annotation(type_tokens, b": ", name.end)
            if equals < len(part):
                self._expression(part[equals:])
            elif not noted:
                self._put(_FILLED, name.end)
        if not any(token.kind == "word" for token in tokens):
            self._put(b"0", tokens[0].start)

    def _annotation(self, tokens: Sequence[Token], before: bytes, at: int) -> bool:
        """A type, where Python writes it as it stands: the name of a class perhaps."""
        plain = _type_words(tokens)
        known = bool(plain) and (len(plain) > 1 or plain[0].text in _PYTHON_TYPES or plain[0].text not in _C_WORDS)
        if known:
            self._put(before, at)
            self._keep(plain)
        else:
            self._drop(tokens)
        return known

    # ------------------------------------------------------------ functions

    def _function(self, tokens: Sequence[Token], *, typed: bool) -> None:
        """From the type, or the name, to the colon, and what stands behind that in the line."""
        opening = _call(tokens)
        if opening is None:
            self._expression(tokens)
            return
        closing = _closing(tokens, opening)
        type_tokens, name = _declarator(tokens[:opening])
        if name is None:
            self._drop(tokens)
            self._put(b"0", tokens[0].start)
            return
        self._keep((name,))
        self._parameters(tokens[opening : closing + 1])
        rest = tokens[closing + 1 :]
        colon = next((at for at, token in enumerate(rest) if token.text == b":"), None)
        head, body = (rest, ()) if colon is None else (rest[:colon], rest[colon:])
        arrow = next((at for at, token in enumerate(head) if token.text == b"->"), None)
        if arrow is not None:
            self._keep(head[arrow:])
        elif typed:
            self._annotation(type_tokens, b" -> ", tokens[closing].end)
        if not body:
            self._put(b": ...", tokens[-1].end)
        else:
            self._keep(body[:1])
            self._expression(body[1:])

    def _parameters(self, tokens: Sequence[Token]) -> None:
        self._keep(tokens[:1])
        closed, size = tokens[-1].text == b")", self.module.size
        for part in _split(tokens[1 : -1 if closed else None], b","):
            if self.module.size > size:
                self._put(b", ", part[0].start if part else tokens[-1].start)
                size = self.module.size
            if part:
                self._parameter(part)
        self._keep(tokens[-1:]) if closed else self._put(b")", tokens[-1].end)

    def _parameter(self, part: Sequence[Token]) -> None:
        ends = _first(part, (b"=", b":"))
        written, rest = part[:ends], part[ends:]
        if part[0].text in (b"*", b"**", b"/") or (rest and rest[0].text == b":"):
            self._expression(part)
            return
        if written and written[0].text == b"...":
            self._put(b"*", written[0].start)
            return
        type_tokens, name = _declarator(_without_none(written))
        if name is None:
            self._expression(part)
            return
        pointed = any(_is_pointed(written, at) for at in range(len(written)))
        if self._in_c and not pointed and not _is_named(type_tokens, name):
            # A type alone: C needs no names of parameters.
            if rest[:1] and rest[0].text == b"=":
                self._drop(rest)
            self._casts.append(written)
            return
        self._keep((name,))
        self._annotation(type_tokens, b": ", name.end)
        if [token.text for token in rest if token.kind != "space"] in ([b"=", b"*"], [b"=", b"?"]):
            self._put(b"=...", rest[0].start)
        elif rest:
            self._expression(rest)

    # ------------------------------------------------------------ expressions

    def _expression(self, tokens: Sequence[Token]) -> None:
        """Code of Python, but for casts, addresses, `new`, and numbers and texts as C writes them."""
        before = b""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.kind == "mark" and before in _BEFORE_OPERAND and token.text in (b"<", b"&"):
                end = _cast_end(tokens, at) if token.text == b"<" else at
                if end is not None:
                    self._casts.append(tokens[at + 1 : end])
                    at = end + 1
                    continue
            if token.text == b"sizeof" and at + 1 < len(tokens) and tokens[at + 1].text == b"(":
                self._put(b"0", token.start)
                before, at = b"0", _closing(tokens, at + 1) + 1
                continue
            if token.text == b"new" and before != b"." and [one.kind for one in tokens[at + 1 : at + 3]] == _SPACED:
                at += 2
                continue
            if token.kind == "text":
                self._text(token)
            elif token.kind == "number":
                plain = token.text if token.text[:2] in (b"0x", b"0X") else _SUFFIX.sub(b"", token.text)
                plain = plain.rstrip(b"uUlL") if plain is token.text else plain
                self.module.add(plain, token.start, len(plain))
            else:
                self._keep((token,))
            if token.kind not in ("space", "comment", "line"):
                before = b"0" if token.kind in ("text", "number") else token.text
            at += 1

    def _text(self, token: Token) -> None:
        """A text, but for what marks it as one of C, and for casts in what it computes."""
        at = int(token.text[:1] in (b"c", b"C"))
        casts = _CAST_IN_TEXT.finditer(token.text) if _COMPUTED.match(token.text) else ()
        for found in casts:
            self.module.add(token.text[at : found.start()], token.start + at, found.start() - at)
            at = found.end()
        self.module.add(token.text[at:], token.start + at, len(token.text) - at)


def _without(tokens: Sequence[Token], words: int) -> Sequence[Token]:
    """What stands behind the first words."""
    at = 0
    while at < len(tokens) and (words or tokens[at].kind == "space"):
        words -= tokens[at].kind != "space"
        at += 1
    return tokens[at:]


def _is_named(before: Sequence[Token], name: Token) -> bool:
    """Whether the last word of a parameter is its name: C needs none, and `unsigned int` is a type alone."""
    plain = [token for token in before if token.kind != "space" and token.text not in _QUALIFIERS]
    if not any(token.kind == "word" for token in plain):
        return False
    pointer = plain[-1].text in (b"*", b"**", b"&")
    return (
        pointer
        or name.text not in _C_WORDS
        or any(token.kind == "word" and token.text not in _C_WORDS for token in plain)
    )


def _without_c_names(tokens: Sequence[Token]) -> Sequence[Token]:
    """A declaration without the names that C has for what it declares (`int f "c_f" (int a)`), and without parameters
    of templates of functions (`T f[T](T a)`)."""
    kept: list[Token] = []
    at, word = 0, False
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "text" and word:
            at += 1
            continue
        if token.text == b"[" and word:
            closing = _closing(tokens, at)
            if closing + 1 < len(tokens) and tokens[closing + 1].text == b"(":
                at = closing + 1
                continue
        kept.append(token)
        word = token.kind == "word" or (word and token.kind == "space")
        at += 1
    return _trimmed(kept)


def _trimmed(tokens: Sequence[Token]) -> Sequence[Token]:
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind in ("space", "line", "comment"):
        start += 1
    while end > start and tokens[end - 1].kind in ("space", "line", "comment"):
        end -= 1
    return tokens[start:end]


def _split(tokens: Sequence[Token], mark: bytes) -> Iterator[Sequence[Token]]:
    """The parts between marks outside of brackets."""
    depth, start = 0, 0
    for at, token in enumerate(tokens):
        if token.kind == "mark":
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            if token.text == mark and not depth:
                yield _trimmed(tokens[start:at])
                start = at + 1
    yield _trimmed(tokens[start:])


def _type_words(tokens: Sequence[Token]) -> Sequence[Token]:
    """What Python can read of a type: a name with dots, and what stands in brackets behind it; else nothing."""
    plain = [token for token in tokens if token.kind not in ("space", "line", "comment") and token.text != b"const"]
    while plain and plain[-1].text in (b"*", b"**", b"&", b"?"):
        plain.pop()
    size = 0
    while size < len(plain) and (plain[size].kind == "word" if size % 2 == 0 else plain[size].text == b"."):
        size += 1
    rest = plain[size:]
    if not rest:
        return plain if size % 2 else ()
    if [token.text for token in rest if token.text not in _VIEW] == [b"[", b"]"]:
        return () if plain[0].text in _C_WORDS else plain[:size]
    generic = rest[0].text == b"[" and _closing(rest, 0) == len(rest) - 1 and size % 2 == 1
    odd = any(token.text in (b"=", b"*", b"&", b"const") for token in rest)
    return plain if generic and not odd and plain[0].text not in _C_WORDS else ()


def _first(tokens: Sequence[Token], marks: Sequence[bytes]) -> int:
    """Where the first of some marks outside of brackets is; the end of the tokens where none is."""
    depth = 0
    for at, token in enumerate(tokens):
        if token.kind == "mark":
            if not depth and token.text in marks:
                return at
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
    return len(tokens)


def _call(tokens: Sequence[Token]) -> int | None:
    """The bracket of parameters in a declaration; None for one of a variable."""
    depth, before = 0, False
    for at, token in enumerate(tokens):
        if token.text == b"=" and not depth:
            return None
        if token.text == b"(" and not depth:
            if _is_pointed(tokens, at):
                return None
            if before:
                return at
        depth += (token.text in _OPENING) - (token.text in _CLOSING) if token.kind == "mark" else 0
        if token.kind != "space":
            before = token.kind == "word"
    return None


def _is_pointed(tokens: Sequence[Token], opening: int) -> bool:
    """Whether a bracket holds the name of a pointer: `int (*name)(int)`."""
    if tokens[opening].text != b"(":
        return False
    behind = (tokens[at] for at in range(opening + 1, len(tokens)))
    inner = next((one for one in behind if one.kind != "space"), None)
    return inner is not None and inner.text == b"*"


def _closing(tokens: Sequence[Token], opening: int) -> int:
    depth = 0
    for at in range(opening, len(tokens)):
        if tokens[at].kind == "mark":
            depth += (tokens[at].text in _OPENING) - (tokens[at].text in _CLOSING)
            if not depth:
                return at
    return len(tokens) - 1


def _declarator(tokens: Sequence[Token]) -> tuple[Sequence[Token], Token | None]:
    """The type and the name that is declared: the last word outside of brackets."""
    depth, found = 0, -1
    for at, token in enumerate(tokens):
        if _is_pointed(tokens, at):
            name = next((one for one in tokens[at:] if one.kind == "word"), None)
            return (), name
        if token.kind == "mark":
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
        elif token.kind == "word" and not depth:
            found = at
    return (tokens[:found], tokens[found]) if found >= 0 else (tokens, None)


def _without_none(tokens: Sequence[Token]) -> Sequence[Token]:
    """A parameter without `not None` and `or None`."""
    words = [at for at, token in enumerate(tokens) if token.kind == "word"]
    if len(words) > 2 and tokens[words[-1]].text == b"None" and tokens[words[-2]].text in (b"not", b"or"):
        return tokens[: words[-2]]
    return tokens


def _cast_end(tokens: Sequence[Token], at: int) -> int | None:
    """Where a cast ends that begins here: a type in `<` and `>` before an operand."""
    depth = 0
    for place in range(at + 1, min(at + 40, len(tokens))):
        token = tokens[place]
        if token.text == b">" and not depth:
            return place if place > at + 1 else None
        if token.kind not in ("word", "space", "number") and token.text not in _IN_CASTS:
            return None
        depth += (token.text in _OPENING) - (token.text in _CLOSING) if token.kind == "mark" else 0
    return None
