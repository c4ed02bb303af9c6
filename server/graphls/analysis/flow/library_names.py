"""Library names: what functions and methods of libraries do with the values that they are given, by their names.

Owns: these names, of all languages together.
Must not know: where they stand, whether a library is meant: who reads a call asks that.
Invariant: a name says it whatever the library; what only some do under a name is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

GETTERS: Final = frozenset(("get", "pop", "setdefault", "popleft"))
"""Methods of containers that give an element."""
VIEWS: Final = frozenset(("values", "items", "copy", "entries"))
"""Methods of containers whose elements are those of the container."""
ADDERS: Final = frozenset(
    ("append", "appendleft", "add", "insert", "push", "unshift", "set", "setdefault", "extend", "connect", "callback")
)
"""Methods of containers that take an element; it is the last argument."""
GIVING_BACK: Final = frozenset(
    ("partial", "wraps", "update_wrapper", "cast", "staticmethod", "bind", "memo", "requireNonNull", "checkNotNull")
)
"""Calls whose value is, as far as calling it goes, the function that they are given."""
BINDING: Final = "bind"
"""Of these the method that binds the function which it is one of, and what libraries bind a function with."""
WRAPPING: Final = frozenset(
    ("forwardRef", "observer", "useCallback", "withRouter", "memoize", "debounce", "throttle", "promisify")
)
"""The same where a library has them; code that declares one itself says what its value is."""
TRANSPARENT: Final = frozenset(("Optional", "Union", "ClassVar", "Final", "Annotated"))
"""Generic types whose arguments are types of the value itself."""
CONTAINERS: Final = frozenset(
    ("defaultdict", "dict", "OrderedDict", "list", "tuple", "set", "frozenset", "deque", "ChainMap", "Map", "Set")
)
"""Calls that make a container of containers."""
FIELD_MAKERS: Final = frozenset(("attrib", "ib", "field", "Field"))
"""Calls that declare a field of a class which gets its constructor from a decorator or a base."""
SIDE_BY_SIDE: Final = frozenset(("zip", "zip_longest"))
SAME_ELEMENTS: Final = frozenset(
    ("reversed", "list", "tuple", "sorted", "iter", "set", "islice", "chain", "takewhile", "dropwhile", "filter")
)
"""Calls that give elements of their arguments."""
SUBSTITUTING: Final = ("0", "1", "repl")
CALLING_BACK: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(("sorted", "min", "max", "nlargest", "nsmallest", "merge"), ("key",)),
    **dict.fromkeys(("map", "filter", "reduce", "takewhile", "dropwhile", "starmap", "filterfalse"), ("0",)),
    **dict.fromkeys(("forEach", "find", "findIndex", "findLast", "some", "every", "flatMap", "reduceRight"), ("0",)),
    **dict.fromkeys(("stringify", "parse", "replace", "replaceAll", "from"), ("1",)),
    "sort": ("0", "key"),
    "groupby": ("1", "key"),
    **dict.fromkeys(("sub", "subn"), SUBSTITUTING),
    **dict.fromkeys(("assertRaises", "assertWarns"), ("1", "callable")),
    **dict.fromkeys(("assertRaisesRegex", "assertWarnsRegex"), ("2", "callable")),
    **dict.fromkeys(("raises", "warns"), ("1", "func")),
}
"""Functions and methods of libraries that call an argument before they return: which, by position and by name."""
THROUGH: Final = frozenset(("call", "apply"))
"""Methods of functions, where arguments have no names, that call them."""
