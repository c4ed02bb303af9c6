"""What functions declare inside themselves, found by name and by words."""

from __future__ import annotations

import pytest

from graphls.graph.snapshot import Snapshot
from graphls.queries.find import FindQuery, Mode, find
from graphls.queries.find_filter import FindFilter
from graphls.queries.symbol_lookup import find_symbol
from graphls.session.memory import snapshot_of

PYTHON = """\
def outer(given):
    count = 1
    count = 2
    def inner_one():
        deep = 3
        return count
    class Local:
        size = 1
        def weigh(self): ...
    return inner_one, Local
def weigher(): ...
"""
TYPESCRIPT = """\
export function run(given: number) {
  const onClick = (event: string) => event;
  const total = given + 1;
  class Inner { go() {} }
  return [onClick, total, Inner];
}
export function hooks() {
  const useQueries = (asked: string) => asked;
  return { useQueries };
}
"""


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of({"a.py": PYTHON, "b.ts": TYPESCRIPT})


def found(snapshot: Snapshot, text: str, mode: Mode = "fuzzy", *kinds: str) -> list[str]:
    return [
        f"{match.container}.{match.name}"
        for match in find(snapshot, FindQuery(text, mode, FindFilter(frozenset(kinds)))).matches
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("inner_one", "a:outer.inner_one"),
        ("outer.inner_one", "a:outer.inner_one"),
        ("Local", "a:outer.Local"),
        ("size", "a:outer.Local.size"),
        ("deep", "a:outer.inner_one.deep"),
        ("count", "a:outer.count"),
        ("onClick", "b.ts:run.onClick"),
        ("total", "b.ts:run.total"),
        ("run.Inner", "b.ts:run.Inner"),
        ("go", "b.ts:run.Inner.go"),
    ],
)
def test_by_name(snapshot: Snapshot, text: str, name: str) -> None:
    assert found(snapshot, text) == found(snapshot, text, "exact") == [name]


def test_what_a_function_gives_back_is_found_too(snapshot: Snapshot) -> None:
    """The surface knows it, as its type is seen from outside; its name is not. The second one is the object's."""
    assert found(snapshot, "useQueries", "exact") == ["b.ts:hooks.useQueries", "b.ts:hooks.useQueries"]


def test_by_several_words(snapshot: Snapshot) -> None:
    assert found(snapshot, "inner one") == ["a:outer.inner_one"]
    assert found(snapshot, "on click") == ["b.ts:run.onClick"]


def test_what_other_files_see_comes_alone_where_it_has_the_name(snapshot: Snapshot) -> None:
    assert found(snapshot, "weigh")[:2] == ["a:outer.Local.weigh", "a.weigher"]
    assert found(snapshot, "outer") == ["a.outer"]
    assert found(snapshot, "inner_one", "prefix") == []
    around = "def make():\n    def run(): ...\n    runs = run\n"
    twice = snapshot_of({"a.py": "def run(): ...\ndef runner(): ...\n", "b.py": around})
    for locals, names in ((False, ["a.run", "a.runner"]), (True, ["a.run", "b:make.run", "a.runner"])):
        matches = find(twice, FindQuery("run", locals=locals)).matches
        assert [f"{match.container}.{match.name}" for match in matches] == names


def test_parameters_parts_of_names_and_other_kinds_are_not_found(snapshot: Snapshot) -> None:
    for text in ("given", "event", "inner_o", "other.inner_one"):
        answered = find(snapshot, FindQuery(text))
        assert answered.matches == (), text
        assert answered.coverage.completeness.gaps, text
    assert found(snapshot, "inner_one", "fuzzy", "class") == []
    assert found(snapshot, "Local", "fuzzy", "class") == ["a:outer.Local"]


def test_what_scripts_set_on_a_name_is_found_by_that_name() -> None:
    files = {
        "user/index.js": "const User = module.exports;\nUser.exists = function (id) {};\nrequire('./data')(User);\n",
        "user/data.js": "module.exports = function (User) {\n  User.find = async (id) => id;\n};\n",
        "group.js": "exports.find = (id) => id;\n",
    }
    snapshot = snapshot_of(files)
    for text, path in (("User.find", "user/data.js"), ("user.exists", "user/index.js")):
        found = find(snapshot, FindQuery(text, "exact" if text[0] == "U" else "fuzzy"))
        assert [match.place.file for match in found.matches] == [path]
    (place,) = find_symbol(snapshot, "User.find")
    assert find_symbol(snapshot, "user/data.js:User.find") == (place,)
    assert (place.file, find_symbol(snapshot, "group.js:User.find")) == ("user/data.js", ())
