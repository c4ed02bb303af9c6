"""Facts builder: what the rules of C++ need to know while one file is being read.

Owns: names of operators, parameters of the template that is being read, flags and their meaning.
Must not know: what any node means.
Invariant: as that of the builder below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
METHOD: Final = int(DefinitionKind.METHOD)
CLASS: Final = int(DefinitionKind.CLASS)
ENUM: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD: Final = int(DefinitionKind.FIELD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
NAMESPACE: Final = int(DefinitionKind.NAMESPACE)
IMPORT: Final = int(DefinitionKind.IMPORT)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
OBJECT: Final = int(ExpressionKind.OBJECT)
INHERITED: Final = int(Role.INHERIT)
KEYWORD: Final = int(Role.KEYWORD)
PROTOTYPE: Final = int(DefinitionFlag.OVERLOAD)
"""Only declares what is defined somewhere else."""
STATIC: Final = int(DefinitionFlag.STATIC)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
STAR: Final = int(DefinitionFlag.STAR)
VIRTUAL: Final = int(DefinitionFlag.RECEIVER)
"""On a method: it stands for one of a type above, or others may stand for it."""
INLINE: Final = int(DefinitionFlag.DEFAULTED)
"""On a namespace: its names are those of the one around it."""
MACRO: Final = int(DefinitionFlag.STAR | DefinitionFlag.DEFAULTED)
"""On an import: the name of a macro that opens the namespace in which it stands."""
SPECIAL: Final = int(DefinitionFlag.CONDITIONAL)
"""A specialisation of a template: uses name the template."""
ARROW: Final = 2
STARRED: Final = 3
INDEXED: Final = 4
"""How an element is taken, in place of the kind of a loop: `p->`, `*p`, `p[i]`."""
SCOPED: Final = 5
"""The same of what stands before `::`, which is itself, and neither a variable nor a function."""
DIALECT: Final = "c++"
"""The literal that is the first expression of each file."""
GLOBAL: Final = "::"
"""The literal whose members are names outside of all namespaces."""
VARIADIC_MOST: Final = 999


class CppFactsBuilder(DeclaredFactsBuilder):
    """What was read so far of a file of C++."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self.template: Node | None = None
        """The parameters of the template whose declaration is read next."""
        self.macros: dict[int, int] = {}
        """Where words begin that stand for `namespace name {`, and where they end."""

    def spelled(self, raw: bytes) -> str:
        """Names of operators have no blanks in them."""
        text = raw.decode("utf-8", "replace")
        if text.startswith("operator"):
            rest = text[8:].strip()
            if rest and not (rest[0].isalpha() or rest[0] in '_"'):
                return "operator" + "".join(rest.split())
            return " ".join(text.split())
        return "".join(text.split()) if text.startswith("~") else text


def cpp(builder: DeclaredFactsBuilder) -> CppFactsBuilder:
    """The builder that the rules of C++ are run with."""
    return cast("CppFactsBuilder", builder)


def in_class(builder: DeclaredFactsBuilder) -> bool:
    """Whether a member would be declared here."""
    return builder.scopes[builder.scope][0] in (CLASS_SCOPE, OBJECT_SCOPE)


def in_function(builder: DeclaredFactsBuilder) -> bool:
    """Whether statements stand here."""
    return builder.frame.definition >= 0 and builder.scopes[builder.scope][0] not in (CLASS_SCOPE, OBJECT_SCOPE)


def open_template(builder: DeclaredFactsBuilder, row: int, node: Node) -> None:
    """Puts the parameters of the template that is being read in a scope of their own, which becomes the current one."""
    state = cpp(builder)
    given, state.template = state.template, None
    if given is None:
        return
    from graphls.languages.c.cpp.syntax.templates import read_parameters

    builder.scope = builder.open_scope(int(ScopeKind.TYPE_PARAMETERS), given.start_byte, node.end_byte, row)
    read_parameters(builder, given)
