"""Document entries: what files of configuration and prose declare, as nodes.

Owns: which files are read as documents; from the entries of a document to nodes.
Must not know: formats and schemas, what references lead to, output.
Invariant: a function of the contents of one file, made once for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final

from graphls.analysis.frameworks.declared_nodes import DeclaredNode, DerivedSpan, derivations
from graphls.facts.paths import FilePath
from graphls.graph.derivation import CONTENT_HASH, DOCUMENT_ENTRY, DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot
from graphls.languages.config.document import ConfigDocument, ConfigEntry
from graphls.languages.config.reading import format_of, is_document, read_document
from graphls.languages.registry import is_script
from graphls.languages.unread import unread_ending

MANIFEST: Final = "manifest_declared"
SQL: Final = "sql"
TEXT: Final = "text"
_READ: Final = Memo[ConfigDocument]("document")
_NODES: Final = Memo["Sequence[DerivedNode]"]("entries of documents")
_DIGEST: Final = 16
_NAMED_ALONE: Final = frozenset(("requirements", SQL, "prisma", "css"))
"""Formats whose files are documents although no word in them names code."""


def document_of(snapshot: Snapshot, path: FilePath) -> ConfigDocument:
    """What a plain file says by itself; kept with its contents."""
    shard = snapshot.shards[path]
    script = is_script(shard.language)
    return _READ.once(shard, lambda: read_document(path, snapshot.text(path) or b"", script=script))


def is_plain_document(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether a file is read as a document; those of languages are not, but for scripts."""
    language = snapshot.shards[path].language
    if not is_script(language) and (language or not is_document(path)):
        return False
    form = format_of(path)
    if form == TEXT:
        # A list of words or a licence has no entries: what is left is reStructuredText.
        return bool(document_of(snapshot, path).entries)
    # Of other text nobody says what it means: tables.
    return bool(unread_ending(path)) or form in _NAMED_ALONE


def may_name(snapshot: Snapshot, path: FilePath, names: Sequence[bytes]) -> bool:
    """Whether a document has one of these words anywhere."""
    text = snapshot.text(path) or b""
    return any(name in text for name in names)


def entry_nodes(snapshot: Snapshot, path: FilePath) -> Sequence[DerivedNode]:
    """The nodes of the entries of a document."""
    if path not in snapshot.shards or not is_plain_document(snapshot, path):
        return ()
    shard = snapshot.shards[path]
    return _NODES.once(shard, lambda: derivations(path, document_nodes(snapshot, path)).nodes)


def document_nodes(snapshot: Snapshot, path: FilePath) -> Iterator[DeclaredNode]:
    """Entries of a document."""
    text = snapshot.text(path) or b""
    yield from (entry_node(text, entry) for entry in document_of(snapshot, path).entries)


def entry_node(text: bytes, entry: ConfigEntry) -> DeclaredNode:
    """An entry of a document that is a file, or is a part of one."""
    span = DerivedSpan(entry.start, entry.end, entry.full_start, entry.full_end)
    about = ((CONTENT_HASH, _hash(text, entry)),)
    return DeclaredNode(DOCUMENT_ENTRY, entry.kind, entry.name, span, 1.0, about, provenance=MANIFEST)


def _hash(text: bytes, entry: ConfigEntry) -> str:
    return blake2b(text[entry.full_start : entry.full_end], digest_size=_DIGEST).hexdigest()
