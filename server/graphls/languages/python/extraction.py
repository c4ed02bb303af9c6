"""Extraction: the facts of one Python file from its tree.

Owns: which rule reads which node, the module's own frame.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from tree_sitter import Node, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import RegionKind, ScopeKind
from graphls.languages.grammars import language
from graphls.languages.pieces import Laid, Memory
from graphls.languages.python import (
    assignments,
    blocks,
    calls,
    declarations,
    expressions,
    imports,
    matching,
    nodes,
    strings,
)
from graphls.languages.python.draft import Draft, Frame, Level, Rule
from graphls.languages.python.finish import finish
from graphls.languages.python.nesting import generic, guarded, nothing
from graphls.languages.python.recall import patched
from graphls.languages.python.strings import paragraph


def extract(data: bytes, tree: Tree, memory: Memory | None = None) -> FileFacts:
    """Facts of one file. `memory`: what its functions said before, brought up to date."""
    if memory is not None:
        found = patched(data, tree.root_node, memory)
        if found is not None:
            return found
    draft = Draft(data, rules=rules(), frame=Frame(Level.MODULE, -1, 0))
    draft.scopes.append([int(ScopeKind.MODULE), -1, 0, len(data), -1])
    draft.regions.append((int(RegionKind.BODY), 0, len(data), 0))
    draft.memory = memory
    root = tree.root_node
    draft.broken = root.has_error
    blocks.statements(draft, root)
    augmented = bool(draft.augmented)
    facts = finish(draft, root, _module_doc(draft, root))
    if memory is not None:
        memory.turn(None if draft.broken or draft.problems else _laid(draft, root, memory, facts, augmented))
    return facts


def _laid(draft: Draft, root: Node, memory: Memory, facts: FileFacts, augmented: bool) -> Laid:
    """Where the functions stand in the facts."""
    laid = Laid(draft, memory.spots, facts)
    laid.nodes = root.descendant_count
    laid.exported = frozenset([draft.strings[name] for name in draft.exports])
    laid.outer_bindings = augmented
    return laid


def _module_doc(draft: Draft, root: Node) -> str:
    first = next((part for part in root.named_children if part.kind_id != nodes.COMMENT), None)
    return paragraph(draft, first) if first is not None else ""


def _literal(kind: str) -> Rule:
    def read(draft: Draft, node: Node, want: int, role: int) -> int:
        return draft.builtin(kind) if want else -1

    return read


def _number(draft: Draft, node: Node, want: int, role: int) -> int:
    if not want:
        return -1
    if draft.data[node.end_byte - 1] in b"jJ":
        return draft.builtin("complex")
    return draft.builtin(NUMBERS[node.type])


_LITERALS: Mapping[str, Rule] = {
    "true": _literal("bool"),
    "false": _literal("bool"),
    "none": _literal("None"),
    "integer": _number,
    "float": _number,
}
NUMBERS = {"integer": "int", "float": "float"}
ERROR_KIND: Final = 65535
"""Number of the node that holds what could not be parsed."""
_NOTHING: Final = (
    "comment",
    "line_continuation",
    "ellipsis",
    "pass_statement",
    "break_statement",
    "continue_statement",
)


@cache
def rules() -> Sequence[Rule]:
    """The rule of each node kind, by its number."""
    grammar = language("python")
    named: dict[str, Rule] = dict.fromkeys(_NOTHING, nothing)
    for part in (assignments, blocks, calls, declarations, expressions, imports, matching, strings):
        named.update(part.RULES)
    named.update(_LITERALS)
    other = guarded(generic)
    count = grammar.node_kind_count
    table = [named.get(grammar.node_kind_for_id(number) or "", other) for number in range(count)]
    return table + [other] * (ERROR_KIND + 1 - count)
