"""Commands: workspace/executeCommand.

Owns: the commands that the server itself runs.
Must not know: what the client does with its own commands.
Invariant: a command changes nothing outside the session.
"""

from __future__ import annotations

from typing import Any

from graphls.lsp.from_proto import Context
from graphls.lsp.protocol import Declaration, command
from graphls.lsp.views import envelope
from graphls.queries.status import status


@command("graphls.rescan")
def rescan(context: Context, arguments: list[Any]) -> None:
    """Look at every file anew."""
    context.session.session.rescan(again=True)


@command("graphls.status")
def state(context: Context, arguments: list[Any]) -> dict[str, Any]:
    """What graph/status says, for clients that send commands only."""
    snapshot = context.session.looked("prefer-fresh", patient=False)
    answer, found = envelope(snapshot), status(snapshot)
    return {
        "snapshot": answer["snapshot"],
        "revision": answer["revision"],
        "fresh": answer["fresh"],
        "files": found.files,
        "indexed": found.indexed,
        "session": context.session.condition(snapshot),
    }


FEATURES: tuple[Declaration, ...] = (rescan, state)
