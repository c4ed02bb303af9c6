"""File roles: whether a file is the program, or tests or shows it.

Owns: the folders and names of files by which this is seen.
Must not know: facts, frameworks, who asks.
Invariant: a function of the path.
"""

from __future__ import annotations

import re
from typing import Final

_ASIDE: Final = re.compile(
    r"(^|/)(tests?|testing|__tests__|__mocks__|fixtures?|testdata|docs?|docs_src|examples?|samples?|demos?|benchmarks?"
    r"|bench|scripts?|playground)(/|$)"
    r"|(^|/)(test_[^/]*|[^/]*_test|conftest)\.pyi?$|\.(test|spec|bench|stories)\.[cm]?[jt]sx?$"
)


def is_aside(path: str) -> bool:
    """Whether a file tests or shows the program rather than being it."""
    return _ASIDE.search(path) is not None


_DEVELOPMENT: Final = re.compile(
    r"^(\.[^/]+|tools?|extras?|hack|misc|ci|t)/|^([^/]+/)?(noxfile|setup|fabfile|dodo)\.py$|\.config\.[cm]?[jt]s$"
)


def serves_development(path: str) -> bool:
    """Whether what begins in a file serves those who make the program, so that it comes after the program's own."""
    return is_aside(path) or _DEVELOPMENT.search(path) is not None
