"""Embedded GraphQL: documents in strings of code: what they declare, and what they name in a schema.

Owns: which strings are documents; the types that they declare, as nodes; their fragments; uses of what they name.
Must not know: how a document is read, which of several schemas counts, who asks.
Invariant: a string is a document where a name such as `gql` or `typeDefs` stands before it in code, so none of a
    comment is. What a program puts in between (`${...}`) is blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

import attrs

from graphls.analysis.frameworks.code_first_graphql import CodeFirst, code_first
from graphls.analysis.frameworks.code_signs import GRAPHQL_REMARK, CodeMarks, code_marks, files_marked
from graphls.analysis.frameworks.declared_nodes import ContractUse, DeclaredNode, derivations
from graphls.analysis.frameworks.document_entries import entry_node
from graphls.analysis.frameworks.nesting import Nesting
from graphls.facts.cached_property import cached_property
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.nodes import lasting_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.document import ConfigDocument, ConfigEntry, ConfigReference
from graphls.languages.config.graphql import (
    ARGUMENT,
    DIRECTIVE,
    EMBEDDED,
    EXTENSION,
    FIELD,
    FRAGMENT,
    SCHEMA,
    TYPES,
    VALUE,
    read_graphql,
)

_TAGS: Final = ("gql", "graphql")
_SCHEMAS: Final = ("typeDefs", "type_defs", "buildSchema", "build_schema")
"""Names behind which a string is a document where it begins as a schema does."""
_QUOTES: Final = rb"(`|\"\"\"|'''|\"|')"
_REMARK: Final = rb"\s*(?:/\*[^*]{0,80}\*/\s*)?"
_QUOTE: Final = re.compile(rb"(?:<[^`>\n]{0,200}>)?\s*\(?" + _REMARK + _QUOTES)
_ASSIGNED: Final = re.compile(
    rb"\s*(?:(?::[^=\n]{0,80})?=|:)\s*(?:\[\s*)?" + _REMARK + _QUOTES + rb"|\s*\(" + _REMARK + _QUOTES
)
_BEGINS: Final = re.compile(
    rb"(?:\s|#[^\n]*\n|\"\"\".*?\"\"\"|\"[^\"\n]*\")*(?:extend\s+)?"
    rb"(?:type|interface|union|enum|input|scalar|directive|schema)\b[\s\w@{]",
    re.DOTALL,
)
_ENDS: Final[dict[bytes, re.Pattern[bytes]]] = {
    quote: re.compile(rb"\\.|\$\{|" + re.escape(quote), re.DOTALL) for quote in (b"`", b'"""', b"'''", b'"', b"'")
}
_BRACES: Final = re.compile(rb"[{}]")
_MOST_BYTES: Final = 100_000
"""Of one document."""
_DECLARED: Final = TYPES | {FIELD, ARGUMENT, VALUE, DIRECTIVE, EXTENSION, SCHEMA}
_READ: Final = Memo["EmbeddedGraphql"]("GraphQL inside of code", rests_on_links=False)
_FILES: Final = Memo["Set[FilePath]"]("files of code with names of GraphQL", rests_on_links=False)
_ALL: Final = Memo["Set[FilePath]"]("files of code with GraphQL inside", rests_on_links=False)


@attrs.frozen(eq=False, slots=False)
class EmbeddedGraphql:
    """What the documents of one file say. Rows are of the definitions around; offsets are of the file."""

    entries: Sequence[ConfigEntry] = ()
    """Of schemas."""
    nodes: Sequence[DerivedNode] = ()
    """Theirs."""
    fragments: Sequence[tuple[str, int]] = ()
    references: Sequence[tuple[int, ConfigReference]] = ()
    made: CodeFirst = attrs.field(factory=CodeFirst)
    """What calls make of a schema; its entries are among the others."""

    @cached_property
    def made_at(self) -> Set[tuple[str, int]]:
        """Name and begin of the entries that calls make."""
        return frozenset((entry.name, entry.start) for entry in self.made.entries)

    @cached_property
    def leads(self) -> Mapping[tuple[str, int], str]:
        """Name and begin of an entry -> the name of the type that it leads to."""
        return {(entry.name, entry.start): entry.leads for entry in self.entries}

    def around(self, offset: int) -> DerivedNode | None:
        """The innermost entry around an offset."""
        number = self._nesting.around(offset)
        return None if number < 0 else self.nodes[number]

    @cached_property
    def _nesting(self) -> Nesting:
        return Nesting((node.full_start, node.full_end, number) for number, node in enumerate(self.nodes))


_NOTHING: Final = EmbeddedGraphql()


def files_with_graphql(snapshot: Snapshot) -> Set[FilePath]:
    """All files of code that may hold documents."""
    return _ALL.once(snapshot, lambda: _named(snapshot) | set(files_marked(snapshot, CodeMarks.DOCUMENTS)))


def may_hold_graphql(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether one file is among these, for less work."""
    return path in _named(snapshot) or bool(code_marks(snapshot, path) & CodeMarks.DOCUMENTS)


def _named(snapshot: Snapshot) -> Set[FilePath]:
    """Files that spell a name behind which documents stand."""

    def gathered() -> Set[FilePath]:
        named = {path for tag in (*_TAGS, *_SCHEMAS) for path in snapshot.files_with_name(tag)}
        return frozenset(path for path in named if snapshot.shards[path].language)

    return _FILES.once(snapshot, gathered)


def embedded_graphql(snapshot: Snapshot, path: FilePath) -> EmbeddedGraphql:
    """What the documents of a file say by themselves; kept with its contents."""
    return _READ.once(snapshot.shards[path], lambda: _read(snapshot, path))


def embedded_entries(snapshot: Snapshot, path: FilePath) -> Iterator[DeclaredNode]:
    """What the schemas in a file declare."""
    text = snapshot.text(path) or b""
    return (entry_node(text, entry) for entry in embedded_graphql(snapshot, path).entries)


def graphql_uses(snapshot: Snapshot, path: FilePath) -> Iterator[ContractUse]:
    """What the documents of a file name."""
    facts = snapshot.facts(path)
    for owner, one in embedded_graphql(snapshot, path).references:
        source = SymbolRef(path, lasting_row(facts, owner))
        yield ContractUse(EMBEDDED, f"{one.base} {one.text}", source, one.start, one.end, 1.0)


def _read(snapshot: Snapshot, path: FilePath) -> EmbeddedGraphql:
    text, facts = snapshot.text(path) or b"", snapshot.facts(path)
    entries: list[ConfigEntry] = []
    fragments: list[tuple[str, int]] = []
    references: list[tuple[int, ConfigReference]] = []
    for owner, start, document in _documents(facts, text):
        read = _moved(read_graphql(path, document), start)
        entries += (entry for entry in read.entries if entry.kind in _DECLARED)
        row = lasting_row(facts, owner)
        fragments += ((entry.name, row) for entry in read.entries if entry.kind == FRAGMENT)
        references += ((owner, one) for one in read.references)
    made = code_first(path, text)
    entries += made.entries
    if not entries and not references and not fragments:
        return _NOTHING
    nodes = derivations(path, (entry_node(text, entry) for entry in entries), facts).nodes
    return EmbeddedGraphql(entries, nodes, fragments, references, made)


def _moved(read: ConfigDocument, by: int) -> ConfigDocument:
    """The same, with offsets of the file around."""
    return ConfigDocument(
        [
            ConfigEntry(
                one.kind, one.name, by + one.start, by + one.end, by + one.full_start, by + one.full_end, one.leads
            )
            for one in read.entries
        ],
        [ConfigReference(one.kind, one.text, by + one.start, by + one.end, one.base) for one in read.references],
    )


def _documents(facts: FileFacts, text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The row of the definition around each document, where it begins, and its text; in source order."""
    found = {start: (owner, document) for owner, start, document in _tagged(facts, text)}
    for start, owner, document in (*_schemas(facts, text), *_remarked(facts, text)):
        found.setdefault(start, (owner, document))
    yield from ((owner, start, document) for start, (owner, document) in sorted(found.items()))


def _tagged(facts: FileFacts, text: bytes) -> Iterator[tuple[int, int, bytes]]:
    uses, wanted = facts.occurrences, {facts.strings.index(tag) for tag in _TAGS if tag in facts.strings}
    for row, name in enumerate(uses.name) if wanted else ():
        quoted = _QUOTE.match(text, uses.end[row]) if name in wanted else None
        if quoted is not None:
            document = _inside(text, quoted.end(), quoted[1])
            if document is not None:
                yield uses.owner[row], quoted.end(), document


def _schemas(facts: FileFacts, text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Strings without a tag that begin as a schema does."""
    wanted = {facts.strings.index(name) for name in _SCHEMAS if name in facts.strings}
    if not wanted:
        return
    table, uses = facts.definitions, facts.occurrences
    named = [(table.end[row], row) for row, name in enumerate(table.name) if name in wanted]
    named += [(uses.end[row], uses.owner[row]) for row, name in enumerate(uses.name) if name in wanted]
    for end, owner in named:
        quoted = _ASSIGNED.match(text, end)
        if quoted is not None and _BEGINS.match(text, quoted.end()) is not None:
            document = _inside(text, quoted.end(), quoted[1] or quoted[2])
            if document is not None:
                yield quoted.end(), owner, document


def _remarked(facts: FileFacts, text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Strings behind a comment that says what they are."""
    marks = tuple(GRAPHQL_REMARK.finditer(text))
    if not marks:
        return
    table = facts.definitions
    around = Nesting((table.full_start[row], table.full_end[row], row) for row in range(len(table)))
    for mark in marks:
        document = _inside(text, mark.end(), b"`")
        if document is not None:
            yield mark.end(), around.around(mark.start()), document


def _inside(text: bytes, start: int, quote: bytes) -> bytes | None:
    """A string without its quotes, as long as in the source; None where it does not end."""
    made, at = bytearray(), start
    while (found := _ENDS[quote].search(text, at, start + _MOST_BYTES)) is not None:
        made += text[at : found.start()]
        if found[0] == quote:
            return bytes(made)
        at = _behind_braces(text, found.end()) if found[0] == b"${" and quote == b"`" else found.end()
        made += b" " * (at - found.start())
    return None


def _behind_braces(text: bytes, at: int) -> int:
    """Behind the brace that closes one which was opened before."""
    depth = 1
    for brace in _BRACES.finditer(text, at, at + _MOST_BYTES):
        depth += 1 if brace[0] == b"{" else -1
        if not depth:
            return brace.end()
    return len(text)
