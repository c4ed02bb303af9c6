"""SCIP: an index file as plain values.

Owns: what of an index counts (definitions and uses), limits, everything that makes an index suspicious.
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
_ENCODINGS: Final[Mapping[int, Encoding]] = {0: "utf-16", 1: "utf-8", 2: "utf-16", 3: "utf-32"}
_SIMPLE: Final = r"[\w+$-]+"
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
    defines: bool


@attrs.frozen
class ScipDocument:
    """What an index says of one file."""

    path: str
    encoding: Encoding
    text: str
    """"" where the index does not hold it."""
    uses: tuple[ScipUse, ...]


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


class _Document(Protocol):
    relative_path: str
    occurrences: Sequence[_Occurrence]
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
    paths = {document.path for document in documents}
    if len(paths) < len(documents):
        raise ScipError("the index holds a file twice")
    return ScipIndex(tool, tuple(documents))


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
    return symbol.startswith("local ")


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
    return ScipDocument(path, encoding, raw.text, tuple(_use(path, one) for one in raw.occurrences if one.symbol))


def _use(path: str, raw: _Occurrence) -> ScipUse:
    numbers = tuple(raw.range)
    if len(numbers) == 3:
        numbers = (*numbers[:2], numbers[0], numbers[2])
    if len(numbers) != 4 or min(numbers) < 0 or numbers[:2] > numbers[2:]:
        raise ScipError(f"{path}: a range is none: {list(numbers)[:6]}")
    symbol = raw.symbol
    if len(symbol) > _LONGEST or not (is_local(symbol) or names_in(symbol)):
        raise ScipError(f"{path}: a symbol is not formed as it should be: {symbol[:100]!r}")
    return ScipUse(*numbers, symbol, bool(raw.symbol_roles & _DEFINITION))


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
