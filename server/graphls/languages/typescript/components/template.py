"""Template: what a template says with the names of its script.

Owns: the component that a file exports, uses of names in code of templates, what templates bind, rendered components.
Must not know: which kind of template it is, its syntax.
Invariant: code that is not understood gives its plain names and a problem, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Node

from graphls.facts.kinds import OccurrenceFlag, ProblemKind
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_SCOPE, D_SIGNATURE, D_VALUE
from graphls.languages.typescript.components.fragments import TemplateFragments, names
from graphls.languages.typescript.syntax.facts_builder import (
    ALSO_WRITE,
    BLOCK,
    DEFAULT_EXPORT,
    EXPORTED,
    FUNCTION,
    FUNCTION_SCOPE,
    IMPORT,
    READ,
    RENDER,
    VARIABLE,
    TsFactsBuilder,
    TsFrame,
)
from graphls.languages.typescript.syntax.functions import read_statements
from graphls.languages.typescript.syntax.imports import DEFAULT
from graphls.languages.typescript.syntax.patterns import PatternBinding, PatternName, assign_values, bind

ALIAS = int(OccurrenceFlag.ALIAS)
PARTIAL = int(ProblemKind.PARTIAL)
MOST_PROBLEMS = 20
_DASHES = re.compile(r"-(\w)")
_ENTITY = re.compile(rb"&#?\w+;")


def camel(name: str) -> str:
    """`foo-bar` as `fooBar`."""
    return _DASHES.sub(lambda found: found[1].upper(), name)


class Template:
    """The template of one file, while it is being read."""

    def __init__(self, builder: TsFactsBuilder, grammar: str) -> None:
        self.draft = builder
        self.fragments = TemplateFragments(builder.data, grammar)
        self.bound = frozenset(builder.strings[row[0]] for row in builder.definitions if row[D_SCOPE] == 0)
        """Names of the module."""
        self._problems = 0
        self._understood: set[int] = set()
        """Ends of expressions: whatever the grammar of the template made of them, they are read."""

    # ---- the component

    def enter(self, span: tuple[int, int]) -> None:
        """From here on everything belongs to the component that the file exports, which is declared at `span`."""
        builder, size = self.draft, len(self.draft.data)
        builder.full = (0, size)
        row = builder.define(builder.text(DEFAULT), FUNCTION, *span, builder.export_scope())
        scope = builder.open_scope(FUNCTION_SCOPE, 0, size, row)
        definition = builder.definitions[row]
        definition[D_FLAGS] |= EXPORTED | DEFAULT_EXPORT
        definition[D_BODY] = scope
        definition[D_SIGNATURE] = builder.text("component")
        builder.owner, builder.scope, builder.frame = row, scope, TsFrame(row, True)
        builder.metrics.append((row, 0, 0, 0, 0, 0))

    def enter_apart(self, names_of: Mapping[str, int]) -> None:
        """From here on names mean these expressions, and nothing of the module."""
        builder, size = self.draft, len(self.draft.data)
        builder.scope = builder.open_scope(BLOCK, 0, size)
        builder.scopes[builder.scope][1] = -1
        builder.full = (0, 0)
        self.bound = frozenset[str]()
        self.given(names_of)

    def given(self, names_of: Mapping[str, int]) -> None:
        """From here on names that the script does not bind mean these expressions too."""
        builder, size = self.draft, len(self.draft.data)
        full, builder.full = builder.full, (0, 0)
        for name, value in names_of.items():
            if name not in self.bound:
                row = builder.define(builder.text(name), IMPORT, size, size, builder.scope)
                builder.definitions[row][D_VALUE] = value
        builder.full = full
        self.bound = self.bound.union(names_of)

    # ---- code

    def expression(self, start: int, end: int, role: int = READ, want: int = 0) -> int:
        """Code that is one expression."""
        last = end
        start, end = self._trimmed(start, end)
        if start >= end:
            return -1
        node = self.fragments.expression(start, end)
        if node is not None:
            self._understood.add(last)
            return self.draft.read(node, want, role)
        self._listed(self.fragments.statements(start, end), start, end)
        return -1

    def handler(self, start: int, end: int) -> None:
        """Code that is an expression or a row of statements."""
        start, end = self._trimmed(start, end)
        if start >= end:
            return
        node = self.fragments.expression(start, end)
        if node is not None:
            self.draft.read(node)
        else:
            self.statements(start, end)

    def statements(self, start: int, end: int) -> None:
        """Code that is a row of statements."""
        root = self.fragments.statements(start, end)
        if root.has_error:
            self._listed(root, start, end)
        else:
            read_statements(self.draft, root.named_children)

    def updated(self, start: int, end: int) -> None:
        """An expression that is read and written."""
        outer, self.draft.use_flags = self.draft.use_flags, self.draft.use_flags | ALSO_WRITE
        self.expression(start, end)
        self.draft.use_flags = outer

    def patterns(self, start: int, end: int, *values: int) -> None:
        """Binds a list of parameters in the current scope; each gets its value, as far as they go."""
        start, end = self._trimmed(start, end)
        builder = self.draft
        if start >= end:
            return
        found = self.fragments.parameters(start, end)
        if not found:
            self._listed(self.fragments.statements(start, end), start, end)
        for position, pattern in enumerate(found):
            builder.full = (pattern.start_byte, pattern.end_byte)
            pending: list[PatternName] = []
            bind(builder, pattern, pending, PatternBinding(VARIABLE, builder.scope))
            assign_values(builder, pending, values[position] if position < len(values) else -1)

    def inner(self, node: Node) -> int:
        """Opens a scope for a part of the template; answers the one around it, for `leave`."""
        outer = self.draft.scope
        self.draft.scope = self.draft.open_scope(BLOCK, node.start_byte, node.end_byte)
        return outer

    def leave(self, outer: int) -> None:
        """Back to the scope around."""
        self.draft.scope = outer

    # ---- names

    def named(self, start: int, end: int, name: str = "", role: int = READ) -> None:
        """A use of a name; `name`, where what is written is spelled otherwise."""
        builder = self.draft
        written = builder.source(start, end)
        flags = builder.use_flags | (ALIAS if name and name != written else 0)
        text = builder.text(name or written)
        builder.occurrences += (start, end, text, role, flags, builder.scope, -1, builder.owner)

    def rendered(self, start: int, end: int) -> None:
        """A component by its tag: `Name`, `name.part`."""
        if b"." in self.draft.data[start:end]:
            self.expression(start, end, RENDER)
        else:
            self.named(start, end, role=RENDER)

    # ---- what is not understood

    def missed(self, root: Node) -> None:
        """Parts of the template that its grammar does not understand."""
        if not root.has_error:
            return
        pending = [root]
        while pending:
            node = pending.pop()
            if node.is_error:
                self._problem(node.start_byte, node.end_byte)
            elif node.has_error and node.type != "end_tag" and node.end_byte - 1 not in self._understood:
                pending.extend(reversed(node.children))

    def _listed(self, root: Node, start: int, end: int) -> None:
        if not _ENTITY.search(self.draft.data, start, end):
            self._problem(start, end)
        for node in names(root):
            self.draft.use(node.start_byte, node.end_byte, READ)

    def _problem(self, start: int, end: int) -> None:
        self._problems += 1
        if self._problems <= MOST_PROBLEMS:
            near = " ".join(self.draft.source(start, min(end, start + 160)).split())[:40]
            text = self.draft.text(f"Not understood, names here may be missing: `{near}`.")
            self.draft.problems.append((PARTIAL, start, end, text))

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        text = self.draft.data[start:end]
        return start + len(text) - len(text.lstrip()), start + len(text.rstrip())
