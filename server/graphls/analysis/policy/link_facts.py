"""Link facts: what expressions see of the edges of a file, and of the commands that a script runs.

Owns: names and types of the fields, which edges a rule that blocks may rest on.
Must not know: expressions, rules, how names are resolved.
Invariant: a rule that blocks sees no edge that is one of several possible ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphls.analysis.policy.predicates import Fact
from graphls.analysis.policy.shell_words import shell_words
from graphls.analysis.views import is_test
from graphls.facts.kinds import Role
from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import is_structure
from graphls.graph.edges import edges_from
from graphls.graph.identity import end_name
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import is_script

EDGES: Final = "edges"
COMMANDS: Final = "shell_commands"
EDGE: Final[Mapping[str, Fact]] = {
    "kind": "calls", "source": "a:run", "target": "b:go", "target_file": "b", "line": 1,
    "provenance": "syntax_inferred", "resolution": "import", "confidence": 1.0, "ambiguous": False,
    "target_test": False,
}  # fmt: skip
COMMAND: Final[Mapping[str, Fact]] = {
    "name": "rm", "function": "clean", "line": 1, "text": "rm -rf build", "argv": ("rm", "-rf", "build"),
    "redirects": (">out",), "assignments": ("LANG=C",), "background": False,
}  # fmt: skip
_LONGEST: Final = 500
_LONGEST_COMMAND: Final = 4_000


def edge_rows(snapshot: Snapshot, path: FilePath, *, certain: bool) -> tuple[Mapping[str, Fact], ...]:
    """Edges out of a file, by line, but for what stands in what. `certain`: without those that are only possible."""
    rows: list[Mapping[str, Fact]] = []
    facts = snapshot.facts(path) if snapshot.shards[path].language else None
    for edge in edges_from(snapshot, path):
        if is_structure(edge) or (certain and edge.ambiguous):
            continue
        start = next((site[1] for site in edge.sites if site[0] == path), None)
        file = "" if isinstance(edge.target, str) else edge.target.file
        rows.append(
            {
                "kind": edge.kind,
                "source": end_name(snapshot, edge.source),
                "target": end_name(snapshot, edge.target),
                "target_file": file,
                "line": facts.line_column(start)[0] + 1 if facts is not None and start is not None else 0,
                "provenance": edge.provenance,
                "resolution": edge.resolution or "",
                "confidence": float(edge.confidence),
                "ambiguous": edge.ambiguous,
                "target_test": bool(file) and is_test(file),
            }
        )
    return tuple(sorted(rows, key=lambda row: (row["line"], row["kind"], row["target"], row["source"])))


def command_rows(snapshot: Snapshot, path: FilePath) -> tuple[Mapping[str, Fact], ...]:
    """Commands that a script runs by a name that is written out, in order of place; none of other files."""
    return tuple(_commands(snapshot, path)) if is_script(snapshot.shards[path].language) else ()


def _commands(snapshot: Snapshot, path: FilePath) -> Iterator[Mapping[str, Fact]]:
    facts, text = snapshot.facts(path), snapshot.text(path) or b""
    table = facts.occurrences
    for row, role in enumerate(table.role):
        if role != Role.CALL:
            continue
        owner, start = table.owner[row], table.start[row]
        end = text.find(b"\n", start)
        before = max(0, start - _LONGEST)
        # One character a byte: places stay those of the file.
        words = shell_words(text[before : start + _LONGEST_COMMAND].decode("latin-1"), start - before)
        line = text[start : min(end if end >= 0 else len(text), start + _LONGEST)]
        yield {
            "name": facts.strings[table.name[row]],
            "function": qualified_name(facts, owner) if owner >= 0 else "",
            "line": facts.line_column(start)[0] + 1,
            "text": line.decode("utf-8", "replace").strip(),
            "argv": tuple(map(_letters, words.argv)),
            "redirects": tuple(map(_letters, words.redirects)),
            "assignments": tuple(map(_letters, words.assignments)),
            "background": words.background,
        }


def _letters(word: str) -> str:
    return word.encode("latin-1").decode("utf-8", "replace")
