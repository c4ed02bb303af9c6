"""Link numbers: the ends of the links of one file as numbers, and the links made of rows of such numbers.

Owns: numbers of files and of names outside, the tables of `Links`.
Must not know: any particular language, how an occurrence is resolved.
Invariant: numbers stay what they are in later answers of the same resolver.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from graphls.facts.columns import pack_column, split_columns
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links, Overrides, Targets, Unresolved
from graphls.facts.paths import FilePath
from graphls.languages.resolve.structural_value import DefinitionRef, External

_TARGET_WIDTH = 7


@final
class LinkNumbers:
    """Those of one file."""

    def __init__(self, path: FilePath) -> None:
        self._files: dict[str, int] = {path: OWN_FILE}
        self._externals: dict[str, int] = {}

    def end(self, ref: DefinitionRef | External) -> tuple[int, int]:
        """File and symbol, as columns of `Targets` have them."""
        if isinstance(ref, External):
            return self._externals.setdefault(ref.dotted, len(self._externals)), EXTERNAL
        return self._files.setdefault(ref.file, len(self._files)), WHOLE_MODULE if ref.row < 0 else ref.row

    def links(
        self,
        targets: Sequence[int],
        rules: Sequence[int],
        unresolved: Sequence[int] = (),
        *,
        overrides: Sequence[tuple[int, ...]] = (),
        modules: Sequence[tuple[int, ...]] = (),
        implicit: Sequence[int] = (),
        implicit_rules: Sequence[int] = (),
    ) -> Links:
        """Links of rows that stand one after the other; `overrides` and `modules` are rows. What was looked at to make
        them is known to the world."""
        return Links(
            files=tuple(self._files),
            externals=tuple(self._externals),
            targets=Targets(*split_columns(targets, _TARGET_WIDTH)),
            unresolved=Unresolved(*split_columns(unresolved, 2)),
            overrides=Overrides.of(overrides),
            module_targets=Targets.of(modules),
            implicit=Targets(*split_columns(implicit, _TARGET_WIDTH)),
            implicit_rules=pack_column(implicit_rules),
            rules=pack_column(rules),
            reads=(),
            lookups=(),
        )
