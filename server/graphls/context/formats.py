"""Formats: a pack as text for a reader with a token budget.

Owns: the compact and the markdown form, escaping, keeping within the budget.
Must not know: ranking, JSON, protocols.
Invariant: text from source never looks like structure and hides nothing; a text keeps within the pack's budget.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

import attrs

from graphls.context.covering_tests import Covering
from graphls.context.left_out import LeftOut, how_to_get
from graphls.context.pack import Item, Pack
from graphls.context.packing import tokens
from graphls.facts.paths import FilePath
from graphls.graph.control_escapes import escape_controls
from graphls.graph.errors import BadRequest
from graphls.languages.registry import fence_of
from graphls.queries.answer import Answer

_NAMED = 3
"""Declarations that have no room in this format and are named all the same."""
_BYTES_A_TOKEN = 4.4
"""At most so many bytes in the mean: a letter of other alphabets is one character and several bytes."""
_LEGEND = "! checked ~ inferred ? ambiguous x unresolved"


@attrs.frozen(kw_only=True)
class Heading:
    """What the answer as a whole says about the snapshot that it was read from."""

    snapshot: str
    revision: int
    fresh: bool
    coverage: str
    """Whether something that was asked for may be missing."""

    @classmethod
    def of(cls, envelope: Answer) -> Heading:
        """What an envelope says."""
        return cls(
            snapshot=envelope.snapshot,
            revision=envelope.revision,
            fresh=envelope.fresh,
            coverage=envelope.coverage_text,
        )


def compact(pack: Pack, heading: Heading) -> str:
    """The compact form: one head line, items under their files, links by number."""
    return _fit(pack, lambda part, used: "\n".join(_compact(part, heading, used)) + "\n")


def markdown(pack: Pack, heading: Heading) -> str:
    """Headings and fenced code, for a person or a chat."""
    return _fit(pack, lambda part, used: "\n".join(_markdown(part, heading, used)) + "\n")


def _fit(pack: Pack, render: Callable[[Pack, int], str]) -> str:
    """The text with as many items as fit, and as many lines of the next. Its own cost is in it, so it is rendered once
    more with that number."""

    def fits(part: Pack) -> bool:
        made = render(part, pack.budget)
        return tokens(made) <= pack.budget and len(made.encode("utf-8", "replace")) <= pack.budget * _BYTES_A_TOKEN

    count = _most(len(pack.items), lambda count: fits(_first(pack, count)))
    longest = pack.items[count].text.count("\n") if count < len(pack.items) else 0
    lines = _most(longest, lambda lines: fits(_first(pack, count, lines)))
    part = _first(pack, count, lines)
    text = render(part, tokens(render(part, pack.budget)))
    if tokens(text) > pack.budget:
        raise BadRequest(f"A budget of {pack.budget} tokens is too small for this format: give at least 200.")
    return text


def _most(high: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `high` that fits, or 0."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _first(pack: Pack, count: int, lines: int = 0) -> Pack:
    """The pack with so many items, and so many lines of the next."""
    items, cut = pack.items[:count], pack.items[count:]
    if lines:
        items, cut = (*items, _beginning(cut[0], lines)), cut[1:]
    count_visible = len(items)
    links = tuple(link for link in pack.links if link.source < count_visible and link.target < count_visible)
    tests = tuple(
        attrs.evolve(test, items=found)
        for test in pack.tests
        if (found := tuple(n for n in test.items if n < count_visible))
    )
    decided = tuple(
        attrs.evolve(row, items=found)
        for row in pack.decisions
        if (found := tuple(n for n in row.items if n < count_visible))
    )
    nodes = _nodes(items)
    names = {item.node: item for item in reversed(cut) if item.node not in nodes}
    rows = tuple(_row(item) for item in cut if names.get(item.node) is item)
    left = (*rows, *pack.left_out)[: max(len(pack.left_out), _NAMED)]
    omitted = pack.omitted + len(_nodes(cut) - nodes)
    more = how_to_get(pack.budget, left, omitted)
    return attrs.evolve(
        pack, items=items, links=links, tests=tests, decisions=decided, left_out=left, omitted=omitted, more=more
    )


def _nodes(items: Sequence[Item]) -> set[str]:
    """Ids of the declarations that items show."""
    return {node for item in items for node in (item.node, *item.also)}


def _beginning(item: Item, lines: int) -> Item:
    """The first lines of an item."""
    text, stop = "\n".join(item.text.split("\n")[:lines]), item.start_line + lines - 1
    detail = "elided" if item.detail == "body" else item.detail
    return attrs.evolve(item, end_line=stop, text=text, detail=detail, tokens=tokens(text))


def _row(item: Item) -> LeftOut:
    """An item that found no room in this format; of its declaration as a whole the size is an estimate."""
    line_count, whole = item.end_line - item.start_line + 1, item.whole_end - item.whole_start + 1
    size = -(-item.tokens * whole // line_count)
    return LeftOut(file=item.file, line=item.start_line, symbol=item.symbol, node=item.node, size=size, tokens=0)


def _compact(pack: Pack, heading: Heading, used: int) -> Iterator[str]:
    fresh = "fresh" if heading.fresh else "pending"
    task = escape_controls(json.dumps(" ".join(pack.task.split())[:120], ensure_ascii=False))
    yield (
        f"graphls/compact 1  snapshot {heading.snapshot}  rev {heading.revision}  {fresh}  task {task}"
        f"  budget {pack.budget} used {used} omitted {pack.omitted}  {heading.coverage}"
    )
    yield _LEGEND
    file = ""
    for number, item in enumerate(pack.items, 1):
        if item.file != file:
            file = item.file
            yield f"@ {_line(file)}"
        yield f" {number} {_line(item.symbol.partition(':')[2])}  L{item.start_line}-{item.end_line}{_of(item)} ~"
        # No line of structure begins with a bar.
        yield from (f"|{line}" for line in escape_controls(item.text).split("\n"))
    for link in pack.links:
        yield f"> {link.source + 1} {link.kind} {link.target + 1}~"
    for test in pack.tests:
        by = "tests" if test.by == "use" else "is named for"
        yield f"t {_line(test.file)}:{test.line} {_line(test.symbol.partition(':')[2])} {by} {_numbers(test)}"
    for decision in pack.decisions:
        of = " ".join(str(number + 1) for number in decision.items)
        yield f"d {_line(decision.file)}:{decision.line} {_line(decision.title)} ({decision.status}) governs {of}"
    for row in pack.left_out:
        yield f"- {_line(row.file)}:{row.line} {_line(row.symbol.partition(':')[2])} {row.size}"
    if pack.more:
        yield f"more {pack.more}"
    yield f"next {pack.next}"


def _markdown(pack: Pack, heading: Heading, used: int) -> Iterator[str]:
    yield f"# Context for: {_line(' '.join(pack.task.split())[:200])}"
    yield ""
    state = "" if heading.fresh else ", changes pending"
    whole = len(_nodes(pack.items))
    counts = f"{whole} declaration{'s' * (whole != 1)}, {used} of {pack.budget} tokens, {pack.omitted} left out"
    yield f"{counts}, {heading.snapshot}{state}, {heading.coverage}"
    for item in pack.items:
        yield ""
        yield f"## {_line(item.file)}:{item.start_line}-{item.end_line}{_of(item)}"
        fence = _fence(item)
        yield f"{fence}{fence_of(FilePath(item.file))}"
        yield escape_controls(item.text)
        yield fence
    yield from _bullet_list("Tests", [
        f"{_quoted(test.file, test.line, test.symbol)} for {', '.join(_anchor(pack.items[n]) for n in test.items)}"
        for test in pack.tests
    ])  # fmt: skip
    yield from _bullet_list("Decisions", [
        f"`{_plain(row.file)}:{row.line}` {_line(row.title)} ({row.status}), governs "
        f"{', '.join(_anchor(pack.items[n]) for n in row.items)}"
        for row in pack.decisions
    ])  # fmt: skip
    yield from _bullet_list("Left out", [
        f"{_quoted(row.file, row.line, row.symbol)}, {row.size} tokens" for row in pack.left_out
    ])  # fmt: skip
    if pack.more:
        yield ""
        yield f"To get what was left out, {pack.more}."


def _bullet_list(title: str, rows: Sequence[str]) -> Iterator[str]:
    if rows:
        yield ""
        yield f"## {title}"
        yield ""
        yield from (f"- {row}" for row in rows)


def _quoted(file: str, line: int, symbol: str) -> str:
    """A place and a name as code, without marks that end it."""
    return f"`{_plain(file)}:{line}` `{_plain(symbol.partition(':')[2]) or 'module'}`"


def _anchor(item: Item) -> str:
    return f"`{_plain(item.symbol.partition(':')[2])}`"


def _plain(text: str) -> str:
    return _line(text).replace("`", "\\u0060")


def _numbers(test: Covering) -> str:
    return " ".join(str(number + 1) for number in test.items)


def _of(item: Item) -> str:
    """The lines of the whole, where an item is less than that: what lies between is elided."""
    if item.detail == "body" or (item.start_line, item.end_line) == (item.whole_start, item.whole_end):
        return ""
    return f" of {item.whole_start}-{item.whole_end}"


def _fence(item: Item) -> str:
    """A fence that the text cannot close."""
    fence = "```"
    while fence in item.text:
        fence += "`"
    return fence


def _line(text: str) -> str:
    """A name or path that stays on its line."""
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
