"""Texts: the text of a file beside its facts.

Owns: which comments and strings a file has, the name that an argument is.
Must not know: what names mean, rules.
Invariant: a function of one file.
"""

from __future__ import annotations

import re
from typing import Final

from graphls.analysis.frameworks.arguments import HASHES, LEXIS, CodeText
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.nodes import use_at
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import providers

_STRING: Final = rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_COMMENTS: Final = re.compile(_STRING + rb"|(//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))")
_PLAIN_COMMENTS: Final = re.compile(_STRING + rb"|(//[^\n]*|/\*(?!\*)(?:[^*]|\*(?!/))*(?:\*/|\Z))")
_BLANKS: Final = bytes(byte if byte in b"\n\r" else 0x20 for byte in range(256))


def code_of(snapshot: Snapshot, path: FilePath) -> CodeText:
    """The text of a file, with the comments and strings of its language."""
    provider = providers().get(snapshot.shards[path].language)
    comment = provider.capabilities.line_comment if provider is not None else ""
    return CodeText(snapshot.text(path) or b"", LEXIS.get(comment, HASHES))


def chain_end(facts: FileFacts, code: CodeText, start: int, end: int) -> int:
    """The last name of a stretch that is a chain of names and nothing else; -1 when it is not."""
    piece = code.data[start:end]
    if not piece.replace(b".", b"").replace(b"_", b"").decode("utf-8", "replace").isalnum():
        return -1
    return use_at(facts, start + piece.rfind(b".") + 1)


def without_comments(data: bytes, *, documented: bool = False) -> bytes:
    """The text of code whose comments begin with slashes, with blanks in their place. `documented`: comments that
    document stay."""
    comments = _PLAIN_COMMENTS if documented else _COMMENTS
    return comments.sub(lambda found: found[0].translate(_BLANKS) if found[1] else found[0], data)
