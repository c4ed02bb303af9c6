"""Bare client: how fast a checker answers a given list of questions to somebody who does nothing else.

Owns: a server of its own, questions sent as bytes made beforehand, a steady number of them under way.
Must not know: what answers mean; they are counted and dropped unread.
Invariant: the same questions in the same order as the run beside it; nothing but the pipe stands before the checker.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Semaphore, Thread
from typing import IO

import attrs

from graphls.compilers.child_process import Launch
from graphls.compilers.locations import to_uri

Question = tuple[str, int, int]
"""Absolute path, line, column in bytes."""


@attrs.frozen
class Rate:
    """What answering took. `checker_cpu` and `client_cpu` are processor seconds."""

    questions: int
    seconds: float
    checker_cpu: float
    client_cpu: float

    def shown(self) -> Mapping[str, float]:
        """Figures of one run."""
        return {
            "questions": self.questions,
            "seconds": round(self.seconds, 2),
            "a_second": round(self.questions / self.seconds),
            "checker_cpu_seconds": round(self.checker_cpu, 2),
            "a_second_of_checker_cpu": round(self.questions / max(self.checker_cpu, 0.01)),
            "client_cpu_seconds": round(self.client_cpu, 2),
        }


def bare_rate(launch: Launch, questions: Sequence[Question], window: int) -> Rate:
    """Asks a fresh server everything, `window` questions at a time."""
    process = subprocess.Popen(
        launch.command,
        cwd=launch.folder,
        env=dict(launch.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin
    assert process.stdout
    try:
        _greet(process.stdin, process.stdout, launch.folder)
        prepared = [_asked(number, *question) for number, question in enumerate(questions, 10)]
        before, cpu, begun = processor_seconds(process.pid), time.process_time(), time.perf_counter()
        slots = Semaphore(window)
        reading = Thread(target=_count, args=(process.stdout, len(prepared), slots))
        reading.start()
        for data in prepared:
            slots.acquire()
            process.stdin.write(data)
            process.stdin.flush()
        reading.join()
        seconds, used = time.perf_counter() - begun, time.process_time() - cpu
        return Rate(len(prepared), seconds, processor_seconds(process.pid) - before, used)
    finally:
        process.kill()
        process.wait()


def processor_seconds(process: int) -> float:
    """What a process has used so far; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _greet(to: IO[bytes], back: IO[bytes], root: str) -> None:
    folder = {"uri": to_uri(root), "name": "root"}
    abilities = {"general": {"positionEncodings": ["utf-8"]}, "textDocument": {"definition": {"linkSupport": True}}}
    hello = {"processId": None, "rootUri": folder["uri"], "workspaceFolders": [folder], "capabilities": abilities}
    to.write(_frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))
    to.flush()
    _body(back)
    to.write(_frame({"jsonrpc": "2.0", "method": "initialized", "params": {}}))
    to.flush()


def _asked(number: int, path: str, line: int, column: int) -> bytes:
    params = {"textDocument": {"uri": to_uri(path)}, "position": {"line": line, "character": column}}
    return _frame({"jsonrpc": "2.0", "id": number, "method": "textDocument/definition", "params": params})


def _count(back: IO[bytes], wanted: int, slots: Semaphore) -> None:
    while wanted:
        # Whatever has no method is an answer; nothing more of it is read.
        if b'"method"' not in _body(back)[:200]:
            wanted -= 1
            slots.release()


def _body(back: IO[bytes]) -> bytes:
    length = 0
    while (line := back.readline().strip()) != b"":
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return back.read(length)


def _frame(message: object) -> bytes:
    body = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
