"""Spelling: how people write the declarations of one file, and which of them a spelling means.

Owns: the choice among declarations of one qualified name, numbers of the others, the name of a file in symbols.
Must not know: ids, records, queries, positions of an editor.
Invariant: what is written for a declaration means that declaration and no other; an import never stands in its way.

`module:Name` is the declaration that other files mean by it. Further ones of the same qualified name (local functions
in several callbacks, a type beside a value, the other arm of a condition) are `module:Name#2`, by source order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from graphls.facts.columns import Column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.nodes import container, is_lasting, node_row, node_rows, qualified_name, qualified_names, rows_named
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.registry import capabilities_for, imported_endings, is_stub

_MEMO = Memo["Mapping[int, int]"]("ordinals", rests_on_links=False)
_ALONE = MemoTable[int, bool]("names without another one", rests_on_links=False)
_PLAIN = Memo[bool]("plain names", rests_on_links=False)
_FEW, _FEW_NAMES = 8, 40
"""Declarations of one name that are looked at one by one, and names of a file that are."""
_NUMBERED = re.compile(r"(.+)#([1-9]\d*)\Z", re.DOTALL)
_EXPORTED = int(DefinitionFlag.EXPORTED)
_CONDITIONAL = int(DefinitionFlag.CONDITIONAL)
_RANKS: Mapping[int, int] = {
    DefinitionKind.CLASS: 0,
    DefinitionKind.FUNCTION: 1,
    DefinitionKind.METHOD: 1,
    DefinitionKind.PROPERTY: 1,
    DefinitionKind.ENUM: 2,
    DefinitionKind.VARIABLE: 3,
    DefinitionKind.CONSTANT: 3,
    DefinitionKind.FIELD: 3,
    DefinitionKind.ENUM_MEMBER: 3,
    DefinitionKind.NAMESPACE: 4,
    DefinitionKind.INTERFACE: 5,
    DefinitionKind.TYPE_ALIAS: 6,
}
"""Of what is merged under one name, a value is meant before a type."""
_BOUND = frozenset({DefinitionKind.VARIABLE, DefinitionKind.CONSTANT})
_REPLACED = frozenset({DefinitionKind.CLASS, DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY})
"""Kinds of which a later declaration takes the place of an earlier one."""
_RUNS = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)


def suffix(snapshot: Snapshot, path: FilePath, row: int) -> str:
    """What stands behind the qualified name of a declaration: `#2`, mostly nothing."""
    shard = snapshot.shards[path]
    known = _MEMO.get(shard)
    if known is None:
        facts, alone = snapshot.facts(path), _ALONE.of(shard)
        # Of a file that was just edited one name is wanted, of another one a list of all.
        if row in alone or (len(alone) < _FEW_NAMES and _has_plain_names(shard, facts) and _is_alone(facts, row)):
            alone[row] = True
            return ""
        known = _MEMO.put(shard, ordinals(facts))
    number = known.get(row, 0)
    return f"#{number}" if number else ""


def _has_plain_names(shard: Shard, facts: FileFacts) -> bool:
    """Whether equal qualified names end in equal names: no name holds a dot."""
    strings, names = facts.strings, facts.definitions.name
    return _PLAIN.once(shard, lambda: not any("." in strings[name] for name in set(names)))


def _is_alone(facts: FileFacts, row: int) -> bool:
    """Whether it is sure, without a look at all names, that nothing else is called so; False where it is not."""
    if row < 0:
        return True
    same = list(islice(rows_named(facts, facts.definitions.name[row]), _FEW + 1))
    if len(same) > _FEW:
        return False
    text = qualified_name(facts, row)
    return all(
        node_row(facts, other) == row or facts.definitions.kind[other] == DefinitionKind.IMPORT
        for other in same
        if qualified_name(facts, other) == text and is_lasting(facts, other)
    )


def ordinals(facts: FileFacts, rows: Column | None = None) -> Mapping[int, int]:
    """The numbers of declarations that their qualified name alone does not mean. `rows`: what stands for each row."""
    rows = node_rows(facts) if rows is None else rows
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(qualified_names(facts)):
        if rows[row] == row and facts.definitions.kind[row] != DefinitionKind.IMPORT and is_lasting(facts, row):
            groups.setdefault(name, []).append(row)
    found: dict[int, int] = {}
    # What holds others stands before them: its number is known when theirs are decided.
    for group in groups.values():
        if len(group) > 1:
            primary = _primary(facts, group, found)
            found.update((row, number) for number, row in enumerate(group, 1) if row != primary)
    return found


def rows_by_spelling(facts: FileFacts, text: str) -> Sequence[int]:
    """Rows that a qualified name, perhaps with a number behind it, may mean: one, or several of which none is meant
    before the others. Bindings of imports only where nothing else has the name."""
    group = _rows_named(facts, text)
    if group:
        return group if len(group) == 1 else _primary_or_all(facts, group)
    numbered = _NUMBERED.match(text)
    group = _rows_named(facts, numbered[1]) if numbered else ()
    number = int(numbered[2]) if numbered else 0
    return group[number - 1 : number]


def without_number(text: str) -> tuple[str, str]:
    """A name, and the number behind it with its sign; "" where there is none."""
    numbered = _NUMBERED.match(text)
    return (numbered[1], f"#{numbered[2]}") if numbered else (text, "")


def module_spelling(snapshot: Snapshot, path: FilePath) -> str:
    """What symbols of a file begin with: the name of its module, or its path where that is the name of others too."""
    dotted = snapshot.module_name(path).dotted or path
    table = snapshot.modules.get(snapshot.shards[path].language)
    same = table.files.get(dotted, ()) if table is not None else ()
    return dotted if len(same) < 2 or (sources_first(same)[0] == path and len(_apart(same)) == 1) else path


def module_title(dotted: str, path: FilePath) -> str:
    """The last part of a module's name; the name of its file where modules are named by their paths."""
    return path.rpartition("/")[2] if dotted == path or "/" in dotted else dotted.rpartition(".")[2]


def external_name(dotted: str) -> str:
    """The last part of the name of something outside; the ending of a file is none."""
    last = dotted.rpartition(".")[2]
    return dotted.rpartition("/")[2].rpartition(":")[2] if last in imported_endings() and dotted != last else last


def sources_first(files: Iterable[FilePath]) -> Sequence[FilePath]:
    """Stubs behind what they are stubs of."""
    return sorted(files, key=lambda path: (is_stub(path), path))


def _apart(files: Iterable[FilePath]) -> set[str]:
    """Files that are no stubs of each other."""
    return {path.rpartition(".")[0] if _has_stubs(path) else path for path in files}


def _has_stubs(path: FilePath) -> bool:
    """Whether a file is a stub, or of those that may have one."""
    known = capabilities_for(path)
    return known is not None and any(path.endswith((stub, *sources)) for stub, sources in known.stubs.items())


def _rows_named(facts: FileFacts, text: str) -> Sequence[int]:
    """Declarations of a qualified name in source order, else what is exported under it, else bindings of imports."""
    rows = _with_last(facts, text.rpartition(".")[2], text)
    if not rows and "." in text:
        # Keys of literals and names of modules hold dots.
        rows = [row for row, name in enumerate(qualified_names(facts)) if name == text]
    canonical = node_rows(facts) if rows else None
    nodes = [row for row in rows if canonical is not None and canonical[row] == row and is_lasting(facts, row)]
    declared = [row for row in nodes if facts.definitions.kind[row] != DefinitionKind.IMPORT]
    return declared or [row for row in nodes if facts.definitions.flags[row] & _EXPORTED] or nodes


def _with_last(facts: FileFacts, last: str, text: str) -> list[int]:
    try:
        index = facts.strings.index(last)
    except ValueError:
        return []
    return [row for row in rows_named(facts, index) if qualified_name(facts, row) == text]


def _primary_or_all(facts: FileFacts, group: Sequence[int]) -> Sequence[int]:
    if facts.definitions.kind[group[0]] == DefinitionKind.IMPORT:
        return group
    numbers = ordinals(facts)
    primary = [row for row in group if row not in numbers]
    return primary or group


def _primary(facts: FileFacts, group: Sequence[int], numbers: Mapping[int, int]) -> int:
    """The declaration that is meant by the name alone, -1 for none."""
    table = facts.definitions
    scopes = {table.scope[row] for row in group}
    seen = [row for row in group if not _is_hidden(facts, table.scope[row])]
    if not seen and len(scopes) > 1:
        return -1
    # Members of what has a number itself are meant less.
    known = [row for row in seen or group if container(facts, row) not in numbers] or seen or list(group)
    # In `Row = memo(function Row() {})` nobody else can name the function.
    known = [row for row in known if not any(_is_value_of(facts, row, other) for other in known)]
    best = min(_RANKS.get(table.kind[row], 9) for row in known)
    alike = [row for row in known if _RANKS.get(table.kind[row], 9) == best]
    if table.kind[alike[0]] in _REPLACED:
        always = [row for row in alike if not table.flags[row] & _CONDITIONAL]
        return always[-1] if always else alike[0]
    return alike[0]


def _is_value_of(facts: FileFacts, row: int, other: int) -> bool:
    """Whether a function is part of what a variable is given."""
    table = facts.definitions
    if table.kind[row] != DefinitionKind.FUNCTION or table.kind[other] not in _BOUND:
        return False
    return table.full_start[other] < table.full_start[row] and table.full_end[row] <= table.full_end[other]


def _is_hidden(facts: FileFacts, scope: int) -> bool:
    """Whether a function without a name stands around a scope, which the qualified name leaves out."""
    scopes = facts.scopes
    while scope > 0 and scopes.owner[scope] < 0:
        if scopes.kind[scope] in _RUNS:
            return True
        scope = scopes.parent[scope]
    return False
