"""Facts builder: what the rules of Swift need to know while one file is being read.

Owns: names without backticks, words that accessors and handlers bind, access that members inherit, modifiers.
Must not know: what any node means.
Invariant: as that of the builder below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import CALL, DeclaredFactsBuilder, Rule
from graphls.languages.extract.facts_builder import U_OWNER, USE

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
PROPERTY: Final = int(DefinitionKind.PROPERTY)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
STATIC: Final = int(DefinitionFlag.STATIC)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
PRIVATE: Final = int(DefinitionFlag.POSITIONAL_ONLY)
"""Only its own file sees it."""
PUBLIC: Final = int(DefinitionFlag.EXPORTED)
"""Other modules see it."""
EXTENSION: Final = int(DefinitionFlag.RECEIVER)
"""On a namespace: an extension; its `type` is what it extends."""
STRUCT: Final = int(DefinitionFlag.CACHED)
"""On a class: a struct, which has a constructor of its stored properties."""
STORED: Final = int(DefinitionFlag.INSTANCE)
"""On a property: it holds a value."""
FAILABLE: Final = int(DefinitionFlag.KEYWORD_ONLY)
"""On a constructor: it may give nothing."""
WRAPPED_BY: Final = int(DefinitionFlag.DEFAULT_EXPORT)
"""On a property: something may wrap it."""
CONSTANT_VALUE: Final = int(DefinitionFlag.FINAL)
"""On a stored property: a `let` with a value, which no constructor takes."""
KEYWORD: Final = int(Role.KEYWORD)
DECORATES: Final = int(Role.DECORATE)
NARROWED: Final = int(ExpressionKind.NARROWED)
UNION: Final = int(ExpressionKind.UNION)
LAMBDA: Final = int(ExpressionKind.LAMBDA)
OPERATION: Final = int(ExpressionKind.OPERATION)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
UNWRAPPED: Final = int(ExpressionKind.AWAIT)
"""What an optional holds: nothing in Swift's types stands for `await`."""
WRAPPED: Final = int(ExpressionKind.STARRED)
"""An optional of a value."""
COMMENTS: Final = frozenset({"comment", "multiline_comment", "shebang_line", "directive", "diagnostic"})
_FLAGS: Final = {
    b"private": PRIVATE,
    b"fileprivate": PRIVATE,
    b"public": PUBLIC,
    b"open": PUBLIC,
    b"package": PUBLIC,
    b"static": STATIC,
    b"class": STATIC,
    b"lazy": 0,
}
_ACCESS: Final = frozenset((b"private", b"fileprivate", b"public", b"open", b"package", b"internal"))
_WORDS_OF_THE_LANGUAGE: Final = frozenset((
    b"available", b"discardableResult", b"escaping", b"autoclosure", b"inlinable", b"inline", b"usableFromInline",
    b"frozen", b"preconcurrency", b"objc", b"objcMembers", b"nonobjc", b"IBAction", b"IBOutlet", b"IBInspectable",
    b"IBDesignable", b"IBSegueAction", b"NSManaged", b"NSCopying", b"main", b"UIApplicationMain", b"testable",
    b"_exported", b"_spi", b"_implementationOnly", b"convention", b"dynamicMemberLookup", b"dynamicCallable",
    b"propertyWrapper", b"resultBuilder", b"retroactive", b"unchecked", b"unknown", b"warn_unqualified_access",
    b"_alwaysEmitIntoClient", b"_transparent", b"_disfavoredOverload", b"_specialize", b"_semantics", b"Sendable",
    b"backDeployed", b"freestanding", b"attached", b"requires_stored_property_inits", b"_silgen_name", b"_cdecl",
    b"isolated", b"globalActor", b"rethrows", b"lifetime", b"_lifetime", b"unsafe", b"safe", b"export", b"_effects",
    b"_fixed_layout", b"_hasMissingDesignatedInitializers", b"_inheritsConvenienceInitializers", b"implementation",
    b"_unsafeInheritExecutor", b"_eagerMove", b"_noImplicitCopy", b"abi", b"concurrent", b"nonexhaustive",
))  # fmt: skip
"""Attributes that no declaration stands for."""


class SwiftFactsBuilder(DeclaredFactsBuilder):
    """What was read so far of a file of Swift."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self.lambdas: list[int] = []
        """For each closure around: how many `$0`, `$1`... it uses."""
        self.words: dict[bytes, int] = {}
        """`newValue` and the like -> the expression that each stands for."""
        self.access = 0
        """What members are that say nothing of their access."""
        self.carried: dict[tuple[int, int], list[Node]] = {}
        """Operands of operators -> brackets and dots behind them, which the grammar puts behind the whole operation."""
        self.plain: set[int] = set()
        """Nodes of which it is known that nothing behind them belongs to an operand inside of them."""
        self._late: list[tuple[int, int, int]] = []

    def spelled(self, raw: bytes) -> str:
        """Backticks are no part of a name."""
        text = raw.decode("utf-8", "replace")
        return text.replace("`", "") if "`" in text else text

    def owned_later(self, first: int, name: int) -> None:
        """Uses from one on belong to the type of a name at the top of the file, wherever it stands."""
        self._late.append((first, len(self.occurrences) // USE, name))

    def settle(self) -> None:
        """Gives uses their owners, once all is read."""
        for first, last, name in self._late:
            row = self.bound.get((0, name), -1)
            for at in range(first, last) if row >= 0 else ():
                self.occurrences[at * USE + U_OWNER] = row

    def unwrapped(self, row: int) -> int:
        """What an optional holds."""
        return self.expression(UNWRAPPED, row) if row >= 0 else -1

    def expect(self, row: int, type_: int, *, written: bool = True) -> None:
        """A written type, or the type of a value, says what an expression is."""
        if row >= 0 and type_ >= 0:
            self.expression(NARROWED, row, type_, int(written))


def swift(builder: DeclaredFactsBuilder) -> SwiftFactsBuilder:
    """The builder that the rules of Swift are run with."""
    return cast("SwiftFactsBuilder", builder)


def parts_of(node: Node) -> list[Node]:
    """Children with a meaning."""
    return [part for part in node.named_children if part.type not in COMMENTS]


def child(node: Node, *types: str) -> Node | None:
    """The first child of one of some kinds."""
    return next((part for part in node.children if part.type in types), None)


def has(node: Node, word: str) -> bool:
    """Whether a word or sign is a child of a node."""
    return any(part.type == word for part in node.children)


def modifiers(builder: DeclaredFactsBuilder, node: Node, row: int) -> int:
    """Reads the attributes before a declaration; answers the flags that the words before it set."""
    flags, said = 0, False
    for part in node.children:
        if part.type == "modifiers":
            for word in part.children:
                if word.type == "attribute":
                    attribute(builder, word, row, wraps=node.type == "property_declaration" and has(node, "="))
                    continue
                text = word.text or b""
                if b"(" in text:
                    continue
                said = said or text in _ACCESS
                flags |= _FLAGS.get(text, 0)
        elif part.type == "class" and node.type in ("function_declaration", "property_declaration"):
            flags |= STATIC
    return flags if said else flags | swift(builder).access


def attribute(builder: DeclaredFactsBuilder, node: Node, row: int, *, wraps: bool = False) -> None:
    """`@Name(arguments)`: a wrapper, a builder, a macro or a word of the language. `wraps`: a value is its first
    argument."""
    parts = node.children
    made, last, label = -1, -1, -1
    rows: list[int] = [-1] if wraps else []
    names: list[int] = [builder.text("wrappedValue")] if wraps else []
    for at, part in enumerate(parts):
        if not part.is_named or part.type in COMMENTS:
            continue
        if part.type == "user_type":
            spelled = [one for one in part.named_children if one.type == "type_identifier"]
            if len(spelled) == 1 and spelled[0].text in _WORDS_OF_THE_LANGUAGE:
                return
            made = builder.read(part, 1, DECORATES)
            last = builder.name(spelled[-1].start_byte, spelled[-1].end_byte) if spelled else -1
        elif part.type == "simple_identifier" and at + 1 < len(parts) and parts[at + 1].type == ":":
            label = builder.name(part.start_byte, part.end_byte)
        else:
            rows.append(builder.read(part, 1))
            names.append(label)
            label = -1
    if made >= 0 and rows:
        builder.expression(CALL, made, builder.sequence(rows), builder.sequence(names))
    if row >= 0 and made >= 0 and last >= 0:
        builder.decorators.append((row, made, node.start_byte, node.end_byte, last, -1))


def behind_attributes(node: Node) -> int:
    """Where the words of a declaration begin, behind attributes."""
    for part in node.children:
        if part.type == "modifiers":
            plain = [word.start_byte for word in part.children if word.type != "attribute"]
            if plain:
                return plain[0]
        elif part.type not in COMMENTS:
            return part.start_byte
    return node.start_byte
