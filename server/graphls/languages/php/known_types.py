"""Known types: interfaces and classes of PHP itself that code implements, with all their members.

Owns: these lists.
Must not know: who asks.
Invariant: a list is whole.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.known_members import known_members

_THROWABLE: Final = (
    "message code file line previous string trace getMessage getPrevious getCode getFile getLine getTrace "
    "getTraceAsString __toString __construct __clone __wakeup"
)
KNOWN_MEMBERS: Final = known_members(
    ("",),
    {
        "ArrayAccess": "offsetExists offsetGet offsetSet offsetUnset",
        "Countable": "count",
        "Iterator": "current key next rewind valid",
        "IteratorAggregate": "getIterator",
        "JsonSerializable": "jsonSerialize",
        "Serializable": "serialize unserialize __serialize __unserialize",
        "Stringable": "__toString",
        "Traversable": "",
        "UnitEnum": "cases name",
        "BackedEnum": "cases from tryFrom name value",
        **dict.fromkeys(
            (
                "Throwable", "Exception", "Error", "TypeError", "ValueError", "RuntimeException", "LogicException",
                "InvalidArgumentException", "DomainException", "OutOfBoundsException", "UnexpectedValueException",
            ),
            _THROWABLE,
        ),
    },
)  # fmt: skip
