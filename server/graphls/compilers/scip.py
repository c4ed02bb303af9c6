"""SCIP: an index file as plain values.

Owns: what of an index counts (definitions, uses, symbols), limits, what makes an index suspicious, several documents
    of one file as one.
Must not know: the workspace, what its files contain, what becomes of the index.
Invariant: an index is taken whole or not at all; reading a hostile one costs bounded memory and ends with ScipError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol, cast

import attrs

from graphls.compilers.scip_messages import DOCUMENTS, METADATA, message
from graphls.facts.lines import Encoding

LARGEST: Final = 512 * 1024 * 1024
_LARGEST_PART: Final = 32 * 1024 * 1024
_MOST_DOCUMENTS: Final = 200_000
_MOST_OCCURRENCES: Final = 20_000_000
_LONGEST: Final = 4_000
"""Characters of a symbol or path."""
_DEFINITION: Final = 1
_LOCAL: Final = "local "
_ENCODINGS: Final[Mapping[int, Encoding]] = {0: "utf-16", 1: "utf-8", 2: "utf-16", 3: "utf-32"}
_SIMPLE: Final = r"[\w+$-]+"
_MARKS: Final = re.compile(r"<[gs]et>(?=.)|(?<!.)<(?=constructor>)|(?<=<constructor)>|(?<=.)#\d+\Z")
_QUOTES: Final = "\"'`"
_HEAD: Final = re.compile(r"(?:(?:[^ ]|  )* (?! )){4}")
_DESCRIPTOR: Final = re.compile(
    rf"\[(?P<hint>[^\]]+)\]|\((?P<parameter>[^)]+)\)|(?P<name>`(?:[^`]|``)*`|{_SIMPLE})(?P<kind>[/#.:!]|\([^)]*\)\.)"
)


class ScipError(Exception):
    """The file is no index that can be trusted. The text is fit for users."""


@attrs.frozen
class ScipUse:
    """One place of a document that names a symbol. Lines and columns count from 0."""

    line: int
    start: int
    end_line: int
    end: int
    symbol: str
    roles: int = 0
    """`SymbolRole`, as bits."""
    around: tuple[int, ...] = ()
    """Start and end of the whole of what is defined, likewise; empty where the index does not say it."""

    @property
    def defines(self) -> bool:
        """Whether the symbol is defined here."""
        return bool(self.roles & _DEFINITION)


@attrs.frozen
class ScipSymbol:
    """What an index says of a symbol where it is defined."""

    name: str
    """"" where the symbol alone says it."""
    kind: int
    """`SymbolInformation.Kind`, 0 where the symbol alone says it."""
    documentation: tuple[str, ...]
    signature: str
    implements: tuple[str, ...]
    """Symbols that it extends, implements or stands in for."""


@attrs.frozen
class ScipDocument:
    """What an index says of one file."""

    path: str
    language: str
    """As the index spells it, "" where it does not."""
    encoding: Encoding
    text: str
    """"" where the index does not hold it."""
    uses: tuple[ScipUse, ...]
    symbols: Mapping[str, ScipSymbol] = attrs.field(factory=dict[str, ScipSymbol], eq=False)


@attrs.frozen
class ScipIndex:
    """One index."""

    tool: str
    documents: tuple[ScipDocument, ...]


class _Tool(Protocol):
    name: str
    version: str


class _Metadata(Protocol):
    tool_info: _Tool


class _Occurrence(Protocol):
    range: Sequence[int]
    symbol: str
    symbol_roles: int
    enclosing_range: Sequence[int]


class _Related(Protocol):
    symbol: str
    is_implementation: bool


class _Signature(Protocol):
    text: str


class _Symbol(Protocol):
    symbol: str
    display_name: str
    kind: int
    documentation: Sequence[str]
    signature_documentation: _Signature
    relationships: Sequence[_Related]


class _Document(Protocol):
    relative_path: str
    language: str
    occurrences: Sequence[_Occurrence]
    symbols: Sequence[_Symbol]
    text: str
    position_encoding: int


def read_index(raw: bytes) -> ScipIndex:
    """The index in a file. Raises ScipError, and nothing else."""
    if len(raw) > LARGEST:
        raise ScipError(f"the index is larger than {LARGEST // 1_000_000} MB")
    tool, documents, uses = "", list[ScipDocument](), 0
    for number, part in _parts(raw):
        if number == METADATA:
            tool_info = cast("_Metadata", _parsed("Metadata", part)).tool_info
            tool = f"{tool_info.name} {tool_info.version}".strip()[:100]
        elif number == DOCUMENTS:
            documents.append(_document(cast("_Document", _parsed("Document", part))))
            uses += len(documents[-1].uses)
            if len(documents) > _MOST_DOCUMENTS or uses > _MOST_OCCURRENCES:
                raise ScipError("the index names more than any workspace that graphls reads can hold")
    if not documents:
        raise ScipError("the file is no SCIP index, or an empty one")
    by_path: dict[str, list[ScipDocument]] = {}
    for document in documents:
        by_path.setdefault(document.path, []).append(document)
    return ScipIndex(tool, tuple(map(_united, by_path.values())))


def names_in(symbol: str) -> tuple[str, ...]:
    """The names that a global symbol is made of, outermost first; empty for one that is not formed as it should be."""
    parts = _split(symbol)
    found: list[str] = []
    at = 0
    while at < len(parts):
        match = _DESCRIPTOR.match(parts, at)
        if match is None:
            return ()
        name = match["name"] or match["hint"] or match["parameter"]
        found.append(name[1:-1].replace("``", "`") if name.startswith("`") else name)
        at = match.end()
    return tuple(found)


def is_local(symbol: str) -> bool:
    """Whether a symbol has a meaning in its own document only."""
    return symbol.startswith(_LOCAL)


def is_spelled(symbol: str, text: str) -> bool:
    """Whether a text is how code spells a global symbol. scip-typescript numbers members of literals (`name0:`) and
    marks what a name alone does not tell apart (`<get>name`, `<constructor>`), as graphls does (`name#2`)."""
    last = _MARKS.sub("", names_in(symbol)[-1])
    if symbol.endswith(":") and last.startswith(text) and last[len(text) :].isdigit():
        return True
    return last.strip(_QUOTES) == text.strip(_QUOTES)


def holder_of(symbol: str) -> str:
    """The symbol that a global one is declared in; "" for one that is formed otherwise."""
    first = at = len(package_of(symbol))
    while (match := _DESCRIPTOR.match(symbol, at)) is not None and match.end() < len(symbol):
        at = match.end()
    return symbol[:at] if at > first else ""


def last_sign(symbol: str) -> str:
    """How the last descriptor of a symbol ends: `/`, `#`, `.`, `().`, `:`, `!`, `]` or `)`; "" for a local."""
    if symbol.endswith(")."):
        return "()."
    return "" if is_local(symbol) else symbol[-1:]


def package_of(symbol: str) -> str:
    """What a global symbol says of its package: scheme, manager, name and version."""
    found = _HEAD.match(symbol)
    return found[0] if found is not None else ""


def own_packages(index: ScipIndex) -> frozenset[str]:
    """The packages that an index defines something of. What else it names of these is in the workspace, too."""
    uses = (use for document in index.documents for use in document.uses if use.defines)
    return frozenset(package_of(use.symbol) for use in uses if not is_local(use.symbol))


def _split(symbol: str) -> str:
    """The descriptors behind scheme, manager, package and version, which end with single spaces."""
    rest = symbol.replace("  ", "\0")
    for _ in range(4):
        _, space, rest = rest.partition(" ")
        if not space:
            return ""
    return rest.replace("\0", " ")


def _document(raw: _Document) -> ScipDocument:
    path = raw.relative_path
    parts = path.split("/")
    if not path or len(path) > _LONGEST or path.startswith("/") or "\\" in path or "\0" in path or ":" in parts[0]:
        raise ScipError(f"the index names a file outside the workspace: {path[:100]!r}")
    if any(part in ("", ".", "..") for part in parts):
        raise ScipError(f"the index names a file outside the workspace: {path[:100]!r}")
    encoding = _ENCODINGS.get(raw.position_encoding)
    if encoding is None:
        raise ScipError(f"{path}: columns are counted in a way that is not known")
    uses = tuple(_use(path, one) for one in raw.occurrences if one.symbol)
    symbols = {one.symbol: _symbol(one) for one in raw.symbols if len(one.symbol) <= _LONGEST}
    return ScipDocument(path, raw.language, encoding, raw.text, uses, symbols)


def _symbol(raw: _Symbol) -> ScipSymbol:
    related = tuple(one.symbol for one in raw.relationships if one.is_implementation)
    signature = raw.signature_documentation.text
    return ScipSymbol(raw.display_name[:_LONGEST], raw.kind, tuple(raw.documentation), signature, related)


def _united(documents: Sequence[ScipDocument]) -> ScipDocument:
    """One document of all that are about a file: every project that holds it may have one. Each numbers its locals by
    itself; two of them are one where they are defined at one place."""
    first = documents[0]
    if len(documents) == 1:
        return first
    uses: dict[tuple[int, int, int, int, str], ScipUse] = {}
    locals_at: dict[tuple[int, int], str] = {}
    symbols: dict[str, ScipSymbol] = {}
    for number, document in enumerate(documents):
        if (document.encoding, document.text) != (first.encoding, first.text):
            raise ScipError(f"the index holds two states of {first.path}")
        names: dict[str, str] = {}
        for use in document.uses:
            if is_local(use.symbol) and use.defines and use.symbol not in names:
                own = f"{_LOCAL}{number}+{use.symbol.removeprefix(_LOCAL)}"
                names[use.symbol] = locals_at.setdefault((use.line, use.start), own)
        for use in document.uses:
            symbol = names.get(use.symbol, use.symbol)
            at = (use.line, use.start, use.end_line, use.end, symbol)
            known = uses.get(at)
            roles = use.roles | (known.roles if known is not None else 0)
            uses[at] = attrs.evolve(
                use, symbol=symbol, roles=roles, around=use.around or (known.around if known else ())
            )
        symbols.update({names.get(symbol, symbol): said for symbol, said in document.symbols.items()})
    return attrs.evolve(first, uses=tuple(uses.values()), symbols=symbols)


def _span(path: str, raw: Sequence[int]) -> tuple[int, int, int, int]:
    numbers = tuple(raw)
    if len(numbers) == 3:
        numbers = (*numbers[:2], numbers[0], numbers[2])
    if len(numbers) != 4 or min(numbers) < 0 or numbers[:2] > numbers[2:]:
        raise ScipError(f"{path}: a range is none: {list(numbers)[:6]}")
    return numbers


def _use(path: str, raw: _Occurrence) -> ScipUse:
    numbers = _span(path, raw.range)
    symbol = raw.symbol
    if len(symbol) > _LONGEST or not (is_local(symbol) or names_in(symbol)):
        raise ScipError(f"{path}: a symbol is not formed as it should be: {symbol[:100]!r}")
    around = _span(path, raw.enclosing_range) if raw.enclosing_range else ()
    return ScipUse(*numbers, symbol, raw.symbol_roles, around)


# ---- the message


def _parts(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Fields of the outermost message one by one, so that no more than one of them is unpacked at a time."""
    at = 0
    while at < len(raw):
        key, at = _number(raw, at)
        if key & 7 != 2:
            raise ScipError("the file is no SCIP index")
        size, at = _number(raw, at)
        if size > _LARGEST_PART or at + size > len(raw):
            raise ScipError("the index is cut off, or a part of it is too large")
        yield key >> 3, raw[at : at + size]
        at += size


def _number(raw: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(raw):
            break
        byte = raw[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ScipError("the file is no SCIP index")


def _parsed(name: str, part: bytes) -> object:
    from google.protobuf.message import DecodeError  # few commands need it

    made = message(name)()
    try:
        made.ParseFromString(part)
    except (DecodeError, UnicodeDecodeError) as error:
        raise ScipError("the index is damaged") from error
    return made
