"""Questions at a commit: what `--at REF` answers is what a checkout of that commit answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.cli_runs import Run, graphls
from git_folders import committed, git

QUESTIONS = [
    ("find", "one"),
    ("show", "pkg.a:two"),
    ("show", "main.py:3"),
    ("neighbors", "pkg.a:one", "--depth", "2"),
    ("trace", "main", "pkg.a:two"),
    ("impact", "pkg.a:two"),
    ("pack", "--node", "pkg.a:two"),
    ("similar", "pkg.a:one"),
    ("summary",),
    ("tour",),
    ("entry", "/hello"),
    ("findings",),
    ("changed", "v2", "--tests"),
    ("tests", "pkg.a:two"),
    ("export", "--mode", "allow-errors"),
    ("query", "--sql", "SELECT id, name FROM nodes ORDER BY id"),
]
ASKED = sorted({words[0] for words in QUESTIONS})
FIRST = {
    "pkg/__init__.py": b"",
    "pkg/a.py": b"def one():\n    return two()\n\n\ndef two():\n    return 2\n",
    "main.py": b"from pkg.a import one\n\none()\n",
    "web.py": b"from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get('/hello')\ndef hello(): ...\n",
    "ring.py": b"import gnir\n\n\ndef there():\n    gnir.back()\n",
    "gnir.py": b"import ring\n\n\ndef back():\n    ring.there()\n",
    "latin.py": "# -*- coding: latin-1 -*-\nname = 'caf\u00e9'\n".encode("latin-1"),
    "long.txt": b"x" * 300_000,
    "image.bin": b"\0\1\2",
    "note \u00e9.md": b"See `pkg.a`.\n",
}


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two commits, the first one `v1`; then edits that nobody committed."""
    folder = tmp_path_factory.mktemp("history") / "work"
    folder.mkdir()
    git(folder, "init", "-q")
    write(folder, FIRST)
    (folder / "link.py").symlink_to("main.py")
    committed(folder, "one")
    git(folder, "tag", "v1")
    git(folder, "mv", "pkg/a.py", "pkg/b.py")
    (folder / "web.py").unlink()
    (folder / "ring.py").unlink()
    (folder / "long.txt").write_bytes(b"y" * 300_000)
    write(folder, {"main.py": b"from pkg.b import one\n\n\ndef go():\n    return one()\n"})
    committed(folder, "two")
    git(folder, "tag", "v2")
    write(folder, {"pkg/b.py": b"def dirty(): ...\n", "untracked.py": b"def stray(): ...\n"})
    git(folder, "worktree", "add", "-q", "../copy/work", "v1")
    return folder


def asked(repository: Path, folder: Path, *words: str) -> Run:
    return graphls(*words, cwd=folder, GRAPHLS_CACHE_DIR=str(repository.parent / "cache"))


@pytest.mark.parametrize("words", QUESTIONS, ids="-".join)
def test_a_commit_answers_as_its_checkout_does(repository: Path, words: tuple[str, ...]) -> None:
    then = asked(repository, repository, *words, "--at", "v1")
    checkout = asked(repository, repository.parent / "copy" / "work", *words)
    assert (then.code, then.out) == (checkout.code, checkout.out), then.err


def test_what_nobody_committed_has_no_part(repository: Path) -> None:
    before = git(repository, "status", "--porcelain")
    run = asked(repository, repository, "export", "--mode", "allow-errors", "--at", "HEAD")
    assert run.code == 0, run.err
    assert '"name":"go"' in run.out
    assert '"name":".git"' not in run.out
    assert '"dirty":[]' in run.out
    assert '"name":"dirty"' not in run.out
    assert "stray" not in run.out
    assert git(repository, "status", "--porcelain") == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--at", "nowhere"), "There is no commit 'nowhere'"),
        (("--at=--upload-pack=touch",), "no name of a commit"),
        (("--at", "v1", "--verify"), "leave out --verify or --at"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(repository: Path, words: tuple[str, ...], says: str) -> None:
    run = asked(repository, repository, "show", "pkg.a:two", *words)
    assert (run.code, says in run.err) == (2, True), run.err


def test_changes_of_a_commit_are_those_of_its_checkout(repository: Path) -> None:
    then = asked(repository, repository, "changed", "v2", "--at", "v1")
    checkout = asked(repository, repository.parent / "copy" / "work", "changed", "v2")
    before, heading, after = checkout.out.partition("files that change often")
    assert heading  # which is history's, of what is checked out
    assert then.out == before + after[after.index("may affect") :], then.err


def test_a_commit_is_compared_with_the_one_before_it(repository: Path) -> None:
    run = asked(repository, repository, "changed", "--at", "v2")
    listed = {tuple(line.split()[:2]) for line in run.out.splitlines()}
    assert {("renamed", "pkg/b.py"), ("deleted", "web.py"), ("modified", "main.py")} <= listed, run.out
    assert not {"dirty", "stray"} & set(run.out.split())
    assert asked(repository, repository, "changed", "v1", "--at", "v2").out == run.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--staged", "--at", "v1"), "leave that or --at out"),
        (("--patch", "x.patch", "--at", "v1"), "leave that or --at out"),
        (("--at", "v1"), "There is no commit 'v1^'"),
        (("nowhere", "--at", "v1"), "There is no commit 'nowhere'"),
    ],
)
def test_changes_of_a_commit_that_cannot_be_asked(repository: Path, words: tuple[str, ...], says: str) -> None:
    run = asked(repository, repository, "changed", *words)
    assert (run.code, says in run.err) == (2, True), run.err


def test_a_folder_without_history_has_no_commits(tmp_path: Path) -> None:
    write(tmp_path, FIRST)
    run = graphls("find", "one", "--at", "HEAD", cwd=tmp_path, GRAPHLS_CACHE_DIR=str(tmp_path / "cache"))
    assert run.code == 2
    assert "Traceback" not in run.err
    assert "git" in run.err


@pytest.mark.parametrize("command", ASKED)
def test_every_question_that_takes_a_commit_is_compared(command: str) -> None:
    """A command that gets the option has to be in QUESTIONS."""
    assert "--at" in graphls(command, "--help").out
