"""Generated: methods and fields that annotations of Lombok make.

Owns: which field a method of a name reads or writes, builders, loggers.
Must not know: calls, how occurrences become links.
Invariant: an annotation that resolves to Lombok says so, of the field or of its class; never a name alone.

projectlombok.org, "@Getter and @Setter", "@Data", "@Value".
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.accessors import property_names
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
from graphls.languages.declared.methods import external
from graphls.languages.declared.values import DeclaredRule, Denotation, NamedType, Outside, Value
from graphls.languages.extract.kinds import CLASS_SCOPE, FIELD_DEFINITION, STATIC_FLAG
from graphls.languages.java.syntax.types import FINAL
from graphls.languages.java.types.scopes import JavaScopes
from graphls.languages.resolve.structural_value import DefinitionRef, External

_LOMBOK: Final = "lombok."
_READING: Final = frozenset(f"{_LOMBOK}{name}" for name in ("Getter", "Data", "Value"))
_WRITING: Final = frozenset(f"{_LOMBOK}{name}" for name in ("Setter", "Data"))
_BUILDER: Final = "lombok.Builder"
_BUILDERS: Final = ("builder", "toBuilder")
_BUILDING: Final = frozenset((_BUILDER, "lombok.experimental.SuperBuilder"))
_LOGGERS: Final = {
    "lombok.extern.slf4j.Slf4j": "org.slf4j.Logger",
    "lombok.extern.log4j.Log4j2": "org.apache.logging.log4j.Logger",
    "lombok.extern.java.Log": "java.util.logging.Logger",
    "lombok.extern.apachecommons.CommonsLog": "org.apache.commons.logging.Log",
    "lombok.extern.jbosslog.JBossLog": "org.jboss.logging.Logger",
}
_MEMBER: Final = int(DeclaredRule.MEMBER)
_FIELDS: Final = frozenset({FIELD_DEFINITION})


def accessed_field(scopes: JavaScopes, unit: DeclaredUnit, cls: int, method: str) -> int:
    """The field of a class that a method of this name reads or writes, -1 where no annotation makes such a method."""
    named = _fields_of(method)
    if not named or unit.body[cls] < 0:
        return -1
    writing = method.startswith("set")
    wanted = _WRITING if writing else _READING
    for name in named:
        for row in unit.members_of(unit.body[cls], name, _FIELDS):
            flags = unit.flags[row]
            if flags & STATIC_FLAG or (writing and flags & FINAL):
                continue
            if _has(scopes, unit, row, wanted) or _has(scopes, unit, cls, wanted):
                return row
    return -1


def builder_of(types: DeclaredInference, scopes: JavaScopes, value: Value, name: str) -> Denotation | None:
    """`User.builder()` and `user.toBuilder()`: something outside whose argument is the class that it makes."""
    if name not in _BUILDERS or not isinstance(value, NamedType):
        return None
    made = _has(scopes, types.unit(value.file), value.row, _BUILDING)
    return external(f"{_BUILDER}.{name}", Outside(_BUILDER, (value,))) if made else None


def builder_member(types: DeclaredInference, scopes: JavaScopes, builder: Outside, name: str) -> Denotation | None:
    """What a method of a builder is: it sets the field of its name, or makes the object."""
    made = builder.arguments[0] if builder.dotted == _BUILDER and builder.arguments else None
    if made is None:
        return None
    if name == "build":
        return external(f"{_BUILDER}.build", made)
    for one in scopes.lineage(made):
        body = types.body_of(one)
        rows = body[0].members_of(body[1], name, _FIELDS) if body is not None and body[1] >= 0 else ()
        for row in rows:
            if body is not None and not body[0].flags[row] & STATIC_FLAG:
                return Denotation((DefinitionRef(body[0].file, row),), builder, _MEMBER)
    return None


def logger(scopes: JavaScopes, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
    """The field `log` that an annotation makes in a class around."""
    while name == "log" and scope > 0:
        cls = unit.scope_owner[scope] if unit.scope_kind[scope] == CLASS_SCOPE else -1
        for annotation, type_ in _LOGGERS.items() if cls >= 0 else ():
            if _has(scopes, unit, cls, frozenset((annotation,))):
                return external(f"{type_}.log", Outside(type_))
        scope = unit.scope_parent[scope]
    return None


def _fields_of(method: str) -> tuple[str, ...]:
    """`isOpen()` reads `open`, or `isOpen` itself; `setOpen()` writes either."""
    if method.startswith("is"):
        return (*property_names(f"get{method[2:]}"), method) if method[2:3].isupper() else ()
    return property_names(method)


def _has(scopes: JavaScopes, unit: DeclaredUnit, row: int, wanted: frozenset[str]) -> bool:
    for _, name in unit.decorators(row):
        if name in wanted:
            return True
        found = scopes.type_named(unit, 0, name) if any(one.endswith(f".{name}") for one in wanted) else None
        first = found.refs[0] if found is not None and found.refs else None
        if isinstance(first, External) and first.dotted in wanted:
            return True
    return False
