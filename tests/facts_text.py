"""Facts text: file facts as lines that a person can review.

Owns: the readable form of every table.
Must not know: how facts are made.
Invariant: equal facts give equal text.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from graphls.facts.columns import Table
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    DefinitionFlag,
    DefinitionKind,
    ExpressionKind,
    ImportFlag,
    OccurrenceFlag,
    RegionKind,
    ReturnKind,
    Role,
    ScopeKind,
)


class FactsText:
    """Renders rows of one file."""

    def __init__(self, facts: FileFacts, data: bytes, *, exact: bool = True) -> None:
        """`exact`: every name stands in the text as it is spelled in facts."""
        self.facts = facts
        self.data = data
        self.exact = exact

    def text(self, row: int) -> str:
        return self.facts.strings[row] if row >= 0 else "-"

    def expression(self, row: int) -> str:
        """An expression in a compact form; `?` is unknown."""
        if row < 0:
            return "?"
        table = self.facts.expressions
        kind, a, b, c = ExpressionKind(table.kind[row]), table.a[row], table.b[row], table.c[row]
        assert max(a, 0) < row or kind in LEAVES or kind in NUMBERED, "an expression refers only to rows before it"
        if kind in NUMBERED:
            return f"{kind.name.lower()}#{a}"
        show = self.expression
        simple = {
            ExpressionKind.NAME: lambda: f"{self.text(a)}@{b}",
            ExpressionKind.MEMBER: lambda: f"{show(a)}.{self.text(b)}",
            ExpressionKind.CALL: lambda: f"{show(a)}({self.list(b)})",
            ExpressionKind.SUBSCRIPT: lambda: f"{show(a)}[{self.list(b)}]",
            ExpressionKind.UNION: lambda: f"<{self.list(a, ' | ')}>",
            ExpressionKind.TUPLE: lambda: f"({self.list(a)})",
            ExpressionKind.COLLECTION: lambda: (
                f"{self.text(b)}{{{self.list(a)}}}" + (f" keys {{{self.list(c)}}}" if c >= 0 else "")
            ),
            ExpressionKind.LITERAL: lambda: self.text(a) + (f" {self.text(b)!r}" if b >= 0 else ""),
            ExpressionKind.MODULE: lambda: f"module {'.' * b}{self.text(a)}",
            ExpressionKind.ITEM: lambda: f"item({show(a)}, {b})",
            ExpressionKind.OPERATION: lambda: f"op({show(a)} {self.text(c)} {show(b)})",
        }
        if kind in simple:
            return simple[kind]()
        extra = ", async" if kind in (ExpressionKind.ELEMENT, ExpressionKind.ENTER) and b == 1 else ""
        return f"{kind.name.lower()}({show(a)}{extra})"

    def list(self, row: int, between: str = ", ") -> str:
        return between.join(self.expression(item) for item in self.facts.list_at(row))

    def at(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")

    def owner(self, row: int) -> str:
        return self.text(self.facts.definitions.name[row]) if row >= 0 else "-"

    # ------------------------------------------------------------ tables

    def scopes(self) -> Iterator[str]:
        for kind, parent, start, end, owner in rows(self.facts.scopes):
            yield f"{ScopeKind(kind).name} in {parent} {short(self.at(start, end))} owner {self.owner(owner)}"

    def definitions(self) -> Iterator[str]:
        for row in rows(self.facts.definitions):
            name, kind, flags, scope, start, end, _, _, body, type_, value, doc, signature, _, owner = row
            assert not self.exact or (
                self.at(start, end) == self.text(name)
                or flags & DefinitionFlag.STAR
                or not self.at(start, end).isascii()
            )
            line = f"{self.text(name)} {DefinitionKind(kind).name} scope {scope}"
            line += flag_text(DefinitionFlag(flags)) + (f" body {body}" if body >= 0 else "")
            line += f" : {self.expression(type_)}" if type_ >= 0 else ""
            line += f" = {self.expression(value)}" if value >= 0 else ""
            line += f" in {self.owner(owner)}" if owner >= 0 else ""
            line += f" sig {self.text(signature)!r}" if signature >= 0 else ""
            yield line + (f" doc {self.text(doc)!r}" if doc >= 0 else "")

    def occurrences(self) -> Iterator[str]:
        for start, end, name, role, flags, scope, base, owner in rows(self.facts.occurrences):
            spelled = self.at(start, end)
            said = spelled == self.text(name) or flags & OccurrenceFlag.ALIAS or not spelled.isascii()
            assert said or not self.exact
            line = f"{self.text(name)} {Role(role).name} scope {scope}" + flag_text(OccurrenceFlag(flags))
            line += f" base {self.expression(base)}" if base >= 0 else ""
            yield line + (f" in {self.owner(owner)}" if owner >= 0 else "")

    def imports(self) -> Iterator[str]:
        for module, level, name, definition, flags, start, end, scope in rows(self.facts.imports):
            line = f"{'.' * level}{self.text(module)} name {self.text(name)} as {self.owner(definition)} scope {scope}"
            yield line + flag_text(ImportFlag(flags)) + f" at {self.at(start, end)!r}"

    def decorators(self) -> Iterator[str]:
        for definition, expression, start, end, name, text in rows(self.facts.decorators):
            shown = f"{self.owner(definition)}: {self.expression(expression)} at {self.at(start, end)!r}"
            yield f"{shown} name {self.text(name)} text {self.text(text)!r}"

    def bases(self) -> Iterator[str]:
        for definition, expression, keyword in rows(self.facts.bases):
            yield f"{self.owner(definition)}: {self.expression(expression)} keyword {self.text(keyword)}"

    def returns(self) -> Iterator[str]:
        for definition, expression, kind in rows(self.facts.returns):
            yield f"{self.owner(definition)}: {ReturnKind(kind).name} {self.expression(expression)}"

    def regions(self) -> Iterator[str]:
        for kind, start, end, group in rows(self.facts.regions):
            yield f"{RegionKind(kind).name} {short(self.at(start, end))} group {group}"

    def narrowings(self) -> Iterator[str]:
        for subject, test, start, end, positive in rows(self.facts.narrowings):
            code = self.at(start, end)
            proved = "None" if test < 0 else self.expression(test)
            yield f"{self.expression(subject)} {'is' if positive else 'is not'} {proved} in {short(code)}"

    def dispatches(self) -> Iterator[str]:
        for kind, subject, _, _, cases, owner in rows(self.facts.dispatches):
            shown = [self.text(case) for case in self.facts.list_at(cases)]
            name = ("match", "chain", "mapping")[kind]
            yield f"{name} {self.text(subject)}: {', '.join(shown)} in {self.owner(owner)}"

    def literals(self) -> Iterator[str]:
        for text, start, end, owner, call, position, keyword in rows(self.facts.literals):
            assert not self.exact or self.at(start, end).startswith(self.text(text)[:50])
            place = f"call {self.expression(call)} position {position} keyword {self.text(keyword)}"
            yield f"{self.text(text)!r} in {self.owner(owner)} {place}"

    def metrics(self) -> Iterator[str]:
        for definition, branches, nesting, count, lines, _ in rows(self.facts.metrics):
            measured = f"branches {branches} nesting {nesting} statements {count} lines {lines}"
            yield f"{self.owner(definition)}: {measured}"

    def problems(self) -> Iterator[str]:
        for kind, start, end, text in rows(self.facts.problems):
            yield f"{kind} {short(self.at(start, end))} {self.text(text)}"

    def all(self) -> list[str]:
        """Every table, each line opened by the name of its table."""
        return [f"{name} {line}" for name in TABLES for line in getattr(self, name)()]


LEAVES = (
    ExpressionKind.NAME,
    ExpressionKind.LITERAL,
    ExpressionKind.MODULE,
    ExpressionKind.TUPLE,
    ExpressionKind.UNION,
    ExpressionKind.COLLECTION,
)
NUMBERED = (ExpressionKind.OBJECT, ExpressionKind.FUNCTION, ExpressionKind.PARAMETER)
"""They refer to scopes and definitions."""
TABLES = (
    "scopes",
    "definitions",
    "occurrences",
    "imports",
    "decorators",
    "bases",
    "returns",
    "regions",
    "narrowings",
    "dispatches",
    "literals",
    "metrics",
    "problems",
)


def rows(table: Table) -> Iterator[tuple[int, ...]]:
    """Rows of any table."""
    names = [field.name for field in attrs.fields(type(table))]
    return zip(*(getattr(table, name) for name in names), strict=True)


def flag_text(flags: DefinitionFlag | OccurrenceFlag | ImportFlag) -> str:
    """Set flags by name."""
    names = [flag.name for flag in type(flags) if flag.value and flag in flags]
    rest = int(flags) & ~sum(int(flag) for flag in type(flags))
    names += [f"+{rest:x}"] if rest else []
    return f" [{' '.join(name for name in names if name)}]" if names else ""


def short(text: str) -> str:
    """The first characters of a text, on one line."""
    return repr(" ".join(text.split())[:40])
