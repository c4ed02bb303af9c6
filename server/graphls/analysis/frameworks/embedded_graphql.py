"""Embedded GraphQL: what documents in strings of code name in the schema.

Owns: which strings are documents, edges from the code around them to fields, types, arguments and values.
Must not know: how a document is read, which of several schemas counts, who asks.
Invariant: a string is a document where the name `gql` or `graphql` stands before it in code, so none of a comment is.
    What a program puts in between (`${...}`) is blank; fragments lead nowhere, as code may declare them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Final, TypeAlias

from graphls.analysis.frameworks.declared_nodes import DERIVED
from graphls.analysis.frameworks.dependency_recorder import rest_on_format
from graphls.analysis.frameworks.graphql_schema import graphql_schema
from graphls.facts.paths import FilePath
from graphls.graph.evidence import RawEdge
from graphls.graph.memo import Memo
from graphls.graph.nodes import lasting_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.document import ConfigReference
from graphls.languages.config.graphql import EMBEDDED, FRAGMENT, read_graphql

_Reference: TypeAlias = tuple[int, ConfigReference]
"""With the row of the definition around it."""
_TAGS: Final = ("gql", "graphql")
_QUOTE: Final = re.compile(rb"(?:<[^`>\n]{0,200}>)?\s*\(?\s*(`|\"\"\"|'''|\"|')")
_ENDS: Final[dict[bytes, re.Pattern[bytes]]] = {
    quote: re.compile(rb"\\.|\$\{|" + re.escape(quote), re.DOTALL) for quote in (b"`", b'"""', b"'''", b'"', b"'")
}
_BRACES: Final = re.compile(rb"[{}]")
_MOST_BYTES: Final = 100_000
"""Of one document."""
_READ: Final = Memo[tuple[_Reference, ...]]("GraphQL inside of code", rests_on_links=False)
_FILES: Final = Memo["Set[FilePath]"]("files of code with GraphQL inside", rests_on_links=False)


def files_with_graphql(snapshot: Snapshot) -> Set[FilePath]:
    """Files of code that may hold documents."""

    def gathered() -> Set[FilePath]:
        named = {path for tag in _TAGS for path in snapshot.files_with_name(tag)}
        return frozenset(path for path in named if snapshot.shards[path].language)

    return _FILES.once(snapshot, gathered)


def graphql_edges(snapshot: Snapshot, whole: Snapshot, path: FilePath) -> Iterator[RawEdge]:
    """Edges from code to what its documents name. `snapshot` notes what is looked at, `whole` does not."""
    references = _READ.once(whole.shards[path], lambda: tuple(_references(whole, path)))
    if not references:
        return
    rest_on_format(snapshot, "graphql")  # whatever one of its files says may make another answer
    schema, facts = graphql_schema(whole), snapshot.facts(path)
    for owner, one in references:
        place = schema.named(one.base, one.text, path)
        if place is not None:
            yield RawEdge(
                source=SymbolRef(path, lasting_row(facts, owner)),
                target=place,
                kind="references",
                provenance=DERIVED,
                resolution="name",
                confidence=1.0,
                ambiguous=False,
                sites=((path, one.start, one.end),),
                attributes={"via": EMBEDDED},
            )


def _references(snapshot: Snapshot, path: FilePath) -> Iterator[_Reference]:
    """Names of all documents of a file, in source order."""
    text = snapshot.text(path) or b""
    for owner, start, document in _documents(snapshot, path, text):
        for one in read_graphql(path, document).references:
            if one.base != FRAGMENT:
                yield owner, ConfigReference(one.kind, one.text, start + one.start, start + one.end, one.base)


def _documents(snapshot: Snapshot, path: FilePath, text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The row of the definition around each document, where it begins, and its text."""
    facts = snapshot.facts(path)
    uses, wanted = facts.occurrences, {facts.strings.index(tag) for tag in _TAGS if tag in facts.strings}
    for row, name in enumerate(uses.name):
        quoted = _QUOTE.match(text, uses.end[row]) if name in wanted else None
        if quoted is not None:
            document = _inside(text, quoted.end(), quoted[1])
            if document is not None:
                yield uses.owner[row], quoted.end(), document


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
