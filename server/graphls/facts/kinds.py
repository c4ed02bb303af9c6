"""Kinds: the closed vocabularies that facts and links are written in.

Owns: the integer codes stored in columns, and their names.
Must not know: any language's grammar, any protocol.
Invariant: a code never changes its meaning; new codes are appended and the facts version is raised.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag


class ScopeKind(IntEnum):
    """What opened a scope."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2
    LAMBDA = 3
    COMPREHENSION = 4
    TYPE_PARAMETERS = 5
    BLOCK = 6
    NAMESPACE = 7
    OBJECT = 8


class DefinitionKind(IntEnum):
    """What one binding site introduces."""

    FUNCTION = 0
    METHOD = 1
    CLASS = 2
    VARIABLE = 3
    CONSTANT = 4
    FIELD = 5
    PROPERTY = 6
    PARAMETER = 7
    TYPE_PARAMETER = 8
    TYPE_ALIAS = 9
    ENUM_MEMBER = 10
    IMPORT = 11
    INTERFACE = 12
    ENUM = 13
    NAMESPACE = 14


class DefinitionFlag(IntFlag):
    """Properties of a definition; several may hold."""

    NONE = 0
    ASYNC = 1
    STATIC = 2
    CLASSMETHOD = 4
    ABSTRACT = 8
    OVERLOAD = 16
    CONDITIONAL = 32
    """Written under `if`, `try`, a loop or a `match` of its scope."""
    TYPE_CHECKING = 64
    """Exists for type checkers only."""
    INSTANCE = 128
    """A field that a method assigns through its first parameter."""
    RECEIVER = 256
    """The first parameter of a method: the instance, or the class of a class method."""
    EXPORTED = 512
    """Named by the module's own export list, or re-exported on purpose."""
    DELETED = 1024
    VARIADIC = 2048
    """`*args`: the value is a tuple of the annotated type."""
    KEYWORDS = 4096
    """`**kwargs`: the value is a mapping to the annotated type."""
    KEYWORD_ONLY = 8192
    POSITIONAL_ONLY = 16384
    DEFAULTED = 32768
    GENERATOR = 65536
    STAR = 131072
    """A star import: binds every public name of the module in `value`."""
    GLOBAL = 262144
    """Bound from an inner scope through `global` or `nonlocal`."""
    SETTER = 524288
    """The writing or deleting half of a property."""
    AUGMENTED = 1048576
    """`x += ...`: binds a name that is already bound."""
    FINAL = 2097152
    CACHED = 4194304
    """A property computed once."""
    DEFAULT_EXPORT = 8388608
    TYPE_ONLY = 16777216
    """Lives in the name space of types only."""
    MAIN_GUARD = 33554432
    """Runs only when the file is the program."""
    EXCEPTION = 67108864
    """Bound by an exception handler."""
    SHARED = 134217728
    """Bound together with the definition before it in its scope, which owns the uses in the initialiser of both."""
    DELETER = 268435456
    """With SETTER: the deleting half of a property."""


class Role(IntEnum):
    """What an occurrence does with the name."""

    READ = 0
    WRITE = 1
    CALL = 2
    IMPORT = 3
    INHERIT = 4
    DECORATE = 5
    TYPE = 6
    DELETE = 7
    KEYWORD = 8
    """The name of a keyword argument; `base` is the callee."""
    EXPORT = 9
    """A string in an export list."""
    PATTERN = 10
    """A class named in a `match` case."""
    RENDER = 11
    IMPLEMENT = 12
    TEXT = 13
    """A string that spells code (`getattr(x, "name")`)."""


class OccurrenceFlag(IntFlag):
    """Circumstances of an occurrence."""

    NONE = 0
    IN_STRING = 1
    TYPE_CHECKING = 2
    MAIN_GUARD = 4
    CONDITIONAL = 8
    ALSO_WRITE = 16
    """`x += 1`: read and written."""
    ALIAS = 32
    """The new name of a renamed import: `name` is what it stands for, not what is written."""
    TYPE_TEST = 64
    """What a value or an exception is compared with: `isinstance(x, A)`, `except A`, `x instanceof A`."""
    REFERRED = 128
    """Named as in a call, and handed on: `Type::method`, `Type::new`."""


class ExpressionKind(IntEnum):
    """Shapes that name and type resolution follow; `a`, `b`, `c` are described per kind.

    `list` means: index of a row in `Lists`. -1 is "none" everywhere.
    """

    NAME = 0
    """a: name, b: scope, c: byte offset of the use (-1 in a surface)."""
    MEMBER = 1
    """a: base expression, b: name, c: byte offset of the name (-1 in a surface)."""
    CALL = 2
    """a: callee expression, b: list of arguments, c: list of their names (-1 for none), where some have one."""
    SUBSCRIPT = 3
    """a: base expression, b: list of index expressions."""
    UNION = 4
    """a: list. Any of these (`x or y`, `x if c else y`, `A | B` in a type)."""
    TUPLE = 5
    """a: list of elements."""
    COLLECTION = 6
    """a: list of elements (values, for a mapping), b: name of the built-in type, c: list of keys."""
    LITERAL = 7
    """a: name of the built-in type, b: text of a string literal or -1."""
    AWAIT = 8
    """a: expression."""
    ELEMENT = 9
    """a: expression iterated; b: 1 for `async for`."""
    ITEM = 10
    """a: expression unpacked, b: position (negative: from the end; 1000: the starred rest)."""
    ENTER = 11
    """a: context manager expression; b: 1 for `async with`."""
    MODULE = 12
    """a: dotted module name, b: number of leading dots."""
    EXCEPTION = 13
    """a: the class, or tuple of classes, that a handler catches."""
    LAMBDA = 14
    """a: body expression."""
    PARAMETER = 15
    """a: definition of the parameter whose argument this is (surfaces: evident returns). With b, what is given to a
    function: a: callee, b: as which argument the function is given to it, c: which of the function's parameters."""
    STARRED = 16
    """a: expression."""
    OBJECT = 17
    """a: scope of an object literal, or of a type without a name, b: what that extends."""
    FUNCTION = 18
    """a: definition: the function or class itself, unnamed or named."""
    TYPE = 19
    """a: annotation expression: an instance of what it denotes."""
    OPERATION = 20
    """a: left, b: right or -1, c: name of the operator (resolved by checkers only)."""
    NARROWED = 21
    """a: expression, b: class expression that a test proved, c: 1 proved, 0 disproved."""


class ConstructKind(IntEnum):
    """What runs a method without naming it; wire names are lower case."""

    WITH = 0
    ASYNC_WITH = 1
    FOR = 2
    ASYNC_FOR = 3
    UNPACK = 4
    SUBSCRIPT = 5
    SET_ITEM = 6
    DELETE_ITEM = 7
    OPERATOR = 8
    CONTAINS = 9
    TRUTH = 10
    AWAIT = 11
    FORMAT = 12
    BUILTIN = 13
    CALL = 14
    """A value is called: an instance, a class, a function that another name holds."""
    RAISE = 15
    """`raise A` makes an instance of the class."""
    DECORATOR = 16
    """`@f` above a definition calls the decorator with it."""
    INHERITED = 17
    """A method that a class inherits from a library runs others of it: `Mapping.get` its `__getitem__`."""
    ATTRIBUTE = 18
    """A member is read, written or deleted of an object whose class answers for that itself. No row of constructs: it
    is a use."""
    CLASS = 19
    """Declaring a class runs what fills its fields. No row of constructs: the field calls it by name."""


class RegionKind(IntEnum):
    """Stretches of code that decide which bindings can reach a use."""

    BODY = 0
    """Body of a function, class or module: always runs through."""
    BRANCH = 1
    """An arm that may not run (`if`, `else`, `case`, `except`)."""
    LOOP = 2
    """May run several times: later bindings inside reach earlier uses inside."""
    TRY = 3
    """Runs, perhaps not to its end."""
    WITH = 4
    """Always runs."""


class ReturnKind(IntEnum):
    """How a value leaves a function."""

    RETURN = 0
    YIELD = 1
    YIELD_FROM = 2
    FUNCTION = 3
    """A function that is declared inside, or what calling one gives: given back whatever an annotation says."""


class ImportFlag(IntFlag):
    """Circumstances of an import."""

    NONE = 0
    TYPE_CHECKING = 1
    CONDITIONAL = 2
    LOCAL = 4
    """Inside a function: runs when the function does."""
    STAR = 8
    REEXPORT = 16
    """`from m import x as x`, or listed in `__all__`."""
    DYNAMIC = 32
    MAIN_GUARD = 64
    FOR_ALL = 128
    """It holds for all files of its project."""


class Resolution(IntEnum):
    """By which kind of rule an occurrence was resolved."""

    LEXICAL = 0
    IMPORT = 1
    MEMBER = 2
    INFERRED = 3
    NAME = 4


class EdgeKind(IntEnum):
    """Kinds of edges that come from one occurrence; wire names are lower case."""

    REFERENCES = 0
    CALLS = 1
    INSTANTIATES = 2
    ACCESSES = 3
    TYPE_REF = 4
    EXTENDS = 5
    IMPLEMENTS = 6
    DECORATES = 7
    RENDERS = 8
    IMPORTS = 9
    EXPORTS = 10
    ALIASES = 11
    MATCHES_PATTERN = 12


class UnresolvedReason(IntEnum):
    """Why a site has no target. `0` never stands for "unknown"."""

    UNBOUND = 0
    """No rule of scope finds the name."""
    UNKNOWN_RECEIVER = 1
    """The type of what stands left of the dot is not decidable here."""
    MISSING_MEMBER = 2
    """The receiver is known, and has no such member."""
    MISSING_MODULE = 3
    """No module of that name in the workspace or its libraries."""
    DYNAMIC = 4
    """Metaclass, `__getattr__`, operator or computed name."""
    LIMIT = 5
    """Step bound reached."""
    OPAQUE_BASE = 6
    """A base class is unknown, so the member may come from it."""
    CANDIDATES = 7
    """More things may be meant than anybody would read: many definitions of one name, a union of many classes."""
    OUTSIDE_PARAMETER = 8
    """The name of an argument of something outside the workspace: nothing in the workspace can be meant."""


class ProblemKind(IntEnum):
    """What is wrong with a file's text."""

    SYNTAX = 0
    ENCODING = 1
    DEPTH = 2
    """Nested too deeply to be read in full; facts stop at the limit."""
    PARTIAL = 3
    """Perhaps right, but not understood: names in it may be missing from the facts."""
    MINIFIED = 4
    """Bodies of functions in minified code, which are not read."""
