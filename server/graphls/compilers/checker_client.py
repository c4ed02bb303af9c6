"""Checker client: putting questions about sites to the servers of a workspace.

Owns: one server a folder, positions of sites, no question twice at a time, answers to the ledger.
Must not know: which sites matter, how long anyone waits.
Invariant: every question ends; only an answer reaches the ledger, a failure is told to whoever asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from concurrent.futures import Future, wait
from functools import partial

import attrs

from graphls.compilers.answer_store import AnswerStore, FileAnswers
from graphls.compilers.answers import SILENT, SiteAnswer, SiteOutcome
from graphls.compilers.broken_code import ErrorsQuestion, surroundings
from graphls.compilers.buffers import Buffers
from graphls.compilers.checker_hover import HoverPosition, HoverRequest, request_hover
from graphls.compilers.checkers import Checker
from graphls.compilers.configuration import configures
from graphls.compilers.connection import CheckerProblem, CheckerRefused
from graphls.compilers.definition_lookup import AnswerReader
from graphls.compilers.listed_uses import UsesQuery, UsesRequest, files_to_open, request_uses
from graphls.compilers.locations import from_uri, locations, to_uri
from graphls.compilers.outside import OutsideNames
from graphls.compilers.partial_answers import is_open_union, may_be_part, receiver_start
from graphls.compilers.positions import PositionConverter
from graphls.compilers.problems import ModuleCheck, read_problems
from graphls.compilers.status import CheckerStatus
from graphls.compilers.upstream import CheckerLimits, CheckerServer
from graphls.compilers.wire import Json
from graphls.facts.links import Links
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.language_checker import ErrorsRequest, SourceTree
from graphls.languages.registry import language_of
from graphls.linking.module_table import ModuleTable
from graphls.sources.workspace import Workspace

PendingAnswer = Future[str]
"""Ends with "" when the answer is in the ledger, else with the reason why there is none."""
_TRIES = 4
_ALL = ""
_MOST_ERRORS = 200
_Site = tuple[FilePath, ContentHash, int]


ServerKey = tuple[str, str]
"""Root of a folder and name of a language."""


@attrs.frozen(eq=False)
class _CheckerServer:
    checker: Checker
    upstream: CheckerServer
    buffers: Buffers
    out_of_order: set[str] = attrs.field(factory=set[str])
    """Files that a server that wavers was asked about out of turn since it forgot last; `_ALL` for any."""
    errors: dict[FilePath, tuple[int, ErrorsQuestion]] = attrs.field(
        factory=dict[FilePath, "tuple[int, ErrorsQuestion]"]
    )
    """What is wrong with a file, by the revision of the snapshot."""


class CheckerClient:
    """Safe to use from any thread."""

    def __init__(
        self, workspace: Workspace, checkers: Iterable[Checker], answers: AnswerStore, limits: CheckerLimits
    ) -> None:
        self._workspace = workspace
        self._answers = answers
        self._outside = OutsideNames()
        self._lock = threading.Lock()
        self._under_way: dict[_Site, PendingAnswer] = {}
        self._servers: Mapping[ServerKey, _CheckerServer] = {}
        for checker in checkers:
            for folder in workspace.folders:
                server = self._server(checker, folder.root, limits)
                self._servers.update({(folder.root, language): server for language in checker.description.languages})
        self._languages = frozenset(language for _, language in self._servers)
        self._present = frozenset(self._servers)
        self._observed_modules: Mapping[str, ModuleTable] | None = None

    def _server(self, checker: Checker, root: str, limits: CheckerLimits) -> _CheckerServer:
        languages = checker.description.languages

        def holds(path: FilePath) -> bool:
            return checker.description.reads(path) and self._root(path) == root

        def watches(path: FilePath) -> bool:
            return any(configures(path, language) for language in languages) and self._root(path) == root

        buffers = Buffers(self._workspace, holds, watches)
        return _CheckerServer(checker, CheckerServer(checker, root, limits, buffers), buffers)

    def covers(self, path: FilePath) -> bool:
        """Whether a checker reads files of this name."""
        language = language_of(path)
        server = self._servers.get((self._root(path), language)) if language in self._languages else None
        return server is not None and server.checker.description.reads(path)

    def name_of(self, path: FilePath) -> str:
        """The checker that is asked about a file."""
        return self._servers[self.server_of(path)].checker.name

    def checks_modules(self, path: FilePath) -> bool:
        """Whether the checker that is asked about a file says what is wrong with a whole module."""
        return self._servers[self.server_of(path)].checker.description.checks_modules

    def is_order_sensitive(self, path: FilePath) -> bool:
        """Whether what the checker says of a file may depend on what it was asked before."""
        return self._servers[self.server_of(path)].checker.description.order_sensitive

    def server_of(self, path: FilePath) -> ServerKey:
        """Which server is asked about a file."""
        return (self._root(path), language_of(path))

    def observe(self, snapshot: Snapshot) -> None:
        """Takes note of what there is to check: servers of which no file is there are neither started nor reported."""
        if self._observed_modules is not snapshot.modules:
            self._observed_modules = snapshot.modules
            self._tell_folders(snapshot)
            self._present = frozenset(present_in(self._workspace, snapshot) & self._servers.keys())

    def _tell_folders(self, snapshot: Snapshot) -> None:
        """What manifests say, to servers that read none; one that was told otherwise starts anew."""
        for (root, language), server in self._servers.items():
            known, table = server.checker.description.known, snapshot.modules.get(language)
            if known is not None and table is not None:
                options = known.options(root, table.aliases)
                project: Mapping[str, str] = {}
                if known.project is not None:
                    project = known.project(self._sources(snapshot, table, server, root))
                if (options, project) != (server.upstream.options, server.upstream.project):
                    server.upstream.options, server.upstream.project = options, project
                    server.upstream.stop()

    def _sources(self, snapshot: Snapshot, table: ModuleTable, server: _CheckerServer, root: str) -> SourceTree:
        inside: dict[str, FilePath] = {}
        for path in table.names:
            if self._root(path) == root and server.checker.description.reads(path):
                inside["/".join(self._workspace.located(path)[1])] = path
        return SourceTree(
            root, sorted(inside), lambda path: (snapshot.text(inside[path]) or b"").decode("utf-8", "replace")
        )

    def _present_servers(self) -> list[_CheckerServer]:
        found = {id(self._servers[key]): self._servers[key] for key in sorted(self._present)}
        return list(found.values())

    def status(self) -> tuple[CheckerStatus, ...]:
        """One for each folder of the workspace and checker that has files there."""
        return tuple(server.upstream.status() for server in self._present_servers())

    def pids(self) -> tuple[int, ...]:
        """Process ids of the servers; 0 for one that does not run."""
        return tuple(server.upstream.pid for server in self._present_servers())

    def usable(self, path: FilePath) -> str:
        """ "" when a question about a file has a chance now, else why not."""
        upstream = self._servers[self.server_of(path)].upstream
        return "" if upstream.usable else upstream.status().problem or "the checker is not running"

    def ready(self, path: FilePath) -> bool:
        """Whether a question about a file can be answered at once."""
        return self._servers[self.server_of(path)].upstream.ready

    def wake(self) -> None:
        """Starts the servers that are wanted and do not run; waits for nothing."""
        for server in self._present_servers():
            server.upstream.wake()

    def show(self, snapshot: Snapshot) -> None:
        """Brings all servers up to a snapshot."""
        self.observe(snapshot)
        for server in self._present_servers():
            server.buffers.show(snapshot)

    def ask(
        self, snapshot: Snapshot, file_answers: FileAnswers, own: Links, rows: Iterable[int], sequential: bool = False
    ) -> Iterator[PendingAnswer]:
        """Asks about rows of a file's occurrences, as fast as the caller takes the results: one for each row.

        `in_turn`: all rows in order, one after the other, also where there is an answer.
        """
        server = self._servers[self.server_of(file_answers.path)]
        if not sequential:
            self._mark_out_of_order(server, file_answers.path)
        requests = _FileRequests(self, server, snapshot, file_answers, own)
        for row in rows:
            if row in file_answers.rows and not sequential:
                yield _done_answer()
                continue
            site = (file_answers.path, file_answers.content, row)
            with self._lock:
                known = self._under_way.get(site)
                pending: PendingAnswer = self._under_way.setdefault(site, Future())
            if known is not None:
                yield known
                continue
            _CheckerRequest(
                upstream=server.upstream,
                method="textDocument/definition",
                params=requests.request_params(row),
                receive=partial(requests.receive, row),
                ended=partial(self._end_request, site, pending),
            ).put()
            yield pending

    def is_out_of_order(self, path: FilePath) -> bool:
        """Whether the server of a file was asked about it out of turn."""
        with self._lock:
            return not self._servers[self.server_of(path)].out_of_order.isdisjoint((path, _ALL))

    def refresh(self, path: FilePath) -> None:
        """Has the server of a file forget what it concluded so far."""
        server = self._servers[self.server_of(path)]
        with self._lock:
            server.out_of_order.clear()
        server.buffers.touch(path)

    def uses(self, snapshot: Snapshot, query: UsesQuery, budget_ms: float) -> UsesRequest | None:
        """Asks for all uses of a name, of a server that relates more of them than definitions do."""
        server = self._servers[self.server_of(query.path)]
        if not server.checker.description.lists_related_members or not server.upstream.ready:
            return None
        self._mark_out_of_order(server, _ALL)
        self.show(snapshot)
        for path in reversed(files_to_open(snapshot, query)):
            server.buffers.lend_for_questions(snapshot, path)
        return request_uses(server.upstream, self._workspace, snapshot, query, budget_ms)

    def hover(self, snapshot: Snapshot, position: HoverPosition, budget_ms: float) -> HoverRequest | None:
        """Asks what a server that is ready shows of a place; one that does not run is started."""
        server = self._servers[self.server_of(position.path)]
        if not server.upstream.ready:
            server.upstream.wake()
            return None
        self._mark_out_of_order(server, position.path)
        self.show(snapshot)
        if not server.checker.description.reads_closed:
            server.buffers.lend_for_questions(snapshot, position.path)
        return request_hover(server.upstream, self._workspace, snapshot, position, budget_ms)

    def check(self, snapshot: Snapshot, modules: Iterable[tuple[Shard, str]]) -> list[PendingAnswer]:
        """Asks what is wrong with modules, each with the ground of its links, and waits; one result for each. A server
        cancels such questions when documents open or close, so all open before the first question and close after
        the last."""
        by_server: dict[ServerKey, list[tuple[Shard, str]]] = {}
        ordered = list(modules)
        for module in ordered:
            by_server.setdefault(self.server_of(module[0].path), []).append(module)
        pending: dict[FilePath, PendingAnswer] = {}
        for key, group in by_server.items():
            server = self._servers[key]
            server.upstream.await_start()
            opened = [one for one in group if server.buffers.lend(snapshot, one[0].path)]
            pending.update((one[0].path, self._check(server, snapshot, *one)) for one in opened)
            wait([pending[one[0].path] for one in opened])
            for shard, _ in opened:
                server.buffers.give_back(shard.path)
        return [pending.get(shard.path) or self._unreadable_answer(shard.path) for shard, _ in ordered]

    def _unreadable_answer(self, path: FilePath) -> PendingAnswer:
        """The document could not be opened: the server does not run, and may say why, or its text is gone."""
        known: PendingAnswer = Future()
        known.set_result(self.usable(path) or "the text of the file is gone")
        return known

    def _check(self, server: _CheckerServer, snapshot: Snapshot, shard: Shard, dependency_key: str) -> PendingAnswer:
        positions: list[PositionConverter] = []
        uri = to_uri(self._workspace.absolute(shard.path))
        ended: PendingAnswer = Future()

        def question(encoding: str) -> Json:
            positions.append(PositionConverter(snapshot, encoding))
            return {"textDocument": {"uri": uri}}

        def receive(result: Json) -> None:
            def offset(line: int, character: int) -> int:
                return positions[0].offset(shard.path, line, character)

            found = read_problems(result, shard.path, server.checker.name, offset)
            self._answers.add_check(ModuleCheck(shard.path, shard.content, dependency_key, found), keep=not shard.dirty)

        _CheckerRequest(server.upstream, "textDocument/diagnostic", question, receive, ended.set_result).put()
        return ended

    def stop(self) -> None:
        """Ends all servers; the next question starts them anew."""
        for server in self._servers.values():
            server.upstream.stop()

    def _mark_out_of_order(self, server: _CheckerServer, path: str) -> None:
        if server.checker.description.order_sensitive:
            with self._lock:
                server.out_of_order.add(path)

    def _root(self, path: FilePath) -> str:
        folders = self._workspace.folders
        return folders[0].root if len(folders) == 1 else self._workspace.located(path)[0].root

    def reader(self, snapshot: Snapshot, encoding: str) -> AnswerReader:
        """Reads answers in one encoding."""
        units = "utf-8" if encoding == "utf-8" else "utf-16"
        return AnswerReader(snapshot, self._workspace, PositionConverter(snapshot, units), self._outside, units)

    def absolute(self, path: FilePath) -> str:
        """Where a file is."""
        return self._workspace.absolute(path)

    def write(self, snapshot: Snapshot, file_answers: FileAnswers, row: int, answer: SiteAnswer) -> None:
        """An answer to the ledger."""
        self._answers.add(file_answers, row, answer, snapshot)

    def _end_request(self, site: _Site, pending: PendingAnswer, reason: str) -> None:
        with self._lock:
            self._under_way.pop(site, None)
        pending.set_result(reason)


def present_in(workspace: Workspace, snapshot: Snapshot) -> Set[ServerKey]:
    """Folders and the languages of files in them."""
    shards = snapshot.shards.values()
    if len(workspace.folders) == 1:
        root = workspace.folders[0].root
        return {(root, language) for language in {shard.language for shard in shards} if language}
    return {(workspace.located(shard.path)[0].root, shard.language) for shard in shards if shard.language}


def _done_answer() -> PendingAnswer:
    known: PendingAnswer = Future()
    known.set_result("")
    return known


@attrs.frozen(eq=False)
class _CheckerRequest:
    """One request. `ended` gets "" or why there is no answer."""

    upstream: CheckerServer
    method: str
    params: Callable[[str], Json]
    receive: Callable[[Json], _CheckerRequest | _HeldAnswer | None]
    """Takes in the result; gives another question where that decides what becomes of it."""
    ended: Callable[[str], None]

    def put(self, tries: int = _TRIES) -> None:
        """Sends it, again where documents changed under it."""
        self.upstream.ask(self.method, self.params, partial(self._done, tries))

    def _done(self, tries: int, result: Json, problem: CheckerProblem | None) -> None:
        if isinstance(problem, CheckerRefused) and problem.again and tries > 1:
            self.put(tries - 1)
        elif problem is not None:
            self.ended(str(problem) or "the checker did not answer")
        else:
            following = self._handle_result(result)
            if isinstance(following, str):
                self.ended(following)
            else:
                attrs.evolve(following, ended=self.ended).put()

    def _handle_result(self, result: Json) -> str | _CheckerRequest | _HeldAnswer:
        try:
            return self.receive(result) or ""
        except CheckerProblem as problem:
            return str(problem) or "the checker did not answer"
        except Exception as error:  # noqa: BLE001  an odd answer must not end the thread that reads all answers
            return f"the answer cannot be read: {type(error).__name__}: {error}"


@attrs.frozen(eq=False)
class _HeldAnswer:
    """An answer that waits until it is known what is wrong with its document. `ended` gets "" or why nothing is."""

    question: ErrorsQuestion
    receive: Callable[[], None]
    ended: Callable[[str], None]

    def put(self) -> None:
        """Waits."""
        self.question.when_known(self._done)

    def _done(self, problem: str) -> None:
        if not problem:
            self.receive()
        self.ended(problem)


class _FileRequests:
    """Questions about one file of one snapshot, and their answers."""

    def __init__(
        self, client: CheckerClient, server: _CheckerServer, snapshot: Snapshot, file_answers: FileAnswers, own: Links
    ) -> None:
        self._client = client
        self._server = server
        self._open = True
        self._snapshot = snapshot
        self._file_answers = file_answers
        self._own = own
        self._uri = to_uri(client.absolute(file_answers.path))
        self._positions: PositionConverter | None = None
        self._reader: AnswerReader | None = None
        self._starts = snapshot.facts(file_answers.path).occurrences.start
        self._lock = threading.Lock()

    def request_params(self, row: int) -> Callable[[str], Json]:
        """The request, once the encoding is known."""
        return self._question_at(self._starts[row])

    def _question_at(self, start: int) -> Callable[[str], Json]:
        def params(encoding: str) -> Json:
            if self._positions is None:
                self._positions = PositionConverter(self._snapshot, encoding)
                self._reader = self._client.reader(self._snapshot, encoding)
            if not self._server.upstream.checker.description.reads_closed:
                self._open = self._server.buffers.lend_for_questions(self._snapshot, self._file_answers.path)
            line, character = self._positions.position(self._file_answers.path, start)
            return {"textDocument": {"uri": self._uri}, "position": {"line": line, "character": character}}

        return params

    def receive(self, row: int, result: Json) -> _CheckerRequest | _HeldAnswer | None:
        """What to do with the answer: where it lacks what own rules found, whether it is all is asked as well."""
        if not self._open:
            raise CheckerProblem("the text of the file is gone")
        with self._lock:
            if self._reader is None:
                return None
            answer = self._reader.answer(self._file_answers.path, row, self._own, locations(result))
        facts = self._snapshot.facts(self._file_answers.path)
        known = self._server.checker.description.known
        if answer.outcome is SiteOutcome.FOUND and known is not None and known.errors is not None:
            return _HeldAnswer(self._errors(known.errors), partial(self._sift, row, answer, known.errors), _nobody)
        if answer.outcome is not SiteOutcome.FOUND or not may_be_part(
            facts, self._file_answers.path, self._own, row, answer
        ):
            self._client.write(self._snapshot, self._file_answers, row, answer)
            return None
        params = self._question_at(receiver_start(facts, row))
        return _CheckerRequest(
            self._server.upstream, "textDocument/hover", params, partial(self._weigh, row, answer), _nobody
        )

    def _errors(self, wanted: ErrorsRequest) -> ErrorsQuestion:
        path, revision = self._file_answers.path, self._snapshot.revision
        with self._lock:
            before = self._server.errors.get(path)
            if before is None or before[0] != revision:
                put = partial(self._server.upstream.ask, wanted.method, lambda _: wanted.params(self._uri))
                before = self._server.errors[path] = (revision, ErrorsQuestion(put))
                while len(self._server.errors) > _MOST_ERRORS:
                    del self._server.errors[next(iter(self._server.errors))]
            return before[1]

    def _sift(self, row: int, answer: SiteAnswer, wanted: ErrorsRequest) -> None:
        """An answer about code that the server does not understand is none."""
        path, positions = self._file_answers.path, self._positions
        found = self._server.upstream.errors.of(from_uri(self._uri))
        around = surroundings(self._snapshot.facts(path), row)
        if positions is None or found is None or len(found) >= wanted.most or (found and around is None):
            answer = SILENT
        elif around is not None:
            spans = ((positions.offset(path, *start), positions.offset(path, *end)) for start, end in found)
            if any(start < around[1] and end >= around[0] for start, end in spans):
                answer = SILENT
        self._client.write(self._snapshot, self._file_answers, row, answer)

    def _weigh(self, row: int, answer: SiteAnswer, result: Json) -> None:
        """An answer of which the checker knows that it is not all is a part."""
        if is_open_union(result):
            answer = attrs.evolve(answer, outcome=SiteOutcome.PARTIAL)
        self._client.write(self._snapshot, self._file_answers, row, answer)


def _nobody(_: str) -> None:
    """Whoever waits for the first question waits for this one."""
