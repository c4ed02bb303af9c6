"""Command server: runs of the command as forks of one process that has imported it.

Owns: the process that forks, the request by which a test asks for a run.
Must not know: what a command does.
Invariant: a run has a process, an environment, a folder and streams of its own, as if it had been started alone.

A start of the command imports three hundred modules, which takes a second, and tests start it a thousand times. The
forking process holds no thread and has run no command.

    test                 server                  supervisor            command
      | connect             |                        |
      |-- request, 3 fds -->| fork ----------------->| fork ----------->| runs
      |<------------------------------ pid ----------|                  |
      |<------------------------------ exit code ----| wait ------------| ends
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NoReturn

import attrs

_REQUEST = 1 << 20
"""Bytes of a request: arguments, folder, environment."""
_STREAMS = 3
_FACES = ("graphls.__main__", "graphls.cli.main", "graphls.lsp.main", "graphls.mcp.main")


@attrs.frozen
class CommandRequest:
    """What is to be run, where."""

    arguments: tuple[str, ...]
    folder: str
    environment: Mapping[str, str]


class ForkedCommand:
    """A run that goes on, with what tests use of `subprocess.Popen`."""

    def __init__(self, connection: socket.socket, streams: tuple[BinaryIO, BinaryIO, BinaryIO] | None = None) -> None:
        self.stdin, self.stdout, self.stderr = streams or (None, None, None)
        self.returncode: int | None = None
        self._connection = connection
        self._answer = connection.makefile("rb")
        self.pid = int(self._answer.readline())

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; below zero, the signal that ended it. Raises TimeoutError."""
        if self.returncode is None:
            self._connection.settimeout(timeout)
            self.returncode = int(self._answer.readline())
            self._answer.close()
            self._connection.close()
        return self.returncode

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        if self.returncode is None and not select.select([self._connection], [], [], 0)[0]:
            return None
        return self.wait(1)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@attrs.frozen
class CommandServer:
    """A running server."""

    process: subprocess.Popen[bytes]
    address: str

    @classmethod
    def start(cls, environment: Mapping[str, str]) -> CommandServer:
        """Waits until the command is imported."""
        address = tempfile.mkdtemp(prefix="command-") + "/socket"
        path = os.pathsep.join([environment.get("PYTHONPATH", ""), str(Path(__file__).parent.parent)])
        process = subprocess.Popen(
            [sys.executable, "-m", "e2e.command_server", address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, "PYTHONPATH": path},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n", "the command cannot be imported: the trace stands above"
        return cls(process, address)

    def run(self, request: CommandRequest, streams: Sequence[int], timeout: float) -> int:
        """The exit code. Raises TimeoutError after killing the run."""
        run = ForkedCommand(self._sent(request, streams))
        try:
            return run.wait(timeout)
        except TimeoutError:
            run.kill()
            raise

    def begin(self, request: CommandRequest) -> ForkedCommand:
        """A run over three pipes."""
        theirs, ours = zip(*(os.pipe() if not number else os.pipe()[::-1] for number in range(_STREAMS)), strict=True)
        connection = self._sent(request, theirs)
        for stream in theirs:
            os.close(stream)
        given, out, err = ours
        return ForkedCommand(connection, (open(given, "wb"), open(out, "rb"), open(err, "rb")))

    def _sent(self, request: CommandRequest, streams: Sequence[int]) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.address)
        body = json.dumps(attrs.asdict(request)).encode("utf-8", "surrogateescape")
        assert len(body) < _REQUEST, "too much for one request"
        socket.send_fds(connection, [len(body).to_bytes(4, "big")], streams)
        connection.sendall(body)
        return connection

    def stop(self) -> None:
        """Ends the server; runs that go on are not touched."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        Path(self.address).unlink(missing_ok=True)
        Path(self.address).parent.rmdir()


def _serve(address: str) -> None:
    """Forks for each connection until standard input ends, which is when the test run ends."""
    commands = importlib.import_module("graphls.cli.commands")
    for name in (*_FACES, *_modules(commands.__path__)):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        os.write(1, b"ready\n")
        while True:
            ready, _, _ = select.select([listener, 0], [], [])
            if 0 in ready:
                return
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _supervise(connection)
            connection.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _modules(paths: Sequence[str]) -> list[str]:
    return [module.name for module in pkgutil.iter_modules(paths, "graphls.cli.commands.")]


def _supervise(connection: socket.socket) -> NoReturn:
    """Starts the run, says its process, waits, says its code."""
    size, streams, _, _ = socket.recv_fds(connection, 4, _STREAMS)
    body = bytearray()
    while len(body) < int.from_bytes(size, "big"):
        body += connection.recv(_REQUEST)
    request = CommandRequest(**json.loads(body.decode("utf-8", "surrogateescape")))
    pid = os.fork()
    if pid == 0:
        connection.close()
        _become(request, streams)
    connection.sendall(b"%d\n" % pid)
    _, status = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):
        connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(request: CommandRequest, streams: Sequence[int]) -> NoReturn:
    """What the interpreter does at its start, and then the program."""
    for target, source in enumerate(streams):
        os.dup2(source, target)
        os.close(source)
    os.environ.clear()
    os.environ.update(request.environment)
    os.chdir(request.folder)
    sys.argv = ["graphls", *request.arguments]
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8", "strict")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8", "strict")
    err = io.BufferedWriter(io.FileIO(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", line_buffering=True)
    from graphls.__main__ import main

    main()
    sys.exit()


if __name__ == "__main__":
    _serve(sys.argv[1])
