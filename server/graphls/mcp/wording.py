"""Wording: phrases that several answers share.

Owns: counts, the line that names a symbol, the line of tests.
Must not know: tools, protocols.
Invariant: a name or a count is written the same way in every answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphls.queries.node_views import NodeView

_FEW_TESTS = 12
_FEW_PROCESSES = 2
_WORD = re.compile(r"[^\W\d]\w*")


def counted(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def headline(node: NodeView) -> str:
    """A symbol with what it is and where, its path once."""
    file, _, line = node.at.rpartition(":")
    where = f"line {line}" if file and node.symbol.startswith(f"{file}:") else node.at
    return f"{node.symbol} ({node.what}{f', {where}' if where else ''})"


def one_line(node: NodeView) -> str:
    """`path:line  name  signature`; `path:line` means the same symbol to whoever asks on."""
    return f"{node.at}  {described(node)}" if node.at else described(node)


def described(node: NodeView) -> str:
    """`name  signature` in a row that says where it is, with the kind where there is no signature. The name is left out
    where the signature says it whole."""
    name, signature = name_at(node), short(node.signature or "", 100)
    if not name:
        return node.what
    if not signature:
        return name if name.startswith(f"{node.what} ") else f"{name}  {node.what}"
    return signature if name in _WORD.findall(signature) else f"{name}  {signature}"


def name_at(node: NodeView) -> str:
    """The symbol behind its place: without the module where the path says it, so "" for the module itself."""
    module, colon, name = node.symbol.rpartition(":") if ":" in node.symbol else (node.symbol, "", "")
    file = node.at.rpartition(":")[0]
    stem = file.rpartition(".")[0] or file
    said = module == file or f"/{stem}".endswith(f"/{module.replace('.', '/')}")
    if said and (name or not colon):
        return name
    return node.symbol


def name_from(node: NodeView, other: NodeView) -> str:
    """The symbol in a row about another one: without the module where it is of the same file."""
    return (name_at(node) or node.what) if node.file == other.file else node.symbol


def short(text: str, most: int) -> str:
    """A text on one line, and no more than so much of it."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."


def passing_lines(processes: Sequence[str] | None) -> Iterator[str]:
    """The chains of calls that pass a symbol, on a line."""
    if processes:
        more = f" and {len(processes) - _FEW_PROCESSES} more" if len(processes) > _FEW_PROCESSES else ""
        yield short(f"on the way of: {', '.join(processes[:_FEW_PROCESSES])}{more}", 200)


def test_line(tests: Sequence[tuple[str, int]]) -> Iterator[str]:
    """The tests to run, by file; nothing where there are none."""
    if tests:
        shown = ", ".join(f"{file} ({count})" for file, count in tests[:_FEW_TESTS])
        more = f" and {len(tests) - _FEW_TESTS} files more" if len(tests) > _FEW_TESTS else ""
        yield f"tests to run ({sum(count for _, count in tests)}): {shown}{more}"
