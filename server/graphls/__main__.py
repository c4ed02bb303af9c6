"""Main: the program. `python -m graphls` and the `graphls` script start here.

Owns: telling the command line which other faces there are.
Must not know: commands, protocols.
Invariant: a face is imported only when it is started; Ctrl-C shows no traceback, not even while modules are imported.
"""

from __future__ import annotations

import gc
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from graphls.cli.interrupts import exit_on_interrupt

if TYPE_CHECKING:
    from graphls.cli.switches import McpRequest, ServeRequest

_MADE: Final = 200_000
"""Objects that imports may make before Python looks for garbage: there is none among them."""


def main() -> None:
    """Runs the command line."""
    exit_on_interrupt()
    gc.set_threshold(_MADE, 10, 10)
    from graphls.cli.main import run
    from graphls.cli.switches import Faces

    run(Faces(serve=_serve, mcp=_mcp))


def _serve(request: ServeRequest) -> int:
    from graphls.lsp.main import Transport, serve
    from graphls.lsp.protocol import Listening, leave
    from graphls.mcp.editor_bridge import EditorBridge

    port = request.tcp if request.ws is None else request.ws
    if port is None:
        transport = Transport(trusted=request.trusted)
    else:
        place = Listening(
            token=request.token, announce=partial(_announce, request.notice), host=request.host, port=port
        )
        kind = "tcp" if request.ws is None else "websocket"
        transport = Transport(kind, place, request.programs, request.trusted)
    code = serve(transport, companion=EditorBridge if request.agents else None)
    leave(code)
    return code


def _mcp(request: McpRequest) -> int:
    from graphls.mcp.main import Start, serve

    return serve(
        Start(
            workspace=request.workspace,
            settings=request.settings,
            store=request.store,
            problems=request.problems,
            reread=request.reread,
            wait=request.wait,
            verify=request.verify,
            writes=request.writes,
            max_bytes=request.max_bytes,
            profile=request.profile,
            join=request.join,
            port=request.http,
            token=request.token,
            announce=partial(_announce, request.notice),
        )
    )


def _announce(notice: str, address: str) -> None:
    """Standard output is free when the protocol goes over a socket; a client may wait for this line."""
    sys.stderr.write(notice)
    sys.stderr.flush()
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
