"""Facts builder: the facts of one file while they are being read off its tree.

Owns: tables under construction, interning, where in the file the reader stands.
Must not know: any particular language, what any node means.
Invariant: rows are only appended; an expression refers to expressions before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from mypy_extensions import mypyc_attr
from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind, ProblemKind
from graphls.languages.extract.ancestry import Ancestry
from graphls.languages.extract.yielding import yield_now

# Plain integers: arithmetic on enum members costs ten times as much.
_UNION: Final = int(ExpressionKind.UNION)
_LITERAL: Final = int(ExpressionKind.LITERAL)
_MODULE: Final = int(ExpressionKind.MODULE)
_DEPTH: Final = int(ProblemKind.DEPTH)
_TOO_DEEP: Final = "Nested too deeply to be understood: names below this point are listed but not resolved."

# Columns of a row of `definitions`.
D_NAME: Final = 0
D_KIND: Final = 1
D_FLAGS: Final = 2
D_SCOPE: Final = 3
D_START: Final = 4
D_END: Final = 5
D_FULL_START: Final = 6
D_FULL_END: Final = 7
D_BODY: Final = 8
D_TYPE: Final = 9
D_VALUE: Final = 10
D_DOC: Final = 11
D_SIGNATURE: Final = 12
D_SURFACE: Final = 13
D_OWNER: Final = 14

USE: Final = 8
"""Width of a row of `occurrences`."""
U_START: Final = 0
U_NAME: Final = 2
U_ROLE: Final = 3
U_OWNER: Final = 7
EXPRESSION: Final = 4
"""Width of a row of `expressions`."""

_TURN: Final = 0x1FF
_NAMES: Final = 0xFF
STEPS: Final = 0xFF
"""Between turns of other threads, less one: numbers in a table; names, or scopes, which code may have without a use;
nodes that are read by a rule. A millisecond or so."""
Row: TypeAlias = tuple[int, ...]


def shortened(text: str, most: int) -> str:
    """A text that is too long without its middle: its end says what a function gives back."""
    if len(text) <= most:
        return text
    return f"{text[: most - most // 4 - 5]} ... {text[-(most // 4) :]}"


@mypyc_attr(allow_interpreted_subclasses=True)
class FactsBuilder:
    """Everything read so far, and where the reader stands. A language adds what its rules need to know."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.scope: int = 0
        self.owner: int = -1
        self.use_flags: int = 0
        self.bind_flags: int = 0
        self.depth: int = 0
        self.steps: int = 0
        """Nodes that were read by a rule."""
        self.full: tuple[int, int] = (0, 0)
        """Range of the statement whose names are being bound."""
        self.strings: list[str] = [""]
        self.texts: dict[str, int] = {"": 0}
        self.implied: set[str] = set()
        """Strings that no row holds: names that whoever looks for their users must find in the text."""
        self.names: dict[bytes, int] = {}
        self.scopes: list[list[int]] = []
        self.definitions: list[list[int]] = []
        self.occurrences: list[int] = []
        """Rows of `USE` numbers one after the other: cheaper than a tuple for each of so many."""
        self.expressions: list[int] = []
        """Rows of `EXPRESSION` numbers one after the other."""
        self.literal_rows: dict[tuple[str, int], int] = {}
        self.modules: dict[tuple[int, int], int] = {}
        self.lists: list[Row] = []
        self.items: list[int] = []
        self.decorators: list[Row] = []
        self.bases: list[Row] = []
        self.returns: list[Row] = []
        self.imports: list[list[int]] = []
        self.regions: list[Row] = []
        self.narrowings: list[Row] = []
        self.dispatches: list[Row] = []
        self.metrics: list[Row] = []
        self.literals: list[Row] = []
        self.constructs: list[Row] = []
        self.problems: list[Row] = []
        self.shape: list[int] = []
        self.nothing: int = -1
        self.ancestry: Ancestry = Ancestry()
        """Of the tree that is read, where its root is given."""

    # ------------------------------------------------------------ strings

    def name(self, start: int, end: int) -> int:
        """The identifier between two offsets."""
        raw = self.data[start:end]
        row = self.names.get(raw)
        if row is None:
            row = self.names[raw] = self.text(self.spelled(raw))
        return row

    def spelled(self, raw: bytes) -> str:
        """An identifier as the language compares identifiers."""
        return raw.decode("utf-8", "replace")

    def text(self, text: str) -> int:
        """The row of a string."""
        if "\0" in text:
            text = text.replace("\0", "\ufffd")
        row = self.texts.get(text)
        if row is None:
            row = self.texts[text] = len(self.strings)
            self.strings.append(text)
            if row & _NAMES == 0:
                yield_now()
        return row

    def imply(self, text: str) -> None:
        """Has a string among those of the file without a row that holds it."""
        self.text(text)
        self.implied.add(text)

    def source(self, start: int, end: int) -> str:
        """The text between two offsets."""
        return self.between(start, end).decode("utf-8", "replace")

    def between(self, start: int, end: int) -> bytes:
        """The bytes between two offsets that were worked out: of an empty or broken node the end may come first, which
        compiled code does not bear."""
        return self.data[start:end] if end > start else b""

    # ------------------------------------------------------------ rows

    def expression(self, kind: int, a: int, b: int = -1, c: int = -1) -> int:
        """A new row of `expressions`."""
        rows = self.expressions
        rows += (kind, a, b, c)
        if len(rows) & _TURN == 0:
            yield_now()
        return len(rows) // EXPRESSION - 1

    def kind_of(self, row: int) -> int:
        """The kind of an expression, -1 for none."""
        return self.expressions[row * EXPRESSION] if row >= 0 else -1

    def sequence(self, values: Sequence[int]) -> int:
        """A new row of `lists`."""
        start = len(self.items)
        self.items.extend(values)
        self.lists.append((start, len(self.items)))
        return len(self.lists) - 1

    def unknown(self) -> int:
        """The expression of something not understood, where a base must be given: a choice among nothing."""
        if self.nothing < 0:
            self.nothing = self.expression(_UNION, -1)
        return self.nothing

    def note_depth(self, start: int, end: int) -> None:
        """A stretch is nested too deeply to be read with meaning; one problem spans all of these."""
        for at, problem in enumerate(self.problems):
            if problem[0] == _DEPTH:
                self.problems[at] = (_DEPTH, min(problem[1], start), max(problem[2], end), problem[3])
                return
        self.problems.append((_DEPTH, start, end, self.text(_TOO_DEEP)))

    def builtin(self, name: str, text: int = -1) -> int:
        """A literal of a built-in type."""
        row = self.literal_rows.get((name, text))
        if row is None:
            row = self.literal_rows[name, text] = self.expression(_LITERAL, self.text(name), text)
        return row

    def module(self, name: int, how: int) -> int:
        """The expression of a module; `how` it is named is the language's own number."""
        row = self.modules.get((name, how))
        if row is None:
            row = self.modules[name, how] = self.expression(_MODULE, name, how)
        return row

    def use(self, start: int, end: int, role: int, base: int = -1) -> int:
        """A new occurrence; answers its name."""
        name = self.name(start, end)
        if end > start:
            rows = self.occurrences
            rows += (start, end, name, role, self.use_flags, self.scope, base, self.owner)
            if len(rows) & _TURN == 0:
                yield_now()
        return name

    def open_scope(self, kind: int, start: int, end: int, owner: int = -1) -> int:
        """A new scope inside the current one."""
        self.scopes.append([kind, self.scope, start, end, owner])
        if len(self.scopes) & _NAMES == 0:
            yield_now()
        return len(self.scopes) - 1

    def region(self, kind: int, node: Node, group: int) -> None:
        """A new region."""
        self.regions.append((kind, node.start_byte, node.end_byte, group))
