"""Handshake: how an agent's process and a language server that runs already come to speak to each other.

Owns: the first line each side says, the proof that both know the token.
Must not know: tools, what is said afterwards.
Invariant: the token itself never crosses the connection; neither side says more before the other one proved itself.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any, Final, cast

import attrs

LONGEST_HELLO: Final = 4_000
LONGEST_LINE: Final = 64_000_000
_AGENT, _EDITOR = "agent", "editor"


@attrs.frozen(kw_only=True)
class Hello:
    """What an agent's process asks for."""

    writes: bool
    max_bytes: int
    wait: float
    profile: str


def hello_line(hello: Hello, token: str) -> tuple[bytes, str]:
    """The first line of an agent's process, and the word that the answer must rest on."""
    word = secrets.token_hex(16)
    return _line({**attrs.asdict(hello), "word": word, "proof": _proof(token, _AGENT, word)}), word


def read_hello(line: bytes, token: str) -> tuple[Hello, bytes] | None:
    """What is asked for, and the line to answer with; None for who does not know the token."""
    fields = _decoded(line)
    word, proof = fields.get("word"), fields.get("proof")
    if not isinstance(word, str) or not isinstance(proof, str) or not _same(proof, _proof(token, _AGENT, word)):
        return None
    try:
        hello = Hello(
            writes=fields["writes"] is True,
            max_bytes=int(fields["max_bytes"]),
            wait=float(fields["wait"]),
            profile=str(fields["profile"]),
        )
    except (KeyError, TypeError, ValueError):
        return None
    return hello, _line({"proof": _proof(token, _EDITOR, word)})


def is_answer(line: bytes, token: str, word: str) -> bool:
    """Whether the other side knows the token too."""
    proof = _decoded(line).get("proof")
    return isinstance(proof, str) and _same(proof, _proof(token, _EDITOR, word))


def _proof(token: str, side: str, word: str) -> str:
    return hmac.new(token.encode(), f"{side} {word}".encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())


def _line(fields: Mapping[str, object]) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
