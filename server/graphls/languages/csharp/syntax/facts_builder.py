"""Facts builder: what the rules of C# need to know while one file is being read.

Owns: what a name behind `?.` stands behind, the type that an accessor gets, modifiers and attributes.
Must not know: what any node means.
Invariant: as that of the builder below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
NAMESPACE_SCOPE: Final = int(ScopeKind.NAMESPACE)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
KEYWORD: Final = int(Role.KEYWORD)
DECORATES: Final = int(Role.DECORATE)
LOOPED: Final = 1
"""On an element: what a loop gives, where an index may give something else."""
TRIVIA: Final = frozenset({"comment", "preproc_region", "preproc_endregion", "preproc_pragma", "preproc_nullable"})
_FLAGS: Final = {
    b"static": int(DefinitionFlag.STATIC),
    b"const": int(DefinitionFlag.STATIC),
    b"abstract": ABSTRACT,
    b"sealed": int(DefinitionFlag.FINAL),
    b"async": int(DefinitionFlag.ASYNC),
}


class CSharpFactsBuilder(DeclaredFactsBuilder):
    """What was read so far of a file of C#."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self.before = -1
        """What stands before `?.`."""
        self.expected = -1
        self.expected_value = -1
        """A value of the type that `new()` makes, where no type is written."""
        """The type that `new()` makes here, where one is written."""
        self.set_type = -1
        """The type of `value` in an accessor."""
        self.in_setter = False
        self.program = -1
        """The scope of the statements of a program, once there is one."""

    def empty(self) -> DeclaredFactsBuilder:
        """A builder of the same language."""
        return CSharpFactsBuilder(b"", self.rules)


def csharp(builder: DeclaredFactsBuilder) -> CSharpFactsBuilder:
    """The builder that the rules of C# are run with."""
    return cast("CSharpFactsBuilder", builder)


def modifiers(builder: DeclaredFactsBuilder, node: Node, row: int) -> int:
    """Reads the attributes before a declaration; answers the flags that the words before it set."""
    flags = 0
    for part in node.children:
        if part.type == "modifier":
            flags |= _FLAGS.get(part.text or b"", 0)
        elif part.type == "attribute_list":
            for one in part.named_children:
                made = builder.read(one, 1)
                if row >= 0 and made >= 0:
                    name = one.child_by_field_name("name")
                    last = builder.text(builder.source(name.start_byte, name.end_byte)) if name is not None else -1
                    builder.decorators.append((row, made, one.start_byte, one.end_byte, last, -1))
        elif part.type not in TRIVIA and part.is_named:
            break
    return flags


def words(node: Node) -> frozenset[bytes]:
    """The modifiers of a declaration."""
    return frozenset([part.text or b"" for part in node.children if part.type == "modifier"])


def behind_attributes(node: Node) -> int:
    """Where the words of a declaration begin."""
    for part in node.children:
        if part.type != "attribute_list" and part.type not in TRIVIA:
            return part.start_byte
    return node.start_byte
