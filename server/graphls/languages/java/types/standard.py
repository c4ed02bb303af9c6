"""Standard: what the library of Java gives back and hands out, as far as types of the workspace go through it.

Owns: names of java.lang, functional interfaces, containers.
Must not know: the workspace.
Invariant: a method that is not listed decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.languages.declared.inference import BUILTIN, UNKNOWN_LAST
from graphls.languages.declared.values import Composite, Outside, Value

KOTLIN_TYPES: Final = {
    "Any": "java.lang.Object", "String": "java.lang.String", "CharSequence": "java.lang.CharSequence",
    "Int": "builtin.int", "Long": "builtin.long", "Short": "builtin.short", "Byte": "builtin.byte",
    "Boolean": "builtin.boolean", "Char": "builtin.char", "Float": "builtin.float", "Double": "builtin.double",
    "Unit": "builtin.void", "Number": "java.lang.Number", "Throwable": "java.lang.Throwable",
    "Exception": "java.lang.Exception", "RuntimeException": "java.lang.RuntimeException",
    "Comparable": "java.lang.Comparable", "Iterable": "java.lang.Iterable", "MutableIterable": "java.lang.Iterable",
    "Collection": "java.util.Collection", "MutableCollection": "java.util.Collection",
    "List": "java.util.List", "MutableList": "java.util.List", "ArrayList": "java.util.ArrayList",
    "Set": "java.util.Set", "MutableSet": "java.util.Set", "Map": "java.util.Map", "MutableMap": "java.util.Map",
    "Iterator": "java.util.Iterator", "Comparator": "java.util.Comparator",
}  # fmt: skip
"""Types that no import of Kotlin names, as the machine knows them."""
LANG: Final = frozenset((
    "AbstractMethodError", "Appendable", "ArithmeticException", "ArrayIndexOutOfBoundsException", "ArrayStoreException",
    "AssertionError", "AutoCloseable", "Boolean", "BootstrapMethodError", "Byte", "CharSequence", "Character", "Class",
    "ClassCastException", "ClassCircularityError", "ClassFormatError", "ClassLoader", "ClassNotFoundException",
    "ClassValue", "CloneNotSupportedException", "Cloneable", "Comparable", "Compiler", "Deprecated", "Double", "Enum",
    "EnumConstantNotPresentException", "Error", "Exception", "ExceptionInInitializerError", "Float",
    "FunctionalInterface", "IllegalAccessError", "IllegalAccessException", "IllegalArgumentException",
    "IllegalCallerException", "IllegalMonitorStateException", "IllegalStateException", "IllegalThreadStateException",
    "IncompatibleClassChangeError", "IndexOutOfBoundsException", "InheritableThreadLocal", "InstantiationError",
    "InstantiationException", "Integer", "InternalError", "InterruptedException", "Iterable",
    "LayerInstantiationException",
    "LinkageError", "Long", "MatchException", "Math", "Module", "ModuleLayer", "NegativeArraySizeException",
    "NoClassDefFoundError", "NoSuchFieldError", "NoSuchFieldException", "NoSuchMethodError", "NoSuchMethodException",
    "NullPointerException", "Number", "NumberFormatException", "Object", "OutOfMemoryError", "Override", "Package",
    "Process", "ProcessBuilder", "ProcessHandle", "Readable", "Record", "ReflectiveOperationException", "Runnable",
    "Runtime", "RuntimeException", "RuntimePermission", "SafeVarargs", "ScopedValue", "SecurityException",
    "SecurityManager", "Short", "StackOverflowError", "StackTraceElement", "StackWalker", "StrictMath", "String",
    "StringBuffer", "StringBuilder", "StringIndexOutOfBoundsException", "StringTemplate", "SuppressWarnings", "System",
    "Thread", "ThreadDeath", "ThreadGroup", "ThreadLocal", "Throwable", "TypeNotPresentException", "UnknownError",
    "UnsatisfiedLinkError", "UnsupportedClassVersionError", "UnsupportedOperationException", "VerifyError",
    "VirtualMachineError", "Void", "WrongThreadException",
))  # fmt: skip
OBJECT_METHODS: Final = frozenset((
    "clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait",
))  # fmt: skip
ENUM_METHODS: Final = frozenset(("values", "valueOf", "name", "ordinal", "compareTo", "getDeclaringClass"))

_FUNCTIONS: Final[dict[str, tuple[tuple[int, ...], int]]] = {
    "Function": ((0,), 1), "BiFunction": ((0, 1), 2), "Supplier": ((), 0), "Consumer": ((0,), -1),
    "BiConsumer": ((0, 1), -1), "Predicate": ((0,), -1), "BiPredicate": ((0, 1), -1), "UnaryOperator": ((0,), 0),
    "BinaryOperator": ((0, 0), 0), "Comparator": ((0, 0), -1), "Callable": ((), 0), "Runnable": ((), -1),
    "ToIntFunction": ((0,), -1), "ToLongFunction": ((0,), -1), "ToDoubleFunction": ((0,), -1),
    "ToIntBiFunction": ((0, 1), -1), "ToDoubleBiFunction": ((0, 1), -1), "ToLongBiFunction": ((0, 1), -1),
    "IntFunction": ((-1,), 0), "LongFunction": ((-1,), 0), "DoubleFunction": ((-1,), 0), "BooleanSupplier": ((), -1),
    "IntSupplier": ((), -1), "LongSupplier": ((), -1), "DoubleSupplier": ((), -1), "IntPredicate": ((-1,), -1),
    "ObjIntConsumer": ((0, -1), -1), "IntConsumer": ((-1,), -1), "PrivilegedAction": ((), 0),
    "ThreadFactory": ((-1,), -1),
    "IntUnaryOperator": ((-1,), -1), "IntBinaryOperator": ((-1, -1), -1), "FileFilter": ((-1,), -1),
}  # fmt: skip
"""Functional interfaces by last name: which of their arguments their method takes and gives."""
_ELEMENT: Final = frozenset((
    "get", "next", "previous", "orElse", "orElseThrow", "orElseGet", "first", "last", "poll", "peek", "pop", "element",
    "take", "getFirst", "getLast", "pollFirst", "pollLast", "peekFirst", "peekLast", "removeFirst", "removeLast",
    "call",
    "join", "cast", "newInstance", "getAndSet", "set", "remove", "lower", "higher", "floor", "ceiling", "min", "max",
    "getPlain", "getAcquire", "initialValue", "firstElement", "lastElement", "elementAt", "nextElement",
))  # fmt: skip
_SAME: Final = frozenset((
    "filter", "sorted", "distinct", "limit", "skip", "peek", "parallel", "sequential", "unordered", "onClose",
    "takeWhile", "dropWhile", "subList", "reversed", "thenComparing", "or", "and", "negate", "headSet", "tailSet",
    "descendingSet", "clone", "exceptionally", "whenComplete",
))  # fmt: skip
_MAP_VALUE: Final = frozenset((
    "get", "put", "remove", "getOrDefault", "computeIfAbsent", "computeIfPresent", "compute", "merge", "putIfAbsent",
    "replace",
))  # fmt: skip
_WRAPPED: Final[dict[str, str]] = {
    "stream": "java.util.stream.Stream", "parallelStream": "java.util.stream.Stream", "iterator": "java.util.Iterator",
    "listIterator": "java.util.ListIterator", "descendingIterator": "java.util.Iterator", "toList": "java.util.List",
    "spliterator": "java.util.Spliterator", "findFirst": "java.util.Optional", "findAny": "java.util.Optional",
}  # fmt: skip
_COLLECTED: Final = frozenset(("asList", "of", "singletonList", "singleton", "ofNullable", "copyOf"))
_OF_CLASS_GIVEN: Final = frozenset(("getAnnotation", "getDeclaredAnnotation", "mock"))
"""What is given a class and gives one of its instances."""
_GIVEN: Final = frozenset(("requireNonNull", "requireNonNullElse"))


def last_name(dotted: str) -> str:
    """The name of a class without its package."""
    return dotted.rpartition(".")[2]


def function_shape(value: Outside) -> tuple[tuple[Value | None, ...], Value | None] | None:
    """What the method of a functional interface takes and gives."""
    shape = _FUNCTIONS.get(last_name(value.dotted))
    if shape is None:
        return None
    given = value.arguments
    taken = tuple([given[at] if 0 <= at < len(given) else None for at in shape[0]])
    return taken, given[shape[1]] if 0 <= shape[1] < len(given) else None


def given_back(holder: Outside, name: str, arguments: Sequence[Value | None]) -> Value | None:
    """What a method of the library gives where types of the workspace go through it; None: not known."""
    plain = _plain_result(holder.dotted, name)
    if plain is not None:
        return plain
    return _through(holder, name) if holder.arguments else _of_static(holder, name, arguments)


def _through(holder: Outside, name: str) -> Value | None:
    """What a method gives of what a generic type holds."""
    given, kind, count = holder.arguments, last_name(holder.dotted), len(holder.arguments)
    if kind.endswith("Map") and count > 1:
        if name in _MAP_VALUE:
            return given[1]
        if name in ("keySet", "navigableKeySet"):
            return Outside("java.util.Set", (given[0],))
        if name == "values":
            return Outside("java.util.Collection", (given[1],))
        if name in ("entrySet", "firstEntry", "lastEntry", "floorEntry", "ceilingEntry"):
            entry = Outside("java.util.Map.Entry", given)
            return Outside("java.util.Set", (entry,)) if name == "entrySet" else entry
        return given[0] if name in ("firstKey", "lastKey") else None
    if kind == "Entry" and count > 1:
        return given[0] if name == "getKey" else given[1] if name in ("getValue", "setValue") else None
    if count > 1:
        return given[count - 1] if kind in ("Function", "BiFunction") and name == "apply" else None
    wrapped = _WRAPPED.get(name)
    if wrapped is not None:
        return Outside(wrapped, given)
    if kind in ("Stream", "Optional") and name in ("min", "max", "reduce"):
        return Outside("java.util.Optional", given)
    if name in _SAME and not (name == "peek" and kind != "Stream"):
        return holder
    return given[0] if name in _ELEMENT else None


def _plain_result(dotted: str, name: str) -> Value | None:
    """What methods give of which everybody knows that: of every object, of texts, of boxes, of containers."""
    everywhere = _OF_OBJECTS.get(name)
    if everywhere is not None:
        return everywhere
    known = _OF_CLASSES.get(dotted, {}).get(name)
    if known is not None:
        return known
    if dotted in _TEXTS:
        return _OF_TEXTS.get(name) or (Outside(dotted) if name in _SAME_TEXT else None)
    if name == "valueOf" and dotted in UNBOXES:
        return Outside(dotted)
    if name.startswith("parse") and dotted in UNBOXES:
        return Outside(UNBOXES[dotted]) if last_name(dotted).startswith(name[5:]) else None
    if name.endswith("Value") and dotted in _NUMBERS:
        return Outside(f"{BUILTIN}{name[:-5]}") if f"{BUILTIN}{name[:-5]}" in RANKS else None
    return _OF_CONTAINERS.get(name) if dotted.startswith("java.util.") else None


def _of_static(holder: Outside, name: str, arguments: Sequence[Value | None]) -> Value | None:
    first = arguments[0] if arguments else None
    kind = last_name(holder.dotted)
    if name in _OF_CLASS_GIVEN and isinstance(first, Outside) and first.dotted == "java.lang.Class":
        return first.arguments[0] if first.arguments else None
    if name in _GIVEN and kind == "Objects":
        return first
    if name in _COLLECTED and kind in ("Arrays", "List", "Set", "Collections", "Stream", "Optional", "ImmutableList"):
        if isinstance(first, Composite) and name == "asList":
            first = first.parts[0]
        wanted = {"Stream": "java.util.stream.Stream", "Optional": "java.util.Optional", "Set": "java.util.Set"}
        if name.startswith(("unmodifiable", "copy")):
            return first
        return Outside(wanted.get(kind, "java.util.List"), (first,))
    return None


def handed_out(holder: Outside, name: str, count: int) -> tuple[Value | None, ...] | None:
    """What a method of the library hands to a function that it takes; None: not known."""
    given, kind = holder.arguments, last_name(holder.dotted)
    if kind.endswith("Map") and len(given) > 1:
        if name in ("forEach", "replaceAll", "compute", "computeIfPresent") and count == 2:
            return given
        return (given[0],) if name == "computeIfAbsent" else (given[1], given[1]) if name == "merge" else None
    if len(given) != 1 or name in ("collect", "toArray"):
        return None
    return (given[0],) * count


_INT: Final = "builtin.int"
_TRUTH: Final = "builtin.boolean"
RANKS: Final[dict[str, int]] = {
    "builtin.byte": 0, "builtin.short": 1, "builtin.char": 1, _INT: 2, "builtin.long": 3, "builtin.float": 4,
    "builtin.double": 5,
}  # fmt: skip
BOXES: Final[dict[str, str]] = {
    "builtin.int": "java.lang.Integer", "builtin.long": "java.lang.Long", "builtin.char": "java.lang.Character",
    "builtin.boolean": "java.lang.Boolean", "builtin.double": "java.lang.Double", "builtin.float": "java.lang.Float",
    "builtin.byte": "java.lang.Byte", "builtin.short": "java.lang.Short",
}  # fmt: skip
UNBOXES: Final = {box: plain for plain, box in BOXES.items()}
_TEXT: Final = ("java.lang.CharSequence", "java.lang.Comparable", "java.io.Serializable", "java.lang.Object")
_NUMBER: Final = (*_TEXT[1:], "java.lang.Number")
_EACH: Final = ("java.lang.Iterable", "java.lang.Object")
_MANY: Final = ("java.util.Collection", *_EACH)
_LIST: Final = ("java.util.List", "java.util.SequencedCollection", *_MANY)
_SET: Final = ("java.util.Set", *_MANY)
_KEYED: Final = ("java.util.Map", "java.lang.Object")
_COPIED: Final = ("java.lang.Cloneable", "java.io.Serializable")
_THROWN: Final = ("java.lang.Throwable", "java.io.Serializable", "java.lang.Object")
_CLOSED: Final = ("java.io.Closeable", "java.lang.AutoCloseable", "java.lang.Object")
_FINAL_ABOVE: Final[dict[str, frozenset[str]]] = {
    "java.lang.String": frozenset((*_TEXT, "java.lang.constant.Constable", "java.lang.constant.ConstantDesc")),
    "java.lang.StringBuilder": frozenset((*_TEXT, "java.lang.Appendable")),
    "java.lang.Integer": frozenset(_NUMBER),
    "java.lang.Class": frozenset((
        "java.lang.reflect.Type", "java.lang.reflect.AnnotatedElement", "java.lang.reflect.GenericDeclaration",
        *_TEXT[2:],
    )),
    "java.util.Locale": frozenset((*_COPIED, "java.lang.Object")),
}  # fmt: skip
_STREAMS: Final[dict[str, tuple[str, ...]]] = {
    "InputStream": ("ByteArrayInputStream", "FileInputStream", "BufferedInputStream", "DataInputStream"),
    "OutputStream": ("ByteArrayOutputStream", "FileOutputStream", "BufferedOutputStream", "PrintStream"),
    "Reader": ("StringReader", "CharArrayReader", "BufferedReader", "InputStreamReader", "FileReader"),
    "Writer": ("StringWriter", "CharArrayWriter", "BufferedWriter", "OutputStreamWriter", "FileWriter", "PrintWriter"),
}
_BETWEEN: Final = frozenset((
    "java.io.FilterInputStream", "java.io.FilterOutputStream", "java.lang.Readable", "java.io.Flushable",
    "java.lang.Appendable", "java.io.DataInput", *_CLOSED,
))  # fmt: skip
"""What may stand above streams of one kind or the other."""
ABOVE: Final[dict[str, frozenset[str]]] = {
    **_FINAL_ABOVE,
    **{f"java.io.{name}": _BETWEEN | {f"java.io.{kind}"} for kind, names in _STREAMS.items() for name in names},
    "java.io.FileReader": _BETWEEN | {"java.io.Reader", "java.io.InputStreamReader"},
    "java.io.FileWriter": _BETWEEN | {"java.io.Writer", "java.io.OutputStreamWriter"},
    "java.lang.Object": frozenset(),
    "java.lang.CharSequence": frozenset(("java.lang.Object",)),
    "java.lang.Iterable": frozenset(("java.lang.Object",)),
    "java.lang.Throwable": frozenset(_THROWN[1:]),
    "java.lang.Exception": frozenset(_THROWN),
    "java.lang.Error": frozenset(_THROWN),
    "java.lang.RuntimeException": frozenset(("java.lang.Exception", *_THROWN)),
    "java.io.IOException": frozenset(("java.lang.Exception", *_THROWN)),
    "java.io.File": frozenset(_TEXT[1:]),
    "java.io.InputStream": frozenset(_CLOSED),
    "java.io.OutputStream": frozenset((*_CLOSED, "java.io.Flushable")),
    "java.io.Reader": frozenset((*_CLOSED, "java.lang.Readable")),
    "java.io.Writer": frozenset((*_CLOSED, "java.io.Flushable", "java.lang.Appendable")),
    "java.util.Iterator": frozenset(("java.lang.Object",)),
    "java.util.Collection": frozenset(_EACH),
    "java.util.List": frozenset(_LIST[1:]),
    "java.util.Set": frozenset(_MANY),
    "java.util.Map": frozenset(_KEYED[1:]),
    "java.util.ArrayList": frozenset(
        (*_LIST, *_COPIED, "java.util.AbstractList", "java.util.RandomAccess", "java.util.AbstractCollection")
    ),
    "java.util.HashSet": frozenset((*_SET, *_COPIED, "java.util.AbstractSet", "java.util.AbstractCollection")),
    "java.util.HashMap": frozenset((*_KEYED, *_COPIED, "java.util.AbstractMap")),
    "java.util.Date": frozenset((*_COPIED, *_TEXT[1:])),
    "java.util.Calendar": frozenset((*_COPIED, *_TEXT[1:])),
    "java.nio.file.Path": frozenset(("java.lang.Comparable", *_EACH, "java.nio.file.Watchable")),
}
"""Everything that is above a type, final or not."""
FINAL_CLASSES: Final = frozenset(_FINAL_ABOVE) | frozenset(BOXES.values())


_WHOLE: Final = Outside(_INT)
_TRUE: Final = Outside(_TRUTH)
_STRING: Final = Outside("java.lang.String")
_NUMBERS: Final = frozenset((*UNBOXES, "java.lang.Number"))
_TEXTS: Final = frozenset(("java.lang.String", "java.lang.StringBuilder", "java.lang.StringBuffer"))
_SAME_TEXT: Final = frozenset(("append", "insert", "delete", "deleteCharAt", "reverse"))
_OF_OBJECTS: Final[dict[str, Value]] = {"toString": _STRING, "hashCode": _WHOLE, "equals": _TRUE}
_OF_TEXTS: Final[dict[str, Value]] = {
    "charAt": Outside("builtin.char"), "toCharArray": Composite("[]", (Outside("builtin.char"),)),
    "getBytes": Composite("[]", (Outside("builtin.byte"),)), "split": Composite("[]", (_STRING,)),
    **dict.fromkeys(("length", "indexOf", "lastIndexOf", "compareTo", "codePointAt", "compareToIgnoreCase"), _WHOLE),
    **dict.fromkeys(
        ("isEmpty", "isBlank", "contains", "startsWith", "endsWith", "equalsIgnoreCase", "matches", "contentEquals"),
        _TRUE,
    ),
    **dict.fromkeys((
        "substring", "trim", "strip", "toLowerCase", "toUpperCase", "replaceAll", "replaceFirst", "concat", "intern",
        "format", "join", "valueOf", "repeat", "formatted", "stripLeading", "stripTrailing",
    ), _STRING),
}  # fmt: skip
_OF_CLASSES: Final[dict[str, dict[str, Value]]] = {
    "java.lang.CharSequence": {"charAt": Outside("builtin.char"), "length": _WHOLE},
    "java.lang.Class": {
        **dict.fromkeys(("getName", "getSimpleName", "getCanonicalName", "getTypeName", "getPackageName"), _STRING),
        **dict.fromkeys(("isInterface", "isArray", "isPrimitive", "isEnum", "isInstance", "isAssignableFrom"), _TRUE),
    },
    "java.lang.System": {
        **dict.fromkeys(("lineSeparator", "getProperty"), _STRING),
        **dict.fromkeys(("currentTimeMillis", "nanoTime"), Outside("builtin.long")),
        "identityHashCode": _WHOLE,
    },
    "java.lang.Double": {"doubleToLongBits": Outside("builtin.long"), "doubleToRawLongBits": Outside("builtin.long")},
    "java.lang.Float": {"floatToIntBits": _WHOLE, "floatToRawIntBits": _WHOLE},
    "java.util.concurrent.atomic.AtomicInteger": {"get": _WHOLE, "incrementAndGet": _WHOLE, "getAndIncrement": _WHOLE},
    "java.util.concurrent.atomic.AtomicLong": dict.fromkeys(
        ("get", "incrementAndGet", "getAndIncrement"), Outside("builtin.long")
    ),
    "java.util.Calendar": {"get": _WHOLE, "getTime": Outside("java.util.Date"), "getWeekYear": _WHOLE},
    "java.io.File": dict.fromkeys(("getName", "getPath", "getAbsolutePath", "getParent"), _STRING),
}
_OF_CONTAINERS: Final[dict[str, Value]] = {
    "size": _WHOLE,
    **dict.fromkeys(("isEmpty", "contains", "containsKey", "containsValue", "hasNext", "isPresent"), _TRUE),
}


def promoted(left: Value | None, right: Value | None) -> Value | None:
    """The type of a number, or truth value, that an operator makes of two."""
    names = [UNBOXES.get(one.dotted, one.dotted) for one in (left, right) if isinstance(one, Outside)]
    if len(names) < 2:
        return None
    if names == [_TRUTH, _TRUTH]:
        return Outside(_TRUTH)
    if names[0] not in RANKS or names[1] not in RANKS:
        return None
    return Outside(max(names[0], names[1], _INT, key=RANKS.__getitem__))


def package_of(dotted: str) -> str:
    """The package of a class outside."""
    parts = dotted.split(".")
    kept = [part for part in parts if not part[:1].isupper() and part != UNKNOWN_LAST]
    return ".".join(kept) or dotted
