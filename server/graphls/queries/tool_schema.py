"""Tool schema: what the call that registers a tool says of it: description and inputs.

Owns: the object that describes a tool, schemas of zod in it, names that stand for either.
Must not know: which calls register tools, layout.
Invariant: a text or a member is one that is written, here or where its name leads; what is worked out is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import Snapshot, rows_of
from graphls.queries.response_keys import parts_of

_LONGEST: Final = 500
_LISTED: Final = "mcp.listed_tool"
_KEYWORD: Final = re.compile(r"\A(\w+)\s*=(?!=)\s*")
_MODEL: Final = re.compile(r"\A([A-Za-z_][\w.]*)\.(?:model_json_schema|schema)\(|\AzodToJsonSchema\(\s*([\w.]+)")
_LONG_TEXT: Final = re.compile(r"\bdescription\s*=\s*\(?\s*(?:\"{3}(.*?)\"{3}|'{3}(.*?)'{3})", re.DOTALL)
_TYPE: Final = re.compile(r"[\"']?type[\"']?\s*:\s*[\"'](\w+)[\"']")
"""Of a property in a JSON Schema, as it is written."""
_STEPS: Final = 4
_COMMENT: Final = re.compile(
    r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|//[^\n]*|/\*.*?\*/", re.DOTALL
)
_STRING: Final = re.compile(r"\s*(?:\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\$]|\\.)*)`)\s*(\+|\Z|,)?")
_KEY: Final = re.compile(r"\A(?:\"([^\"\n]*)\"|'([^'\n]*)'|([A-Za-z_$][\w$]*))\s*:\s*")
_NAME: Final = re.compile(r"\A([A-Za-z_$][\w$]*)(?:\.shape)?\Z")
_VALUE: Final = re.compile(r"=\s*(?=[^=>])")
_OPTIONAL: Final = re.compile(r"\.(?:optional|default|nullish)\(")
_FLAT: Final = re.compile(r"[({\[][^()\[\]{}]*[)}\]]")


@attrs.frozen
class WrittenInput:
    """One member of a schema."""

    name: str
    declared: str
    required: bool


@attrs.frozen
class ToolWords:
    """What is said of a tool. `inputs` None: there is no schema that can be read."""

    description: str
    inputs: tuple[WrittenInput, ...] | None


def tool_words(snapshot: Snapshot, node: DerivedNode) -> ToolWords | None:
    """What the second argument of a call that registers a tool says, if that is an object or the name of one; or what
    an object in a list of tools says."""
    raw = (snapshot.text(node.file) or b"")[node.full_start : node.full_end].decode("utf-8", "replace")
    if dict(node.attributes).get("rule") == _LISTED:
        return _listed(snapshot, node, raw)
    text = _plain(raw)
    opening = text.find("(")
    given = list(parts_of(text, opening + 1, len(text) - 1)) if opening >= 0 else []
    if len(given) < 2:
        return None
    start, end = given[1]
    about = _object(snapshot, node.file, text[start:end])
    if about is None:
        return None
    schema = about.get("inputSchema")
    inputs = None if schema is None else _object(snapshot, node.file, schema)
    rows = None if inputs is None else tuple(map(_input, inputs.items()))
    return ToolWords(_joined(snapshot, node.file, about.get("description", ""))[:_LONGEST], rows)


def _listed(snapshot: Snapshot, node: DerivedNode, text: str) -> ToolWords:
    """`{ name, description, inputSchema }`, or `Tool(name=..., description=..., inputSchema=...)`."""
    keywords = not text.startswith("{")
    if keywords:
        at = text.find("(") + 1
        parts = (text[start:end] for start, end in parts_of(text, at, len(text) - 1))
        about = {found[1]: part[found.end() :].strip() for part in parts if (found := _KEYWORD.match(part))}
    else:
        about = _object(snapshot, node.file, _plain(text)) or {}
    schema = about.get("inputSchema", about.get("input_schema", ""))
    model = _MODEL.match(schema)
    if model is not None:
        inputs: tuple[WrittenInput, ...] = (WrittenInput("input", f"input: {model[1] or model[2]}", required=True),)
    else:
        inputs = tuple(_of_json_schema(_object(snapshot, node.file, schema) or {}, snapshot, node.file))
    long = _LONG_TEXT.search(text) if keywords else None
    if long is not None:
        return ToolWords(" ".join((long[1] or long[2] or "").split())[:_LONGEST], inputs)
    said = about.get("description", "").strip()
    said = said.removeprefix("(").removesuffix(")") if keywords else said
    return ToolWords(_joined(snapshot, node.file, said)[:_LONGEST], inputs)


def _of_json_schema(schema: dict[str, str], snapshot: Snapshot, path: FilePath) -> Iterator[WrittenInput]:
    """Members of `properties`; those that `required` names are so."""
    required = set(re.findall(r"[\"']([^\"'\n]+)[\"']", schema.get("required", "")))
    for name, value in (_object(snapshot, path, schema.get("properties", "")) or {}).items():
        kind = _TYPE.search(value)
        yield WrittenInput(name, f"{name}: {kind[1]}" if kind is not None else name, name in required)


def _object(snapshot: Snapshot, path: FilePath, text: str) -> dict[str, str] | None:
    """Members of an object as it is written, of a schema of one, or of what a name stands for."""
    for _ in range(_STEPS):
        text = text.strip()
        named = _NAME.match(text)
        if named is None:
            break
        led = _written(snapshot, path, named[1])
        if led is None:
            return None
        path, text = led
    wrapped = re.match(r"\A(?:z|zod)\.(?:strictO|o|looseO)bject\(\s*(?=\{)", text)
    at = wrapped.end() if wrapped is not None else 0
    if text[at : at + 1] != "{":
        return None
    parts = parts_of(text, at + 1, _end(text, at))
    return dict(_members(text[start:stop] for start, stop in parts))


def _members(parts: Iterator[str]) -> Iterator[tuple[str, str]]:
    for part in parts:
        key = _KEY.match(part)
        if key is not None:
            yield next(one for one in key.groups() if one is not None), part[key.end() :].strip()
        elif re.fullmatch(r"[A-Za-z_$][\w$]*", part):
            yield part, part


def _input(member: tuple[str, str]) -> WrittenInput:
    name, value = member
    flat, before = value, ""
    while flat != before:
        before, flat = flat, _FLAT.sub("\0", flat)
    required = _OPTIONAL.search(flat.replace("\0", "()")) is None
    return WrittenInput(name, f"{name}: {' '.join(value.split())}"[:_LONGEST], required)


def _joined(snapshot: Snapshot, path: FilePath, text: str) -> str:
    """A string, several in a row, or a name that stands for one."""
    named = _NAME.match(text.strip())
    led = _written(snapshot, path, named[1]) if named is not None else None
    text, parts, at = (led[1] if led is not None else text), list[str](), 0
    while found := _STRING.match(text, at):
        parts.append(next(one for one in found.groups()[:3] if one is not None))
        at = found.end()
        if found[4] != "+":
            break
    return "".join(parts)


def _written(snapshot: Snapshot, path: FilePath, name: str) -> tuple[FilePath, str] | None:
    """What a name is bound to, as it is written, where it leads."""
    facts = snapshot.facts(path)
    uses = facts.occurrences
    rows = [row for row, number in enumerate(uses.name) if facts.strings[number] == name and uses.base[row] < 0]
    links = snapshot.own_links_at(path, rows)
    for use in rows:
        for row in rows_of(links.targets, use):
            place = snapshot.target(path, links, row).place
            if place is None or place.definition < 0:
                continue
            table = snapshot.facts(place.file).definitions
            start, end = table.end[place.definition], table.full_end[place.definition]
            text = _plain((snapshot.text(place.file) or b"")[start:end].decode("utf-8", "replace"))
            value = _VALUE.search(text)
            if value is not None:
                return FilePath(place.file), text[value.end() :].rstrip("; \n")
    return None


def _end(text: str, at: int) -> int:
    """Where the bracket is closed that opens at a place."""
    depth = 0
    for found in re.finditer(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[()\[\]{}]", text[at:]):
        depth += (found[0] in "([{") - (found[0] in ")]}") if len(found[0]) == 1 else 0
        if not depth:
            return at + found.start()
    return len(text)


def _plain(text: str) -> str:
    """Without comments."""
    return _COMMENT.sub(lambda found: found[1] or " ", text)
