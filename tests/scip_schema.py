"""SCIP schema: an index as the published schema reads it.

Owns: `scip.desc`, the schema as protoc describes it; what of a message the schema does not know.
Must not know: who wrote an index, the messages that graphls declares for itself.
Invariant: a field or value that is not in the schema is named.
Source: scip.proto of https://github.com/sourcegraph/scip (Apache-2.0), described with
    `python -m grpc_tools.protoc -I SCIP --include_imports --descriptor_set_out=scip.desc SCIP/scip.proto`
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, unknown_fields


def parsed(raw: bytes) -> Any:
    """The index as the published schema reads it."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(Path(__file__).with_name("scip.desc").read_bytes()).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("scip.Index")).FromString(raw)


def unfit(message: Any, where: str = "") -> Iterator[str]:
    """Fields and values that the schema does not know."""
    for field in unknown_fields.UnknownFieldSet(message):
        yield f"{where}: field {field.field_number} is not in the schema"
    for descriptor, value in message.ListFields():
        many = value if descriptor.is_repeated else (value,)
        for one in many:
            if descriptor.message_type is not None:
                yield from unfit(one, f"{where}.{descriptor.name}")
            elif descriptor.enum_type is not None and one not in descriptor.enum_type.values_by_number:
                yield f"{where}.{descriptor.name}: {one} is no value of {descriptor.enum_type.name}"
