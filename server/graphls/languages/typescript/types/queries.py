"""Queries: what parts of the resolver ask of parts that are made after them.

Owns: the signatures of these questions.
Must not know: who answers.
Invariant: whatever leads back to an earlier part is here; all else a part asks of what its constructor was given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from graphls.languages.resolve.structural_value import DefinitionRefs
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import TsInference, Value, Values


class TsQueries(ABC):
    """Values, types and members, for those who need them to find names and members."""

    @abstractmethod
    def infer(self, unit: TsUnit, expression: int) -> TsInference:
        """Values of an expression; empty when code does not decide."""

    @abstractmethod
    def value_of(self, unit: TsUnit, row: int) -> TsInference:
        """What a binding holds."""

    @abstractmethod
    def answer_value(self, answer: DefinitionRefs) -> TsInference:
        """What definitions hold."""

    @abstractmethod
    def denote(self, unit: TsUnit, expression: int) -> Values:
        """Values of what a type denotes."""

    @abstractmethod
    def member_inference(self, value: Value, name: str) -> TsInference:
        """What reading a member of a value gives."""

    @abstractmethod
    def member_values(self, value: Value, name: str) -> Values:
        """The same, values alone."""

    @abstractmethod
    def object_member(self, unit: TsUnit, row: int, name: str) -> DefinitionRefs:
        """A member of what a definition holds."""

    @abstractmethod
    def other_import(self, unit: TsUnit, value: int) -> DefinitionRefs:
        """An import that is part of a value."""

    @abstractmethod
    def element(self, values: Values) -> Values:
        """What is in arrays and the like."""

    @abstractmethod
    def result_of(self, value: Value) -> Values:
        """What calling a value gives."""

    @abstractmethod
    def constructed(self, value: Value) -> Values:
        """What `new` makes of a value that is no class."""
