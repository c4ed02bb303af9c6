"""Schema: graph/schema.

Owns: the request.
Must not know: the fields of records.
Invariant: the schema is that of the records this server writes.
"""

from __future__ import annotations

from graphls.graph.records import SCHEMA_VERSION
from graphls.graph.schema import json_schema
from graphls.lsp.from_proto import Context
from graphls.lsp.messages import SchemaResult
from graphls.lsp.params import NoParams
from graphls.lsp.protocol import Declaration, custom


@custom("graph/schema", NoParams, SchemaResult, kind="quick")
def described(context: Context, params: NoParams) -> SchemaResult:
    """JSON Schema of the records."""
    return SchemaResult(version=SCHEMA_VERSION, schema=json_schema())


FEATURES: tuple[Declaration, ...] = (described,)
