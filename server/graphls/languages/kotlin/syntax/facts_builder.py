"""Facts builder: what the rules of Kotlin need to know while one file is being read.

Owns: names without backticks, tests that prove types, the property that accessors belong to, modifiers, annotations.
Must not know: what any node means.
Invariant: as that of the builder below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import NAME, DeclaredFactsBuilder, Rule

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
PROPERTY: Final = int(DefinitionKind.PROPERTY)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
SINGLE: Final = int(DefinitionFlag.STATIC)
"""On a class: an `object`, whose name is its one instance."""
COMPANION: Final = int(DefinitionFlag.KEYWORD_ONLY)
COMPONENT: Final = int(DefinitionFlag.INSTANCE)
"""On a property: a parameter of the constructor declares it."""
EXTENSION: Final = int(DefinitionFlag.RECEIVER)
"""On a function or property: its `value` is the type that it extends."""
WITH_CONSTRUCTOR: Final = DEFAULTED
"""On a class: its first constructor is written."""
PRIVATE: Final = int(DefinitionFlag.POSITIONAL_ONLY)
HIDDEN: Final = int(DefinitionFlag.DELETED)
"""For programs that are compiled already: no call in a source means it (`@Deprecated(level = HIDDEN)`)."""
KEYWORD: Final = int(Role.KEYWORD)
DECORATES: Final = int(Role.DECORATE)
NARROWED: Final = int(ExpressionKind.NARROWED)
UNION: Final = int(ExpressionKind.UNION)
OBJECT: Final = int(ExpressionKind.OBJECT)
LAMBDA: Final = int(ExpressionKind.LAMBDA)
COMMENTS: Final = frozenset({"line_comment", "multiline_comment", "shebang_line"})
_FLAGS: Final = {
    b"abstract": ABSTRACT,
    b"private": PRIVATE,
    b"suspend": int(DefinitionFlag.ASYNC),
    b"final": int(DefinitionFlag.FINAL),
    b"vararg": VARIADIC,
}

Proof = tuple[int, int]
"""The expression of a name, and the written type that it is proved to have."""


class KotlinFactsBuilder(DeclaredFactsBuilder):
    """What was read so far of a file of Kotlin."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self.property = -1
        """The property that was read last: accessors may stand behind it."""
        self.lambdas: list[bool] = []
        """For each lambda around: whether it has the parameter `it`."""
        self.block_end = len(data)
        self.tests: dict[tuple[int, int], tuple[Proof, bool]] = {}
        """What an `is` proves, by its stretch, and whether it does so where it is true."""
        self.proven: dict[int, list[Proof]] = {}
        """What `a && b` proves where it holds, or `a || b` where it does not, by its node."""

    def spelled(self, raw: bytes) -> str:
        """Backticks are no part of a name, blanks no part of the name of a package."""
        text = raw.decode("utf-8", "replace")
        if "`" in text:
            return text.replace("`", "")
        return "".join(text.split()) if not text.isidentifier() else text

    def prove(self, proofs: Sequence[Proof], start: int, end: int) -> None:
        """Names have these types between two offsets."""
        for subject, type_ in proofs:
            if start < end:
                self.narrowings.append((subject, type_, start, end, 1))

    def subject(self, node: Node | None) -> int:
        """The expression of a plain name, or of names with dots between them, that a test looks at; -1 for others."""
        while node is not None and node.type == "parenthesized_expression" and node.named_child_count == 1:
            node = node.named_children[0]
        if node is None:
            return -1
        if node.type in ("simple_identifier", "this_expression"):
            start = node.start_byte
            return self.expression(NAME, self.name(start, node.end_byte), self.scope, start)
        if node.type == "navigation_expression":
            text = self.source(node.start_byte, node.end_byte).replace("?.", ".").replace("!!", "")
            if text.replace(".", "").isidentifier():
                return self.expression(NAME, self.text(text), self.scope, node.start_byte)
        return -1


def kotlin(builder: DeclaredFactsBuilder) -> KotlinFactsBuilder:
    """The builder that the rules of Kotlin are run with."""
    return cast("KotlinFactsBuilder", builder)


def parts_of(node: Node) -> list[Node]:
    """Children with a meaning."""
    return [part for part in node.named_children if part.type not in COMMENTS]


def child(node: Node, *types: str) -> Node | None:
    """The first child of one of some kinds."""
    return next((part for part in node.children if part.type in types), None)


def modifiers(builder: DeclaredFactsBuilder, node: Node, row: int) -> int:
    """Reads the annotations before a declaration; answers the flags that the words before it set."""
    flags = 0
    for part in node.children:
        if part.type in ("modifiers", "parameter_modifiers"):
            for word in part.named_children:
                if word.type == "annotation":
                    flags |= annotation(builder, word, row)
                else:
                    flags |= _FLAGS.get(word.text or b"", 0)
        elif part.type not in COMMENTS and part.type != "constructor":
            break
    return flags


def annotation(builder: DeclaredFactsBuilder, node: Node, row: int) -> int:
    """`@Name(arguments)`, `@get:Name`; answers the flags that it sets."""
    flags = 0
    for part in node.named_children:
        if part.type not in ("user_type", "constructor_invocation"):
            continue
        made = builder.read(part, 1, DECORATES)
        written = child(part, "user_type") if part.type == "constructor_invocation" else part
        names = [one for one in written.named_children if one.type == "type_identifier"] if written is not None else []
        if row >= 0 and made >= 0 and names:
            last = builder.name(names[-1].start_byte, names[-1].end_byte)
            builder.decorators.append((row, made, node.start_byte, node.end_byte, last, -1))
            if names[-1].text == b"Deprecated" and b"HIDDEN" in builder.data[part.start_byte : part.end_byte]:
                flags |= HIDDEN
    return flags


def behind_annotations(node: Node) -> int:
    """Where the words of a declaration begin, behind annotations."""
    for part in node.children:
        if part.type == "modifiers":
            plain = [word.start_byte for word in part.children if word.type != "annotation" and word.is_named]
            if plain:
                return plain[0]
        elif part.type not in COMMENTS:
            return part.start_byte
    return node.start_byte
