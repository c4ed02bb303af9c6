"""Bundlers: names of modules that the configs of bundlers and frameworks give.

Owns: `alias` of Vite, SvelteKit, webpack and those that are configured like them, as far as it is written out.
Must not know: which modules anyone asks for, the disk.
Invariant: a config is read by its syntax and never run; what is not plain there says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from posixpath import normpath
from typing import Final

from tree_sitter import Node

from graphls.facts.paths import FilePath
from graphls.languages.extract import grammars
from graphls.languages.typescript.modules import BUNDLER, joined

_TOOLS: Final = ("svelte", "vite", "vitest", "electron.vite", "webpack", "rspack", "nuxt", "astro", "rollup", "babel")
CONFIGS: Final = tuple(f"{tool}.config.*" for tool in _TOOLS)
"""Names of files that may give names."""
_CONFIG: Final = re.compile(rf"(?:{'|'.join(map(re.escape, _TOOLS))})\.config\.([cm]?)([jt])s\Z")
_JOINING: Final = frozenset(("resolve", "join", "fileURLToPath", "normalizePath", "normalize"))
_HERE: Final = frozenset(("__dirname", "import.meta.dirname", "process.cwd()", "import.meta.url", "dirname"))
_MOST: Final = 200
"""Names that one config gives."""
_DEEPEST: Final = 8
_LARGEST: Final = 200_000


def bundler_aliases(manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """Entries by key, as those of other manifests."""
    found: dict[str, list[str]] = {}
    for path, data in sorted(manifests.items()):
        folder, _, name = path.rpartition("/")
        match = _CONFIG.match(name)
        if match is None or len(data) > _LARGEST:
            continue
        for pattern, target in _entries(data, "typescript" if match[2] == "t" else "javascript"):
            placed = joined(folder, target.lstrip("/") or ".")
            if placed is not None:
                found.setdefault(BUNDLER + folder, []).extend(_spelled(pattern, placed))
    return {key: tuple(dict.fromkeys(entries)) for key, entries in found.items()}


def _spelled(pattern: str, target: str) -> Iterator[str]:
    """A name and what begins with it; `name$` is that name only, `name/*` only what begins with it."""
    if pattern.endswith("$"):
        yield f"{pattern[:-1]}\t{target}"
    elif pattern.endswith("*"):
        yield f"{pattern}\t{target}"
    else:
        inner = pattern if pattern.endswith("/") else f"{pattern}/"
        yield f"{inner}*\t{target}/*" if target else f"{inner}*\t*"
        yield f"{pattern}\t{target}"


@lru_cache(maxsize=64)
def _entries(data: bytes, grammar: str) -> tuple[tuple[str, str], ...]:
    """Names with the paths they stand for, relative to the config."""
    found: list[tuple[str, str]] = []
    try:
        pending = [grammars.parse(grammars.parser(grammar), data).root_node]
    except grammars.ParserTooSlow:
        return ()
    while pending and len(found) < _MOST:
        node = pending.pop()
        if node.type == "pair":
            key = _key(node)
            value = node.child_by_field_name("value")
            if key == "alias" and value is not None:
                found += _aliases(_plain(value))
            elif key == "files" and value is not None:
                found += [("$lib", target) for name, target in _aliases(_plain(value)) if name == "lib"]
        pending.extend(reversed(node.named_children))
    return tuple(found[:_MOST])


def _aliases(node: Node) -> Iterator[tuple[str, str]]:
    """`{ name: path }` or `[{ find: name, replacement: path }]`."""
    if node.type == "array":
        for item in node.named_children:
            parts = {_key(pair): pair.child_by_field_name("value") for pair in item.named_children}
            find, replacement = parts.get("find"), parts.get("replacement")
            name = _text(find) if find is not None else None
            path = _path(replacement, 0) if replacement is not None else None
            if name and path is not None:
                yield name, path
        return
    for pair in node.named_children if node.type == "object" else ():
        value = pair.child_by_field_name("value") if pair.type == "pair" else None
        path = _path(value, 0) if value is not None else None
        name = _key(pair)
        if name and path is not None and not set(name) & set("\t\n\r\0"):
            yield name, path


def _plain(node: Node) -> Node:
    """A value without what only types say of it."""
    for _ in range(_DEEPEST):
        if node.type not in ("as_expression", "satisfies_expression", "parenthesized_expression"):
            break
        if not node.named_children:
            break
        node = node.named_children[0]
    return node


def _key(pair: Node) -> str:
    key = pair.child_by_field_name("key") if pair.type == "pair" else None
    if key is None:
        return ""
    return (_text(key) or "") if key.type == "string" else _source(key) if key.type == "property_identifier" else ""


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _text(node: Node) -> str | None:
    """What a string holds that needs no working out."""
    node = _plain(node)
    if node.type not in ("string", "template_string"):
        return None
    if any(part.type != "string_fragment" for part in node.named_children):
        return None
    return "".join(map(_source, node.named_children))


def _path(node: Node, depth: int) -> str | None:
    """A path relative to the folder of the config; None where that is not plain."""
    node = _plain(node)
    text = _text(node)
    if text is not None or depth > _DEEPEST:
        return text
    if node.type == "string_fragment" or _source(node) in _HERE:
        return _source(node) if node.type == "string_fragment" else "."
    if node.type == "template_string":
        return _joined([_path(part, depth + 1) for part in _parts(node)])
    if node.type == "member_expression" and _source(node).endswith((".pathname", ".href")):
        node = node.child_by_field_name("object") or node
    if node.type == "new_expression":
        called, given = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
        first = given.named_children[:1] if given is not None else []
        return _path(first[0], depth + 1) if first and called is not None and _source(called) == "URL" else None
    if node.type == "call_expression":
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or given is None or _source(called).rpartition(".")[2] not in _JOINING:
            return None
        return _joined([_path(part, depth + 1) for part in given.named_children])
    return None


def _parts(node: Node) -> Iterator[Node]:
    for part in node.named_children:
        yield part.named_children[0] if part.type == "template_substitution" and part.named_children else part


def _joined(parts: list[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    return normpath("/".join(known)) if known and len(known) == len(parts) else None
