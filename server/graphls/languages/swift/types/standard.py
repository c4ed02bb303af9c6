"""Standard: what the library of Swift brings, as far as types of the workspace pass through it.

Owns: names of its types and functions, which of its types are above others, what its containers give and hand out.
Must not know: files, names, how anything is found.
Invariant: what is not listed here is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.languages.declared.values import Composite, Outside, Value
from graphls.languages.swift.syntax.types import ARRAY, DICTIONARY, FUNCTION_TYPE, OPTIONAL, TUPLE_TYPE

SET: Final = "Swift.Set"
STRING: Final = "Swift.String"
INT: Final = "Swift.Int"
BOOL: Final = "Swift.Bool"
DOUBLE: Final = "Swift.Double"
RANGE: Final = "Swift.Range"
ANY: Final = "Swift.Any"
RESULT: Final = "Swift.Result"
_INTEGERS: Final = (
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Int128", "UInt128",
)  # fmt: skip
_FLOATS: Final = ("Double", "Float", "Float16", "Float80", "CGFloat")
NUMBERS: Final = frozenset(f"Swift.{name}" for name in (*_INTEGERS, *_FLOATS))
_PROTOCOLS: Final = frozenset((
    "Sequence", "Collection", "BidirectionalCollection", "RandomAccessCollection", "MutableCollection",
    "RangeReplaceableCollection", "LazySequenceProtocol", "LazyCollectionProtocol", "IteratorProtocol", "SetAlgebra",
    "Equatable", "Hashable", "Comparable", "Identifiable", "CaseIterable", "RawRepresentable", "Codable", "Encodable",
    "Decodable", "CodingKey", "Error", "Sendable", "AnyObject", "CustomStringConvertible",
    "CustomDebugStringConvertible", "CustomReflectable", "TextOutputStream", "TextOutputStreamable",
    "ExpressibleByArrayLiteral", "ExpressibleByDictionaryLiteral", "ExpressibleByStringLiteral",
    "ExpressibleByIntegerLiteral", "ExpressibleByFloatLiteral", "ExpressibleByBooleanLiteral",
    "ExpressibleByNilLiteral", "ExpressibleByStringInterpolation", "ExpressibleByUnicodeScalarLiteral",
    "ExpressibleByExtendedGraphemeClusterLiteral", "StringProtocol", "BinaryInteger", "FixedWidthInteger",
    "SignedInteger", "UnsignedInteger", "FloatingPoint", "BinaryFloatingPoint", "Numeric", "SignedNumeric",
    "AdditiveArithmetic", "Strideable", "RangeExpression", "LosslessStringConvertible", "Encoder", "Decoder",
    "KeyedEncodingContainerProtocol", "KeyedDecodingContainerProtocol", "UnkeyedEncodingContainer",
    "UnkeyedDecodingContainer", "SingleValueEncodingContainer", "SingleValueDecodingContainer", "Actor",
    "AsyncSequence", "AsyncIteratorProtocol", "Executor", "SerialExecutor", "RandomNumberGenerator", "Copyable",
    "Escapable", "BitwiseCopyable", "Clock", "InstantProtocol", "DurationProtocol", "RegexComponent", "CVarArg",
    "MirrorPath", "UnicodeCodec", "CodingKeyRepresentable",
))  # fmt: skip
_NAMES: Final = (
    *_INTEGERS, *_FLOATS, "Bool", "String", "Character", "Substring", "Unicode", "StaticString", "Array", "Set",
    "Dictionary", "Optional", "Result", "Range", "ClosedRange", "PartialRangeFrom", "PartialRangeUpTo",
    "PartialRangeThrough", "ArraySlice", "ContiguousArray", "Slice", "KeyPath", "WritableKeyPath", "PartialKeyPath",
    "ReferenceWritableKeyPath", "AnyKeyPath", "AnyHashable", "AnySequence", "AnyCollection", "AnyIterator", "Void",
    "Never", "Any", "AnyClass", "Hasher", "Mirror", "ObjectIdentifier", "UnsafePointer", "UnsafeMutablePointer",
    "UnsafeRawPointer", "UnsafeMutableRawPointer", "UnsafeBufferPointer", "UnsafeMutableBufferPointer",
    "UnsafeRawBufferPointer", "UnsafeMutableRawBufferPointer", "OpaquePointer", "ManagedBuffer",
    "ManagedBufferPointer", "Unmanaged", "CommandLine", "KeyValuePairs", "Repeated", "LazySequence", "LazyCollection",
    "LazyMapSequence", "LazyFilterSequence", "LazyMapCollection", "EnumeratedSequence", "ReversedCollection",
    "Zip2Sequence", "IndexingIterator", "DefaultIndices", "FlattenSequence", "JoinedSequence", "StrideTo",
    "StrideThrough", "UnfoldSequence", "DecodingError", "EncodingError", "CodingUserInfoKey", "KeyedEncodingContainer",
    "KeyedDecodingContainer", "Task", "TaskGroup", "ThrowingTaskGroup", "TaskPriority", "MainActor", "AsyncStream",
    "AsyncThrowingStream", "CheckedContinuation", "UnsafeContinuation", "CancellationError", "TaskLocal", "Duration",
    "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator", "CollectionDifference", "Regex", "Span",
    "RawSpan", "InlineArray", "MutableSpan", "OutputSpan", "CChar", "CInt", "CLong", "CUnsignedInt", "CUnsignedChar",
    "Int128", "DiscontiguousSlice", "RangeSet", "FloatingPointSign", "FloatingPointRoundingRule", "UnboundedRange",
    "StringInterpolationProtocol", "DefaultStringInterpolation", "CollectionOfOne", "EmptyCollection",
)  # fmt: skip
TYPES: Final = {name: f"Swift.{name}" for name in (*_NAMES, *_PROTOCOLS)}
_SEQ: Final = ("Sequence",)
_COLL: Final = ("Collection", "Sequence")
_BI: Final = ("BidirectionalCollection", *_COLL)
_RANDOM: Final = ("RandomAccessCollection", *_BI)
_LISTED: Final = ("MutableCollection", "RangeReplaceableCollection", *_RANDOM)
_BASIC: Final = ("Hashable", "Equatable", "Comparable", "Sendable", "Codable", "Encodable", "Decodable",
                 "CustomStringConvertible")  # fmt: skip
_NUMERIC: Final = ("Numeric", "AdditiveArithmetic", "Strideable", *_BASIC)
_ABOVE: Final[dict[str, tuple[str, ...]]] = {
    "Array": (*_LISTED, "ExpressibleByArrayLiteral", *_BASIC),
    "ArraySlice": (*_LISTED, *_BASIC), "ContiguousArray": (*_LISTED, *_BASIC), "Slice": _COLL,
    "Set": ("SetAlgebra", *_COLL, *_BASIC), "Dictionary": (*_COLL, *_BASIC),
    "String": ("StringProtocol", "RangeReplaceableCollection", *_BI, "LosslessStringConvertible", "TextOutputStream",
               "ExpressibleByStringLiteral", "CodingKeyRepresentable", *_BASIC),
    "Substring": ("StringProtocol", "RangeReplaceableCollection", *_BI, *_BASIC),
    "StringProtocol": (*_BI, *_BASIC), "Character": _BASIC, "Bool": _BASIC,
    "Range": (*_RANDOM, "RangeExpression", *_BASIC), "ClosedRange": (*_RANDOM, "RangeExpression", *_BASIC),
    "PartialRangeFrom": ("RangeExpression", "Sequence"), "Optional": _BASIC,
    "Collection": _SEQ, "BidirectionalCollection": _COLL, "RandomAccessCollection": _BI, "MutableCollection": _COLL,
    "RangeReplaceableCollection": _COLL, "LazySequenceProtocol": _SEQ,
    "LazyCollectionProtocol": ("LazySequenceProtocol", *_COLL), "AnySequence": _SEQ, "AnyCollection": _COLL,
    "Hashable": ("Equatable",), "Comparable": ("Equatable",), "Strideable": ("Comparable", "Equatable"),
    "BinaryInteger": ("Numeric", "AdditiveArithmetic", "Strideable", "Comparable", "Hashable", "Equatable"),
    "FixedWidthInteger": ("BinaryInteger", "Numeric", "AdditiveArithmetic", "Comparable", "Hashable", "Equatable"),
    "Codable": ("Encodable", "Decodable"), "EnumeratedSequence": _SEQ, "Zip2Sequence": _SEQ,
    "ReversedCollection": _COLL, "KeyValuePairs": _RANDOM, "AnyIterator": ("IteratorProtocol", "Sequence"),
    "LazySequence": ("LazySequenceProtocol", "Sequence"),
    "LazyCollection": ("LazyCollectionProtocol", "LazySequenceProtocol", *_COLL), "UnsafeBufferPointer": _RANDOM,
    "UnsafeMutableBufferPointer": ("MutableCollection", *_RANDOM), "UnsafeRawBufferPointer": _RANDOM,
    **dict.fromkeys(_INTEGERS, ("FixedWidthInteger", "BinaryInteger", *_NUMERIC)),
    **dict.fromkeys(_FLOATS, ("BinaryFloatingPoint", "FloatingPoint", *_NUMERIC)),
}  # fmt: skip
CLOSED: Final = frozenset(f"Swift.{name}" for name in (
    *_INTEGERS, *_FLOATS, "Bool", "String", "Character", "Array", "Set", "Dictionary", "Substring", "Range",
))  # fmt: skip
"""Types of which all protocols are listed."""
FUNCTIONS: Final = frozenset((
    "print", "debugPrint", "fatalError", "precondition", "preconditionFailure", "assert", "assertionFailure", "min",
    "max", "abs", "zip", "stride", "type", "swap", "withUnsafePointer", "withUnsafeBytes", "withUnsafeMutablePointer",
    "unsafeBitCast", "unsafeDowncast", "repeatElement", "sequence", "dump", "readLine", "isKnownUniquelyReferenced",
    "withExtendedLifetime", "numericCast", "withTaskGroup", "withThrowingTaskGroup", "withCheckedContinuation",
    "withCheckedThrowingContinuation", "defer", "withUnsafeMutableBytes", "withTaskCancellationHandler", "pow", "sqrt",
))  # fmt: skip
COMPARING: Final = frozenset((
    "XCTAssertEqual", "XCTAssertNotEqual", "XCTAssertLessThan", "XCTAssertGreaterThan", "XCTAssertLessThanOrEqual",
    "XCTAssertGreaterThanOrEqual", "XCTAssertIdentical", "min", "max", "swap", "expectEqual", "XCTAssertNoDifference",
))  # fmt: skip
"""Functions whose first two arguments have one type."""
TAKING_ELEMENT: Final = frozenset(("contains", "append", "insert", "firstIndex", "lastIndex", "remove", "update"))
"""Functions of containers whose first argument is one of what they hold."""
_SAME: Final = frozenset((
    "filter", "sorted", "reversed", "dropFirst", "dropLast", "prefix", "suffix", "drop", "shuffled", "lazy", "union",
    "intersection", "subtracting", "symmetricDifference",
))  # fmt: skip
_ELEMENT: Final = frozenset(("first", "last", "min", "max", "randomElement", "popLast", "popFirst", "next"))
"""What may be none of the elements."""
_REMOVED: Final = frozenset(("removeFirst", "removeLast", "remove"))
_MAPPED: Final = frozenset(("map", "compactMap", "flatMap"))
_NUMBERED: Final = {
    "count": INT, "isEmpty": BOOL, "hashValue": INT, "contains": BOOL, "allSatisfy": BOOL, "starts": BOOL,
    "hasPrefix": BOOL, "hasSuffix": BOOL, "description": STRING, "joined": STRING, "lowercased": STRING,
    "uppercased": STRING, "debugDescription": STRING, "capacity": INT, "elementsEqual": BOOL,
}  # fmt: skip
_TAKES_ELEMENT: Final = frozenset((
    "map", "compactMap", "flatMap", "forEach", "filter", "contains", "first", "last", "allSatisfy", "firstIndex",
    "lastIndex", "drop", "prefix", "removeAll", "partition", "split", "firstRange", "count", "mapValues", "reversed",
    "compactMapValues", "trimmingPrefix", "suffix", "filterValues",
))  # fmt: skip
_TAKES_TWO: Final = frozenset(("sort", "sorted", "min", "max", "elementsEqual", "isBidirectional"))
_TEXTS: Final = frozenset((STRING, "Swift.Substring"))


def last_name(dotted: str) -> str:
    """A name without its module."""
    return dotted.rpartition(".")[2]


def protocols_of(dotted: str) -> tuple[str, ...]:
    """The protocols of the library above a type."""
    return _ABOVE.get(last_name(dotted), ())


def is_protocol(dotted: str) -> bool:
    """Whether a type outside is a protocol of the library."""
    return last_name(dotted) in _PROTOCOLS


def optional(value: Value | None) -> Value | None:
    """An optional of a type."""
    return Outside(OPTIONAL, (value,))


def unwrapped(value: Value | None) -> Value | None:
    """What an optional holds; anything else is itself."""
    while isinstance(value, Outside) and value.dotted == OPTIONAL:
        value = value.arguments[0] if value.arguments else None
    return value


def unwrapped_once(value: Value | None) -> Value | None:
    """What an optional holds."""
    if isinstance(value, Outside) and value.dotted == OPTIONAL:
        return value.arguments[0] if value.arguments else None
    return value


def tuple_of(parts: Sequence[Value | None], names: Sequence[str]) -> Value:
    """A tuple."""
    return Composite(TUPLE_TYPE + ",".join(names), tuple(parts))


def element_of(value: Value | None) -> Value | None:
    """What a container of the library holds; None: not known."""
    if not isinstance(value, Outside):
        return None
    kind = last_name(value.dotted)
    if value.dotted == DICTIONARY and len(value.arguments) == 2:
        return tuple_of(value.arguments, ("key", "value"))
    if value.dotted in _TEXTS:
        return Outside("Swift.Character")
    if kind in ("Range", "ClosedRange"):
        return value.arguments[0] if value.arguments else Outside(INT)
    if value.dotted == OPTIONAL:
        return None
    return value.arguments[0] if len(value.arguments) == 1 else None


def member_type(holder: Outside, name: str) -> Value | None:
    """The type of a property of something outside; None: not known."""
    given = holder.arguments
    if holder.dotted == DICTIONARY and len(given) == 2:
        if name in ("keys", "values"):
            return Outside(ARRAY, (given[name == "values"],))
        if name == "first":
            return optional(element_of(holder))
    element = element_of(holder)
    if element is not None:
        if name in ("first", "last"):
            return optional(element)
        if name == "lazy":
            return holder
        if name in ("startIndex", "endIndex") and holder.dotted == ARRAY:
            return Outside(INT)
        if name == "indices":
            return Outside(RANGE, (Outside(INT),))
    known = _NUMBERED.get(name)
    return Outside(known) if known is not None and (element is not None or holder.dotted in CLOSED) else None


def payload(holder: Outside, name: str) -> Value | None:
    """A case of an enum of the library with a value, as what makes it: `success`, `failure`, `some`."""
    at = {"success": 0, "failure": 1}.get(name, -1) if holder.dotted == RESULT else 0 if name == "some" else -1
    if at < 0 or at >= len(holder.arguments) or holder.dotted not in (RESULT, OPTIONAL):
        return None
    return Composite(f"{FUNCTION_TYPE}_", (holder.arguments[at], holder))


def given_back(holder: Outside, name: str, selected: Value | None) -> Value | None:
    """What a function of the library gives back. `selected`: what its closure gives; None: not known."""
    element = element_of(holder)
    if holder.dotted == RESULT and len(holder.arguments) == 2:
        return holder.arguments[0] if name == "get" else None
    if holder.dotted == OPTIONAL:
        if name == "map":
            return optional(selected) if selected is not None else None
        return selected if name == "flatMap" else None
    if holder.dotted == DICTIONARY and len(holder.arguments) == 2:
        made = _of_dictionary(holder, name, selected)
        if made is not None:
            return made
    if element is None:
        known = _NUMBERED.get(name)
        return Outside(known) if known is not None and holder.dotted in CLOSED else None
    return _of_container(holder, element, name, selected)


def _of_container(holder: Outside, element: Value, name: str, selected: Value | None) -> Value | None:
    if name in _MAPPED:
        return _mapped(name, selected)
    if name in ("firstIndex", "lastIndex") and holder.dotted == ARRAY:
        return optional(Outside(INT))
    if name in ("enumerated", "indexed"):
        return Outside(ARRAY, (tuple_of((Outside(INT), element), ("offset", "element")),))
    if name in _ELEMENT:
        return optional(element)
    if name in _REMOVED and holder.dotted in (ARRAY, "Swift.ArraySlice"):
        return element
    if name in _SAME:
        return Outside(ARRAY, (element,)) if holder.dotted == DICTIONARY or holder.dotted in _TEXTS else holder
    if name == "split":
        return Outside(ARRAY, (holder,))
    known = _NUMBERED.get(name)
    return Outside(known) if known is not None and not (name == "joined" and element != Outside(STRING)) else None


def _of_dictionary(holder: Outside, name: str, selected: Value | None) -> Value | None:
    if name in ("mapValues", "compactMapValues"):
        chosen = unwrapped_once(selected) if name == "compactMapValues" else selected
        return Outside(DICTIONARY, (holder.arguments[0], chosen)) if selected is not None else None
    if name in ("filter", "merging"):
        return holder
    return optional(holder.arguments[1]) if name in ("removeValue", "updateValue") else None


def _mapped(name: str, selected: Value | None) -> Value | None:
    if selected is None:
        return None
    if name == "map":
        return Outside(ARRAY, (selected,))
    if name == "compactMap":
        return Outside(ARRAY, (unwrapped_once(selected),))
    inner = element_of(selected)
    return Outside(ARRAY, (inner,)) if inner is not None else None


def handed_out(holder: Outside, name: str, count: int) -> tuple[Value | None, ...] | None:
    """What a function of a container hands to its closure; None: not known."""
    if holder.dotted == OPTIONAL:
        return holder.arguments if name in ("map", "flatMap") else None
    if holder.dotted == DICTIONARY and len(holder.arguments) == 2 and name in ("mapValues", "compactMapValues"):
        return (holder.arguments[1],)
    element = element_of(holder)
    if element is None:
        return None
    if name in _TAKES_TWO:
        return element, element
    if name == "reduce":
        return None, element
    if name not in _TAKES_ELEMENT:
        return None
    if count > 1 and isinstance(element, Composite) and element.constructor.startswith(TUPLE_TYPE):
        return element.parts
    return (element,)


def function_parts(value: Value | None) -> tuple[tuple[Value | None, ...], Value | None, tuple[str, ...]] | None:
    """Parameters, result and names of arguments of the type of a function."""
    value = unwrapped(value)
    if not isinstance(value, Composite) or not value.constructor.startswith(FUNCTION_TYPE) or not value.parts:
        return None
    names = tuple(one for one in value.constructor[len(FUNCTION_TYPE) :].split(",") if one)
    return value.parts[:-1], value.parts[-1], names
