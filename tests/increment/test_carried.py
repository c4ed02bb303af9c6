"""Carried: links that an edit of another file leaves as they are, though its surface is another one.

Owns: edits that others see, which readers are linked anew, that all links are those of a fresh index.
Must not know: what links say.
Invariant: who does not spell a name that means something else now, and reads nobody who does, is not linked anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphls.graph.open_names import packed_number
from graphls.graph.snapshot import Snapshot
from graphls.session.session import Session
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import edit, everything, from_scratch, key, relinked, session_over, settle, write

TOOLS = (
    "from pkg.deep import far\n\n\ndef join(a, b):\n    return a\n\n\nclass Part:\n    size = 1\n\n"
    "    def grown(self):\n        return self\n\n\nclass Shown(Part):\n    def show(self):\n        return Part()\n"
)
FILES = {
    "pkg/__init__.py": "",
    "pkg/deep.py": "class Far:\n    def go(self):\n        return 1\n\n\ndef far():\n    return Far()\n",
    "pkg/tools.py": TOOLS,
    "pkg/shared.py": "from pkg.tools import *\nfrom pkg import tools\n\nlater = tools.later\n",
    **{f"pkg/user{n}.py": "from pkg.tools import join\n\njoin(1, 2)\n" for n in range(5)},
    "pkg/parts.py": "from pkg.tools import Part, Shown\n\nPart().grown().size\nShown().show().size\n",
    "pkg/starred.py": "from pkg.shared import *\n\njoin(1, 2)\n",
    "pkg/through.py": "from pkg import shared\n\nshared.later.anything\nshared.join\n",
    "pkg/hoping.py": "from pkg.tools import later\n\nlater().go()\n",
}
PLAIN = [f"pkg/user{n}.py" for n in range(5)]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    write(tmp_path, FILES)
    with session_over(tmp_path) as made:
        relinked(made)
        yield made


def test_a_function_more_is_news_to_those_who_ask_for_it(session: Session) -> None:
    added = f"{TOOLS}\n\ndef later():\n    return far()\n"
    # The module that is asked for the name, and who reads that one.
    expected = ["pkg/hoping.py", "pkg/shared.py", "pkg/starred.py", "pkg/through.py", "pkg/tools.py"]
    assert edit(session, "pkg/tools.py", added) == expected


def test_a_name_that_nobody_spells_is_news_to_nobody(session: Session) -> None:
    assert edit(session, "pkg/tools.py", f"{TOOLS}\n\ndef unheard(x):\n    return x\n") == ["pkg/tools.py"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    size = 1\n", "    size = far()\n"),
        ("def grown(self):\n        return self", "def grown(self):\n        return far()"),
        ("return Part()", "return far()"),
        ("class Shown(Part)", "class Shown"),
    ],
    ids=["field", "method", "of a derived class", "bases"],
)
def test_members_are_news_to_those_who_spell_them(session: Session, old: str, new: str) -> None:
    assert set(edit(session, "pkg/tools.py", TOOLS.replace(old, new))).isdisjoint(PLAIN)


def test_parameters_are_news_to_those_who_name_the_function(session: Session) -> None:
    """`later` is spelled elsewhere, as the name of something else."""
    added = "\n\ndef unheard(later, a):\n    return later\n"
    assert edit(session, "pkg/tools.py", TOOLS + added) == ["pkg/tools.py"]
    path = key("pkg/tools.py")
    for text in (
        TOOLS.replace("join(a, b)", "join(a, *, b=1)"),
        TOOLS.replace("(a, b):\n    return a", "(b, a: Part):\n    return a"),
    ):
        session.change(path, text.encode())
        snapshot = settle(session)
        assert set(PLAIN) <= set(relinked(session))
        assert everything(snapshot) == from_scratch(snapshot)


@pytest.mark.parametrize(
    "more",
    ["\n\ndef __getattr__(name):\n    return name\n", "\n\n__all__ = ['join']\n"],
    ids=["names made up", "list of exports"],
)
def test_what_has_no_name_is_news_to_all(session: Session, more: str) -> None:
    assert set(PLAIN) <= set(edit(session, "pkg/tools.py", TOOLS + more))


def test_a_change_of_what_is_read_by_what_is_read(session: Session) -> None:
    """`far` is spelled where it is handed on; what it gives back is another thing for all who come to it."""
    changed = FILES["pkg/deep.py"].replace("return Far()", "return 1")
    assert "pkg/tools.py" in edit(session, "pkg/deep.py", changed)


@pytest.mark.parametrize(
    "text",
    [
        f"def first():\n    return 1\n\n\n{TOOLS}",
        TOOLS.replace("class Shown", "def between(x):\n    return x\n\n\nclass Shown"),
        TOOLS.replace("    def grown", "    unheard = 1\n\n    def grown"),
    ],
    ids=["first", "between", "member"],
)
def test_what_stands_above_moves_rows(session: Session, text: str) -> None:
    """Rows of what is the same are others now: links lead to these, and nobody else is linked for it."""
    assert edit(session, "pkg/tools.py", text) == ["pkg/tools.py"]
    assert relinked(session) == []


def test_what_was_between_goes_again(session: Session) -> None:
    path = key("pkg/tools.py")
    edit(session, "pkg/tools.py", TOOLS.replace("class Shown", "def between(x):\n    return x\n\n\nclass Shown"))
    session.change(path, TOOLS.encode())
    assert everything(settle(session)) == from_scratch(settle(session))
    assert relinked(session) in (["pkg/tools.py"], [])


def test_what_changes_places_is_linked_anew(session: Session) -> None:
    start, _, rest = TOOLS.partition("class Part")
    assert set(PLAIN) <= set(edit(session, "pkg/tools.py", "class Part" + rest + "\n\n" + start))


def test_one_edit_after_another(session: Session) -> None:
    path = key("pkg/tools.py")
    edit(session, "pkg/tools.py", f"{TOOLS}\n\ndef one(x):\n    return x\n")
    for more in ("def one(x, y):\n    return x\n", "def two():\n    pass\n", ""):
        session.change(path, f"{TOOLS}\n\n{more}".encode())
        snapshot = settle(session)
        assert relinked(session) in (["pkg/tools.py"], [])
        assert everything(snapshot) == from_scratch(snapshot)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TOOLS, []),
        (f"{TOOLS}# a comment\n", ["pkg/tools.py"]),
        (f"{TOOLS}\n\ndef unheard(x):\n    return x\n", ["pkg/tools.py"]),
        (f"def unheard(x):\n    return x\n\n\n{TOOLS}", ["pkg/tools.py"]),
        (f"{TOOLS}\n\ndef later():\n    return far()\n", None),
    ],
    ids=["nothing", "body", "unheard", "unheard above", "heard of"],
)
def test_an_edit_between_two_runs(tmp_path: Path, text: str, expected: list[str] | None) -> None:
    """The state of the run before is known by its proof; two runs on, by that of the run that took it over."""
    root, folder = tmp_path / "space", str(tmp_path / "cache")
    write(root, FILES)
    asking = ["pkg/hoping.py", "pkg/shared.py", "pkg/starred.py", "pkg/through.py", "pkg/tools.py"]
    for now, linked in ((TOOLS, sorted(FILES)), (text, asking if expected is None else expected), (text, [])):
        write(root, {"pkg/tools.py": now})
        store = BlobStore(StoreOptions(folder=folder))
        with session_over(root, store) as session:
            snapshot = settle(session)
            assert relinked(session) == linked
            assert everything(snapshot) == from_scratch(snapshot)
        store.close()


def test_names_of_the_workspace_are_those_of_its_files_whenever_somebody_asks(session: Session) -> None:
    """Edits between two questions count as well, also those that another edit takes back."""
    path = key("pkg/tools.py")

    def change(text: str) -> Snapshot:
        session.change(path, text.encode())
        return session.snapshot()

    session.open(path, TOOLS.encode())
    known = session.snapshot().defined_names("python")
    more = f"{TOOLS}\n\ndef unheard(x):\n    return x\n"
    change(f"{TOOLS}\n# one\n")
    assert change(f"{TOOLS}\n# two\n").defined_names("python") is known
    change(more)
    assert change(f"{TOOLS}\n# three\n").defined_names("python") is known
    change(f"{TOOLS}\n# four\n")
    snapshot = change(f"{more}\n# five\n")
    assert snapshot.defined_names("python") - known == {packed_number("unheard", 0)}
    assert change(f"{more}\n# six\n").defined_names("python") is snapshot.defined_names("python")
    change(TOOLS)
    assert change(f"{TOOLS}\n# seven\n").defined_names("python") == known
