"""Policy rules: what a team forbids, as expressions over facts.

Owns: the fields of one rule, how a raw table becomes a rule, the lengths that an expression may have.
Must not know: the language of expressions, facts, code.
Invariant: a rule that was read has all that it needs; an expression is checked where it is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

import attrs

from graphls.settings.kinds import RejectedError

SCOPES: Final = ("file", "symbol", "finding", "change")
SEVERITIES: Final = ("block", "warn", "info")
LONGEST: Final = 2_000
"""Characters of an expression."""
_ID: Final = re.compile(r"[a-z][\w.-]{0,99}\Z", re.IGNORECASE)


@attrs.frozen
class PolicyRule:
    """One rule."""

    id: str = attrs.field(metadata={"doc": "Name of the rule, for example `team.no_growth`; findings name it."})
    scope: str = attrs.field(
        metadata={"doc": "What the expression judges: each `file`, `symbol` or `finding`, or a `change` as a whole."}
    )
    severity: str = attrs.field(metadata={"doc": "`block` (P1), `warn` (P2) or `info` (info)."})
    when: str = attrs.field(metadata={"doc": "An expression in CEL that is true where the rule is broken."})
    message: str = attrs.field(metadata={"doc": "What a finding says."})
    advice: str = attrs.field(metadata={"doc": "What to do about it."})
    paths: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "Globs of files that the rule is about; empty: all."}
    )
    languages: tuple[str, ...] = attrs.field(
        default=(), metadata={"doc": "Languages that the rule is about; empty: all."}
    )
    override: bool = attrs.field(
        default=False, metadata={"doc": "It stands in the place of an earlier rule with its id."}
    )
    override_reason: str = attrs.field(default="", metadata={"doc": "Why it does."})
    allow_override: bool = attrs.field(default=False, metadata={"doc": "A later rule may stand in its place."})
    allow_severity_weaken: bool = attrs.field(default=False, metadata={"doc": "And may be of a lesser severity."})
    protected: bool = attrs.field(default=False, metadata={"doc": "No other rule may stand in its place."})


_NAMES: Final = tuple(field.name for field in attrs.fields(PolicyRule))
_LISTS: Final = frozenset(("paths", "languages"))
_FLAGS: Final = frozenset(("override", "allow_override", "allow_severity_weaken", "protected"))
_NEEDED: Final = ("id", "scope", "severity", "when", "message", "advice")


@attrs.frozen
class PolicyTable:
    """A table with the fields of a policy rule."""

    expected: str = "a table with id, scope, severity, when, message and advice (see docs/policy.md)"

    def read(self, raw: object) -> PolicyRule:
        if isinstance(raw, PolicyRule):
            return raw
        if not isinstance(raw, Mapping):
            raise RejectedError(self.expected, raw)
        fields: dict[str, str | tuple[str, ...] | bool] = {}
        for key, value in cast("Mapping[object, object]", raw).items():
            if key not in _NAMES:
                raise RejectedError(f"only these keys in a rule: {', '.join(_NAMES)}", key)
            fields[str(key)] = _field(str(key), value)
        missing = [name for name in _NEEDED if not fields.get(name)]
        if missing:
            raise RejectedError(f"a rule that has {', '.join(missing)}", dict(fields))
        return _checked(fields)


def _field(name: str, raw: object) -> str | tuple[str, ...] | bool:
    if name in _FLAGS:
        if not isinstance(raw, bool):
            raise RejectedError(f"true or false for {name}", raw)
        return raw
    return _list(name, raw) if name in _LISTS else _text(name, raw)


def _checked(fields: Mapping[str, str | tuple[str, ...] | bool]) -> PolicyRule:
    for name, words in (("scope", SCOPES), ("severity", SEVERITIES)):
        if fields[name] not in words:
            raise RejectedError(f"one of {', '.join(words)} for {name}", fields[name])
    if not _ID.match(str(fields["id"])):
        raise RejectedError("letters, digits, dots, dashes and underscores for id", fields["id"])
    made: PolicyRule = attrs.evolve(_PLAIN, **fields)
    return made


def _text(name: str, raw: object) -> str:
    most = LONGEST if name == "when" else 500
    if isinstance(raw, str) and len(raw) <= most:
        text = " ".join(raw.split()) if name != "when" else raw.strip()
        if all(letter.isprintable() or letter in "\n\t" for letter in text):
            return text
    raise RejectedError(f"a string of at most {most} characters for {name}", raw)


def _list(name: str, raw: object) -> tuple[str, ...]:
    entries = [raw] if isinstance(raw, str) else raw
    if not isinstance(entries, Sequence):
        raise RejectedError(f"a list of strings for {name}", raw)
    return tuple(_text(name, entry) for entry in cast("Sequence[object]", entries))


_PLAIN: Final = PolicyRule("plain", "file", "info", "false", "plain", "plain")
