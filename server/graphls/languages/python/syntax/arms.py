"""Arms: which arms of a library's conditions run under a version of Python and a system.

Owns: tests of `sys.version_info`, `sys.platform`, `os.name` and `TYPE_CHECKING`; the text without arms that never run.
Must not know: where the version and the system come from, facts.
Invariant: offsets stay what they are; what a test means is decided or the arm stays; nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias, final

from tree_sitter import Node

from graphls.languages.extract.grammars import parse, parser

Version: TypeAlias = tuple[int, int]

_WORDS: Final = (b"version_info", b"sys.platform", b"os.name", b"TYPE_CHECKING")
_CHECKING: Final = re.compile(r"(?:\w+\.)?TYPE_CHECKING(?:isTrue|==True)?\Z")
_COMPARED: Final = re.compile(
    r"sys\.version_info(?P<part>\[0\]|\[:[12]\]|\.major)?(?P<sign>>=|<=|==|!=|<|>)\(?(?P<numbers>\d+(?:,\d+)*),?\)?\Z"
)
_SYSTEM: Final = re.compile(r"(?P<what>sys\.platform|os\.name)(?P<sign>==|!=)(?P<quote>[\"'])(?P<name>\w+)(?P=quote)\Z")
_BEGINS: Final = re.compile(r"sys\.platform\.startswith\((?P<quote>[\"'])(?P<name>\w+)(?P=quote)\)\Z")
_LINE: Final = re.compile(rb"[^\r\n]")
_NOTHING: Final = b"pass"
_DEEPEST: Final = 20
_LONGEST: Final = 200


@final
class LibraryTarget:
    """What a library is read for."""

    def __init__(self, version: Version, platform: str) -> None:
        self.version = version
        self.platform = platform


def chosen(data: bytes, target: LibraryTarget) -> bytes:
    """The text with arms that never run as white space."""
    if not any(word in data for word in _WORDS):
        return data
    text = bytearray(data)
    for start, end in _idle(parse(parser("python"), data).root_node, target):
        if end - start >= len(_NOTHING):
            blank = _LINE.sub(b" ", data[start:end])
            text[start:end] = _NOTHING + blank[len(_NOTHING) :]
    return bytes(text)


def _idle(root: Node, target: LibraryTarget) -> Iterator[tuple[int, int]]:
    """Blocks that never run, outermost only."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type != "if_statement":
            pending.extend(node.named_children)
            continue
        decided = False
        for arm in _arms(node):
            condition, block = arm.child_by_field_name("condition"), _block(arm)
            holds = True if condition is None else _holds(condition, target, 0)
            if block is not None and (decided or holds is False):
                yield block.start_byte, block.end_byte
            elif block is not None:
                pending.append(block)
            decided = decided or holds is True


def _arms(node: Node) -> list[Node]:
    return [node, *(part for part in node.named_children if part.type in ("elif_clause", "else_clause"))]


def _block(arm: Node) -> Node | None:
    return arm.child_by_field_name("consequence") or arm.child_by_field_name("body")


def _holds(node: Node, target: LibraryTarget, depth: int) -> bool | None:
    """Whether a test holds; None where its text does not decide."""
    if depth > _DEEPEST:
        return None
    parts = [part for part in node.named_children if part.type != "comment"]
    if node.type == "parenthesized_expression" and len(parts) == 1:
        return _holds(parts[0], target, depth + 1)
    if node.type == "not_operator" and len(parts) == 1:
        inner = _holds(parts[0], target, depth + 1)
        return None if inner is None else not inner
    if node.type == "boolean_operator" and len(parts) == 2:
        both = [_holds(part, target, depth + 1) for part in parts]
        ends = any(child.type == "or" for child in node.children)
        if ends in both:
            return ends
        return None if None in both else not ends
    raw = node.text or b""
    return _plain("".join(raw.decode("utf-8", "replace").split()), target) if len(raw) < _LONGEST else None


def _plain(text: str, target: LibraryTarget) -> bool | None:
    if _CHECKING.match(text):
        return True
    begins = _BEGINS.match(text)
    if begins is not None:
        return target.platform.startswith(begins["name"])
    system = _SYSTEM.match(text)
    if system is not None:
        named = target.platform if system["what"] == "sys.platform" else _name_of(target.platform)
        return (named == system["name"]) == (system["sign"] == "==")
    compared = _COMPARED.match(text)
    return None if compared is None else _newer(compared, target.version)


def _name_of(platform: str) -> str:
    return "nt" if platform == "win32" else "posix"


def _newer(compared: re.Match[str], version: Version) -> bool | None:
    numbers = tuple(int(number) for number in compared["numbers"].split(","))
    part, sign = compared["part"] or "", compared["sign"]
    if part in ("[0]", ".major", "[:1]"):
        have: tuple[int, ...] = version[:1]
    elif len(numbers) > len(version) and numbers[:2] == version:
        return None
    else:
        have = version if part else (*version, 0)
    less, same = have < numbers, have == numbers
    if sign in ("==", "!="):
        return same == (sign == "==")
    if sign in (">=", "<"):
        return less == (sign == "<")
    return (less or same) == (sign == "<=")
