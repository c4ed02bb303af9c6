"""Predicates: expressions of CEL, compiled and held to the facts of a scope.

Owns: what an expression may name, its limits, the functions that it may call.
Must not know: where facts come from, rules, findings.
Invariant: an expression reads nothing but what it is given: no file, no clock, no environment; and it ends: loops go
    over given lists only, and what nested ones may come to is counted before they run.

The language is the Common Expression Language (CEL, github.com/google/cel-spec) as the package
`common-expression-language` has it: a binding of a Rust implementation, with wheels, which takes no code of ours in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Final, Protocol, cast

import attrs

from graphls.analysis.globs import glob_match
from graphls.analysis.views import is_test

Fact = str | int | float | bool | Sequence[object] | Mapping[str, object]
Facts = Mapping[str, Fact]

MOST_STEPS: Final = 2_000_000
"""Elements that loops may go over, nested ones multiplied."""
_LOOPS: Final = ("all", "exists", "exists_one", "filter", "map")
_STRING: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_LOOP: Final = re.compile(rf"\.\s*(?:{'|'.join(_LOOPS)})\s*\(")


class PredicateError(ValueError):
    """An expression that cannot be used, in words."""


class _Program(Protocol):
    def execute(self, context: Mapping[str, object]) -> object: ...
    def variables(self) -> list[str]: ...
    def functions(self) -> list[str]: ...


@attrs.frozen(eq=False)
class Predicate:
    """A compiled expression. `depth`: how many loops may stand in each other; `names`: the facts that it names."""

    source: str
    depth: int
    names: frozenset[str]
    _program: _Program

    def holds(self, facts: Facts) -> bool:
        """Whether it is true of these. Raises PredicateError."""
        steps = max((_size(value) for value in facts.values()), default=0) ** self.depth
        if steps > MOST_STEPS:
            raise PredicateError(f"its loops would take {steps:,} steps, {MOST_STEPS:,} are allowed")
        try:
            found = self._program.execute({**facts, **HELPERS})
        except KeyError as error:
            raise PredicateError(f"there is no field {error}") from None
        except (RuntimeError, TypeError, ValueError, OverflowError) as error:
            raise PredicateError(_first_line(error)) from None
        if not isinstance(found, bool):
            raise PredicateError("it is neither true nor false")
        return found


def can_judge() -> bool:
    """Whether the package that reads expressions is installed."""
    return find_spec("cel") is not None


@lru_cache(maxsize=500)
def compiled(source: str, names: frozenset[str]) -> Predicate:
    """An expression that names only these facts. Raises PredicateError."""
    import cel  # optional: few workspaces have a policy

    try:
        program = cast("_Program", cel.compile(source))
    except ValueError as error:
        said = str(error).removeprefix(f"Failed to parse expression '{source}': ")
        raise PredicateError(said.strip().split("\n")[0][:300]) from None
    bound = set(re.findall(rf"\.\s*(?:{'|'.join(_LOOPS)})\s*\(\s*([A-Za-z_]\w*)\s*,", _STRING.sub("''", source)))
    named = frozenset(program.variables())
    unknown = sorted(named - names - bound)
    if unknown:
        raise PredicateError(f"there is no fact {unknown[0]!r} in this scope: use {', '.join(sorted(names))}")
    callable_names = {name for name in program.functions() if name.isidentifier()}
    strange = sorted(callable_names - HELPERS.keys() - _STANDARD)
    if strange:
        raise PredicateError(f"there is no function {strange[0]!r}: use {', '.join(HELPERS)}")
    return Predicate(source, _depth(source), named & names, program)


def _depth(source: str) -> int:
    """How deep loops stand in each other, by their brackets."""
    text = _STRING.sub(lambda found: " " * len(found[0]), source)
    opened: list[bool] = []
    deepest, loops = 0, {found.end() - 1 for found in _LOOP.finditer(text)}
    for at, letter in enumerate(text):
        if letter == "(":
            opened.append(at in loops)
            deepest = max(deepest, sum(opened))
        elif letter == ")" and opened:
            opened.pop()
    return deepest


def _size(value: object) -> int:
    """How many elements the largest list in a fact has, lists in it added up."""
    if isinstance(value, Mapping):
        return max((_size(part) for part in cast("Mapping[str, object]", value).values()), default=1)
    if isinstance(value, Sequence) and not isinstance(value, str):
        parts = cast("Sequence[object]", value)
        return max(len(parts), sum(_size(part) for part in parts))
    return 1


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:300]


def _any_glob_match(path: str, patterns: Sequence[str]) -> bool:
    return any(glob_match(path, one) for one in patterns)


def _any_has_prefix(texts: Sequence[str], prefix: str) -> bool:
    return any(text.startswith(prefix) for text in texts)


def _any_has_suffix(texts: Sequence[str], suffix: str) -> bool:
    return any(text.endswith(suffix) for text in texts)


HELPERS: Final[Mapping[str, Callable[..., bool]]] = {
    "glob_match": glob_match,
    "any_glob_match": _any_glob_match,
    "any_has_prefix": _any_has_prefix,
    "any_has_suffix": _any_has_suffix,
    "is_test_path": is_test,
}
_STANDARD: Final = frozenset((
    "bool", "contains", "double", "dyn", "endsWith", "has", "int", "matches", "max", "min", "size", "startsWith",
    "string", "type", "uint", *_LOOPS,
))  # fmt: skip
