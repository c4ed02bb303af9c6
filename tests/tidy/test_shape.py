"""Shape: what a module, a class and a function of the package look like.

Owns: contracts, sizes, names.
Must not know: what any module does.
Invariant: each exception carries a reason, and an exception that is no longer needed fails.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

import pytest

from tidy.modules import Function, Module, every_module, modules

CONTRACT = ("Owns:", "Must not know:", "Invariant:")
LONGEST_FILE = 700
LONGEST_FUNCTION = 80
LONGEST_HANDLER = 90
MOST_POSITIONAL = 5
VAGUE_WORDS = frozenset({"Manager", "Helper", "Helpers", "Util", "Utils", "Processor", "Data"})

LONG_FILES: Mapping[str, str] = {}
LONG_FUNCTIONS: Mapping[str, str] = {}
LONG_HANDLERS: Mapping[str, str] = {}
MANY_POSITIONAL: Mapping[str, str] = {}


@every_module
def test_module_opens_with_its_contract(module: Module) -> None:
    lines = [line.strip() for line in (_docstring(module) or "").splitlines()]
    missing = [word for word in CONTRACT if not any(line.startswith(word) for line in lines)]
    assert not missing, f"{module.name}: the docstring lacks {missing}"


@every_module
def test_file_is_not_too_long(module: Module) -> None:
    assert module.lines <= LONGEST_FILE or module.name in LONG_FILES, f"{module.name} has {module.lines} lines"


@every_module
def test_handler_is_short(module: Module) -> None:
    if module.within(("lsp/handlers/",)):
        assert module.lines <= LONGEST_HANDLER or module.name in LONG_HANDLERS, (
            f"{module.name} has {module.lines} lines: a handler parses, asks one query, converts"
        )


@every_module
def test_functions_are_short(module: Module) -> None:
    long = {_where(module, function): _length(function) for function in module.functions()}
    long = {
        where: length for where, length in long.items() if length > LONGEST_FUNCTION and where not in LONG_FUNCTIONS
    }
    assert not long


@every_module
def test_functions_take_few_positional_parameters(module: Module) -> None:
    counts = {_where(module, function): _positional(function) for function in module.functions()}
    many = {where for where, count in counts.items() if count > MOST_POSITIONAL}
    assert not many - MANY_POSITIONAL.keys(), "make them keyword-only, or gather them in a frozen class"


@every_module
def test_names_say_something(module: Module) -> None:
    stem = module.name.rsplit("/", 1)[-1].removesuffix(".py")
    names = [cls.name for cls in module.classes()]
    words = {word for name in names for word in re.findall(r"[A-Z][a-z0-9]*", name)}
    words |= {part.capitalize() for part in stem.split("_")}
    assert not words & VAGUE_WORDS, f"{module.name}: name it by what it answers"


@pytest.mark.parametrize(
    ("exceptions", "measured", "limit"),
    [
        (LONG_FILES, {module.name: module.lines for module in modules()}, LONGEST_FILE),
        (LONG_HANDLERS, {module.name: module.lines for module in modules()}, LONGEST_HANDLER),
    ],
    ids=["files", "handlers"],
)
def test_exceptions_are_needed(exceptions: Mapping[str, str], measured: Mapping[str, int], limit: int) -> None:
    assert all(reason for reason in exceptions.values())
    assert [name for name in exceptions if measured.get(name, 0) <= limit] == []


def test_function_exceptions_are_needed() -> None:
    functions = {_where(module, function): function for module in modules() for function in module.functions()}
    assert [where for where in LONG_FUNCTIONS if _length(functions[where]) <= LONGEST_FUNCTION] == []
    assert [where for where in MANY_POSITIONAL if _positional(functions[where]) <= MOST_POSITIONAL] == []


def _docstring(module: Module) -> str | None:

    return ast.get_docstring(module.tree)


def _where(module: Module, function: Function) -> str:
    return f"{module.name}:{function.name}"


def _length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _positional(function: Function) -> int:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def test_derived_values_are_declared() -> None:
    """What a snapshot or a file carries along is read and put by a `Memo`, never by a name of its own."""
    raw = re.compile(r"\b(?:snapshot|shard|seen|before|after)\w*(?:\[[^\]]*\])?\.memo\b(?!\))")
    used = {module.name for module in modules() if raw.search(module.text)}
    assert used <= {"graph/memo.py", "graph/snapshot.py"}


def test_no_value_is_computed_below_a_lock_of_its_class() -> None:
    """`functools.cached_property` has one, up to Python 3.11, which all objects of the class share."""
    raw = re.compile(r"from functools import .*\bcached_property\b|\bfunctools\.cached_property\b")
    assert {module.name for module in modules() if raw.search(module.text)} == {"facts/cached_property.py"}
