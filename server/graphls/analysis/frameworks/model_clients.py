"""Model clients: where code asks a generated client for the models of a schema.

Owns: members of clients that are models, names that code brings in from a generated client.
Must not know: which models there are.
Invariant: a member is a model where a method follows that clients alone have, or where what stands before it is called
    a client of a database.

Source: https://www.prisma.io/docs/orm/reference/prisma-client-reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

MODEL: Final = "model"
"""The kind of uses that name models of schemas."""
_OWN: Final = (
    rb"findMany|findUnique|findUniqueOrThrow|findFirst|findFirstOrThrow|createMany|createManyAndReturn|updateMany"
    rb"|updateManyAndReturn|upsert|deleteMany|groupBy|find_many|find_unique|find_unique_or_raise|find_first"
    rb"|find_first_or_raise|create_many|update_many|delete_many|group_by"
)
_CALL: Final = re.compile(
    rb"(?<![\w$.])(?:(?:[\w$]+(?:\(\))?\??\.)*)(?P<client>[\w$]+)\s*\.\s*(?P<model>[a-z]\w*)\s*\.\s*(?:(?P<own>"
    + _OWN
    + rb")|(?:create|update|delete|count|aggregate))\s*\("
)
_VERBS: Final = (b".find", b".create", b".update", b".delete", b".upsert", b".count", b".aggregate", b".group")
_CLIENT: Final = re.compile(rb"prisma|(?:\A|_)(?:tx|trx|db|transaction)\Z|[a-z](?:Tx|Db|DB)\Z", re.IGNORECASE)
_BROUGHT: Final = re.compile(
    rb"\b(?:import|export)\s+(?:type\s+)?\{([^{}]{1,4000})\}\s*from\s*"
    rb"[\"'](?:@prisma/client|[^\"'\n]*/generated/prisma(?:/[^\"'\n]*)?)[\"']"
)
_NAME: Final = re.compile(rb"(?:type\s+)?([A-Za-z_]\w*)(?:\s+as\s+\w+)?")
_HINTS: Final = (b"@prisma/client", b"/generated/prisma")


@attrs.frozen
class ModelName:
    """A name of a model in code. Bytes."""

    text: str
    start: int
    end: int
    confidence: float


def client_words(text: bytes) -> frozenset[str]:
    """What a file may ask a client for; folded."""
    return frozenset(one.text.casefold() for one in model_names(text))


def model_names(text: bytes) -> Iterator[ModelName]:
    """Models that one file names, in no particular order."""
    yield from _model_names(text)
    for brought in _BROUGHT.finditer(text) if any(hint in text for hint in _HINTS) else ():
        at = brought.start(1)
        for part in brought[1].split(b","):
            named = _NAME.search(part)
            if named is not None:
                start, end = named.span(1)
                yield ModelName(named[1].decode(), at + start, at + end, 1.0)
            at += len(part) + 1


def _model_names(text: bytes) -> Iterator[ModelName]:
    if not any(word in text for word in _VERBS):
        return
    for call in _CALL.finditer(text):
        client = _CLIENT.search(call["client"]) is not None
        if client or call["own"] is not None:
            yield ModelName(call["model"].decode(), *call.span("model"), 1.0 if client else 0.9)
