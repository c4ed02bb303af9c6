"""Code-first GraphQL: schemas that a program of TypeScript or JavaScript makes out of calls.

Owns: the forms of graphql-js (`new GraphQLObjectType`), Nexus (`objectType`, `queryField`) and Pothos
    (`builder.objectType`, `builder.queryField`), what of them are types and fields.
Must not know: facts, snapshots, which other schemas there are.
Invariant: a name counts where it is written as a string or a key; what a program works out declares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

import attrs

from graphls.analysis.frameworks.arguments import SLASHES, Argument, CodeText
from graphls.analysis.frameworks.rules import fitting_rules, shipped_table
from graphls.languages.config.document import ConfigEntry
from graphls.languages.config.graphql import FIELD, SCHEMA, TYPE

_TABLE: Final = "schemas"
_MADE: Final = re.compile(
    rb"\bnew\s+GraphQL(?:Object|Interface)Type\b|(?<![\w.])(?:objectType|interfaceType|extendType)\b"
)
_ROOT: Final = re.compile(rb"(?<![\w.])(query|mutation|subscription)Type\b")
_ROOT_FIELD: Final = re.compile(rb"(?:(?<![\w.])|\b\w*[bB]uilder\.)(query|mutation|subscription)Field\b")
_BUILT_ROOT: Final = re.compile(rb"\b\w*[bB]uilder\.(query|mutation|subscription)(?:Type|Fields)\b")
_BUILT: Final = re.compile(
    rb"\b\w*[bB]uilder\s*\.(?:objectType|interfaceType|prismaObject|prismaNode|prismaInterface|node|drizzleObject|drizzleNode"
    rb"|loadableObject|loadableNode|simpleObject|objectFields|interfaceFields|objectField)\b"
)
_REFERRED: Final = re.compile(rb"\.implement\b")
_REF: Final = re.compile(
    rb"\b(?:object|interface|loadableObject)(?:Ref)?(?:<[^;=]{0,200}?>)?\(\s*[\"'](\w+)[\"'][^;=]{0,200}?\)\s*\Z"
)
_HELD_REF: Final = re.compile(
    rb"\b(?:const|let|var)\s+(\w+)\s*(?::[^=\n]{0,120})?=\s*\w*[bB]uilder\s*\.\w*[rR]ef(?:<[^;=()]{0,200}>)?\(\s*[\"'](\w+)[\"']"
)
"""A variable that holds a type which is described elsewhere."""
_SCHEMA_MADE: Final = re.compile(rb"\bnew\s+GraphQLSchema\b")
_ASSIGNED: Final = re.compile(rb"\b(?:const|let|var)\s+(\w+)\s*(?::[^=\n]{0,120})?=\s*\Z")
_BODY: Final = re.compile(rb"=>\s*\(\s*(?=\{)|(?:=>\s*|\)\s*)\{\s*return\s*\(?\s*(?=\{)")
_KEY: Final = re.compile(rb"(?:async\s+)?[\"']?([A-Za-z_]\w*)[\"']?\s*(?=[:(,}]|\Z)")
_ARGUMENT: Final = re.compile(rb"\(?\s*([A-Za-z_]\w*)")
_TYPE_NAME: Final = re.compile(rb"[\"'](\w+)[!\]]*[\"']|\b(\w+)\b")
_WRAPPERS: Final = frozenset(
    (b"new", b"GraphQLNonNull", b"GraphQLList", b"nonNull", b"nullable", b"list", b"as", b"any")
)
_GIVEN: Final = re.compile(rb"\.(\w+)\s*\(\s*[\"'](\w+)[\"']")
_TYPED: Final = re.compile(rb"\btype\s*:\s*")
_SCALARS: Final = frozenset(("string", "int", "float", "boolean", "id", "date", "json"))
_NO_FIELDS: Final = frozenset(("implements", "modify", "arg", "model"))
_LONGEST: Final = 100_000
_BEFORE: Final = 500
_MOST: Final = 2_000


@attrs.frozen
class CodeFirst:
    """What one file makes of a schema. Entries lead to names of types, or of variables that hold them."""

    entries: Sequence[ConfigEntry] = ()
    variables: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """Variables of the file that hold types."""


def is_code_first(path: str, text: bytes) -> bool:
    """Whether a file may make types or fields."""
    fitting = (shipped_table(_TABLE)[number] for number in fitting_rules(_TABLE, path, text))
    return any(_calls(str(rule["calls"])).search(text) is not None for rule in fitting)


@cache
def _calls(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


def code_first(path: str, text: bytes) -> CodeFirst:
    """The types and fields of one file, in source order."""
    return _read(text) if is_code_first(path, text) else CodeFirst()


@lru_cache(maxsize=8)
def _read(text: bytes) -> CodeFirst:
    """Of the last files that make a schema: rules about entries and about answers ask one after the other."""
    reader = _Reader(text)
    entries = sorted(dict.fromkeys(reader.entries()), key=lambda one: (one.start, -one.full_end))
    return CodeFirst(entries[:_MOST], reader.variables)


class _Reader:
    """The calls of one file that make types."""

    def __init__(self, text: bytes) -> None:
        self._code = CodeText(text, SLASHES, _LONGEST)
        self._text = text
        self.variables: dict[str, str] = {}
        for held in _HELD_REF.finditer(text):
            self.variables[held[1].decode("ascii", "replace")] = held[2].decode("ascii", "replace")

    def entries(self) -> Iterator[ConfigEntry]:
        """By form."""
        for call in _MADE.finditer(self._text):
            yield from self._made(call.start(), call.end(), "")
        for call in _ROOT.finditer(self._text):
            yield from self._made(call.start(), call.end(), _capital(call[1]))
        for call in _ROOT_FIELD.finditer(self._text):
            yield from self._one_field(_capital(call[1]), self._code.arguments(call.end()), call.start())
        for call in _BUILT_ROOT.finditer(self._text):
            owner = _capital(call[1])
            given = self._code.arguments(call.end())
            if call[0].endswith(b"Type"):
                yield from self._type_entry(owner, call.start(), call.end())
            for one in given[:1]:
                yield from self._fields_given(owner, one)
        for call in _BUILT.finditer(self._text):
            yield from self._built(call)
        for call in _REFERRED.finditer(self._text):
            yield from self._referred(call)
        for call in _SCHEMA_MADE.finditer(self._text):
            yield from self._roots(call.end())

    # types

    def _made(self, start: int, end: int, owner: str) -> Iterator[ConfigEntry]:
        """`new GraphQLObjectType({ name, fields })`, `objectType({ name, definition })`, `extendType({ type })`."""
        given = self._code.arguments(end)
        members = self._members(given[0]) if given else {}
        said = members.get("name") or members.get("type")
        if not owner and said is not None:
            owner = self._code.literal(said.start, said.end) or self._only_name(said)
        if not owner:
            return
        self._note_variable(start, owner)
        if "type" not in members or "name" in members:
            where = said if said is not None and "name" in members else None
            yield from self._type_entry(owner, start, end, where)
        if "fields" in members:
            yield from self._of_object(owner, members["fields"])
        if "definition" in members:
            yield from self._defined(owner, members["definition"])

    def _built(self, call: re.Match[bytes]) -> Iterator[ConfigEntry]:
        """`builder.objectType('User', { fields })`, `builder.objectField('User', 'posts', (t) => ...)`."""
        given = self._code.arguments(call.end())
        if len(given) < 2:
            return
        owner = self._code.literal(given[0].start, given[0].end) or self._only_name(given[0])
        options = self._members(given[1])
        named = options.get("name") or options.get("variant")
        owner = (self._code.literal(named.start, named.end) if named is not None else None) or owner
        if call[0].endswith(b"Field"):
            yield from self._one_field(owner, given[1:], call.start())
            return
        self._note_variable(call.start(), owner)
        if not call[0].endswith(b"Fields"):
            yield from self._type_entry(owner, call.start(), call.end(), given[0])
        yield from self._fields_given(owner, given[1])

    def _referred(self, call: re.Match[bytes]) -> Iterator[ConfigEntry]:
        """`builder.objectRef<User>('User').implement({ fields })`, `UserRef.implement({ fields })`."""
        before = self._text[max(0, call.start() - _BEFORE) : call.start()]
        made = _REF.search(before)
        held = re.search(rb"\b(\w+)\s*\Z", before)
        owner = made[1] if made is not None else held[1] if held is not None else b""
        given = self._code.arguments(call.end())
        if owner and given:
            name = owner.decode("ascii", "replace")
            if made is not None:
                begin = call.start() - len(before)
                self._note_variable(begin + before.rfind(b"=") + 1, name)
                span = Argument("", 0, begin + made.start(1), begin + made.end(1))
                yield from self._type_entry(name, call.start(), call.end(), span)
            yield from self._fields_given(name, given[0])

    def _type_entry(self, name: str, start: int, end: int, where: Argument | None = None) -> Iterator[ConfigEntry]:
        if not name.isidentifier():
            return
        stop = self._code.behind(end)
        begin = where.start if where is not None else start
        quoted = self._text[begin : begin + 1] in (b'"', b"'")
        at = begin + quoted
        last = at + len(name) if self._text[at : at + len(name)] == name.encode() else end
        yield ConfigEntry(TYPE, name, at, last, start, max(stop, last))

    def _note_variable(self, start: int, owner: str) -> None:
        held = _ASSIGNED.search(self._text, max(0, start - _BEFORE), start)
        if held is not None:
            self.variables[held[1].decode("ascii", "replace")] = owner

    def _roots(self, end: int) -> Iterator[ConfigEntry]:
        """`new GraphQLSchema({ query: Root })`."""
        given = self._code.arguments(end)
        for operation, value in (self._members(given[0]) if given else {}).items():
            leads = self._only_name(value)
            if operation in ("query", "mutation", "subscription") and leads:
                yield ConfigEntry(FIELD, f"{SCHEMA}.{operation}", value.start, value.end, value.start, value.end, leads)

    # fields

    def _fields_given(self, owner: str, options: Argument) -> Iterator[ConfigEntry]:
        """Those of `{ fields }`, or of a function that gives them."""
        fields = self._members(options).get("fields")
        if fields is not None or self._text[options.start : options.start + 1] != b"{":
            yield from self._of_object(owner, fields or options)

    def _of_object(self, owner: str, value: Argument) -> Iterator[ConfigEntry]:
        """`{ a: ... }`, `() => ({ a: ... })`, `(t) => ({ a: t.string() })`."""
        opening = value.start
        if self._text[opening : opening + 1] != b"{":
            body = _BODY.search(self._text, value.start, value.end)
            if body is None:
                return
            opening = body.end()
        if not owner.isidentifier():
            return
        for part in self._code.parts(opening):
            key = _KEY.match(self._text, part.start, part.end)
            if key is not None:
                yield self._entry(owner, key.span(1), (part.start, part.end), self._leads(key.end(), part.end))

    def _defined(self, owner: str, value: Argument) -> Iterator[ConfigEntry]:
        """`definition(t) { t.nonNull.list.field('posts', { type: 'Post' }) }`."""
        at = self._text.find(b"(", value.start, value.end)
        given = _ARGUMENT.match(self._text, at, value.end) if at >= 0 else None
        if given is None:
            return
        calls = re.compile(
            rb"\b" + given[1] + rb"((?:\s*\.\s*\w+)*)\s*\.\s*(\w+)\s*(?:<[^>]{0,100}>)?\(\s*[\"'](\w+)[\"']"
        )
        for call in calls.finditer(self._text, given.end(), value.end):
            kind = call[2].decode("ascii", "replace")
            if kind not in _NO_FIELDS and b"model" not in call[1]:
                opened = self._text.rfind(b"(", call.start(2), call.start(3))
                stop = min(self._code.behind_bracket(opened), value.end)
                leads = "" if kind in _SCALARS else self._leads(call.end(3) + 1, stop)
                yield self._entry(owner, call.span(3), (call.start(), stop), leads)

    def _one_field(self, owner: str, given: Sequence[Argument], start: int) -> Iterator[ConfigEntry]:
        """`queryField('users', { type, resolve })`, `builder.queryField('users', (t) => t.field({ type }))`."""
        first = given[0] if given else None
        name = self._code.literal(first.start, first.end) if first is not None else None
        if first is None or not owner.isidentifier():
            return
        stop = given[-1].end
        if name is not None:
            span = (first.start + 1, first.end - 1)
            if self._text[span[0] : span[1]] == name.encode():
                yield self._entry(owner, span, (start, stop), self._leads(first.end, stop))
            return
        for call in _GIVEN.finditer(self._text, first.start, first.end):
            if call[1] == b"field":
                yield self._entry(owner, call.span(2), (start, stop), self._leads(call.end(), stop))
                return

    def _entry(self, owner: str, span: tuple[int, int], whole: tuple[int, int], leads: str) -> ConfigEntry:
        name = self._text[span[0] : span[1]].decode("utf-8", "replace")
        return ConfigEntry(FIELD, f"{owner}.{name}", *span, *whole, leads)

    def _leads(self, start: int, end: int) -> str:
        """The type that a field has by what is written behind `type:`."""
        typed = _TYPED.search(self._text, start, end)
        if typed is None:
            return ""
        value = self._text[typed.end() : min(end, typed.end() + _BEFORE)]
        stop = re.search(rb",|\n\s*\}|\}", re.sub(rb"\[[^\]]*\]", lambda found: b" " * len(found[0]), value))
        return _last_name(value[: stop.start()] if stop is not None else value)

    def _only_name(self, value: Argument) -> str:
        text = self._text[value.start : value.end].strip()
        return text.decode("ascii", "replace") if text.isalnum() else ""

    def _members(self, holder: Argument) -> dict[str, Argument]:
        return {one.keyword: one for one in self._code.members(holder)}


def _last_name(text: bytes) -> str:
    found = [one for pair in _TYPE_NAME.findall(text) for one in pair if one and one not in _WRAPPERS]
    return found[-1].decode("ascii", "replace") if found else ""


def _capital(word: bytes) -> str:
    return word.decode("ascii").capitalize()
