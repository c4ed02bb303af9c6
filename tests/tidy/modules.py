"""Modules: the source tree as parsed modules, for the tidy tests.

Owns: finding and parsing the modules of the package once.
Must not know: which rules are checked.
Invariant: every Python file under server/graphls is here exactly once.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "server" / "graphls"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@attrs.frozen(eq=False, slots=False)
class Module:
    """One source file."""

    name: str
    text: str

    @functools.cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.name)

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    def functions(self) -> Iterator[Function]:
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def classes(self) -> Iterator[ast.ClassDef]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))

    def within(self, prefixes: tuple[str, ...]) -> bool:
        return self.name.startswith(prefixes)


@functools.cache
def modules() -> tuple[Module, ...]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return tuple(Module(path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")) for path in paths)


every_module = pytest.mark.parametrize("module", modules(), ids=[module.name for module in modules()])


def dotted(node: ast.AST) -> str:
    """`os.path.exists` for that expression; "" for anything but a chain of names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""
