"""Names that code puts together, read off the syntax trees alone, without graphls' own rules for them.

A place counts where it looks a member up by a name that is made of text in quotes and something else: the second
argument of `getattr` and `hasattr`, the key of `globals()`, `vars()` and `__dict__`, a subscript of TypeScript. A name
that a variable holds is not followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tree_sitter import Node

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import provider_for

_LOOKS = frozenset({"getattr", "hasattr", "setattr", "methodcaller", "attrgetter"})
_TABLES = frozenset({"globals", "locals", "vars"})
_ANY = "[A-Za-z0-9_$]+"


def patterns(snapshot: Snapshot) -> Iterator[tuple[re.Pattern[str], tuple[str, int]]]:
    """What each such name may be, with the file and the byte offset of the lookup."""
    for path in snapshot.files():
        language, text = snapshot.shards[path].language, snapshot.text(path)
        if text is None or language not in ("python", "typescript"):
            continue
        found = _of_python(text) if language == "python" else _of_typescript(path, text)
        for parts, start in found:
            if any(len(part) > 1 for part in parts):
                yield re.compile(_ANY.join(map(re.escape, parts))), (path, start)


def _of_python(text: bytes) -> Iterator[tuple[list[str], int]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for node in ast.walk(tree):
        key = _key(node)
        parts = _parts(key) if key is not None else []
        if len(parts) > 1 and isinstance(node, ast.expr):
            yield parts, lines[node.lineno - 1] + node.col_offset


def _key(node: ast.AST) -> ast.expr | None:
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        place = 0 if name in ("methodcaller", "attrgetter") else 1
        return node.args[place] if name in _LOOKS and len(node.args) > place else None
    if isinstance(node, ast.Subscript):
        of = node.value
        called = isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id in _TABLES
        return node.slice if called or getattr(of, "attr", "") == "__dict__" else None
    return None


def _parts(node: ast.expr) -> list[str]:
    """Text between what is put in: `["as_", ""]` of `"as_" + vendor`; one part where nothing is."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _parts(node.left), _parts(node.right)
        return [*left[:-1], left[-1] + right[0], *right[1:]]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        return re.split(r"%\w", str(node.left.value))
    if isinstance(node, ast.JoinedStr):
        parts = [""]
        for value in node.values:
            inner = _parts(value)
            parts = [*parts[:-1], parts[-1] + inner[0], *inner[1:]]
        return parts
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        of = node.func.value
        return re.split(r"\{[^}]*\}", str(of.value)) if isinstance(of, ast.Constant) else ["", ""]
    return ["", ""]


def _of_typescript(path: FilePath, text: bytes) -> Iterator[tuple[list[str], int]]:
    provider = provider_for(path)
    if provider is None or path.endswith((".vue", ".svelte", ".astro")):
        return
    pending: list[Node] = [provider.parser(path).parse(text).root_node]
    while pending:
        one = pending.pop()
        pending.extend(one.children)
        index = one.child_by_field_name("index") if one.type == "subscript_expression" else None
        parts = _of_node(index, text) if index is not None else []
        if len(parts) > 1:
            yield parts, one.start_byte


def _of_node(node: Node, text: bytes) -> list[str]:
    if node.type == "string":
        return [text[node.start_byte + 1 : node.end_byte - 1].decode(errors="replace")]
    if node.type == "template_string":
        parts = [""]
        for child in node.named_children:
            if child.type == "template_substitution":
                parts.append("")
            else:
                parts[-1] += text[child.start_byte : child.end_byte].decode(errors="replace")
        return parts
    operator = node.child_by_field_name("operator")
    if node.type == "binary_expression" and operator is not None and operator.type == "+":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            first, last = _of_node(left, text), _of_node(right, text)
            return [*first[:-1], first[-1] + last[0], *last[1:]]
    return ["", ""]
