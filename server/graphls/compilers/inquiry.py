"""Inquiry: putting questions about sites to the servers of a workspace.

Owns: one server a folder, positions of sites, no question twice at a time, answers to the ledger.
Must not know: which sites matter, how long anyone waits.
Invariant: every question ends; only an answer reaches the ledger, a failure is told to whoever asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from functools import partial

import attrs

from graphls.compilers.answers import Answer
from graphls.compilers.buffers import Buffers
from graphls.compilers.checkers import Checker
from graphls.compilers.connection import CheckerProblem, CheckerRefused
from graphls.compilers.ledger import Ledger, Page
from graphls.compilers.locations import locations, to_uri
from graphls.compilers.outside import OutsideNames
from graphls.compilers.places import Places
from graphls.compilers.positions import Positions
from graphls.compilers.problems import ModuleCheck, read_problems
from graphls.compilers.status import CheckerStatus
from graphls.compilers.upstream import Limits, Upstream
from graphls.compilers.wire import Json
from graphls.facts.links import Links
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.registry import provider_for
from graphls.sources.workspace import Workspace

Asked = Future[str]
"""Ends with "" when the answer is in the ledger, else with the reason why there is none."""
_TRIES = 4
_Site = tuple[FilePath, ContentHash, int]


@attrs.frozen(eq=False)
class _Server:
    upstream: Upstream
    buffers: Buffers


class Inquiry:
    """Safe to use from any thread."""

    def __init__(self, workspace: Workspace, checker: Checker, ledger: Ledger, limits: Limits) -> None:
        self._workspace = workspace
        self._checker = checker
        self._ledger = ledger
        self._outside = OutsideNames()
        self._lock = threading.Lock()
        self._under_way: dict[_Site, Asked] = {}
        self._servers: Mapping[str, _Server] = {
            folder.root: self._server(folder.root, limits) for folder in workspace.folders
        }

    def _server(self, root: str, limits: Limits) -> _Server:
        buffers = Buffers(self._workspace, lambda path: self.covers(path) and self._root(path) == root)
        return _Server(Upstream(self._checker, root, limits, buffers), buffers)

    def covers(self, path: FilePath) -> bool:
        """Whether the checker reads files of this name."""
        provider = provider_for(path)
        return provider is not None and provider.name in self._checker.known.languages

    def status(self) -> tuple[CheckerStatus, ...]:
        """One for each folder of the workspace."""
        return tuple(server.upstream.status() for server in self._servers.values())

    def pids(self) -> tuple[int, ...]:
        """Process ids of the servers; 0 for one that does not run."""
        return tuple(server.upstream.pid for server in self._servers.values())

    def usable(self, path: FilePath) -> str:
        """ "" when a question about a file has a chance now, else why not."""
        upstream = self._servers[self._root(path)].upstream
        return "" if upstream.usable else upstream.status().problem or "the checker is not running"

    def ready(self, path: FilePath) -> bool:
        """Whether a question about a file can be answered at once."""
        return self._servers[self._root(path)].upstream.ready

    def wake(self) -> None:
        """Starts the servers that do not run; waits for nothing."""
        for server in self._servers.values():
            server.upstream.wake()

    def show(self, snapshot: Snapshot) -> None:
        """Brings all servers up to a snapshot."""
        for server in self._servers.values():
            server.buffers.show(snapshot)

    def ask(self, snapshot: Snapshot, page: Page, own: Links, rows: Iterable[int]) -> Iterator[Asked]:
        """Asks about rows of a file's occurrences, as fast as the caller takes the results: one for each row."""
        server = self._servers[self._root(page.path)]
        sheet = _Sheet(self, server, snapshot, page, own)
        for row in rows:
            if row in page.rows:
                yield _answered()
                continue
            site = (page.path, page.content, row)
            with self._lock:
                known = self._under_way.get(site)
                mine: Asked = self._under_way.setdefault(site, Future())
            if known is not None:
                yield known
                continue
            _Question(
                upstream=server.upstream,
                method="textDocument/definition",
                params=sheet.question(row),
                receive=partial(sheet.receive, row),
                ended=partial(self._ended, site, mine),
            ).put()
            yield mine

    def check(self, snapshot: Snapshot, modules: Iterable[tuple[Shard, str]]) -> list[Asked]:
        """Asks what is wrong with modules, each with the ground of its links, and waits. A server cancels such
        questions when documents open or close, so all open before the first question and close after the last."""
        by_root: dict[str, list[tuple[Shard, str]]] = {}
        for module in modules:
            by_root.setdefault(self._root(module[0].path), []).append(module)
        asked: list[Asked] = []
        for root, group in by_root.items():
            server = self._servers[root]
            opened = [one for one in group if server.buffers.lend(snapshot, one[0].path)]
            some = [self._check(server, snapshot, *one) for one in opened]
            wait(some)
            for shard, _ in opened:
                server.buffers.give_back(shard.path)
            asked.extend(some)
        return asked

    def _check(self, server: _Server, snapshot: Snapshot, shard: Shard, ground: str) -> Asked:
        positions: list[Positions] = []
        uri = to_uri(self._workspace.absolute(shard.path))
        ended: Asked = Future()

        def question(encoding: str) -> Json:
            positions.append(Positions(snapshot, encoding))
            return {"textDocument": {"uri": uri}}

        def receive(result: Json) -> None:
            def offset(line: int, character: int) -> int:
                return positions[0].offset(shard.path, line, character)

            found = read_problems(result, shard.path, self._checker.name, offset)
            self._ledger.add_check(ModuleCheck(shard.path, shard.content, ground, found), keep=not shard.dirty)

        _Question(server.upstream, "textDocument/diagnostic", question, receive, ended.set_result).put()
        return ended

    def stop(self) -> None:
        """Ends all servers; the next question starts them anew."""
        for server in self._servers.values():
            server.upstream.stop()

    def _root(self, path: FilePath) -> str:
        return self._workspace.located(path)[0].root

    def places(self, snapshot: Snapshot, encoding: str) -> Places:
        """Reads answers in one encoding."""
        units = "utf-8" if encoding == "utf-8" else "utf-16"
        return Places(snapshot, self._workspace, Positions(snapshot, units), self._outside, units)

    def absolute(self, path: FilePath) -> str:
        """Where a file is."""
        return self._workspace.absolute(path)

    def write(self, snapshot: Snapshot, page: Page, row: int, answer: Answer) -> None:
        """An answer to the ledger."""
        self._ledger.add(page, row, answer, snapshot)

    def _ended(self, site: _Site, asked: Asked, reason: str) -> None:
        with self._lock:
            self._under_way.pop(site, None)
        asked.set_result(reason)


def _answered() -> Asked:
    known: Asked = Future()
    known.set_result("")
    return known


@attrs.frozen(eq=False)
class _Question:
    """One request. `ended` gets "" or why there is no answer."""

    upstream: Upstream
    method: str
    params: Callable[[str], Json]
    receive: Callable[[Json], None]
    ended: Callable[[str], None]

    def put(self, tries: int = _TRIES) -> None:
        """Sends it, again where documents changed under it."""
        self.upstream.request(self.method, self.params).add_done_callback(partial(self._done, tries))

    def _done(self, tries: int, future: Future[Json]) -> None:
        try:
            self.receive(future.result())
        except CheckerRefused as problem:
            if problem.again and tries > 1:
                self.put(tries - 1)
            else:
                self.ended(str(problem) or "the checker refused to answer")
        except CheckerProblem as problem:
            self.ended(str(problem) or "the checker did not answer")
        except Exception as error:  # noqa: BLE001  an odd answer must not end the thread that reads all answers
            self.ended(f"the answer cannot be read: {type(error).__name__}: {error}")
        else:
            self.ended("")


class _Sheet:
    """Questions about one file of one snapshot, and their answers."""

    def __init__(self, inquiry: Inquiry, server: _Server, snapshot: Snapshot, page: Page, own: Links) -> None:
        self._inquiry = inquiry
        self._server = server
        self._open = True
        self._snapshot = snapshot
        self._page = page
        self._own = own
        self._uri = to_uri(inquiry.absolute(page.path))
        self._positions: Positions | None = None
        self._places: Places | None = None
        self._lock = threading.Lock()

    def question(self, row: int) -> Callable[[str], Json]:
        """The request, once the encoding is known."""
        start = self._snapshot.facts(self._page.path).occurrences.start[row]

        def params(encoding: str) -> Json:
            if self._positions is None:
                self._positions = Positions(self._snapshot, encoding)
                self._places = self._inquiry.places(self._snapshot, encoding)
            if not self._server.upstream.checker.known.reads_closed:
                self._open = self._server.buffers.lend_for_questions(self._snapshot, self._page.path)
            line, character = self._positions.position(self._page.path, start)
            return {"textDocument": {"uri": self._uri}, "position": {"line": line, "character": character}}

        return params

    def receive(self, row: int, result: Json) -> None:
        """What to do with the answer."""
        if not self._open:
            raise CheckerProblem("the text of the file is gone")
        with self._lock:
            if self._places is not None:
                answer = self._places.answer(self._page.path, row, self._own, locations(result))
                self._inquiry.write(self._snapshot, self._page, row, answer)
