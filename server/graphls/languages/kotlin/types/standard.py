"""Standard: what every Kotlin file sees, and what the library gives back and hands out, as far as types go through it.

Owns: names that are imported everywhere, containers, functions with a block.
Must not know: the workspace.
Invariant: a function that is not listed decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.languages.declared.values import Composite, Outside, Value

_TYPES_BY_PACKAGE: Final = {
    "kotlin": (
        "Any Annotation Array ArithmeticException ArrayIndexOutOfBoundsException AssertionError AutoCloseable Boolean "
        "BooleanArray Byte ByteArray Char CharArray CharSequence ClassCastException Comparable Comparator "
        "ConcurrentModificationException DeepRecursiveFunction Deprecated DeprecationLevel Double "
        "DoubleArray DslMarker "
        "Enum Error Exception ExperimentalStdlibApi ExperimentalUnsignedTypes ExtensionFunctionType Float FloatArray "
        "Function IllegalArgumentException IllegalStateException IndexOutOfBoundsException Int IntArray "
        "KotlinVersion Lazy LazyThreadSafetyMode Long LongArray NoSuchElementException NotImplementedError Nothing "
        "NullPointerException Number NumberFormatException OptIn OptionalExpectation Pair ParameterName PublishedApi "
        "ReplaceWith RequiresOptIn Result RuntimeException Short ShortArray SinceKotlin String Suppress Throwable "
        "Throws Triple UByte UByteArray UInt UIntArray ULong ULongArray UShort UShortArray Unit UnsafeVariance "
        "UnsupportedOperationException UninitializedPropertyAccessException ExposedCopyVisibility "
        "ConsistentCopyVisibility"
    ),
    "kotlin.collections": (
        "AbstractCollection AbstractIterator AbstractList AbstractMap AbstractMutableList AbstractMutableMap "
        "AbstractMutableSet AbstractSet ArrayDeque ArrayList Collection Grouping HashMap HashSet IndexedValue Iterable "
        "Iterator LinkedHashMap LinkedHashSet List ListIterator Map MutableCollection MutableIterable MutableIterator "
        "MutableList MutableListIterator MutableMap MutableSet RandomAccess Set ByteIterator CharIterator IntIterator"
    ),
    "kotlin.text": (
        "Appendable CharCategory Charsets HexFormat MatchGroup MatchGroupCollection MatchResult Regex RegexOption "
        "StringBuilder CharacterCodingException Typography"
    ),
    "kotlin.sequences": "Sequence SequenceScope",
    "kotlin.ranges": (
        "CharRange ClosedRange IntProgression IntRange LongRange OpenEndRange ClosedFloatingPointRange UIntRange "
        "LongProgression CharProgression"
    ),
    "kotlin.annotation": "AnnotationRetention AnnotationTarget MustBeDocumented Repeatable Retention Target",
    "kotlin.io": "FileTreeWalk FileWalkDirection OnErrorAction",
    "kotlin.jvm": (
        "JvmDefault JvmField JvmInline JvmMultifileClass JvmName JvmOverloads JvmRecord JvmStatic JvmSuppressWildcards "
        "JvmSynthetic JvmWildcard Strictfp Synchronized Transient Volatile JvmExposeBoxed JvmSerializableLambda"
    ),
    "java.lang": (
        "AbstractMethodError AutoCloseable Class ClassLoader ClassNotFoundException CloneNotSupportedException "
        "Cloneable Character Integer InterruptedException IllegalAccessException IllegalMonitorStateException "
        "InternalError LinkageError Math NoClassDefFoundError NoSuchFieldException NoSuchMethodException Object "
        "OutOfMemoryError Override Process ProcessBuilder Record ReflectiveOperationException Runnable Runtime "
        "SafeVarargs SecurityException StackOverflowError StackTraceElement StringBuffer System Thread ThreadGroup "
        "ThreadLocal VirtualMachineError Void FunctionalInterface InstantiationException UnsatisfiedLinkError"
    ),
}
TYPES: Final = {name: f"{package}.{name}" for package, names in _TYPES_BY_PACKAGE.items() for name in names.split()}
"""Types that no import has to name."""
ANY: Final = "kotlin.Any"
_NUMBERS: Final = ("kotlin.Byte", "kotlin.Short", "kotlin.Int", "kotlin.Long", "kotlin.Float", "kotlin.Double")
RANKS: Final = {name: rank for rank, name in enumerate(_NUMBERS)}
FINAL: Final = frozenset((
    *_NUMBERS, "kotlin.String", "kotlin.Boolean", "kotlin.Char", "kotlin.Unit", "kotlin.UInt", "kotlin.ULong",
    "kotlin.ByteArray", "kotlin.CharArray", "kotlin.IntArray", "kotlin.LongArray", "kotlin.reflect.KClass",
    "kotlin.Nothing", "kotlin.UByte", "kotlin.ranges.IntRange", "kotlin.text.Regex",
))  # fmt: skip
"""Types that have nothing below them."""
_C: Final = "kotlin.collections."
ABOVE: Final[dict[str, tuple[str, ...]]] = {
    "kotlin.String": ("kotlin.CharSequence", "kotlin.Comparable"),
    **dict.fromkeys(_NUMBERS, ("kotlin.Number", "kotlin.Comparable")),
    "kotlin.Char": ("kotlin.Comparable",),
    "kotlin.Boolean": ("kotlin.Comparable",),
    f"{_C}Collection": (f"{_C}Iterable",),
    f"{_C}List": (f"{_C}Collection", f"{_C}Iterable"),
    f"{_C}Set": (f"{_C}Collection", f"{_C}Iterable"),
    f"{_C}MutableCollection": (f"{_C}Collection", f"{_C}Iterable", f"{_C}MutableIterable"),
    f"{_C}MutableList": (f"{_C}List", f"{_C}MutableCollection", f"{_C}Collection", f"{_C}Iterable",
        f"{_C}MutableIterable"),
    f"{_C}MutableSet": (f"{_C}Set", f"{_C}MutableCollection", f"{_C}Collection", f"{_C}Iterable",
        f"{_C}MutableIterable"),
    f"{_C}ArrayList": (f"{_C}List", f"{_C}MutableList", f"{_C}MutableCollection", f"{_C}Collection", f"{_C}Iterable"),
    f"{_C}ArrayDeque": (f"{_C}List", f"{_C}MutableList", f"{_C}MutableCollection", f"{_C}Collection", f"{_C}Iterable"),
    f"{_C}HashSet": (f"{_C}Set", f"{_C}MutableSet", f"{_C}Collection", f"{_C}Iterable"),
    f"{_C}LinkedHashSet": (f"{_C}Set", f"{_C}MutableSet", f"{_C}Collection", f"{_C}Iterable"),
    f"{_C}MutableMap": (f"{_C}Map",),
    f"{_C}HashMap": (f"{_C}MutableMap", f"{_C}Map"),
    f"{_C}LinkedHashMap": (f"{_C}MutableMap", f"{_C}Map", f"{_C}HashMap"),
    "kotlin.text.StringBuilder": ("kotlin.CharSequence", "kotlin.text.Appendable"),
    "kotlin.ranges.IntRange": (f"{_C}Iterable", "kotlin.ranges.IntProgression", "kotlin.ranges.ClosedRange"),
    "kotlin.Exception": ("kotlin.Throwable",),
    "kotlin.RuntimeException": ("kotlin.Exception", "kotlin.Throwable"),
    "kotlin.IllegalStateException": ("kotlin.RuntimeException", "kotlin.Exception", "kotlin.Throwable"),
    "kotlin.IllegalArgumentException": ("kotlin.RuntimeException", "kotlin.Exception", "kotlin.Throwable"),
    "java.io.IOException": ("kotlin.Exception", "kotlin.Throwable"),
    "kotlin.ByteArray": (), "kotlin.CharArray": (), "kotlin.IntArray": (), "kotlin.LongArray": (), "kotlin.Unit": (),
    "kotlin.UInt": ("kotlin.Comparable",), "kotlin.ULong": ("kotlin.Comparable",),
    "kotlin.UByte": ("kotlin.Comparable",),
    "kotlin.reflect.KClass": (), "kotlin.Nothing": (), "kotlin.text.Regex": (), f"{_C}Map": (), f"{_C}Iterable": (),
    "kotlin.sequences.Sequence": (), "kotlin.CharSequence": (), "kotlin.Pair": (), "kotlin.Throwable": (),
    "kotlin.Number": (),
    "java.lang.Class": ("java.lang.reflect.Type", "java.lang.reflect.AnnotatedElement",
        "java.lang.reflect.GenericDeclaration", "java.io.Serializable"),
}  # fmt: skip
"""Everything that is above a type, for types of which it is known."""
SAME_TYPES: Final = {
    "java.lang.String": "kotlin.String", "java.lang.Object": ANY,
    "java.lang.StringBuilder": "kotlin.text.StringBuilder",
    "java.util.List": f"{_C}MutableList", "java.util.Map": f"{_C}MutableMap", "java.util.Set": f"{_C}MutableSet",
    "java.util.Collection": f"{_C}MutableCollection", "java.util.ArrayList": f"{_C}ArrayList",
    "java.util.HashMap": f"{_C}HashMap", "java.util.HashSet": f"{_C}HashSet", "java.lang.Throwable": "kotlin.Throwable",
    "java.util.LinkedHashMap": f"{_C}LinkedHashMap", "java.util.LinkedHashSet": f"{_C}LinkedHashSet",
    "java.lang.Exception": "kotlin.Exception", "java.lang.Iterable": f"{_C}MutableIterable",
    "java.util.Comparator": "kotlin.Comparator", "java.lang.CharSequence": "kotlin.CharSequence",
    "java.lang.Comparable": "kotlin.Comparable", "java.lang.Number": "kotlin.Number",
}  # fmt: skip
JAVA_TYPES: Final = {
    "Object": ANY, "Integer": "kotlin.Int", "Character": "kotlin.Char", "int": "kotlin.Int", "char": "kotlin.Char",
    "void": "kotlin.Unit", "boolean": "kotlin.Boolean", "byte": "kotlin.Byte", "short": "kotlin.Short",
    "long": "kotlin.Long", "float": "kotlin.Float", "double": "kotlin.Double",
}  # fmt: skip
"""Types that no import of Java names, as Kotlin knows them; others have their names there too."""

# functions

_ELEMENT: Final = frozenset((
    "first", "last", "single", "firstOrNull", "lastOrNull", "singleOrNull", "elementAt", "elementAtOrNull", "get",
    "getOrNull", "getOrElse", "random", "randomOrNull", "removeAt", "removeFirst", "removeLast", "removeFirstOrNull",
    "removeLastOrNull", "max", "min", "maxOrNull", "minOrNull", "maxBy", "minBy", "maxByOrNull", "minByOrNull",
    "maxWith", "minWith", "find", "findLast", "next", "previous", "reduce", "reduceOrNull", "poll", "peek", "pop",
    "take", "component1", "component2", "component3", "component4", "component5", "getAndSet", "getValue", "getOrThrow",
    "await", "getCompleted", "orElseThrow", "getOrDefault", "receive", "element", "pollFirst", "pollLast",
))  # fmt: skip
_SAME: Final = frozenset((
    "filter", "filterNot", "filterNotNull", "filterIndexed", "filterTo", "sorted", "sortedBy", "sortedByDescending",
    "sortedDescending", "sortedWith", "reversed", "asReversed", "distinct", "distinctBy", "take", "takeLast",
    "takeWhile", "takeLastWhile", "drop", "dropLast", "dropWhile", "dropLastWhile", "plus", "minus", "onEach",
    "shuffled", "subList", "slice", "ifEmpty", "orEmpty", "toList", "toMutableList", "toSet", "toMutableSet",
    "toHashSet", "asSequence", "asIterable", "union", "intersect", "subtract", "listIterator", "iterator",
    "toSortedSet",
    "toTypedArray", "asList", "constrainOnce", "requireNoNulls", "onEachIndexed", "sortedArray", "descendingIterator",
))  # fmt: skip
_LISTS: Final = frozenset((
    "toList", "toMutableList", "sorted", "sortedBy", "sortedByDescending", "sortedWith", "reversed", "filter",
    "filterNot", "filterNotNull", "take", "drop", "plus", "minus", "distinct", "distinctBy", "takeWhile", "dropWhile",
    "takeLast", "dropLast", "shuffled", "slice", "filterIndexed", "sortedDescending",
))  # fmt: skip
_MAPPED: Final = frozenset(("map", "mapNotNull", "mapIndexed", "mapIndexedNotNull", "runningFold", "scan"))
_SEQUENCE: Final = "kotlin.sequences.Sequence"
LIST: Final = f"{_C}List"
_MAP: Final = f"{_C}Map"
_SETS: Final = frozenset(("toSet", "toMutableSet", "toHashSet", "union", "intersect", "subtract", "toSortedSet"))
_BUILDERS: Final[dict[str, str]] = {
    "listOf": LIST, "listOfNotNull": LIST, "mutableListOf": f"{_C}MutableList", "arrayListOf": f"{_C}ArrayList",
    "setOf": f"{_C}Set", "setOfNotNull": f"{_C}Set", "mutableSetOf": f"{_C}MutableSet",
    "hashSetOf": f"{_C}HashSet", "linkedSetOf": f"{_C}LinkedHashSet", "sequenceOf": _SEQUENCE,
    "arrayOf": "kotlin.Array",
    "emptyList": LIST, "emptySet": f"{_C}Set", "emptySequence": _SEQUENCE, "emptyArray": "kotlin.Array",
    "arrayOfNulls": "kotlin.Array",
}  # fmt: skip
_MAP_BUILDERS: Final[dict[str, str]] = {
    "mapOf": _MAP, "mutableMapOf": f"{_C}MutableMap", "hashMapOf": f"{_C}HashMap", "linkedMapOf": f"{_C}LinkedHashMap",
    "emptyMap": _MAP, "sortedMapOf": f"{_C}MutableMap",
}  # fmt: skip
GIVEN: Final = frozenset(("requireNotNull", "checkNotNull", "maxOf", "minOf", "assertNotNull"))
"""Functions that give back what they are given."""
RUNNERS: Final = frozenset((
    "run", "runBlocking", "synchronized", "withContext", "coroutineScope", "supervisorScope", "withTimeout",
    "withTimeoutOrNull", "runCatching", "measureTimedValue", "runInterruptible", "lazy", "use", "let", "with",
    "withLock", "async",
))  # fmt: skip
"""Functions that give back what their block gives."""
TOP_FUNCTIONS: Final = frozenset((
    *_BUILDERS, *_MAP_BUILDERS, *GIVEN, "run", "with", "repeat", "lazy", "TODO", "error", "require", "check", "println",
    "print", "assert", "buildString", "buildList", "buildMap", "buildSet", "synchronized", "runCatching", "lazyOf",
    "compareBy", "compareByDescending", "compareValues", "compareValuesBy", "generateSequence", "sequence", "iterator",
    "byteArrayOf", "charArrayOf", "intArrayOf", "longArrayOf", "shortArrayOf", "floatArrayOf", "doubleArrayOf",
    "booleanArrayOf", "enumValues", "enumValueOf", "readLine", "readln", "readlnOrNull", "suspend", "naturalOrder",
    "reverseOrder", "nullsFirst", "nullsLast", "arrayOf", "String", "Comparator", "typeOf", "context",
    "MutableList", "List", "CharArray", "ByteArray", "IntArray",
))  # fmt: skip
TO_RECEIVER: Final = frozenset(("apply", "run", "with", "buildString", "buildList", "buildMap", "buildSet", "sequence"))
TO_ARGUMENT: Final = frozenset(("let", "also", "takeIf", "takeUnless", "use"))
SELF: Final = frozenset(("apply", "also", "takeIf", "takeUnless"))
"""Functions that give back what they are called on."""
BLOCKS: Final = frozenset(("let", "also", "apply", "run", "takeIf", "takeUnless"))
EVERYWHERE: Final = frozenset(("let", "also", "apply", "run", "takeIf", "takeUnless", "to", "use"))
"""Extensions of every type, that give back a type of ours where they take one."""
ANY_METHODS: Final = frozenset(("equals", "hashCode", "toString"))
_INDEXED: Final = frozenset((
    "mapIndexed", "forEachIndexed", "filterIndexed", "mapIndexedNotNull", "onEachIndexed", "flatMapIndexed",
))  # fmt: skip
_NO_ELEMENT: Final = frozenset((
    "getOrPut", "ifEmpty", "getOrElse", "joinToString", "fold", "foldIndexed", "foldRight", "computeIfAbsent",
    "removeIf", "compute", "computeIfPresent", "merge", "reduceIndexed", "scan", "runningFold", "zip", "sortWith",
    "sortedWith", "joinTo",
))  # fmt: skip
_TEXT_RESULTS: Final = frozenset((
    "trim", "trimIndent", "trimMargin", "lowercase", "uppercase", "substring", "substringBefore", "substringAfter",
    "substringAfterLast", "substringBeforeLast", "replace", "removePrefix", "removeSuffix", "padStart", "padEnd",
    "repeat", "trimEnd", "trimStart", "plus", "replaceFirst", "format", "ifEmpty", "ifBlank", "orEmpty", "take", "drop",
    "dropLast", "takeLast", "replaceFirstChar", "dropWhile", "takeWhile", "intern", "prependIndent", "drop", "reversed",
    "filter", "trimEnd", "capitalize", "decapitalize", "toLowerCase", "toUpperCase", "slice", "removeSurrounding",
))  # fmt: skip
_NUMBER_RESULTS: Final = {
    "toInt": "kotlin.Int", "toLong": "kotlin.Long", "toDouble": "kotlin.Double", "toFloat": "kotlin.Float",
    "toByte": "kotlin.Byte", "toShort": "kotlin.Short", "toChar": "kotlin.Char", "toString": "kotlin.String",
    "toIntOrNull": "kotlin.Int", "toLongOrNull": "kotlin.Long", "length": "kotlin.Int", "size": "kotlin.Int",
    "count": "kotlin.Int", "indexOf": "kotlin.Int", "lastIndexOf": "kotlin.Int", "hashCode": "kotlin.Int",
    "isEmpty": "kotlin.Boolean", "isNotEmpty": "kotlin.Boolean", "contains": "kotlin.Boolean",
    "startsWith": "kotlin.Boolean",
    "endsWith": "kotlin.Boolean", "isBlank": "kotlin.Boolean", "any": "kotlin.Boolean", "all": "kotlin.Boolean",
    "none": "kotlin.Boolean", "toByteArray": "kotlin.ByteArray", "joinToString": "kotlin.String",
    "equals": "kotlin.Boolean",
    "code": "kotlin.Int", "lastIndex": "kotlin.Int", "encodeToByteArray": "kotlin.ByteArray",
    "simpleName": "kotlin.String",
    "isNullOrEmpty": "kotlin.Boolean", "isNullOrBlank": "kotlin.Boolean", "toCharArray": "kotlin.CharArray",
    "message": "kotlin.String", "toRegex": "kotlin.text.Regex", "name": "kotlin.String",
    "decodeToString": "kotlin.String",
}  # fmt: skip
CONTAINER_MEMBERS: Final = frozenset((
    "add", "addAll", "addFirst", "addLast", "clear", "contains", "containsAll", "containsKey", "containsValue", "get",
    "getOrDefault", "getOrPut", "indexOf", "isEmpty", "iterator", "lastIndexOf", "listIterator", "put", "putAll",
    "putIfAbsent", "remove", "removeAll", "removeAt", "removeFirst", "removeIf", "removeLast", "replaceAll",
    "retainAll", "set", "sort", "subList",
))  # fmt: skip
"""Functions that containers of the library have, or that it extends all of them with."""
NUMBERS: Final = frozenset(("kotlin.Int", "kotlin.Long", "kotlin.UInt", "kotlin.ULong"))
NUMBER_METHODS: Final = frozenset((
    "and", "or", "xor", "inv", "shl", "shr", "ushr", "plus", "minus", "times", "div", "rem", "compareTo", "inc", "dec",
    "toInt", "toLong", "toByte", "toShort", "toDouble", "toFloat", "toChar", "toString", "hashCode", "equals",
))  # fmt: skip
_BITS: Final = frozenset(("and", "or", "xor", "inv", "shl", "shr", "ushr", "inc", "dec"))
_ARITHMETIC: Final = frozenset(("plus", "minus", "times", "div", "rem"))


def last_name(dotted: str) -> str:
    """The name of a class without its package."""
    return dotted.rpartition(".")[2]


def is_map(holder: Outside) -> bool:
    """Whether something outside holds values by keys."""
    return last_name(holder.dotted).endswith("Map") and len(holder.arguments) == 2


def is_container(holder: Outside) -> bool:
    """Whether something outside holds values of one type."""
    return len(holder.arguments) == 1


def has_member(holder: Outside, name: str) -> bool:
    """Whether a container of the library has a function of a name."""
    return name in CONTAINER_MEMBERS and holder.dotted.startswith((_C, "java.util."))


def member_type(holder: Outside, name: str) -> Value | None:
    """The type of a property of something outside; None: not known."""
    given, kind = holder.arguments, last_name(holder.dotted)
    if is_map(holder):
        if name == "keys":
            return Outside(f"{_C}Set", (given[0],))
        if name == "values":
            return Outside(f"{_C}Collection", (given[1],))
        if name == "entries":
            return Outside(f"{_C}Set", (Outside(f"{_C}Map.Entry", given),))
    if len(given) == 2:
        at = {"key": 0, "value": 1, "first": 0, "second": 1}.get(name, -1)
        return given[at] if at >= 0 and kind in ("Entry", "MutableEntry", "Pair") else None
    if len(given) == 1 and name == "value":
        return given[0]
    if len(given) == 1 and name == "indices":
        return Outside("kotlin.ranges.IntRange", (Outside("kotlin.Int"),))
    return Outside(_NUMBER_RESULTS[name]) if name in _NUMBER_RESULTS and name not in ("name", "message") else None


_ELEMENTS: Final = frozenset([*_NUMBERS, "kotlin.Char", "kotlin.Boolean"])


def given_back(holder: Outside, name: str, selected: Value | None) -> Value | None:
    """What a function of the library gives back. `selected`: what its last lambda gives; None: not known."""
    given, kind = holder.arguments, last_name(holder.dotted)
    if name in _ARITHMETIC and holder.dotted in RANKS:
        return holder
    if name in _BITS and holder.dotted in NUMBERS:
        return holder
    if holder.dotted == "kotlin.String" and name in _TEXT_RESULTS:
        return holder
    if holder.dotted == "kotlin.String" and name in ("split", "lines", "chunked"):
        return Outside(LIST, (holder,))
    if name in ("rangeTo", "until", "downTo", "rangeUntil", "step") and holder.dotted in (
        "kotlin.Int",
        "kotlin.ranges.IntRange",
    ):
        return Outside("kotlin.ranges.IntRange", (Outside("kotlin.Int"),))
    if is_map(holder):
        return _of_map(holder, name, selected)
    if len(given) == 2:
        at = {"component1": 0, "component2": 1}.get(name, -1)
        return given[at] if at >= 0 and kind in ("Entry", "MutableEntry", "Pair") else None
    element = element_of_array(holder)
    if element is not None:
        found = _of_container(Outside(holder.dotted, (element,)), name, selected)
        return holder if found == Outside(holder.dotted, (element,)) else found
    if len(given) == 1:
        found = _of_container(holder, name, selected)
        if found is not None:
            return found
    return Outside(_NUMBER_RESULTS[name]) if name in _NUMBER_RESULTS and name != "name" else None


def element_of_array(value: Outside) -> Outside | None:
    """What an array of numbers, characters or truths holds: `kotlin.Byte` of `kotlin.ByteArray`."""
    element = value.dotted.removesuffix("Array")
    return Outside(element) if element != value.dotted and element in _ELEMENTS else None


def _of_map(holder: Outside, name: str, selected: Value | None) -> Value | None:
    key, value = holder.arguments
    entry = Outside(f"{_C}Map.Entry", holder.arguments)
    if name in ("get", "getValue", "getOrPut", "getOrDefault", "getOrElse", "remove", "put", "computeIfAbsent",
                "putIfAbsent", "replace", "merge", "compute", "computeIfPresent"):  # fmt: skip
        return value
    if name in ("filter", "filterKeys", "filterValues", "filterNot", "toMap", "toMutableMap", "plus", "minus",
        "orEmpty",
                "toSortedMap", "onEach"):  # fmt: skip
        return holder
    if name in ("mapValues", "mapKeys") and selected is not None:
        return Outside(_MAP, (key, selected) if name == "mapValues" else (selected, value))
    if name in _MAPPED:
        return Outside(LIST, (selected,)) if selected is not None else None
    if name in ("first", "find", "firstOrNull", "maxByOrNull", "minByOrNull", "maxBy", "minBy", "last", "next"):
        return entry
    if name == "toList":
        return Outside(LIST, (Outside("kotlin.Pair", holder.arguments),))
    if name in ("asSequence", "iterator", "asIterable"):
        return Outside(_SEQUENCE, (entry,))
    return None


_LISTED_RESULTS: Final[dict[str, str]] = {
    **dict.fromkeys(_SETS, f"{_C}Set"), "asSequence": _SEQUENCE, "toList": LIST, "asList": LIST,
    "toMutableList": f"{_C}MutableList",
    "toTypedArray": "kotlin.Array",
}  # fmt: skip


def _of_container(holder: Outside, name: str, selected: Value | None) -> Value | None:
    item = holder.arguments[0]
    listed = _SEQUENCE if holder.dotted == _SEQUENCE else LIST
    if name in _MAPPED:
        return Outside(listed, (selected,)) if selected is not None else None
    if name in ("flatMap", "flatMapIndexed", "flatten"):
        inside = item if name == "flatten" else selected
        inner = inside.arguments if isinstance(inside, Outside) else ()
        return Outside(listed, inner) if len(inner) == 1 else None
    keyed = _keyed(item, name, selected)
    if keyed is not None:
        return keyed
    if name == "partition":
        return Outside("kotlin.Pair", (Outside(LIST, (item,)), Outside(LIST, (item,))))
    if name == "withIndex":
        return Outside(listed, (Outside("kotlin.Pair", (Outside("kotlin.Int"), item)),))
    if name in ("chunked", "windowed"):
        return Outside(listed, (Outside(LIST, (item,)),))
    made = _LISTED_RESULTS.get(name) or (listed if name in _LISTS else None)
    if made is not None:
        return Outside(made, (item,))
    if name in _SAME and not (name == "take" and last_name(holder.dotted).endswith("Queue")):
        return holder
    return item if name in _ELEMENT else None


def _keyed(item: Value | None, name: str, selected: Value | None) -> Value | None:
    """Maps that are made of a container."""
    if name == "groupBy":
        return Outside(_MAP, (selected, Outside(LIST, (item,))))
    if name == "associateBy":
        return Outside(_MAP, (selected, item))
    if name == "associateWith":
        return Outside(_MAP, (item, selected))
    if name in ("associate", "toMap", "toMutableMap"):
        pair = selected if name == "associate" else item
        return Outside(_MAP, pair.arguments) if isinstance(pair, Outside) and len(pair.arguments) == 2 else None
    return None


def built(name: str, arguments: Sequence[Value | None], written: Sequence[Value | None]) -> Value | None:
    """What a function of the library without a receiver gives back."""
    kind = _BUILDERS.get(name)
    if kind is not None:
        if written:
            return Outside(kind, (written[0],))
        known = [one for one in arguments if one is not None]
        return Outside(kind, (known[0] if known and len(known) == len(arguments) else None,))
    kind = _MAP_BUILDERS.get(name)
    if kind is not None:
        if len(written) == 2:
            return Outside(kind, tuple(written))
        first = arguments[0] if arguments else None
        pair = first.arguments if isinstance(first, Outside) else ()
        return Outside(kind, pair) if len(pair) == 2 else None
    if name in GIVEN:
        return arguments[0] if arguments else None
    if name == "buildString":
        return Outside("kotlin.String")
    if name in ("buildList", "buildSet"):
        return Outside(LIST if name == "buildList" else f"{_C}Set", (written[0],)) if written else None
    if name == "generateSequence":
        return Outside(_SEQUENCE, (arguments[0],)) if arguments and arguments[0] is not None else None
    return None


def block_receiver(name: str, written: Sequence[Value | None]) -> Value | None:
    """What the block of a function without a receiver is called on."""
    if name == "buildString":
        return Outside("kotlin.text.StringBuilder")
    if name in ("buildList", "buildSet") and written:
        return Outside(f"{_C}MutableList", (written[0],))
    if name == "buildMap" and len(written) == 2:
        return Outside(f"{_C}MutableMap", tuple(written))
    if name in ("buildList", "buildSet", "buildMap", "sequence"):
        return Outside(f"{_C}MutableList")
    return None


def handed_out(holder: Outside, name: str, count: int) -> tuple[Value | None, ...] | None:
    """What a function of a container hands to its block; None: not known."""
    given = holder.arguments
    first = given[0] if given else None
    if name in _NO_ELEMENT:
        if len(given) == 1 and name in ("fold", "foldRight"):
            return None, first
        if len(given) == 1 and name in ("sortWith", "sortedWith"):
            return first, first
        return (first,) if given and name in ("computeIfAbsent", "removeIf") else None
    if is_map(holder):
        if count == 2:
            return given
        if name in ("filterKeys", "filterValues"):
            return (given[name == "filterValues"],)
        return (Outside(f"{_C}Map.Entry", given),)
    if len(given) != 1:
        return None
    if name in _INDEXED:
        return Outside("kotlin.Int"), first
    if name in ("reduce", "reduceOrNull"):
        return first, first
    return (first,) * max(count, 1)


FUNCTION: Final = "fun"
RECEIVER: Final = "fun."


def function_parts(value: Value | None) -> tuple[Value | None, tuple[Value | None, ...], Value | None, bool] | None:
    """Receiver, parameters and result of the type of a function; whether it has a receiver."""
    if not isinstance(value, Composite) or value.constructor not in (FUNCTION, RECEIVER) or not value.parts:
        return None
    parts = list(value.parts)
    result = parts.pop()
    if value.constructor == RECEIVER and parts:
        return parts[0], tuple(parts[1:]), result, True
    return None, tuple(parts), result, False
