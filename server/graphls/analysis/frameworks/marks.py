"""Marks: where in one file a rule may apply.

Owns: the first look, by names alone, that spares most files the second one.
Must not know: other files, what names resolve to.
Invariant: a function of one file's facts and the rules; what is not marked matches no rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.analysis.frameworks.rules import NamePattern, RuleSet, applies_to
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.nodes import container, kind_of, last_name, rows_named, use_at
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.registry import language_of

DOTTED: Final = re.compile(r"[^\W\d]\w*(?:[.:][^\W\d]\w*)+\Z")
_MEMO: Final = Memo["_MarksMemo"]("framework marks")
_CALLABLES: Final = (DefinitionKind.FUNCTION, DefinitionKind.METHOD)


@attrs.frozen(eq=False)
class Marks:
    """Rows to look at again, all in source order."""

    decorated: tuple[tuple[int, int], ...]
    """Occurrence of a decorator's name, and the definition it decorates."""
    called: tuple[int, ...]
    """Occurrences that are called."""
    members: tuple[int, ...]
    """Members of classes with bases."""
    assigned: tuple[int, ...]
    """Variables of the module."""
    texts: tuple[int, ...]
    """Rows of literals that are spelled like a dotted name."""
    takers: tuple[int, ...]
    """Functions whose parameters may be fixtures."""
    tails: frozenset[str]
    """Last names of `texts`."""
    exported: tuple[int, ...] = ()
    """Definitions that the file's place among others makes entry points."""
    requested: tuple[int, ...] = ()
    """Occurrences that are called and may ask a server."""
    read: tuple[int, ...] = ()
    """Occurrences behind which a key of the environment may stand."""
    keyed: tuple[int, ...] = ()
    """Classes whose members may be keys."""
    literal: bool = False
    """Members of types that are one string may be paths."""
    remote: bool = False
    """The file may have to do with procedures that are called from afar."""


_DEFAULT: Final = int(DefinitionFlag.DEFAULT_EXPORT)
_EXPORTED: Final = int(DefinitionFlag.EXPORTED | DefinitionFlag.DEFAULT_EXPORT)
NOTHING: Final = Marks((), (), (), (), (), (), frozenset())
_REMOTE: Final = ("grpc", "io.grpc", "google.golang.org/grpc", "@grpc/")
"""Beginnings of the modules that code of remote procedures brings in."""
_GENERATED: Final = "_pb2_grpc"


@attrs.frozen(eq=False)
class _MarksMemo:
    digest: str
    marks: Marks


def marks(snapshot: Snapshot, shard: Shard, rules: RuleSet) -> Marks:
    """Marks of one file; kept with its contents."""
    known = _MEMO.get(shard)
    if known is not None and known.digest == rules.digest:
        return known.marks
    made = _find_marks(snapshot.facts(shard.path), shard.path, rules)
    _MEMO.put(shard, _MarksMemo(rules.digest, made))
    return made


def use_of(facts: FileFacts, expression: int) -> int:
    """The occurrence of the last name of `a.b(c)`: `b`; -1 where there is none."""
    table = facts.expressions
    while expression >= 0 and table.kind[expression] in (ExpressionKind.CALL, ExpressionKind.SUBSCRIPT):
        expression = table.a[expression]
    if expression < 0 or table.kind[expression] not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
        return -1
    return use_at(facts, table.c[expression])


def _find_marks(facts: FileFacts, path: str, rules: RuleSet) -> Marks:
    numbers = {text: number for number, text in enumerate(facts.strings)}
    renamed = _renamed(facts)
    found = Marks(
        decorated=tuple(_decorated(facts, rules, renamed)),
        called=tuple(_called(facts, path, rules, numbers, renamed)),
        members=tuple(_members(facts, rules)),
        assigned=tuple(_assigned(facts, rules, numbers)),
        texts=tuple(_texts(facts, rules.silent)) if rules.strings else (),
        takers=(),
        tails=frozenset(),
        exported=tuple(_exported(facts, path, rules)),
        requested=tuple(_requested(facts, path, rules, numbers)),
        read=tuple(_read(facts, path, rules, numbers)),
        keyed=tuple(_keyed(facts, path, rules)),
        literal=any(applies_to(rule, path) for rule in rules.literals),
        remote=any(_is_remote(facts, row) for row in range(len(facts.imports.module))),
    )
    found = attrs.evolve(
        found,
        takers=tuple(_takers(facts, path, {row for _, row in found.decorated})),
        tails=frozenset(tail(facts.strings[facts.literals.text[row]]) for row in found.texts),
    )
    return found if any(attrs.astuple(found, recurse=False)) else NOTHING


def _renamed(facts: FileFacts) -> dict[str, str]:
    """Names that imports give to what is called otherwise elsewhere."""
    imports, strings = facts.imports, facts.strings
    return {
        strings[facts.definitions.name[definition]]: strings[imports.name[row]]
        for row, definition in enumerate(imports.definition)
        if definition >= 0 and imports.name[row] >= 0 and facts.definitions.name[definition] != imports.name[row]
    }


def _decorated(facts: FileFacts, rules: RuleSet, renamed: dict[str, str]) -> Iterator[tuple[int, int]]:
    table = facts.decorators
    for row, definition in enumerate(table.definition):
        use = use_of(facts, table.expression[row])
        if use >= 0:
            name = facts.strings[facts.occurrences.name[use]]
            if renamed.get(name, name) in rules.decorators:
                yield use, definition


def _called(
    facts: FileFacts, path: str, rules: RuleSet, numbers: dict[str, int], renamed: dict[str, str]
) -> Iterator[int]:
    call_names = {
        numbers[name]
        for name in (*rules.calls, *rules.bare_names)
        if name in numbers and rules.calls_in(path, name, numbers)
    }
    call_names |= {
        numbers[new] for new, old in renamed.items() if old in rules.calls and rules.calls_in(path, old, numbers)
    }
    names, roles = facts.occurrences.name, facts.occurrences.role
    if call_names:
        yield from (row for row, name in enumerate(names) if name in call_names and roles[row] == Role.CALL)


def _is_remote(facts: FileFacts, row: int) -> bool:
    """Whether an import brings in remote procedures: a module of theirs, or one that tools made for a service."""
    imports, strings = facts.imports, facts.strings
    named = strings[imports.name[row]] if imports.name[row] >= 0 else ""
    module = strings[imports.module[row]] if imports.module[row] >= 0 else ""
    return (
        module.startswith(_REMOTE)
        or named.startswith(_REMOTE)
        or (module or named).endswith(_GENERATED)
        or named.endswith(_GENERATED)
    )


def _requested(facts: FileFacts, path: str, rules: RuleSet, numbers: dict[str, int]) -> Iterator[int]:
    """Calls by the names of clients, in files that name what the client comes from or that tools wrote for it."""
    packages = tuple(f"{facts.strings[module]}." for module in set(facts.imports.module) if module >= 0)

    def may_be(one: NamePattern, name: str) -> bool:
        return bool(one.rule.files) or one.root in numbers or one.root == name or f"{one.text}.".startswith(packages)

    wanted = {
        numbers[name]
        for name, patterns in rules.requests.items()
        if name in numbers and any(applies_to(one.rule, path) and may_be(one, name) for one in patterns)
    }
    if wanted:
        names, roles = facts.occurrences.name, facts.occurrences.role
        yield from (row for row, name in enumerate(names) if name in wanted and roles[row] == Role.CALL)


def _read(facts: FileFacts, path: str, rules: RuleSet, numbers: dict[str, int]) -> Iterator[int]:
    wanted = {
        numbers[name]
        for name, patterns in rules.reads.items()
        if name in numbers and any(applies_to(one.rule, path) for one in patterns)
    }
    if wanted:
        yield from (row for row, name in enumerate(facts.occurrences.name) if name in wanted)


def _keyed(facts: FileFacts, path: str, rules: RuleSet) -> Iterator[int]:
    """Classes with bases, where a rule reads keys off their members."""
    if any(
        one.rule.yields == "key" and one.root in facts.strings and applies_to(one.rule, path) for one in rules.bases
    ):
        keywords = facts.bases.keyword
        yield from sorted({row for at, row in enumerate(facts.bases.definition) if keywords[at] < 0})


def _members(facts: FileFacts, rules: RuleSet) -> Iterator[int]:
    bases = {row for row, keyword in zip(facts.bases.definition, facts.bases.keyword, strict=True) if keyword < 0}
    if not bases:
        return
    table, strings = facts.definitions, facts.strings
    for row, kind in enumerate(table.kind):
        if kind in _CALLABLES and rules.wants_member(strings[table.name[row]]) and container(facts, row) in bases:
            yield row


def _assigned(facts: FileFacts, rules: RuleSet, numbers: dict[str, int]) -> Iterator[int]:
    table = facts.definitions
    for name in rules.assignments:
        if name in numbers:
            rows = rows_named(facts, numbers[name])
            yield from (row for row in rows if table.scope[row] == 0 and table.kind[row] != DefinitionKind.IMPORT)


def _exported(facts: FileFacts, path: str, rules: RuleSet) -> Iterator[int]:
    stem = path.rpartition("/")[2].partition(".")[0]
    fitting = [rule for rule in rules.files if stem in rule.stems or "*" in rule.stems]
    exported_names = {name for rule in fitting for name in rule.match}
    table = facts.definitions
    for row, flags in enumerate(table.flags) if exported_names else ():
        if flags & _EXPORTED and ("default" if flags & _DEFAULT else facts.strings[table.name[row]]) in exported_names:
            yield row


def _texts(facts: FileFacts, silent: frozenset[str]) -> Iterator[int]:
    spelled: dict[int, bool] = {}
    for row, text in enumerate(facts.literals.text):
        good = spelled.get(text)
        if good is None:
            good = spelled[text] = DOTTED.match(facts.strings[text]) is not None
        if good and last_name(facts, facts.literals.call[row]) not in silent:
            yield row


def _takers(facts: FileFacts, path: str, decorated: set[int]) -> Iterator[int]:
    table, tests = facts.definitions, Tests(facts, path)
    for row, kind in enumerate(table.kind):
        if kind in _CALLABLES and (row in decorated or row in tests):
            yield row


class Tests:
    """Functions and methods of one file that are tests by what the file itself says."""

    def __init__(self, facts: FileFacts, path: str) -> None:
        self._facts = facts
        self._path = path
        self._classes: dict[int, bool] = {}

    def __contains__(self, row: int) -> bool:
        table = self._facts.definitions
        if not self._facts.strings[table.name[row]].startswith("test"):
            return False
        if table.kind[row] == DefinitionKind.FUNCTION:
            return self._is_test(row)
        # All methods of a class that are called like tests are tests, or none is.
        cls = container(self._facts, row)
        known = self._classes.get(cls)
        if known is None:
            known = self._classes[cls] = self._is_test(row)
        return known

    def _is_test(self, row: int) -> bool:
        # Runners of tests know files by their names.
        return kind_of(self._facts, self._path, row, language_of(FilePath(self._path))).kind == "test"


def tail(text: str) -> str:
    """The last name in a dotted text."""
    return text.replace(":", ".").rpartition(".")[2]
