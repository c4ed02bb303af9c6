"""Unused definition: a private function, method or class that nothing names.

Owns: which definitions are judged at all, and what counts as a possible use.
Must not know: how names were resolved, which texts spell them.
Invariant: any mention that might mean the definition keeps it; only a mention that surely means another does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.own_range import own_range
from graphls.analysis.spelled import built, may_build, patterns, spelled
from graphls.analysis.views import CALLABLES, Views
from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import last_name, rows_named
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import SymbolRef
from graphls.graph.unread_uses import unread_uses
from graphls.languages.capabilities import Exports
from graphls.languages.registry import is_stub

_JUDGED: Final = CALLABLES | {DefinitionKind.CLASS}
_MEMBERS: Final = (DefinitionKind.METHOD, DefinitionKind.PROPERTY)
_KEPT: Final = (
    DefinitionFlag.EXPORTED | DefinitionFlag.OVERLOAD | DefinitionFlag.ABSTRACT | DefinitionFlag.SETTER
    | DefinitionFlag.CONDITIONAL | DefinitionFlag.TYPE_CHECKING | DefinitionFlag.GLOBAL
)  # fmt: skip
_RESTORES: Final = re.compile(r"pickle|reconstruct", re.IGNORECASE)
"""Data that was stored by an earlier version names what restores it."""
_HOOKS: Final = re.compile(r"_(?:load_)?(?:jupyter|ipython)_|_repr_\w+")
"""Names by which notebooks and their servers ask modules and objects: documented, and named by no code of these."""
_OF_OTHER_CLASS: Final = re.compile(r"_[A-Z]\w*?__\w")
"""`_Other__name`: what code of the class `Other` means by `__name`, with which it may ask any object."""
_MOST_BASES: Final = 50
_MOST_NEAR: Final = 1_000
"""Definitions behind one among which the names that it is the type of are looked for."""
_PLAIN_BASES: Final = frozenset((
    "object", "Exception", "BaseException", "ValueError", "TypeError", "RuntimeError", "KeyError", "LookupError",
    "OSError", "AttributeError", "NamedTuple", "TypedDict", "Protocol", "Generic", "Enum", "IntEnum", "Flag",
))  # fmt: skip
_Row = tuple[int, str, bool, bool, bool]


@attrs.frozen
class _UnusedCandidate:
    """`local`: no other file can name it; `inner`: it is declared in a function; `method`: in a class."""

    row: int
    name: str
    local: bool
    method: bool
    inner: bool


def check(views: Views) -> Iterator[Claim]:
    """One claim for each definition that nothing can name."""
    silent = [
        (path, found)
        for path in views.sources()
        if views.in_scope(path) and not is_stub(path)
        for found in _candidates_of(views, path)
        if not _is_used(views, path, found)
    ]
    if not silent:
        return
    words, known = spelled(views, frozenset(found.name for _, found in silent)), patterns(views)
    for path, found in silent:
        beside = [other for file, other in silent if file == path]
        if not (
            may_build(known, found.name)
            or _is_spelled(views, path, found, words[found.name])
            or _is_looked_up(views, path, found)
            or _is_family(found, beside)
        ):
            yield _claim(views, path, found)


def _candidates_of(views: Views, path: FilePath) -> Iterator[_UnusedCandidate]:
    known = views.snapshot.capabilities(path)
    exports = known.exports if known is not None else None
    if known is None or exports is None:
        rows = views.per_file("unused candidates 5", path, lambda facts: _as_rows(_candidates(facts)))
    elif known.file_type(path).component or path.endswith(known.declaration_endings):
        # A template names what its script declares; what a file without code declares is defined elsewhere.
        rows = ()
    else:
        rows = views.per_text("unused candidates 5", path, lambda text: _of_words(views, path, text, exports), ())
    run = known.is_run_unnamed if known is not None else None
    own = known.reserved_prefix if known is not None else ""
    given = {*known.library_run, *known.constructors} if known is not None else frozenset[str]()
    found = (one for row in rows if (one := _UnusedCandidate(*row)).name not in given)
    if known is not None and not known.functions_nest:
        kinds = views.snapshot.facts(path).definitions.kind
        found = (one for one in found if not one.inner or kinds[one.row] not in CALLABLES)
    return (one for one in found if not ((run is not None and run(one.name)) or (own and one.name.startswith(own))))


def _of_words(views: Views, path: FilePath, text: bytes, exports: Exports) -> tuple[_Row, ...]:
    facts = views.snapshot.facts(path)
    known = views.snapshot.capabilities(path)
    hides = known is not None and known.hides_unexported
    return _as_rows(_candidates(facts, _Hidden.of(path, facts, text, exports, hides_unexported=hides)))


def _as_rows(found: Iterable[_UnusedCandidate]) -> tuple[_Row, ...]:
    return tuple((one.row, one.name, one.local, one.method, one.inner) for one in found)


@attrs.frozen
class _Hidden:
    """What words hide, where not underscores do: definitions of a module that it does not export, if no other file can
    name these, and private members."""

    own: frozenset[int]
    members: frozenset[int]

    @classmethod
    def of(cls, path: FilePath, facts: FileFacts, text: bytes, exports: Exports, *, hides_unexported: bool) -> _Hidden:
        """Nothing of a script, whose names are those of all scripts."""
        offered, table = exports.offered(path, facts), facts.definitions
        module = hides_unexported and (bool(offered) or len(facts.imports) > 0)
        own = (row for row, scope in enumerate(table.scope) if scope == 0 and row not in offered)
        strings, scopes = facts.strings, facts.scopes.kind
        members = {
            row
            for row, kind in enumerate(table.kind)
            if kind in _MEMBERS and scopes[table.scope[row]] == ScopeKind.CLASS
            if exports.visibility(strings[table.name[row]], text[table.full_start[row] : table.start[row]]) == "private"
        }
        # By its name alone: tables and macros of C may name what `static` hides.
        members.update(
            row
            for row, kind in enumerate(table.kind)
            if kind == DefinitionKind.FUNCTION and table.scope[row] == 0 and not hides_unexported
            if exports.visibility(strings[table.name[row]], b"") == "private"
        )
        return cls(frozenset(own) if module else frozenset(), frozenset(members))


def _candidates(facts: FileFacts, hidden: _Hidden | None = None) -> Iterator[_UnusedCandidate]:
    """Definitions that only code in sight could use. `hidden`: words say which these are, else an underscore does."""
    if len(facts.problems):
        return  # what was not understood may use any of them: a template of JavaScript takes other scripts in
    table, strings = facts.definitions, facts.strings
    decorated = frozenset(facts.decorators.definition)
    uses, named = _uses(facts), Counter(table.name)
    bindings = Counter(zip(table.scope, table.name, strict=True))
    for row, kind in enumerate(table.kind):
        if kind not in _JUDGED or row in decorated or table.flags[row] & _KEPT:
            continue
        name, scope = strings[table.name[row]], facts.scopes.kind[table.scope[row]]
        inner = scope == ScopeKind.FUNCTION
        own = hidden is not None and row in hidden.own
        private = _is_private(name) if hidden is None else row in hidden.members
        if (
            not (inner or own or private)
            or name.endswith("__")
            or not name.strip("_")
            or _RESTORES.search(name)
            or _HOOKS.match(name)
            or _OF_OTHER_CLASS.match(name)
            or bindings[table.scope[row], table.name[row]] > 1
        ):
            continue
        if kind == DefinitionKind.CLASS and (not _is_plain(facts, row) or _is_type_of_declared(facts, row)):
            continue
        if _is_value(facts, row):
            continue
        if _is_named_by_class(facts, row):
            continue
        # A use of a name that the file binds once needs no link: it means this, or nobody knows what.
        if named[table.name[row]] == 1 and _is_used_outside(facts, row, uses.get(table.name[row], ())):
            continue
        yield _UnusedCandidate(row, name, inner or own, scope == ScopeKind.CLASS, inner)


def _is_named_by_class(facts: FileFacts, row: int) -> bool:
    """Whether it is a constructor that is called like its class: a private one says that nobody makes an instance."""
    table = facts.definitions
    owner = table.owner[row]
    return table.kind[row] == DefinitionKind.METHOD and owner >= 0 and table.name[owner] == table.name[row]


def _is_type_of_declared(facts: FileFacts, row: int) -> bool:
    """Whether it stands in a declaration, behind it the names that have it for their type: `struct A {...} a`."""
    table = facts.definitions
    scope, start, end = table.scope[row], table.full_start[row], table.full_end[row]
    return any(
        table.full_start[other] <= start and table.start[other] >= end and table.scope[other] == scope
        for other in range(row + 1, min(row + _MOST_NEAR, len(table)))
    )


def _is_value(facts: FileFacts, row: int) -> bool:
    """Whether it is part of a value, which is used as a whole: a member of an object, a function with a name of its
    own where a value is wanted."""
    table = facts.definitions
    kind, start = facts.scopes.kind[table.scope[row]], facts.scopes.start[table.scope[row]]
    member = table.kind[row] in (DefinitionKind.METHOD, DefinitionKind.PROPERTY)
    return (member and kind != ScopeKind.CLASS) or (kind == ScopeKind.BLOCK and start == table.full_start[row])


def _uses(facts: FileFacts) -> dict[int, list[int]]:
    """Where each name occurs."""
    found: dict[int, list[int]] = {}
    for name, start in zip(facts.occurrences.name, facts.occurrences.start, strict=True):
        found.setdefault(name, []).append(start)
    return found


def _is_used_outside(facts: FileFacts, row: int, starts: Sequence[int]) -> bool:
    own = own_range(facts, row) if starts else range(0)
    return any(start not in own for start in starts)


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


def _is_used(views: Views, path: FilePath, found: _UnusedCandidate) -> bool:
    place = SymbolRef(path, found.row)
    if views.per_links("used by itself 3", path, found.row, lambda: _is_mentioned(views, path, place, found.name)):
        return True
    if found.method and _answers_to_base(views, path, found.row):
        return True
    if not found.local and _is_used_unread(views, place, found.name):
        return True
    return not found.local and _is_known_elsewhere(views, place, found)


def _is_used_unread(views: Views, place: SymbolRef, name: str) -> bool:
    """Whether a manifest declares it as a program, or a file that no language reads may use it."""
    snapshot = views.snapshot
    spend()
    derived = () if snapshot.derivation is None else snapshot.derivation.edges_to(snapshot, place)
    if any(edge.kind != "documents" for edge in derived):
        return True
    return bool(unread_uses(snapshot, place, (name,)))


def _is_known_elsewhere(views: Views, place: SymbolRef, found: _UnusedCandidate) -> bool:
    files = views.snapshot.files_with_name(found.name)
    language = views.snapshot.shards[place.file].language
    if any(views.snapshot.shards[file].language != language for file in files):
        # What declares it for another language (`cdef extern from`) is the definition there.
        return True
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


def _is_mentioned(views: Views, path: FilePath, place: SymbolRef, name: str) -> bool:
    """Whether an occurrence of the name in a file may mean the place. Its own body does not count."""
    facts = views.snapshot.facts(path)
    try:
        index = facts.strings.index(name)
    except ValueError:
        return False
    table = facts.occurrences
    own = own_range(facts, place.definition) if path == place.file else range(0)
    outside = [row for row in rows_with(table.name, index) if table.start[row] not in own]
    return any(_may_mean(views, path, row, place) for row in outside)


def _may_mean(views: Views, path: FilePath, occurrence: int, place: SymbolRef) -> bool:
    targets = views.sure_targets(path, occurrence)
    # What is outside may be the same once more, by the name that an installed copy of it has.
    if not targets or any(target.place in (place, None) for target in targets):
        return True
    return _is_of_either(views.snapshot.facts(path), occurrence)


def _is_of_either(facts: FileFacts, occurrence: int) -> bool:
    """Whether it is a member of a name that several imports bind, one for each system: any of them may be meant."""
    table = facts.expressions
    for at in rows_with(table.c, facts.occurrences.start[occurrence]):
        base = table.a[at]
        if table.kind[at] != ExpressionKind.MEMBER or base < 0:
            continue
        base = table.a[base] if table.kind[base] == ExpressionKind.ENTER else base
        if table.kind[base] != ExpressionKind.NAME:
            continue
        rows = rows_named(facts, table.a[base])
        if sum(facts.definitions.kind[row] == DefinitionKind.IMPORT for row in rows) > 1:
            return True
    return False


def _answers_to_base(views: Views, path: FilePath, row: int) -> bool:
    """Whether the method may be called through a base class, by this project or by a library."""
    links, facts = views.snapshot.links(path), views.snapshot.facts(path)
    if row in links.overrides.definition:
        return True
    owner = facts.definitions.owner[row]
    bases = [at for at, cls in enumerate(facts.bases.definition) if cls == owner]
    if any(last_name(facts, facts.bases.expression[at]) not in _PLAIN_BASES for at in bases):
        return _has_foreign_base(views, SymbolRef(path, owner), frozenset())
    return False


def _has_foreign_base(views: Views, place: SymbolRef, seen: frozenset[SymbolRef]) -> bool:
    """Whether a class reaches, through its bases, one that is outside the workspace or unknown."""
    facts = views.snapshot.facts(place.file)
    for owner, expression in zip(facts.bases.definition, facts.bases.expression, strict=True):
        if owner != place.definition or last_name(facts, expression) in _PLAIN_BASES:
            continue
        at = _occurrence_of(facts, expression)
        targets = views.snapshot.targets(place.file, at) if at >= 0 else ()
        inner = targets[0].place if targets else None
        if inner is None or not _is_class(views, inner) or inner in seen or len(seen) > 20:
            return True
        if _has_foreign_base(views, inner, seen | {place}):
            return True
    return False


def _is_class(views: Views, place: SymbolRef) -> bool:
    """Whether a base is a class as it is written: what a variable holds may have any base of its own."""
    kinds = views.snapshot.facts(place.file).definitions.kind
    return place.definition >= 0 and kinds[place.definition] == DefinitionKind.CLASS


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


def _is_spelled(
    views: Views, path: FilePath, found: _UnusedCandidate, places: Mapping[FilePath, tuple[int, ...]]
) -> bool:
    """Whether a text spells the name: for what is local, one around it; comments count, as they may know better."""
    own = own_range(views.snapshot.facts(path), found.row)
    outside = any(place not in own or _is_in_example(views, path, place) for place in places.get(path, ()))
    return outside or (not found.local and any(file != path for file in places))


def _is_in_example(views: Views, path: FilePath, place: int) -> bool:
    """Whether the line of a text is an example that tests run: `>>> f(1)`."""
    text = views.snapshot.text(path) or b""
    return text[text.rfind(b"\n", 0, place) + 1 : place].lstrip().startswith((b">>> ", b"... "))


def _is_looked_up(views: Views, path: FilePath, found: _UnusedCandidate) -> bool:
    """Whether code around it looks up any name: members of its class, names of its module or function."""
    own = built(views, path)
    if found.method:
        around = [built(views, file) for file in _files_of_bases(views, SymbolRef(path, found.row))]
        others = (own, *around)
        return own.all_members or any(other.members or may_build(other.near, found.name) for other in others)
    if may_build(own.near, found.name):
        return True
    table = views.snapshot.facts(path).definitions
    owner = table.owner[found.row] if found.inner else -1
    if owner < 0:
        return own.all_names
    return any(table.full_start[owner] <= place < table.full_end[owner] for place in own.names)


def _files_of_bases(views: Views, place: SymbolRef) -> Iterator[FilePath]:
    """Files of the classes that the class of a method extends, as far as they are known."""
    facts = views.snapshot.facts(place.file)
    waiting = [SymbolRef(place.file, facts.definitions.owner[place.definition])]
    seen: set[SymbolRef] = set()
    while waiting and len(seen) < _MOST_BASES:
        cls = waiting.pop()
        if cls in seen or cls.definition < 0:
            continue
        seen.add(cls)
        yield cls.file
        facts = views.snapshot.facts(cls.file)
        for owner, expression in zip(facts.bases.definition, facts.bases.expression, strict=True):
            at = _occurrence_of(facts, expression) if owner == cls.definition else -1
            if at >= 0:
                waiting += [t.place for t in views.snapshot.targets(cls.file, at) if t.place is not None]


def _is_family(found: _UnusedCandidate, silent: Sequence[_UnusedCandidate]) -> bool:
    """Several silent methods that share a prefix are most likely looked up by a computed name."""
    if not found.method:
        return False
    prefix = re.match(r"_+[a-z0-9]+_", found.name)
    alike = [other for other in silent if other.method and prefix and other.name.startswith(prefix[0])]
    return len(alike) > 1


_WORDS: Final = {DefinitionKind.CLASS: "class", DefinitionKind.METHOD: "method", DefinitionKind.PROPERTY: "property"}


def _claim(views: Views, path: FilePath, found: _UnusedCandidate) -> Claim:
    facts, place = views.snapshot.facts(path), SymbolRef(path, found.row)
    table = facts.definitions
    word = _WORDS.get(DefinitionKind(table.kind[found.row]), "function")
    where = "its function" if found.inner else "its file" if found.local else "the workspace"
    reach = "local" if found.inner else "private" if not found.local else "module's own"
    return Claim(
        key=(views.symbol(place),),
        title=f"{found.name}: a {reach} {word} that nothing uses",
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
    own = own_range(facts, row)
    first, _ = facts.line_column(own.start)
    last, _ = facts.line_column(own.stop)
    return last - first + 1


RULE = Rule(
    code="maintainability.unused_definition",
    category="maintainability",
    priority="P3",
    title="Unused private definition",
    doc="""A private or local function, method or class that no code and no text of the workspace names. Left alone:
    what fits a name that code puts together, or stands where any name is looked up; what is decorated, exported,
    conditional, abstract, overrides something, or may be called by a base class from a library; and families of methods
    that share a prefix, which are usually looked up by a computed name.""",
    check=check,
)
