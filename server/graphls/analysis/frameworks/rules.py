"""Rules: the declared rules in force, ready to be matched.

Owns: reading the rules that come with the package, joining them with the user's, patterns over dotted names.
Must not know: any particular framework, facts, snapshots.
Invariant: equal settings give one rule set; its digest names everything that matching depends on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from hashlib import blake2b
from importlib import resources
from itertools import product
from typing import Final, cast

import attrs

from graphls.facts.cached_property import cached_property
from graphls.languages.config.reading import READING_VERSION
from graphls.settings.framework_rules import FrameworkRule, RuleTable

VERSION: Final = "31"
"""Raised whenever equal rules derive other things."""


@attrs.frozen
class NamePattern:
    """What dotted names a rule matches."""

    rule: FrameworkRule
    text: str

    @property
    def root(self) -> str:
        """The package that a name begins with."""
        return self.text.partition(".")[0]

    def matches(self, dotted: str) -> bool:
        return _compiled(self.text).match(dotted) is not None


@attrs.frozen(eq=False, slots=False)
class RuleSet:
    """Rules by what they look at."""

    digest: str
    decorators: Mapping[str, tuple[NamePattern, ...]]
    """By last name."""
    calls: Mapping[str, tuple[NamePattern, ...]]
    includes: Mapping[str, tuple[NamePattern, ...]]
    below: Mapping[str, tuple[str, ...]]
    """Names of rules -> paths behind those of their routes."""
    bases: tuple[NamePattern, ...]
    bare: Mapping[str, FrameworkRule]
    """Rules on calls by names as written."""
    files: tuple[FrameworkRule, ...]
    assignments: Mapping[str, FrameworkRule]
    members: frozenset[str]
    """What rules on bases call their members; a name that ends in `*` stands for all that begin like it."""
    nearby: tuple[str, ...]
    """Names of files whose fixtures all files beside and beneath them may use."""
    silent: frozenset[str]
    """Last names of calls whose strings name no code."""
    strings: bool
    """Strings that name code are references."""
    mounts: Mapping[str, FrameworkRule]
    """Rules on calls that take in routes, by last name."""
    requests: Mapping[str, tuple[NamePattern, ...]]
    """Rules on calls that ask for a path, by last name: only files that name the package are looked through."""
    reads: Mapping[str, tuple[NamePattern, ...]]
    """Rules on names behind which a key of the environment stands, by last name."""
    literals: tuple[FrameworkRule, ...]
    """Rules on members of written types that are one string."""
    class_calls: Mapping[str, tuple[str, ...]]
    """Last names of calls, and of decorators, whose handler may be a class that has methods which run -> endings of
    files."""
    methods: frozenset[str]
    """Names of such methods."""
    callbacks: Mapping[str, tuple[str, ...]]
    """Last names of calls that hand something to their handler -> where that stands."""

    @cached_property
    def bare_names(self) -> frozenset[str]:
        """Last names of `bare`."""
        return frozenset(name.rpartition(".")[2] for name in self.bare)

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        """Of `members` that end in `*`."""
        return tuple(name[:-1] for name in self.members if name.endswith("*"))

    def calls_in(self, path: str, name: str, words: Container[str] = ()) -> bool:
        """Whether some rule says something of calls of this last name in a file, which has these words."""
        named = self.calls.get(name, ())
        known = (one.rule for one in named if not one.rule.imported or one.root in words)
        bare = (rule for spelled, rule in self.bare.items() if spelled.rpartition(".")[2] == name)
        return any(applies_to(rule, path) for rule in (*known, *bare))

    def decorator(self, dotted: str) -> FrameworkRule | None:
        """The rule for a decorator."""
        return _first(self.decorators, dotted)

    def call(self, dotted: str) -> FrameworkRule | None:
        """The rule for what is called."""
        return _first(self.calls, dotted)

    def is_include(self, dotted: str) -> bool:
        """Whether a call takes in the routes of another module."""
        return _first(self.includes, dotted) is not None

    def unresolved(self, table: Mapping[str, tuple[NamePattern, ...]], name: str) -> FrameworkRule | None:
        """The rule that takes a bare name for an answer, if there is one."""
        return next((pattern.rule for pattern in table.get(name, ()) if pattern.rule.by_name), None)

    def wants_member(self, name: str) -> bool:
        """Whether some rule on bases speaks of a member of this name."""
        return name in self.members or name.startswith(self._beginnings)


def is_member(rule: FrameworkRule, name: str) -> bool:
    """Whether a rule on bases speaks of a member of this name."""
    return any(name == one or (one.endswith("*") and name.startswith(one[:-1])) for one in rule.handler)


def applies_to(rule: FrameworkRule, path: str) -> bool:
    """Whether a rule says something about a file."""
    if rule.endings and not path.endswith(rule.endings):
        return False
    return not rule.files or any(fnmatchcase(path, pattern) for pattern in rule.files)


@lru_cache(maxsize=8)
def rule_set(own: tuple[FrameworkRule, ...] = (), disabled: tuple[str, ...] = (), strings: bool = True) -> RuleSet:
    """The rules of a user, then those that come with the package, without those that are switched off.

    `disabled` names rules, or frameworks by the part of the name before the dot.
    """
    off = frozenset(disabled)
    rules = [rule for rule in (*own, *shipped()) if not {rule.name, rule.name.partition(".")[0]} & off]
    bases = [rule for rule in rules if rule.on == "base"]
    requests = [rule for rule in rules if rule.yields == "request"]
    others = [rule for rule in rules if rule.yields != "request"]
    names = {name: rule for rule in reversed(rules) if rule.on == "assignment" for name in rule.match}
    return RuleSet(
        digest=blake2b(repr((VERSION, READING_VERSION, rules, strings)).encode(), digest_size=16).hexdigest(),
        decorators=_by_name(rules, "decorator"),
        calls=_by_name(others, "call"),
        includes=_indexed(_Entry(rule, pattern) for rule in rules for pattern in rule.include),
        below={rule.name: rule.below for rule in rules if rule.below},
        bases=tuple(NamePattern(rule, pattern) for rule in bases for pattern in rule.match),
        bare={
            spelled: rule
            for rule in reversed(rules)
            if rule.bare and rule.on == "call" and rule.yields != "request"
            for pattern in rule.match
            for spelled in _spelled(pattern)
        },
        files=tuple(rule for rule in rules if rule.on == "file"),
        assignments=names,
        members=frozenset(name for rule in bases for name in rule.handler),
        nearby=tuple(dict.fromkeys(name for rule in rules for name in rule.nearby)),
        silent=frozenset(
            spelled.rpartition(".")[2]
            for rule in rules
            for pattern in rule.match
            for spelled in _spelled(pattern)
            if rule.yields == "nothing"
        ),
        strings=strings,
        requests=_by_name(requests, "call"),
        reads=_by_name(rules, "read"),
        literals=tuple(rule for rule in rules if rule.on == "literal"),
        class_calls={
            spelled.rpartition(".")[2]: rule.endings
            for rule in rules
            for pattern in rule.match
            for spelled in _spelled(pattern)
            if rule.member_handlers or rule.member_decorators
        },
        methods=frozenset(name for rule in rules for name in rule.member_handlers),
        callbacks={
            spelled.rpartition(".")[2]: rule.handler
            for rule in reversed(rules)
            if rule.hands
            for pattern in rule.match
            for spelled in _spelled(pattern)
        },
        mounts={
            spelled.rpartition(".")[2]: rule
            for rule in reversed(rules)
            if rule.yields == "mount"
            for pattern in rule.match
            for spelled in _spelled(pattern)
        },
    )


@cache
def shipped() -> tuple[FrameworkRule, ...]:
    """The rules that come with the package, by name of their file and in order."""
    folder = resources.files("graphls.analysis.frameworks").joinpath("shipped")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda entry: entry.name)
    return tuple(rule for entry in files for rule in _read(tomllib.loads(entry.read_text(encoding="utf-8"))))


@cache
def shipped_table(name: str) -> tuple[dict[str, object], ...]:
    """The rows of a table of rules about the text of code."""
    text = (
        resources.files("graphls.analysis.frameworks").joinpath("textual", f"{name}.toml").read_text(encoding="utf-8")
    )
    return tuple(cast("list[dict[str, object]]", tomllib.loads(text)["rules"]))


@attrs.frozen
class RuleHead:
    """What decides whether a rule about the text of code may say something of a file, before its patterns are made."""

    endings: tuple[str, ...]
    signs: tuple[bytes, ...]

    def fits(self, path: str, text: bytes) -> bool:
        """Whether the name of a file ends so, and its text has one of the signs."""
        return path.endswith(self.endings) and any(sign in text for sign in self.signs)


@cache
def rule_heads(name: str) -> tuple[RuleHead, ...]:
    """Those of the rows of a table."""
    return tuple(
        RuleHead(words_of(raw, "endings"), tuple(sign.encode() for sign in words_of(raw, "signs")))
        for raw in shipped_table(name)
    )


def fitting_rules(name: str, path: str, text: bytes) -> Iterator[int]:
    """Numbers of the rows of a table that may say something of a file."""
    return (number for number, head in enumerate(rule_heads(name)) if head.fits(path, text))


def text_pattern(row: Mapping[str, object], key: str) -> re.Pattern[bytes] | None:
    """A regular expression of a row of such a table, where it has one."""
    return re.compile(str(row[key]).encode(), re.MULTILINE) if key in row else None


def words_of(row: Mapping[str, object], key: str) -> tuple[str, ...]:
    """A list of a row of such a table."""
    return tuple(cast("list[str]", row.get(key, ())))


def _read(table: dict[str, object]) -> Iterator[FrameworkRule]:
    """The rules of one file: what it says of `endings`, each of its rules says."""
    kind, shared = RuleTable(), {"endings": table["endings"]}
    for rule in cast("list[dict[str, object]]", table["rules"]):
        yield kind.read({**shared, **rule})


@attrs.frozen
class _Entry:
    rule: FrameworkRule
    pattern: str


def _by_name(rules: list[FrameworkRule], form: str) -> Mapping[str, tuple[NamePattern, ...]]:
    return _indexed(_Entry(rule, pattern) for rule in rules if rule.on == form for pattern in rule.match)


def _indexed(entries: Iterator[_Entry]) -> Mapping[str, tuple[NamePattern, ...]]:
    found: dict[str, list[NamePattern]] = {}
    for entry in entries:
        for spelled in _spelled(entry.pattern):
            made = NamePattern(entry.rule, spelled)
            found.setdefault(spelled.rpartition(".")[2], []).append(made)
    return {name: tuple(patterns) for name, patterns in found.items()}


def _first(table: Mapping[str, tuple[NamePattern, ...]], dotted: str) -> FrameworkRule | None:
    known = table.get(dotted.rpartition(".")[2], ())
    return next((pattern.rule for pattern in known if pattern.matches(dotted)), None)


def _spelled(pattern: str) -> Iterator[str]:
    """`a.{b,c}` is `a.b` and `a.c`."""
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in pattern.split(".")]
    yield from (".".join(chosen) for chosen in product(*parts))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Made when a name first asks for it: most patterns are of frameworks that a workspace does not use."""
    choices = "|".join(re.escape(spelled).replace(r"\*", r"[\w.]*") for spelled in _spelled(pattern))
    return re.compile(rf"(?:{choices})\Z")
