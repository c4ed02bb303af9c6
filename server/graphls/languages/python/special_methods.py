"""Special methods: which methods Python runs for a construct that does not name them.

Owns: constructs, operators and built-in functions to the names of methods.
Must not know: trees, types.
Invariant: the methods of one choice are tried in order; the first that a class has is the one that runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from graphls.facts.kinds import ConstructKind

Choices: TypeAlias = Sequence[Sequence[str]]
"""Of each choice one method runs."""

OPERATOR: Final = int(ConstructKind.OPERATOR)
FORMAT: Final = int(ConstructKind.FORMAT)
BUILTIN: Final = int(ConstructKind.BUILTIN)
FOR: Final = int(ConstructKind.FOR)
ASYNC_FOR: Final = int(ConstructKind.ASYNC_FOR)
UNPACK: Final = int(ConstructKind.UNPACK)
CALL: Final = int(ConstructKind.CALL)
RAISE: Final = int(ConstructKind.RAISE)
DECORATOR: Final = int(ConstructKind.DECORATOR)
INHERITED: Final = int(ConstructKind.INHERITED)
READING: Final = "__getattribute__"
MISSING: Final = "__getattr__"
WRITING: Final = "__setattr__"
DELETING: Final = "__delattr__"
ATTRIBUTE_HOOKS: Final = frozenset((READING, MISSING, WRITING, DELETING))
"""What runs where a member of an object is read, is read and is not there, is written, is deleted."""
NOTHING: Final[Choices] = ()

_KEYED: Final = frozenset(
    map(int, (ConstructKind.SUBSCRIPT, ConstructKind.SET_ITEM, ConstructKind.DELETE_ITEM, ConstructKind.CONTAINS))
)
_OF_KEY: Final[Choices] = (("__hash__",), ("__eq__",))
HASHING: Final = frozenset(f"builtins.{name}" for name in ("dict", "set", "frozenset")) | {
    f"collections.{name}" for name in ("defaultdict", "OrderedDict", "Counter")
}
"""Classes whose objects hash what is looked for in them."""
_ITERATED: Final[Choices] = (("__iter__", "__getitem__"),)
_METHODS: Final[Mapping[int, Choices]] = {
    int(ConstructKind.WITH): (("__enter__",), ("__exit__",)),
    int(ConstructKind.ASYNC_WITH): (("__aenter__",), ("__aexit__",)),
    FOR: _ITERATED,
    ASYNC_FOR: (("__aiter__",),),
    UNPACK: _ITERATED,
    int(ConstructKind.SUBSCRIPT): (("__getitem__",),),
    int(ConstructKind.SET_ITEM): (("__setitem__",),),
    int(ConstructKind.DELETE_ITEM): (("__delitem__",),),
    int(ConstructKind.CONTAINS): (("__contains__", "__iter__", "__getitem__"),),
    int(ConstructKind.TRUTH): (("__bool__", "__len__"),),
    int(ConstructKind.AWAIT): (("__await__",),),
    CALL: (("__call__",),),
}
_ARITHMETIC: Final = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul", "**": "pow",
    "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor",
}  # fmt: skip
_OPERATORS: Final[Mapping[str, Choices]] = {
    **{sign: ((f"__{name}__",),) for sign, name in _ARITHMETIC.items()},
    **{f"{sign}=": ((f"__i{name}__", f"__{name}__"),) for sign, name in _ARITHMETIC.items() if sign not in "<>"},
    "==": (("__eq__",),),
    "!=": (("__ne__", "__eq__"),),
    "<": (("__lt__",),),
    ">": (("__gt__",),),
    "<=": (("__le__",),),
    ">=": (("__ge__",),),
    "unary -": (("__neg__",),),
    "unary +": (("__pos__",),),
    "unary ~": (("__invert__",),),
}
ORDERINGS: Final = ("__lt__", "__le__", "__gt__", "__ge__")
"""In the order in which `functools.total_ordering` looks for one to write the others by."""
_REFLECTED: Final[Mapping[str, Choices]] = {
    **{sign: ((f"__r{name}__",),) for sign, name in _ARITHMETIC.items()},
    **{f"{sign}=": ((f"__r{name}__",),) for sign, name in _ARITHMETIC.items()},
    "==": (("__eq__",),),
    "!=": (("__ne__", "__eq__"),),
    "<": (("__gt__",),),
    ">": (("__lt__",),),
    "<=": (("__ge__",),),
    ">=": (("__le__",),),
}
_TEXT: Final[Choices] = (("__str__", "__repr__"),)
_DRAWING: Final = ("islice", "zip_longest", "takewhile", "dropwhile", "filterfalse", "starmap", "accumulate")
"""Functions of `itertools` whose names alone say where they are from."""
_BUILTINS: Final[Mapping[str, Choices]] = {
    "len": (("__len__",),),
    "str": _TEXT,
    "print": _TEXT,
    "repr": (("__repr__",),),
    "iter": _ITERATED,
    "next": (("__next__",),),
    "anext": (("__anext__",),),
    "aiter": (("__aiter__",),),
    "hash": (("__hash__",),),
    "bool": (("__bool__", "__len__"),),
    "int": (("__int__", "__index__"),),
    "float": (("__float__", "__index__"),),
    "complex": (("__complex__", "__float__"),),
    "bytes": (("__bytes__", "__iter__"),),
    "abs": (("__abs__",),),
    "round": (("__round__",),),
    "divmod": (("__divmod__",),),
    "dir": (("__dir__",),),
    "reversed": (("__reversed__", "__getitem__"),),
    "format": (("__format__", "__str__", "__repr__"),),
    **dict.fromkeys(("set", "frozenset", "sum", "any", "all", "enumerate", "min", "max"), _ITERATED),
    **dict.fromkeys(("zip", "map", "filter", "join"), _ITERATED),
    **dict.fromkeys(_DRAWING, _ITERATED),
    # CPython asks how much room to make.
    **dict.fromkeys(("list", "tuple", "sorted"), (*_ITERATED, ("__len__", "__length_hint__"))),
    # Of what has `keys`; else it is iterated.
    "dict": (("keys", "__iter__"), ("__getitem__",)),
}
_GOT: Final[Choices] = (("__getitem__",),)
_SET: Final[Choices] = (("__setitem__",),)
_COUNTED: Final[Choices] = (("__len__",), ("__getitem__",))
_BOTH: Final[Choices] = (("__iter__",), ("__getitem__",))
_MIXED_IN: Final[Mapping[str, Choices]] = {
    "get": _GOT,
    "pop": (("__getitem__",), ("__delitem__",)),
    "popitem": (("__iter__",), ("__getitem__",), ("__delitem__",)),
    "setdefault": (("__getitem__",), ("__setitem__",)),
    "update": _SET,
    "items": _BOTH,
    "values": _BOTH,
    "keys": (("__iter__",),),
    "append": (("insert",),),
    "extend": (("insert",),),
    "index": _COUNTED,
    "count": _GOT,
    "isdisjoint": (("__contains__",),),
}
"""What methods that classes inherit from `Mapping`, `Sequence`, `Set` and the like run of them."""
_REDUCED: Final = ("__reduce_ex__", "__reduce__", "__getstate__")
_COPIED: Final[Mapping[str, Choices]] = {
    "copy.copy": (("__copy__", *_REDUCED),),
    "copy.deepcopy": (("__deepcopy__", *_REDUCED),),
    "pickle.dump": (_REDUCED,),
    "pickle.dumps": (_REDUCED,),
}
_FORMATS: Final[Mapping[str, Choices]] = {
    "!r": (("__repr__",),),
    "!a": (("__repr__",),),
    "!s": _TEXT,
}
_FORMATTED: Final[Choices] = (("__format__", "__str__", "__repr__"),)


def delegates(name: bytes) -> bool:
    """Whether a built-in function runs a method of an argument."""
    return name in _DELEGATING


_DELEGATING: Final = frozenset(name.encode() for name in _BUILTINS if name != "join")
_BEHIND_FUNCTION: Final = frozenset(("map", "filter", "takewhile", "dropwhile", "filterfalse", "starmap"))
_OF_ALL: Final = frozenset(("zip", "zip_longest"))
_LEAST_OR_MOST: Final = frozenset(("min", "max"))


def operands_of(name: str, arguments: int) -> range:
    """Which of its arguments by position a built-in function runs methods of."""
    if name in _OF_ALL:
        return range(arguments)
    if name in _BEHIND_FUNCTION:
        return range(1, arguments if name == "map" else min(arguments, 2))
    return range(0 if name in _LEAST_OR_MOST and arguments > 1 else min(arguments, 1))


_COPYING: Final = frozenset(name.encode() for name in _COPIED)


def is_mixed_in(name: str) -> bool:
    """Whether a class may inherit a method of this name that runs special methods of it."""
    return name in _MIXED_IN


def copies(name: bytes) -> bool:
    """Whether a function of the library asks its first argument how to copy it."""
    return name in _COPYING


RUN_BY_CONSTRUCTS: Final = frozenset(
    name
    for table in (_METHODS, _OPERATORS, _BUILTINS, _MIXED_IN, _COPIED, _FORMATS, {"": _FORMATTED})
    for choices in table.values()
    for choice in choices
    for name in choice
) | {"__next__", "__anext__"}
"""All names that `methods_of` and `next_method` give."""


def methods_of(kind: int, name: str) -> Choices:
    """What a construct runs of its operand."""
    if kind == OPERATOR:
        return _OPERATORS.get(name, NOTHING)
    if kind == BUILTIN:
        return _BUILTINS.get(name) or _COPIED.get(name, NOTHING)
    if kind == INHERITED:
        return _MIXED_IN.get(name, NOTHING)
    if kind == FORMAT:
        return _FORMATS.get(name, _FORMATTED)
    return _METHODS.get(kind, NOTHING)


def reflected_methods(name: str) -> Choices:
    """What an operator runs of its right operand where the left one has no answer."""
    return _REFLECTED.get(name, NOTHING)


def methods_of_key(kind: int) -> Choices:
    """What a look into a container that hashes runs of the key; `__eq__` where two keys have one hash."""
    return _OF_KEY if kind in _KEYED else NOTHING


def next_method(kind: int, name: str) -> str:
    """What is run of what the first method gives back, "" for nothing."""
    if kind == ASYNC_FOR:
        return "__anext__"
    steps = kind in (FOR, UNPACK) or (
        kind == BUILTIN and name != "iter" and _ITERATED[0] in _BUILTINS.get(name, NOTHING)
    )
    return "__next__" if steps else ""
