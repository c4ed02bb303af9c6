"""Made by a tool: whether a file is generated, minified or a copy of somebody else's code.

Owns: the marks by which this is seen: what the file says, how it is called, where it is, how long its lines are.
Must not know: what answers do with such files.
Invariant: a function of the path and the facts of the file.
"""

from __future__ import annotations

import re
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath

_FOLDERS: Final = frozenset(
    {"vendor", "vendored", "_vendor", "_vendored", "third_party", "third-party", "thirdparty", "node_modules"}
    | {"bower_components", "__generated__", "generated"}
)
_NAME: Final = re.compile(
    r"[.-](?:min|bundle|umd|generated|gen|pb)\.[cm]?[jt]sx?\Z|_pb2(?:_grpc)?\.pyi?\Z|(?:Lexer|Parser|Visitor|Listener)ANTLR\.py\Z"
    r"|(?:\A|/)(?:parsetab|lextab|_version|versioneer)\.py\Z"
)
_LONG_LINE: Final = 400
"""Bytes of a line on average; people write a tenth of that."""
_LEAST: Final = 4_000
"""Bytes of a file below which its lines say nothing."""


def made_by_tool(path: FilePath, facts: FileFacts) -> bool:
    """Whether no person of this project maintains the text of a file."""
    if facts.generated or _NAME.search(path) or not _FOLDERS.isdisjoint(path.split("/")[:-1]):
        return True
    return facts.size >= _LEAST and facts.size > _LONG_LINE * max(len(facts.lines), 1)
