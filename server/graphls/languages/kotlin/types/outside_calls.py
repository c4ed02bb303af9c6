"""Calls of what is outside: what functions of the library, and of types that nobody here declares, give.

Owns: `let`, `apply` and others that every value has, what members of outside types hand on.
Must not know: scopes, which function of the workspace a call means.
Invariant: where a type of the workspace goes into an unknown call nobody knows what comes out.
"""

from __future__ import annotations

from typing import final

from graphls.languages.declared.call_sites import Arguments
from graphls.languages.declared.inference import UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.methods import Invocation, OutsideCall, external
from graphls.languages.declared.values import Composite, Outside, Value, mentions_workspace
from graphls.languages.extract.kinds import LAMBDA_EXPRESSION
from graphls.languages.kotlin.types.names import KotlinNames
from graphls.languages.kotlin.types.overloads import KotlinOverloads
from graphls.languages.kotlin.types.receivers import LambdaTypes
from graphls.languages.kotlin.types.standard import (
    ANY,
    ANY_METHODS,
    BLOCKS,
    EVERYWHERE,
    RUNNERS,
    SELF,
    built,
    given_back,
)


@final
class KotlinOutsideCalls:
    """Calls that lead out of the workspace."""

    def __init__(
        self, types: DeclaredInference, lambdas: LambdaTypes, overloads: KotlinOverloads, names: KotlinNames
    ) -> None:
        self._types = types
        self._lambdas = lambdas
        self._overloads = overloads
        self._names = names

    def outside_call(self, value: Value, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation:
        """A call of what a type from outside, or one above a type of ours, may have."""
        made = self.everywhere(value, name, unit, given)
        if made is not None:
            return made
        away = value if isinstance(value, Outside) else self._names.away(value)
        if away is not None:
            return self.of_receiver(away, name)
        if isinstance(value, Composite):
            return self.of_receiver(Outside("kotlin.Array", value.parts[:1] if value.constructor == "[]" else ()), name)
        if name in ANY_METHODS:
            return Invocation(external(f"{ANY}.{name}", Outside("kotlin.String") if name == "toString" else None))
        return Invocation(None)

    def of_receiver(self, holder: Outside, name: str) -> Invocation:
        """A call of what a type from outside has."""
        return Invocation(external(f"{holder.dotted}.{name}", None), outside=OutsideCall(holder, name))

    def given_by(self, call: OutsideCall, unit: DeclaredUnit, given: Arguments) -> Value | None:
        """What a call gives."""
        holder, name = call.holder, call.name
        if name in EVERYWHERE and given.rows and unit.expressions.kind[given.rows[-1]] == LAMBDA_EXPRESSION:
            return holder if name in SELF else self._lambdas.lambda_result(unit, given.rows[-1])
        if not isinstance(holder, Outside):
            return None
        selected = self._lambdas.lambda_result(unit, given.rows[-1]) if given.rows else None
        result = given_back(holder, name, selected)
        return self.unless_ours(holder, unit, given) if result is None else result

    def everywhere(self, value: Value | None, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation | None:
        """`let`, `apply` and others that every value has."""
        if name not in EVERYWHERE or not given.rows:
            return None  # all of them are given something: `task.run()` is the task's own
        kinds = unit.expressions.kind
        block = given.rows[-1] if given.rows else -1
        if name == "to":
            other = self._overloads.as_value(self._types.infer(unit, block)) if block >= 0 else None
            return Invocation(external("kotlin.to", Outside("kotlin.Pair", (value, other))))
        if block < 0 and given.rows and name in SELF:
            return Invocation(external(f"kotlin.{name}", value))  # others do not see the block
        if block < 0 or kinds[block] != LAMBDA_EXPRESSION:
            return (
                None
                if block >= 0 and kinds[block] != LAMBDA_EXPRESSION and value is not None
                else Invocation(external(f"kotlin.{name}", None))
            )
        return Invocation(external(f"kotlin.{name}", None), outside=OutsideCall(value, name))

    def is_block(self, name: str, unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether a function that every value has is given nothing but a block."""
        rows = given.rows
        return (
            name in BLOCKS and len(rows) == 1 and rows[0] >= 0 and unit.expressions.kind[rows[0]] == LAMBDA_EXPRESSION
        )

    def unless_ours(self, holder: Outside, unit: DeclaredUnit, given: Arguments) -> Value | None:
        """Something from outside, where no type of ours goes into a call."""
        kinds = unit.expressions.kind
        if mentions_workspace(holder) and holder.arguments:
            return None
        for row in given.rows:
            if row < 0:
                return None
            value = (
                self._lambdas.lambda_result(unit, row)
                if kinds[row] == LAMBDA_EXPRESSION
                else self._types.infer(unit, row)
            )
            if mentions_workspace(self._overloads.as_value(value)):
                return None
        return None if any(map(mentions_workspace, given.types)) else Outside(UNKNOWN_LAST)

    def built_by(self, name: str, unit: DeclaredUnit, given: Arguments) -> Value | None:
        """What a function of the library without a receiver gives back."""
        kinds = unit.expressions.kind
        block = given.rows[-1] if given.rows else -1
        has_block = block >= 0 and kinds[block] == LAMBDA_EXPRESSION
        if name in RUNNERS and has_block:
            result = self._lambdas.lambda_result(unit, block)
            return Outside("kotlin.Lazy", (result,)) if name in ("lazy", "async") else result
        if name == "apply" and has_block:
            return None
        values = [
            self._overloads.as_value(self._types.infer(unit, row))
            for row in given.rows
            if row >= 0 and kinds[row] != LAMBDA_EXPRESSION
        ]
        return built(name, values, given.types)
