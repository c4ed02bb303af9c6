"""What a client on a port may not do: name programs, or act without the token of the real command."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from e2e.cli_runs import SHOP, TIMEOUT, graphls, start
from e2e.raw_client import framed, notification, request

TOKEN = "a token of this test"


@contextmanager
def listening(folder: Path, *options: str) -> Iterator[tuple[str, int]]:
    token = folder / "token"
    token.write_text(f"{TOKEN}\n")
    process: subprocess.Popen[bytes] = start("serve", "--tcp", "0", "--token-file", str(token), *options)
    assert process.stdout is not None
    try:
        host, _, port = process.stdout.readline().decode().strip().removeprefix("tcp://").rpartition(":")
        yield host, int(port)
    finally:
        process.kill()
        process.communicate()


def answer_to(stream: BinaryIO, number: int) -> Any:
    while line := stream.readline():
        length = int(line.split(b":")[1])
        stream.readline()
        message = json.loads(stream.read(length))
        if message.get("id") == number and "method" not in message:
            return message["result"]
    raise AssertionError("the server is gone")


@pytest.mark.parametrize("allowed", [False, True])
def test_a_client_on_a_port_names_programs_only_where_that_was_allowed(tmp_path: Path, allowed: bool) -> None:
    root, program, ran = tmp_path / "shop", tmp_path / "program", tmp_path / "ran"
    SHOP.write(root)
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    named = {"path": str(program), "typescriptPath": str(program), "fromWorkspace": True}
    options = {"token": TOKEN, "checker": named, "cache": {"directory": str(tmp_path / "cache")}}
    params = {"processId": None, "rootUri": root.as_uri(), "capabilities": {}, "initializationOptions": options}
    switches = ("--allow-programs",) if allowed else ()
    with (
        listening(tmp_path, *switches) as address,
        socket.create_connection(address, TIMEOUT) as connection,
        connection.makefile("rb") as stream,
    ):
        connection.sendall(framed(request(1, "initialize", params)) + framed(notification("initialized", {})))
        answer_to(stream, 1)
        question = {
            "textDocument": {"uri": (root / "shop/orders.py").as_uri()},
            "position": {"line": 12, "character": 30},
        }
        connection.sendall(framed(request(2, "textDocument/definition", question)))
        answer_to(stream, 2)
        connection.sendall(framed(request(3, "graph/status", {})))
        problems = answer_to(stream, 3)["session"]["problems"]
    refused = sorted(problem.split()[0] for problem in problems if "over a network" in problem)
    everything = ["cache.directory", "checker.fromWorkspace", "checker.path", "checker.typescriptPath"]
    assert refused == ([] if allowed else everything)
    assert allowed or not ran.exists()
    assert (tmp_path / "cache").exists() == allowed


def test_a_server_on_a_port_is_for_this_machine_and_its_token_is_no_word() -> None:
    everyone = graphls("serve", "--tcp", "0", "--host", "0.0.0.0")
    assert (everyone.code, "127.0.0.1" in everyone.err, "fault" in everyone.err) == (2, True, False)
    assert "token " not in everyone.err
    short = graphls("serve", "--tcp", "0", GRAPHLS_LSP_TOKEN="short")
    assert (short.code, "too short" in short.err) == (2, True)
    absent = graphls("serve", "--ws", "0", "--token-file", "/nowhere/token")
    assert (absent.code, "cannot be read" in absent.err) == (2, True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for command in (("serve", "--tcp"), ("serve", "--ws"), ("mcp", "--http")):
            run = graphls(*command, str(taken.getsockname()[1]))
            assert (run.code, "Choose another port" in run.err, "Traceback" in run.err) == (2, True, False), run.err
            assert "token " not in run.err
