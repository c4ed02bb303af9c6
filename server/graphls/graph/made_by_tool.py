"""Made by a tool: whether a file is generated, minified or a copy of somebody else's code.

Owns: the marks by which this is seen: `.gitattributes`, name and place of the file, what its text says, its long lines.
Must not know: what answers do with such files.
Invariant: a function of the path, the facts of the file and the `.gitattributes` of the snapshot. Who says otherwise in
    `.gitattributes` (`-linguist-generated`) is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot
from graphls.sources.ignore_patterns import MAX_PATTERNS, IgnoreFile, parse_ignore_file

ATTRIBUTES: Final = ".gitattributes"
_FOLDER: Final = re.compile(
    r"(?:\A|/)(?:_?vendor(?:s|ed)?|_?vendored_packages|third[_-]?party|3rd[_-]?party|node_modules|bower_components"
    r"|extern(?:al)?s?|__generated__|generated)/|\A(?:deps|dependencies)/",
    re.IGNORECASE,
)
_NAME: Final = re.compile(
    r"[.-](?:min|bundle|umd|generated|gen|pb)\.[cm]?[jt]sx?\Z|_pb2(?:_grpc)?\.pyi?\Z|_(?:grpc_)?pb\.(?:d\.)?[jt]s\Z"
    r"|\w[-.]v?\d+\.\d+\.\d+\.[cm]?js\Z|(?:\A|/)(?:parsetab|lextab|_version|versioneer)\.py\Z"
    # As linguist knows them: of protoc, gRPC, Kubernetes, sqlc, mocks, designers of .NET, Qt and code generators.
    r"|\.pb(?:\.gw|\.validate)?\.(?:go|cc|h|swift|rb)\Z|\.grpc\.swift\Z|_grpc\.pb\.go\Z|_pb\.rb\Z"
    r"|(?:\A|/)zz_generated[\w.]*\.go\Z|[._]gen(?:erated)?\.(?:go|rs|cs|kt|java|swift|dart|cc|h)\Z"
    r"|\.(?:designer|g|g\.i)\.cs\Z|(?:\A|/)(?:moc|qrc)_\w+\.cpp\Z|(?:\A|/)ui_\w+\.h\Z",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"(?P<no>[-!]?)linguist-(?:generated|vendored)(?:=(?P<value>\w+))?\Z")
_LONG_LINE: Final = 400
"""Bytes of a line on average; people write a tenth of that."""
_LEAST: Final = 4_000
"""Bytes of a file below which its lines say nothing."""
MADE_BY_TOOL: Final = "text of a tool 1"
"""What is stored of a file: whether its text says so."""
_YES, _NO = b"\1", b"\0"
_OF_FILE: Final = Memo[bool]("made by a tool")
_ATTRIBUTES: Final = Memo["_Attributes"]("attributes of files")


@attrs.frozen(eq=False)
class _Attributes:
    """What all `.gitattributes` say, by folder, and what is seen of files without themselves so far: the next snapshot
    asks the same of all of them."""

    files: Mapping[str, IgnoreFile]
    answers: dict[FilePath, bool | None] = attrs.field(factory=dict["FilePath", "bool | None"])

    def said_of(self, path: FilePath) -> bool | None:
        answers = self.answers
        if path not in answers:
            said = _verdict(self.files, path) if self.files else None
            answers[path] = True if said is None and is_foreign(path) else said
        return answers[path]


@lru_cache(maxsize=20_000)
def is_foreign(path: str) -> bool:
    """Whether a file is a copy of what others wrote, or was made from something, by where it is and how it is named."""
    return _FOLDER.search(path) is not None or _NAME.search(path) is not None


def is_text_of_tool(facts: FileFacts) -> bool:
    """Whether the text of a file says that a tool wrote it."""
    return facts.generated or (facts.size >= _LEAST and facts.size > _LONG_LINE * max(len(facts.lines), 1))


def said_of(snapshot: Snapshot, path: FilePath) -> bool | None:
    """What is seen without the file itself; None where that is nothing."""
    return _ATTRIBUTES.once(snapshot, lambda: _all_attributes(snapshot)).said_of(path)


def said_of_all(snapshot: Snapshot) -> Callable[[FilePath], bool | None]:
    """The same, for who goes through all files."""
    return _ATTRIBUTES.once(snapshot, lambda: _all_attributes(snapshot)).said_of


def is_made_by_tool(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether no person of this project maintains a file."""
    said = said_of(snapshot, path)
    shard = snapshot.shards[path]
    if said is not None or not shard.language:
        return bool(said)
    return _OF_FILE.once(shard, lambda: is_text_of_tool(snapshot.facts(path)))


def recall_made_by_tool(snapshot: Snapshot, paths: Collection[FilePath]) -> None:
    """Has at hand what an earlier run stored, for lists of files whose facts nobody needs."""
    shards = snapshot.shards
    missing = [path for path in paths if path in shards and _OF_FILE.get(shards[path]) is None]
    stored = snapshot.reader.file_values(snapshot, MADE_BY_TOOL, missing) if missing else dict[FilePath, bytes]()
    for path, raw in stored.items():
        _OF_FILE.put(shards[path], raw == _YES)


def packed_verdict(facts: FileFacts) -> bytes:
    """What is stored of a file as `MADE_BY_TOOL`."""
    return _YES if is_text_of_tool(facts) else _NO


def comes_last(snapshot: Snapshot, path: FilePath) -> bool:
    """`is_made_by_tool` as far as it is seen without the file: for lists of many files."""
    return bool(said_of(snapshot, path))


def _verdict(files: Mapping[str, IgnoreFile], path: FilePath) -> bool | None:
    *folders, name = path.split("/")
    for depth in range(len(folders), -1, -1):
        found = files.get("/".join(folders[:depth]))
        said = found.verdict("/".join([*folders[depth:], name]), name, False) if found is not None else None
        if said is not None:
            return said
    return None


def _all_attributes(snapshot: Snapshot) -> _Attributes:
    named = (path for path in snapshot.shards if path.endswith(ATTRIBUTES))
    found = ((path.rpartition("/")[0], snapshot.text(path) or b"") for path in named if _is_attributes(path))
    return _read_attributes(tuple(sorted(found)))


def _is_attributes(path: FilePath) -> bool:
    return path.rpartition("/")[2] == ATTRIBUTES


@lru_cache(maxsize=4)
def _read_attributes(texts: tuple[tuple[str, bytes], ...]) -> _Attributes:
    """Of folders and texts: snapshots of one workspace mostly share them."""
    found: dict[str, IgnoreFile] = {}
    for folder, text in texts:
        lines = "\n".join(_patterns(text))
        if lines:
            found[folder] = parse_ignore_file(lines.encode("utf-8", "surrogateescape"))
    return _Attributes(found)


def _patterns(data: bytes) -> Iterator[str]:
    """Patterns of files with one of these attributes, negated where it is taken away."""
    for line in data.decode("utf-8", "surrogateescape").splitlines()[:MAX_PATTERNS]:
        pattern, *words = line.split() or [""]
        if not pattern or pattern.startswith(("#", "!", '"')):
            continue
        said = [match for match in map(_WORD.match, words) if match is not None]
        if said:
            no = said[-1]["no"] or said[-1]["value"] in ("false", "0", "unset")
            yield f"!{pattern}" if no else pattern
