"""Name lookups: the words by which Python code looks names up by strings.

Owns: these words.
Must not know: the patterns of the strings, which are loaded with the first text that has one of the words.
Invariant: a text without any of the words looks up no name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import attrs

LOOKUPS: Final = (
    "getattr",
    "setattr",
    "hasattr",
    "delattr",
    "globals",
    "locals",
    "vars",
    "methodcaller",
    "attrgetter",
)
_TESTS, _COMMANDS, _REQUESTS, _VISITS = ("test",), ("do_", "help_", "complete_"), ("do_",), ("visit_",)
LOOKED_UP_OUTSIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "ast.NodeVisitor": _VISITS,
    "ast.NodeTransformer": _VISITS,
    "cmd.Cmd": _COMMANDS,
    "http.server.BaseHTTPRequestHandler": _REQUESTS,
    "http.server.SimpleHTTPRequestHandler": _REQUESTS,
    "unittest.TestCase": _TESTS,
    "unittest.case.TestCase": _TESTS,
    "unittest.IsolatedAsyncioTestCase": _TESTS,
}
"""Classes of the standard library that call members whose names they put together."""
RUNNERS: Final = ("exec", "eval")


@attrs.frozen
class PythonNameLookups:
    """`getattr` and its kin, and text that is run."""

    words: tuple[str, ...] = (*LOOKUPS, *RUNNERS)

    def find(self, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
        """Patterns in a text, each with its place."""
        from graphls.languages.python.computed_names import find

        return find(text)
