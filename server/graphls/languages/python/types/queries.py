"""Queries: what parts of the resolver ask of parts that are made after them.

Owns: the signatures of these questions.
Must not know: who answers.
Invariant: whatever leads back to an earlier part is here; all else a part asks of what its constructor was given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from graphls.languages.python.types.units import GivenArguments, PyUnit
from graphls.languages.python.types.values import PyClass, PyFunction, PyInference, PyInstance, Receiver, Values
from graphls.languages.resolve.structural_value import DefinitionRef


class PyQueries(ABC):
    """Values, types and members, for those who need them to find names and classes."""

    @abstractmethod
    def infer(self, unit: PyUnit, expression: int) -> PyInference:
        """Values of an expression; empty when code does not decide."""

    @abstractmethod
    def denote(self, unit: PyUnit, expression: int) -> Values:
        """Values of what an annotation denotes."""

    @abstractmethod
    def members_of(self, before: PyInference, name: str) -> PyInference:
        """Values of a member of any of several values."""

    @abstractmethod
    def member_spot(self, cls: PyClass, name: str) -> DefinitionRef | None:
        """Where a class or one of its bases defines a member."""

    @abstractmethod
    def opaque(self, cls: PyClass | PyInstance) -> bool:
        """Whether some base is unknown or outside, so that members may exist which no file shows."""

    @abstractmethod
    def returned(self, unit: PyUnit, row: int, receiver: Receiver | None) -> PyInference:
        """What a function gives back, bound to a receiver."""

    @abstractmethod
    def any_overload(self, functions: Sequence[PyFunction], unit: PyUnit, given: GivenArguments) -> PyInference:
        """Any of several signatures that the arguments fit."""
