"""Wording: phrases that several answers share.

Owns: counts, the line that names a symbol, the line of tests.
Must not know: tools, protocols.
Invariant: a name or a count is written the same way in every answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphls.queries.node_views import NodeView

_FEW_TESTS = 12


def counted(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def headline(node: NodeView) -> str:
    """A symbol with what it is and where."""
    return f"{node.symbol} ({node.what}{f', {node.at}' if node.at else ''})"


def one_line(node: NodeView) -> str:
    """`path:line  symbol  signature`, with the kind where there is no signature."""
    return f"{node.at}  {node.symbol}  {short(node.signature, 100) if node.signature else node.what}"


def short(text: str, most: int) -> str:
    """A text on one line, and no more than so much of it."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."


def test_line(tests: Sequence[tuple[str, int]]) -> Iterator[str]:
    """The tests to run, by file; nothing where there are none."""
    if tests:
        shown = ", ".join(f"{file} ({count})" for file, count in tests[:_FEW_TESTS])
        more = f" and {len(tests) - _FEW_TESTS} files more" if len(tests) > _FEW_TESTS else ""
        yield f"tests to run ({sum(count for _, count in tests)}): {shown}{more}"
