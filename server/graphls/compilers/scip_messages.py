"""SCIP messages: the part of the schema that graphls reads and writes.

Owns: fields and numbers of the messages.
Must not know: what a message means, files.
Invariant: numbers and types are those of the schema; fields that are not listed are skipped when read.
Source: https://github.com/sourcegraph/scip/blob/main/scip.proto
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from google.protobuf.message import Message

METADATA: Final = 1
DOCUMENTS: Final = 2
EXTERNAL_SYMBOLS: Final = 3
"""Numbers of the fields of the outermost message, `Index`."""
_MANY: Final = "repeated "
_FIELDS: Final[Mapping[str, Sequence[tuple[str, int, str]]]] = {
    "ToolInfo": (("name", 1, "string"), ("version", 2, "string")),
    "Metadata": (("tool_info", 2, "ToolInfo"), ("project_root", 3, "string"), ("text_document_encoding", 4, "int32")),
    "Occurrence": (
        ("range", 1, "repeated int32"),
        ("symbol", 2, "string"),
        ("symbol_roles", 3, "int32"),
        ("enclosing_range", 7, "repeated int32"),
    ),
    "Relationship": (
        ("symbol", 1, "string"),
        ("is_reference", 2, "bool"),
        ("is_implementation", 3, "bool"),
        ("is_type_definition", 4, "bool"),
    ),
    "Signature": (("text", 5, "string"), ("language", 4, "string")),
    "SymbolInformation": (
        ("symbol", 1, "string"),
        ("documentation", 3, "repeated string"),
        ("relationships", 4, "repeated Relationship"),
        ("kind", 5, "int32"),
        ("display_name", 6, "string"),
        ("signature_documentation", 7, "Signature"),
        ("enclosing_symbol", 8, "string"),
    ),
    "Document": (
        ("relative_path", 1, "string"),
        ("occurrences", 2, "repeated Occurrence"),
        ("symbols", 3, "repeated SymbolInformation"),
        ("language", 4, "string"),
        ("text", 5, "string"),
        ("position_encoding", 6, "int32"),
    ),
}
"""Enumerations are numbers, which is how they travel. `Signature` is a `Document` of which only the text counts."""


def message(name: str) -> type[Message]:
    """The class of one message."""
    return _messages()[name]


@cache
def _messages() -> Mapping[str, type[Message]]:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # few commands need it

    field = descriptor_pb2.FieldDescriptorProto
    scalars = {"string": field.TYPE_STRING, "int32": field.TYPE_INT32, "bool": field.TYPE_BOOL}
    file = descriptor_pb2.FileDescriptorProto(name="graphls_scip.proto", package="graphls.scip", syntax="proto3")
    for name, fields in _FIELDS.items():
        described = file.message_type.add(name=name)
        for label, number, kind in fields:
            plain = kind.removeprefix(_MANY)
            repeated = field.LABEL_REPEATED if kind.startswith(_MANY) else field.LABEL_OPTIONAL
            made = described.field.add(name=label, number=number, label=repeated)
            if plain in _FIELDS:
                made.type, made.type_name = field.TYPE_MESSAGE, f".graphls.scip.{plain}"
            else:
                made.type = scalars[plain]
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"graphls.scip.{name}")) for name in _FIELDS
    }
