"""Decision text: records of decisions as text, in the form that the records of a repository have.

Owns: which form records have, names of new files, the text of a new record, links added to one that is there.
Must not know: the disk, who asks, the graph beyond the texts of records.
Invariant: what is written is read back as what was asked for; adding links changes no line that was there but the list
    they go into, or nothing is added at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import attrs

from graphls.analysis.decisions import front_matter

Form = Literal["headings", "madr", "plain"]
"""`headings`: Nygard's, with a status below a heading; `madr`: an outcome below a heading, the status in front matter;
`plain`: front matter and text."""
TEMPLATES: Final = re.compile(r"(^|[-_. ])(template|readme|index)", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"^(?P<before>(?:adr[-_ ]?)?)(?P<number>\d{2,5})(?P<gap>[-_ ])", re.IGNORECASE)
_STATUS_HEADING: Final = re.compile(r"^##\s+Status\s*$", re.MULTILINE | re.IGNORECASE)
_OUTCOME: Final = re.compile(r"^##\s+Decision Outcome\s*$", re.MULTILINE | re.IGNORECASE)
_TITLE_NUMBER: Final = re.compile(r"^#\s+(?:ADR[-\s]?)?\d+[.:]\s", re.MULTILINE | re.IGNORECASE)
_DATE: Final = re.compile(r"^(Date:\s*|\*\s+Date:\s*)\d", re.MULTILINE | re.IGNORECASE)
_PLAIN_SCALAR: Final = re.compile(r"[A-Za-z0-9_./][\w./ ()-]*")
_WORDS: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME: Final = 80


@attrs.frozen(kw_only=True)
class NewDecision:
    """What is to be recorded. `paths`: files or folders; `symbols`: (file, name inside of it)."""

    title: str
    rationale: str
    status: str = "accepted"
    alternatives: tuple[str, ...] = ()
    author: str = ""
    paths: tuple[str, ...] = ()
    symbols: tuple[tuple[str, str], ...] = ()


@attrs.frozen(kw_only=True)
class RecordForm:
    """How records of a folder look. `before`, `width`, `gap`: `adr-`, 4 and `-` for `adr-0001-title.md`; width 0:
    names have no number. `numbered_titles`, `dated`: they have `# 1. Title` and a line with a date."""

    form: Form = "plain"
    before: str = ""
    width: int = 4
    gap: str = "-"
    next_number: int = 1
    numbered_titles: bool = False
    dated: str = ""


def form_of(records: Mapping[str, str]) -> RecordForm:
    """The form of the records of a folder: texts by file name, templates among them. What most have counts."""
    texts = {name: text for name, text in records.items() if not TEMPLATES.search(name)}
    if not texts:
        return RecordForm()
    numbers = [found for found in map(_NUMBERED.match, texts) if found is not None]
    numbered = len(numbers) * 2 > len(texts)
    last = max(numbers, key=lambda found: int(found["number"]), default=None)
    dates = [found[1] for found in map(_DATE.search, texts.values()) if found is not None]
    return RecordForm(
        form="headings" if _most(_STATUS_HEADING, texts) else "madr" if _most(_OUTCOME, texts) else "plain",
        before=last["before"] if numbered and last is not None else "",
        width=len(last["number"]) if numbered and last is not None else 0,
        gap=last["gap"] if last is not None else "-",
        next_number=int(last["number"]) + 1 if last is not None else 1,
        numbered_titles=_most(_TITLE_NUMBER, texts),
        dated=dates[0] if len(dates) * 2 > len(texts) else "",
    )


def file_name(form: RecordForm, title: str) -> str:
    """The name of a new record."""
    slug = _WORDS.sub(form.gap.strip() or "-", title.lower()).strip("-_")[:_LONGEST_NAME].strip("-_") or "decision"
    return f"{form.before}{form.next_number:0{form.width}d}{form.gap}{slug}.md" if form.width else f"{slug}.md"


def record_text(form: RecordForm, new: NewDecision, day: str) -> str:
    """The text of a new record. `day`: today, as records that have a date spell it."""
    number = f"{form.next_number}. " if form.numbered_titles else ""
    front = _front(new, with_status=form.form != "headings")
    parts = [front] if front else []
    parts.append(f"# {number}{new.title}")
    if form.dated:
        parts.append(f"{form.dated}{day}")
    options = "\n".join(f"* {one}" for one in new.alternatives)
    if form.form == "headings":
        parts += ["## Status", new.status.capitalize(), "## Decision", new.rationale]
        parts += ["## Alternatives", options] if options else []
    elif form.form == "madr":
        parts += ["## Considered Options", options] if options else []
        parts += ["## Decision Outcome", new.rationale]
    else:
        parts.append(new.rationale)
        parts += ["## Alternatives", options] if options else []
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def with_links(text: str, paths: Sequence[str], symbols: Sequence[tuple[str, str]]) -> str | None:
    """The text of a record that affects these too; None where its front matter has no place for them."""
    made = text
    for key, items in (
        ("affected_paths", [(_scalar(path),) for path in paths]),
        ("affected_symbols", [(f"path: {_scalar(path)}", f"symbol_path: {_scalar(name)}") for path, name in symbols]),
    ):
        for item in items:
            made = _with_item(made, key, item)
    before, after = front_matter(text.encode()), front_matter(made.encode())
    added = sorted([*paths, *(part for symbol in symbols for part in symbol)])
    kept = {key: value for key, value in after.items() if before.get(key) == value}
    gained = sorted(value.strip() for key, value in after.items() if key not in before)
    return made if len(kept) == len(before) and gained == added else None


def with_fields(text: str, fields: Mapping[str, str]) -> str | None:
    """The text of a document with more fields in its front matter; None where one of them is there."""
    if any((name,) in front_matter(text.encode()) for name in fields):
        return None
    newline = "\r\n" if "\r\n" in text.partition("\n")[0] + "\n" else "\n"
    rows = [f"{name}: {_scalar(value)}" for name, value in fields.items()]
    first, *rest = text.split(newline)
    if first.rstrip() == "---":
        return newline.join([first, *rows, *rest])
    return newline.join(["---", *rows, "---", text])


def _most(pattern: re.Pattern[str], texts: Mapping[str, str]) -> bool:
    return sum(pattern.search(text) is not None for text in texts.values()) * 2 > len(texts)


def _front(new: NewDecision, *, with_status: bool) -> str:
    rows = [f"status: {new.status}"] if with_status else []
    rows += [f"author: {_scalar(new.author)}"] if new.author else []
    if new.paths:
        rows += ["affected_paths:", *(f"  - {_scalar(path)}" for path in new.paths)]
    if new.symbols:
        rows.append("affected_symbols:")
        for path, name in new.symbols:
            rows += _block((f"path: {_scalar(path)}", f"symbol_path: {_scalar(name)}"), "  ")
    return "\n".join(["---", *rows, "---"]) if rows else ""


def _scalar(text: str) -> str:
    return text if _PLAIN_SCALAR.fullmatch(text) and text.strip() == text else json.dumps(text, ensure_ascii=False)


def _block(item: Iterable[str], indent: str) -> list[str]:
    first, *rest = item
    return [f"{indent}- {first}", *(f"{indent}  {row}" for row in rest)]


def _with_item(text: str, key: str, item: tuple[str, ...]) -> str:
    """One more item in a list of the front matter, which is made where it is missing."""
    newline = "\r\n" if "\r\n" in text.partition("\n")[0] + "\n" else "\n"
    lines = text.split(newline)
    if lines[0].rstrip() != "---":
        return newline.join(["---", f"{key}:", *_block(item, "  "), "---", text])
    close = next((at for at in range(1, len(lines)) if lines[at].rstrip() == "---"), 0)
    at = next((at for at in range(1, close) if re.match(rf"{key}\s*:\s*(#.*)?$", lines[at])), 0)
    if not at:
        lines[close:close] = [f"{key}:", *_block(item, "  ")]
        return newline.join(lines)
    last = at + 1
    while last < close and (not lines[last].strip() or lines[last][0] in " -"):
        last += 1
    while not lines[last - 1].strip():
        last -= 1
    dash = re.match(r"\s*(?=- )", lines[at + 1]) if last > at + 1 else None
    lines[last:last] = _block(item, dash[0] if dash is not None else "  ")
    return newline.join(lines)
