"""Comparison: a process of its own finds what this one would, of the state that was asked about."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from git_folders import committed
from graphls.facts.paths import FilePath
from graphls.graph.errors import GraphError
from graphls.graph.request_budget import BudgetSpentError, RequestBudget, limited
from graphls.queries.diff import Difference, DiffQuery
from graphls.session import comparison
from graphls.session.comparison import PATIENCE, difference
from graphls.session.comparison_messages import difference_of, message_of, plain_settings, settings_of
from graphls.session.options import SessionOptions
from graphls.session.process.workers import Worker, WorkerError
from graphls.session.session import Session
from graphls.settings import Settings, parse_settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop/cart.py": "from shop.prices import total\n\ndef pay(cart, how):\n    how(cart)\n    return total(cart)\n",
    "shop/old.py": "from shop.cart import pay\n\npay([], print)\n",
}
EDIT = "def sum_up(prices):\n    return sum(prices)\n\ndef total(prices, rate):\n    return sum_up(prices) * rate\n"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    root = tmp_path / "w"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    committed(root, "one")
    (root / "shop/prices.py").write_text(EDIT)
    (root / "shop/old.py").unlink()
    committed(root, "two")
    store = BlobStore(StoreOptions(str(tmp_path / "store")))
    opened = Session(Workspace.of([str(root)]), Settings(), store, SessionOptions(libraries=True))
    opened.start()
    assert opened.wait("complete")
    yield opened
    opened.close()
    store.close()


def _here(session: Session, *states: str) -> Difference:
    return difference(session, session.snapshot(), (states[0], states[1]), DiffQuery("all"), large=1 << 40)


def _elsewhere(session: Session, monkeypatch: pytest.MonkeyPatch, *states: str) -> Difference:
    with monkeypatch.context() as patch:
        patch.setattr(comparison, "diff", None)
        return difference(session, session.snapshot(), (states[0], states[1]), DiffQuery("all"), large=0)


@pytest.mark.parametrize("states", [("HEAD^", ""), ("", "HEAD^"), ("HEAD^", "HEAD"), ("HEAD", "")])
def test_a_process_of_its_own_finds_the_same(
    session: Session, monkeypatch: pytest.MonkeyPatch, states: tuple[str, str]
) -> None:
    here = _here(session, *states)
    assert here.coverage.empty is (states == ("HEAD", ""))
    assert message_of(_elsewhere(session, monkeypatch, *states)) == message_of(here)


def test_it_sees_what_editors_hold(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.open(FilePath("shop/prices.py"), b"def unsaved(): ...\n")
    here = _here(session, "HEAD", "")
    assert any(record.id for record in here.added if getattr(record, "name", "") == "unsaved")
    assert message_of(_elsewhere(session, monkeypatch, "HEAD", "")) == message_of(here)


def test_another_state_of_the_files_answers_nothing(session: Session) -> None:
    live = session.snapshot()
    root = Path(session.workspace.folders[0].root)
    (root / "shop/cart.py").write_text("def unseen(): ...\n")
    found = difference(session, live, ("", "HEAD"), DiffQuery("all"), large=0)
    assert not any(getattr(record, "name", "") == "unseen" for record in (*found.added, *found.removed))


def test_a_name_that_is_no_commit_is_refused_alike(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GraphError) as here:
        _here(session, "no-such-branch", "")
    with pytest.raises(GraphError) as elsewhere:
        _elsewhere(session, monkeypatch, "no-such-branch", "")
    assert (elsewhere.value.code, elsewhere.value.message) == (here.value.code, here.value.message)


def test_who_does_not_want_the_answer_any_more_ends_the_process(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Worker] = []

    def begin(*, module: str) -> Worker:
        started.append(Worker(module=module))
        return started[0]

    monkeypatch.setattr(comparison, "Worker", begin)
    begun = time.monotonic()
    budget = RequestBudget(lambda _: "time" if started and time.monotonic() > begun else "")
    with limited(budget), pytest.raises(BudgetSpentError):
        _elsewhere(session, monkeypatch, "HEAD^", "")
    with pytest.raises(ProcessLookupError):
        os.kill(started[0].process_id, 0)


def test_what_takes_longer_than_it_is_waited_for_goes_on(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Worker] = []

    def begin(*, module: str) -> Worker:
        started.append(Worker(module=module))
        return started[-1]

    monkeypatch.setattr(comparison, "Worker", begin)
    live, states, query = session.snapshot(), ("HEAD^", ""), DiffQuery("all")
    with pytest.raises(BudgetSpentError) as spent:
        difference(session, live, states, query, large=0, patience=0.0)
    assert spent.value.reason == "time"
    os.kill(started[0].process_id, 0)
    found = difference(session, live, states, query, large=0)
    assert message_of(found) == message_of(_here(session, "HEAD^", ""))
    assert len(started) == 1


def test_a_language_server_does_not_wait_for_longer_than_a_request(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "Worker", Worker)
    begun = time.monotonic()
    with pytest.raises(BudgetSpentError):
        difference(session, session.snapshot(), ("HEAD^", ""), DiffQuery("all"), large=0, waits=0.0)
    assert time.monotonic() - begun < PATIENCE / 4
    assert difference(session, session.snapshot(), ("HEAD^", ""), DiffQuery("all"), large=0)


def test_another_question_and_the_end_of_the_session_end_what_goes_on(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Worker] = []

    def begin(*, module: str) -> Worker:
        started.append(Worker(module=module))
        return started[-1]

    monkeypatch.setattr(comparison, "Worker", begin)
    for states in (("HEAD^", ""), ("HEAD", "")):
        with pytest.raises(BudgetSpentError):
            difference(session, session.snapshot(), states, DiffQuery("all"), large=0, patience=0.0)
    with pytest.raises(ProcessLookupError):
        os.kill(started[0].process_id, 0)
    session.close()
    with pytest.raises(ProcessLookupError):
        os.kill(started[1].process_id, 0)


def test_here_too_it_ends_when_its_time_is_over(session: Session) -> None:
    with pytest.raises(BudgetSpentError):
        difference(session, session.snapshot(), ("HEAD^", ""), DiffQuery("all"), large=1 << 40, patience=0.001)


def test_a_process_that_ends_at_it_had_too_little_memory(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(*, module: str) -> Worker:
        worker = Worker(module=module)
        os.kill(worker.process_id, signal.SIGTERM)
        return worker

    monkeypatch.setattr(comparison, "Worker", begin)
    with pytest.raises(BudgetSpentError) as ended:
        _elsewhere(session, monkeypatch, "HEAD^", "")
    assert ended.value.reason == "memory"


def test_where_no_process_starts_it_is_done_here(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*, module: str) -> Worker:
        raise WorkerError(module)

    monkeypatch.setattr(comparison, "Worker", refuse)
    found = difference(session, session.snapshot(), ("HEAD^", ""), DiffQuery("all"), large=0)
    assert message_of(found) == message_of(_here(session, "HEAD^", ""))


def test_what_is_sent_comes_back(session: Session) -> None:
    found = _here(session, "HEAD^", "")
    assert difference_of(message_of(found)) == found
    chosen, problems = parse_settings(
        {"files": {"exclude": ["a"]}, "frameworks": {"rules": [{"on": "call", "match": "web.add", "role": "route"}]}}
    )
    assert settings_of(plain_settings(chosen)) == chosen != Settings(), problems
