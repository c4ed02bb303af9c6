"""Handlers: one short module a group of requests.

Owns: which modules answer something: all that lie here.
Must not know: transports, how answers are found.
Invariant: a handler parses, asks one query on one snapshot and converts the answer.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType


def handler_modules() -> Sequence[ModuleType]:
    """Every module of this folder, by name."""
    return [import_module(f"{__name__}.{entry.name}") for entry in sorted(pkgutil.iter_modules(__path__))]
