"""Modules: the source tree as parsed modules, for the tidy tests.

Owns: finding and parsing the modules of the package once.
Must not know: which rules are checked.
Invariant: every Python file under server/graphls is here exactly once.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

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


def every_module(test: Callable[..., None]) -> Callable[..., None]:
    """One test over all modules, which names each that fails: a test for each module would be thousands of tests."""

    def over_all(**given: object) -> None:
        wrong: list[str] = []
        for module in modules():
            try:
                test(module=module, **given)
            except AssertionError as failure:
                wrong.append(f"{module.name}: {failure}")
        assert not wrong, "\n".join(wrong)

    signature = inspect.signature(test)
    kept = [parameter for name, parameter in signature.parameters.items() if name != "module"]
    over_all.__name__, over_all.__doc__ = test.__name__, test.__doc__
    over_all.__dict__.update(test.__dict__)
    over_all.__dict__["__signature__"] = signature.replace(parameters=kept)
    return over_all


def dotted(node: ast.AST) -> str:
    """`os.path.exists` for that expression; "" for anything but a chain of names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""
