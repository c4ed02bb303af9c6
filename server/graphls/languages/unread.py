"""Unread: text files that no provider reads and that may name code all the same.

Owns: which files these are by name, which parts of their text may name code, the words in these.
Must not know: the workspace, what a word means, who asks.
Invariant: a function of a file's name and bytes; a part is as long as the text, so that its offsets are the file's.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Final

import attrs

from graphls.facts.name_numbers import hashed_name
from graphls.facts.own_output import is_own_output
from graphls.facts.paths import FilePath

WORDS_VERSION: Final = 3
"""Raised whenever `words_in` gives other words for the same file."""


class NameForm(IntEnum):
    """How names are written in a part of a file."""

    CODE = 0
    """Statements and expressions of a language whose names are those of ours, as in Cython."""
    EXPRESSIONS = 1
    """What a template computes."""
    SETTINGS = 2
    """Configuration, scripts of a shell, markup: most words are no names."""
    STRINGS = 3
    """String literals of a foreign language, which can name ours in no other way."""


@attrs.frozen
class TextPart:
    """The text of a file with all blanked that is not of one form. `language`: whose names it spells, "" for any."""

    form: NameForm
    text: bytes = attrs.field(repr=False)
    language: str = ""


_CODE: Final = {
    ".sage": "python",
    ".spec": "python", ".mdx": "typescript", ".coffee": "typescript", ".litcoffee": "typescript", ".ls": "typescript",
    ".marko": "typescript", ".riot": "typescript", ".gts": "typescript", ".gjs": "typescript", ".qml": "typescript",
    ".wxs": "typescript", ".es6": "typescript",
}  # fmt: skip
_TEMPLATES: Final = frozenset((
    ".html", ".htm", ".xhtml", ".jinja", ".jinja2", ".j2", ".mako", ".ejs", ".hbs", ".handlebars", ".mustache", ".njk",
    ".liquid", ".twig", ".erb", ".eta", ".tmpl", ".tpl", ".t", ".jnj", ".tt", ".cshtml", ".xml",
))  # fmt: skip
_INDENTED: Final = frozenset((".pug", ".jade", ".haml", ".slim", ".kv"))
_SETTINGS: Final = frozenset((
    ".yaml", ".yml", ".toml", ".cfg", ".ini", ".conf", ".json", ".jsonc", ".json5", ".properties", ".env", ".sh",
    ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".mk", ".cmake", ".dockerfile", ".nix", ".tf", ".hcl", ".cue",
    ".service", ".graphql", ".gql", ".graphqls", ".proto", ".thrift", ".prisma", ".robot", ".feature", ".ui", ".in",
    ".just",
))  # fmt: skip
FOREIGN: Final = frozenset((
    ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".rs", ".go", ".java", ".kt", ".kts", ".scala", ".swift", ".m",
    ".mm", ".cs", ".fs", ".rb", ".php", ".pl", ".lua", ".r", ".jl", ".ex", ".exs", ".erl", ".clj", ".groovy", ".gradle",
    ".dart", ".zig",
))  # fmt: skip
"""Other languages, read or not: their strings may name what is declared elsewhere."""
_PROSE: Final = frozenset((".md", ".rst", ".adoc", ".markdown"))
ENDINGS: Final = frozenset(_CODE) | _TEMPLATES | _INDENTED | _SETTINGS | FOREIGN | _PROSE
"""Of names that are known by them; some programs have none."""
_PROSE_NAMES: Final = re.compile(
    r"(?i)(license|licence|copying|notice|authors|contributors|maintainers|codeowners|changelog|changes|history|news|readme|"
    r"todo|version|thanks|install|security|governance|citation|owners)([-_.].*)?\Z"
)
_LOCKS: Final = re.compile(
    r"(package-lock|npm-shrinkwrap|composer\.lock|Pipfile\.lock|pnpm-lock|packages\.lock)\b|.*\.lock\.json\Z"
)
_TEMPLATE_OF_CODE: Final[Mapping[re.Pattern[str], str]] = {
    re.compile(r"\.(?:pyx|pxd|pxi|py)\.(?:in|tp|tmpl|tpl|j2|jinja2?)\Z"): "python",
    re.compile(r"\.[cm]?[jt]sx?\.(?:in|tmpl|tpl)\Z"): "typescript",
}
"""Names of templates that a build fills: what they name is code, but for what it puts in."""
_RC: Final = re.compile(r"\.(?:\w+rc|flake8|env\w*|bazelrc|babelrc)\Z")


def unread_ending(path: str) -> str:
    """The ending of a file's name, "." for a program without one, "" for what is not looked at."""
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    ending = (dot + last).lower()
    if stem and dot:
        if _LOCKS.match(name):
            return ""
        if ending in ENDINGS:
            return ending
        if _templated(path):
            return ".in"
        return "." if stem.lower() in ("dockerfile", "makefile", "jenkinsfile", "procfile", ".env") else ""
    if _PROSE_NAMES.match(name):
        return ""
    return "." if not dot or _RC.match(name) else ""


def _templated(path: str) -> str:
    """The language of the code that a template makes, "" where its name does not tell."""
    return next((language for pattern, language in _TEMPLATE_OF_CODE.items() if pattern.search(path)), "")


def parts(path: FilePath, text: bytes) -> Sequence[TextPart]:
    """The parts of an unread file that may name code."""
    ending = unread_ending(path)
    if not ending or is_own_output(text):
        return ()
    if ending == ".":
        return (_program(text),)
    made = _MADE.get(ending)
    if made is not None:
        return made(text)
    language = _templated(path)
    if language:
        return (_code(text, language), *_template(text))
    if ending in _CODE:
        return (_code(text, _CODE[ending]),)
    if ending in _TEMPLATES:
        return _template(text)
    if ending in _INDENTED:
        return (TextPart(NameForm.EXPRESSIONS, text),)
    if ending in FOREIGN:
        return (TextPart(NameForm.STRINGS, _only(_LITERAL, text)),)
    if ending in _PROSE:
        return (TextPart(NameForm.CODE, _only(_PROMPT, text, 1), "python"),) if b">>>" in text else ()
    return (TextPart(NameForm.SETTINGS, text if ending == ".json" else _without(_COMMENT, text)),)


_WORD: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_SHORTEST: Final = 2


def words_in(path: FilePath, text: bytes) -> bytes:
    """Sorted numbers of the words that an unread file may name code with."""
    found: set[bytes] = set()
    for part in parts(path, text):
        found.update(_WORD.findall(part.text))
    numbers = {hashed_name(word.decode("utf-8", "replace")) for word in found if len(word) >= _SHORTEST}
    return array("Q", sorted(numbers)).tobytes()


_BLANKS: Final = bytes(byte if byte in b"\n\r" else 0x20 for byte in range(256))
_LITERAL: Final = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`")
_PROMPT: Final = re.compile(rb"^[ \t]*(?:>>>|\.\.\.) (.*)$", re.MULTILINE)
_COMMENT: Final = re.compile(rb"(?:^|(?<=\s))#[^\n]*|^[ \t]*(?:;|//)[^\n]*", re.MULTILINE)
_SLASHES: Final = re.compile(rb"^[ \t]*(?://|\*|/\*)[^\n]*", re.MULTILINE)
_EXPRESSION: Final = re.compile(
    rb"\{\{(?!/\*)(.*?)\}\}|\{%(?!\s*comment)(.*?)%\}|<%(?!--|#)(.*?)%>|<\?(?!xml)(.*?)\?>|\$\{(.*?)\}|#\{(.*?)\}"
    rb"|\s(?:[(\[*#@:][\w.()\]\[-]+|v-[\w.:-]+|x-[\w.:-]+|ng-[\w-]+)=(\"[^\"]*\"|'[^']*')",
    re.DOTALL,
)
_SCRIPT: Final = re.compile(
    rb"<script\b[^>]*?\bsrc=(\"[^\"]*\"|'[^']*')|<script\b[^>]*>(.*?)</script|\son\w+=(\"[^\"]*\"|'[^']*')",
    re.DOTALL | re.IGNORECASE,
)
_XML_NAMES: Final = re.compile(
    rb"\b(?:handler|name|type|class|method|function|signal|slot|on\w*)=(\"[^\"<>]*\"|'[^'<>]*')"
)


def _program(text: bytes) -> TextPart:
    """A file without an ending says in its first line what runs it."""
    first = text[:200].partition(b"\n")[0]
    if first.startswith(b"#!"):
        if b"python" in first:
            return _code(text, "python")
        if any(name in first for name in (b"node", b"deno", b"bun", b"tsx")):
            return _code(text, "typescript")
    return TextPart(NameForm.SETTINGS, _without(_COMMENT, text))


def _code(text: bytes, language: str) -> TextPart:
    return TextPart(NameForm.CODE, _without(_COMMENT if language == "python" else _SLASHES, text), language)


def _template(text: bytes) -> Sequence[TextPart]:
    found = [
        TextPart(NameForm.EXPRESSIONS, _only(_EXPRESSION, text)),
        TextPart(NameForm.EXPRESSIONS, _only(_SCRIPT, text), "typescript"),
    ]
    return [part for part in found if not part.text.isspace()]


def _xml(text: bytes) -> Sequence[TextPart]:
    return (*_template(text), TextPart(NameForm.STRINGS, _only(_XML_NAMES, text)))


def _mdx(text: bytes) -> Sequence[TextPart]:
    """Imports, tags and expressions of a document; the rest is prose."""
    code = re.compile(rb"^(?:import|export)\b[^\n]*|</?([A-Z][\w.]*)|(?<!\\)\{([^{}\n]*)\}", re.MULTILINE)
    fenced = _without(re.compile(rb"^[ \t]*```.*?^[ \t]*```|`[^`\n]*`", re.MULTILINE | re.DOTALL), text)
    return (TextPart(NameForm.CODE, _only(code, fenced), "typescript"),)


_MADE: Final[Mapping[str, Callable[[bytes], Sequence[TextPart]]]] = {
    ".mdx": _mdx,
    ".xml": _xml,
    ".ui": _xml,
}


def _only(pattern: re.Pattern[bytes], text: bytes, group: int = 0) -> bytes:
    """The text with all blanked but what a group of each match has; of several groups the one that matched."""
    visible = bytearray(text.translate(_BLANKS))
    for start, end in _stretches(pattern, text, group):
        visible[start:end] = text[start:end]
    return bytes(visible)


def _stretches(pattern: re.Pattern[bytes], text: bytes, group: int) -> Iterator[tuple[int, int]]:
    for found in pattern.finditer(text):
        yield found.span(group or found.lastindex or 0)


def _without(pattern: re.Pattern[bytes], text: bytes) -> bytes:
    return pattern.sub(lambda found: found[0].translate(_BLANKS), text)
