"""Locations: what a server answers, as files and positions.

Owns: file URIs of this machine, the shapes in which servers give locations.
Must not know: snapshots, offsets.
Invariant: a location that is no file of this machine is not lost: it keeps its URI as a name.
"""

from __future__ import annotations

import os
from pathlib import PurePath
from urllib.parse import quote, unquote, urlsplit

import attrs

from graphls.compilers.wire import Json, items, mapping, number, text


@attrs.frozen
class CheckerLocation:
    """A stretch of a file. `path`: absolute, or a URI that is no file."""

    path: str
    start: tuple[int, int]
    end: tuple[int, int]


def to_uri(path: str) -> str:
    """The URI of an absolute path."""
    posix = PurePath(path).as_posix()
    return "file://" + quote(posix if posix.startswith("/") else f"/{posix}")


def from_uri(uri: str) -> str:
    """The absolute path of a file URI; any other URI as it is."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    if parts.netloc not in ("", "localhost"):
        return uri
    path = unquote(parts.path)
    return os.path.normpath(path[1:]) if os.name == "nt" and path[2:3] == ":" else path


def locations(result: Json) -> tuple[CheckerLocation, ...]:
    """Locations or location links, one or many; empty for null."""
    if not result:
        return ()
    found = items(result) if not mapping(result) else (result,)
    return tuple(_location(one) for one in found if mapping(one))


def _location(value: Json) -> CheckerLocation:
    one = mapping(value)
    if "targetUri" in one:
        uri, stretch = text(one["targetUri"]), mapping(one.get("targetSelectionRange") or one.get("targetRange"))
    else:
        uri, stretch = text(one.get("uri")), mapping(one.get("range"))
    return CheckerLocation(from_uri(uri), _position(stretch.get("start")), _position(stretch.get("end")))


def _position(value: Json) -> tuple[int, int]:
    point = mapping(value)
    return number(point.get("line")), number(point.get("character"))
