"""Compact: a selection of the graph, or all of it, for a reader with a token budget.

Owns: the text format `graphls/compact 1`, local numbers, marks, escaping.
Must not know: snapshots, how things were selected, how tokens are counted.
Invariant: text from source cannot look like structure: it never starts a line, and never holds two spaces in a row.

    graphls/compact 1  snapshot s:...  rev 17  fresh  task "..."  budget 8000 used 7412 omitted 31  complete
    ! checked ~ inferred ? ambiguous x unresolved
    @ src/base32.py
     1 def decode(text: str) -> bytes  L40-88 !  "Decode base32 text."
     | code, when a text is given
    > 1 calls 2~ 5!
    x 1 unresolved 3
    next answer: complete for the seeds
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from graphls.graph.control_escapes import escape_controls
from graphls.graph.records import Edge, Header, Node, Record

_VERSION = "graphls/compact 1"
_LEGEND = "! checked ~ inferred ? ambiguous x unresolved"
_IMPLIED = frozenset({"contains", "defines"})
"""The grouping by file and the names say as much."""
_SPACE = re.compile(r"\s+")


@attrs.frozen
class CompactItem:
    """One node, with its text when there is room for it."""

    node: Node
    text: str | None = None
    first_line: int = 0
    """Line of the first line of `text`, from 1; 0 says that of the node."""


@attrs.frozen
class CompactAbout:
    """What the selection is and how complete it is."""

    snapshot: str
    revision: int
    pending: int = 0
    """Files known to have changed that are not shown yet; 0 is "fresh"."""
    task: str | None = None
    budget: int | None = None
    used: int | None = None
    omitted: int = 0
    next: str | None = None
    """What to do after reading: `answer: ...`, `inspect: ...`."""
    unresolved: Mapping[str, int] = attrs.field(factory=dict[str, int])
    """Id of a shown node -> uses inside it that no rule resolves."""
    coverage: str = ""
    """Whether something that was asked for may be missing."""


def compact(about: CompactAbout, items: Sequence[CompactItem], edges: Sequence[Edge] = ()) -> str:
    """The text. Files come in the order of their first item; numbers are local to this text."""
    return "\n".join(_lines(about, items, edges)) + "\n"


def compact_graph(records: Iterable[Record]) -> Iterator[str]:
    """The records of an export: nodes by file, a line each, and edges by source and kind. What is in no file comes
    last. Sites, hashes and edges to nodes that are not there are left out."""
    about, items, edges = CompactAbout("", 0), list[CompactItem](), list[Edge]()
    for record in records:
        match record:
            case Header():
                lacking = f"unresolved sites {record.counts.unresolved_sites}"
                about = CompactAbout(record.snapshot, record.revision or 0, coverage=lacking)
            case Node():
                items.append(CompactItem(record))
            case Edge():
                edges.append(record)
            case _:
                pass
    items.sort(key=lambda item: not item.node.file)
    yield from (f"{line}\n" for line in _lines(about, items, edges))


def _lines(about: CompactAbout, items: Sequence[CompactItem], edges: Sequence[Edge]) -> Iterator[str]:
    yield _heading(about)
    yield _LEGEND
    by_file: dict[str, list[CompactItem]] = {}
    for item in items:
        by_file.setdefault(item.node.file or "", []).append(item)
    numbers: dict[str, int] = {}
    for file, group in by_file.items():
        yield f"@ {one_line(file)}" if file else "@ -"
        for item in group:
            numbers.setdefault(item.node.id, len(numbers) + 1)
            yield from _item(numbers[item.node.id], item)
    yield from _relations(numbers, edges)
    for ident, number in numbers.items():
        if about.unresolved.get(ident):
            yield f"x {number} unresolved {about.unresolved[ident]}"
    if about.next:
        yield f"next {one_line(about.next)}"


def _heading(about: CompactAbout) -> str:
    parts = [_VERSION, f"snapshot {about.snapshot}", f"rev {about.revision}"]
    parts.append(f"pending {about.pending}" if about.pending else "fresh")
    if about.task is not None:
        parts.append(f"task {quoted(about.task)}")
    counts = [f"budget {about.budget}"] if about.budget is not None else []
    counts += [f"used {about.used}"] if about.used is not None else []
    parts.append(" ".join([*counts, f"omitted {about.omitted}"]))
    return "  ".join([*parts, about.coverage] if about.coverage else parts)


def _item(number: int, item: CompactItem) -> Iterator[str]:
    node = item.node
    parts = [one_line(_title(node)), f"{_span(node)}{_mark(node.provenance, ambiguous=False)}"]
    if node.doc:
        parts.append(quoted(node.doc))
    yield f" {number} {'  '.join(parts)}"
    if item.text is not None:
        if item.first_line:
            yield f" | L{item.first_line}"
        yield from (f" | {_printable(line)}" for line in item.text.split("\n"))


def _title(node: Node) -> str:
    """The signature, or kind and name; what is inside a class says so."""
    outer = node.qualified_name.rpartition(".")[0] if node.kind in ("method", "field", "enum_variant") else ""
    what = node.signature if node.signature and node.kind != "test" else None
    what = what or f"{node.subkind or node.kind} {node.qualified_name or node.name}"
    return f"{what} (in {outer})" if outer and node.signature else what


def _span(node: Node) -> str:
    where = node.full_range or node.range
    if where is None:
        return ""
    first, last = where[0] + 1, where[2] + 1
    return f"L{first} " if first == last else f"L{first}-{last} "


def _relations(numbers: Mapping[str, int], edges: Sequence[Edge]) -> Iterator[str]:
    grouped: dict[tuple[int, str], dict[int, str]] = {}
    for edge in edges:
        source, target = numbers.get(edge.source), numbers.get(edge.target)
        if source is not None and target is not None and edge.kind not in _IMPLIED:
            grouped.setdefault((source, edge.kind), {})[target] = _mark(edge.provenance, edge.ambiguous)
    for (source, kind), targets in sorted(grouped.items()):
        ends = " ".join(f"{target}{mark}" for target, mark in sorted(targets.items()))
        yield f"> {source} {one_line(kind)} {ends}"


def _mark(provenance: str, ambiguous: bool) -> str:
    if ambiguous:
        return "?"
    return "!" if provenance in ("compiler_checked", "scip_imported", "lsp_resolved") else "~"


def one_line(text: str) -> str:
    """Text on one line, without two spaces in a row and without control characters."""
    return _printable(_SPACE.sub(" ", text).strip())


def quoted(text: str) -> str:
    """A JSON string on one line."""
    return json.dumps(one_line(text), ensure_ascii=False)


def _printable(line: str) -> str:
    """Control characters, those that turn text around, and those that some readers take for a line end, as escapes."""
    return escape_controls(line).replace("\n", "\\u000a")
