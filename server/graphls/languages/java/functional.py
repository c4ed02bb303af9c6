"""Functional: which methods of Java's library are called on functions, and which call what they are given.

Owns: their names.
Must not know: the workspace, what holds a function.
Invariant: what only stores a function, or may, is not listed.
"""

from __future__ import annotations

from typing import Final

_FUNCTION: Final = "java.util.function."
_METHODS: Final = frozenset(("apply", "accept", "test", "get"))
"""The one method of an interface of `java.util.function` is one of these, or one of them with a type: `applyAsInt`."""
_TYPED: Final = ("applyAs", "getAs")
_ALONE: Final = frozenset((
    "java.lang.Runnable.run", "java.util.concurrent.Callable.call", "java.util.Comparator.compare",
    "java.lang.AutoCloseable.close", "java.io.Closeable.close", "java.lang.Comparable.compareTo",
    "java.io.FileFilter.accept", "java.io.FilenameFilter.accept", "java.util.concurrent.ThreadFactory.newThread",
    "java.security.PrivilegedAction.run", "java.security.PrivilegedExceptionAction.run",
    "java.lang.Thread.UncaughtExceptionHandler.uncaughtException", "java.lang.Iterable.iterator",
    "java.lang.reflect.InvocationHandler.invoke", "java.beans.PropertyChangeListener.propertyChange",
    "java.awt.event.ActionListener.actionPerformed",
))  # fmt: skip
_CALLING: Final = (
    "java.util.stream.", "java.util.Optional.", "java.util.OptionalInt.", "java.util.OptionalLong.",
    "java.util.OptionalDouble.", "java.util.concurrent.Executor.", "java.util.concurrent.ExecutorService.",
    "java.util.concurrent.ScheduledExecutorService.", "java.util.concurrent.ThreadPoolExecutor.",
    "java.util.concurrent.ScheduledThreadPoolExecutor.", "java.util.concurrent.ForkJoinPool.",
    "java.util.concurrent.CompletableFuture.", "java.util.concurrent.CompletionStage.",
    "java.security.AccessController.doPrivileged",
)  # fmt: skip
_CALLING_NAMES: Final = frozenset((
    "forEach", "removeIf", "replaceAll", "sort", "compute", "computeIfAbsent", "computeIfPresent", "merge",
    "forEachRemaining", "updateAndGet", "getAndUpdate", "accumulateAndGet", "getAndAccumulate", "setAll",
    "ifPresent", "withInitial", "invokeLater", "invokeAndWait",
))  # fmt: skip
_STORING: Final = frozenset((
    "of", "ofNullable", "orElse", "complete", "completedFuture", "completedStage", "completeExceptionally",
    "failedFuture", "obtrudeValue", "concat", "add", "setThreadFactory", "setRejectedExecutionHandler",
))  # fmt: skip
_STARTED: Final = frozenset(("java.lang.Thread", "java.lang.Thread.ofVirtual", "java.util.concurrent.FutureTask"))
"""Classes whose objects run what their constructor is given."""


def is_functional(dotted: str) -> bool:
    """Whether it is the one method of a functional interface."""
    if dotted in _ALONE:
        return True
    name = dotted.rpartition(".")[2]
    return dotted.startswith(_FUNCTION) and (name in _METHODS or name.startswith(_TYPED))


def calls_given(dotted: str) -> bool:
    """Whether it calls the functions that it is given."""
    name = dotted.rpartition(".")[2]
    if dotted.startswith(_CALLING) or dotted in _STARTED:
        return name not in _STORING
    return dotted.startswith("java.") and name in _CALLING_NAMES
