"""Latency: how long a client waits for answers, through the real server over its standard streams.

Owns: hover while a cold index runs, edits of a large file to fresh answers, answers at many places once all is linked;
    with a checker the same with verification, and hover and definition while it settles the workspace.
Must not know: what the numbers should be.
Invariant: every figure is the time between writing a request and reading its answer, or the processor time that the
    server's process took meanwhile, which holds on a busy machine too; positions are chosen by seed.

    python bench/latency.py ROOT [--file FILE] [--count N] [--seed N] [--cache FOLDER] [--rest SECONDS] [--installed]
        [--checker NAME] [--environment FOLDER]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests"), str(HERE / "server")]

from e2e.raw_client import SERVER, RawClient, notification  # noqa: E402

INSTALLED = "--installed" in sys.argv
"""Measures the package of the environment, compiled or not, and not the sources beside this script."""
NAME = re.compile(r"[A-Za-z_]\w{3,}")
MEMBER = re.compile(r"\s{4,}(?:self|this|[a-z]\w*)\.([A-Za-z_]\w*)")
"""A line inside a function that begins with a member of something."""
LANGUAGES = {".py": "python", ".ts": "typescript", ".tsx": "typescriptreact", ".js": "javascript"}
_READING = 0.2
"""Seconds that somebody takes before the next question."""
_KEYWORDS = frozenset({"self", "None", "True", "False", "return", "class", "import", "from", "else", "elif", "with"})


def processor_seconds(process: int) -> float:
    """Processor time of a process by its number; 0 where the system does not tell."""
    total = 0
    for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            total += int(path.read_text().split()[0])
    return total / 1e9


class Client:
    """One server over one folder."""

    def __init__(self, root: Path, cache: str, options: dict[str, object]) -> None:
        environment = {**os.environ, "PYTHONPATH": "" if INSTALLED else str(SERVER), "GRAPHLS_CACHE_DIR": cache}
        pipe = subprocess.PIPE
        self.root = root
        self.version = 1
        """Of the open document."""
        self.cpu = 0.0
        """Processor time of the server while it made the last answer."""
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, *(["-P"] if INSTALLED else []), "-m", "graphls.lsp.main"],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=environment,
        )
        self.raw = RawClient(self.process)
        self._number = 0
        uri = root.as_uri()
        capabilities = {"general": {"positionEncodings": ["utf-8"]}}
        more = {"rootUri": uri, "workspaceFolders": [{"uri": uri, "name": "w"}], "initializationOptions": options}
        self.raw.initialize(capabilities, **more)

    def ask(self, method: str, **params: object) -> tuple[Any, float]:
        """The result, and the seconds it took."""
        self._number += 1
        used, begun = self.processor(), time.perf_counter()
        answer = self.raw.ask(self._number, method, params)
        seconds = time.perf_counter() - begun
        self.cpu = self.processor() - used
        return answer.get("result", answer.get("error")), seconds

    def processor(self) -> float:
        """Processor time of the server's process, without checkers and workers; 0 where the system does not tell."""
        return processor_seconds(self.process.pid)

    def tell(self, method: str, **params: object) -> None:
        self.raw.send(notification(method, params))

    def open(self, path: str) -> str:
        text = (self.root / path).read_text("utf-8")
        item = {
            "uri": self.uri(path),
            "languageId": LANGUAGES.get(Path(path).suffix, "python"),
            "version": 1,
            "text": text,
        }
        self.tell("textDocument/didOpen", textDocument=item)
        return text

    def uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def stage(self) -> str:
        return self.ask("graph/status")[0]["session"]["stage"]

    def verification(self) -> dict[str, Any] | None:
        """How far the checker is; None before it began."""
        return self.ask("graph/status")[0]["session"]["verification"]

    def complete(self, seconds: float = 900) -> float:
        """Seconds since the start at which everything was linked."""
        end = time.monotonic() + seconds
        while self.stage() != "complete":
            assert time.monotonic() < end
            time.sleep(0.2)
        return time.perf_counter() - self.begun


def places(text: str, count: int, chosen: random.Random) -> list[dict[str, int]]:
    """Positions of names."""
    found = [
        {"line": number, "character": len(line[: match.start()].encode())}
        for number, line in enumerate(text.split("\n"))
        for match in NAME.finditer(line.split("#")[0])
        if match.group() not in _KEYWORDS
    ]
    return chosen.sample(found, min(count, len(found)))


def summary(seconds: list[float]) -> dict[str, float]:
    """Milliseconds."""
    ordered = sorted(seconds)

    def at(share: float) -> float:
        return round(ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000, 1)

    return {"n": len(ordered), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": at(1.0)}


def cold_hover(client: Client, path: str, text: str, chosen: random.Random) -> dict[str, float]:
    """Hover after hover until everything is linked."""
    seconds: list[float] = []
    at = {"uri": client.uri(path)}
    for position in places(text, 2_000, chosen):
        seconds.append(client.ask("textDocument/hover", textDocument=at, position=position)[1])
        time.sleep(0.05)
        if len(seconds) % 10 == 0 and client.stage() == "complete":
            break
    return summary(seconds)


def settling(client: Client, files: list[str], chosen: random.Random) -> dict[str, Any]:
    """Hover and definition at places of any file, a few a second, until the checker has settled all and judged it."""
    waits: dict[str, list[float]] = {"hover": [], "definition": []}
    begun = time.perf_counter()
    asked = 0
    while not _ended(state := client.verification()):
        path = chosen.choice(files)
        for place in places((client.root / path).read_text("utf-8"), 1, chosen):
            for name, seconds in waits.items():
                where = {"textDocument": {"uri": client.uri(path)}, "position": place}
                seconds.append(client.ask(f"textDocument/{name}", **where)[1])
                time.sleep(_READING)
        asked = max(asked, 0 if state is None else state["asked"])
    figures: dict[str, Any] = {f"{name} meanwhile": summary(seconds) for name, seconds in waits.items() if seconds}
    return {**figures, "seconds": round(time.perf_counter() - begun, 1), "asked": asked, "end": state}


def _ended(state: dict[str, Any] | None) -> bool:
    """Work that another state of the workspace stopped goes on with that one."""
    return state is not None and (state["phase"] == "done" or bool(state["problem"]))


def edits(client: Client, path: str, lines: list[str], count: int, chosen: random.Random) -> dict[str, Any]:
    """A changed line inside a function, then definition and neighborhood at a name: seconds from the change to both.

    `lines` become those of the changed document.
    """
    at = {"uri": client.uri(path)}
    members = {number: match.start(1) for number, line in enumerate(lines) if (match := MEMBER.match(line))}
    inside = sorted(members)
    waits: dict[str, list[float]] = {"definition": [], "definition and neighborhood": []}
    for _ in range(count):
        client.version += 1
        line = chosen.choice(inside)
        begun = time.perf_counter()
        spot = {"line": line, "character": len(lines[line].encode())}
        change = {"range": {"start": spot, "end": spot}, "text": " "}
        client.tell("textDocument/didChange", textDocument={**at, "version": client.version}, contentChanges=[change])
        lines[line] += " "
        where = {"textDocument": at, "position": {"line": line, "character": members[line] + 1}}
        client.ask("textDocument/definition", **where)
        waits["definition"].append(time.perf_counter() - begun)
        client.ask("graph/neighborhood", **where, depth=1)
        waits["definition and neighborhood"].append(time.perf_counter() - begun)
        time.sleep(0.3)
    return {name: summary(seconds) for name, seconds in waits.items()}


def everywhere(client: Client, files: list[str], count: int, chosen: random.Random) -> dict[str, Any]:
    """Each kind of request at the same places of many files."""
    asked: list[tuple[str, dict[str, int]]] = []
    for path in chosen.choices(files, k=count):
        asked += [(path, place) for place in places((client.root / path).read_text("utf-8"), 1, chosen)]

    def measured(questions: list[tuple[str, dict[str, object]]]) -> dict[str, Any]:
        waits: list[tuple[float, float, str]] = []
        for method, params in questions:
            seconds = client.ask(method, **params)[1]
            what = f"{params.get('textDocument', params)} {params.get('position', '')}"
            waits.append((seconds, client.cpu, what))
        cpu = summary([used for _, used, _ in waits])
        slowest = [f"{round(seconds * 1000)} {what}" for seconds, _, what in sorted(waits, reverse=True)[:2]]
        return {**summary([seconds for seconds, _, _ in waits]), "cpu": cpu, "slowest": slowest}

    def timed(method: str, **more: object) -> dict[str, Any]:
        return measured(
            [(method, {"textDocument": {"uri": client.uri(path)}, "position": place, **more}) for path, place in asked]
        )

    names = [line for path in files[:40] for line in NAME.findall((client.root / path).read_text("utf-8"))]
    return {
        "definition": timed("textDocument/definition"),
        "hover": timed("textDocument/hover"),
        "references": timed("textDocument/references", context={"includeDeclaration": True}),
        "neighborhood depth 2": timed("graph/neighborhood", depth=2),
        "impact depth 3": timed("graph/impact", depth=3),
        "find": measured([("graph/find", {"text": name}) for name in chosen.sample(names, min(count, 60))]),
        "pack 4,000 tokens": measured(
            [("graph/contextPack", {"task": f"change how {name} works", "budget": 4000}) for name in names[:10]]
        ),
    }


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--file", default="django/db/models/sql/query.py")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", default="")
    parser.add_argument(
        "--rest", type=float, default=0.0, help="seconds without a request before answers at rest are timed"
    )
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--checker", default="", help="ty, basedpyright or pyright; none unless named")
    parser.add_argument("--environment", default="", help="folder of the virtual environment that the code uses")
    chosen = parser.parse_args()
    numbers = random.Random(chosen.seed)
    with tempfile.TemporaryDirectory() as folder:
        checker = {"enabled": bool(chosen.checker), **({"name": chosen.checker} if chosen.checker else {})}
        options: dict[str, object] = {"checker": checker, "python": {"environment": chosen.environment}}
        client = Client(chosen.root.resolve(), chosen.cache or folder, options)
        try:
            text = client.open(chosen.file)
            found: dict[str, Any] = {"checker": chosen.checker or "none"}
            found |= {"hover while indexing": cold_hover(client, chosen.file, text, numbers)}
            found["complete, seconds"] = round(client.complete(), 1)
            files = readable(client.root, chosen.file)
            if chosen.checker:
                found["while the checker settles"] = settling(client, files, numbers)
            lines = text.split("\n")
            found["edit to answer, before work ahead"] = edits(client, chosen.file, lines, chosen.count // 2, numbers)
            client.complete()
            time.sleep(chosen.rest)
            if chosen.rest:
                found["edit to answer, after a rest"] = edits(client, chosen.file, lines, chosen.count // 2, numbers)
                client.complete()
                time.sleep(chosen.rest)
            found.update(everywhere(client, files, chosen.count, numbers))
        finally:
            client.raw.close()
    print(json.dumps(found, indent=1))


def readable(root: Path, like: str) -> list[str]:
    """Sources with something in them, as text, of the language of a file; TypeScript with JavaScript is one."""
    suffixes = {".py"} if like.endswith(".py") else set(LANGUAGES) - {".py"}
    found: list[str] = []
    for path in sorted(path for path in root.rglob("*") if path.suffix in suffixes):
        try:
            if path.stat().st_size > 500 and path.read_text("utf-8"):
                found.append(str(path.relative_to(root)))
        except (OSError, UnicodeDecodeError):
            continue
    return found


if __name__ == "__main__":
    main()
