"""Accessors: what a declaration is called by code of another language of the Java virtual machine.

Owns: the names of methods that read and write a property, and of the property that such methods are; which files are
    in which of the two languages.
Must not know: who asks.
Invariant: a name is always one of its own names.

Kotlin reads `getTotal()` of a class in Java as `total`, and Java reads `total` of a class in Kotlin as `getTotal()`
(kotlinlang.org, "Calling Java from Kotlin", "Calling Kotlin from Java"). Annotations of Lombok make such methods of
fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.facts.kinds import DefinitionKind

_PREFIXES: Final = ("get", "set", "is")
_PROPERTIES: Final = frozenset(
    {DefinitionKind.PROPERTY, DefinitionKind.CONSTANT, DefinitionKind.VARIABLE, DefinitionKind.FIELD}
)
_JAVA: Final = ".java"
_KOTLIN: Final = (".kt", ".kts")


def is_java(file: str) -> bool:
    """Whether a file is in Java."""
    return file.endswith(_JAVA)


def is_kotlin(file: str) -> bool:
    """Whether a file is in Kotlin."""
    return file.endswith(_KOTLIN)


def reading_names(name: str) -> tuple[str, ...]:
    """Names of the methods that a property of this name may be where Kotlin reads it of a class in Java: `getUrl` and
    `getURL` of `url`. No property begins with a capital."""
    if not name[:1].islower():
        return ()
    return (name,) if is_question(name) else (*(f"get{one}" for one in _capitals(name)), f"is{_capitals(name)[0]}")


def writing_names(name: str) -> tuple[str, ...]:
    """Names of the methods that may write it."""
    return (f"set{name[2:]}",) if is_question(name) else tuple([f"set{one}" for one in _capitals(name)])


def _capitals(name: str) -> tuple[str, ...]:
    """A name as it stands in that of a method: its first letter, or its first word, in capitals."""
    word = next((at for at, letter in enumerate(name) if not letter.islower()), len(name))
    return tuple(dict.fromkeys((name[:1].upper() + name[1:], name[:word].upper() + name[word:])))


def is_question(name: str) -> bool:
    """Whether a property is read by a method of its own name: `isOpen`."""
    return name.startswith("is") and name[2:3].isupper()


def property_names(method: str) -> tuple[str, ...]:
    """Names of the properties that a method of this name may read or write."""
    for prefix in _PREFIXES:
        rest = method[len(prefix) :]
        if method.startswith(prefix) and rest[:1].isupper():
            plain = rest[:1].lower() + rest[1:]
            return {"get": (plain,), "set": (plain, f"is{rest}"), "is": (method,)}[prefix]
    return ()


def accessor_names(name: str) -> Sequence[str]:
    """The name, and what it may be called where properties and methods stand for each other."""
    found = [name]
    for prefix in _PREFIXES:
        rest = name[len(prefix) :]
        if name.startswith(prefix) and rest[:1].isupper():
            plain = (rest[:1].lower() + rest[1:], _lowered(rest))
            found += (*plain, *((f"is{rest}",) if prefix == "set" else ()))
    if name[:1].islower():
        capital = name[:1].upper() + name[1:]
        found += (f"get{capital}", f"set{capital}", f"is{capital}")
    if is_question(name):
        found.append(f"set{name[2:]}")
    return tuple(dict.fromkeys(found))


def renamed_accessor(old: str, new: str, spelled: str, kind: int) -> str:
    """What code must write for a declaration that was called `old`, and `spelled` there, once it is called `new`; ""
    where no name does: a property is no method of any name. `kind`: DefinitionKind."""
    if kind == DefinitionKind.FIELD and spelled.startswith("is"):
        plain = new[2:] if is_question(new) else new
        return f"is{plain[:1].upper()}{plain[1:]}"
    if kind in _PROPERTIES:
        if spelled == old and not is_question(old):
            return new
        if spelled.startswith("set"):
            return writing_names(new)[0]
        return new if is_question(new) else f"get{new[:1].upper()}{new[1:]}"
    if spelled == old:
        return "" if is_question(old) and not is_question(new) else new
    kept = next((prefix for prefix in _PREFIXES if old.startswith(prefix) and new.startswith(prefix)), "")
    rest = new[len(kept) :]
    if not kept or not rest[:1].isupper():
        return ""
    question = kept == "is" or (kept == "set" and is_question(spelled))
    return f"is{rest}" if question else _lowered(rest)


def _lowered(rest: str) -> str:
    """`HTMLText` as the property that Kotlin sees: `htmlText`."""
    capitals = next((at for at, letter in enumerate(rest) if not letter.isupper()), len(rest))
    first = capitals if capitals in (1, len(rest)) else capitals - 1
    return rest[:first].lower() + rest[first:]
