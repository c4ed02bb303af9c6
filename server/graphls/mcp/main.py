"""Main: the server for agents put together.

Owns: what a start asks for, the exit code.
Must not know: tools, how the workspace was found.
Invariant: the client can talk at once; the workspace is read meanwhile.
"""

from __future__ import annotations

import logging
import sys

import attrs

from graphls.mcp.paging import MAX_BYTES
from graphls.mcp.server import AgentServer
from graphls.mcp.transports import Http, run_http, run_stdio
from graphls.mcp.workbench import Opening, Workbench


@attrs.frozen(kw_only=True)
class Start:
    """How the server is started. Without `http` it speaks on the standard streams."""

    opening: Opening
    http: Http | None = None
    writes: bool = False
    max_bytes: int = MAX_BYTES


def serve(start: Start) -> int:
    """Serves until the client leaves. The exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="graphls: %(message)s", force=True)
    workbench = Workbench(start.opening)
    server = AgentServer(workbench, writes=start.writes, max_bytes=start.max_bytes).made()
    if start.http is None:
        run_stdio(workbench, server)
    else:
        run_http(workbench, server, start.http)
    return 0
