"""Flags: the definition flags that resolution tests, as plain numbers.

Owns: nothing of its own; names of `DefinitionFlag` values.
Must not know: what sets them.
Invariant: equal to `DefinitionFlag`; plain because the operators of enum flags cost more than the rules that use them.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.kinds import DefinitionFlag

AUGMENTED: Final = int(DefinitionFlag.AUGMENTED)
RECEIVER: Final = int(DefinitionFlag.RECEIVER)
CLASSMETHOD: Final = int(DefinitionFlag.CLASSMETHOD)
STATIC: Final = int(DefinitionFlag.STATIC)
INSTANCE: Final = int(DefinitionFlag.INSTANCE)
ASYNC: Final = int(DefinitionFlag.ASYNC)
GENERATOR: Final = int(DefinitionFlag.GENERATOR)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
OVERLOAD: Final = int(DefinitionFlag.OVERLOAD)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)
KEYWORDS: Final = int(DefinitionFlag.KEYWORDS)
KEYWORD_ONLY: Final = int(DefinitionFlag.KEYWORD_ONLY)
SETTER: Final = int(DefinitionFlag.SETTER)
STAR: Final = int(DefinitionFlag.STAR)
CONDITIONAL: Final = int(DefinitionFlag.CONDITIONAL)
EXPORTED: Final = int(DefinitionFlag.EXPORTED)
GLOBAL: Final = int(DefinitionFlag.GLOBAL)
