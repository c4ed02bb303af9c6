"""Ignore rules: what Git and ripgrep leave out, this leaves out.

Owns: patterns one by one, nesting, precedence, agreement with `git check-ignore`.
Must not know: how patterns are translated.
Invariant: Git is the judge wherever it has an opinion.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest

from graphls.facts.paths import FilePath
from graphls.sources.ignore_index import IgnoreIndex
from graphls.sources.ignore_patterns import parse_ignore_file, parse_pattern
from graphls.sources.limits import SourceLimits
from graphls.sources.walk import walk
from graphls.sources.workspace import Workspace

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
PLAIN = SourceLimits(excluded_folders=frozenset({".git"}))


def plant(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))


def kept(root: Path, limits: SourceLimits = PLAIN) -> set[str]:
    return {str(file.path) for file in walk(Workspace.of([str(root)]), limits).files}


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-c", "core.excludesFile=", *arguments], cwd=root, check=True, capture_output=True, text=True
    ).stdout


def git_keeps(root: Path) -> set[str]:
    listed = git(root, "ls-files", "-z", "--others", "--exclude-standard")
    return {name for name in listed.split("\0") if name}


@pytest.mark.parametrize(
    ("pattern", "hits", "misses"),
    [
        ("*.py[cod]", ["a.pyc", "x/y.pyo"], ["a.py", "a.pyx"]),
        ("/site", ["site"], ["x/site"]),
        ("docs/_build/", ["docs/_build/"], ["docs/_build", "x/docs/_build/"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "x/a/b"]),
        ("**/b", ["b", "x/b"], ["xb"]),
        ("a/**", ["a/x", "a/x/y"], ["a"]),
        ("a**b", ["ab", "axb", "x/axxb"], ["a/b"]),
        ("[!a]b", ["bb"], ["ab"]),
        ("[]x]", ["]", "x"], ["[]x]"]),
        ("[[:digit:]]z", ["1z"], ["az"]),
        (r"\!x", ["!x"], ["x"]),
        (r"\#x", ["#x"], ["x"]),
        ("x ", ["x"], ["x "]),
        ("x\\ ", ["x "], ["x"]),
        ("x\r", ["x"], []),
        ("a*b*c*d", ["abcd", "a1b2c3d", "abbccd"], ["abc", "dcba"]),
        ("*", ["x", "a/b"], []),
        ("é?", ["éü"], ["e1"]),
    ],
)
def test_pattern(pattern: str, hits: list[str], misses: list[str]) -> None:
    file = parse_ignore_file(pattern.encode())

    def ignored(path: str) -> bool | None:
        is_folder = path.endswith("/")
        path = path.removesuffix("/")
        return file.verdict(path, path.rsplit("/", 1)[-1], is_folder)

    assert [path for path in hits if ignored(path) is not True] == []
    assert [path for path in misses if ignored(path) is not None] == []


@pytest.mark.parametrize("line", ["", "# x", "!", "/", "[x", "x\\", "[a-", "[[:nope:]]", "!#" * 0])
def test_pattern_that_never_matches(line: str) -> None:
    assert parse_pattern(line) is None


def test_hostile_pattern_is_quick() -> None:
    """Bounded by the size of the pattern: a backtracking matcher would not end."""
    file = parse_ignore_file(("a*" * 60 + "b\n" + "/**/a*a*a*a/**" * 30 + "/b\n").encode())
    assert file.verdict("a/" * 100 + "a" * 250, "a" * 250, False) is None


def test_a_file_of_rules_costs_no_more_than_a_bounded_part_of_it() -> None:
    """Patterns cost by their letters, and each folder may have such a file: what lies behind the bound says nothing."""
    filler = f"# {'x' * 200}\n" * 1_000
    file = parse_ignore_file(f"first\n{filler}last\n".encode())
    assert file.verdict("first", "first", False)
    assert file.verdict("last", "last", False) is None


def test_rules_that_are_not_applied_are_named(tmp_path: Path) -> None:
    """Wherever such a file lies: by bytes, by lines, and beyond what is ever read; empty lines are no rules."""
    lines = "".join(f"a{number}\n" for number in range(6_000))
    plant(tmp_path, {".gitignore": lines, "deep/.ignore": f"# {'x' * 1_200_000}\nlate.py\n", "deep/late.py": ""})
    plant(tmp_path, {"whole/.gitignore": "late.py\n" + "\n" * 6_000, "whole/late.py": "", ".git/HEAD": ""})
    plant(tmp_path, {".git/info/exclude": lines})
    limits = attrs.evolve(PLAIN, exclude=tuple(lines.split()))
    found = walk(Workspace.of([str(tmp_path)]), limits)
    assert {str(path) for path in found.cut_rules} == {".", ".git/info/exclude", ".gitignore", "deep/.ignore"}
    assert {str(file.path) for file in found.files if file.path.endswith(".py")} == {"deep/late.py"}
    assert walk(Workspace.of([str(tmp_path / "whole")]), PLAIN).cut_rules.keys() == {
        "../.git/info/exclude",
        "../.gitignore",
    }


def test_of_equal_patterns_the_last_one_counts() -> None:
    file = parse_ignore_file(b"a\n!a\n" * 2_000 + b"a/\n")
    assert file.verdict("a", "a", False) is False
    assert file.verdict("a", "a", True) is True


def test_patterns_compile_without_backreferences() -> None:
    pattern = parse_pattern(r"(a)\1|b+{2}$^")
    assert pattern is not None
    assert re.fullmatch(pattern.source, "(a)1|b+{2}$^")


@needs_git
@pytest.mark.parametrize(
    "files",
    [
        {".gitignore": "*.log\n!build\n", "build/x.log": "", "build/y": ""},
        {".gitignore": "/*\n!/keep\n", "keep/a": "", "drop/a": "", "b": ""},
        {".gitignore": "*.txt\n", "sub/.gitignore": "!a.txt\n", "sub/a.txt": "", "sub/b.txt": "", "a.txt": ""},
        {".gitignore": "out/\n!out/keep\n", "out/keep": "", "x/out": ""},
        {".gitignore": "\ufeffx\r\ny\r\n", "x": "", "y": "", "z": ""},
        {"a/.gitignore": "/b\nc/d\n**/e\n", "a/b": "", "b": "", "a/c/d": "", "a/x/c/d": "", "a/x/e": "", "e": ""},
        {".git/info/exclude": "*.tmp\n!k.tmp\n", "a.tmp": "", "k.tmp": "", ".gitignore": "k.tmp\n"},
        {".gitignore": "foo/**\n!foo/a\n!foo/b/\nfoo/**/c/*.x\n", "foo/a": "", "foo/b/c/d.x": "", "foo/b/c/e": ""},
        {".gitignore": "a/\n", "a": "", "b/a/x": ""},
        {".gitignore": "a b\nc#d\n%41\né*\n", "a b": "", "c#d": "", "%41": "", "éx": "", "A": ""},
    ],
)
def test_agrees_with_git(tmp_path: Path, files: Mapping[str, str]) -> None:
    git(tmp_path, "init", "-q")
    plant(tmp_path, files)
    assert kept(tmp_path) == git_keeps(tmp_path)


@needs_git
@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_files_that_git_tracks_are_left_out_by_no_rule_of_git(tmp_path: Path, version: str) -> None:
    git(tmp_path, "init", "-q")
    plant(tmp_path, {"p/.gitignore": "**/package.json\nout/\n", "p/package.json": "", "p/q/package.json": ""})
    plant(tmp_path, {"p/longer/package.json": "", "p/out/package.json": "", ".ignore": "longer\n", "a.x": ""})
    git(tmp_path, "add", "-f", "p/package.json", "p/longer/package.json", "p/.gitignore")
    git(tmp_path, "add", "-f", "--intent-to-add", "a.x")  # an entry with more flags: version 3
    git(tmp_path, "update-index", "--index-version", version)
    assert kept(tmp_path) == {".ignore", "a.x", "p/.gitignore", "p/package.json"}
    assert kept(tmp_path / "p") == {".gitignore", "package.json"}


@pytest.mark.parametrize("length", [0, 11, 40, 73, 74, 80, 90])
@pytest.mark.parametrize("version", [2, 4, 9])
def test_broken_index(tmp_path: Path, version: int, length: int) -> None:
    data = b"DIRC" + version.to_bytes(4, "big") + (2**31).to_bytes(4, "big") + bytes(60) + b"\0\x01a" + b"\xff" * 40
    plant(tmp_path, {".gitignore": "a\n", "a": "", ".git/HEAD": ""})
    (tmp_path / ".git" / "index").write_bytes(data[:length])
    assert kept(tmp_path) in ({".gitignore"}, {".gitignore", "a"})


@needs_git
@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_git_on_random_trees(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    names = ["a", "b", "ab", "a.x", "b.y", "abc"]
    atoms = ["a", "b", "ab", "*", "**", "a*", "*b", "?", "*.x", "[ab]", "[!a]", "a*c", "a.?", r"\a", "[a-c]b", "b**"]
    git(tmp_path, "init", "-q")
    folders = ["", *("/".join(chance.choices(names, k=depth)) for depth in (1, 1, 2, 2, 3))]
    for folder, name in itertools.product(folders, names):
        path = tmp_path / folder / name
        if not path.exists() and not any(parent.is_file() for parent in path.parents):
            plant(tmp_path, {f"{folder}/{name}".strip("/"): ""})
    for folder in folders:
        lines = [_random_pattern(chance, atoms) for _ in range(chance.randint(0, 5))]
        if (tmp_path / folder).is_dir():
            plant(tmp_path, {f"{folder}/.gitignore".strip("/"): "\n".join(lines)})
    assert kept(tmp_path) == git_keeps(tmp_path)


def _random_pattern(chance: random.Random, atoms: list[str]) -> str:
    body = "/".join(chance.choices(atoms, k=chance.choice([1, 1, 2, 3])))
    return chance.choice(["", "", "!"]) + chance.choice(["", "", "/"]) + body + chance.choice(["", "", "/"])


def test_plain_ignore_stands_before_gitignore(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "*.gen\n", ".ignore": "!a.gen\nb\n", "a.gen": "", "c.gen": "", "b": ""})
    plant(tmp_path, {"s/.gitignore": "a.gen\n", "s/a.gen": ""})
    assert kept(tmp_path) == {".gitignore", ".ignore", "a.gen", "s/.gitignore", "s/a.gen"}


def test_globs_of_the_user_stand_before_all(tmp_path: Path) -> None:
    plant(tmp_path, {".ignore": "!x\n", "x": "", "d/x": "", "y": ""})
    assert kept(tmp_path, SourceLimits(exclude=("/x",))) == {".ignore", "d/x", "y"}


def test_rules_of_the_repository_above_the_root_apply(tmp_path: Path) -> None:
    plant(tmp_path, {".git/HEAD": "", ".git/info/exclude": "e\n", ".gitignore": "/in/a\nz\n"})
    plant(tmp_path, {"in/a": "", "in/b": "", "in/d/z": "", "in/e": "", "in/d/a": ""})
    assert kept(tmp_path / "in") == {"b", "d/a"}


def test_git_rules_end_at_an_inner_repository(tmp_path: Path) -> None:
    plant(tmp_path, {".git/HEAD": "", ".gitignore": "*.x\n", "inner/.git/HEAD": "", "inner/a.x": "", "b.x": ""})
    assert kept(tmp_path) == {".gitignore", "inner/a.x"}


def test_ignores_may_be_switched_off(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "a\n", "a": ""})
    assert kept(tmp_path, SourceLimits(respect_ignores=False)) == {".gitignore", "a"}


def test_index_agrees_with_the_walk(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "*.x\nout/\n!k.x\n", "a.x": "", "k.x": "", "d/.ignore": "q\n", "d/q": "", "d/r": ""})
    plant(tmp_path, {"out/k.x": "", "env/pyvenv.cfg": "", "env/a": "", "node_modules/m/i": "", ".git/HEAD": ""})
    index = IgnoreIndex(Workspace.of([str(tmp_path)]), SourceLimits())
    every = {
        os.path.relpath(os.path.join(folder, name), tmp_path).replace(os.sep, "/")
        for folder, _, names in os.walk(tmp_path)
        for name in names
    }
    assert {path for path in every if not index.leaves_out(FilePath(path))} == kept(tmp_path, SourceLimits())


def test_files_of_no_use_are_not_looked_at(tmp_path: Path) -> None:
    for name in ("a.py", "b.txt", "below/c.py", "below/d.po"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    workspace, limits = Workspace.of([str(tmp_path)]), SourceLimits(max_files=2)
    found = walk(workspace, limits, wanted=lambda name: name.endswith(".py"))
    assert [file.path for file in found.files] == ["a.py", "below/c.py"]
    assert not found.truncated
    assert walk(workspace, limits).truncated
