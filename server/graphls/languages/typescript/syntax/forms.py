"""Forms: what the arguments of a call evidently are, kept with the name that is called.

Owns: how many there are and the forms of the first few, as one number in the flags of an occurrence.
Must not know: what is called, types.
Invariant: 0 says nothing; what is not evident from an argument's own text has no form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TEXT, NUMBER, TRUTH, FUNCTION, ARRAY, OBJECT = range(1, 7)
PLAIN = frozenset((TEXT, NUMBER, TRUTH))
SHIFT: Final = 8
"""Flags of occurrences below are for all languages."""
_WIDTH: Final = 3
_MAX_FORMS: Final = 3
_MOST: Final = 6
SPREAD: Final = -1
"""Stands for any number of arguments."""
FORMS: Mapping[str, int] = {
    "spread_element": SPREAD,
    "string": TEXT,
    "template_string": TEXT,
    "number": NUMBER,
    "true": TRUTH,
    "false": TRUTH,
    "arrow_function": FUNCTION,
    "function_expression": FUNCTION,
    "generator_function": FUNCTION,
    "array": ARRAY,
    "object": OBJECT,
}


def flags_of(forms: list[int], arguments: list[int]) -> int:
    """What flags say of the arguments, whose kinds these are; `forms`: by kind."""
    if len(arguments) > _MOST - 1:
        return 0
    number = len(arguments) + 1
    for place, kind in enumerate(arguments):
        form = forms[kind]
        if form == SPREAD:
            return 0
        if place < _MAX_FORMS:
            number |= form << _WIDTH * (place + 1)
    return number << SHIFT


def forms_of(flags: int) -> tuple[int, tuple[int, ...]]:
    """How many arguments there are, -1 where that is not known, and the forms of the first."""
    number = flags >> SHIFT
    count = (number & 7) - 1
    places = range(1, min(count, _MAX_FORMS) + 1)
    return count, tuple(number >> _WIDTH * place & 7 for place in places)
