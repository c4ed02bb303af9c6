"""Library: calls of what nobody here declares, as far as types of the workspace go through them.

Owns: what streams, optionals, futures and collectors give, and what they hand to lambdas.
Must not know: which method of the workspace a call means, how occurrences become links.
Invariant: what is not listed gives nothing that is known, unless no type of the workspace goes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, final

from graphls.languages.declared.inference import UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.methods import external
from graphls.languages.declared.values import (
    Anonymous,
    Composite,
    Denotation,
    NamedType,
    Outside,
    TypeName,
    Value,
    mentions_workspace,
)
from graphls.languages.extract.kinds import CALL_EXPRESSION, LAMBDA_EXPRESSION, MEMBER_EXPRESSION, NAME_EXPRESSION
from graphls.languages.java.types.overloads import is_plain
from graphls.languages.java.types.scopes import JavaScopes
from graphls.languages.java.types.standard import given_back, handed_out, last_name, package_of

STREAM: Final = "java.util.stream.Stream"
COLLECTORS: Final = "java.util.stream.Collectors"
LIST: Final = "java.util.List"
MAP: Final = "java.util.Map"
_MAPPED: Final = frozenset(("map", "mapToObj", "thenApply", "thenApplyAsync", "handle", "supplyAsync"))
"""They give a container of what their lambda gives."""
_FLATTENED: Final = frozenset(("flatMap", "thenCompose", "thenComposeAsync"))
"""They give what their lambda gives, which is a container."""
_LISTED: Final = {
    "toList": LIST, "toUnmodifiableList": LIST, "toSet": "java.util.Set", "toUnmodifiableSet": "java.util.Set",
    "toCollection": "java.util.Collection",
}  # fmt: skip
_GROUPED: Final = frozenset(("groupingBy", "groupingByConcurrent", "partitioningBy"))
_KEYED: Final = frozenset(("toMap", "toUnmodifiableMap", "toConcurrentMap"))
_OF_STREAMS: Final = frozenset(("Collectors", "Comparator", "Function"))
"""Their methods take lambdas for what goes through the call that their result is given to."""
_MOST_DEEP: Final = 6


class LambdaResults(Protocol):
    """What lambdas give."""

    def lambda_result(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a lambda or a method reference gives."""
        ...


@final
class JavaLibrary:
    """Results of calls of the library, and what it hands out."""

    def __init__(self, types: DeclaredInference, lambdas: LambdaResults, scopes: JavaScopes) -> None:
        self._types = types
        self._lambdas = lambdas
        self._scopes = scopes
        self._around: dict[int, int] = {}
        """Call that is an argument -> the call that it is given to."""
        table = types.own.expressions
        for row, kind in enumerate(table.kind):
            for argument in types.own.list_at(table.b[row]) if kind == CALL_EXPRESSION else ():
                if argument >= 0 and table.kind[argument] == CALL_EXPRESSION:
                    self._around[argument] = row

    def called(self, holder: Outside, name: str, unit: DeclaredUnit, arguments: Sequence[int]) -> Denotation:
        """A method from outside: what it gives may be one of ours only where types of ours go in."""
        values = [self._types.infer(unit, argument) for argument in arguments]
        given = given_back(holder, name, values)
        if given is None:
            given = self._selected(holder, name, unit, arguments)
        if given is None and arguments and values[0] is not None:
            given = _streamed(holder, name, values[0])
        if given is None and not any(map(mentions_workspace, (*holder.arguments, *values))):
            given = Outside(f"{package_of(holder.dotted)}.{UNKNOWN_LAST}")
        return external(f"{holder.dotted}.{name}", given)

    def _selected(self, holder: Outside, name: str, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        """What a method gives by what its lambdas give."""
        table = unit.expressions
        results = [self._lambdas.lambda_result(unit, row) for row in arguments if table.kind[row] == LAMBDA_EXPRESSION]
        first = results[0] if results else None
        if last_name(holder.dotted) == last_name(COLLECTORS):
            downstream = [self._types.infer(unit, row) for row in arguments if table.kind[row] == CALL_EXPRESSION]
            return Outside(f"{COLLECTORS}.{name}", (*results, *downstream)) if None not in results else None
        if first is None:
            return None
        if name in _MAPPED:
            return Outside(STREAM if name == "mapToObj" else holder.dotted, (first,))
        if name in _FLATTENED and isinstance(first, Outside) and len(first.arguments) == 1:
            return Outside(holder.dotted, first.arguments)
        return None

    def handed_out(self, unit: DeclaredUnit, taker: int, row: int) -> tuple[Value | None, ...] | None:
        """What a call hands to a lambda."""
        table = unit.expressions
        callee, count = table.a[taker], max(table.c[row], 1)
        if table.kind[callee] == NAME_EXPRESSION:
            return self._of_stream(unit, taker, count)
        if table.kind[callee] != MEMBER_EXPRESSION:
            return None
        holder = self._types.infer(unit, table.a[callee])
        if isinstance(holder, TypeName):
            return None
        if isinstance(holder, Outside) and not holder.arguments and last_name(holder.dotted) in _OF_STREAMS:
            return self._of_stream(unit, taker, count)
        if isinstance(holder, (NamedType, Anonymous)):
            holder = next((one for one in self._scopes.lineage(holder) if isinstance(one, Outside)), None)
        if not isinstance(holder, Outside):
            return None
        found = handed_out(holder, unit.strings[table.b[callee]], count)
        if found is not None or holder.arguments:
            return found
        return (Outside(f"{package_of(holder.dotted)}.{UNKNOWN_LAST}"),) * count if is_plain(holder) else None

    def _of_stream(self, unit: DeclaredUnit, taker: int, count: int) -> tuple[Value | None, ...] | None:
        """What goes through the call around that a collector or an order is given to: `collect`, `sorted`, `sort`."""
        table, at = unit.expressions, taker
        for _ in range(_MOST_DEEP):
            at = self._around.get(at, -1) if unit.own else -1
            if at < 0:
                return None
            callee = table.a[at]
            if table.kind[callee] != MEMBER_EXPRESSION:
                continue
            holder = self._types.infer(unit, table.a[callee])
            if isinstance(holder, Outside) and len(holder.arguments) == 1 and last_name(holder.dotted) != "Comparator":
                return (holder.arguments[0],) * count
            if holder is None:
                return None
        return None


def _streamed(holder: Outside, name: str, first: Value) -> Value | None:
    """What a method gives by its first argument."""
    kind = last_name(holder.dotted)
    if kind == "Arrays" and name == "stream" and isinstance(first, Composite) and first.parts:
        return Outside(STREAM, (first.parts[0],))
    if name == "collect" and isinstance(first, Outside) and len(holder.arguments) == 1:
        return _collected(first, holder.arguments[0], 0)
    return None


def _collected(collector: Outside, element: Value | None, depth: int) -> Value | None:
    """What a stream is put into. `depth`: how many collectors are around."""
    space, _, name = collector.dotted.rpartition(".")
    given = collector.arguments
    if space != COLLECTORS or depth > _MOST_DEEP:
        return None
    if name in _LISTED:
        return Outside(_LISTED[name], (element,))
    if name in _KEYED and len(given) > 1:
        return Outside(MAP, (given[0], given[1]))
    if name in _GROUPED and given:
        key, last, several = given[0], given[-1], len(given) > 1
        inner = _collected(last, element, depth + 1) if several and isinstance(last, Outside) else None
        held = inner if several else Outside(LIST, (element,))
        return Outside(MAP, (key, held)) if held is not None else None
    if name == "mapping" and len(given) > 1 and isinstance(given[1], Outside):
        return _collected(given[1], given[0], depth + 1)
    return None
