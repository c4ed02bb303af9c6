"""Document references: which links of prose lead to something, and which lead nowhere.

Owns: which references of Markdown and reStructuredText count, when one that leads to nothing surely should not.
Must not know: the disk, faces.
Invariant: what may be outside the graph (a page of a site, a picture, an ignored file) is unsettled, not broken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from posixpath import normpath
from typing import Final, Literal

import attrs

from graphls.analysis.frameworks.document_entries import document_of, entry_nodes, is_plain_document
from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.document import ConfigReference, ReferenceKind
from graphls.languages.registry import language_of

Cause = Literal["file", "heading", "label", "symbol"]
_MARKDOWN: Final = (".md", ".markdown")
_REST: Final = (".rst", ".txt")
_PROSE: Final = (*_MARKDOWN, *_REST)
_PAGES: Final = (".md", ".markdown", ".mdx", ".rst", ".txt")
_TEMPLATE: Final = re.compile(r"[{}$*<>|]")
_NO_LETTER: Final = re.compile(r"[\W_]+")
_LINKED: Final = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKUP: Final = re.compile(r"<[^>]*>|&\w+;")
_SYMBOL: Final = re.compile(r"(?!L\d+(?:C\d+)?\Z)[A-Za-z_]\w*(?:\.\w+)*\Z")
"""Behind the path of a file of code; the other is a line."""
_NUMBERED: Final = re.compile(r"-\d+$")


@attrs.frozen
class DocumentReference:
    """One reference of a document. Bytes."""

    file: FilePath
    start: int
    end: int
    text: str
    """What it names: a path, perhaps with an anchor, or a label."""


@attrs.frozen
class BrokenReference:
    """A reference to something that is not there. `missing`: the file, or the heading, label or symbol."""

    at: DocumentReference
    cause: Cause
    missing: str


@attrs.frozen
class DocumentReferences:
    """All links of some documents. `unsettled`: those that may lead out of the graph."""

    documents: int
    resolved: int
    broken: tuple[BrokenReference, ...]
    unsettled: int


def document_references(snapshot: Snapshot, paths: Collection[FilePath]) -> DocumentReferences:
    """Links of those files that are Markdown or reStructuredText, by file and place. Names of code count where they
    lead to something: whether others are names at all, nobody says."""
    resolved, unsettled, documents = 0, 0, 0
    broken: list[BrokenReference] = []
    for path in sorted(paths):
        if snapshot.shards[path].language or not path.endswith(_PROSE) or not is_plain_document(snapshot, path):
            continue
        documents += 1
        ends = {(start, end): target for start, end, target in document_links(snapshot, path)}
        for one in document_of(snapshot, path).references:
            found = _broken(snapshot, path, one)
            if found is None and not _leads_inside(ends.get((one.start, one.end))):
                found = _broken_symbol(snapshot, path, one)
            if found is not None:
                broken.append(found)
            elif (one.start, one.end) in ends or _is_self(snapshot, path, one):
                resolved += 1
            elif one.kind != ReferenceKind.SPAN:
                unsettled += 1
    return DocumentReferences(documents, resolved, tuple(broken), unsettled)


def document_links(snapshot: Snapshot, path: FilePath) -> Iterator[tuple[int, int, SymbolRef | DerivedNode]]:
    """What a document names, in order of place: start, end, target."""
    derivation = snapshot.derivation
    if derivation is None or path not in snapshot.shards or snapshot.shards[path].language:
        return
    found: dict[tuple[int, int], SymbolRef | DerivedNode] = {}
    for edge in derivation.edges_from(snapshot, path):
        for file, start, end in edge.sites:
            if file == path and edge.kind != "contains" and not isinstance(edge.target, str):
                found.setdefault((start, end), edge.target)
    yield from ((start, end, found[start, end]) for start, end in sorted(found))


def _is_self(snapshot: Snapshot, path: FilePath, one: ConfigReference) -> bool:
    """A document that links to itself as a whole."""
    return one.kind in (ReferenceKind.LINK, ReferenceKind.FILE) and any(
        f"{one.text.partition('#')[0]}{more}" == path and "#" not in one.text for more in ("", *one.also)
    )


def _broken(snapshot: Snapshot, path: FilePath, one: ConfigReference) -> BrokenReference | None:
    at = DocumentReference(path, one.start, one.end, one.text)
    # `{{ site }}` of a template, `project:page` of another project's documentation, `name_` of a link's name.
    if _TEMPLATE.search(one.text) or ":" in one.text or one.text.endswith("_"):
        return None
    if one.kind == ReferenceKind.LINK:
        return _broken_link(snapshot, at)
    if one.kind == ReferenceKind.FILE and path.endswith(_REST):
        endings = [more for more in one.also if more in _PAGES]
        if endings and not any(FilePath(f"{one.text}{more}") in snapshot.shards for more in endings):
            return BrokenReference(at, "file", f"{one.text}{endings[0]}")
    return None


def _broken_link(snapshot: Snapshot, at: DocumentReference) -> BrokenReference | None:
    name, sign, anchor = at.text.partition("#")
    file = FilePath(name)
    if file not in snapshot.shards:
        known = file.endswith(_PAGES) or bool(language_of(file))
        return BrokenReference(at, "file", file) if known else None
    if not sign or not anchor or file not in snapshot.shards or not file.endswith(_MARKDOWN):
        return None
    return None if _has_anchor(snapshot, file, anchor) else BrokenReference(at, "heading", anchor)


def _leads_inside(target: SymbolRef | DerivedNode | None) -> bool:
    """Whether a reference leads to more than a file."""
    return isinstance(target, DerivedNode) or (target is not None and target.definition >= 0)


def _broken_symbol(snapshot: Snapshot, path: FilePath, one: ConfigReference) -> BrokenReference | None:
    """A path with the name of a symbol that its file does not know: `src/app.py#run`."""
    name, sign, anchor = one.text.partition("#")
    symbol = anchor.removesuffix("()")
    if not sign or one.kind not in (ReferenceKind.LINK, ReferenceKind.SPAN) or not _SYMBOL.match(symbol):
        return None
    near = (FilePath(name), FilePath(normpath(f"{one.base}/{name}" if one.base else name)))
    file = next((file for file in near if file in snapshot.shards), None)
    known = None if file is None else snapshot.capabilities(file)
    if file is None or known is None or known.file_type(file).wrapped or not _is_unknown(snapshot, file, symbol):
        return None
    return BrokenReference(DocumentReference(path, one.start, one.end, one.text), "symbol", symbol)


def _is_unknown(snapshot: Snapshot, file: FilePath, symbol: str) -> bool:
    """Whether a file has no such symbol for certain: it takes no names from others that it does not spell."""
    facts = snapshot.facts(file)
    missing = [number for number, part in enumerate(symbol.split(".")) if part not in facts.strings]
    if not missing or len(facts.problems) or any(flags & DefinitionFlag.STAR for flags in facts.definitions.flags):
        return False
    # A member may be one of a base in another file.
    return missing[0] == 0 or not len(facts.bases)


def _has_anchor(snapshot: Snapshot, file: FilePath, anchor: str) -> bool:
    """Whether a heading may be called so, by any of the rules that sites have, or some markup gives the name."""
    wanted = {_NO_LETTER.sub("", name.lower()) for name in (anchor, _NUMBERED.sub("", anchor))}
    for node in entry_nodes(snapshot, file):
        if node.subkind == "heading":
            spelled = {node.name, _MARKUP.sub("", _LINKED.sub(r"\1", node.name)), _LINKED.sub("", node.name)}
            if wanted & {_NO_LETTER.sub("", name.lower()) for name in spelled}:
                return True
    text = snapshot.text(file) or b""
    # The terms of lists of definitions have anchors on some sites, and stand alone on a line.
    if any(_NO_LETTER.sub("", line.lower()) in wanted for line in text.decode("utf-8", "replace").splitlines()):
        return True
    name = re.escape(anchor.encode())
    given = rb"(?:id|name)=[\"']?" + name + rb"\b|\{[^{}\n]*#" + name + rb"[\s}.]"
    return re.search(given, text) is not None or f"({anchor})=".encode() in text or b"{%" in text
