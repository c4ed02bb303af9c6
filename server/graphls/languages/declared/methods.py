"""Methods: what may be meant where several methods have one name.

Owns: candidates, how well one fits as a number, which of several are the most special.
Must not know: any particular language, how types fit.
Invariant: what arguments do not decide stays several.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeAlias, final

from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import Bindings, DeclaredRule, Denotation, Outside, Value
from graphls.languages.extract.kinds import LAMBDA_EXPRESSION
from graphls.languages.resolve.structural_value import DefinitionRef, External

EXACT: Final = 30
NEAR: Final = 20
FAR: Final = 10
UNSURE: Final = 5
IMPOSSIBLE: Final = -1
_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)

Fit: TypeAlias = Callable[[Value | None, Value | None], int]
"""How well a value (second) fits a type (first)."""


@final
class MethodCandidate:
    """A method that may be meant, with what the type parameters of its type stand for. `extends`: its first parameter
    is what it is called on."""

    def __init__(self, file: FilePath, row: int, given: Bindings, inherited: bool, extends: bool = False) -> None:
        self.file = file
        self.row = row
        self.given = given
        self.inherited = inherited
        self.extends = extends
        self.types: list[Value | None] | None = None
        """Of its parameters, where they were asked for."""

    @property
    def ref(self) -> DefinitionRef:
        """The definition."""
        return DefinitionRef(self.file, self.row)


@final
class Methods:
    """Methods of one name, and the type from outside that may have more of them."""

    def __init__(self, found: list[MethodCandidate], outside: Outside | None) -> None:
        self.found = found
        self.outside = outside


@final
class OutsideCall:
    """A call of a method from outside. What it gives may rest on a lambda, and what that is given on the call: so it
    is worked out when it is asked for, and not with what the call means."""

    def __init__(self, holder: Value | None, name: str) -> None:
        self.holder = holder
        self.name = name


@final
class Invocation:
    """What a call means, which methods it may run, what it is called on."""

    def __init__(
        self,
        found: Denotation | None,
        chosen: Sequence[MethodCandidate] = (),
        receiver: Value | None = None,
        outside: OutsideCall | None = None,
    ) -> None:
        self.found = found
        self.chosen = chosen
        self.receiver = receiver
        self.outside = outside


def refs(chosen: Sequence[MethodCandidate]) -> tuple[DefinitionRef, ...]:
    """The definitions of candidates."""
    return tuple([one.ref for one in chosen])


def external(dotted: str, value: Value | None) -> Denotation:
    """Something outside that is called."""
    return Denotation((External(dotted),), value, _EXTERNAL)


def open_positions(types: DeclaredInference, unit: DeclaredUnit, arguments: Sequence[int]) -> list[int]:
    """Where nobody knows of what type an argument of a call is."""
    return [at for at, argument in enumerate(arguments) if _is_open(types, unit, argument)]


def _is_open(types: DeclaredInference, unit: DeclaredUnit, argument: int) -> bool:
    if argument < 0:
        return True
    if unit.expressions.kind[argument] == LAMBDA_EXPRESSION:
        return False
    value = types.infer(unit, argument)
    return value is None or (isinstance(value, Outside) and value.dotted.endswith(UNKNOWN_LAST))


def most_special(
    found: list[MethodCandidate], types: Sequence[Sequence[Value | None]], fit: Fit, open_at: Collection[int] = ()
) -> list[MethodCandidate]:
    """Those for whose parameters no other has narrower ones. `types`: of the parameters of each. `open_at`: where
    nobody knows what is given; of two methods that differ there neither is more special."""
    kept: list[MethodCandidate] = []
    for at, one in enumerate(found):
        others = (other for other in range(len(found)) if other != at)
        if not any(_is_narrower(types[other], types[at], fit, open_at) for other in others):
            kept.append(one)
    return kept or found


def _is_narrower(
    ours: Sequence[Value | None], theirs: Sequence[Value | None], fit: Fit, open_at: Collection[int]
) -> bool:
    if len(ours) != len(theirs):
        return False
    different = False
    for at, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if one == other:
            continue
        if at in open_at or other is None or one is None or fit(other, one) < FAR or fit(one, other) >= FAR:
            return False
        different = True
    return different
