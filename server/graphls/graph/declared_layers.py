"""Declared layers: which layer a module is in, and which imports are against their order.

Owns: names of layers, from the highest to the lowest, what of a module's name is one.
Must not know: where the layers were declared, files, imports.
Invariant: a module is in the layer of the longest declared name that it is, or is inside of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from graphls.facts.cached_property import cached_property

_MARKS = (".", "/", "::")
"""Between the parts of names of modules, by language."""


@attrs.frozen(slots=False)
class DeclaredLayers:
    """Layers from the highest to the lowest. Names that share one may not import each other."""

    layers: Sequence[Sequence[str]] = ()

    @cached_property
    def levels(self) -> Mapping[str, int]:
        """The number of the layer of each declared name."""
        return {name: level for level, layer in enumerate(self.layers) for name in layer}

    def name_of(self, module: str) -> str:
        """The declared name that a module belongs to; "" for none."""
        while module and module not in self.levels:
            module = module[: max(module.rfind(mark) for mark in _MARKS)] if _is_divided(module) else ""
        return module

    def is_against(self, source: str, target: str) -> bool:
        """Whether one declared name must not import from another."""
        return bool(source and target) and source != target and self.levels[source] >= self.levels[target]

    def is_shared(self, source: str, target: str) -> bool:
        """Whether two declared names stand in one layer."""
        return self.levels[source] == self.levels[target]


def _is_divided(module: str) -> bool:
    return any(mark in module for mark in _MARKS)
