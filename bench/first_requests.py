"""First requests: what each request takes as the first one of a server that has just started, and right after an edit.

Owns: a server for each request over a cache that is there, or one server whose file is edited before each request.
Must not know: what the numbers should be, beyond the bar of a request.
Invariant: the requests are those of `each_request`; a time is that between writing a request and reading its answer.

    python bench/first_requests.py ROOT SYMBOL ... [--cache FOLDER] [--only WORD] [--edited] [--faces lsp,mcp]
        [--installed] [--stacks]

`--edited`: not after a start, but after a letter was typed in the file that the request is about, or in that of the
first symbol. `--stacks`: what the server does in requests over the bar, by py-spy, on standard error.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from each_request import ABOUT_ALL, TOOLS_ABOUT_ALL, Agent, Asking, tools_about
from latency import Client

_BAR = 2.0
_IDLE = 0.2
"""Seconds of work in two seconds that are none."""
_OPTIONS: dict[str, object] = {"checker": {"enabled": False}}
Question = tuple[str, dict[str, Any]]


class Recorder:
    """Asks another client, or nobody, and keeps what was asked."""

    def __init__(self, client: Client | Agent | None) -> None:
        self.client = client
        self.asked: list[Question] = []
        self.cpu = 0.0

    def ask(self, method: str, /, **params: object) -> tuple[Any, float]:
        """What the client says; nothing of nobody."""
        if (method, params) not in self.asked:
            self.asked.append((method, params))
        if self.client is None:
            return {}, 0.0
        answer = self.client.ask(method, **params)
        self.cpu = self.client.cpu
        return answer


def questions_of_editor(root: Path, cache: str, symbols: list[str]) -> list[Question]:
    """All requests about the symbols and about the whole."""
    client = Client(root, cache, _OPTIONS)
    try:
        client.complete()
        recorder = Recorder(client)
        asking = Asking(recorder)
        for symbol in symbols:
            asking.about(symbol, "change how it works:")
        recorder.asked += [(what.split()[0], params) for what, params in ABOUT_ALL.items()]
        end_at_rest(client)
        return recorder.asked
    finally:
        client.process.kill()


def end_at_rest(client: Client, seconds: float = 180) -> None:
    """Ends a server as a client does, once it has nothing more to do: the next one finds all that is kept."""
    ends, used = time.monotonic() + seconds, -1.0
    while time.monotonic() < ends and client.processor() - used > _IDLE:
        used = client.processor()
        time.sleep(2)
    client.ask("shutdown")
    client.tell("exit")
    client.process.wait(seconds)


def questions_of_agents(symbols: list[str]) -> list[Question]:
    """The same of the tools."""
    recorder = Recorder(None)
    asking = Asking(recorder)
    for symbol in symbols:
        tools_about(asking, symbol, "change how it works:")
    return recorder.asked + list(TOOLS_ABOUT_ALL)


def watched(process: int, ended: threading.Event, stacks: list[str]) -> None:
    """Dumps the stacks of a process each fifth of a second until the request has ended."""
    while not ended.wait(0.2):
        done = subprocess.run(
            ["py-spy", "dump", "--nonblocking", "--pid", str(process)], capture_output=True, text=True, check=False
        )
        stacks.append(done.stdout)


def timed(client: Client | Agent, question: Question, options: argparse.Namespace) -> str:
    """Asks and prints one line; what to list where it was over the bar."""
    method, params = question
    ended, stacks = threading.Event(), list[str]()
    watch = threading.Thread(target=watched, args=(client.process.pid, ended, stacks))
    if options.stacks:
        watch.start()
    result, seconds = client.ask(method, **params)
    ended.set()
    text = json.dumps(result)
    marks = [word for word in ('"time_limit"', "budgetSpent", "symbols may run", "refused") if word in text]
    about = json.dumps(params)
    line = f"{seconds:6.2f} s {client.cpu:6.2f} CPU-s  {method} {about[:150]} {' '.join(marks)}"
    print(line, flush=True)
    if options.stacks:
        watch.join()
        if seconds > options.bar:
            print(line, *stacks, sep="\n", file=sys.stderr)
    return line if seconds > options.bar else ""


def read(client: Client) -> None:
    """Waits until the files are known, and no longer."""
    while client.stage() in ("scanning", "indexing"):
        time.sleep(0.01)


def after_start(root: Path, cache: str, questions: list[Question], options: argparse.Namespace, face: str) -> list[str]:
    """Each question is the first one of a server."""
    over: list[str] = []
    for question in questions:
        client = Client(root, cache, _OPTIONS) if face == "lsp" else Agent(root, cache)
        try:
            if isinstance(client, Client) and not options.cold:
                read(client)
            over.append(timed(client, question, options))
        finally:
            client.process.kill()
            client.process.wait()
    return over


def chosen(questions: list[Question], options: argparse.Namespace) -> list[Question]:
    """Those that are to be asked."""
    return [one for one in questions if options.only in json.dumps(one)]


def after_edits(root: Path, cache: str, questions: list[Question], options: argparse.Namespace) -> list[str]:
    """Each question comes right after a letter that was typed."""
    client = Client(root, cache, _OPTIONS)
    over: list[str] = []
    try:
        client.complete()
        uris = [params["textDocument"]["uri"] for _, params in questions if "textDocument" in params]
        questions = chosen(questions, options)
        texts: dict[str, str] = {}
        for question in questions:
            uri = question[1].get("textDocument", {}).get("uri") or uris[0]
            if uri not in texts:
                texts[uri] = client.open(uri.removeprefix(root.as_uri() + "/"))
                client.complete()
            over += [edited(client, uri, texts[uri], question, options) for _ in range(options.edits)]
        return over
    finally:
        client.raw.close()


def edited(client: Client, uri: str, text: str, question: Question, options: argparse.Namespace) -> str:
    """A letter behind the first name of the last function, the question, and the letter away."""
    lines = text.split("\n")
    line = max((number for number, words in enumerate(lines) if words.lstrip().startswith(options.declares)), default=0)
    at = {"line": line, "character": len(lines[line].split("(")[0].rstrip().encode())}
    beyond = {**at, "character": at["character"] + 1}
    try:
        client.version += 1
        change = {"range": {"start": at, "end": at}, "text": "x"}
        whole = {"uri": uri, "version": client.version}
        client.tell("textDocument/didChange", textDocument=whole, contentChanges=[change])
        return timed(client, question, options)
    finally:
        client.version += 1
        change = {"range": {"start": at, "end": beyond}, "text": ""}
        whole = {"uri": uri, "version": client.version}
        client.tell("textDocument/didChange", textDocument=whole, contentChanges=[change])
        client.complete()


def main() -> int:
    """Prints a line a request; 1 where one was over the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("symbols", nargs="+")
    parser.add_argument("--cache", default="")
    parser.add_argument("--only", default="", help="a word of the requests that are asked")
    parser.add_argument("--cold", action="store_true", help="ask before the files are known, too")
    parser.add_argument("--edited", action="store_true")
    parser.add_argument("--edits", type=int, default=1, help="times that each request is asked, with --edited")
    parser.add_argument("--declares", type=lambda text: tuple(text.split(",")), default=("def ", "fn ", "function "))
    parser.add_argument("--bar", type=float, default=_BAR)
    parser.add_argument("--faces", type=lambda text: text.split(","), default=["lsp", "mcp"])
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--installed", action="store_true", help="the graphls of this Python, not of this folder")
    options = parser.parse_args()
    root, over = options.root.resolve(), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        cache = options.cache or folder
        for face in options.faces:
            if face == "lsp":
                questions = questions_of_editor(root, cache, options.symbols)
            else:
                questions = questions_of_agents(options.symbols)
            print(f"{face}: {len(chosen(questions, options))} requests", flush=True)
            if options.edited and face == "lsp":
                over += after_edits(root, cache, questions, options)
            elif not options.edited:
                over += after_start(root, cache, chosen(questions, options), options, face)
    print(f"over {options.bar:g} s:", *filter(None, over), sep="\n  ")
    return 1 if any(over) else 0


if __name__ == "__main__":
    sys.exit(main())
