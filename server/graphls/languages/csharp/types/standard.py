"""Standard: what the library of .NET gives back and hands out, as far as types of the workspace go through it.

Owns: names of built-in types, delegates, containers.
Must not know: the workspace.
Invariant: a method that is not listed decides nothing.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.inference import BUILTIN
from graphls.languages.declared.values import Composite, Outside, Value

ALIASES: Final = {
    "String": "string", "Object": "object", "Int32": "int", "Int64": "long", "Boolean": "bool", "Char": "char",
    "Double": "double", "Single": "float", "Decimal": "decimal", "Byte": "byte", "Int16": "short", "UInt32": "uint",
    "UInt64": "ulong", "UInt16": "ushort", "SByte": "sbyte",
}  # fmt: skip
OBJECT: Final = "builtin.object"
OBJECT_METHODS: Final = frozenset((
    "Equals", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString", "Finalize",
))  # fmt: skip
_HOMES: Final = {
    "System": "Action ArgumentException ArgumentNullException ArgumentOutOfRangeException Array Attribute Console "
    "Convert DateTime DateTimeOffset Delegate Enum Environment EventArgs EventHandler Exception Func Guid IDisposable "
    "IEquatable IFormatProvider IServiceProvider InvalidOperationException Lazy Math Memory NotImplementedException "
    "NotSupportedException Nullable ObsoleteAttribute Predicate Random ReadOnlySpan Span StringComparison TimeSpan "
    "Tuple Type Uri ValueTuple Version",
    "System.Collections.Generic": "Dictionary HashSet IAsyncEnumerable ICollection IDictionary IEnumerable IEnumerator "
    "IEqualityComparer IList IReadOnlyCollection IReadOnlyDictionary IReadOnlyList KeyValuePair LinkedList List Queue "
    "SortedDictionary Stack",
    "System.Threading.Tasks": "Task ValueTask TaskCompletionSource",
    "System.Threading": "CancellationToken CancellationTokenSource Interlocked Thread",
    "System.Linq": "Enumerable IQueryable IGrouping ILookup",
    "System.Text": "StringBuilder Encoding",
    "System.IO": "File Path Directory Stream MemoryStream StreamReader StreamWriter TextReader TextWriter StringReader "
    "StringWriter",
}  # fmt: skip
HOMES: Final = {name: space for space, names in _HOMES.items() for name in names.split()}
_ELEMENT: Final = frozenset((
    "First", "FirstOrDefault", "Single", "SingleOrDefault", "Last", "LastOrDefault", "ElementAt", "ElementAtOrDefault",
    "Find", "FindLast", "Dequeue", "Peek", "Pop", "Max", "Min", "Aggregate", "MaxBy", "MinBy",
))  # fmt: skip
_SAME: Final = frozenset((
    "Where", "OrderBy", "OrderByDescending", "ThenBy", "ThenByDescending", "Skip", "Take", "SkipWhile", "TakeWhile",
    "Distinct", "DistinctBy", "Reverse", "ToList", "ToArray", "AsEnumerable", "AsQueryable", "Concat", "Union",
    "Except", "Intersect", "ToHashSet", "Append", "Prepend", "AsNoTracking", "Include", "FindAll", "AsReadOnly",
    "DefaultIfEmpty", "AsParallel", "GetRange", "ConfigureAwait",
))  # fmt: skip
FILLED: Final = frozenset(("Add", "Insert", "Enqueue", "Push", "Remove"))
"""They take an element: a lambda is one where elements are delegates."""
COUNTED: Final = frozenset(("Select", "Where", "SelectMany", "TakeWhile", "SkipWhile"))
"""They may hand out the number of an element beside it."""
_KEYED: Final = frozenset(("GroupBy", "ToDictionary"))
_TASKS: Final = frozenset(("Task", "ValueTask", "ConfiguredTaskAwaitable", "Lazy", "Nullable"))
_WAITED: Final = frozenset(("FirstAsync", "FirstOrDefaultAsync", "SingleAsync", "SingleOrDefaultAsync", "FindAsync"))
TASK: Final = "System.Threading.Tasks.Task"
SEQUENCE: Final = "System.Collections.Generic.IEnumerable"


def last_name(dotted: str) -> str:
    """The name of a type without its namespace."""
    return dotted.rpartition(".")[2]


def outside(dotted: str, arguments: tuple[Value | None, ...] = ()) -> Outside:
    """A type outside; built-in ones have one name."""
    space, _, last = dotted.rpartition(".")
    if last in ALIASES and space in ("System", "?"):
        return Outside(BUILTIN + ALIASES[last])
    return Outside(dotted, arguments)


def function_shape(value: Outside) -> tuple[tuple[Value | None, ...], Value | None] | None:
    """What a delegate of the library takes and gives."""
    kind, given = last_name(value.dotted), value.arguments
    if kind == "Func" and given:
        return given[:-1], given[-1]
    if kind == "Action":
        return given, None
    if kind in ("Predicate", "Comparison", "Converter") and given:
        taken = given * 2 if kind == "Comparison" else given[:1]
        return taken, given[1] if kind == "Converter" and len(given) > 1 else Outside("builtin.bool")
    if kind == "EventHandler":
        return (Outside(OBJECT), given[0] if given else Outside("System.EventArgs")), None
    if kind == "Expression" and given and isinstance(given[0], Outside):
        return function_shape(given[0])
    return None


def is_map(value: Outside) -> bool:
    """Whether a container has keys."""
    return last_name(value.dotted).endswith("Dictionary") and len(value.arguments) == 2


def element_of(value: Outside) -> Value | None:
    """What a loop over a container gives."""
    if is_map(value):
        return Outside("System.Collections.Generic.KeyValuePair", value.arguments)
    if last_name(value.dotted) == "IGrouping" and len(value.arguments) == 2:
        return value.arguments[1]
    return value.arguments[0] if len(value.arguments) == 1 else None


def awaited(value: Value | None) -> Value | None:
    """What waiting for a task gives."""
    if isinstance(value, Outside) and last_name(value.dotted) in _TASKS:
        return value.arguments[0] if value.arguments else None
    return value if isinstance(value, Outside) and value.dotted.endswith("?") else None


def property_of(holder: Outside, name: str) -> Value | None:
    """What a property of a generic type of the library is."""
    given, kind = holder.arguments, last_name(holder.dotted)
    if kind == "KeyValuePair" and len(given) == 2:
        return given[0] if name == "Key" else given[1] if name == "Value" else None
    if kind == "IGrouping" and len(given) == 2:
        return given[0] if name == "Key" else None
    if is_map(holder) and name in ("Keys", "Values"):
        return Outside(SEQUENCE, (given[0 if name == "Keys" else 1],))
    if len(given) == 1 and name in ("Value", "Result", "Current"):
        return given[0]
    return None


def written_by(holder: Outside, name: str) -> Value | None:
    """What a method of a container writes to its `out` parameter; None: not known."""
    given = holder.arguments
    if is_map(holder) and name in ("TryGetValue", "TryRemove", "Remove"):
        return given[1]
    taken = name in ("TryDequeue", "TryPeek", "TryPop", "TryTake", "TryGetValue")
    return given[0] if taken and len(given) == 1 else None


def given_back(holder: Outside, name: str, selected: Value | None, count: int) -> Value | None:
    """What a method of the library gives where types of the workspace go through it; None: not known. `selected`:
    what its first lambda gives; `count`: how many arguments it has."""
    given = holder.arguments
    if not given:
        return None
    if name == "ConfigureAwait":
        return holder
    item = element_of(holder)
    if item is None:
        return None
    if name in _SAME:
        return holder if not is_map(holder) else Outside(SEQUENCE, (item,))
    if name in ("Select", "ConvertAll") and selected is not None:
        return Outside(SEQUENCE, (selected,))
    if name == "SelectMany" and count == 1 and isinstance(selected, (Outside, Composite)):
        inner = element_of(selected) if isinstance(selected, Outside) else selected.parts[0] if selected.parts else None
        return Outside(SEQUENCE, (inner,)) if inner is not None else None
    if count == 1 and name in _KEYED:
        return _grouped(name, selected, item)
    if is_map(holder) and name in ("GetValueOrDefault", "GetOrAdd", "AddOrUpdate"):
        return given[1]
    if name in _WAITED:
        return Outside(TASK, (item,))
    if name in ("ToListAsync", "ToArrayAsync"):
        return Outside(TASK, (Outside(SEQUENCE, (item,)),))
    return item if name in _ELEMENT else None


def _grouped(name: str, key: Value | None, item: Value) -> Value:
    """What puts elements in groups by what a lambda gives."""
    if name == "ToDictionary":
        return Outside("System.Collections.Generic.Dictionary", (key, item))
    return Outside(SEQUENCE, (Outside("System.Linq.IGrouping", (key, item)),))


def given_by_type(name: str, type_: Value) -> Value | None:
    """What a method of the library gives that is told by its type argument; None: not known."""
    if name in ("GetService", "GetRequiredService", "GetKeyedService", "GetRequiredKeyedService", "CreateInstance"):
        return type_
    return Outside(SEQUENCE, (type_,)) if name in ("Cast", "OfType", "GetServices") else None


RANKS: Final = {
    "builtin.byte": 0, "builtin.short": 1, "builtin.char": 1, "builtin.int": 2, "builtin.uint": 2, "builtin.long": 3,
    "builtin.float": 4, "builtin.double": 5, "builtin.decimal": 6,
}  # fmt: skip
