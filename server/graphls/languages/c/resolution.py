"""Resolution: which resolver a file has.

Owns: the choice between the rules of C and those of C++.
Must not know: how either works.
Invariant: the facts decide: those of C++ begin with a literal that says so.
"""

from __future__ import annotations

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.c.cpp.syntax.facts_builder import DIALECT
from graphls.languages.extract.kinds import LITERAL_EXPRESSION
from graphls.languages.provider import Resolver, World


def resolver(path: FilePath, facts: FileFacts, world: World) -> Resolver:
    """A resolver for one file."""
    table = facts.expressions
    if len(table) and table.kind[0] == LITERAL_EXPRESSION and facts.strings[table.a[0]] == DIALECT:
        from graphls.languages.c.cpp.types.resolver import CppResolver

        return CppResolver(path, facts, world)
    from graphls.languages.c.types.resolver import CResolver

    return CResolver(path, facts, world)
