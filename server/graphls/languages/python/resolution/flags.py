"""Flags: the definition flags that resolution tests, as plain numbers.

Owns: nothing of its own; names of `DefinitionFlag` values.
Must not know: what sets them.
Invariant: equal to `DefinitionFlag`; plain because the operators of enum flags cost more than the rules that use them.
"""

from __future__ import annotations

from graphls.facts.kinds import DefinitionFlag

AUGMENTED = int(DefinitionFlag.AUGMENTED)
RECEIVER = int(DefinitionFlag.RECEIVER)
CLASSMETHOD = int(DefinitionFlag.CLASSMETHOD)
STATIC = int(DefinitionFlag.STATIC)
ASYNC = int(DefinitionFlag.ASYNC)
GENERATOR = int(DefinitionFlag.GENERATOR)
ABSTRACT = int(DefinitionFlag.ABSTRACT)
OVERLOAD = int(DefinitionFlag.OVERLOAD)
VARIADIC = int(DefinitionFlag.VARIADIC)
KEYWORDS = int(DefinitionFlag.KEYWORDS)
SETTER = int(DefinitionFlag.SETTER)
STAR = int(DefinitionFlag.STAR)
CONDITIONAL = int(DefinitionFlag.CONDITIONAL)
EXPORTED = int(DefinitionFlag.EXPORTED)
GLOBAL = int(DefinitionFlag.GLOBAL)
