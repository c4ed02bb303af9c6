"""Entry contract: what an entry says to those who use it: description, inputs, who asks for it, what it answers with.

Owns: which text describes an entry, parameters of handlers, types and fields of answers, consumers.
Must not know: frameworks, layout.
Invariant: every field is declared by a type of the workspace, every consumer is an edge of the graph; what is only
    built while a handler runs is not known, and no list is said to be all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import is_structure
from graphls.graph.edges import edges_of, edges_to
from graphls.graph.evidence import RawEdge
from graphls.graph.nodes import is_lasting, node_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.entry_middleware import TOOL_KINDS, entry_middleware, middleware_gap
from graphls.queries.middleware import Middleware
from graphls.queries.response_keys import AnsweredKeys, answered_keys, keys_of_call
from graphls.queries.response_mismatches import ReadKey, mismatches
from graphls.queries.rows import TYPES
from graphls.queries.tool_schema import tool_words

_LONGEST: Final = 500
_MOST_FIELDS: Final = 100
_STRING: Final = r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\$]|\\.)*)`"
_SAID: Final = re.compile(rf"\bdescription\s*[=:]\s*(?:{_STRING})")
_SECOND: Final = re.compile(rf"\(\s*(?:{_STRING})\s*,\s*(?:{_STRING})")
_SCHEMA: Final = re.compile(
    r"\b(\w+)\s*:\s*((?:z|zod)\.\w+\((?:[^()]|\([^()]*\))*\)(?:\.\w+\((?:[^()]|\([^()]*\))*\))*)"
)
_INLINE: Final = re.compile(r"=>|\bfunction\b")
_KIND: Final = re.compile(r"\.\s*(?:query|mutation|subscription)\s*[<(]")
_INPUT: Final = re.compile(r"\.\s*input\(\s*([\w$.]+)\s*\)")
PROCEDURE: Final = "procedure"
"""A route that is asked for by the keys that lead to it."""
_ANSWERS: Final = re.compile(rb"\bresponse_model\s*=")
_OF_CLASS: Final = re.compile(rb"\s*:\s*[\"']?(?:\w+\.)*ClassVar\b")
_SETTINGS: Final = "model_config"
"""What a model of pydantic is set up with."""
_TYPED: Final = ("type_ref", "references", "instantiates")


@attrs.frozen
class EntryInput:
    """A parameter as it is declared. `handler`: of which function, None where a schema in the call says so."""

    name: str
    declared: str
    required: bool
    handler: SymbolRef | None


@attrs.frozen
class ResponseField:
    """A field of a type that a handler says it answers with."""

    name: str
    type: SymbolRef


@attrs.frozen
class EntryContract:
    """What is declared. `consumers`: edges to the entry from code that asks for it, tests apart last."""

    description: str
    inputs: tuple[EntryInput, ...]
    response_types: tuple[SymbolRef, ...]
    response_fields: tuple[ResponseField, ...]
    consumers: tuple[RawEdge, ...]
    answers: tuple[AnsweredKeys, ...]
    """Objects that handlers write out where they answer."""
    middleware: tuple[Middleware, ...]
    middleware_gap: str = ""
    """What is known to be missing from it."""
    mismatches: tuple[ReadKey, ...] = ()
    """Keys that consumers read and no answer has."""


def entry_contract(snapshot: Snapshot, node: DerivedNode, handlers: Sequence[SymbolRef]) -> EntryContract:
    """What an entry declares, by the text of its declaration and its handlers."""
    text = snapshot.text(node.file) or b""
    own = text[node.full_start : node.full_end].decode("utf-8", "replace")
    types = tuple(dict.fromkeys(place for one in handlers for place in _response_types(snapshot, one)))
    answers = tuple(_answers(snapshot, node, own, handlers))
    consumers = tuple(edge for edge in edges_to(snapshot, node) if edge.kind != "handles" and not is_structure(edge))
    return EntryContract(
        description=_description(snapshot, node, own, handlers),
        # A handler takes what the schema says, by whatever names.
        inputs=_inputs(snapshot, node, own, handlers),
        response_types=types,
        response_fields=tuple(field for one in types for field in _own_fields(snapshot, one))[:_MOST_FIELDS],
        consumers=consumers,
        answers=answers,
        mismatches=() if types else mismatches(snapshot, _spans(snapshot, node, own, handlers), answers, consumers),
        middleware=entry_middleware(snapshot, node, handlers),
        middleware_gap=middleware_gap(snapshot, node),
    )


def _inputs(snapshot: Snapshot, node: DerivedNode, own: str, handlers: Sequence[SymbolRef]) -> tuple[EntryInput, ...]:
    """What a schema in the declaration says; else parameters of handlers. A procedure takes what its schema says."""
    words = tool_words(snapshot, node) if node.subkind in TOOL_KINDS else None
    if words is not None and words.inputs is not None:
        return tuple(EntryInput(one.name, one.declared, one.required, None) for one in words.inputs)
    if node.subkind != PROCEDURE:
        return tuple(_schema(own)) or tuple(
            dict.fromkeys(row for one in handlers for row in _parameters(snapshot, one))
        )
    texts = [own] if _KIND.search(own) is not None else [_text_of(snapshot, one) for one in handlers]
    written = tuple(row for text in texts for row in _schema(text))
    named = (found[1] for text in texts for found in _INPUT.finditer(text))
    return written or tuple(EntryInput("input", f"input: {name}", True, None) for name in named)


def _text_of(snapshot: Snapshot, place: SymbolRef) -> str:
    table = snapshot.facts(place.file).definitions
    start, end = table.full_start[place.definition], table.full_end[place.definition]
    return (snapshot.text(place.file) or b"")[start:end].decode("utf-8", "replace") if place.definition >= 0 else ""


def _spans(
    snapshot: Snapshot, node: DerivedNode, own: str, handlers: Sequence[SymbolRef]
) -> tuple[tuple[FilePath, int, int], ...]:
    """The text of what answers: the call itself, where the handler stands in it."""
    if _INLINE.search(own):
        return ((node.file, node.full_start, node.full_end),)
    tables = [(one, snapshot.facts(one.file).definitions) for one in handlers if one.definition >= 0]
    return tuple((one.file, table.full_start[one.definition], table.full_end[one.definition]) for one, table in tables)


def _answers(snapshot: Snapshot, node: DerivedNode, own: str, handlers: Sequence[SymbolRef]) -> Iterator[AnsweredKeys]:
    if _INLINE.search(own):
        # The handler stands in the call; what it calls answers nobody.
        yield from keys_of_call(snapshot, node.file, node.full_start, node.full_end)
        return
    for place in handlers:
        yield from answered_keys(snapshot, place)


def _description(snapshot: Snapshot, node: DerivedNode, own: str, handlers: Sequence[SymbolRef]) -> str:
    """What the declaration says, else what its first handler does."""
    words = tool_words(snapshot, node) if node.subkind in TOOL_KINDS else None
    if words is not None and words.description:
        return words.description
    said, second = _SAID.search(own), _SECOND.search(own)
    if said is not None:
        return next(part for part in said.groups() if part is not None)[:_LONGEST]
    if second is not None and node.subkind.startswith("mcp_"):
        return next((part for part in second.groups()[3:] if part is not None), "")[:_LONGEST]
    for place in handlers[:1]:
        facts = snapshot.facts(place.file)
        doc = facts.definitions.doc[place.definition] if place.definition >= 0 else -1
        if doc >= 0:
            return facts.strings[doc].strip()[:_LONGEST]
    return ""


def _schema(own: str) -> Iterator[EntryInput]:
    """Members of a schema of zod in the declaration."""
    for found in _SCHEMA.finditer(own):
        required = not re.search(r"\.(optional|default|nullish)\(", found[2])
        yield EntryInput(found[1], f"{found[1]}: {' '.join(found[2].split())}"[:_LONGEST], required, None)


def _parameters(snapshot: Snapshot, place: SymbolRef) -> Iterator[EntryInput]:
    facts, text = snapshot.facts(place.file), snapshot.text(place.file) or b""
    table = facts.definitions
    for row, kind in enumerate(table.kind):
        flags = table.flags[row]
        if kind != DefinitionKind.PARAMETER or table.owner[row] != place.definition or flags & DefinitionFlag.RECEIVER:
            continue
        if table.body[place.definition] >= 0 and table.scope[row] != table.body[place.definition]:
            continue  # of a function without a name inside of it
        declared = text[table.full_start[row] : table.full_end[row]].decode("utf-8", "replace")
        optional = flags & (DefinitionFlag.DEFAULTED | DefinitionFlag.VARIADIC | DefinitionFlag.KEYWORDS)
        name = facts.strings[table.name[row]]
        yield EntryInput(name, " ".join(declared.split())[:_LONGEST], not optional, place)


def _response_types(snapshot: Snapshot, place: SymbolRef) -> Iterator[SymbolRef]:
    """Classes that the decorator gives as model of the answer, or else that the function says it returns."""
    text, table = snapshot.text(place.file) or b"", snapshot.facts(place.file).definitions
    row = place.definition
    start, name = table.full_start[row], table.start[row]
    model = _ANSWERS.search(text, start, name)
    body = text.find(b":\n", name, table.full_end[row])
    arrow = text.rfind(b"->", name, body if body >= 0 else table.full_end[row])
    if model is None and (arrow < 0 or body < 0):
        return
    spans = [(model.end(), _argument_end(text, model.end(), name))] if model is not None else [(arrow, body)]
    for edge in edges_of(snapshot, place):
        if edge.kind in _TYPED and isinstance(edge.target, SymbolRef) and edge.target.definition >= 0:
            kind = snapshot.facts(edge.target.file).definitions.kind[edge.target.definition]
            inside = any(0 <= first <= site[1] < last for site in edge.sites for first, last in spans)
            if kind in TYPES and inside:
                yield edge.target


def _argument_end(text: bytes, start: int, stop: int) -> int:
    """Where an argument ends: at a comma or bracket of its own depth."""
    depth = 0
    for at in range(start, stop):
        letter = text[at : at + 1]
        if letter in b"([{":
            depth += 1
        elif letter in b")]}":
            depth -= 1
        if depth < 0 or (letter == b"," and not depth):
            return at
    return stop


def _is_inner(snapshot: Snapshot, file: FilePath, row: int, name: str) -> bool:
    """Whether a field is one of the class itself, or of no concern to others: no answer has it."""
    table = snapshot.facts(file).definitions
    declared = (snapshot.text(file) or b"")[table.end[row] : table.full_end[row]]
    return name.startswith("_") or name == _SETTINGS or _OF_CLASS.match(declared) is not None


def _own_fields(snapshot: Snapshot, place: SymbolRef) -> Iterator[ResponseField]:
    """Fields of a class with those above it, each name once."""
    found: dict[str, ResponseField] = {}
    for field in _fields(snapshot, place, set()):
        found.setdefault(field.name, field)
    yield from found.values()


def _fields(snapshot: Snapshot, place: SymbolRef, seen: set[SymbolRef]) -> Iterator[ResponseField]:
    """Fields of a class and of what it extends."""
    if place in seen:
        return
    seen.add(place)
    facts = snapshot.facts(place.file)
    table = facts.definitions
    for row, kind in enumerate(table.kind):
        own = kind == DefinitionKind.FIELD and table.owner[row] == place.definition
        name = facts.strings[table.name[row]]
        if (
            own
            and is_lasting(facts, row)
            and node_row(facts, row) == row
            and not _is_inner(snapshot, place.file, row, name)
        ):
            yield ResponseField(name, place)
    for edge in edges_of(snapshot, place):
        if edge.kind in ("extends", "implements") and isinstance(edge.target, SymbolRef):
            yield from _fields(snapshot, edge.target, seen)
