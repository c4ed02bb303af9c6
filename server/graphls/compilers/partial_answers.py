"""Partial answers: whether a checker's answer is all that a name may mean.

Owns: reading from a shown type that it has an unknown part, telling that own rules found more than an answer has.
Must not know: requests, files, snapshots.
Invariant: a type that cannot be read is taken for whole.
"""

from __future__ import annotations

import re
from typing import Final

from graphls.compilers.answers import SiteAnswer
from graphls.compilers.wire import Json, items, mapping, text
from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind
from graphls.facts.links import EXTERNAL, OWN_FILE, Links
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import rows_of

_UNKNOWN: Final = re.compile(r"\(*(?:Unknown|Any|@?Todo(?:\(.*\))?|Divergent)\)*\Z", re.DOTALL)
_INSTANCES: Final = frozenset({"self", "cls", "this"})
_OPENING, _CLOSING = "([{", ")]}"


def may_be_part(facts: FileFacts, path: FilePath, own: Links, row: int, answer: SiteAnswer) -> bool:
    """Whether it is worth asking: the member is read from a plain name, whose type says at once whether it is all, or
    own rules lead to something in the workspace that the answer lacks."""
    base = facts.occurrences.base[row]
    if base == NONE or not any(goal.file for goal in answer.targets):
        return False
    if facts.expressions.kind[base] == ExpressionKind.NAME:
        return facts.strings[facts.expressions.a[base]] not in _INSTANCES
    return _lacks_own(path, own, row, answer)


def receiver_start(facts: FileFacts, row: int) -> int:
    """Where the name stands whose values decide what a member means; the member itself where its receiver has none."""
    base, table = facts.occurrences.base[row], facts.expressions
    named = base != NONE and table.kind[base] in (ExpressionKind.NAME, ExpressionKind.MEMBER)
    return table.c[base] if named and table.c[base] >= 0 else facts.occurrences.start[row]


def _lacks_own(path: FilePath, own: Links, row: int, answer: SiteAnswer) -> bool:
    goals = {(goal.file, goal.symbol) for goal in answer.targets}
    table = own.targets
    for at in rows_of(table, row):
        file = path if table.file[at] == OWN_FILE else own.files[table.file[at]]
        if table.symbol[at] != EXTERNAL and (file, table.symbol[at]) not in goals:
            return True
    return False


def is_open_union(hover: Json) -> bool:
    """Whether a hover shows a union with a part that the checker does not know."""
    parts = _union(_hover_type(hover))
    return len(parts) > 1 and any(_UNKNOWN.match(part.strip()) for part in parts)


def _hover_type(hover: Json) -> str:
    """The type that a hover begins with, in whatever form servers give it."""
    contents = mapping(hover).get("contents")
    listed = items(contents)
    first = listed[0] if listed else contents
    shown = first if isinstance(first, str) else text(mapping(first).get("value"))
    fenced = re.match(r"\s*```\w*\n(.*?)```", shown, re.DOTALL)
    return (fenced[1] if fenced else shown).partition("\n---")[0]


def _union(shown: str) -> list[str]:
    """Parts of a type between bars that no bracket is around."""
    parts, depth, begun = list[str](), 0, 0
    for at, letter in enumerate(shown):
        if letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth -= 1
        elif letter == "|" and depth == 0:
            parts.append(shown[begun:at])
            begun = at + 1
    return [*parts, shown[begun:]]
