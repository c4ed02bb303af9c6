"""Renames beside a checker's: the same declarations are given a new name by both, and the edits compared.

Owns: sampling declarations, asking the checker, telling same edits from missing and further ones.
Must not know: how either finds its edits.
Invariant: a rename that graphls refuses counts as refused with its reason, never as the same.

    python bench/rename.py ROOT --checker "ty server" [--count N] [--seed N] [--environment FOLDER] [--show N]

same       certain edits are the checker's edits
doubtful   with the edits that are marked for a look they are
missing    the checker edits places that graphls does not name at all; `marked`: the declaration says that there may be more
further    graphls is certain of places that the checker leaves as they are
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "server"), str(HERE / "bench")]

from linked import linked  # noqa: E402

from graphls.facts.kinds import DefinitionKind  # noqa: E402
from graphls.facts.paths import FilePath  # noqa: E402
from graphls.graph.identity import symbol_name  # noqa: E402
from graphls.graph.nodes import is_node  # noqa: E402
from graphls.graph.snapshot import Snapshot, SymbolRef  # noqa: E402
from graphls.queries.rename import RenameRefused, rename, renamed_at  # noqa: E402
from graphls.sources.environment import find_environment  # noqa: E402

NEW = "renamedByBench"
KINDS = (
    DefinitionKind.FUNCTION,
    DefinitionKind.METHOD,
    DefinitionKind.CLASS,
    DefinitionKind.VARIABLE,
    DefinitionKind.CONSTANT,
    DefinitionKind.FIELD,
    DefinitionKind.PARAMETER,
    DefinitionKind.INTERFACE,
    DefinitionKind.TYPE_ALIAS,
)
Place = tuple[str, int, int]
"""Path, line, column in bytes, from 0."""


class Checker:
    """A language server that is asked one thing at a time."""

    def __init__(self, command: Sequence[str], root: Path, environment: str) -> None:
        found = find_environment(str(root), environment).found
        variables = {**os.environ, **({"VIRTUAL_ENV": found.prefix} if found else {})}
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(
            command, cwd=root, env=variables, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        self._root, self._number, self._opened = root, 0, set[str]()
        encodings = {"general": {"positionEncodings": ["utf-8"]}}
        edits = {"workspace": {"workspaceEdit": {"documentChanges": True}, "configuration": True}}
        folders = [{"uri": self.uri(""), "name": root.name}]
        self.ask("initialize", {"processId": None, "rootUri": self.uri(""), "workspaceFolders": folders,
                                "capabilities": {**encodings, **edits}})  # fmt: skip
        self._send({"method": "initialized", "params": {}})

    def uri(self, path: str) -> str:
        return f"file://{quote(str(self._root / path))}"

    def rename(self, place: Place, language: str) -> set[Place] | None:
        """The places that are edited; None for a refusal."""
        path, line, column = place
        if path not in self._opened:
            self._opened.add(path)
            text = (self._root / path).read_text(encoding="utf-8")
            document = {"uri": self.uri(path), "languageId": language, "version": 1, "text": text}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        params = {
            "textDocument": {"uri": self.uri(path)},
            "position": {"line": line, "character": column},
            "newName": NEW,
        }
        answer = self.ask("textDocument/rename", params)
        changes = (answer or {}).get("changes") or {
            change["textDocument"]["uri"]: change["edits"] for change in (answer or {}).get("documentChanges", ())
        }
        found = {
            (unquote(uri.removeprefix("file://")).removeprefix(f"{self._root}/"), *_start(edit["range"]))
            for uri, edits in changes.items()
            for edit in edits
        }
        return found or None

    def ask(self, method: str, params: Mapping[str, object]) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                items = message.get("params", {}).get("items", ())
                self._send({"id": message["id"], "result": [None] * len(items) if items else None})
            elif message.get("id") == self._number:
                return message.get("result")

    def _send(self, message: Mapping[str, object]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._child.stdin
        self._child.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._child.stdin.flush()

    def _read(self) -> Any:
        assert self._child.stdout
        size = 0
        while (line := self._child.stdout.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                size = int(line.partition(b":")[2])
        return json.loads(self._child.stdout.read(size))


def _start(stretch: Any) -> tuple[int, int]:
    return stretch["start"]["line"], stretch["start"]["character"]


def sampled(snapshot: Snapshot, count: int, seed: int) -> list[SymbolRef]:
    """Declarations of all kinds that a person renames."""
    every = [
        SymbolRef(path, row)
        for path in snapshot.files()
        for row, kind in enumerate(snapshot.facts(path).definitions.kind)
        if kind in KINDS and is_node(snapshot.facts(path), row, locals=True)
    ]
    return random.Random(seed).sample(every, min(count, len(every)))


def verdict(snapshot: Snapshot, ref: SymbolRef, theirs: set[Place] | None) -> tuple[str, str]:
    """One word, and what is behind it."""
    facts = snapshot.facts(ref.file)
    try:
        _, place = renamed_at(snapshot, ref.file, facts.definitions.start[ref.definition])
        found = rename(snapshot, place, NEW)
    except RenameRefused as refused:
        return ("both refuse" if theirs is None else "refused"), refused.message
    if theirs is None:
        return "only graphls", f"{len(found.edits)} edits"
    own = {_place(snapshot, edit.file, edit.start): edit.doubt for edit in found.edits}
    certain = {place for place, doubt in own.items() if not doubt}
    missing, further = theirs - own.keys(), certain - theirs
    if missing:
        declared = own.get(_place(snapshot, place.file, snapshot.facts(place.file).definitions.start[place.definition]))
        return ("missing, marked" if declared else "missing"), f"{sorted(missing)[:5]} {declared}"
    if further:
        return "further", f"{sorted(further)[:5]}"
    return ("same" if certain == theirs else "doubtful"), f"{[own[place] for place in sorted(theirs - certain)][:3]}"


def _place(snapshot: Snapshot, path: FilePath, offset: int) -> Place:
    if snapshot.shards[path].language:
        return (path, *snapshot.facts(path).line_column(offset))
    before = (snapshot.text(path) or b"")[:offset]
    return path, before.count(b"\n"), offset - before.rfind(b"\n") - 1


def main() -> int:
    """Prints the counts, and examples of each verdict but `same`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--checker", default="ty server")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--environment", default="")
    parser.add_argument("--show", type=int, default=5)
    chosen = parser.parse_args()
    root = Path(chosen.root).resolve()
    with linked(root, chosen.environment) as session:
        snapshot = session.snapshot()
        checker = Checker(shlex.split(chosen.checker), root, chosen.environment)
        counts, examples = Counter[str](), dict[str, list[str]]()
        for ref in sampled(snapshot, chosen.count, chosen.seed):
            facts = snapshot.facts(ref.file)
            where = (ref.file, *facts.line_column(facts.definitions.start[ref.definition]))
            word, why = verdict(snapshot, ref, checker.rename(where, snapshot.shards[ref.file].language))
            counts[word] += 1
            if word not in ("same", "both refuse"):
                line = f"{word}: {ref.file}:{where[1] + 1} {symbol_name(snapshot, ref)}: {why}"
                examples.setdefault(word, []).append(line)
    print(json.dumps({"root": root.name, **counts}))
    for lines in examples.values():
        print("\n".join(lines[: chosen.show]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
