"""Communities: files that import each other are together, in an order that nothing but contents decides."""

from __future__ import annotations

from graphls.analysis.communities import file_communities
from graphls.analysis.git_signals import git_signals
from graphls.analysis.views import Views
from graphls.session.memory import snapshot_of
from graphls.sources.git_log import GitHistory, LoggedCommit, LoggedFile

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


def test_an_edit_that_ties_nothing_anew_leaves_communities_as_they_are() -> None:
    before = file_communities(Views(snapshot_of(FILES)), None)
    after = file_communities(Views(snapshot_of({**FILES, "web/b.py": FILES["web/b.py"] + "x = 1\n"})), None)
    assert after == before
    gone = file_communities(Views(snapshot_of({**FILES, "web/b.py": "x = 1\n"})), None)
    assert gone.communities != before.communities
    assert all("web/b.py" not in (tie.one, tie.other) or tie.imports for one in gone.communities for tie in one.ties)
