"""Text resources: the routes that one call about a resource stands for.

Owns: which actions there are, their paths and methods, which of them the calls behind it leave.
Must not know: any file, what answers.
Invariant: only names that are written out choose; what a call computes leaves all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

_ACTIONS: Final = (
    ("index", "GET", "", False),
    ("create", "GET", "create", False),
    ("store", "POST", "", False),
    ("show", "GET", "", True),
    ("edit", "GET", "edit", True),
    ("update", "PUT|PATCH", "", True),
    ("destroy", "DELETE", "", True),
)
"""What runs, by which methods, under which path, and whether that is of one of several."""
_FORMS: Final = frozenset(("create", "edit"))
_CHOICE: Final = re.compile(r"->\s*(only|except)\s*\(([^()]*)\)")
_WORD: Final = re.compile(r"[\"'](\w+)[\"']")


@attrs.frozen
class ResourceAction:
    """One route of a resource, and the method of the class that answers it."""

    name: str
    verbs: tuple[str, ...]
    path: str


def resource_actions(resource: str, chain: str, *, api: bool) -> Iterator[ResourceAction]:
    """`resource`: as it is written, `photos.comments` for one in another. `chain`: the calls behind. `api`: without
    pages that hold a form."""
    chosen = {found[1]: frozenset(_WORD.findall(found[2])) for found in _CHOICE.finditer(chain)}
    only, but = chosen.get("only"), chosen.get("except", frozenset[str]())
    *outer, last = resource.strip("/").split(".")
    base = "/".join([*(f"{one}/{{{_singular(one)}}}" for one in outer), last])
    for name, verbs, ending, of_one in _ACTIONS:
        if not (api and name in _FORMS) and name not in but and (not only or name in only):
            parts = (base, f"{{{_singular(last)}}}" if of_one else "", ending)
            yield ResourceAction(name, tuple(verbs.split("|")), "/".join(filter(None, parts)))


def _singular(name: str) -> str:
    """As frameworks call the parameter of one: of regular plurals, which most are."""
    name = name.rpartition("/")[2].replace("-", "_")
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    if name.endswith(("sses", "xes", "ches", "shes")):
        return name[:-2]
    return name if name.endswith("ss") else name.removesuffix("s")
