"""Values: what is taken from what names hold, and where it goes.

Owns: the words for both, records of arguments.
Must not know: files, how these are found in their text, what names mean.
Invariant: none of it says which object a value is, only which use of a name it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

import attrs


class Takes(IntEnum):
    """What is taken from what a name holds."""

    VALUE = 0
    """The value itself."""
    ELEMENT = 1
    """An element of it."""
    RESULT = 2
    """What calling it gives."""
    COMPUTED = 3
    """A member whose name is worked out; the name is that of the function that looks it up."""
    BARE = 4
    """The function itself, whatever decorators put in its place."""
    AWAITED = 5
    """What waiting for the result of calling it gives."""
    RESULT_ELEMENT = 6
    """An element of what calling it gives; of a generator what it yields."""


def written_use(definition: int) -> int:
    """What stands for the use of a function that is written where its value is taken."""
    return -2 - definition


class Leaf(NamedTuple):
    """A use that a value is taken from, or what `written_use` says. `inside`: the value is a container that holds what
    is taken."""

    use: int
    takes: Takes
    inside: bool


class Destination(IntEnum):
    """What becomes of a value."""

    BOUND = 0
    """A definition holds it."""
    RETURNED = 1
    """A function gives it back."""
    CALLED = 2
    """A construct calls it."""
    GIVEN = 3
    """A call is given it."""
    STORED = 4
    """A use names the container that it is put into."""
    WRITTEN = 5
    """A use names the member that it is written to."""
    CALLED_BACK = 6
    """A use names what calls its arguments, if that is the library's."""
    SPREAD = 7
    """A call is given its elements, each as an argument."""
    YIELDED = 8
    """A generator gives it to who asks for elements."""
    FILLED = 9
    """A use names the type of an object that is written out with it."""


class ValueTarget(NamedTuple):
    """Where the value of a use goes: `row` of definitions, constructs or occurrences, as the destination says."""

    destination: Destination
    row: int
    takes: Takes
    inside: bool
    position: int = -1
    """Of the argument; -1 where it has a name."""
    keyword: str = ""


@attrs.frozen
class PassedArgument:
    """One argument of a call."""

    position: int
    keyword: str
    leaves: tuple[Leaf, ...]


class SpreadArguments(NamedTuple):
    """`*args` and `**kwargs` of a call, each the name of a container."""

    use: int
    """That of the container."""
    position: int
    """Where its elements begin; -1 where they are arguments by name."""
    positions: int
    """Arguments by position that are written out before it."""
    keywords: frozenset[str]
    """Those by name that the call writes out."""


def inside_of_container(leaves: Iterable[Leaf]) -> Iterator[Leaf]:
    """A container of what leaves stand for; containers in containers are not told apart."""
    return (Leaf(leaf.use, leaf.takes, True) for leaf in leaves if leaf.takes != Takes.COMPUTED)


def awaited(leaf: Leaf) -> Leaf:
    """What waiting for a value gives."""
    return leaf._replace(takes=Takes.AWAITED) if leaf.takes == Takes.RESULT else leaf
