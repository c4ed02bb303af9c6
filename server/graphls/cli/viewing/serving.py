"""Serving: a page on this machine that may ask for more.

Owns: the listener on the loopback address, the token, which requests are answered.
Must not know: what a question means.
Invariant: nothing is answered without the token, and nothing to another host's page.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

HOST = "127.0.0.1"
_LARGEST_QUESTION = 20_000
_THREADS = 32


class Refusal(Exception):
    """The question has no answer; the sentence says why."""


Ask = Callable[[dict[str, Any]], str]
"""A question as the view asks it to a picture in JSON. Raises Refusal."""


_HARDENING = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def serve(
    page: Callable[[], str], ask: Ask, news: Callable[[int], str], port: int, announce: Callable[[str], None]
) -> None:
    """Answers until it is interrupted. `news`: what differs from a revision, in JSON. `port` 0: any that is free."""
    with _PageServer(page, ask, news, port) as server:
        announce(f"http://{HOST}:{server.server_address[1]}/?token={server.token}")
        server.serve_forever(poll_interval=0.2)


class _PageServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, page: Callable[[], str], ask: Ask, news: Callable[[int], str], port: int) -> None:
        super().__init__((HOST, port), _Handler)
        self.page = page
        self.ask = ask
        self.news = news
        self.token = secrets.token_urlsafe(24)
        self._slots = threading.BoundedSemaphore(_THREADS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Each request has a thread, and there are few of them."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that breaks, or a fault, ends that request and no other."""
        sys.stderr.write(f"graphls: a request could not be answered ({type(sys.exception()).__name__})\n")


class _Handler(BaseHTTPRequestHandler):
    server_version = "graphls"
    sys_version = ""
    timeout = 10

    def do_GET(self) -> None:
        if urlsplit(self.path).path == "/news":
            if self._allowed("/news"):
                since = parse_qs(urlsplit(self.path).query).get("since", [""])[0]
                self._send(200, "application/json", self._own.news(int(since) if since.isdecimal() else -1))
        elif self._allowed("/"):
            self._send(200, "text/html; charset=utf-8", self._own.page())

    def do_POST(self) -> None:
        if not self._allowed("/ask"):
            return
        try:
            self._send(200, "application/json", self._own.ask(self._question()))
        except Refusal as refusal:
            self._send(400, "application/json", json.dumps({"error": str(refusal)}))

    @property
    def _own(self) -> _PageServer:
        return cast("_PageServer", self.server)

    def _question(self) -> dict[str, Any]:
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit()) or int(size) > _LARGEST_QUESTION:
            raise Refusal("The question is too large or has no length.")
        try:
            question = json.loads(self.rfile.read(int(size)))
        except ValueError:
            raise Refusal("The question is no JSON.") from None
        if not isinstance(question, dict):
            raise Refusal("The question is no object.")
        return cast("dict[str, Any]", question)

    def _allowed(self, path: str) -> bool:
        """The right path and token, asked of this very host: a page of another one is told nothing."""
        url = urlsplit(self.path)
        given = parse_qs(url.query).get("token", [""])[0]
        if not (self._at_home() and hmac.compare_digest(given.encode(), self._own.token.encode())):
            self._send(403, "text/plain; charset=utf-8", "Open the address that graphls printed.\n")
            return False
        if url.path != path:
            self._send(404, "text/plain; charset=utf-8", "There is nothing here.\n")
        return url.path == path

    def _at_home(self) -> bool:
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        return host.rpartition(":")[0] in (HOST, "localhost") and origin in (None, f"http://{host}")

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store"}
        for name, value in {**headers, **_HARDENING}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are nobody's news."""
