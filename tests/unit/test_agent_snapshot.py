"""Sessions of agents: files that are shown once, and where a session stands."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest

from git_folders import git
from graphls.analysis.findings import KnownFindings, findings
from graphls.facts.paths import FilePath
from graphls.session import read_ledger
from graphls.session.agent_snapshot import KIND, agent_snapshot
from graphls.session.journal import AnswerSize, Journal, Observation
from graphls.session.memory import snapshot_of
from graphls.session.outcomes import Outcomes
from graphls.session.read_ledger import TRANSFORM, ReadLedger
from graphls.settings import FindingsSettings, Settings
from graphls.sources.secret_files import is_secret_file
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

PATH = FilePath("m.py")


@pytest.fixture
def store(tmp_path: pathlib.Path) -> Iterator[BlobStore]:
    opened = BlobStore(StoreOptions(str(tmp_path / "cache")))
    yield opened
    opened.close()


def test_readings_of_long_ago_and_the_oldest_of_too_many_go(
    store: BlobStore, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, now = Workspace.of([str(tmp_path)]), [1_000.0]

    def known(session: str, name: str) -> bool:
        return ReadLedger(store, here, session, lambda: now[0]).read(FilePath(name), b"1", "s:1").text is None

    assert [known("z", "old.py"), known("z", "old.py")] == [False, True]
    now[0] += 91 * 86_400
    assert not known("z", "old.py")
    monkeypatch.setattr(read_ledger, "MOST", 10)
    for number in range(10):
        now[0] += 1
        assert not known("a", f"m{number}.py")  # the eleventh: the oldest go, not those of the first session by name
    assert known("a", "m9.py")
    assert not known("z", "old.py")


def test_a_session_is_shown_a_file_once_until_it_changes(store: BlobStore, tmp_path: pathlib.Path) -> None:
    workspace = Workspace.of([str(tmp_path)])

    def read(session: str, text: bytes) -> tuple[str | None, bool, str | None]:
        found = ReadLedger(store, workspace, session, lambda: 7.0).read(PATH, text, "s:1")
        assert (found.since is None) == (found.text is not None)
        return found.text, found.changed, found.transform

    assert read("one", b"x = 1\n") == ("x = 1\n", False, None)
    assert read("one", b"x = 1\n") == (None, False, TRANSFORM)
    assert read("two", b"x = 1\n") == ("x = 1\n", False, None)
    assert read("one", b"x = 2\n") == ("x = 2\n", True, None)
    assert read("one", b"x = 2\n") == (None, False, TRANSFORM)
    (totals,) = [one for one in Journal(store, workspace).sessions() if one.session == "one"]
    assert (totals.questions, totals.sent, totals.spared) == (4, 12, 12)


def test_without_a_store_nothing_is_left_out(tmp_path: pathlib.Path) -> None:
    ledger = ReadLedger(None, Workspace.of([str(tmp_path)]), "one")
    assert [ledger.read(PATH, b"x", "s:1").text for _ in range(2)] == ["x", "x"]


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        (".env", True), ("app/.env.production", True), ("certs/server.key", True), (".ssh/config", True),
        (".env.example", False), ("src/keys.py", False), ("docs/environment.md", False),
    ],
)  # fmt: skip
def test_secrets_are_known_by_their_names(path: str, secret: bool) -> None:
    assert is_secret_file(path) is secret


def test_a_snapshot_says_what_blocks_and_what_was_done(store: BlobStore, tmp_path: pathlib.Path) -> None:
    git(tmp_path, "init", "-q", "-b", "work")
    workspace = Workspace.of([str(tmp_path)])
    snapshot = snapshot_of({PATH: "def _left():\n    return 1\n"})
    settings = Settings(findings=FindingsSettings(rules={"maintainability.unused_definition": "P1"}))
    answered = findings(snapshot, settings, KnownFindings(b"", b""))
    Outcomes(store, workspace).note(snapshot, answered, answered.findings)
    ReadLedger(store, workspace, "one").read(PATH, b"text", "s:1")
    journal = Journal(store, workspace, "one")
    journal.note("find", {}, Observation(results=1, ids=("m:f",), snapshot="s:1", stale=True, size=AnswerSize(40, 0)))
    found = agent_snapshot(workspace, snapshot, answered, store)
    assert (found.kind, found.session.id, found.session.source) == (KIND, "one", "ledger")
    assert (found.repository.branch, found.repository.head, found.repository.git_detected) == ("work", None, True)
    assert (found.ledger.events, found.ledger.reads, found.ledger.cache_hits) == (2, 1, 0)
    assert (found.ledger.bytes_sent, found.ledger.tokens_sent, found.ledger.stale_answers) == (44, 11, 1)
    assert [one.rule for one in found.current_blockers] == ["maintainability.unused_definition"]
    assert (found.risk.level, found.outcomes, found.findings) == ("blocked", {"suggested": 1}, {"P1": 1})
    assert found.linked_ids == ("m:f", "m.py")
    assert found.recommended_checks[0] == "graphls findings --least P1"


def test_a_session_that_did_nothing_has_zeros_and_no_blockers(store: BlobStore, tmp_path: pathlib.Path) -> None:
    workspace, snapshot = Workspace.of([str(tmp_path)]), snapshot_of({PATH: "x = 1\n"})
    answered = findings(snapshot, Settings(), KnownFindings(b"", b""))
    found = agent_snapshot(workspace, snapshot, answered, store, session="new")
    assert (found.session.source, found.ledger.events, found.risk.level) == ("explicit", 0, "normal")
    nobody = agent_snapshot(workspace, snapshot, answered, None)
    assert (nobody.session.id, nobody.session.source) == (None, "fallback")
