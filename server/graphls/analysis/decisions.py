"""Decisions: why code is as it is, in records of decisions and in comments that say so.

Owns: which documents are decisions, what their front matter says, markers in comments and prose, what each governs.
Must not know: layout, who asks.
Invariant: a document becomes a decision where it says that it is one; a decision governs only what it names.

A document is one with `graphls_decision: true` or a tag `decision` or `architecture-decision` in its front matter;
below a folder for decisions (`adr`, `decisions`) also one with a status, as Nygard's and MADR's forms have it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

import attrs

from graphls.analysis.document_references import document_links
from graphls.analysis.frameworks.document_entries import entry_nodes
from graphls.analysis.frameworks.strings import resolve_dotted
from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of, format_id
from graphls.graph.derivation import DerivedNode
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import Memo
from graphls.graph.node_records import FileNodes
from graphls.graph.nodes import lasting_row, qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.keyed import is_yaml, read_yaml

Source = Literal["document", "inline_marker"]
STATUSES: Final = ("accepted", "proposed", "superseded", "rejected", "deprecated")
_FRONT: Final = re.compile(rb"\A---\r?\n(.*?)\r?\n---\s*$", re.MULTILINE | re.DOTALL)
_FOLDER: Final = re.compile(r"(^|/)(adrs?|decisions|decision-records)/")
_TAGS: Final = frozenset(("decision", "architecture-decision"))
_STATUS: Final = re.compile(
    rb"^#{1,6}[ \t]*Status[ \t]*\r?\n\s*\W*(\w+)|^[*\-\s]*\**Status\**:\**[ \t]*(\w+)", re.MULTILINE | re.IGNORECASE
)
_MARKER: Final = re.compile(
    rb"^[^\n\"'`]*?(?:#|//|--|/\*|^[ \t]*\*)[ \t]*(WHY|DECISION|TRADEOFF):[ \t]*([^\n]+)$", re.MULTILINE
)
_PROSE: Final = re.compile(
    rb"^(?![ \t]*(?:[`>]|[-*] `))[^\n`]*?\b(WHY|DECISION|TRADEOFF):[*_]{0,3}[ \t]*([^\n]+)$", re.MULTILINE
)
_FENCED: Final = re.compile(rb"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
_LONGEST: Final = 200
_PARAGRAPH: Final = 1_000
_RAW: Final = Memo["Sequence[_Raw]"]("decisions of a file", rests_on_links=False)


@attrs.frozen(kw_only=True)
class Decision:
    """One decision. `start`: where it stands, in bytes; `governs`: files, folders' files and symbols that it names, in
    order; `lost`: what it names and the graph does not have."""

    id: str
    title: str
    rationale: str
    status: str
    source: Source
    file: FilePath
    start: int
    governs: tuple[SymbolRef, ...]
    lost: tuple[str, ...] = ()


@attrs.frozen
class DecisionConflict:
    """A file or symbol that decisions of different status govern."""

    place: SymbolRef
    decisions: tuple[str, ...]


@attrs.frozen(kw_only=True)
class _Raw:
    """What one file says by itself. `names`: what the front matter says that it affects, as (kind, path, symbol)."""

    title: str
    rationale: str
    status: str
    source: Source
    start: int
    names: tuple[tuple[str, str, str], ...] = ()


def decisions(snapshot: Snapshot, code: Collection[FilePath] | None = None) -> tuple[Decision, ...]:
    """All decisions of a workspace, by file and place. `code`: the files whose comments are read, all if not given."""
    found: list[Decision] = []
    for path in sorted(snapshot.shards):
        shard = snapshot.shards[path]
        if shard.language and ((code is not None and path not in code) or comes_last(snapshot, path)):
            continue
        read = _RAW.once(shard, lambda path=path: tuple(_read(snapshot, path)))
        for number, raw in enumerate(read):
            # Some comments are there word for word twice.
            alike = sum((one.title, one.rationale) == (raw.title, raw.rationale) for one in read[:number])
            found.append(_decision(snapshot, path, raw, alike))
    return tuple(found)


def decisions_about(found: Sequence[Decision], place: SymbolRef) -> tuple[Decision, ...]:
    """Those that govern a place, or its file."""
    return tuple(one for one in found if place in one.governs or SymbolRef(place.file, -1) in one.governs)


def governing(snapshot: Snapshot, found: Sequence[Decision], place: SymbolRef) -> tuple[Decision, ...]:
    """Those that govern a place or what holds it. A comment at the top level of a file speaks of what is below it, not
    of every symbol of the file."""
    around, rows = {place}, snapshot.facts(place.file).definitions if place.definition >= 0 else None
    row = place.definition
    while rows is not None and rows.owner[row] >= 0:
        row = rows.owner[row]
        around.add(SymbolRef(place.file, row))
    whole = SymbolRef(place.file, -1)
    return tuple(
        one
        for one in found
        if not around.isdisjoint(one.governs) or (one.source == "document" and whole in one.governs)
    )


def conflicts(found: Sequence[Decision]) -> tuple[DecisionConflict, ...]:
    """Places that decisions of different status govern, by file and place."""
    by_place: dict[SymbolRef, list[Decision]] = {}
    for one in found:
        for place in one.governs:
            by_place.setdefault(place, []).append(one)
    return tuple(
        DecisionConflict(place, tuple(one.id for one in by_place[place]))
        for place in sorted(by_place, key=lambda place: (place.file, place.definition))
        if len({one.status for one in by_place[place]}) > 1
    )


def _decision(snapshot: Snapshot, path: FilePath, raw: _Raw, alike: int) -> Decision:
    governs: dict[SymbolRef, None] = {}
    lost: list[str] = []
    if raw.source == "inline_marker" and not snapshot.shards[path].language:
        line = (snapshot.text(path) or b"").find(b"\n", raw.start)
        links = document_links(snapshot, path)
        near = (target for start, _, target in links if raw.start <= start and (start < line or line < 0))
        code = {target: None for target in near if not isinstance(target, DerivedNode)}
        governs.update(code or {SymbolRef(path, -1): None})
    elif raw.source == "inline_marker":
        owner = FileNodes(snapshot, path).owner_at(raw.start)
        governs[SymbolRef(path, lasting_row(snapshot.facts(path), owner) if owner >= 0 else -1)] = None
    else:
        for kind, name, symbol in raw.names:
            places = tuple(_places(snapshot, path, kind, name, symbol))
            governs.update(dict.fromkeys(places))
            if not places:
                lost.append(f"{name}:{symbol}" if symbol else name)
        for _, _, target in document_links(snapshot, path):
            if not isinstance(target, DerivedNode) and snapshot.shards[target.file].language:
                governs[target] = None
    return Decision(
        id=format_id("n", digest_of("decision_record", raw.title, raw.source, path, raw.rationale, str(alike))),
        title=raw.title,
        rationale=raw.rationale,
        status=raw.status,
        source=raw.source,
        file=path,
        start=raw.start,
        governs=tuple(governs),
        lost=tuple(lost),
    )


def _places(snapshot: Snapshot, around: FilePath, kind: str, name: str, symbol: str) -> Iterator[SymbolRef]:
    """What an entry of the front matter means."""
    if kind == "modules":
        found = resolve_dotted(snapshot, name, around)
        if found is not None:
            yield found
        return
    path = FilePath(name.strip("/").removeprefix("./"))
    if not symbol:
        if path in snapshot.shards:
            yield SymbolRef(path, -1)
        else:
            yield from (SymbolRef(file, -1) for file in sorted(snapshot.shards) if file.startswith(f"{path}/"))
    else:
        wanted = symbol.replace("::", ".").replace("#", ".")
        yield from _declared(snapshot, path, wanted) or _moved(snapshot, path, wanted)


def _declared(snapshot: Snapshot, path: FilePath, wanted: str) -> tuple[SymbolRef, ...]:
    """The first symbol of a qualified name in a file."""
    if path not in snapshot.shards or not snapshot.shards[path].language:
        return ()
    facts = snapshot.facts(path)
    rows = (row for row in range(len(facts.definitions)) if qualified_name(facts, row) == wanted)
    return tuple(SymbolRef(path, lasting_row(facts, row)) for row in list(rows)[:1])


def _moved(snapshot: Snapshot, path: FilePath, wanted: str) -> tuple[SymbolRef, ...]:
    """The only symbol of the whole name in files of that kind: it moved, or its file was renamed."""
    ending = path.rpartition(".")[2]
    files = [file for file in snapshot.files_with_name(wanted.rpartition(".")[2]) if file.endswith(f".{ending}")]
    found = tuple(place for file in files for place in _declared(snapshot, file, wanted))
    return found if len(found) == 1 else ()


def _read(snapshot: Snapshot, path: FilePath) -> Iterator[_Raw]:
    is_code = bool(snapshot.shards[path].language)
    if not (is_code or path.endswith((".md", ".markdown"))):
        return
    text = snapshot.text(path) or b""
    if is_code:
        yield from _markers(_MARKER, text)
    else:
        made = _document(snapshot, path, text)
        if made is not None:
            yield made
        else:
            yield from _markers(_PROSE, _FENCED.sub(lambda block: b" " * len(block[0]), text))


def _markers(marker: re.Pattern[bytes], text: bytes) -> Iterator[_Raw]:
    """Comments, or lines of prose, that say why."""
    for found in marker.finditer(text) if b"WHY:" in text or b"DECISION:" in text or b"TRADEOFF:" in text else ():
        words = found[2].decode("utf-8", "replace").strip().removesuffix("*/").removesuffix("-->").strip()
        if words:
            title = f"{found[1].decode()}: {_SENTENCE.split(words)[0]}"[:_LONGEST]
            yield _Raw(title=title, rationale=words[:_PARAGRAPH], status="accepted", source="inline_marker",
                       start=found.start(1))  # fmt: skip


def _document(snapshot: Snapshot, path: FilePath, text: bytes) -> _Raw | None:
    said, body = front_matter(text), body_of(text)
    known = _status(said, body)
    if not _opted(said) and not (known and in_decision_folder(path)):
        return None
    heading = next((node for node in entry_nodes(snapshot, path) if node.subkind == "heading"), None)
    title = next(iter(_values(said, "title")), "") or (heading.name if heading is not None else path.rpartition("/")[2])
    rationale = next(iter(_values(said, "rationale")), "") or body.decode("utf-8", "replace").strip()
    return _Raw(title=title[:_LONGEST], rationale=rationale[:_PARAGRAPH], status=known or "accepted",
                source="document", start=heading.start if heading is not None else 0,
                names=tuple(_named(said)))  # fmt: skip


def front_matter(text: bytes) -> Mapping[tuple[str, ...], str]:
    """Values of the front matter of a document, by their keys."""
    front = _FRONT.match(text)
    return {value.path: value.text for value in read_yaml(front[1]).values} if front is not None else {}


def body_of(text: bytes) -> bytes:
    """What follows the front matter."""
    front = _FRONT.match(text)
    return text[front.end() :] if front is not None else text


def in_decision_folder(path: str) -> bool:
    """Whether a document there is a decision where it has a status."""
    return _FOLDER.search(path) is not None


def opts_in(text: bytes) -> bool:
    """Whether a document says that it is a decision, or would below a folder for decisions."""
    said = front_matter(text)
    return _opted(said) or bool(_status(said, body_of(text)))


def has_broken_front(text: bytes) -> bool:
    """Whether a document has front matter that is no YAML."""
    front = _FRONT.match(text)
    return front is not None and not is_yaml(front[1])


def unreadable_records(snapshot: Snapshot) -> Iterator[FilePath]:
    """Documents in folders for decisions of which nobody can say whether they are some."""
    for path in snapshot.shards:
        if (
            path.endswith((".md", ".markdown"))
            and in_decision_folder(path)
            and has_broken_front(snapshot.text(path) or b"")
        ):
            yield path


def _opted(said: Mapping[tuple[str, ...], str]) -> bool:
    return "true" in _values(said, "graphls_decision") or not _TAGS.isdisjoint(_values(said, "tags"))


def _status(said: Mapping[tuple[str, ...], str], body: bytes) -> str:
    """The status that a document has, "" where it has none that is known."""
    spelled = _STATUS.search(body)
    status = next(iter(_values(said, "status")), "") or ((spelled[1] or spelled[2]).decode() if spelled else "")
    return next((one for one in STATUSES if status.lower().startswith(one[:6])), "")


def _values(said: Mapping[tuple[str, ...], str], key: str) -> list[str]:
    """The value of a key, or the items of its list."""
    return [text.strip() for path, text in said.items() if path[:1] == (key,) and len(path) <= 2]


def _named(said: Mapping[tuple[str, ...], str]) -> Iterator[tuple[str, str, str]]:
    for key in ("affected_paths", "affected_files"):
        yield from (("paths", text, "") for text in _values(said, key))
    yield from (("modules", text, "") for text in _values(said, "affected_modules"))
    symbols: dict[str, dict[str, str]] = {}
    for path, text in said.items():
        if path[0] == "affected_symbols" and len(path) == 3:
            symbols.setdefault(path[1], {})[path[2]] = text.strip()
    for one in symbols.values():
        yield "symbols", one.get("path", ""), one.get("symbol_path", "")
