"""Formats: a pack as text for a reader with a token budget.

Owns: the compact and the markdown form, escaping, keeping within the budget.
Must not know: ranking, JSON, protocols.
Invariant: text from source never looks like structure and hides nothing; a text keeps within the pack's budget.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import attrs

from graphls.context.inert import inert
from graphls.context.pack import Item, Pack
from graphls.context.packing import tokens
from graphls.graph.errors import BadRequest

_LEGEND = "! checked ~ inferred ? ambiguous x unresolved"


@attrs.frozen(kw_only=True)
class Heading:
    """What the answer as a whole says about the snapshot that it was read from."""

    snapshot: str
    revision: int
    fresh: bool


def compact(pack: Pack, heading: Heading) -> str:
    """The compact form: one head line, items under their files, links by number."""
    return _fitted(pack, lambda part, used: "\n".join(_compact(part, heading, used)) + "\n")


def markdown(pack: Pack, heading: Heading) -> str:
    """Headings and fenced code, for a person or a chat."""
    return _fitted(pack, lambda part, used: "\n".join(_markdown(part, heading, used)) + "\n")


def _fitted(pack: Pack, render: Callable[[Pack, int], str]) -> str:
    """The text with as many items as fit. Its own cost is in it, so it is rendered once more with that number."""
    low, high = 0, len(pack.items)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(render(_first(pack, middle), pack.budget)) <= pack.budget:
            low = middle
        else:
            high = middle - 1
    part = _first(pack, low)
    text = render(part, tokens(render(part, pack.budget)))
    if tokens(text) > pack.budget:
        raise BadRequest(f"A budget of {pack.budget} tokens is too small for this format: give at least 200.")
    return text


def _first(pack: Pack, count: int) -> Pack:
    links = tuple(link for link in pack.links if link.source < count and link.target < count)
    omitted = pack.omitted + len(pack.items) - count
    return attrs.evolve(pack, items=pack.items[:count], links=links, omitted=omitted)


def _compact(pack: Pack, heading: Heading, used: int) -> Iterator[str]:
    fresh = "fresh" if heading.fresh else "pending"
    task = inert(json.dumps(" ".join(pack.task.split())[:120], ensure_ascii=False))
    yield (
        f"graphls/compact 1  snapshot {heading.snapshot}  rev {heading.revision}  {fresh}  task {task}"
        f"  budget {pack.budget} used {used} omitted {pack.omitted}"
    )
    yield _LEGEND
    file = ""
    for number, item in enumerate(pack.items, 1):
        if item.file != file:
            file = item.file
            yield f"@ {_line(file)}"
        yield f" {number} {_line(item.symbol.partition(':')[2])}  L{item.start_line}-{item.end_line} ~"
        # No line of structure begins with a bar.
        yield from (f"|{line}" for line in inert(item.text).split("\n"))
    for link in pack.links:
        yield f"> {link.source + 1} {link.kind} {link.target + 1}~"
    yield f"next {pack.next}"


def _markdown(pack: Pack, heading: Heading, used: int) -> Iterator[str]:
    yield f"# Context for: {_line(' '.join(pack.task.split())[:200])}"
    yield ""
    state = "" if heading.fresh else ", changes pending"
    counts = f"{len(pack.items)} declarations, {used} of {pack.budget} tokens, {pack.omitted} left out"
    yield f"{counts}, {heading.snapshot}{state}"
    for item in pack.items:
        yield ""
        yield f"## {_line(item.file)}:{item.start_line}-{item.end_line}"
        fence = _fence(item)
        yield f"{fence}{_language(item.file)}"
        yield inert(item.text)
        yield fence


def _fence(item: Item) -> str:
    """A fence that the text cannot close."""
    fence = "```"
    while fence in item.text:
        fence += "`"
    return fence


def _language(path: str) -> str:
    return {"py": "python", "pyi": "python", "ts": "ts", "tsx": "tsx", "js": "js"}.get(path.rpartition(".")[2], "")


def _line(text: str) -> str:
    """A name or path that stays on its line."""
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
