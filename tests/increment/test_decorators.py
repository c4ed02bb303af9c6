"""Decorators and fixtures: what runs in the place of what a call names, and what pytest gives, after edits elsewhere.

Owns: edits of decorators, of what they give back, and of fixtures, in files that others only reach through names.
Must not know: what links say.
Invariant: after each edit the graph is that of a fresh index, and files that spell none of the names are as they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphls.session.session import Session
from increment.session_folder import edit, relinked, session_over, write

DECO = (
    "import typing as t\nF = t.TypeVar('F')\n\n\ndef checked(f: F) -> F:\n    def wrapper(*args):\n"
    "        return f(*args)\n    return t.cast(F, wrapper)\n\n\n"
    "def route(rule: str) -> t.Callable[[F], F]:\n    def add(f: F) -> F:\n        return f\n    return add\n"
)
CONFTEST = (
    "import pytest\nfrom shop import Shop\n\n\n@pytest.fixture\ndef shop():\n    yield Shop()\n\n\n"
    "@pytest.fixture\ndef session(shop):\n    return shop.open()\n"
)
FILES = {
    "deco.py": DECO,
    "shop.py": "from deco import checked\n\n\nclass Session:\n    def get(self): ...\n\n\nclass Shop:\n"
    "    @checked\n    def open(self) -> Session: ...\n    def get(self): ...\n",
    "views.py": "from deco import route\n\n\n@route('/')\ndef view(): ...\n",
    "plain.py": "def plain(): ...\n\n\nplain()\n",
    "tests/conftest.py": CONFTEST,
    "tests/test_shop.py": "def test_open(shop, session):\n    shop.open()\n    session.get()\n",
}
EDITS = {
    "another name": ("deco.py", DECO.replace("wrapper", "around")),
    "no wrapper any more": ("deco.py", DECO.replace("return t.cast(F, wrapper)", "return f")),
    "given back as it is": ("deco.py", DECO.replace("t.cast(F, wrapper)", "wrapper")),
    "a body": ("deco.py", DECO.replace("    return f(*args)", "    print(1)\n        return f(*args)")),
    "another factory": ("deco.py", DECO.replace("    return add\n", "    return checked(add)\n")),
    "a fixture gives another class": ("tests/conftest.py", CONFTEST.replace("shop.open()", "shop")),
    "a fixture is no fixture": ("tests/conftest.py", CONFTEST.replace("@pytest.fixture\ndef session", "def session")),
}

UNSEEN = ("a body", "another factory", "given back as it is")
"""Edits that change nothing for what calls or takes something else."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    write(tmp_path, FILES)
    with session_over(tmp_path) as made:
        relinked(made)
        yield made


def test_edits_end_where_a_fresh_index_begins(session: Session) -> None:
    for name, (path, text) in EDITS.items():
        assert text != FILES[path], name
        done = edit(session, path, text)
        assert "plain.py" not in done, name
        assert ("tests/test_shop.py" in done) == (name not in UNSEEN), name
        edit(session, path, FILES[path])
