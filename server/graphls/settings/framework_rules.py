"""Framework rules: what a framework does with code, as a table that users can write too.

Owns: the fields of one rule, how a raw table becomes a rule.
Must not know: which frameworks there are, code, graphs.
Invariant: a rule that was read can be applied; what it cannot say is refused with the words it may use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

import attrs

from graphls.settings.kinds import RejectedError, render_value, snake

FORMS: Final = ("decorator", "call", "base", "assignment", "file", "read", "literal")
YIELDS: Final = (
    "route",
    "tool",
    "fixture",
    "filled",
    "mount",
    "test",
    "suite",
    "reference",
    "request",
    "key",
    "nothing",
    "",
)
_WORD: Final = r"[\w*@:/$\-]+"
_PART: Final = rf"([A-Za-z_@$*][\w*@:/\-]*|\{{{_WORD}(,{_WORD})*\}})"
_DOTTED: Final = re.compile(rf"{_PART}(\.{_PART})*\Z")


@attrs.frozen
class FrameworkRule:
    """One thing that a framework does with code."""

    name: str = attrs.field(metadata={"doc": "Name of the rule, for example `flask.route`; answers name it."})
    on: str = attrs.field(metadata={"doc": "What is looked at: " + ", ".join(f"`{form}`" for form in FORMS) + "."})
    match: tuple[str, ...] = attrs.field(
        metadata={
            "doc": "Dotted names of the decorator, of what is called, or of a base class, as they resolve; `*` stands "
            "for any run of letters and dots, `{get,post}` for one of several last names. Names of variables, for "
            "`assignment`; of what a file exports, for `file`."
        }
    )
    yields: str = attrs.field(
        default="",
        metadata={
            "doc": "`route` or `tool`: a node, tied to what handles it. `fixture`: a function that tests name as a "
            "parameter; `filled`: parameters named in `argument` are given otherwise. `mount`: a call that takes in "
            "the routes of what stands in `handler`, under the path in `argument`. `test`: the members are tests, "
            "or the call is one; `suite`: a call around tests, whose name is part of theirs. "
            "`reference`: strings name modules and what they declare; `nothing`: strings given to it name no code. "
            "`request`: a call asks for the path in `argument`; `key`: what stands behind the name, or the members "
            "of a class with such a base, are keys of the environment. "
            "Empty: nothing by itself (see `becomes`)."
        },
    )
    subkind: str = attrs.field(default="", metadata={"doc": "A finer kind of the node: `command`, `task` ..."})
    files: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "Globs of paths outside of which the rule says nothing; empty: anywhere."}
    )
    endings: tuple[str, ...] = attrs.field(
        default=(),
        metadata={"doc": "Endings of file names (`.py`) outside of which the rule says nothing; empty: any."},
    )
    by_name: bool = attrs.field(
        default=False,
        metadata={"doc": "Names that do not resolve match by their last part, with a confidence of 0.5."},
    )
    argument: tuple[str, ...] = attrs.field(
        default=(),
        metadata={
            "doc": "Where the path or name stands: positions from 0, keywords, and members of object literals "
            "(`0.url`). Else the function's name."
        },
    )
    handler: tuple[str, ...] = attrs.field(
        default=(),
        metadata={
            "doc": "For calls, where the handler stands: as for `argument`, or `last`. For bases, the members that "
            "handle; `*` at the end stands for any letters."
        },
    )
    methods: tuple[str, ...] = attrs.field(default=(), metadata={"doc": "Where a list of HTTP methods stands."})
    verbs: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "HTTP methods where none are given; `*` is the last name of what matched."}
    )
    prefix: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "Where the object in front of the dot was given a prefix when it was made."}
    )
    unwrap: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "Members that are called on a handler to wrap it: `as_view`."}
    )
    include: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "Calls in the place of a handler that take in the routes of a module."}
    )
    nearby: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "For fixtures: files whose fixtures all files beside and beneath them may use."}
    )
    becomes: str = attrs.field(
        default="", metadata={"doc": "Dotted name of the class of which the decorated function becomes an instance."}
    )
    hands: str = attrs.field(
        default="",
        metadata={"doc": "Dotted name of the class of which the first parameter of the handler is an instance."},
    )
    prefixed_by: tuple[str, ...] = attrs.field(
        default=(),
        metadata={
            "doc": "Calls on the way to the object in front of the dot that take the prefix: `route`, `basePath`."
        },
    )
    class_prefix: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "Decorators of the class around the function that give a prefix, in `prefix`."}
    )
    prefix_member: str = attrs.field(
        default="", metadata={"doc": "Member of the class around the function whose text is the prefix: `path`."}
    )
    rows: bool = attrs.field(
        default=False,
        metadata={"doc": "For calls: `argument` is a list of tuples with a path and a handler, a route for each."},
    )
    slashes: bool = attrs.field(
        default=False, metadata={"doc": "Prefix and path are joined by one slash; a path that is not given is empty."}
    )
    below: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "Paths behind that of the route which it answers too: `{pk}` of a set of views."}
    )
    bare: bool = attrs.field(
        default=False,
        metadata={"doc": "Names as written match where nothing binds them: globals of a framework. See `files`."},
    )
    curried: bool = attrs.field(
        default=False, metadata={"doc": "The arguments stand in the second pair of brackets: `each(table)(name, run)`."}
    )
    folders: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "For files: folders of the package below which paths of routes begin."}
    )
    stems: tuple[str, ...] = attrs.field(
        default=(),
        metadata={
            "doc": "For files: names without their ending; `*` is any name, which is then part of the path, "
            "but for `index`."
        },
    )
    requires: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "For files: packages of which the nearest `package.json` above must name one."}
    )
    replaces: bool = attrs.field(
        default=False,
        metadata={"doc": "For `mount`: a path that is given stands in the place of the prefix of what is taken in."},
    )
    member_decorators: tuple[str, ...] = attrs.field(
        default=(),
        metadata={
            "doc": "Decorators of methods of the class that handles: they answer below its path, as `detail`, "
            "`url_path` and `methods` say."
        },
    )
    member_handlers: tuple[str, ...] = attrs.field(
        default=(),
        metadata={"doc": "Methods that run for the route where a class handles it: `get`, `post`, `list`."},
    )
    class_verbs: bool = attrs.field(
        default=False,
        metadata={"doc": "A class that handles answers the HTTP methods that its `member_handlers` are called like."},
    )
    repeats: bool = attrs.field(
        default=False, metadata={"doc": "Arguments behind the path that have no keyword are paths of the same handler."}
    )
    imported: bool = attrs.field(
        default=False,
        metadata={"doc": "For calls: only in files that bring in the package which the names in `match` begin with."},
    )
    dotted_stems: bool = attrs.field(
        default=False,
        metadata={"doc": "For files: dots in a name part the path, `$id` is a parameter, `_name` is no part of it."},
    )
    dashes: bool = attrs.field(
        default=False, metadata={"doc": "A name that comes from a function is written with `-` for `_`."}
    )
    camels: bool = attrs.field(
        default=False, metadata={"doc": "The same, with capitals for `_`: `get_user` is `getUser`."}
    )
    classes: tuple[str, ...] = attrs.field(
        default=(),
        metadata={
            "doc": "For decorators and calls: what the class around is called, else the rule says nothing: `*Query`."
        },
    )


_FLAGS: Final = frozenset(
    (
        "by_name",
        "camels",
        "dashes",
        "slashes",
        "bare",
        "curried",
        "replaces",
        "class_verbs",
        "rows",
        "repeats",
        "imported",
        "dotted_stems",
    )
)
_TEXTS: Final = frozenset(("name", "on", "yields", "subkind", "becomes", "hands", "prefix_member"))
_NAMES: Final = tuple(field.name for field in attrs.fields(FrameworkRule))


@attrs.frozen
class RuleTable:
    """A table with the fields of a framework rule."""

    expected: str = "a table with name, on and match (see docs/frameworks.md)"

    def read(self, raw: object) -> FrameworkRule:
        if isinstance(raw, FrameworkRule):
            return raw
        if not isinstance(raw, Mapping):
            raise RejectedError(self.expected, raw)
        fields: dict[str, object] = {}
        for key, value in cast("Mapping[object, object]", raw).items():
            name = snake(str(key))
            if name not in _NAMES:
                raise RejectedError(f"only these keys in a rule: {', '.join(_NAMES)}", key)
            fields[name] = _field(name, value)
        return _checked(fields)


def _field(name: str, raw: object) -> object:
    if name in _FLAGS:
        if isinstance(raw, bool):
            return raw
        raise RejectedError(f"true or false for {name}", raw)
    if name in _TEXTS:
        return _text(name, raw)
    entries = [raw] if isinstance(raw, str | int) else raw
    if not isinstance(entries, Sequence):
        raise RejectedError(f"a list of strings for {name}", raw)
    return tuple(_text(name, entry) for entry in cast("Sequence[object]", entries))


def _text(name: str, raw: object) -> str:
    if isinstance(raw, int) and not isinstance(raw, bool) and 0 <= raw < 100:
        return str(raw)
    if isinstance(raw, str) and len(raw) <= 200 and raw.isprintable():
        return raw
    raise RejectedError(f"a string for {name}", raw)


def _checked(fields: Mapping[str, object]) -> FrameworkRule:
    missing = [name for name in ("name", "on", "match") if not fields.get(name)]
    if missing:
        raise RejectedError(f"a rule that has {', '.join(missing)}", dict(fields))
    _one_of("on", FORMS, fields["on"])
    _one_of("yields", YIELDS, fields.get("yields", ""))
    for pattern in cast("tuple[str, ...]", fields["match"]) + cast("tuple[str, ...]", fields.get("include", ())):
        if not _DOTTED.match(pattern) or pattern.rpartition(".")[2] == "*":
            raise RejectedError("a dotted name whose last part is written out", pattern)
    if fields["on"] == "file" and not (fields.get("folders") and fields.get("stems")):
        raise RejectedError("a rule on file that has folders and stems", render_value(fields["name"]))
    if fields["on"] == "base" and fields.get("yields") != "key" and not fields.get("handler"):
        raise RejectedError("a rule on base that names its members in handler", render_value(fields["name"]))
    made: FrameworkRule = attrs.evolve(_PLAIN, **fields)
    return made


def _one_of(name: str, words: tuple[str, ...], found: object) -> None:
    if found not in words:
        raise RejectedError(f"one of {', '.join(word for word in words if word)} for {name}", found)


_PLAIN: Final = FrameworkRule("plain", "call", ("plain",))
