"""Markup: headings, links and code of Markdown, reStructuredText, HTML and CSS.

Owns: what of a text of prose is a heading, a link, a name of code.
Must not know: the workspace, whether anything is called so.
Invariant: examples in fenced or indented blocks are no links.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from graphls.languages.closed_pattern import ClosedPattern
from graphls.languages.config.commands import joined
from graphls.languages.config.document import ConfigDocument, ConfigEntry, ConfigReference, ReferenceKind

_BLANKS: Final = bytes(byte if byte in b"\n\r" else 0x20 for byte in range(256))
_COMMENT: Final = (rb"<!--.*?-->", b"-->")
_FENCED: Final = ClosedPattern(
    (
        (rb"^[ \t]{0,3}(```++|~~~++)[^\n]*+\n(?:.*?^[ \t]*\1[^\n]*$|.*)", b""),
        _COMMENT,
        (rb"\A---\r?\n.*?^---\s*$", b""),
    ),
    re.MULTILINE | re.DOTALL,
)
_COMMENTS: Final = ClosedPattern((_COMMENT,), re.DOTALL)
_STYLE_COMMENTS: Final = ClosedPattern(((rb"/\*.*?\*/", b"*/"),), re.DOTALL)
_CODE: Final = re.compile(rb"(?<![`\\])(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")
_LINK: Final = re.compile(
    rb"\]\([ \t]*<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)?)>?(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_DEFINED: Final = re.compile(rb"^[ ]{0,3}\[[^\]\n]+\]:[ \t]*<?([^\s<>]+)>?", re.MULTILINE)
_ATTRIBUTE: Final = re.compile(rb"\s(?:src|href|poster|data)=[\"']([^\"'\n]+)[\"']", re.IGNORECASE)
_SIZES: Final = re.compile(rb"\s(?:srcset|imagesrcset)=[\"']([^\"']+)[\"']", re.IGNORECASE)
_SIZED: Final = re.compile(rb"(?:^|,)\s*([^\s,]+)")
_STYLES: Final = ClosedPattern(
    ((rb"\sstyle=(?:\"([^\"]*)\"|'([^']*)')", b""), (rb"<style\b[^>]*>(.*?)</style", b"></style")),
    re.IGNORECASE | re.DOTALL,
)
_HEADING: Final = re.compile(
    rb"^ {0,3}(#{1,6})[ \t]+([^\n]*?)[ \t]*#*[ \t]*\r?$|^([^\s>|#*+-][^\n]*)\r?\n(=+|-{3,})[ \t]*\r?$", re.MULTILINE
)
_OUTSIDE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_PATH: Final = re.compile(r"\.?\.?/?(?:[\w@.+\[\]()-]+/)+[\w@.+\[\]()-]*(?:#[A-Za-z_][\w.:]*(?:\(\))?)?\Z")
_QUALIFIED: Final = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_][\w.]*)?(?:\(\))?\Z|[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z"
)
_MYST_ROLE: Final = re.compile(rb"\{(?:py:)?(class|func|meth|attr|mod|exc|data|obj|deco|ref|doc)\}\Z")
_MYST_TARGET: Final = re.compile(rb"(?:[^`<]*<)?[~.]?([^<>`]+?)>?")
_MYST_NAME: Final = re.compile(rb"[A-Za-z_][\w.]*(?:\(\))?")
_MYST_LABEL: Final = re.compile(rb"^\(([\w-]+)\)=[ \t]*$", re.MULTILINE)
_MYST_MODULE: Final = re.compile(rb"^(?:```+\{|\.\. )(?:py:)?(?:current)?module(?:\}|::)[ \t]+([\w.]+)", re.MULTILINE)
_ROLE_LENGTH: Final = 12
_FOR_FOLDER: Final = ("/README.md", "/index.md", "/readme.md", "/README.rst", "/index.rst")
_SLUG: Final = re.compile(r"[^\w\- ]")
_ATTRIBUTES: Final = re.compile(rb"[ \t]*\{:?[ \t]*([#.][^{}\n]*|[\w-]+=[^{}\n]*)\}[ \t]*\r?\Z")
"""A list of attributes behind a heading: `{#name}`, `{: #name .class }`."""
_NAMED_BY: Final = re.compile(rb"#([^\s}]+)")


def slug(heading: str) -> str:
    """What links call a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
    return _SLUG.sub("", plain.strip().lower()).replace(" ", "-")


def own_anchor(behind: bytes) -> str:
    """What a heading says itself that links call it, in the list of attributes that is the end of its line."""
    listed = _ATTRIBUTES.search(behind)
    named = _NAMED_BY.search(listed[1]) if listed is not None else None
    return named[1].decode("utf-8", "replace") if named is not None else ""


def read_markdown(path: str, data: bytes) -> ConfigDocument:
    """Headings, links, and code that is a path or a qualified name."""
    folder = path.rpartition("/")[0]
    prose = _FENCED.sub(lambda found: found[0].translate(_BLANKS), data)
    plain = _CODE.sub(lambda found: found[0].translate(_BLANKS), prose)
    headings = [_heading(one) for one in _HEADING.finditer(prose)]
    modules = [(one.start(), one[1].decode("utf-8", "replace")) for one in _MYST_MODULE.finditer(data)]
    references: list[ConfigReference] = []
    for code in _CODE.finditer(prose):
        role = _MYST_ROLE.search(prose, max(code.start() - _ROLE_LENGTH, 0), code.start())
        if role is None:
            references += _code(code[2], code.start(2), folder)
        else:
            references += _myst(path, role[1], code, modules)
    for pattern in (_LINK, _DEFINED, _ATTRIBUTE):
        for found in pattern.finditer(plain):
            references += _link(path, folder, found[1].decode("utf-8", "replace"), found.span(1))
    references += _sized(path, plain)
    entries = [*_sections(data, headings), *_myst_labels(prose)]
    return ConfigDocument(
        sorted(entries, key=lambda one: one.start), sorted(references, key=lambda one: (one.start, one.end))
    )


def _myst_labels(prose: bytes) -> Iterator[ConfigEntry]:
    for label in _MYST_LABEL.finditer(prose):
        yield ConfigEntry("label", label[1].decode("utf-8", "replace"), *label.span(1), *label.span())


def _myst(
    path: str, role: bytes, code: re.Match[bytes], modules: Sequence[tuple[int, str]]
) -> Iterator[ConfigReference]:
    """A role of Sphinx in Markdown."""
    folder, target = path.rpartition("/")[0], _MYST_TARGET.fullmatch(code[2])
    if target is None:
        return
    start = code.start(2) + target.start(1)
    if role == b"doc":
        yield from _document(target[1], (start, start + len(target[1])), folder, ".md")
    elif role == b"ref":
        name = target[1].decode("utf-8", "replace").lower()
        yield ConfigReference(ReferenceKind.ENTRY, name, start, start + len(target[1]), also=("label",))
    elif _MYST_NAME.fullmatch(target[1]):
        name = target[1].decode().removesuffix("()")
        yield _named(name, start, _module_at(modules, code.start()))


def _named(name: str, start: int, module: str) -> ConfigReference:
    """A name of code, perhaps of the module that the text is about."""
    also = (f"{module}.{name}",) if module else ()
    return ConfigReference(ReferenceKind.SPAN, name, start, start + len(name.encode()), also=("role", *also))


def _heading(one: re.Match[bytes]) -> tuple[int, tuple[int, int], int]:
    """Its level, its text, where it begins."""
    level, group = (len(one[1]), 2) if one[1] is not None else (1 if one[4][:1] == b"=" else 2, 3)
    listed, (start, end) = _ATTRIBUTES.search(one[group]), one.span(group)
    return level, (start, start + listed.start() if listed is not None and listed.start() else end), one.start()


def _sections(data: bytes, headings: Sequence[tuple[int, tuple[int, int], int]]) -> Sequence[ConfigEntry]:
    entries: list[ConfigEntry] = []
    for number, (level, (start, end), first) in enumerate(headings):
        last = next((begin for other, _, begin in headings[number + 1 :] if other <= level), len(data))
        name = data[start:end].decode("utf-8", "replace").strip()
        entries.append(ConfigEntry("heading", name, start, end, first, last))
    return entries


def _code(raw: bytes, start: int, folder: str) -> Iterator[ConfigReference]:
    """Code in a line: a path, or a qualified name."""
    text = raw.decode("utf-8", "replace")
    stripped = text.strip()
    start += len(text[: len(text) - len(text.lstrip())].encode())
    if _PATH.match(stripped) or _QUALIFIED.match(stripped):
        name = stripped.removesuffix("()")
        yield ConfigReference(ReferenceKind.SPAN, name, start, start + len(name.encode()), folder)


def _link(path: str, folder: str, text: str, span: tuple[int, int]) -> Iterator[ConfigReference]:
    """A path, perhaps with an anchor; or an anchor of the document itself."""
    if _OUTSIDE.match(text):
        return
    text = re.sub(r"%([0-9a-fA-F]{2})", lambda code: chr(int(code[1], 16)), text)
    file, sign, anchor = text.partition("#")
    file = file.partition("?")[0]
    where = path if not file else file.lstrip("/") if file.startswith("/") else joined(folder, file)
    if where is None or (not file and not anchor):
        return
    target = f"{where}#{anchor}" if sign and anchor else where
    yield ConfigReference(ReferenceKind.LINK, target, *span, folder, _FOR_FOLDER)


_UNDERLINED: Final = re.compile(
    rb"^(?:([=\-~^\"'#*+.`:<>_])\1{2,}[ \t]*\n)?([^\s.][^\n]*)\n(([=\-~^\"'#*+.`:<>_])\4{2,})[ \t]*$", re.MULTILINE
)
_LABEL: Final = re.compile(rb"^\.\. _([^:\n`]+|`[^`\n]+`):[ \t]*$", re.MULTILINE)
_ROLE: Final = re.compile(rb":(?:(py|c|js):)?([a-z]+):`(?:[^`<\n]*<)?([!~]?)([^`<>]+)>?`")
_DIRECTIVE: Final = re.compile(rb"^[ \t]*\.\. (?:py:)?(\w+)::[ \t]*([^\n]*)", re.MULTILINE)
_LITERAL: Final = re.compile(rb"``([^`\n]+)``")
_TARGET: Final = re.compile(rb"`[^`<\n]*<([^`<>\s]+)>`__?|^\.\. _[^:\n]+:[ \t]*(\S+)", re.MULTILINE)
_CODE_ROLES: Final = frozenset(
    (b"class", b"func", b"meth", b"attr", b"mod", b"exc", b"data", b"obj", b"const", b"deco")
)
_AUTO: Final = re.compile(rb"auto(?:class|module|function|method|attribute|exception|data)\Z")
_CODE_PARTS: Final = frozenset(
    (b"module", b"currentmodule", b"class", b"function", b"method", b"attribute", b"exception", b"data")
)
_MODULE: Final = frozenset((b"module", b"currentmodule"))
_FILES: Final = frozenset((b"include", b"literalinclude", b"image", b"figure"))
_TOCTREE: Final = re.compile(rb"^([ \t]*)\.\. toctree::[^\n]*\n((?:\1[ \t]+[^\n]*\n?|[ \t]*\n)*)", re.MULTILINE)
_TOC_LINE: Final = re.compile(rb"^[ \t]+(?:[^<\n]*<)?([\w./-]+)>?[ \t]*$", re.MULTILINE)


def read_rst(path: str, data: bytes) -> ConfigDocument:
    """Headings, labels, roles, directives, links."""
    folder, ending = path.rpartition("/")[0], path[path.rfind(".") :]
    entries = _rst_headings(data)
    for label in _LABEL.finditer(data):
        name = label[1].decode("utf-8", "replace").strip("`")
        entries.append(ConfigEntry("label", name, *label.span(1), *label.span()))
    references = [*_roles(data, folder, ending), *_directives(data, folder)]
    for tree in _TOCTREE.finditer(data):
        for line in _TOC_LINE.finditer(data, *tree.span(2)):
            references += _document(line[1], line.span(1), folder, ending)
    for literal in _LITERAL.finditer(data):
        references += _code(literal[1], literal.start(1), folder)
    for target in _TARGET.finditer(data):
        group = 1 if target[1] is not None else 2
        references += _link(path, folder, target[group].decode("utf-8", "replace"), target.span(group))
    return ConfigDocument(
        sorted(entries, key=lambda one: one.start), sorted(references, key=lambda one: (one.start, one.end))
    )


def _rst_headings(data: bytes) -> list[ConfigEntry]:
    found = [one for one in _UNDERLINED.finditer(data) if len(one[3]) + 1 >= _width(one[2])]
    order: dict[tuple[bool, bytes], int] = {}
    levels = [order.setdefault((one[1] is not None, one[4]), len(order)) for one in found]
    entries: list[ConfigEntry] = []
    for number, one in enumerate(found):
        below = zip(levels[number + 1 :], found[number + 1 :], strict=True)
        last = next((other.start() for level, other in below if level <= levels[number]), len(data))
        name = one[2].decode("utf-8", "replace").strip()
        entries.append(ConfigEntry("heading", name, *one.span(2), one.start(), last))
    return entries


def _width(line: bytes) -> int:
    return len(line.decode("utf-8", "replace").rstrip())


def _roles(data: bytes, folder: str, ending: str) -> Iterator[ConfigReference]:
    modules = _modules(data)
    for role in _ROLE.finditer(data):
        text, span = role[4].decode("utf-8", "replace").strip(), role.span(4)
        if role[3] == b"!":
            continue
        if role[2] == b"doc":
            yield from _document(role[4], span, folder, ending)
        elif role[2] == b"ref":
            yield ConfigReference(ReferenceKind.ENTRY, text.lower(), *span, also=("label",))
        elif role[2] == b"file":
            yield ConfigReference(ReferenceKind.SPAN, text, *span, folder)
        elif role[2] in _CODE_ROLES and role[1] in (None, b"py"):
            module = _module_at(modules, role.start())
            name = text.removesuffix("()").lstrip(".")
            yield _named(name, span[0], module)


def _modules(data: bytes) -> Sequence[tuple[int, str]]:
    """Where a module begins that names without one belong to."""
    found = (one for one in _DIRECTIVE.finditer(data) if one[1] in _MODULE)
    return [(one.start(), one[2].decode("utf-8", "replace").strip()) for one in found]


def _module_at(modules: Sequence[tuple[int, str]], at: int) -> str:
    before = bisect_left(modules, (at, ""))
    return modules[before - 1][1] if before else ""


def _directives(data: bytes, folder: str) -> Iterator[ConfigReference]:
    modules = _modules(data)
    for one in _DIRECTIVE.finditer(data):
        text, (start, _) = one[2].decode("utf-8", "replace").strip(), one.span(2)
        if not text:
            continue
        if one[1] in _FILES:
            file = text.lstrip("/") if text.startswith("/") else joined(folder, text)
            if file:
                yield ConfigReference(ReferenceKind.LINK, file, start, start + len(text.encode()), folder)
        elif _AUTO.match(one[1]) or one[1] in _CODE_PARTS:
            name = text.partition("(")[0].strip().rpartition(" ")[2]
            module = _module_at(modules, one.start())
            at = start + len(text[: text.find(name)].encode())
            also = (f"{module}.{name}",) if module and one[1] not in _MODULE else ()
            yield ConfigReference(ReferenceKind.SPAN, name, at, at + len(name.encode()), also=("role", *also))


def _document(raw: bytes, span: tuple[int, int], folder: str, ending: str) -> Iterator[ConfigReference]:
    """A document without its ending; from the top of the documents where it begins with a slash."""
    text = raw.decode("utf-8", "replace").strip()
    endings = tuple(dict.fromkeys((ending, ".rst", ".md", ".txt", "")))
    if not text.startswith("/"):
        file = joined(folder, text)
        if file:
            yield ConfigReference(ReferenceKind.FILE, file, *span, also=endings)
        return
    # Nothing says which folder is the top one: the nearest that has it.
    yield ConfigReference(ReferenceKind.NEAR, text.lstrip("/"), *span, folder, also=("up", *endings))


_CSS: Final = re.compile(
    rb"@import[ \t]+(?:url\()?[\"']?([^\"'\s);]+)|\burl\([ \t]*[\"']?([^\"'\s)]+)"
    rb"|image-set\([ \t]*[\"']([^\"'\n]+)[\"']"
)


def read_html(path: str, data: bytes) -> ConfigDocument:
    """Files that elements name."""
    folder = path.rpartition("/")[0]
    shown = _COMMENTS.sub(lambda one: one[0].translate(_BLANKS), data)
    found = _ATTRIBUTE.finditer(shown)
    texts = ((one[1].decode("utf-8", "replace"), one.span(1)) for one in found if not re.search(rb"[{<$]", one[1]))
    references = [one for text, span in texts if "#" not in text[:1] for one in _link(path, folder, text, span)]
    references += _sized(path, shown)
    for style in _STYLES.finditer(shown):
        references += _styled(path, shown, *style.span(style.lastindex or 0))
    return ConfigDocument((), sorted(references, key=lambda one: (one.start, one.end)))


def _sized(path: str, data: bytes) -> Iterator[ConfigReference]:
    """Pictures of several sizes: `srcset="small.svg 1x, large.svg 2x"`."""
    for attribute in _SIZES.finditer(data):
        for one in _SIZED.finditer(attribute[1]):
            start = attribute.start(1) + one.start(1)
            if not re.search(rb"[{<$]|data:", one[1]):
                text = one[1].decode("utf-8", "replace")
                yield from _link(path, path.rpartition("/")[0], text, (start, start + len(one[1])))


def read_css(path: str, data: bytes) -> ConfigDocument:
    """Files that a style brings in."""
    shown = _STYLE_COMMENTS.sub(lambda one: one[0].translate(_BLANKS), data)
    return ConfigDocument((), list(_styled(path, shown, 0, len(shown))))


def _styled(path: str, data: bytes, start: int, end: int) -> Iterator[ConfigReference]:
    """What styles between two offsets bring in."""
    for one in _CSS.finditer(data, start, end):
        text = one[one.lastindex or 1].decode("utf-8", "replace")
        if not text.startswith(("data:", "#", "~", "/")) and not re.search(r"[{<$]", text):
            yield from _link(path, path.rpartition("/")[0], text, one.span(one.lastindex or 1))
