"""Registration: one entry in the configuration file of an agent.

Owns: where the entry goes in a text of JSON or TOML, that nothing else of the file changes, writing it.
Must not know: which agents there are, the server.
Invariant: a file that cannot be read as its format, or of which more than the entry would change, stays as it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final, cast

import attrs

NAME: Final = "graphls"
_SPACE: Final = re.compile(r"\s*")


class NotWritten(Exception):
    """Why a file stays as it is; the text is fit for users."""


@attrs.frozen
class Entry:
    """What is to be written: below a key of the file, under the name of the server."""

    key: str
    fields: Mapping[str, Any]


def register(path: Path, entry: Entry, *, within: Path | None) -> bool:
    """Writes the entry; False where it is there already. `within`: the folder that the file must not lead out of.
    Raises NotWritten."""
    real = path.resolve()
    if within is not None and not real.is_relative_to(within.resolve()):
        raise NotWritten(f"{path} leads out of the workspace")
    try:
        before = real.read_bytes().decode("utf-8") if real.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise NotWritten(f"{path} cannot be read: {error}") from None
    after = (with_toml if path.suffix == ".toml" else with_json)(before, entry)
    if after == before:
        return False
    try:
        _write(real, after)
    except OSError as error:
        raise NotWritten(f"{path} cannot be written: {error}") from None
    return True


def with_json(text: str, entry: Entry) -> str:
    """The text of a JSON object with the entry. Raises NotWritten."""
    if not text.strip():
        return json.dumps({entry.key: {NAME: entry.fields}}, indent=2, ensure_ascii=False) + "\n"
    before = _json(text)
    servers = before.get(entry.key, {})
    if not isinstance(servers, dict):
        raise NotWritten(f"{entry.key} in it is no object")
    if cast("dict[str, Any]", servers).get(NAME) == dict(entry.fields):
        return text
    after = _inserted(text, entry)
    _check_rest(before, _json(after), entry)
    return after


def with_toml(text: str, entry: Entry) -> str:
    """The text of a TOML file with the entry. Raises NotWritten."""
    before = _toml(text)
    servers = before.get(entry.key, {})
    if isinstance(servers, dict) and cast("dict[str, Any]", servers).get(NAME) == dict(entry.fields):
        return text
    table = f"[{entry.key}.{NAME}]\n" + "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in entry.fields.items()
    )
    known = re.search(rf"^\[{re.escape(entry.key)}\.{NAME}\][^\n]*\n(?:(?!\s*\[)[^\n]*(?:\n|\Z))*", text, re.MULTILINE)
    if known is not None:
        after = text[: known.start()] + table + ("\n" if known.end() < len(text) else "") + text[known.end() :]
    else:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        after = text + gap + table
    _check_rest(before, _toml(after), entry)
    return after


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        raise NotWritten("it is no plain JSON (it may have comments)") from None
    if not isinstance(found, dict):
        raise NotWritten("it is no JSON object")
    return cast("dict[str, Any]", found)


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise NotWritten("it is no TOML") from None


def _inserted(text: str, entry: Entry) -> str:
    start = _skip(text, 0)
    servers = next((span for key, *span in _members(text, start) if key == entry.key), None)
    if servers is None:
        return _with_member(text, start, entry.key, {NAME: entry.fields}, depth=1)
    known = next((span for key, *span in _members(text, servers[0]) if key == NAME), None)
    if known is None:
        return _with_member(text, servers[0], NAME, entry.fields, depth=2)
    return text[: known[0]] + _dumped(entry.fields, 2) + text[known[1] :]


def _with_member(text: str, start: int, key: str, value: object, *, depth: int) -> str:
    """The text with a first member in the object that begins at `start`."""
    first = _skip(text, start + 1)
    member = f"\n{'  ' * depth}{json.dumps(key)}: {_dumped(value, depth)}"
    if text[first] == "}":
        return f"{text[: start + 1]}{member}\n{'  ' * (depth - 1)}{text[first:]}"
    return f"{text[: start + 1]}{member},{text[start + 1 :]}"


def _dumped(value: object, depth: int) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + "  " * depth)


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Members of the object that begins at `start`: key, where the value starts and ends."""
    decoder, at = json.JSONDecoder(), _skip(text, start + 1)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        value = _skip(text, _skip(text, at) + 1)
        _, end = decoder.raw_decode(text, value)
        yield str(key), value, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _check_rest(before: Mapping[str, Any], after: Mapping[str, Any], entry: Entry) -> None:
    """Nothing but the entry may differ."""
    servers = after.get(entry.key)
    if not isinstance(servers, dict) or cast("dict[str, Any]", servers).get(NAME) != dict(entry.fields):
        raise NotWritten("the entry has no place in it")
    if _without(before, entry.key) != _without(after, entry.key):
        raise NotWritten("more than the entry would change in it")


def _without(held: Mapping[str, Any], key: str) -> dict[str, Any]:
    servers = cast("dict[str, Any]", held.get(key) or {})
    return {**held, key: {name: value for name, value in servers.items() if name != NAME}}


def _write(path: Path, text: str) -> None:
    """All at once, with the rights that the file had."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", encoding="utf-8", newline="", dir=path.parent, delete=False) as made:
        made.write(text)
    try:
        if path.exists():
            os.chmod(made.name, path.stat().st_mode & 0o777)
        else:
            os.chmod(made.name, 0o644)
        os.replace(made.name, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(made.name)
        raise
