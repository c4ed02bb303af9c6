"""Listings: a plain `ls` or `tree` of one folder is understood, whatever is computed is not."""

from __future__ import annotations

import pytest

from graphls.cli.listings import MOST_DEPTH, ListedFolder, listed_folder


@pytest.mark.parametrize(
    ("command", "folder", "depth"),
    [
        ("ls", ".", 1),
        ("ls src", "src", 1),
        ("ls -la src/", "src/", 1),
        ("/bin/ls --color=auto -- 'my folder'", "my folder", 1),
        ("ls -R src", "src", MOST_DEPTH),
        ("ls --recursive", ".", MOST_DEPTH),
        ("tree src", "src", MOST_DEPTH),
        ("tree -L 2 src", "src", 2),
        ("tree src -L 1 --dirsfirst", "src", 1),
        ("tree -L3", ".", 3),
        ("tree -L 99", ".", MOST_DEPTH),
    ],
)
def test_a_plain_listing_is_understood(command: str, folder: str, depth: int) -> None:
    assert listed_folder(command) == ListedFolder(folder, depth)


@pytest.mark.parametrize(
    "command",
    [
        "", "cat src", "ls a b", "ls *.py", "ls $HOME", "ls ~", "ls src | head", "ls; rm x", "ls `pwd`", "ls 'a",
        "ls -I '*.pyc' src", "ls -I node_modules src", "ls -d src", "ls --ignore=x", "tree -P x src", "tree -d src",
        "tree -L", "tree -L x src", "tree -L 0", "tree --filelimit 3", "ls -L2x src", "cd src && ls", "ls > out",
    ],
)  # fmt: skip
def test_whatever_else_is_not(command: str) -> None:
    assert listed_folder(command) is None
