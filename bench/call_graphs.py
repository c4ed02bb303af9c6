"""Call graphs: what other tools say calls what, in the records that the scorer of calls that ran reads.

    python bench/call_graphs.py ROOT --server 'COMMAND' --output GRAPH      (call hierarchy of a language server)
    python bench/call_graphs.py ROOT --pyan PYAN3 --output GRAPH
    python bench/call_graphs.py ROOT --pycg PYTHON --output GRAPH

Owns: functions and classes of a tree by `ast`, one question a function, names of other tools brought to places.
Must not know: which calls ran, how they are scored.
Invariant: a tool is given every function and class as a node, so that nothing counts against it but edges; an edge is
    there if the tool names both ends.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LEFT_OUT = frozenset({".git", ".venv", "venv", "node_modules", "docs", "build"})


class Function(NamedTuple):
    """A function or class. `line`, `column`: of its name, from 0; `first`, `last`: of the whole."""

    path: str
    name: str
    qualified: str
    kind: str
    line: int
    column: int
    first: int
    last: int


def functions_of(root: Path, only: Sequence[str]) -> Iterator[Function]:
    """All of a tree, below some folders."""
    for path in sorted(root.rglob("*.py")):
        short = path.relative_to(root).as_posix()
        if not LEFT_OUT.isdisjoint(short.split("/")) or not short.startswith(tuple(only)):
            continue
        try:
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
        except (SyntaxError, UnicodeDecodeError):
            continue
        yield from _below(tree, short, "", text.splitlines(), inside_class=False)


def _below(node: ast.AST, path: str, around: str, lines: Sequence[str], *, inside_class: bool) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from _below(child, path, around, lines, inside_class=inside_class)
            continue
        is_class = isinstance(child, ast.ClassDef)
        kind = "declaration" if is_class else "method" if inside_class else "callable"
        column = lines[child.lineno - 1].find(child.name, child.col_offset + 4)
        first = min([child.lineno, *(one.lineno for one in child.decorator_list)]) - 1
        qualified = f"{around}.{child.name}" if around else child.name
        yield Function(
            path, child.name, qualified, kind, child.lineno - 1, column, first, (child.end_lineno or child.lineno) - 1
        )
        yield from _below(child, path, qualified, lines, inside_class=is_class)


class Server:
    """A language server over a pipe."""

    def __init__(self, command: str, root: Path) -> None:
        self._process = subprocess.Popen(
            command.split(), cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._number = 0
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root.as_uri(),
                "workspaceFolders": [{"uri": root.as_uri(), "name": "root"}],
                "capabilities": {"textDocument": {"callHierarchy": {}}, "workspace": {"configuration": True}},
            },
        )
        self.tell("initialized", {})

    def tell(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: object) -> Any:
        self._number += 1
        number = self._number
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == number and "method" not in message:
                return message.get("result")
            if "id" in message and "method" in message:
                items = message["params"].get("items", []) if message["method"] == "workspace/configuration" else []
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": [None] * len(items) if items else None})

    def close(self) -> None:
        self._process.kill()

    def _send(self, message: object) -> None:
        assert self._process.stdin
        data = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process.stdout
        size = 0
        while (line := self._process.stdout.readline().strip()) or not size:
            if not line and self._process.poll() is not None:
                raise SystemExit("the server ended")
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return json.loads(self._process.stdout.read(size))


def hierarchy(root: Path, command: str, functions: Sequence[Function]) -> Iterator[tuple[Function, Function]]:
    """Outgoing calls of each function."""
    server = Server(command, root)
    places: dict[str, list[Function]] = defaultdict(list)
    for one in functions:
        places[one.path].append(one)
    for path in places:
        text = (root / path).read_text(encoding="utf-8")
        document = {"uri": (root / path).as_uri(), "languageId": "python", "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": document})
    for one in functions:
        position = {"line": one.line, "character": one.column}
        at = {"textDocument": {"uri": (root / one.path).as_uri()}, "position": position}
        for item in server.ask("textDocument/prepareCallHierarchy", at) or ():
            for call in server.ask("callHierarchy/outgoingCalls", {"item": item}) or ():
                to = call["to"]
                file = to["uri"].removeprefix(f"{root.as_uri()}/")
                line = to["selectionRange"]["start"]["line"]
                for other in places.get(file, ()):
                    if other.line == line and other.name == to["name"].rpartition(".")[2]:
                        yield one, other
    server.close()


def pyan(root: Path, program: str, functions: Sequence[Function]) -> Iterator[tuple[Function, Function]]:
    """Edges of uses between functions and classes, by the file and line that nodes are annotated with."""
    files = sorted({one.path for one in functions})
    run = subprocess.run(
        [program, *files, "--tgf", "--uses", "--no-defines", "--annotated"],
        cwd=root, capture_output=True, text=True, check=False, timeout=1800,
    )  # fmt: skip
    if not run.stdout.strip():
        raise SystemExit(run.stderr[-2000:])
    by_line = {(one.path, one.line + 1): one for one in functions} | {
        (one.path, one.first + 1): one for one in functions
    }
    head, _, tail = run.stdout.partition("\n#\n")
    known: dict[str, Function] = {}
    for row in head.splitlines():
        number, _, label = row.partition(" ")
        found = re.search(r"([^\s(]+\.py):(\d+)", label.replace("\\n", " "))
        if found is not None:
            path = os.path.relpath(root / found[1], root).replace(os.sep, "/")
            one = by_line.get((path, int(found[2])))
            if one is not None:
                known[number] = one
    for row in tail.splitlines():
        source, target = row.split()[:2]
        if source in known and target in known:
            yield known[source], known[target]


def pycg(root: Path, python: str, functions: Sequence[Function]) -> Iterator[tuple[Function, Function]]:
    """Edges of PyCG's own JSON, by dotted names."""
    files = sorted({one.path for one in functions})
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "graph.json"
        command = [python, "-m", "pycg", "--package", ".", *files, "-o", str(out)]
        run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=1800)
        if not out.exists():
            raise SystemExit(run.stderr[-2000:])
        graph: Mapping[str, Sequence[str]] = json.loads(out.read_text())
    names: dict[str, Function] = {}
    for one in functions:
        module = one.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        names[f"{module}.{one.qualified}"] = names[f"{module.removeprefix('src.')}.{one.qualified}"] = one
    for caller, callees in graph.items():
        for callee in callees:
            if caller in names and callee in names:
                yield names[caller], names[callee]


def main() -> None:
    """See the head of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--server")
    parser.add_argument("--pyan")
    parser.add_argument("--pycg")
    parser.add_argument("--only", nargs="*", default=["src/", "tests/"])
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    root = given.root.resolve()
    functions = list(functions_of(root, given.only))
    edges: set[tuple[int, int]] = set()
    numbers = {one: number for number, one in enumerate(functions)}
    if given.server:
        found = hierarchy(root, given.server, functions)
    elif given.pyan:
        found = pyan(root, given.pyan, functions)
    else:
        found = pycg(root, given.pycg, functions)
    edges = {(numbers[source], numbers[target]) for source, target in found}
    owners = {(one.path, one.qualified): number for number, one in enumerate(functions)}
    with given.output.open("w", encoding="utf-8") as out:
        for number, one in enumerate(functions):
            row = {"record": "node", "id": str(number), "kind": one.kind, "name": one.name, "file": one.path}
            out.write(json.dumps({**row, "full_range": [one.first, 0, one.last, 0]}) + "\n")
            owner = owners.get((one.path, one.qualified.rpartition(".")[0]))
            if owner is not None:
                row = {"record": "edge", "kind": "contains", "source": str(owner), "target": str(number)}
                out.write(json.dumps(row) + "\n")
        for source, target in sorted(edges):
            row = {"record": "edge", "kind": "calls", "source": str(source), "target": str(target)}
            out.write(json.dumps(row) + "\n")
    sys.stderr.write(f"{len(functions)} functions and classes, {len(edges)} edges\n")


if __name__ == "__main__":
    main()
