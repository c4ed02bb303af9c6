"""Code signs: what the text of a file of code may have to do with tables, models, services and other languages.

Owns: the first look at the text of each file, which spares most files the second one.
Must not know: other files, what names lead to.
Invariant: a function of one file's text; what has no sign is not there.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Set
from enum import IntFlag
from typing import Final, cast

import attrs

from graphls.analysis.frameworks.code_first_graphql import is_code_first
from graphls.analysis.frameworks.code_migrations import applicable_migrations, touched_words
from graphls.analysis.frameworks.foreign_uses import applicable_bindings
from graphls.analysis.frameworks.model_clients import client_words
from graphls.analysis.frameworks.query_chains import given_columns
from graphls.analysis.frameworks.resolver_uses import applicable_resolvers, may_be_map
from graphls.analysis.frameworks.resource_routes import may_declare_resources
from graphls.analysis.frameworks.route_tables import may_list_routes
from graphls.analysis.frameworks.rules import VERSION, rule_heads
from graphls.analysis.frameworks.sql_strings import created_tables, sql_words
from graphls.analysis.frameworks.table_models import applicable_models, model_signs
from graphls.analysis.frameworks.text_routes import applicable_routes
from graphls.analysis.frameworks.text_rpc import applicable_rpc
from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot

_SCHEMA_ENDING: Final = ".prisma"
GRAPHQL_REMARK: Final = re.compile(rb"/\*\s{0,4}(?i:graphql)\s{0,4}\*/\s{0,80}`")
"""What stands before a string that editors take for GraphQL."""
_SIGNS: Final = Memo["CodeSigns"]("signs of code", rests_on_links=False)
_ROUTING: Final = ("routes", "resources", "tables")
"""Tables of rules about texts that declare routes."""
_ROUTERS: Final = Memo["Set[FilePath]"]("files whose text declares routes", rests_on_links=False)
_RECALLED: Final = Memo[bool]("signs of all files", rests_on_links=False)
_SUBJECT: Final = f"signs of code {VERSION}"
_SCHEMAS: Final = Memo[bool]("whether there are schemas", rests_on_links=False)


class CodeMarks(IntFlag):
    """What a file may have."""

    NONE = 0
    TABLES = 1
    """Statements of SQL, or models."""
    CLIENTS = 2
    """Members of clients that are made from schemas."""
    FOREIGN = 4
    """Functions for other languages, or names of theirs."""
    REMOTE = 8
    """Services that code answers or calls by names that generators give."""
    RESOLVERS = 16
    """Code that may answer fields of a schema of GraphQL."""
    DOCUMENTS = 32
    """Strings that a comment says are GraphQL, or calls that make a schema."""
    MIGRATIONS = 64
    """Migrations that make or change tables."""
    QUERIES = 128
    """Queries that name members of models."""
    ROUTES = 256
    """Annotations or calls that declare routes."""


@attrs.frozen(eq=False)
class CodeSigns:
    """The signs of one file. Names are folded."""

    marks: CodeMarks = CodeMarks.NONE
    words: frozenset[str] = frozenset()
    """All words of its statements, and what it asks clients for."""
    tables: frozenset[str] = frozenset()
    """Last parts of the names of tables that its models or statements may declare."""
    classes: frozenset[str] = frozenset()
    """What a library may put into the name of a table for its classes."""

    def may_declare(self, table: str) -> bool:
        """Whether it may declare a table of this last name, folded."""
        return table in self.tables or (bool(self.classes) and not self.classes.isdisjoint(_runs(table)))


_NO_SIGNS: Final = CodeSigns()


def code_signs(snapshot: Snapshot, path: FilePath) -> CodeSigns:
    """Signs of one file; kept with its contents."""
    shard = snapshot.shards[path]
    return _SIGNS.once(shard, lambda: _looked(path, snapshot.text(path) or b"")) if shard.language else _NO_SIGNS


def code_marks(snapshot: Snapshot, path: FilePath) -> CodeMarks:
    """Marks of one file in its workspace."""
    found = code_signs(snapshot, path).marks
    return found if has_schema(snapshot) else found & ~CodeMarks.CLIENTS


def files_marked(snapshot: Snapshot, marks: CodeMarks) -> Iterator[FilePath]:
    """Files with one of these marks, in order of path. Raises BudgetSpentError: who asks first has all code read."""
    _RECALLED.once(snapshot, lambda: _recall(snapshot))
    yield from (path for path in snapshot.files() if code_marks(snapshot, path) & marks)


def routing_files(snapshot: Snapshot) -> Set[FilePath]:
    """Files whose text declares routes: files of other languages are not read. Raises BudgetSpentError."""

    def gathered() -> Set[FilePath]:
        endings = tuple(ending for table in _ROUTING for head in rule_heads(table) for ending in head.endings)
        if not any(path.endswith(endings) for path in snapshot.files()):
            return frozenset()
        return frozenset(files_marked(snapshot, CodeMarks.ROUTES))

    return _ROUTERS.once(snapshot, gathered)


def _recall(snapshot: Snapshot) -> bool:
    """Has the signs of all files at hand: as an earlier run found them, else found now."""
    shards = snapshot.shards
    missing = [path for path in snapshot.files() if _SIGNS.get(shards[path]) is None]
    # What an editor did not save was never stored.
    saved = [path for path in missing if not shards[path].dirty]
    known = snapshot.reader.file_values(snapshot, _SUBJECT, saved)
    for path, raw in known.items():
        with contextlib.suppress(CodecError, TypeError, ValueError):
            _SIGNS.put(shards[path], _unpack(decode_plain(raw)))
    made: dict[FilePath, bytes] = {}
    try:
        for path in saved:
            if _SIGNS.get(shards[path]) is None:
                spend()
                found = code_signs(snapshot, path)
                made[path] = encode_plain([int(found.marks), *map(sorted, (found.words, found.tables, found.classes))])
    finally:  # what a request found before it had to end is there for the next one, and for the next run
        if made:
            snapshot.reader.store_file_values(snapshot, _SUBJECT, made)
    return True


def _unpack(value: object) -> CodeSigns:
    marks, words, tables, classes = cast("tuple[int, list[str], list[str], list[str]]", value)
    return CodeSigns(CodeMarks(marks), frozenset(words), frozenset(tables), frozenset(classes)) if marks else _NO_SIGNS


def has_schema(snapshot: Snapshot) -> bool:
    """Whether there is a schema that clients are made from."""
    return _SCHEMAS.once(snapshot, lambda: any(map(is_schema, snapshot.shards)))


def is_schema(path: str) -> bool:
    """Whether clients are made from a file."""
    return path.endswith(_SCHEMA_ENDING)


def _looked(path: FilePath, text: bytes) -> CodeSigns:
    rules, statements, asked = applicable_models(path, text), sql_words(text), client_words(text)
    chains = tuple(given_columns(path, text, members=False))
    given = frozenset((one.text or one.holder).casefold() for one in chains)
    given |= {f"{one.text.casefold()}_id" for one in chains if one.model >= 0}
    conditions = frozenset(one.text.casefold() for one in given_columns(path, text, members=True))
    words = statements | given | conditions
    found = CodeMarks.TABLES if rules or statements or given else CodeMarks.NONE
    found |= CodeMarks.QUERIES if conditions else CodeMarks.NONE
    found |= CodeMarks.CLIENTS if asked else CodeMarks.NONE
    found |= CodeMarks.FOREIGN if applicable_bindings(path, text) else CodeMarks.NONE
    found |= CodeMarks.REMOTE if applicable_rpc(path, text) else CodeMarks.NONE
    found |= CodeMarks.DOCUMENTS if b"*/" in text and GRAPHQL_REMARK.search(text) is not None else CodeMarks.NONE
    if is_code_first(path, text):
        found |= CodeMarks.DOCUMENTS | CodeMarks.RESOLVERS
    routed = applicable_routes(path, text) or may_declare_resources(path, text) or may_list_routes(path, text)
    found |= CodeMarks.ROUTES if routed else CodeMarks.NONE
    found |= CodeMarks.RESOLVERS if may_be_map(path, text) or applicable_resolvers(path, text) else CodeMarks.NONE
    migrations = applicable_migrations(path, text)
    if migrations:
        found |= CodeMarks.MIGRATIONS
        words = words.union(touched_words(path, text, migrations))
    if not found:
        return _NO_SIGNS
    tables, classes = model_signs(rules, text)
    return CodeSigns(found, words | asked, tables | created_tables(text) if statements else tables, classes)


def _runs(table: str) -> frozenset[str]:
    """Words that stand in a row in the name of a table: a library puts that of a class among others."""
    parts = table.split("_")[:_MOST_PARTS]
    return frozenset("_".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1))


_MOST_PARTS: Final = 12
