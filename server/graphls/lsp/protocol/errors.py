"""Errors: what goes back to the client when there is no result.

Owns: JSON-RPC and LSP codes, the `data.code` of each refusal, how an exception becomes an error object.
Must not know: transports, features, the session.
Invariant: an exception nobody meant for the client becomes one fixed sentence; no path, value or traceback leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import attrs

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
REQUEST_CANCELLED: Final = -32800
CONTENT_MODIFIED: Final = -32801
SERVER_CANCELLED: Final = -32802
REQUEST_FAILED: Final = -32803

# Codes of our own that have a code in the protocol; every other one is a failed request.
_WIRE: Final[Mapping[str, int]] = {
    "graphls.badParams": INVALID_PARAMS,
    "graphls.contentModified": CONTENT_MODIFIED,
    "graphls.notReady": SERVER_CANCELLED,
}


class ErrorWithCode(Exception):
    """A refusal meant for the client: a stable code and a sentence that says what to do.

    Any exception with the same two attributes is treated alike, so the core needs no import of this one.
    """

    def __init__(self, code: str, message: str, data: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data or {}


class Cancelled(Exception):
    """Raised inside a handler whose request was cancelled; the answer has already been sent."""


@attrs.frozen
class Failure:
    """One JSON-RPC error, ready to be sent."""

    code: int
    message: str
    reason: str
    data: Mapping[str, object] = attrs.field(factory=dict[str, object])

    def wire(self) -> dict[str, object]:
        """The `error` object of the response."""
        return {"code": self.code, "message": self.message, "data": {**self.data, "code": self.reason}}


def parse_error(message: str) -> Failure:
    """The bytes are no message; the next ones may be."""
    return Failure(PARSE_ERROR, message, "graphls.parseError")


def invalid_request(message: str) -> Failure:
    """A message that is JSON but no request that may be sent now."""
    return Failure(INVALID_REQUEST, message, "graphls.invalidRequest")


def bad_params(message: str) -> Failure:
    """The params do not fit the method."""
    return Failure(INVALID_PARAMS, message, "graphls.badParams")


def method_not_found(method: str) -> Failure:
    """No such method, or one that is switched off."""
    return Failure(METHOD_NOT_FOUND, f"No such method: {method[:200]}", "graphls.methodNotFound")


NOT_INITIALIZED_YET: Final = Failure(NOT_INITIALIZED, "Send initialize first.", "graphls.notInitialized")
CANCELLED: Final = Failure(REQUEST_CANCELLED, "The request was cancelled.", "graphls.cancelled")
BUSY: Final = Failure(SERVER_CANCELLED, "Too many requests are waiting. Try again.", "graphls.busy")


def has_client_code(error: BaseException) -> bool:
    """Whether an exception carries a stable code and a message of its own."""
    code, message = getattr(error, "code", None), getattr(error, "message", None)
    return isinstance(code, str) and code.startswith("graphls.") and isinstance(message, str)


def _refusal(error: ErrorWithCode) -> Failure:
    details = getattr(error, "data", None)
    code = _WIRE.get(error.code, REQUEST_FAILED)
    return Failure(code, error.message, error.code, cast("Mapping[str, object]", details or {}))


def failure_of(error: BaseException, method: str) -> Failure:
    """The error a client sees for an exception that left a handler."""
    if isinstance(error, Cancelled):
        return CANCELLED
    if has_client_code(error):
        return _refusal(cast("ErrorWithCode", error))
    message = f"{method} failed inside the server; its log says why. The server goes on."
    return Failure(INTERNAL_ERROR, message, "graphls.internal")
