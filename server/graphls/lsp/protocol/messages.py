"""Messages: what one body says, before anyone looks at its method.

Owns: JSON decoding, the shapes of JSON-RPC (request, notification, response), which ids are ids.
Must not know: methods, lifecycle, params types, transports.
Invariant: every body gives exactly one value and no exception, whatever its bytes are.
"""

from __future__ import annotations

import json
import re
from typing import TypeGuard

import attrs

from graphls.lsp.protocol.errors import Failure, bad_params, invalid_request, parse_error

Json = object
MessageId = int | str

# The id of a message that is too deep to be decoded: members before "params", or the last one.
_EARLY_ID = re.compile(
    r'\A\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*"id"\s*:\s*(-?\d{1,18}|"[^"\\]*")\s*[,}]'
)
_LATE_ID = re.compile(r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]*")\s*\}\s*\Z')


@attrs.frozen
class IncomingRequest:
    """A message that must be answered once."""

    id: MessageId
    method: str
    params: Json = None


@attrs.frozen
class Notification:
    """A message that must not be answered."""

    method: str
    params: Json = None


@attrs.frozen
class Response:
    """The client's answer to a request of the server."""

    id: MessageId
    message: dict[str, Json]


@attrs.frozen
class Invalid:
    """Not a message of the protocol. `id` is that of the request it wanted to be, if it can be seen."""

    id: MessageId | None
    failure: Failure


Message = IncomingRequest | Notification | Response | Invalid


def read_message(body: bytes) -> Message:
    """Decode one body."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return Invalid(None, parse_error("The body is not UTF-8."))
    try:
        value: Json = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        return Invalid(_id_in(text), invalid_request("The message is nested too deeply."))
    except ValueError:
        return Invalid(None, parse_error("The body is not JSON."))
    if isinstance(value, list):
        return Invalid(None, invalid_request("Batches are not part of the protocol; send one message at a time."))
    if not _is_object(value):
        return Invalid(None, invalid_request("A message is a JSON object."))
    return _classify(value)


def _classify(value: dict[str, Json]) -> Message:
    raw, method = value.get("id"), value.get("method")
    message_id = raw if _is_id(raw) else None
    if value.get("jsonrpc") != "2.0":
        return Invalid(message_id, invalid_request('A message has "jsonrpc": "2.0".'))
    if "method" not in value:
        if message_id is not None and ("result" in value or "error" in value):
            return Response(message_id, value)
        return Invalid(message_id, invalid_request("A message has a method, or is an answer with an id."))
    if not isinstance(method, str):
        return Invalid(message_id, invalid_request("The method is not a string."))
    if "id" in value and message_id is None:
        return Invalid(None, invalid_request("The id is neither an integer nor a string."))
    params: Json = value.get("params")
    if message_id is None:
        return Notification(method, params)
    if not _has_shape(params):
        return Invalid(message_id, bad_params("The params are neither an object nor an array."))
    return IncomingRequest(message_id, method, params)


def _is_id(value: Json) -> TypeGuard[MessageId]:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _has_shape(params: Json) -> bool:
    return params is None or isinstance(params, dict | list)


def _is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    return isinstance(value, dict)


def _id_in(text: str) -> MessageId | None:
    match = _EARLY_ID.match(text) or _LATE_ID.search(text[-200:])
    if match is None:
        return None
    found: MessageId = json.loads(match[1])
    return found


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")
