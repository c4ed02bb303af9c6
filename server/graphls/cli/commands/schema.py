"""Schema: the JSON Schema of the records.

Owns: arguments of `graphls schema`.
Must not know: what the records are.
Invariant: needs no workspace.
"""

from __future__ import annotations

from graphls.cli.rendering.wire import write_json
from graphls.graph.schema import json_schema


def run() -> None:
    write_json(json_schema())
