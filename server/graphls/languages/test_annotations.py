"""Test annotations: names of annotations that make tests, of frameworks that several languages use.

Owns: these names.
Must not know: any particular language, how annotations are read.
Invariant: a name here means a test in every language that uses the framework.
"""

from __future__ import annotations

from typing import Final

JUNIT: Final = frozenset(
    ("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory", "Property")
)
