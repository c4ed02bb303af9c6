"""Document terms: which words the sections of documents hold.

Owns: sections as units, the index of one document.
Must not know: links, how words are ranked.
Invariant: the index of a document is a function of its text and path; a row is the number of a heading among its nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from graphls.context.lexical import FileTerms, check_terms, packed_terms
from graphls.context.terms import term_id, terms
from graphls.facts.columns import column
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

SECTIONS: Final = 5
"""Sections that an answer names."""
_MEMO: Final = Memo[FileTerms]("document terms")
_PROSE: Final = (".md", ".markdown", ".mdx", ".rst", ".txt")
_NAME: Final = 4
_LARGEST: Final = 400_000
"""Bytes of a document; a longer one is a table or a log."""


def document_corpus(snapshot: Snapshot) -> Mapping[FilePath, FileTerms]:
    """The terms of all documents that have sections, by path."""
    found = {path: document_terms(snapshot, path) for path in documents(snapshot)}
    return {path: known for path, known in found.items() if known.rows}


def documents(snapshot: Snapshot) -> Iterator[FilePath]:
    """Files that may have sections, by path."""
    return (path for path, shard in sorted(snapshot.shards.items()) if not shard.language and path.endswith(_PROSE))


def has_document_terms(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether the terms of a document are at hand."""
    return _MEMO.get(snapshot.shards[path]) is not None


def restore_document_terms(snapshot: Snapshot, path: FilePath, known: FileTerms) -> None:
    """Take terms that an earlier run made of the same contents. Raises CodecError."""
    check_terms(known)
    _MEMO.put(snapshot.shards[path], known)


def document_terms(snapshot: Snapshot, path: FilePath) -> FileTerms:
    """The terms of one document, kept with its contents."""
    return _MEMO.once(snapshot.shards[path], lambda: _index(snapshot, path))


def _index(snapshot: Snapshot, path: FilePath) -> FileTerms:
    text = snapshot.text(path) or b""
    nodes = snapshot.derivation.nodes(snapshot, path) if snapshot.derivation and len(text) <= _LARGEST else ()
    headings = [(number, node) for number, node in enumerate(nodes) if node.subkind == "heading"]
    postings: list[tuple[int, int, int, bool]] = []
    rows, starts, ends, names, sizes = column(), column(), column(), column(), column()
    for unit, (number, node) in enumerate(headings):
        # Up to the next heading of any level: what is below that is found as its own.
        end = headings[unit + 1][1].full_start if unit + 1 < len(headings) else node.full_end
        own = [term_id(term) for term in terms(node.name)]
        counts = Counter(map(term_id, terms(text[node.full_start : end].decode("utf-8", "replace"))))
        for term in own:
            counts[term] += _NAME
        for values, value in ((rows, number), (starts, node.full_start), (ends, end)):
            values.append(value)
        names.append(len(own))
        sizes.append(counts.total())
        postings += [(term, unit, count, term in own) for term, count in counts.items()]
    return packed_terms((rows, starts, ends), (names, sizes), postings)
