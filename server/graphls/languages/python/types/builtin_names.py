"""Builtin names: what every module sees without importing it.

Owns: the names of the `builtins` module, containers and their elements.
Must not know: the interpreter that runs graphls; the list is written down.
Invariant: a name is here only if every supported Python version, or a newer one, has it.
"""

from __future__ import annotations

from typing import Final

_NAMES: Final = """
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception
ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError
ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning
StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True
TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError __build_class__ __debug__
__import__ abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile
complex delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr
hash help hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct
open ord pow print property quit range repr reveal_type reversed round set setattr slice sorted staticmethod
str sum super tuple type vars zip
__name__ __file__ __doc__ __package__ __spec__ __path__ __loader__ __builtins__ __dict__ __annotations__ __class__
"""

BUILTIN_NAMES: Final = frozenset(_NAMES.split())

HARMLESS_BASES: Final = frozenset(
    {
        "builtins.object",
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Generic",
        "typing_extensions.Protocol",
        "abc.ABC",
    }
)
"""External bases without members that code calls by name."""

CLASSES_OF_FORMS: Final = {
    "typing.TypedDict": "typing._TypedDict",
    "typing_extensions.TypedDict": "typing_extensions._TypedDict",
    "mypy_extensions.TypedDict": "mypy_extensions._TypedDict",
}
"""Names that classes give as their base -> the class with the members that they get by it."""

TYPED_DICTS: Final = frozenset(CLASSES_OF_FORMS) | frozenset(CLASSES_OF_FORMS.values())

MAPPINGS: Final = frozenset(
    {
        "builtins.dict",
        "typing.Mapping",
        "typing.MutableMapping",
        "typing.Dict",
        "typing.DefaultDict",
        "typing.OrderedDict",
        "typing.ChainMap",
        "collections.abc.Mapping",
        "collections.abc.MutableMapping",
        "collections.defaultdict",
        "collections.OrderedDict",
        "collections.ChainMap",
        "collections.Counter",
        "types.MappingProxyType",
        "weakref.WeakKeyDictionary",
        "weakref.WeakValueDictionary",
    }
)
"""Subscript gives the second type argument, iteration the first."""

SEQUENCES: Final = frozenset(
    {"builtins.list", "builtins.set", "builtins.frozenset", "builtins.tuple", "builtins.enumerate", "builtins.zip"}
    | {"builtins.reversed", "builtins.filter", "builtins.map", "builtins.iter", "collections.deque"}
    | {f"typing.{name}" for name in ("Iterator", "Iterable", "Sequence", "MutableSequence", "Collection", "Set")}
    | {f"typing.{name}" for name in ("Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator", "AbstractSet")}
    | {f"collections.abc.{name}" for name in ("Iterator", "Iterable", "Sequence", "MutableSequence", "Collection")}
    | {f"collections.abc.{name}" for name in ("Set", "MutableSet", "Generator", "AsyncIterator", "AsyncIterable")}
    | {"collections.abc.AsyncGenerator", "collections.abc.KeysView", "collections.abc.ValuesView"}
)
"""Subscript and iteration give the first type argument."""

CONTEXT_MANAGERS: Final = frozenset(
    {
        "typing.ContextManager",
        "typing.AsyncContextManager",
        "contextlib.AbstractContextManager",
        "contextlib.AbstractAsyncContextManager",
    }
)

WRAPPERS: Final = frozenset(
    {"Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar", "Unpack"}
)
"""Special forms that stand for their first argument."""

TYPING: Final = ("typing.", "typing_extensions.", "dataclasses.")

AWAITABLES: Final = frozenset({"Awaitable", "Coroutine", "Future", "Task"})

SCHEDULERS: Final = frozenset(f"asyncio.{name}" for name in ("create_task", "ensure_future", "shield", "wait_for"))
"""Calls whose result, waited for, is that of their first argument."""

SAME_AS_FIRST: Final = frozenset(
    {
        "copy.copy",
        "copy.deepcopy",
        "dataclasses.replace",
        "typing.cast",
        "builtins.sorted",
        "builtins.list",
        "builtins.tuple",
        "builtins.set",
        "builtins.frozenset",
        "builtins.reversed",
        "builtins.iter",
        "collections.deque",
        "builtins.filter",
    }
)
"""Calls that give back their argument's kind, or a container of the same elements."""
