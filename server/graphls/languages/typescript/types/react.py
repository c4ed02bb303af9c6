"""React: what its widely used types and functions hold and give.

Owns: their names; which of their type arguments a member, a parameter or a result is.
Must not know: how values of code are found.
Invariant: says what React's own declarations say, and nothing about a name that is not from there.
"""

from __future__ import annotations

from graphls.languages.typescript.types.values import UNKNOWN, TsBuiltin, TsTuple, Value, Values

_PACKAGE = "react."
_DEFAULT = "react.default."
COMPONENTS = frozenset(("react.Component", "react.PureComponent"))
_FUNCTIONS = frozenset(
    ("react.FC", "react.FunctionComponent", "react.VFC", "react.ComponentType", "react.NamedExoticComponent")
)
_MEMBERS = {
    **{(name, "props"): 0 for name in COMPONENTS},
    **{(name, "state"): 1 for name in COMPONENTS},
    ("react.RefObject", "current"): 0,
    ("react.MutableRefObject", "current"): 0,
}
_TYPES = frozenset((*COMPONENTS, *_FUNCTIONS, "react.RefObject", "react.MutableRefObject", "react.Context"))
_PASSING = frozenset(("react.memo", "react.forwardRef", "react.useCallback"))
"""Functions that give back what they are given, as far as members and parameters go."""
_READING = {"react.useState": "", "react.useRef": "react.RefObject", "react.createContext": "react.Context"}
"""Functions that keep their first argument, and what they keep it in."""


def spelled(dotted: str) -> str:
    """A name of React, however it was imported; "" for any other."""
    if dotted.startswith(_DEFAULT):
        return _PACKAGE + dotted[len(_DEFAULT) :]
    return dotted if dotted.startswith(_PACKAGE) else ""


def applied(dotted: str, arguments: tuple[Values, ...]) -> TsBuiltin | None:
    """A type of React with type arguments, where something is known of it."""
    name = spelled(dotted)
    return TsBuiltin(name, arguments) if name in _TYPES and arguments else None


def member(value: TsBuiltin, name: str) -> Values:
    """What a member of such a type holds."""
    position = _MEMBERS.get((value.name, name), -1)
    return value.arguments[position] if 0 <= position < len(value.arguments) else UNKNOWN


def has(value: TsBuiltin, name: str) -> bool:
    """Whether a class of React brings a member that something is known of."""
    return value.name in COMPONENTS and name in ("props", "state", "setState")


def parameter(value: TsBuiltin, position: int) -> Values:
    """What a component takes."""
    return value.arguments[0] if value.name in _FUNCTIONS and position == 0 and value.arguments else UNKNOWN


def updated(value: TsBuiltin, position: int) -> Values:
    """What a function given to `setState` is called with: the state and the properties before."""
    return value.arguments[1 - position] if position < 2 and len(value.arguments) > 1 else UNKNOWN


def keeps(dotted: str) -> bool:
    """Whether a function of React gives something that depends on its first argument."""
    name = spelled(dotted)
    return name in _READING or name in _PASSING or name in ("react.useMemo", "react.useContext")


def result(dotted: str, declared: Values, given: Values, called: Values) -> Values:
    """What a call gives: of the declared type argument, the first argument, and what calling that gives."""
    name = spelled(dotted)
    if name in _PASSING:
        return given
    if name == "react.useMemo":
        return declared or called
    if name == "react.useContext":
        context_values = [
            value.arguments[0] for value in given if isinstance(value, TsBuiltin) and value.name == "react.Context"
        ]
        return context_values[0] if context_values else UNKNOWN
    value_types = declared or called or given
    if not value_types:
        return UNKNOWN
    made: Value = TsBuiltin(_READING[name], (value_types,)) if _READING[name] else TsTuple((value_types, UNKNOWN))
    return (made,)
