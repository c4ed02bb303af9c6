"""Recall: a text read with a memory of earlier texts says what it says without one."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.python import provider as python
from graphls.languages.python.syntax.fragment_cache import read_cached
from increment.test_equal_to_scratch import BLOCKS, FILES

NAME = FilePath("a.py")
HEAD = "import os\nfrom typing import overload\n\nLIMIT = 'x'\n\n"
SPELLED = """
#: plain
def f(a, b=1, *c, d: int = 2, **e):
    x = a.b(c)[0]
    return x or None

#: literals
def f():
    return [1, 'a', None, 2.0, {'k': 1}, -1, f'{LIMIT}', os.path]

#: decorated
@overload
@deco(1, key='m.n')
async def f(a: 'int | None') -> list[str]:
    return await a

#: global
def f():
    global G, LIMIT
    G = 1
    LIMIT += 'y'
    H += 1
    del G

#: nonlocal
def f():
    n = 0

    def g():
        nonlocal n
        n += 1
        return n
    return g

#: walrus
def f(a=(w := 1), b=[q for q in (y := [])]):
    if (z := a) is not None and isinstance(z, int):
        return z

#: narrowed
def f(a):
    if not isinstance(a, (int, str)):
        raise E
    assert a
    while a:
        a.m()

#: dispatch
def f(a):
    if a == 'x':
        p()
    elif a == 'y':
        q()
    elif a == 'z':
        r()
    return {'a': p, 'b': [1]}

#: matched
def f(a):
    match a:
        case C(x=1, y=[b, *c]):
            return b
        case 'k' | None:
            pass

#: imports
def f():
    from .a import b as c
    import d.e, g as h
    from .z import *
    return c(h)

#: class
def f():
    class C(B, metaclass=M):
        y: int = 1

        def m(self):
            self.z = 1

    return C

#: generator
def f[T: int](a: T):
    yield from a
    x = yield
    with a as b, c:
        for i, (j, *k) in b:
            getattr(k, 'm')

#: exports
def f():
    __all__.extend(['a'])
    try:
        pass
    except E as e:
        lambda p, q=e: q

#: documented
def f():
    '''What it does.

    More.
    '''
    __import__('os.path')
    return cast('A.b', x)
"""
FUNCTIONS: dict[str, str] = {part.partition("\n")[0]: part.partition("\n")[2] for part in SPELLED.split("#: ")[1:]}
METHODS = {
    name: text.replace("\n", "\n    ").rstrip(" ").replace("f(", "f(self, ", 1) for name, text in FUNCTIONS.items()
}


def both(memory: object, text: str | bytes) -> bool:
    """Whether a text says the same with a memory and without."""
    data = text if isinstance(text, bytes) else text.encode()
    fragments = python.CAPABILITIES.fragments
    assert fragments is not None
    tree = python.PROVIDER.parser(NAME).parse(data)
    remembered = fragments.extract_again(NAME, data, tree, memory)
    return encode(remembered) == encode(python.PROVIDER.extract(NAME, data, tree))


@pytest.fixture
def memory() -> Iterator[FragmentCache]:
    """One whose functions were all read twice, as the invariant says nothing of what was never recalled."""
    made = FragmentCache()
    yield made
    assert made.previous


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_the_same_elsewhere(memory: FragmentCache, name: str) -> None:
    function, method = FUNCTIONS[name], METHODS[name]
    whole = f"{HEAD}{function}\n\nclass K:\n    x = 1\n\n    {method}\n"
    assert both(memory, whole)
    known = set(memory.previous)
    others = (
        f"{HEAD}y = None\n{function}\n\nclass Added:\n    pass\n\nclass K:\n    x = 1\n    z = os\n    {method}\n",
        f"int = 0.5, 1, 'a'\n{HEAD}class K:\n    def before(self): return [1 for a in {{}}]\n    {method}\n{function}",
        f"{HEAD}class K:\n    {method}\n    {method}\n{function}{function}x = f()\n",
        f"def g(: pass\n{HEAD}{function}\nclass K:\n    {method}\n",
        f"if os:\n    class K:\n        x = 1\n\n        {method}\n".replace("\n        ", "\n            "),
        f"global G\n{function}",
        whole,
    )
    for other in others:
        assert both(memory, other), other
    assert known <= {*memory.previous}


def test_what_is_remembered_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f():\n    return 1\n\ndef g():\n    return 2\n"
    memory = FragmentCache()
    assert both(memory, text)
    first = dict(memory.previous)
    assert both(memory, f"x = 1\n{text.replace('2', '3')}")
    again = [key for key, piece in memory.previous.items() if first.get(key) is piece]
    assert len(again) == 1
    assert read_cached.__module__.endswith("fragment_cache")


def test_functions_that_are_gone_are_forgotten() -> None:
    memory = FragmentCache()
    assert both(memory, "def f(): pass\ndef g(): pass\n")
    assert both(memory, "def g(): pass\n")
    assert len(memory.previous) == 1


def test_broken_and_bottomless_functions_are_read_anew() -> None:
    memory = FragmentCache()
    deep = "def f():\n    return " + "(" * 400 + "x" + ")" * 400 + "\n"
    for text in (
        deep,
        f"y = 1\n{deep}",
        "def g(:\n    return 1\n",
        "class C:\n  def m(self: return 1\n  def n(self): x\n",
    ):
        assert both(memory, text)
        assert both(memory, text)


@pytest.mark.parametrize("path", sorted(FILES, key=lambda path: -len(FILES[path]))[:8])
def test_random_edits_of_real_files(path: str) -> None:
    chosen, data, memory = random.Random(path), FILES[path], FragmentCache()
    pieces = (*BLOCKS, b"x", b" ", b"\n", b".", b"int", b"'a.b'", b"None", b"    ", b"class C:\n")
    for _ in range(60):
        assert both(memory, data)
        at = chosen.randrange(len(data) + 1)
        data = data[:at] + chosen.choice(pieces) + data[at + chosen.choice((0, 0, 0, 1, 30)) :]
        if chosen.random() < 0.2:
            data = FILES[path]
