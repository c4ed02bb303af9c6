"""Git folders: small repositories for tests.

Owns: making commits in a folder, with settled names and dates.
Must not know: any layer of the package.
Invariant: nothing outside the folder is read or written; the same steps give the same commits.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SETTLED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
}


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    own = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**own, **SETTLED}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def committed(folder: Path, message: str = "state") -> str:
    """Commits everything below a folder; the id of the commit."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")
