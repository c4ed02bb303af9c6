"""Minified files: edits that make a file minified, or readable again, leave what a fresh index has.

Owns: one file on both sides of the bound, edits across it.
Must not know: where the bound lies.
Invariant: pieces that were read in full never stand among those that are not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.graph.partly_read import partly_read
from graphls.session.documents import open_files
from increment.session_folder import everything, from_scratch, key, session_over, settle, write

PATH = key("lib.ts")
PIECES = "".join(
    f"export function piece{number}(value: number) {{\n  const twice = value * 2;\n  return twice + {number};\n}}\n\n"
    for number in range(40)
)
PACKED = f"export function packed(t){{{';'.join(f't=t+{number}' for number in range(9_000))}}}\n"


@pytest.mark.parametrize("at", [0, len(PIECES)])
def test_a_line_that_is_pasted_and_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    monkeypatch.setattr(open_files, "REMEMBER_FROM_BYTES", 0)
    write(tmp_path, {"lib.ts": PIECES, "use.ts": 'import { piece1 } from "./lib";\npiece1(2);\n'})
    pasted = (PIECES[:at] + PACKED + PIECES[at:]).encode()
    with session_over(tmp_path) as session:
        session.open(PATH, PIECES.encode())
        states: list[int] = []
        for text in (PIECES.encode(), pasted, pasted.replace(b"twice", b"double", 1), PIECES.encode()):
            session.change(PATH, text)
            snapshot = settle(session)
            states.append(len(partly_read(snapshot)))
            assert everything(snapshot) == from_scratch(snapshot)
    assert states == [0, 1, 1, 0]
