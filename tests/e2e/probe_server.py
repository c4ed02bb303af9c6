"""A server with toy handlers, for tests of the protocol alone: `python probe_server.py [tcp | ws | impatient]`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import attrs
from lsprotocol import types

from graphls.facts.lines import LineIndex
from graphls.lsp import protocol as p

TOKEN = "a token that is long enough"


@attrs.frozen
class EchoParams:
    text_to_echo: str
    repeat_count: int = 1
    payload: object = None
    extra_words: tuple[str, ...] = ()
    at_position: types.Position | None = None


@attrs.frozen
class EchoItem:
    long_name: str
    not_there: str | None = None


@attrs.frozen
class EchoResult:
    echoed_text: str
    payload: object
    all_items: tuple[EchoItem, ...]


@attrs.frozen
class SlowParams:
    seconds: float = 30.0
    polls: bool = True
    work_done_token: int | str | None = None
    partial_result_token: int | str | None = None


class ProbeSession:
    """Counts the changes it saw; a snapshot is the count and the text."""

    def __init__(self) -> None:
        self.changes = 0
        self.text = ""

    def snapshot(self, about: str | None = None) -> tuple[int, str]:
        return self.changes, self.text

    def snapshot_soon(self, since: float) -> tuple[int, str]:
        return self.snapshot()

    def is_slow(self, about: str | None = None) -> bool:
        return False

    def is_unread(self) -> bool:
        return False

    def wait_until_read(self, check: Callable[[], None]) -> None:
        pass

    def looked(
        self, freshness: str, *, patient: bool, about: str | None = None, whole: bool = False
    ) -> tuple[int, str]:
        return self.snapshot()

    def budget(self) -> None:
        return None

    def recovery(self) -> Callable[[], bool]:
        return lambda: False

    def close(self) -> None:
        print("session closed", file=sys.stderr)


Context = p.RequestContext[ProbeSession, tuple[int, str]]


@p.notification(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(context: p.NotificationContext[ProbeSession], params: types.DidOpenTextDocumentParams) -> None:
    context.session.text = params.text_document.text


def unread_change(context: p.NotificationContext[ProbeSession], params: object) -> None:
    context.session.changes += 1000


@p.notification(types.TEXT_DOCUMENT_DID_CHANGE, broken=unread_change)
def did_change(context: p.NotificationContext[ProbeSession], params: types.DidChangeTextDocumentParams) -> None:
    context.session.changes += 1
    if params.text_document.version == 666:
        raise ValueError("/secret/path")


@p.feature(types.TEXT_DOCUMENT_HOVER, kind="quick")
def hover(context: Context, params: types.HoverParams) -> types.Hover:
    changes, text = context.snapshot
    position = params.position
    offset = LineIndex(text.encode()).offset(position.line, position.character, context.encoding)
    return types.Hover(contents=f"{changes} {context.encoding} {offset}")


@p.feature(types.TEXT_DOCUMENT_DEFINITION)
def definition(context: Context, params: types.DefinitionParams) -> None:
    raise OSError("/secret/path/to/file")


@p.custom("probe/echo", EchoParams, EchoResult)
def echo(context: Context, params: EchoParams) -> EchoResult:
    text = params.text_to_echo * params.repeat_count
    return EchoResult(text, params.payload, (EchoItem("one"), EchoItem("two", "there")))


@p.custom("probe/slow", SlowParams, None)
def slow(context: Context, params: SlowParams) -> str:
    until = time.monotonic() + params.seconds
    with context.progress.begin("slow"):
        while time.monotonic() < until:
            time.sleep(0.01)
            if params.polls:
                context.cancel.check()
    return "done"


@p.custom("probe/long", SlowParams, None, kind="long")
def long(context: Context, params: SlowParams) -> str:
    return slow.handler(context, params)


@p.custom("probe/list", SlowParams, None)
def many(context: Context, params: SlowParams) -> list[int]:
    return context.partial.deliver(range(1200))


@p.custom("probe/refuse", None, None)
def refuse(context: Context, params: object) -> None:
    raise p.ErrorWithCode("graphls.unknownSymbol", "No such symbol; try graph/find.", {"candidates": ["a", "b"]})


@p.custom("probe/leave", None, None)
def leave(context: Context, params: object) -> None:
    raise SystemExit(7)


@p.custom("probe/unencodable", None, None)
def unencodable(context: Context, params: object) -> object:
    return object()


@p.custom("probe/off", None, None)
def off(context: Context, params: object) -> None:
    return None


@p.command("probe.add")
def add(context: Context, arguments: list[int]) -> int:
    return sum(arguments)


DECLARED = (did_open, did_change, hover, definition, echo, slow, long, many, refuse, leave, unencodable, off, add)


def open_session(server: p.GraphlsServer[ProbeSession], params: types.InitializeParams) -> ProbeSession:
    if params.initialization_options == "fail":
        raise OSError("/secret/path")
    server.disable("probe/off")
    print("stray output of a library", flush=True)
    return ProbeSession()


def main(transport: str) -> int:
    p.log_to_stderr()
    server: p.GraphlsServer[ProbeSession] = p.GraphlsServer("probe", "1", open_session)
    server.add(*DECLARED)

    @p.custom("probe/tell", None, None)
    def tell(context: Context, params: object) -> list[bool]:
        for revision in range(1, 20):
            server.graph_changed(revision, f"s:{revision}", [f"{revision}.py"])
        configured = server.pull_configuration("graphls", lambda value: print("configuration", value, file=sys.stderr))
        return [configured, server.watch_files(["**/*.py"])]

    server.add(tell)
    server.log_to_client()

    def announce(address: str) -> None:
        print(f"listening {address}", file=sys.stderr, flush=True)

    listening = p.Listening(token=TOKEN, announce=announce)
    if transport == "tcp":
        return p.serve_tcp(server, listening)
    if transport == "ws":
        return p.serve_websocket(server, listening)
    return p.serve_stdio(server, 0.5) if transport == "impatient" else p.serve_stdio(server)


if __name__ == "__main__":
    p.leave(main(sys.argv[1] if len(sys.argv) > 1 else "stdio"))
