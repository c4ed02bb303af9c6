"""URL paths: paths with holes, and which routes a path that is asked for may mean.

Owns: segments of what routes declare and of what clients spell, the comparison of both.
Must not know: code, rules, snapshots.
Invariant: what a client leaves open never stands for what a route spells; a path without a spelled part of its own
    means a route only where both are whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import attrs

HOLE: Final = "\0"
"""What stands for something that is worked out."""
_ORIGIN: Final = re.compile(r"(?:[a-z][a-z+.-]*:)?//([^/?#]*)", re.IGNORECASE)
_LOCAL: Final = re.compile(
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|testserver|test|\[::1\]|\0)(?::(?:\d+|\0))?\Z", re.IGNORECASE
)
_ROUTE_HOLE: Final = re.compile(
    r"\{[^{}]*\}|<[^<>]*>|(?<!\w):\w+(?:\([^()]*\))?[?*+]?|\[\[?[^\[\]]*\]\]?|\(\?P<\w+>[^()]*\)|\*\w*"
)
_REST: Final = re.compile(
    r"\{\w+:path\}|\{\*\w+\}|<path:\w+>|:\w+(?:\([^()]*\))?[*+]|\[\[?\.\.\.\w+\]\]?|\*\w*|\{\w+\.\.\.\}"
)


@attrs.frozen
class RequestPath:
    """What a client asks for. `based`: an unknown address stands before it, perhaps with the beginning of the path."""

    segments: tuple[str, ...]
    based: bool

    @property
    def spelled(self) -> bool:
        """It has a segment without a hole."""
        return any(HOLE not in part for part in self.segments)


def request_path(text: str) -> RequestPath | None:
    """The path of an address with holes; None for one of another host, or that is no path."""
    origin = _ORIGIN.match(text)
    based = False
    if origin is not None:
        if not _LOCAL.match(origin[1]):
            return None
        text = text[origin.end() :]
    elif text.startswith(HOLE):
        based, text = True, text[1:]
        if text and text[0] not in "/?#":
            # `${base}users` joins two parts nobody knows where.
            return None
    elif not text.startswith("/"):
        return None
    path = re.split(r"[?#]", text, maxsplit=1)[0]
    return RequestPath(tuple(part for part in path.split("/") if part), based)


@lru_cache(maxsize=4096)
def route_segments(path: str) -> tuple[str, ...]:
    """Segments of what a route declares; `\\0` for a hole, `\\0\\0` for one that stands for any number of segments."""
    return tuple(_route_segment(part) for part in _split(path) if part)


def _split(path: str) -> Sequence[str]:
    return re.split(r"/(?![^{<(\[]*[}>)\]])", path.strip("^$"))


def _route_segment(part: str) -> str:
    return HOLE * 2 if _REST.fullmatch(part) else _ROUTE_HOLE.sub(HOLE, part)


def fits(asked: RequestPath, route: tuple[str, ...]) -> int:
    """How many segments are spelled alike, when a route may be meant; -1 when it is not."""
    wanted = asked.segments
    if asked.based:
        # An address may hold the beginning of the path; what is spelled must be the end of it.
        if len(route) < len(wanted) or not asked.spelled:
            return -1
        route = route[len(route) - len(wanted) :]
    rest = bool(route) and route[-1] == HOLE * 2
    if rest:
        route = route[:-1]
        if len(wanted) < len(route):
            return -1
        wanted = wanted[: len(route)]
        if not route:
            return -1
    if len(wanted) != len(route):
        return -1
    alike = 0
    for one, other in zip(wanted, route, strict=True):
        if one == other and HOLE not in one:
            alike += 1
        elif HOLE not in other or not _may_be(one, other):
            return -1
    return alike if alike or not wanted else -1


def _may_be(asked: str, declared: str) -> bool:
    """Whether a segment may stand in the place of one with a hole."""
    if declared == HOLE:
        return True
    if HOLE in asked:
        return asked == declared
    pattern = ".+".join(map(re.escape, declared.split(HOLE)))
    return re.fullmatch(pattern, asked) is not None
