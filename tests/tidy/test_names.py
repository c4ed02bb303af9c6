"""Names: one class a name, and documents that lead to files that exist.

Owns: looking for class names that are defined twice, and for paths in documents.
Must not know: what the names mean.
Invariant: who reads a class name or a path in a document finds one thing behind it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tidy.modules import PACKAGE, ROOT, modules

_PATH = re.compile(r"`((?:[\w-]+/)+[\w-]+\.(?:py|md|toml|json|mjs))`")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_FREE = ("CHANGELOG.md",)
"""Says what was, under the names of then."""


def test_each_class_name_is_defined_once() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for module in modules():
        for cls in module.classes():
            places[cls.name].append(module.name)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if path.name not in _FREE], ids=lambda path: path.name)
def test_paths_in_documents_exist(document: Path) -> None:
    text = document.read_text("utf-8")
    homes = (ROOT, ROOT / "tests", PACKAGE, document.parent)
    # What begins with a folder that is not here is of a sample project.
    named = [path for path in _PATH.findall(text) if any((home / path.split("/")[0]).is_dir() for home in homes)]
    linked = _LINK.findall(text)
    lost = [path for path in named if not any((home / path).exists() for home in homes)]
    lost += [path for path in linked if not (document.parent / path).exists()]
    assert lost == []
