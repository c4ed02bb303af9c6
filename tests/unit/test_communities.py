"""Communities: files that import each other are together, in an order that nothing but contents decides."""

from __future__ import annotations

from pathlib import Path

from graphls.analysis.centrality import CentralityInput, central_files
from graphls.analysis.communities import file_communities
from graphls.analysis.git_signals import git_signals
from graphls.analysis.health import HealthInput, workspace_health
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.clone_families import clone_families, clones_elsewhere
from graphls.session.memory import snapshot_of
from graphls.sources.git_log import GitHistory, LoggedCommit, LoggedFile
from increment.session_folder import anew, session_over, settle, write

FILES = {
    "web/a.py": "from web import b, c\n", "web/b.py": "from web import c\n", "web/c.py": "import web.a\n",
    "store/x.py": "from store import y, z\n", "store/y.py": "from store import z\n", "store/z.py": "import web.a\n",
    "web/__init__.py": "", "store/__init__.py": "", "alone.py": "x = 1\n",
}  # fmt: skip


def test_what_imports_each_other_is_together() -> None:
    found = file_communities(Views(snapshot_of(FILES)), None)
    groups = [{path for path in one.members if "__init__" not in path} for one in found.communities]
    assert {"store/x.py", "store/y.py", "store/z.py"} in groups
    assert {"web/a.py", "web/b.py", "web/c.py"} in groups
    assert found.alone >= 1
    assert file_communities(Views(snapshot_of(dict(reversed(FILES.items())))), None) == found
    assert sum(len(one.members) for one in found.communities) + found.alone == len(FILES)


def test_a_community_is_named_by_the_folder_of_most_of_its_files_and_the_most_central_one() -> None:
    users = {f"shop/view{n}.py": "import shop.base\n" for n in range(4)}
    files = {"main.py": "import shop.base\n", "shop/base.py": "", "shop/__init__.py": "", **users}
    (one,) = file_communities(Views(snapshot_of(files)), None).communities
    assert one.members[0] == "main.py"
    assert one.name == "shop (base.py)"
    apart = {"a/one.py": "import main\n", "b/two.py": "import main\n", "main.py": ""}
    (one,) = file_communities(Views(snapshot_of(apart)), None).communities
    assert one.name == "main.py"


def test_files_that_change_together_without_an_import_may_surprise() -> None:
    files = tuple(LoggedFile(path, "", 1, 0) for path in ("alone.py", "web/b.py"))
    commits = tuple(LoggedCommit(f"{n}", n, "p", "p@x", "", 2, files) for n in range(4))
    found = file_communities(Views(snapshot_of(FILES)), git_signals(GitHistory("h", commits, 4)))
    (surprise,) = found.surprises
    assert (surprise.tie.one, surprise.tie.other, surprise.tie.changes) == ("alone.py", "web/b.py", 4)
    assert surprise.reasons == ("other top folder", "no import between them")
    assert surprise.points == 5 + 8 + 4


def test_files_of_one_package_need_no_import() -> None:
    texts = {
        "go.mod": "module shop\n", "pay/pay.go": "package pay\n", "pay/pay_test.go": "package pay\n",
        "src/main/java/app/Cart.java": "package app;\nclass Cart {}\n", "mail/mail.go": "package pay\n",
        "cmd/main.go": 'package main\nimport "shop/pay"\n',
        "src/test/java/app/CartTest.java": "package app;\nclass CartTest {}\n",
    }  # fmt: skip
    files = tuple(LoggedFile(path, "", 1, 0) for path in texts if path != "go.mod")
    commits = tuple(LoggedCommit(f"{n}", n, "p", "p@x", "", 2, files) for n in range(4))
    views, signals = Views(snapshot_of(texts)), git_signals(GitHistory("h", commits, 4))
    pairs = {(one.tie.one, one.tie.other) for one in file_communities(views, signals).surprises}
    assert ("mail/mail.go", "pay/pay.go") in pairs
    assert ("cmd/main.go", "mail/mail.go") in pairs
    assert not pairs & {
        ("cmd/main.go", "pay/pay_test.go"), ("cmd/main.go", "pay/pay.go"),
        ("pay/pay.go", "pay/pay_test.go"), ("src/main/java/app/Cart.java", "src/test/java/app/CartTest.java"),
    }  # fmt: skip
    central = central_files(views, CentralityInput(signals=signals, health={}, findings={}))
    hidden = {
        one.file: signal.files for one in central for signal in one.signals if signal.signal == "without an import"
    }
    assert hidden["pay/pay.go"] == ("mail/mail.go", "src/main/java/app/Cart.java")


def test_an_edit_that_ties_nothing_anew_leaves_communities_as_they_are() -> None:
    before = file_communities(Views(snapshot_of(FILES)), None)
    after = file_communities(Views(snapshot_of({**FILES, "web/b.py": FILES["web/b.py"] + "x = 1\n"})), None)
    assert after == before
    gone = file_communities(Views(snapshot_of({**FILES, "web/b.py": "x = 1\n"})), None)
    assert gone.communities != before.communities
    assert all("web/b.py" not in (tie.one, tie.other) or tie.imports for one in gone.communities for tie in one.ties)


BODY = """def {0}(rows):
    found = []
    for row in rows:
        if row > {1}:
            found.append(row * 2)
    return sorted(found)
"""
EDITS = (
    ("web/b.py", BODY.format("another", 3)),
    ("web/b.py", BODY.format("another", 3).replace("* 2", "+ row * 2")),
    ("web/c.py", "import store.z\n" + BODY.format("third", 4)),
    ("web/c.py", "# Code generated by protoc. DO NOT EDIT.\n" + BODY.format("third", 4)),
    (".gitattributes", "store/* linguist-generated\n"),
    ("web/c.py", BODY.format("third", 4) + BODY.format("fourth", 5)),
)  # fmt: skip


def _told(snapshot: Snapshot) -> tuple[object, ...]:
    views, families = Views(snapshot), clone_families(snapshot)
    given = HealthInput(signals=None, coverage=None, clones=clones_elsewhere(families))
    return families, workspace_health(views, given), file_communities(views, None)


def test_after_each_edit_clones_health_and_communities_are_those_of_a_fresh_index(tmp_path: Path) -> None:
    """What files keep from state to state is of their contents alone."""
    write(tmp_path, {**FILES, "web/a.py": FILES["web/a.py"] + BODY.format("one", 1)})
    told: list[object] = []
    with session_over(tmp_path) as session:
        for path, text in EDITS:
            _told(session.snapshot())
            write(tmp_path, {path: text})
            session.files_changed([FilePath(path)])
            told.append(_told(settle(session)))
            assert told[-1] == _told(anew(session.snapshot())), path
    assert len({repr(one) for one in told}) == len(EDITS)
