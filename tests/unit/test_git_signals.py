"""Git signals: numbers of small repositories, counted by hand.

Owns: repositories with several people, renames, wide commits and merges.
Must not know: layout.
Invariant: what is expected here is what `git log` prints.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from git_folders import SETTLED, git
from graphls.analysis.git_signals import CoChange, GitSignals, SharedCommits, git_signals, reviewers
from graphls.analysis.risk import file_risks, left_behind
from graphls.facts.paths import FilePath
from graphls.queries.line_history import symbol_changes
from graphls.session.comparing import NoHistory
from graphls.session.history import git_history
from graphls.session.memory import snapshot_of
from graphls.session.risk_report import risk_report
from graphls.sources.git_patches import file_patches
from graphls.sources.git_program import repository
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

ANN, BOB = ("Ann", "Ann@Example.org"), ("Bob", "bob@example.org")


class Repo:
    """A repository in the making; a day passes with each commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.day = 0
        root.mkdir(exist_ok=True)
        git(root, "init", "-q", "-b", "main")

    def commit(self, who: tuple[str, str] = ANN, message: str = "change", **files: str | None) -> str:
        """Writes files (`a__b` is `a/b`, without a text it goes away) and commits all."""
        for name, text in files.items():
            path = self.root / (name.replace("__", "/") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink() if text is None else path.write_text(text, "utf-8")
        return self.commit_all(who, message)

    def commit_all(self, who: tuple[str, str] = ANN, message: str = "change") -> str:
        self.day += 1
        when = f"2020-01-{self.day:02d}T00:00:00Z"
        named = {"GIT_AUTHOR_NAME": who[0], "GIT_AUTHOR_EMAIL": who[1], "GIT_COMMITTER_DATE": when}
        git(self.root, "add", "-A")
        own = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
        environment = {**own, **SETTLED, **named, "GIT_AUTHOR_DATE": when}
        subprocess.run(["git", "commit", "-q", "-m", message], cwd=self.root, env=environment, check=True)
        return git(self.root, "rev-parse", "HEAD")

    def signals(self, commits: int = 500) -> GitSignals:
        return git_signals(git_history(Workspace.of([str(self.root)]), None, commits))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def lines(count: int, word: str = "x") -> str:
    return "".join(f"{word}{number} = {number}\n" for number in range(count))


def test_numbers_of_a_file(repo: Repo) -> None:
    repo.commit(a=lines(3), b=lines(1))
    repo.commit(BOB, a=lines(5))
    repo.commit(a=lines(4))
    found = repo.signals().files["a.py"]
    assert (found.commits, found.added, found.deleted, found.churn) == (3, 5, 1, 6)
    assert [(one.name, one.email, one.commits, one.share) for one in found.authors] == [
        ("Ann", "ann@example.org", 2, 66.7), ("Bob", "bob@example.org", 1, 33.3),
    ]  # fmt: skip
    assert found.hotspot == 42.7  # 10 x 3 + 5 x ln 7 + 3
    assert (found.recent, found.earlier) == (2, 1)


def test_a_rename_keeps_history_and_an_old_name_that_came_back_its_own(repo: Repo) -> None:
    repo.commit(a=lines(30))
    repo.commit(a=None, b=lines(30))
    assert {path: one.commits for path, one in repo.signals().files.items()} == {"b.py": 2}
    repo.commit(a=lines(30, "y"))
    # As `git log -- a.py` says, too.
    assert {path: one.commits for path, one in repo.signals().files.items()} == {"a.py": 2, "b.py": 1}


def test_pairs_and_wide_commits(repo: Repo) -> None:
    repo.commit(a="import b\n", b="x = 1\n", c="y = 1\n")
    repo.commit(a="import b\nx = 2\n", b="x = 2\n", c="y = 2\n")
    repo.commit(a="import b\nx = 3\n", c="y = 3\n", **{f"f{number}": f"n = {number}\n" for number in range(100)})
    signals = repo.signals()
    assert [(one.path, one.count) for one in signals.files["a.py"].co_changes] == [("b.py", 2), ("c.py", 2)]
    snapshot = snapshot_of({"a.py": "import b\nx = 3\n", "b.py": "x = 2\n", "c.py": "y = 3\n", "d.txt": "d\n"})
    (risk,) = file_risks(snapshot, signals, ["a.py"])
    assert [(one.file, one.count, one.hidden) for one in risk.coupled] == [("c.py", 2, True), ("b.py", 2, False)]


def test_work_is_done_for_files_that_are_asked_about(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs grow with the squares of commits: those of a file are counted when it is asked about, and of a report for
    the files that it shows."""
    for number in range(3):
        repo.commit(**dict.fromkeys("abcd"[: 4 - number], f"x = {number}\n"))
    counted: list[str] = []
    frequent = SharedCommits.frequent

    def noted(self: SharedCommits, least: int) -> tuple[CoChange, ...]:
        found = frequent(self, least)
        counted.extend(one.path for one in found)
        return found

    monkeypatch.setattr(SharedCommits, "frequent", noted)
    signals = repo.signals()
    assert counted == []
    snapshot = snapshot_of({f"{name}.py": "x = 2\n" for name in "abcd"})
    report = risk_report(snapshot, signals, ["d.py", "c.py", "b.py", "a.py"], limit=1)
    (shown,) = report.files
    assert (shown.file, [other.file for other in shown.coupled]) == ("a.py", ["b.py", "c.py", "d.py"])
    assert counted == ["b.py", "c.py", "d.py"]
    assert [(one.path, one.count) for one in signals.files["a.py"].changes_often_with(2)] == [("b.py", 3), ("c.py", 2)]


def test_what_a_change_leaves_alone(repo: Repo) -> None:
    for number in range(3):
        repo.commit(a=f"x = {number}\n", b=f"y = {number}\n")
    snapshot = snapshot_of({"a.py": "x = 9\n", "b.py": "y = 2\n"})
    ((changed, other),) = left_behind(snapshot, repo.signals(), ["a.py"])
    assert (changed, other.file, other.count, other.share, other.hidden) == ("a.py", "b.py", 3, 100.0, True)
    assert left_behind(snapshot, repo.signals(), ["a.py", "b.py"]) == ()


def test_merges_binary_files_and_the_window(repo: Repo) -> None:
    repo.commit(a=lines(2))
    git(repo.root, "checkout", "-q", "-b", "side")
    repo.commit(a=lines(3))
    git(repo.root, "checkout", "-q", "main")
    (repo.root / "bytes.bin").write_bytes(b"\0\1")
    repo.commit(BOB, b=lines(1))
    git(repo.root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    signals = repo.signals()
    assert len(signals.history.commits) == 3
    assert {path: one.commits for path, one in signals.files.items()} == {"a.py": 2, "b.py": 1}
    assert len(repo.signals(1).history.commits) == 1


def test_odd_names_subjects_and_mailmap(repo: Repo) -> None:
    (repo.root / "odd name\n\tü.py").write_text("x = 1\n", "utf-8")
    (repo.root / ".mailmap").write_text("Ann Real <ann@real.org> <ann@example.org>\n", "utf-8")
    repo.commit_all(message="\x01commit a\ttab\n\n1\t2\tno/file.py")
    signals = repo.signals()
    assert sorted(signals.files) == [".mailmap", "odd name\n\tü.py"]
    assert [one.email for one in signals.files[".mailmap"].authors] == ["ann@real.org"]


def test_a_folder_of_a_repository(repo: Repo, tmp_path: Path) -> None:
    repo.commit(sub__a=lines(1), b=lines(1))
    repo.commit(b=lines(2))
    store = BlobStore(StoreOptions(folder=str(tmp_path / "cache")))
    first = git_history(Workspace.of([str(repo.root / "sub")]), store)
    assert [[file.path for file in commit.files] for commit in first.commits] == [["a.py"]]
    assert git_history(Workspace.of([str(repo.root / "sub")]), store) == first
    assert len(git_history(Workspace.of([str(repo.root)]), store).commits) == 2
    store.close()


def test_without_history_it_is_refused(tmp_path: Path, repo: Repo) -> None:
    (tmp_path / "plain").mkdir()
    for root in (tmp_path / "plain", repo.root):
        with pytest.raises(NoHistory):
            git_history(Workspace.of([str(root)]))


def test_contents_that_are_not_in_the_clone_are_said(repo: Repo, tmp_path: Path) -> None:
    repo.commit(a=lines(2))
    repo.commit(a=lines(3))
    git(repo.root, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.root}", str(partial))
    with pytest.raises(NoHistory, match="not in this clone"):
        git_history(Workspace.of([str(partial)]))


def test_who_may_review(repo: Repo) -> None:
    repo.commit(a=lines(2), b=lines(1))
    repo.commit(BOB, b=lines(3))
    repo.commit(a=lines(4), b=lines(4))
    ann, bob = reviewers(repo.signals(), ("a.py",))
    assert (ann.authorship, ann.cochange, ann.recency, ann.score) == (100.0, 1.3, 20, 121.3)
    assert (bob.authorship, bob.cochange, bob.recency, bob.paths, bob.beside) == (0.0, 0.7, 20, (), ("b.py",))
    assert reviewers(repo.signals(), ("a.py",), without="ann@example.org") == (bob,)


def test_symbols_that_commits_touched(repo: Repo) -> None:
    first = "def a():\n    x = 1\n    return x\n\n\ndef b():\n    return 2\n"
    repo.commit(m=first)
    repo.commit(BOB, m=first.replace("x = 1", "x = 5"))
    repo.commit(m="import os\n\n\n" + first.replace("x = 1", "x = 5").replace("return 2", "return 3"))
    head = (repo.root / "m.py").read_bytes()
    now = "# new\n\n" + head.decode()
    patches = file_patches(repository(str(repo.root)), "m.py")
    found = symbol_changes(snapshot_of({"m.py": now}), FilePath("m.py"), patches, head)
    facts = snapshot_of({"m.py": now}).facts(FilePath("m.py"))
    names = {facts.strings[facts.definitions.name[one.definition]]: one for one in found if one.definition >= 0}
    assert {name: (one.commits, one.authors) for name, one in names.items()} == {"a": (2, 2), "b": (2, 1), "os": (1, 1)}


def test_a_line_that_is_gone_counts_for_what_is_around_it(repo: Repo) -> None:
    repo.commit(m="def a():\n    x = 1\n    y = 2\n    return x\n\n\ndef b():\n    return 2\n")
    repo.commit(m="def a():\n    x = 1\n    return x\n\n\ndef b():\n    return 2\n")
    repo.commit(m="def a():\n    x = 1\n    return x\n\n\n# gap\ndef b():\n    return 2\n")
    head = (repo.root / "m.py").read_bytes()
    patches = file_patches(repository(str(repo.root)), "m.py")
    found = symbol_changes(snapshot_of({"m.py": head.decode()}), FilePath("m.py"), patches, head)
    assert sorted(one.commits for one in found if one.definition >= 0) == [1, 2]
