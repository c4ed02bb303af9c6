"""Answers: laid over own links, kept, compared; without any process.

Owns: the overlay, the encoded forms, the decision what is uncertain, precision.
Must not know: servers.
Invariant: an answer that no longer holds changes nothing.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Mapping
from weakref import ref

import attrs
import pytest

from graphls.compilers import answer_store as ledgers
from graphls.compilers.answer_store import AnswerStore
from graphls.compilers.answers import (
    SILENT,
    AnswerTarget,
    CheckedFile,
    SiteAnswer,
    SiteOutcome,
    basis_of,
    pack_checked,
    unpack_checked,
)
from graphls.compilers.definition_lookup import definition_at
from graphls.compilers.locations import CheckerLocation, from_uri, locations, to_uri
from graphls.compilers.outside import module_of
from graphls.compilers.overlay import Overlay, UnlinkedAnswers, dependency_key_in
from graphls.compilers.precision import UNRESOLVED, contradictions, precision
from graphls.compilers.problems import CheckerProblemRecord, ModuleCheck, pack_check, unpack_check
from graphls.compilers.uncertain import sample_rows, uncertain_rows
from graphls.facts.kinds import EdgeKind
from graphls.facts.links import EXTERNAL, WHOLE_MODULE
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.merkle import snapshot_id
from graphls.graph.snapshot import Snapshot, SymbolRef, rows_of
from graphls.graph.verification import Tier, provenance, with_verification
from graphls.session.memory import snapshot_of

A, B = FilePath("a.py"), FilePath("b.py")
FILES = {
    "a.py": "def use(thing):\n    thing.run()\n    return thing\n",
    "b.py": "class Job:\n    def run(self): ...\n    def stop(self): ...\n",
}


def row_of(snapshot: Snapshot, path: FilePath, name: str) -> int:
    facts = snapshot.facts(path)
    return next(row for row, used in enumerate(facts.occurrences.name) if facts.strings[used] == name)


def symbol_of(snapshot: Snapshot, path: FilePath, name: str) -> int:
    facts = snapshot.facts(path)
    row = next(row for row, used in enumerate(facts.definitions.name) if facts.strings[used] == name)
    return facts.definitions.surface[row]


def overlay_of(
    snapshot: Snapshot, rows: Mapping[int, SiteAnswer], checks: Mapping[FilePath, ModuleCheck] = {}
) -> Overlay:
    ledger = AnswerStore({"python": "test 1"})
    page = ledger.file_answers(snapshot, snapshot.shards[A], snapshot.own_links(A))
    for row, answer in rows.items():
        ledger.add(page, row, answer, snapshot)
    for check in checks.values():
        ledger.add_check(check, keep=True)
    return ledger.overlay()


@pytest.fixture
def snapshot() -> Snapshot:
    return snapshot_of(FILES)


def run_is_b(snapshot: Snapshot) -> dict[int, SiteAnswer]:
    goal = AnswerTarget(B, symbol_of(snapshot, B, "run"))
    return {row_of(snapshot, A, "run"): SiteAnswer(SiteOutcome.FOUND, (goal,))}


def test_answer_becomes_a_link(snapshot: Snapshot) -> None:
    row = row_of(snapshot, A, "run")
    assert snapshot.targets(A, row) == ()
    (target,) = with_verification(snapshot, overlay_of(snapshot, run_is_b(snapshot))).targets(A, row)
    assert target.place == SymbolRef(B, 1)
    assert (target.edge, target.ambiguous, target.confidence) == (EdgeKind.CALLS, False, 1.0)
    assert provenance(target.rule) == "compiler_unchecked"


def test_own_links_and_the_snapshot_id_stay(snapshot: Snapshot) -> None:
    before = snapshot_id(snapshot)
    seen = with_verification(snapshot, overlay_of(snapshot, run_is_b(snapshot)))
    assert snapshot_id(seen) == before
    assert len(seen.own_links(A).targets) == len(seen.links(A).targets) - 1
    assert len(seen.own_links(A).unresolved) == len(seen.links(A).unresolved) + 1


def test_clean_module_is_checked(snapshot: Snapshot) -> None:
    ground = dependency_key_in(snapshot, A, snapshot.own_links(A))
    check = ModuleCheck(A, snapshot.shards[A].content, ground, ())
    overlay = overlay_of(snapshot, run_is_b(snapshot), {A: check})
    links = with_verification(snapshot, overlay).links(A)
    assert Tier.COMPILER_CHECKED in links.rules
    problem = CheckerProblemRecord(A, 0, 1, "odd", "error", "is wrong", "ty")
    worse = overlay_of(snapshot, run_is_b(snapshot), {A: attrs.evolve(check, problems=(problem,))})
    assert Tier.COMPILER_UNCHECKED in with_verification(snapshot, worse).links(A).rules


@pytest.mark.parametrize(
    "changed",
    [
        {"a.py": FILES["a.py"] + "\n"},
        {"b.py": "class Other: ...\n" + FILES["b.py"]},
        {"b.py": ""},
    ],
    ids=["own text", "surface of the target", "target gone"],
)
def test_answer_that_no_longer_holds_changes_nothing(snapshot: Snapshot, changed: Mapping[str, str]) -> None:
    overlay = overlay_of(snapshot, run_is_b(snapshot))
    later = snapshot_of({**FILES, **changed})
    assert with_verification(later, overlay).links(A) is later.own_links(A)


def test_answer_holds_when_a_body_changes(snapshot: Snapshot) -> None:
    overlay = overlay_of(snapshot, run_is_b(snapshot))
    later = snapshot_of({**FILES, "b.py": FILES["b.py"].replace("...", "pass")})
    assert len(with_verification(later, overlay).targets(A, row_of(later, A, "run"))) == 1


def test_silence_keeps_the_site_unresolved(snapshot: Snapshot) -> None:
    row = row_of(snapshot, A, "run")
    links = with_verification(snapshot, overlay_of(snapshot, {row: SILENT})).links(A)
    assert row in links.unresolved.occurrence


def test_contradiction_replaces_the_guess_and_is_counted() -> None:
    text = "class C:\n    def m(self): ...\nclass D(C):\n    def m(self): ...\ndef f():\n    return C()\nf().m()\n"
    snapshot = snapshot_of({"a.py": text})
    facts = snapshot.facts(A)
    row = row_of(snapshot, A, "m")
    said = next(
        number
        for number, start in enumerate(facts.definitions.start)
        if start > text.index("class D") and facts.strings[facts.definitions.name[number]] == "m"
    )
    (own,) = snapshot.targets(A, row)
    assert own.place != SymbolRef(A, said)
    overlay = overlay_of(snapshot, {row: SiteAnswer(SiteOutcome.FOUND, (AnswerTarget(A, said),))})
    (target,) = with_verification(snapshot, overlay).targets(A, row)
    assert target.place == SymbolRef(A, said)
    (counted,) = precision(snapshot, overlay)
    assert (counted.rule, counted.right, counted.wrong, counted.silent) == (own.rule, 0, 1, 0)
    (found,) = contradictions(snapshot, overlay)
    assert (found.own, found.checker) == (("a.py:2 m",), ("a.py:4 m",))


def test_several_nodes_are_ambiguous_and_several_bindings_are_not() -> None:
    text = "if x:\n    v = 1\nelse:\n    v = 2\nprint(v)\ndef f(): ...\ndef g(): ...\n"
    snapshot = snapshot_of({"a.py": text})
    facts = snapshot.facts(A)
    rows = {facts.strings[name]: [] for name in facts.definitions.name}
    for number, name in enumerate(facts.definitions.name):
        rows[facts.strings[name]].append(number)
    use = next(row for row, name in enumerate(facts.occurrences.name) if facts.strings[name] == "v")
    same = overlay_of(snapshot, {use: SiteAnswer(SiteOutcome.FOUND, tuple(AnswerTarget(A, row) for row in rows["v"]))})
    assert [target.ambiguous for target in with_verification(snapshot, same).targets(A, use)] == [False, False]
    both = SiteAnswer(SiteOutcome.FOUND, (AnswerTarget(A, rows["f"][0]), AnswerTarget(A, rows["g"][0])))
    targets = with_verification(snapshot, overlay_of(snapshot, {use: both})).targets(A, use)
    assert [target.ambiguous for target in targets] == [True, True]
    assert all(target.confidence < 1 for target in targets)


def test_functions_in_the_arms_of_a_condition_are_several() -> None:
    snapshot = snapshot_of({"a.py": "if x:\n    def f(): ...\nelse:\n    def f(): ...\nf()\n"})
    facts = snapshot.facts(A)
    rows = [row for row, name in enumerate(facts.definitions.name) if facts.strings[name] == "f"]
    use = row_of(snapshot, A, "f")
    both = SiteAnswer(SiteOutcome.FOUND, tuple(AnswerTarget(A, row) for row in rows))
    targets = with_verification(snapshot, overlay_of(snapshot, {use: both})).targets(A, use)
    assert [target.ambiguous for target in targets] == [True, True]


def test_outside_and_module_goals(snapshot: Snapshot) -> None:
    row = row_of(snapshot, A, "run")
    outside = SiteAnswer(SiteOutcome.FOUND, (AnswerTarget("", EXTERNAL, "lib.Job.run"),))
    (target,) = with_verification(snapshot, overlay_of(snapshot, {row: outside})).targets(A, row)
    assert (target.place, target.external) == (None, "lib.Job.run")
    module = SiteAnswer(SiteOutcome.FOUND, (AnswerTarget(B, WHOLE_MODULE),))
    (target,) = with_verification(snapshot, overlay_of(snapshot, {row: module})).targets(A, row)
    assert target.place == SymbolRef(B, -1)


def test_unresolved_sites_have_a_row_of_their_own(snapshot: Snapshot) -> None:
    (counted,) = precision(snapshot, overlay_of(snapshot, run_is_b(snapshot)))
    assert (counted.rule, counted.wrong) == (UNRESOLVED, 1)


def test_digest_depends_on_answers_alone(snapshot: Snapshot) -> None:
    again = snapshot_of(FILES)
    assert overlay_of(snapshot, run_is_b(snapshot)).digest == overlay_of(again, run_is_b(again)).digest
    silent = overlay_of(snapshot, {row_of(snapshot, A, "run"): SILENT})
    assert silent.digest != overlay_of(snapshot, run_is_b(snapshot)).digest


# ---- kept between runs


class Shelf:
    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.values.get(key)

    def put(self, values: Mapping[str, bytes]) -> None:
        self.values.update(values)


def kept(snapshot: Snapshot) -> Shelf:
    shelf = Shelf()
    ledger = AnswerStore({"python": "test 1"}, shelf)
    page = ledger.file_answers(snapshot, snapshot.shards[A], snapshot.own_links(A))
    for row, answer in run_is_b(snapshot).items():
        ledger.add(page, row, answer, snapshot)
    ledger.flush()
    return shelf


def test_second_run_knows_the_answers(snapshot: Snapshot) -> None:
    ledger = AnswerStore({"python": "test 1"}, kept(snapshot))
    page = ledger.file_answers(snapshot, snapshot.shards[A], snapshot.own_links(A))
    assert dict(page.rows) == run_is_b(snapshot)


def test_another_checker_does_not_take_them(snapshot: Snapshot) -> None:
    ledger = AnswerStore({"python": "test 2"}, kept(snapshot))
    assert ledger.file_answers(snapshot, snapshot.shards[A], snapshot.own_links(A)).rows == {}


def test_changed_surroundings_are_a_miss(snapshot: Snapshot) -> None:
    later = snapshot_of({**FILES, "b.py": "class Other: ...\n" + FILES["b.py"]})
    ledger = AnswerStore({"python": "test 1"}, kept(snapshot))
    assert ledger.file_answers(later, later.shards[A], later.own_links(A)).rows == {}


def test_nobody_waits_while_answers_are_packed(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[bool] = []

    def looking(checked: CheckedFile) -> bytes:
        other = threading.Thread(target=ledger.overlay, daemon=True)
        other.start()
        other.join(60)
        looked.append(not other.is_alive())
        return pack_checked(checked)

    shelf = Shelf()
    ledger = AnswerStore({"python": "test 1"}, shelf)
    page = ledger.file_answers(snapshot, snapshot.shards[A], snapshot.own_links(A))
    for row, answer in run_is_b(snapshot).items():
        ledger.add(page, row, answer, snapshot)
    monkeypatch.setattr(ledgers, "pack_checked", looking)
    ledger.flush()
    assert looked == [True]
    assert shelf.values


@pytest.mark.parametrize("cut", [0, 1, 10, -1])
def test_damaged_entry_is_a_miss(snapshot: Snapshot, cut: int) -> None:
    shelf = kept(snapshot)
    shelf.values = {key: value[:cut] for key, value in shelf.values.items()}
    ledger = AnswerStore({"python": "test 1"}, shelf)
    assert ledger.file_answers(snapshot, snapshot.shards[A], snapshot.own_links(A)).rows == {}


def test_encoded_forms() -> None:
    rows = {
        3: SILENT,
        5: SiteAnswer(SiteOutcome.FOUND, (AnswerTarget(A, 2), AnswerTarget(B, 7), AnswerTarget(B, WHOLE_MODULE))),
        6: SiteAnswer(SiteOutcome.FOUND, (AnswerTarget("", EXTERNAL, "os.path.join"),)),
    }
    checked = CheckedFile(A, ContentHash("0" * 32), basis_of("x", {B: "y"}), (B,), rows)
    back = unpack_checked(pack_checked(checked))
    assert back is not None
    assert (back.path, back.content, back.basis, back.files, dict(back.rows)) == (
        (A, checked.content, checked.basis, (B,), rows)
    )
    problems = (CheckerProblemRecord(A, 1, 2, "code", "warning", "text", "ty"),)
    check = ModuleCheck(A, ContentHash("1"), "ground", problems)
    assert unpack_check(pack_check(check)) == check
    assert unpack_checked(b"junk") is None
    assert unpack_check(b"junk") is None


# ---- which sites


def test_uncertain_are_guesses_and_unresolved_sites() -> None:
    text = "import os\nclass C:\n    def m(self): ...\nc = C()\nc.m()\ndef f(x):\n    x.m()\n    os.getcwd()\n"
    snapshot = snapshot_of({"a.py": text})
    facts, links = snapshot.facts(A), snapshot.own_links(A)
    starts = [facts.occurrences.start[row] for row in uncertain_rows(facts, links)]
    assert text.index("x.m()") + 2 in starts
    assert text.index("getcwd") not in starts
    assert text.index("C()") not in starts


def test_sample_is_small_and_the_same_every_time() -> None:
    snapshot = snapshot_of({"a.py": "x = 1\n" + "x\n" * 1000})
    rows = sample_rows(snapshot.facts(A))
    assert 5 < len(rows) < 30
    assert rows == sample_rows(snapshot.facts(A))


# ---- locations


@pytest.mark.parametrize("path", ["/a b/ü#?.py", "/plain/x.py", "/100%/x.py"])
def test_uris(path: str) -> None:
    assert from_uri(to_uri(path)) == path


def test_shapes_of_locations() -> None:
    stretch = {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 5}}
    plain = {"uri": "file:///a.py", "range": stretch}
    link = {"targetUri": "file:///a.py", "targetRange": {}, "targetSelectionRange": stretch}
    expected = CheckerLocation("/a.py", (1, 2), (1, 5))
    assert locations(None) == ()
    assert locations(plain) == (expected,)
    assert locations([plain, link, None, 3]) == (expected, expected)
    assert locations([{"uri": "untitled:x"}]) == (CheckerLocation("untitled:x", (0, 0), (0, 0)),)


def test_definition_in_a_stretch() -> None:
    text = "class C:\n    def __init__(self):\n        self.value = 1\n"
    facts = snapshot_of({"a.py": text}).facts(A)
    start = text.index("self.value")
    row = definition_at(facts, start, start + len("self.value"), "value")
    assert facts.strings[facts.definitions.name[row]] == "value"
    inside = definition_at(facts, text.index("C:"), text.index("C:"), "C")
    assert facts.strings[facts.definitions.name[inside]] == "C"
    assert definition_at(facts, len(text), len(text), "C") == -1


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("/e/lib/python3.11/site-packages/werkzeug/wrappers/__init__.py", "werkzeug.wrappers"),
        ("/e/lib/python3.11/os.py", "os"),
        ("/cache/vendored/typeshed/abc/stdlib/builtins.pyi", "builtins"),
        ("/cache/stubs/requests/requests/api.pyi", "requests.api"),
        ("/e/site-packages/yaml-stubs/nodes.pyi", "yaml.nodes"),
        ("/somewhere/else/x.py", "x.py"),
    ],
)
def test_names_of_library_modules(path: str, module: str) -> None:
    assert module_of(path) == module


def test_answers_of_earlier_states_do_not_pile_up() -> None:
    snapshot = snapshot_of(FILES)
    ledger, given = AnswerStore({"python": "test 1"}), weakref.WeakSet[SiteAnswer]()
    row, symbol = row_of(snapshot, A, "run"), symbol_of(snapshot, B, "run")
    page = ledger.file_answers(snapshot, snapshot.shards[A], snapshot.own_links(A))

    def add(number: int) -> None:
        answer = SiteAnswer(SiteOutcome.FOUND, (AnswerTarget(B, symbol, start=number, end=number + 3),))
        given.add(answer)
        ledger.add(page, row, answer, snapshot)

    for number in range(100):
        add(number)
    gc.collect()
    assert len(given) == 1


def test_an_answer_that_leads_to_a_file_that_is_gone_is_none() -> None:
    snapshot = snapshot_of({"a.py": FILES["a.py"]})
    row = row_of(snapshot, A, "run")
    answer = SiteAnswer(SiteOutcome.FOUND, (AnswerTarget("gone.py", 0), AnswerTarget("gone.py", 1)))
    overlay = overlay_of(snapshot, {row: answer})
    shown = with_verification(snapshot, overlay)
    assert list(shown.links(A).targets.file) == list(snapshot.own_links(A).targets.file)
    assert shown.links_at(A, [row], frame=True)


def test_an_answer_of_an_earlier_state_does_not_speak_where_a_later_one_is_silent(snapshot: Snapshot) -> None:
    job = symbol_of(snapshot, B, "Job")
    row = row_of(snapshot, A, "run")
    answer = SiteAnswer(SiteOutcome.FOUND, (AnswerTarget(B, symbol_of(snapshot, B, "run")), AnswerTarget(B, job)))
    earlier = overlay_of(snapshot, {row: answer})
    without = snapshot_of({"a.py": FILES["a.py"]})
    moment = UnlinkedAnswers(ref(without.reader), {A: {row: SILENT}})
    shown = with_verification(without, Overlay({"python": "test 1"}, earlier.files, unlinked=moment))
    assert not rows_of(shown.links_at(A, [row], frame=True).targets, row)
