"""Names of single definitions, read from trees: the same as facts give.

Owns: stubs of the standard library and an installed package, and what a tree cannot tell.
Must not know: who asks for names.
Invariant: for most definitions there is an answer, and none differs.
"""

from __future__ import annotations

from pathlib import Path

import attr
import pytest
import typeshed_client

from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.languages.python.provider import CAPABILITIES, PROVIDER

assert CAPABILITIES.name_at is not None
NAME_AT = CAPABILITIES.name_at
STUBS = Path(typeshed_client.__file__).parent / "typeshed"
FILES = [STUBS / "builtins.pyi", STUBS / "typing.pyi", Path(attr.__file__).with_name("_make.py")]
CODE = b"""
class A:
    x: int = 1
    y = z = 2
    def f(self, p, d=CODE, t: int = 0, *rest, only: str, **more):
        self.hidden = p
        local = p
        def inner(): pass
    g = lambda q: q
    if x:
        def f(self, p): pass
def outer():
    global shared
    shared = 1
    class Inner:
        w = 3
for loop in (1, 2): pass
"""


@pytest.mark.parametrize(
    "data", [*(file.read_bytes() for file in FILES), CODE], ids=["builtins", "typing", "attr", "own"]
)
def test_a_name_from_the_tree_is_the_name_in_facts(data: bytes) -> None:
    path = FilePath("a.py")
    tree = PROVIDER.parser(path).parse(data)
    facts = PROVIDER.extract(path, data, tree)
    rows = facts.definitions
    named = 0
    for row, (start, end) in enumerate(zip(rows.start, rows.end, strict=True)):
        told = NAME_AT(tree, start, end)
        assert told in (None, qualified_name(facts, row))
        named += told is not None
    assert named > 5


def test_what_the_tree_does_not_tell() -> None:
    tree = PROVIDER.parser(FilePath("a.py")).parse(CODE)
    for name in (b"hidden", b"local", b"shared", b"loop", b"q:"):
        start = CODE.index(name)
        assert NAME_AT(tree, start, start + len(name.rstrip(b":"))) is None
