"""Talk: what a client may say, in any order: documents, files, requests, cancels, nonsense.

Owns: messages of a valid shape, drawn by seed, and what was learned from earlier answers.
Must not know: what a right answer is, how messages travel.
Invariant: the same seed and the same answers make the same messages; the disk changes below `root` only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fuzz.broken_code import broken

Message = dict[str, Any]
ODD_URIS = (
    "untitled:Untitled-1",
    "git:/a.py?HEAD",
    "file:///nowhere/else.py",
    "file:///",
    "vscode-notebook-cell:/a.ipynb#W0",
    "",
    "file://server/share/a.py",
    "%",
)
WORDS = ("", "a", "get", "Model.save", "x.y:Z.q", "\ud800", "😀", "*", "n:0000", "../up", "__init__", "request")
LANGUAGES = {
    ".py": "python",
    ".ts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".vue": "vue",
}
MOST_OPEN = 12
LONG_TEXT = 200_000


class Talk:
    """One client's side. `note` takes the results of answers, from which later requests are made."""

    def __init__(self, seed: int, root: Path, methods: Sequence[str], sources: Sequence[str] = ()) -> None:
        self.random = random.Random(seed)
        self.root = root
        self.methods = methods
        found = (path.relative_to(root).as_posix() for path in root.rglob("*.*") if path.suffix in LANGUAGES)
        self.sources = sources or sorted(found)
        self.texts = {path: (root / path).read_text("utf-8") for path in self.sources}
        self.versions: dict[str, int] = {}
        self.things: list[Any] = []
        self.asked = 0
        self._kinds: tuple[tuple[int, Callable[[], Message]], ...] = (
            (6, self.opened),
            (34, self.changed),
            (4, self.closed),
            (3, self.saved),
            (3, self.on_disk),
            (42, self.request),
            (5, self.cancelled),
            (2, self.unknown),
            (1, self.configured),
        )

    def message(self) -> Message:
        """The next thing to say."""
        weights, makers = zip(*self._kinds, strict=True)
        return self.random.choices(makers, weights)[0]()

    def note(self, result: object) -> None:
        """Keeps what later requests may be about."""
        found = result if isinstance(result, list) else [result]
        self.things.extend(
            item for item in found[:2] if isinstance(item, dict) and ("range" in item or "title" in item)
        )
        del self.things[:-200]

    def farewell(self) -> list[Message]:
        """Closes whatever is open."""
        left, self.versions = list(self.versions), {}
        return [_notice("textDocument/didClose", textDocument={"uri": uri}) for uri in left]

    # Documents

    def opened(self) -> Message:
        if len(self.versions) >= MOST_OPEN:
            return self.closed()
        path = self.random.choice(self.sources)
        uri = self._uri(path) if self.random.random() < 0.95 else self.random.choice(ODD_URIS)
        self.versions[uri] = 1
        language = LANGUAGES[path[path.rindex(".") :]]
        item = {"uri": uri, "languageId": language, "version": 1, "text": self.texts[path]}
        return _notice("textDocument/didOpen", textDocument=item)

    def changed(self) -> Message:
        uri = self._open_uri() if self.random.random() < 0.98 else self._any_uri()
        version = self.versions.get(uri, 0) + (1 if self.random.random() < 0.97 else self.random.randint(-3, 9))
        if uri in self.versions:
            self.versions[uri] = max(version, self.versions[uri])
        changes = [self._change() for _ in range(self.random.choice((1, 1, 1, 2, 5)))]
        return _notice("textDocument/didChange", textDocument={"uri": uri, "version": version}, contentChanges=changes)

    def closed(self) -> Message:
        uri = self._open_uri() if self.random.random() < 0.95 else self._any_uri()
        self.versions.pop(uri, None)
        return _notice("textDocument/didClose", textDocument={"uri": uri})

    def saved(self) -> Message:
        return _notice("textDocument/didSave", textDocument={"uri": self._open_uri()})

    def on_disk(self) -> Message:
        """Files really change, or are made, or go, and the client says so."""
        changes: list[Message] = []
        for path in self.random.sample(self.sources, min(len(self.sources), self.random.choice((1, 1, 2, 8)))):
            target = self.root / path
            if target.exists() and self.random.random() < 0.2:
                target.unlink()
            else:
                target.write_text(broken(self.random, self.texts[path]), "utf-8")
            changes.append({"uri": self._uri(path), "type": self.random.choice((1, 2, 3))})
        return _notice("workspace/didChangeWatchedFiles", changes=changes)

    # Questions

    def request(self) -> Message:
        self.asked += 1
        method = self.random.choice(self.methods)
        return {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": self._params()}

    def cancelled(self) -> Message:
        return _notice("$/cancelRequest", id=max(self.asked - self.random.randint(-1, 6), 0))

    def unknown(self) -> Message:
        return _notice(self.random.choice(("$/nothing", "nothing/there", "window/workDoneProgress/cancel")), token=1)

    def configured(self) -> Message:
        severities = self.random.choice(("P1", "P3", 5, None))
        return _notice("workspace/didChangeConfiguration", settings={"graphls": {"findings": {"show": severities}}})

    def _params(self) -> Message:
        """A bit of everything that any request takes: what a request does not know it ignores."""
        where = {"textDocument": {"uri": self._any_uri()}, "position": self._position()}
        number = self.random.choice((0, 1, 2, 3, 10))
        word = self.random.choice(WORDS)
        common: Message = {
            **where,
            "positions": [self._position() for _ in range(number)],
            "range": {"start": self._position(), "end": self._position()},
            "context": {"includeDeclaration": bool(number), "diagnostics": []},
            "query": word,
            "text": word,
            "task": word,
            "node": "",
            "symbol": self.random.choice(("", "", word)),
            "changes": self.random.choice(("all", "unsaved")),
            "title": word,
            "command": self.random.choice(("graphls.status", "graphls.rescan", "nothing")),
            "scope": self.random.choice(("", "", "nowhere", self.random.choice(self.sources))),
            "source": where,
            "target": self.random.choice((where, {"symbol": word})),
            "budget": 500,
            "depth": self.random.choice((1, 1, 2, 3)),
            "limit": self.random.choice((1, 5, 20)),
            "cursor": self.random.choice(("", "", "", "x")),
        }
        if self.things:
            thing = self.random.choice(self.things)
            common = {
                **common,
                "item": thing,
                **{key: thing[key] for key in thing.keys() & {"title", "data", "command"}},
            }
        left = self.random.sample(sorted(common), k=self.random.choice((0, 0, 0, 0, 1, 3)))
        return {key: value for key, value in common.items() if key not in left}

    # Pieces

    def _uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def _open_uri(self) -> str:
        return self.random.choice(list(self.versions)) if self.versions else self._any_uri()

    def _any_uri(self) -> str:
        if self.random.random() < 0.1:
            return self.random.choice(ODD_URIS)
        return self._uri(self.random.choice(self.sources))

    def _position(self) -> Message:
        line = self.random.choice((self.random.randrange(60), self.random.randrange(600), 10**6))
        return {"line": line, "character": self.random.choice((self.random.randrange(40), 10**6))}

    def _spot(self) -> Message:
        """Mostly a place that the document has."""
        if self.random.random() < 0.01:
            return self._position()
        return {"line": self.random.randrange(12), "character": self.random.randrange(40)}

    def _change(self) -> Message:
        if self.random.random() < 0.06:
            return {"text": broken(self.random, self.texts[self.random.choice(self.sources)])[:LONG_TEXT]}
        start, text = self._spot(), self._typed()
        if self.random.random() < 0.7:
            return {"range": {"start": start, "end": start}, "text": text}
        end = {"line": start["line"] + self.random.choice((0, 0, 1, 2)), "character": self.random.randrange(50)}
        return {"range": {"start": start, "end": end}, "text": text}

    def _typed(self) -> str:
        pieces = (
            "x",
            ".",
            "(",
            ")",
            "\n",
            "    ",
            '"""',
            "def f(a):\n    return a.b\n",
            "\ud83d",
            "😀",
            "\r",
            "\0",
            "",
        )
        return self.random.choice(pieces)


def _notice(method: str, **params: object) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}
