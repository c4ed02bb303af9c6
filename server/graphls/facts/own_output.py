"""Own output: files that list what was found about code: exports, baselines, records of runs, SARIF logs, answers.

Owns: by which beginnings such a file is known.
Must not know: where they are kept, how they are written, who asks.
Invariant: a function of a file's bytes. What such a file names is no use of it, wherever somebody keeps the file.
"""

from __future__ import annotations

import re
from typing import Final

_BEGINNING: Final = 600
_EXPORT: Final = re.compile(
    rb'(?:\{"header":\s*)?\{"record":"header","schema_version":|digraph graphls \{|flowchart LR\n  n0\["'
    rb'|<\?xml [^>]*>\n<graphml [^>]*>\n  <key id="node_kind"|<svg [^>]*>\n<title>Modules</title>'
    rb"|graphls/compact 1  snapshot "
)
_TABLE: Final = re.compile(
    rb'"id(?::ID)?","kind(?::\w+)?","(?:subkind|source|:START_ID)",|"edge","place(?::long)?","file",'
    rb'|"node","place(?::long)?","name","arguments"'
)
_KEPT: Final = re.compile(
    rb'\{\s*"(?:version":\s*1,\s*"(?:findings|reviews)":\s*\[|snapshot":\s*"s:[a-z2-7]{26}"'
    rb'|format":\s*"graphls test runs")'
)
_LOG: Final = re.compile(
    rb'\s*\{(?=.*"runs"\s*:\s*\[)(?=.*(?:"version"\s*:\s*"2\.1\.0"|sarif-schema|"driver"\s*:))', re.DOTALL
)
"""A log of any tool: it names what it is about."""


def is_export(head: bytes) -> bool:
    """Whether a file that begins so is one that an export wrote, in any format that is one text."""
    return _EXPORT.match(head) is not None


def is_own_output(text: bytes) -> bool:
    """Whether a text lists what this program, or another that looks through code, found."""
    head = text[:_BEGINNING]
    return any(pattern.match(head) is not None for pattern in (_EXPORT, _TABLE, _KEPT, _LOG))
