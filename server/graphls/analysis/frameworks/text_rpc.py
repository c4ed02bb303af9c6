"""Text RPC: code that answers or calls the methods of services, by its spelling.

Owns: the declared rules of languages whose generated code stands in no workspace.
Must not know: which services are declared, other files, what names mean.
Invariant: a name says the service and the method; whether they exist is for who compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import attrs

from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.rules import shipped_table, text_pattern, words_of
from graphls.analysis.frameworks.texts import without_comments
from graphls.facts.columns import NONE, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.nodes import node_row
from graphls.graph.snapshot import SymbolRef

_LIKELY: Final = 0.9
_SERVICE: Final = "{service}"


@attrs.frozen(eq=False)
class TextRpcRule:
    """How one library spells services."""

    name: str
    endings: tuple[str, ...]
    sign: bytes
    answers: re.Pattern[bytes] | None
    method: re.Pattern[bytes] | None
    client: re.Pattern[bytes] | None
    needs: str
    call: bytes
    snake: bool


@cache
def text_rpc_rules() -> Sequence[TextRpcRule]:
    """The rules that come with the package."""
    return tuple(map(_rule, shipped_table("rpc")))


def _rule(raw: dict[str, object]) -> TextRpcRule:
    return TextRpcRule(
        name=str(raw["name"]),
        endings=words_of(raw, "endings"),
        sign=str(raw["sign"]).encode(),
        answers=text_pattern(raw, "answers"),
        method=text_pattern(raw, "method"),
        client=text_pattern(raw, "client"),
        needs=str(raw.get("needs", "")),
        call=str(raw.get("call", "")).encode(),
        snake=bool(raw.get("snake")),
    )


def applicable_rpc(path: str, text: bytes) -> Sequence[TextRpcRule]:
    """The rules that may say something about a file."""
    return tuple(rule for rule in text_rpc_rules() if path.endswith(rule.endings) and rule.sign in text)


def text_rpc_uses(path: FilePath, text: bytes, facts: FileFacts) -> Iterator[ContractUse]:
    """What code answers and calls, by rule."""
    rules = applicable_rpc(path, text)
    code = without_comments(text) if rules else text
    for rule in rules:
        yield from _answered(rule, path, code, facts)
        yield from _called(rule, path, code, facts)


def _answered(rule: TextRpcRule, path: FilePath, code: bytes, facts: FileFacts) -> Iterator[ContractUse]:
    if rule.answers is None or rule.method is None:
        return
    found = list(rule.answers.finditer(code))
    for number, answers in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(code)
        for method in rule.method.finditer(code, answers.end(), end):
            yield _use(rule, path, facts, answers["service"], method, serves=True)


def _called(rule: TextRpcRule, path: FilePath, code: bytes, facts: FileFacts) -> Iterator[ContractUse]:
    for client in rule.client.finditer(code) if rule.client is not None else ():
        service = client["service"]
        if rule.needs and not re.search(rule.needs.replace(_SERVICE, re.escape(service.decode())).encode(), code):
            continue
        calls = re.compile(rb"(?<![\w$@])" + re.escape(client["name"]) + rule.call)
        for call in calls.finditer(code, client.end()):
            yield _use(rule, path, facts, service, call, serves=False)


def _use(
    rule: TextRpcRule, path: FilePath, facts: FileFacts, service: bytes, named: re.Match[bytes], *, serves: bool
) -> ContractUse:
    method = named["name"].decode("ascii", "replace")
    if rule.snake:
        method = "".join(part[:1].upper() + part[1:] for part in method.split("_"))
    name = f"{service.decode('ascii', 'replace')}/{method}"
    source = _spelled_at(path, facts, named.start("name"))
    return ContractUse("rpc", name, source, *named.span("name"), _LIKELY, serves=serves)


def _spelled_at(path: FilePath, facts: FileFacts, at: int) -> SymbolRef:
    """The definition whose name, or a use of which, stands at an offset."""
    named = next(rows_with(facts.definitions.start, at), NONE)
    if named == NONE:
        use = next(rows_with(facts.occurrences.start, at), NONE)
        named = facts.occurrences.owner[use] if use != NONE else NONE
    return SymbolRef(path, node_row(facts, named) if named != NONE else NONE)
