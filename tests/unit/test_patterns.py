"""Patterns: no text makes a search with one of the package's regular expressions go on for ever.

Owns: the patterns of all modules, texts that repeat what they may match in several ways.
Must not know: what the patterns are for.
Invariant: the clock is a fuse of seconds for what else takes years; nothing is timed.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import cast

import attrs
import pytest

import graphls
from graphls.analysis.frameworks.code_migrations import migration_rules
from graphls.analysis.frameworks.foreign_uses import foreign_rules
from graphls.analysis.frameworks.query_chains import query_rules
from graphls.analysis.frameworks.resolver_uses import resolver_rules
from graphls.analysis.frameworks.table_models import model_rules
from graphls.analysis.frameworks.text_rpc import text_rpc_rules

AnyPattern = re.Pattern[str] | re.Pattern[bytes]
REPEATS = 40
FUSE = 5.0
HEADS = ("", "a", "/*", "/** ", '"', "(", "<", "{", "#", "package ", "@param {", "<!--", "x = ", "${")
UNITS = (
    "/* a */ ", "// b\n", "<!-- a -->", "# a\n", "a", "a.", "a,", "(a)", "[a]", "{a}", '"a"', "'a'", " ", "\n", "\t ",
    "a b ", "a=b ", "@a(1) ", "-", "/", "\\", "<a>", '<a b="c">', "a::", "; ", "*", "```\n", "`a`", "${a}", "- a\n",
    "a: b\n", "../", "\\\n", "->",
)  # fmt: skip


def patterns() -> Mapping[str, AnyPattern]:
    """Those that modules hold by a name, alone or in a container, and those of rules about the text of code."""
    found: dict[AnyPattern, str] = {}
    for module in pkgutil.walk_packages(graphls.__path__, "graphls."):
        if module.name.endswith("__main__"):
            continue
        try:
            names = vars(importlib.import_module(module.name))
        except ImportError:
            continue  # what an extra installs is not there
        for name, value in names.items():
            for pattern in _inside(value):
                found.setdefault(pattern, f"{module.name}.{name}")
    read = (*foreign_rules(), *model_rules(), *text_rpc_rules(), *resolver_rules(), *migration_rules(), *query_rules())
    for rule in read:
        for pattern in _inside(attrs.astuple(rule, recurse=False)):
            found.setdefault(pattern, f"the rule {rule.name}")
    return {f"{place} {number}": pattern for number, (pattern, place) in enumerate(found.items())}


def _inside(value: object, depth: int = 0) -> Iterator[AnyPattern]:
    if isinstance(value, re.Pattern):
        yield cast("AnyPattern", value)
    elif depth < 2 and isinstance(value, dict | list | tuple | set | frozenset):
        held = value.values() if isinstance(value, dict) else value  # type: ignore[misc]
        for one in islice(cast("Iterable[object]", held), 500):
            yield from _inside(one, depth + 1)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that interrupt a search")
def test_no_pattern_tries_all_ways() -> None:
    known = patterns()
    assert len(known) > 300
    at = ""

    def burn(*_: object) -> None:
        raise AssertionError(f"{at} is tried in ever more ways")

    before = signal.signal(signal.SIGALRM, burn)
    try:
        for name, pattern in known.items():
            signal.setitimer(signal.ITIMER_REAL, FUSE)
            for head in HEADS:
                for unit in UNITS:
                    text, at = f"{head}{unit * REPEATS}\x01", f"{name} on {head!r} and {unit!r}"
                    if isinstance(pattern.pattern, bytes):
                        cast("re.Pattern[bytes]", pattern).search(text.encode())
                    else:
                        cast("re.Pattern[str]", pattern).search(text)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
