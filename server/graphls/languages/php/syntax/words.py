"""Words: names that the language gives a meaning.

Owns: built-in types, names for the class around.
Must not know: trees, other files.
Invariant: lower case; PHP does not tell cases apart in these.
"""

from __future__ import annotations

from typing import Final

RELATIVE: Final = frozenset(("self", "static", "parent", "$this"))
BUILTIN_TYPES: Final = frozenset((
    "array", "bool", "boolean", "callable", "double", "false", "float", "int", "integer", "iterable", "list", "mixed",
    "never", "null", "number", "numeric", "object", "real", "resource", "scalar", "string", "true", "void", "noreturn",
    "class-string", "array-key", "non-empty-string", "positive-int", "callable-string", "numeric-string", "empty",
))  # fmt: skip
