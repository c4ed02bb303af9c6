"""Protocol: the language server protocol as graphls speaks it, over pygls.

Owns: everything between bytes and a handler: framing, lifecycle, params, scheduling, cancellation, errors, transports.
Must not know: which features exist, the session's class, the graph.
Invariant: every request is answered exactly once, whatever the client sends and whatever handlers do.
"""

from __future__ import annotations

from graphls.lsp.protocol.errors import Cancelled, ErrorWithCode
from graphls.lsp.protocol.features import (
    Command,
    Declaration,
    Feature,
    NotificationContext,
    NotificationHandler,
    RequestContext,
    SessionLike,
    command,
    custom,
    feature,
    notification,
)
from graphls.lsp.protocol.logs import log_to_stderr
from graphls.lsp.protocol.progress import PartialResults, WorkDone
from graphls.lsp.protocol.raw_json import RawJson
from graphls.lsp.protocol.scheduling import CancelToken
from graphls.lsp.protocol.server import GraphlsServer
from graphls.lsp.protocol.sockets import Listening, serve_tcp, serve_websocket
from graphls.lsp.protocol.transports import leave, serve_stdio

__all__ = [
    "CancelToken",
    "Cancelled",
    "Command",
    "Declaration",
    "ErrorWithCode",
    "Feature",
    "GraphlsServer",
    "Listening",
    "NotificationContext",
    "NotificationHandler",
    "PartialResults",
    "RawJson",
    "RequestContext",
    "SessionLike",
    "WorkDone",
    "command",
    "custom",
    "feature",
    "leave",
    "log_to_stderr",
    "notification",
    "serve_stdio",
    "serve_tcp",
    "serve_websocket",
]
