"""Unused definition: a private function, method or class that nothing names.

Owns: which definitions are judged at all, and what counts as a possible use.
Must not know: how names were resolved.
Invariant: any mention that might mean the definition keeps it; only a mention that surely means another does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import CALLABLES, Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import last_name, rows_named
from graphls.graph.snapshot import Place
from graphls.graph.unread_uses import unread_uses

_JUDGED: Final = CALLABLES | {DefinitionKind.CLASS}
_KEPT: Final = (
    DefinitionFlag.EXPORTED | DefinitionFlag.OVERLOAD | DefinitionFlag.ABSTRACT | DefinitionFlag.SETTER
    | DefinitionFlag.CONDITIONAL | DefinitionFlag.TYPE_CHECKING | DefinitionFlag.GLOBAL
)  # fmt: skip
_PLAIN_BASES: Final = frozenset((
    "object", "Exception", "BaseException", "ValueError", "TypeError", "RuntimeError", "KeyError", "LookupError",
    "OSError", "AttributeError", "NamedTuple", "TypedDict", "Protocol", "Generic", "Enum", "IntEnum", "Flag",
))  # fmt: skip


@attrs.frozen
class _Candidate:
    row: int
    name: str
    local: bool
    method: bool


def check(views: Views) -> Iterator[Claim]:
    """One claim for each definition that nothing can name."""
    for path in views.sources():
        if path.endswith(".pyi"):
            continue
        candidates = views.per_file("unused candidates", path, lambda facts: tuple(_candidates(facts)))
        silent = [found for found in candidates if not _is_used(views, path, found)]
        yield from (_claim(views, path, found) for found in silent if not _is_family(found, silent))


def _candidates(facts: FileFacts) -> Iterator[_Candidate]:
    """Definitions that only code in sight could use."""
    table, strings = facts.definitions, facts.strings
    decorated = frozenset(facts.decorators.definition)
    uses, named = _uses(facts), Counter(table.name)
    bindings = Counter(zip(table.scope, table.name, strict=True))
    for row, kind in enumerate(table.kind):
        if kind not in _JUDGED or row in decorated or table.flags[row] & _KEPT:
            continue
        name, scope = strings[table.name[row]], facts.scopes.kind[table.scope[row]]
        local = scope == ScopeKind.FUNCTION
        if (
            not (local or _is_private(name))
            or name.endswith("__")
            or not name.strip("_")
            or bindings[table.scope[row], table.name[row]] > 1
        ):
            continue
        if kind == DefinitionKind.CLASS and not _is_plain(facts, row):
            continue
        # A use of a name that the file binds once needs no link: it means this, or nobody knows what.
        if named[table.name[row]] == 1 and _is_used_outside(facts, row, uses.get(table.name[row], ())):
            continue
        yield _Candidate(row, name, local, scope == ScopeKind.CLASS)


def _uses(facts: FileFacts) -> dict[int, list[int]]:
    """Where each name occurs."""
    found: dict[int, list[int]] = {}
    for name, start in zip(facts.occurrences.name, facts.occurrences.start, strict=True):
        found.setdefault(name, []).append(start)
    return found


def _is_used_outside(facts: FileFacts, row: int, starts: Sequence[int]) -> bool:
    table = facts.definitions
    return any(not table.full_start[row] <= start < table.full_end[row] for start in starts)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("_")


def _is_plain(facts: FileFacts, row: int) -> bool:
    """Whether writing the class has no effect of its own: a base may register its subclasses."""
    return all(
        keyword < 0 and last_name(facts, expression) in _PLAIN_BASES
        for owner, expression, keyword in zip(
            facts.bases.definition, facts.bases.expression, facts.bases.keyword, strict=True
        )
        if owner == row
    )


def _is_used(views: Views, path: FilePath, found: _Candidate) -> bool:
    place = Place(path, found.row)
    if _is_mentioned(views, path, place, found.name):
        return True
    if found.method and _answers_to_base(views, path, found.row):
        return True
    if not found.local and _is_used_unread(views, place, found.name):
        return True
    return (not found.local and _is_known_elsewhere(views, place, found)) or _is_spelled(views, path, found)


def _is_used_unread(views: Views, place: Place, name: str) -> bool:
    """Whether a manifest declares it as a program, or a file that no language reads may use it."""
    snapshot = views.snapshot
    if snapshot.derivation is not None and snapshot.derivation.edges_to(snapshot, place):
        return True
    return bool(unread_uses(snapshot, place, (name,)))


def _is_known_elsewhere(views: Views, place: Place, found: _Candidate) -> bool:
    files = views.snapshot.files_with_name(found.name)
    if found.method and any(
        _has_namesake(views.snapshot.facts(file), found.name, file == place.file) for file in files
    ):
        return True
    return any(_is_mentioned(views, file, place, found.name) for file in files if file != place.file)


def _has_namesake(facts: FileFacts, name: str, own: bool) -> bool:
    """Whether another class has such a method: a mixin may stand in for it without naming it."""
    index = facts.strings.index(name) if name in facts.strings else -1
    table = facts.definitions
    rows = [row for row in rows_named(facts, index) if table.kind[row] in _JUDGED]
    return sum(facts.scopes.kind[table.scope[row]] == ScopeKind.CLASS for row in rows) > own


def _is_mentioned(views: Views, path: FilePath, place: Place, name: str) -> bool:
    """Whether an occurrence of the name in a file may mean the place. Its own body does not count."""
    facts = views.snapshot.facts(path)
    try:
        index = facts.strings.index(name)
    except ValueError:
        return False
    own, table = facts.definitions, facts.occurrences
    lives = (own.full_start[place.definition], own.full_end[place.definition]) if path == place.file else (0, 0)
    rows = [row for row, known in enumerate(table.name) if known == index]
    outside = [row for row in rows if not lives[0] <= table.start[row] < lives[1]]
    return any(_may_mean(views, path, row, place) for row in outside)


def _may_mean(views: Views, path: FilePath, occurrence: int, place: Place) -> bool:
    targets = views.sure_targets(path, occurrence)
    return not targets or any(target.place == place for target in targets)


def _answers_to_base(views: Views, path: FilePath, row: int) -> bool:
    """Whether the method may be called through a base class, by this project or by a library."""
    links, facts = views.snapshot.links(path), views.snapshot.facts(path)
    if row in links.overrides.definition:
        return True
    owner = facts.definitions.owner[row]
    bases = [at for at, cls in enumerate(facts.bases.definition) if cls == owner]
    if any(last_name(facts, facts.bases.expression[at]) not in _PLAIN_BASES for at in bases):
        return _has_foreign_base(views, Place(path, owner), frozenset())
    return False


def _has_foreign_base(views: Views, place: Place, seen: frozenset[Place]) -> bool:
    """Whether a class reaches, through its bases, one that is outside the workspace or unknown."""
    facts = views.snapshot.facts(place.file)
    for owner, expression in zip(facts.bases.definition, facts.bases.expression, strict=True):
        if owner != place.definition or last_name(facts, expression) in _PLAIN_BASES:
            continue
        at = _occurrence_of(facts, expression)
        targets = views.snapshot.targets(place.file, at) if at >= 0 else ()
        inner = targets[0].place if targets else None
        if inner is None or inner.definition < 0 or inner in seen or len(seen) > 20:
            return True
        if _has_foreign_base(views, inner, seen | {place}):
            return True
    return False


def _occurrence_of(facts: FileFacts, expression: int) -> int:
    table = facts.expressions
    while expression >= 0 and table.kind[expression] == ExpressionKind.SUBSCRIPT:
        expression = table.a[expression]
    if expression < 0 or table.kind[expression] not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
        return -1
    try:
        return facts.occurrences.start.index(table.c[expression])
    except ValueError:
        return -1


def _is_spelled(views: Views, path: FilePath, found: _Candidate) -> bool:
    """Whether a string of the file spells the name, or builds one that starts like it."""
    text = views.snapshot.text(path)
    if text is None:
        return True
    facts = views.snapshot.facts(path)
    table = facts.definitions
    for match in _spelling(found.name).finditer(text):
        at = match.start()
        if table.full_start[found.row] <= at < table.full_end[found.row]:
            continue
        line = text[text.rfind(b"\n", 0, at) + 1 : at]
        if b"#" not in line and not _is_code(facts, at):
            return True
    return False


def _is_code(facts: FileFacts, offset: int) -> bool:
    return offset in facts.occurrences.start or offset in facts.definitions.start


def _spelling(name: str) -> re.Pattern[bytes]:
    """The whole name, or a part of it up to an underscore that a string ends or interpolates after."""
    cuts = [name[: cut.end()] for cut in re.finditer(r"(?<=\w)_(?=\w)", name) if cut.end() >= 4]
    whole = rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)"
    parts = [rb"(?<!\w)" + re.escape(part.encode()) + rb"(?=[\"'{%])" for part in cuts]
    return re.compile(b"|".join([whole, *parts]))


def _is_family(found: _Candidate, silent: list[_Candidate]) -> bool:
    """Several silent methods that share a prefix are most likely looked up by a computed name."""
    if not found.method:
        return False
    prefix = re.match(r"_+[a-z0-9]+_", found.name)
    alike = [other for other in silent if other.method and prefix and other.name.startswith(prefix[0])]
    return len(alike) > 1


_WORDS: Final = {DefinitionKind.CLASS: "class", DefinitionKind.METHOD: "method", DefinitionKind.PROPERTY: "property"}


def _claim(views: Views, path: FilePath, found: _Candidate) -> Claim:
    facts, place = views.snapshot.facts(path), Place(path, found.row)
    table = facts.definitions
    word = _WORDS.get(DefinitionKind(table.kind[found.row]), "function")
    where = "its function" if found.local else "the workspace"
    return Claim(
        key=(views.symbol(place),),
        title=f"{found.name}: a {'local' if found.local else 'private'} {word} that nothing uses",
        pressure=f"No code or string in {where} names it, so it is read and kept up for nothing.",
        confidence="high" if found.local or not found.method else "medium",
        evidence=(
            Evidence(path, table.start[found.row], table.end[found.row], f"{word} {found.name} is defined here", place),
        ),
        suggestions=(f"Remove {found.name}.",),
        measures={"lines": _lines(facts, found.row), "kind": word, "symbol": views.symbol(place)},
        caveats=("Names built at run time and code outside the workspace are not seen.",),
    )


def _lines(facts: FileFacts, row: int) -> int:
    first, _ = facts.line_column(facts.definitions.full_start[row])
    last, _ = facts.line_column(facts.definitions.full_end[row])
    return last - first + 1


RULE = Rule(
    code="maintainability.unused_definition",
    category="maintainability",
    priority="P3",
    title="Unused private definition",
    doc="""A private or local function, method or class that no code and no string names. Left alone: what is decorated,
    exported, conditional, abstract, overrides something, or may be called by a base class from a library; and families
    of methods that share a prefix, which are usually looked up by a computed name.""",
    check=check,
)
