"""A real server over a workspace in the fixture mini-language, asked by a client that counts characters itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from e2e.cli_runs import begin
from e2e.raw_client import TIMEOUT, RawClient, notification
from fixture_text import Fixture, fixture

UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class Workspace:
    """One server, one folder."""

    def __init__(self, folder: Path, text: str | Fixture, *, encoding: str = "utf-16", **more: object) -> None:
        self.fixture = fixture(text) if isinstance(text, str) else text
        self.folder = folder
        self.encoding = encoding
        self.fixture.write(folder)
        self.client = RawClient(begin("serve", GRAPHLS_CACHE_DIR=str(folder.parent / "cache")))
        self._number = 0
        general: dict[str, object] = {"general": {"positionEncodings": [encoding]}}
        capabilities = {**general, **_table(more.pop("capabilities", {}))}
        # Who shares two cores with other tests must not be given a part of an answer.
        chosen = _table(more.get("initializationOptions", {}))
        more["initializationOptions"] = {"server": {"requestMs": 120_000}, **chosen}
        root = folder.as_uri()
        answer = self.client.initialize(
            capabilities, rootUri=root, workspaceFolders=[{"uri": root, "name": "w"}], **more
        )
        self.capabilities: dict[str, Any] = answer["result"]["capabilities"]

    def close(self) -> None:
        self.client.close()

    def ask(self, method: str, **params: object) -> Any:
        """The result of a request, or its error object."""
        self._number += 1
        answer = self.client.ask(self._number, method, params)
        return answer["result"] if "result" in answer else answer["error"]

    def tell(self, method: str, **params: object) -> None:
        self.client.send(notification(method, params))

    def ready(self) -> None:
        """Wait until every file is indexed and linked."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            status = self.ask("graph/status")
            if status["fresh"] and status["session"]["stage"] == "complete":
                return
            time.sleep(0.05)
        raise AssertionError(f"not ready: {status} {self.client.stderr}")

    def uri(self, path: str) -> str:
        return (self.folder / path).as_uri()

    def document(self, path: str) -> dict[str, str]:
        return {"uri": self.uri(path)}

    def open(self, path: str, version: int = 1) -> None:
        text = self.fixture.files[path].decode()
        item = {"uri": self.uri(path), "languageId": "python", "version": version, "text": text}
        self.tell("textDocument/didOpen", textDocument=item)

    def position(self, path: str, offset: int) -> dict[str, int]:
        """Line and character of a byte offset, counted here from scratch."""
        before = self.fixture.files[path][:offset]
        if before.startswith(b"\xef\xbb\xbf"):
            before = before[3:]
        lines = before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        character = len(lines[-1].decode().encode(UNITS[self.encoding])) // WIDTH[self.encoding]
        return {"line": len(lines) - 1, "character": character}

    def at(self, path: str, text: str, occurrence: int = 0) -> dict[str, object]:
        """Params for the place where a text begins."""
        offset = self.fixture.at(path, text, occurrence)
        return {"textDocument": self.document(path), "position": self.position(path, offset)}

    def range(self, path: str, text: str, occurrence: int = 0) -> dict[str, object]:
        """The range of a text."""
        start = self.fixture.at(path, text, occurrence)
        end = start + len(text.encode())
        return {"start": self.position(path, start), "end": self.position(path, end)}


def _table(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)
    return value
