"""Read file: the text of a file, once a session.

Owns: arguments of `graphls read-file`, its layout.
Must not know: how readings are kept.
Invariant: only files of the graph are read, and none that may hold secrets; what is left out is said, with what
    brings it back.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted, visible
from graphls.facts.paths import FilePath
from graphls.graph.merkle import snapshot_id
from graphls.session.read_ledger import FileReading, ReadLedger
from graphls.sources.secret_files import is_secret_file

COMMAND = CommandEntry(
    help="Show a file, unless this session was shown it unchanged.",
    rank=294,
    synonyms=("cat", "read"),
)


def run(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="[PATH]", help="A file of the workspace.")] = "",
    *,
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="The same.")] = "",
    session: Annotated[str, typer.Option("--session", metavar="ID", help="Who reads; any word.")] = "",
    whole: Annotated[bool, typer.Option("--whole", help="Show it whatever the session was shown.")] = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if bool(file) == bool(path):
        raise UsageError("Give one file.")
    with opened(ctx, root) as workspace:
        snapshot, named = workspace.snapshot, workspace.workspace.contained(file or path)
        data = snapshot.text(FilePath(named)) if named in snapshot.shards else None
        if data is None:
            raise UsageError(f"{file or path} is no file of the graph.")
        if is_secret_file(named):
            raise UsageError(f"{file or path} may hold secrets: it is not shown.")
        known = session and not whole and workspace.settings.agents.journal
        store = workspace.store if known else None
        found = ReadLedger(store, workspace.workspace, session).read(FilePath(named), data, snapshot_id(snapshot))
    if format is Format.JSON:
        write_json(found)
    elif found.text is None:
        sys.stdout.write(_unchanged(found))
    else:
        lines = ("\t".join(map(visible, line.split("\t"))) for line in found.text.split("\n"))
        sys.stdout.write("\n".join(lines))


def _unchanged(found: FileReading) -> str:
    when = datetime.fromtimestamp(found.since or 0, UTC).isoformat(" ")[:16]
    size = counted(found.bytes, "byte")
    again = "--whole shows it again"
    return f"{found.file} is unchanged since {when} UTC, when this session was shown it ({size}); {again}.\n"
