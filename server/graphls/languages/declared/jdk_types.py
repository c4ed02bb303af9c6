"""JDK types: interfaces and classes of the JDK that code implements, with all their members, for every language that
runs on its machine.

Owns: these lists.
Must not know: who asks.
Invariant: a list is whole; what serialization looks up by its name counts as declared.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.known_members import known_members

_THROWABLE: Final = (
    "getMessage getLocalizedMessage getCause initCause toString printStackTrace fillInStackTrace getStackTrace "
    "setStackTrace addSuppressed getSuppressed equals hashCode getClass notify notifyAll wait clone finalize "
    "message cause stackTrace suppressedExceptions localizedMessage"
)
_SERIAL: Final = (
    "serialVersionUID serialPersistentFields readObject readObjectNoData writeObject readResolve writeReplace"
)
JDK_MEMBERS: Final = known_members(
    ("java", "kotlin"),
    {
        "Runnable": "run",
        "Callable": "call",
        "Comparable": "compareTo",
        "Serializable": _SERIAL,
        "Cloneable": "clone",
        "AutoCloseable": "close",
        "Closeable": "close",
        "Iterable": "iterator forEach spliterator",
        "Iterator": "hasNext next remove forEachRemaining",
        "Function": "apply compose andThen identity",
        "UnaryOperator": "apply compose andThen identity",
        "BiFunction": "apply andThen",
        "BinaryOperator": "apply andThen minBy maxBy",
        "Supplier": "get",
        "BooleanSupplier": "getAsBoolean",
        "Consumer": "accept andThen",
        "BiConsumer": "accept andThen",
        "Predicate": "test and or negate isEqual not",
        "BiPredicate": "test and or negate",
        "Executor": "execute",
        "ThreadFactory": "newThread",
        "InvocationHandler": "invoke invokeDefault",
        **dict.fromkeys(
            (
                "Throwable", "Exception", "Error", "RuntimeException", "IllegalArgumentException",
                "IllegalStateException", "UnsupportedOperationException", "IOException",
            ),
            f"{_THROWABLE} {_SERIAL}",
        ),
    },
)  # fmt: skip
