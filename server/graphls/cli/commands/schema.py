"""Schema: the JSON Schema of the records.

Owns: arguments of `graphls schema`.
Must not know: what the records are.
Invariant: needs no workspace.
"""

from __future__ import annotations

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.rendering.wire import write_json
from graphls.graph.schema import json_schema

COMMAND = CommandEntry(help="Print the JSON Schema of the graph's records.", rank=280)


def run() -> None:
    write_json(json_schema())
