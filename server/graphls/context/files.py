"""Files: which files a pack is made from, and what code in each is worth.

Owns: the corpus of one request, roles of files, files that a task names, copies of declarations.
Must not know: links, budgets, how declarations are ranked.
Invariant: a file that the request names is always in the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from graphls.context.candidates import UnitKey
from graphls.context.lexical import FileTerms, has_terms, terms_in
from graphls.context.weights import Weights
from graphls.facts.paths import FilePath
from graphls.graph.file_roles import is_aside
from graphls.graph.request_budget import spent_reason
from graphls.graph.snapshot import Snapshot

_LONG_ENOUGH: Final = 80
"""Bytes of a declaration whose equal elsewhere is a copy rather than chance."""


def corpus(snapshot: Snapshot, *, asides: bool, named: Iterable[FilePath]) -> Mapping[FilePath, FileTerms]:
    """The terms of every file that takes part, by path; of those that are at hand, where a request has no time for
    more."""
    included = frozenset(named)
    paths = (path for path in snapshot.files() if asides or path in included or not is_aside(path))
    if spent_reason():
        paths = (path for path in paths if path in included or has_terms(snapshot, path))
    return {path: terms_in(snapshot, path) for path in paths}


def worth(path: FilePath, known: FileTerms, weights: Weights, *, about_tests: bool) -> float:
    """The factor for code in a file."""
    aside = weights.tests_meant if about_tests else weights.test
    factor = aside if is_aside(path) else 1.0
    return factor * (weights.generated if known.generated else 1.0)


def files_named(snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
    """Files whose path ends with a name that someone wrote; none when it fits more than a few."""
    parts = name.replace("\\", "/").split("/")
    while parts:
        tail = "/".join(parts)
        found = [path for path in snapshot.files() if path == tail or path.endswith(f"/{tail}")]
        if found:
            return tuple(found) if len(found) <= 5 else ()
        # A stack trace has paths of another machine: what is left of the front still tells files apart.
        parts = parts[1:]
    return ()


def copies(keys: Iterable[UnitKey], files: Mapping[FilePath, FileTerms]) -> frozenset[UnitKey]:
    """Those that are the same text as another one, which stands less deep."""
    same: dict[tuple[int, int], list[UnitKey]] = {}
    for key in keys:
        known = files[key.file]
        length = known.ends[key.unit] - known.starts[key.unit]
        if length >= _LONG_ENOUGH:
            same.setdefault((known.prints[key.unit], length), []).append(key)
    repeated = (sorted(group, key=_depth) for group in same.values() if len(group) > 1)
    return frozenset(key for group in repeated for key in group if key.file != group[0].file)


def _depth(key: UnitKey) -> tuple[int, int, str, int]:
    return key.file.count("/"), len(key.file), key.file, key.unit
