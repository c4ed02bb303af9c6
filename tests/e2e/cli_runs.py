"""Runs of the real command in a process of its own.

Owns: starting `python -m graphls`, the small workspace that most tests ask.
Must not know: how any command works.
Invariant: every run has a cache of its own unless the test gives one, and no terminal.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs

from e2e.command_server import CommandRequest, CommandServer, ForkedCommand
from fixture_text import fixture

TIMEOUT = 300
_INTERPRETER = ("PYTHON", "LC_", "LANG")
"""Variables that are read when the interpreter starts: a run that is given one is started alone."""

SHOP = fixture(
    """
    --- path: pyproject.toml ---
    [project]
    name = "shop"
    --- path: shop/__init__.py ---
    from shop.orders import Order
    __all__ = ["Order"]
    --- path: shop/prices.py ---
    def total(prices: list[int]) -> int:
        '''Sum of all prices.'''
        return sum(prices)


    def _never() -> None:
        pass
    --- path: shop/orders.py ---
    from shop.prices import total


    class Order:
        '''What somebody wants.'''

        def __init__(self, prices: list[int]) -> None:
            self.prices = prices

        def price(self) -> int:
            größe = "ß"; return total(self.prices)


    class Gift(Order):
        def price(self) -> int:
            return 0
    --- path: tests/test_orders.py ---
    from shop import Order


    def test_price() -> None:
        assert Order([1]).price() == 1
    --- path: notes.md ---
    Notes.
    """
)


@attrs.frozen
class Run:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON object."""
        return json.loads(self.out)

    @property
    def symbols(self) -> list[str]:
        """The words of the output that look like symbols."""
        return [word for word in self.out.split() if ":" in word and not word.startswith("s:")]


def environment(cache: Path | None = None, **more: str) -> dict[str, str]:
    """The environment of a run."""
    own = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")}
    if cache is not None:
        own["GRAPHLS_CACHE_DIR"] = str(cache)
    return {**own, **more}


def graphls(*arguments: str, cwd: Path | None = None, stdin: str = "", **more: str) -> Run:
    """Runs the command to its end, in a fork of what has imported it unless its interpreter is to start otherwise."""
    own = environment(**more)
    with ExitStack() as stack:
        given, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(stdin.encode())
        given.seek(0)
        if hasattr(os, "fork") and not any(name.startswith(_INTERPRETER) for name in more):
            streams = [stream.fileno() for stream in (given, out, err)]
            code = command_server().run(_request(arguments, cwd, own), streams, TIMEOUT)
        else:
            command = [sys.executable, "-m", "graphls", *arguments]
            done = subprocess.run(
                command, stdin=given, stdout=out, stderr=err, cwd=cwd, env=own, timeout=TIMEOUT, check=False
            )
            code = done.returncode
        out.seek(0)
        err.seek(0)
        return Run(code, out.read().decode(), err.read().decode())


def begin(*arguments: str, cwd: Path | None = None, **more: str) -> ForkedCommand:
    """Starts the command over three pipes, in a fork of what has imported it."""
    return command_server().begin(_request(arguments, cwd, environment(**more)))


def _request(arguments: tuple[str, ...], folder: Path | None, own: Mapping[str, str]) -> CommandRequest:
    return CommandRequest(arguments, str(folder or Path.cwd()), own)


@functools.cache
def command_server() -> CommandServer:
    server = CommandServer.start(environment())
    atexit.register(server.stop)
    return server


def start(*arguments: str, cwd: Path | None = None, **more: str) -> subprocess.Popen[bytes]:
    """Starts the command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "graphls", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment(**more),
        start_new_session=True,
    )


def interrupted_at(folder: Path, loaded: str) -> str:
    """A PYTHONPATH with which a run gets a Ctrl-C when it loads a module; with `atexit`, when it is at its end."""
    code = f"""
    import atexit, os, signal, sys
    def interrupt(): os.kill(os.getpid(), signal.SIGINT)
    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name == {loaded!r}: interrupt()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.meta_path.insert(0, Finder())
    if {loaded!r} == "atexit": atexit.register(interrupt)
    """
    (folder / "sitecustomize.py").write_text(textwrap.dedent(code), "utf-8")
    return os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
