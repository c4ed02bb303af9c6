"""Macros: the arguments of macros, read as those of a call where they are such.

Owns: the text of the same length in which calls of macros are calls, what a macro gives back, names in other macros.
Must not know: what a macro of the workspace writes.
Invariant: offsets stay what they are; a macro whose arguments are no expressions is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from tree_sitter import Node, Query, QueryCursor, Tree

from graphls.languages.declared.facts_builder import CALLED, MEMBER, NAME, READ
from graphls.languages.extract.ancestry import Ancestry
from graphls.languages.extract.grammars import language, parse, parser
from graphls.languages.extract.yielding import yield_now
from graphls.languages.rust.syntax.expressions import call, read_arguments
from graphls.languages.rust.syntax.facts_builder import COLLECTION, STARRED, RustFactsBuilder, RustRule
from graphls.languages.rust.syntax.types import prefix

MOST: Final = 20_000
"""Calls of macros in one file that are read as calls."""
_MARKED: Final = frozenset(("macro_invocation", "macro_definition"))
_LEAST, _MOST_ASKED = 5, 10_000
"""Nodes of a call of a macro, at least: name, mark, brackets around nothing; nodes that are gone through at once."""
DEEPEST: Final = 40
ROUNDS: Final = 4
"""How often macros are left out whose arguments turn out to be no expressions."""
_BLANKED: Final = re.compile(rb"[^\r\n]")
_WORD: Final = re.compile(rb"\w+")
_OPENING: Final = frozenset("([{")
_STRINGS: Final = frozenset(("format", "concat", "stringify", "env", "include_str", "file"))
_TRUTHS: Final = frozenset(("matches", "assert_matches", "cfg"))
_SAME: Final = frozenset(("dbg", "black_box"))
_NUMBERS: Final = frozenset(("line", "column"))
_WRITES: Final = frozenset(("write", "writeln"))
_NAMES: Final = frozenset(("identifier", "self", "crate", "super"))


def as_calls(data: bytes, tree: Tree) -> tuple[Tree, frozenset[int], Sequence[int]]:
    """The tree of the text in which macros are called like functions, where their arguments begin, and where macros
    begin that stand around items, which are read as if they stood there alone."""
    found = list(_invocations(tree.root_node, data))[:MOST]
    for _ in range(ROUNDS):
        if not found:
            break
        text = bytearray(data)
        for _, start, end, _, head in found:
            if head >= 0:
                inside = data[start + 1 : end - 1].replace(b"static ref ", b"static     ")
                text[head:end] = _BLANKED.sub(b" ", data[head : start + 1]) + inside + b" "
        for mark, start, end, separators, head in found:
            if head >= 0:
                continue
            text[mark] = 0x20
            text[start] = 0x28
            text[end - 1] = 0x29
            for at in separators:
                text[at] = 0x2C
        made = parse(parser("rust"), bytes(text))
        broken = _broken(made.root_node)
        bad = _spoilt(found, broken, tree.root_node.has_error)
        if not bad:
            calls = frozenset(start for _, start, _, _, head in found if head < 0)
            return made, calls, [head for *_, head in found if head >= 0]
        found = [one for one in found if one[1] not in bad]
    return tree, frozenset(), ()


Invocation = tuple[int, int, int, list[int], int]
"""Where the mark of a macro is, where its arguments begin and end, semicolons among them; where it begins, if it
stands around items."""


def _invocations(root: Node, data: bytes) -> Iterator[Invocation]:
    """Calls of macros, those in the arguments of others too; what is in `macro_rules!` is none."""
    end, ancestry = 0, Ancestry(root)
    for node in _marked(root, data):
        if node.start_byte < end:
            continue  # in one before
        end = node.end_byte
        if node.type == "macro_invocation":
            yield from _invocation(node, data, ancestry)


def _marked(root: Node, data: bytes) -> list[Node]:
    """Calls and definitions of macros in order, but for those in others. A query keeps the interpreter's lock to its
    end: what is large is gone through part by part."""
    found: list[Node] = []
    pending = [root] if b"!" in data else []
    cursor, marked = QueryCursor(_query()), _MARKED
    while pending:
        node = pending.pop()
        count = node.descendant_count
        if count < _LEAST:
            continue
        if node.type in marked:
            found.append(node)
        elif count > _MOST_ASKED:
            yield_now()
            pending += reversed(node.children)
        else:
            of_part = cursor.captures(node)
            found += sorted([*of_part.get("call", ()), *of_part.get("rules", ())], key=_start)
    return found


def _start(node: Node) -> int:
    return node.start_byte


@cache
def _query() -> Query:
    return Query(language("rust"), "(macro_invocation) @call (macro_definition) @rules")


def _invocation(node: Node, data: bytes, ancestry: Ancestry) -> Iterator[Invocation]:
    parts = node.children
    for at, part in enumerate(parts):
        if part.type == "token_tree":
            mark = next((one for one in parts[:at] if one.type == "!"), None)
            if mark is None:
                continue
            around, name = ancestry.parent(node), node.child_by_field_name("macro")
            among = around is not None and around.type in ("source_file", "declaration_list")
            if among and data[part.start_byte] == 0x7B and name is not None and name.type == "identifier":
                yield mark.start_byte, part.start_byte, part.end_byte, [], name.start_byte
                yield from _inside(part, data, 1)
            else:
                yield from _one(part, mark, data, 0)


def _one(tokens: Node, mark: Node, data: bytes, depth: int) -> Iterator[Invocation]:
    start, end = tokens.start_byte, tokens.end_byte
    if end - start < 2 or depth > DEEPEST:
        return
    if data[start] != 0x7B or _is_expression(data, end):
        separators = [part.start_byte for part in tokens.children if part.type == ";"] if data[start] == 0x5B else []
        yield mark.start_byte, start, end, separators, -1
    yield from _inside(tokens, data, depth + 1)


def _is_expression(data: bytes, end: int) -> bool:
    """Whether braces of a macro are followed by what follows an expression."""
    return data[end : end + 16].lstrip()[:1] in (b";", b")", b",", b".", b"?")


def _inside(tokens: Node, data: bytes, depth: int) -> Iterator[Invocation]:
    parts = tokens.children
    for at, part in enumerate(parts):
        if part.type != "token_tree":
            continue
        named = at > 1 and parts[at - 1].type == "!" and parts[at - 2].type == "identifier"
        if named and parts[at - 1].start_byte == parts[at - 2].end_byte:
            yield from _one(part, parts[at - 1], data, depth)
        elif depth <= DEEPEST:
            yield from _inside(part, data, depth + 1)


def _broken(root: Node) -> list[tuple[int, int]]:
    """Where a tree is broken."""
    found: list[tuple[int, int]] = []
    pending = [root] if root.has_error else []
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            found.append((node.start_byte, node.end_byte))
        else:
            pending += [child for child in node.children if child.has_error or child.is_missing]
    return found


def _spoilt(found: list[Invocation], broken: list[tuple[int, int]], was_broken: bool) -> set[int]:
    """The macros around broken places: of several around one the innermost."""
    bad: set[int] = set()
    for here, there in broken:
        around = [one for one in found if one[1] <= here and there <= one[2]]
        if around:
            bad.add(max(around, key=lambda one: one[1])[1])
            continue
        touched = [one[1] for one in found if one[0] <= there and here <= one[2]]
        if not was_broken or touched:
            bad.update(touched)
    return bad


def around_items(builder: RustFactsBuilder, heads: Sequence[int]) -> None:
    """Records the names of macros that stand around items."""
    for head in heads:
        word = _WORD.match(builder.data, head)
        if word is not None:
            row = builder.expression(NAME, builder.name(head, word.end()), 0, head)
            builder.use(head, word.end(), CALLED, builder.expression(STARRED, row))


def called(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """A call, which may be one of a macro."""
    arguments = node.child_by_field_name("arguments")
    if arguments is None or arguments.start_byte not in builder.mended:
        return call(builder, node, want, role)
    function = node.child_by_field_name("function")
    name = _macro_name(builder, function) if function is not None else ""
    rows = _arguments(builder, arguments, name)
    return _given(builder, name, rows) if want else -1


def _arguments(builder: RustFactsBuilder, node: Node, name: str) -> list[int]:
    if name not in _TRUTHS:
        return read_arguments(builder, node, -1)
    rows: list[int] = []
    for part in node.named_children:
        builder.matching = bool(rows)
        rows.append(builder.read(part, 1))
    builder.matching = False
    return rows


def _macro_name(builder: RustFactsBuilder, node: Node) -> str:
    """Records the name of a macro; answers its last part."""
    last, row = node, -1
    if node.type == "scoped_identifier":
        last = node.child_by_field_name("name") or node
        base = prefix(builder, node.child_by_field_name("path"))
        if base >= 0:
            row = builder.expression(MEMBER, base, builder.name(last.start_byte, last.end_byte), last.start_byte)
    else:
        row = builder.named(node)
    if row >= 0 and last.type == "identifier":
        builder.use(last.start_byte, last.end_byte, CALLED, builder.expression(STARRED, row))
    return builder.source(last.start_byte, last.end_byte)


def _given(builder: RustFactsBuilder, name: str, rows: list[int]) -> int:
    """What a macro gives back, as far as that is known."""
    if name in _STRINGS:
        return builder.builtin("String" if name == "format" else "str")
    if name in _TRUTHS:
        return builder.builtin("bool")
    if name in _SAME:
        return rows[0] if rows else -1
    if name in _NUMBERS:
        return builder.builtin("u32")
    if name == "vec":
        return builder.expression(COLLECTION, builder.sequence(rows[:1]), builder.text("Vec"), builder.sequence(()))
    if name in _WRITES:
        return builder.expression(COLLECTION, builder.sequence(()), builder.text("Result"), builder.sequence(()))
    return -1


def invocation(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """A macro whose arguments are no expressions: the names among them."""
    name = node.child_by_field_name("macro")
    word = _macro_name(builder, name) if name is not None else ""
    for part in node.named_children:
        if part.type == "token_tree":
            _tokens(builder, part, 0)
    return _given(builder, word, []) if want else -1


def _tokens(builder: RustFactsBuilder, node: Node, depth: int) -> None:
    """Names among tokens: paths and fields, as far as marks between them tell."""
    parts = node.children
    base, separator = -1, ""
    for at, part in enumerate(parts):
        kind = part.type
        if kind == "token_tree" and depth < DEEPEST:
            _tokens(builder, part, depth + 1)
        if kind not in _NAMES:
            if kind in ("::", ".") and separator == "" and base >= 0:
                separator = kind
            else:
                base, separator = -1, ""
            continue
        after = parts[at + 1] if at + 1 < len(parts) else None
        base = _token(builder, part, after, base if separator else -1, separator)
        separator = ""


def _token(builder: RustFactsBuilder, node: Node, after: Node | None, base: int, separator: str) -> int:
    name = builder.name(node.start_byte, node.end_byte)
    following = after.type if after is not None else ""
    if base < 0:
        row = builder.named(node)
        if following in ("=>", "=", ":") or node.type in ("crate", "super"):
            return row
        if following == "!":
            builder.use(node.start_byte, node.end_byte, CALLED, builder.expression(STARRED, row))
        elif following in ("::", ".") or node.type == "identifier" or node.type == "self":
            builder.use(node.start_byte, node.end_byte, CALLED if following == "token_tree" else READ)
        return row
    if separator == "::":
        base = builder.entered(base)
    role = CALLED if following == "token_tree" else READ
    builder.use_of(node, role, base)
    return builder.expression(MEMBER, base, name, node.start_byte)


RULES: dict[str, RustRule] = {
    "call_expression": called,
    "macro_invocation": invocation,
}
