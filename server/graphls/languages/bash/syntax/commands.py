"""Commands: what a script runs, and what it reads in.

Owns: the rules of commands, which arguments of which commands are names, what is written out of a sourced path.
Must not know: which functions there are, other files.
Invariant: the name of a command is a use where it is written out; a path that is computed in its end names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import Role
from graphls.languages.bash.sources import COMPUTED
from graphls.languages.bash.syntax.variables import FUNCTION_NAME, NAME, bind
from graphls.languages.declared.facts_builder import CALLED, DeclaredFactsBuilder, Rule

IMPORTED: Final = int(Role.IMPORT)
EXPORTED: Final = int(Role.EXPORT)
_SOURCING: Final = frozenset((b"source", b"."))
_BEFORE: Final = frozenset((b"command", b"builtin", b"exec", b"time", b"nohup", b"env", b"sudo", b"eval", b"coproc"))
"""Commands whose first argument is a command."""
_NAMING: Final = frozenset((b"type", b"trap", b"unalias"))
"""Commands whose first argument names a function."""
_READING: Final = frozenset((b"read", b"mapfile", b"readarray"))
_WITH_VALUE: Final = re.compile(rb"-\w*[dinNptuCcO]\Z")
"""Options of `read` and `mapfile` whose value is the next word."""
_FUNCTION: Final = re.compile(rb"[A-Za-z_][\w:.+@-]*\Z")
_DIRECTIVE: Final = re.compile(rb"#[ \t]*shellcheck[ \t]+source=(\S+)[^\n]*\n[ \t]*\Z")
_COMPUTED: Final = frozenset("\0\n\r\t*?[]{}~ ")


def command(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name argument ...`."""
    name = node.child_by_field_name("name")
    arguments = node.children_by_field_name("argument")
    for part in node.named_children:
        if part.type in ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect"):
            builder.read(part)
    builder.shape.append(node.kind_id)
    if name is None:
        for part in arguments:
            builder.read(part)
        return -1
    word = name.text or b""
    if word in _SOURCING and arguments:
        _source(builder, name, arguments[0])
        arguments = arguments[1:]
    elif not _program(builder, name):
        builder.read_all(name)
    _arguments(builder, word, arguments)
    return -1


def _arguments(builder: DeclaredFactsBuilder, word: bytes, arguments: Sequence[Node]) -> None:
    if word in _READING:
        _read_names(builder, arguments)
    elif word in _BEFORE or word in _NAMING:
        at = _first_word(arguments)
        first = arguments[at] if at < len(arguments) else None
        if first is not None and word in _NAMING:
            _named(builder, first)
        elif first is not None and _program(builder, first):
            _arguments(builder, first.text or b"", arguments[at + 1 :])
            return
    elif (word == b"getopts" and len(arguments) > 1) or (
        word == b"printf" and len(arguments) > 1 and arguments[0].text == b"-v"
    ):
        bind(builder, arguments[1])
    for part in arguments:
        builder.read(part)


def _first_word(arguments: Sequence[Node]) -> int:
    at = 0
    while at < len(arguments) and (arguments[at].text or b"").startswith(b"-"):
        at += 1
    return at


def _program(builder: DeclaredFactsBuilder, node: Node) -> bool:
    """A command by its name; whether it is written out. One by its path is read as what documents run."""
    if not _FUNCTION.match(node.text or b""):
        return False
    builder.use(node.start_byte, node.end_byte, CALLED)
    return True


def _named(builder: DeclaredFactsBuilder, node: Node) -> None:
    if node.type == "word" and _FUNCTION.match(node.text or b""):
        builder.use(node.start_byte, node.end_byte, FUNCTION_NAME)


def _read_names(builder: DeclaredFactsBuilder, arguments: Sequence[Node]) -> None:
    """`read -r -p text name ...`."""
    skip = False
    for part in arguments:
        text = part.text or b""
        if skip:
            skip = False
        elif text.startswith(b"-"):
            skip = bool(_WITH_VALUE.match(text))
        elif part.type == "word" and NAME.match(text):
            bind(builder, part)


def _source(builder: DeclaredFactsBuilder, name: Node, path: Node) -> None:
    """Who sources this script has what it sources too: the word `source` says it to others."""
    written, start = _written(builder, path)
    directive = _DIRECTIVE.search(builder.data, max(0, name.start_byte - 300), name.start_byte)
    if directive is not None:
        written = directive[1].decode("utf-8", "replace")
    if not written:
        builder.read(path)
        return
    row = (builder.text(written), EXPORTED, builder.use_flags, builder.scope, -1, builder.owner)
    builder.occurrences += (name.start_byte, name.end_byte, *row)
    module, end = builder.text(written), path.end_byte
    end -= builder.data[end - 1 : end] in (b'"', b"'")
    builder.use(start, end, IMPORTED, builder.module(module, 0))
    builder.imports.append([module, 0, -1, -1, 0, start, end, builder.scope])
    builder.read(path)


def _written(builder: DeclaredFactsBuilder, node: Node) -> tuple[str, int]:
    """What is written out of a path, COMPUTED before it where more stands there, and where that begins; "" where its
    end is computed."""
    start, end = node.start_byte, node.end_byte
    last = start
    pending = [node]
    while pending:
        part = pending.pop()
        if part.type in ("simple_expansion", "expansion", "command_substitution"):
            last = max(last, part.end_byte)
        else:
            pending.extend(part.children)
    computed = last > start
    text = builder.data[last:end].decode("utf-8", "replace")
    lead = len(text) - len(text.lstrip("\"'"))
    plain = text.strip("\"'")
    if not plain or "'" in plain or '"' in plain or not _COMPUTED.isdisjoint(plain):
        return "", start
    if not computed:
        return plain, start + lead
    inner = plain.lstrip("/")
    if not plain.startswith("/") or not inner:
        return "", start
    return COMPUTED + inner, last + len(text[: text.index(inner)].encode())


RULES: dict[str, Rule] = {"command": command}
