"""Code marks: whether the text of a file of code may have to do with tables, models of schemas or other languages.

Owns: the first look at the text of each file, which spares most files the second one.
Must not know: other files, what names lead to.
Invariant: a function of one file's text; what is not marked is not there.
"""

from __future__ import annotations

from enum import IntFlag
from typing import Final

from graphls.analysis.frameworks.foreign_uses import applicable_bindings
from graphls.analysis.frameworks.model_clients import may_name_models
from graphls.analysis.frameworks.sql_strings import may_hold_sql
from graphls.analysis.frameworks.table_models import applicable_models
from graphls.analysis.frameworks.text_rpc import applicable_rpc
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

_SCHEMA_ENDING: Final = ".prisma"
_MARKS: Final = Memo["CodeMarks"]("marks of code", rests_on_links=False)
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


def code_marks(snapshot: Snapshot, path: FilePath) -> CodeMarks:
    """Marks of one file; kept with its contents."""
    shard = snapshot.shards[path]
    if not shard.language:
        return CodeMarks.NONE
    found = _MARKS.once(shard, lambda: _looked(path, snapshot.text(path) or b""))
    return found if has_schema(snapshot) else found & ~CodeMarks.CLIENTS


def has_schema(snapshot: Snapshot) -> bool:
    """Whether there is a schema that clients are made from."""
    return _SCHEMAS.once(snapshot, lambda: any(map(is_schema, snapshot.shards)))


def is_schema(path: str) -> bool:
    """Whether clients are made from a file."""
    return path.endswith(_SCHEMA_ENDING)


def _looked(path: FilePath, text: bytes) -> CodeMarks:
    found = CodeMarks.NONE
    if applicable_models(path, text) or may_hold_sql(text):
        found |= CodeMarks.TABLES
    if may_name_models(text):
        found |= CodeMarks.CLIENTS
    if applicable_bindings(path, text):
        found |= CodeMarks.FOREIGN
    if applicable_rpc(path, text):
        found |= CodeMarks.REMOTE
    return found
