"""Bounds: how many answers are weighed one by one.

Owns: the numbers that resolution of every language shares; `docs/bounds.md` lists what an answer says beyond them.
Must not know: any particular language.
Invariant: code that people write stays far below them, so that they change no answer about it.
"""

from __future__ import annotations

from typing import Final

MAX_CANDIDATES: Final = 32
"""Things that one use may mean, and values that one expression may have; beyond, what it means is not known."""

MAX_BINDINGS: Final = 64
"""Bindings of one name in one scope that are told apart at each use."""

MAX_OVERLOADS: Final = 256
"""Methods of one name in a class of Java among which a call chooses by its arguments."""

MAX_DECLARED: Final = 16
"""Definitions that one use of Go, Java or C may mean; of more, none is listed."""

MAX_TESTS: Final = 256
"""Tests of one name that are looked at for one use."""

MAX_WEIGHT: Final = 256
"""Values inside of a value, each as often as it stands there. Of what holds more only its kind is known."""

MAX_REPEATED: Final = 4
"""Answers to one question while the question at its outermost cut is answered. Where n questions lead to each other,
each is met under every set of the others: after these the last answer is given again."""
