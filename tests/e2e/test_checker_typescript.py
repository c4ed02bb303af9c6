"""TypeScript 7: its native server, asked for real.

Owns: what verification makes of small workspaces of TypeScript, and of one that has Python as well.
Must not know: how the server is run.
Invariant: with the checker every labelled use leads where its label says; two complete runs say the same.

Needs the `tsc` of TypeScript 7: named by GRAPHLS_TEST_TYPESCRIPT, or on the PATH. `none` there leaves these tests out.
GRAPHLS_TEST_TYPESCRIPT_SERVER names a typescript-language-server with TypeScript 5; else its tests are left out.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixture_text import Fixture, fixture
from graphls.compilers.background import Background, CheckerProgress
from graphls.compilers.checkers import Checker, NoChecker, find_checkers, find_typescript_checker
from graphls.compilers.listed_uses import UsesQuery
from graphls.compilers.status import CheckerState
from graphls.compilers.verifier import Verifier
from graphls.facts.paths import FilePath
from graphls.graph.export import ExportOptions, export
from graphls.graph.snapshot import Snapshot
from graphls.queries.definition import definition
from graphls.session.memory import snapshot_of
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.workspace import Workspace
from probe_labels import led

FOLDER = Path(__file__).parents[2] / "fixtures" / "typescript" / "checker"
CASES = sorted(path.stem for path in FOLDER.glob("*.txt"))
NAMED = os.environ.get("GRAPHLS_TEST_TYPESCRIPT", "")
SERVER = os.environ.get("GRAPHLS_TEST_TYPESCRIPT_SERVER", "")
LONG = 300_000
MIXED = """
    --- path: shop.py ---
    class Order:
        def pay(self): ...
    def each(orders: list[Order]):
        return sorted(orders, key=lambda order: order.pay())
    --- path: web/shop.ts ---
    export interface Order { pay(): void }
    export const each = (orders: Order[]) => orders.forEach((order) => order.pay())
    export const wrong: number = "text"
"""
MISSING = """
    --- path: package.json ---
    { "name": "app", "dependencies": { "left-pad": "1" } }
    --- path: a.js ---
    const pad = require("left-pad")
    module.exports = pad("x", 3)
    --- path: b.ts ---
    import { helper } from "not-there"
    export const made = helper()
"""


RELATED = """
    --- path: base.ts ---
    export interface Check { def: { kind: string } }
    --- path: number.ts ---
    import type { Check } from "./base"
    export interface NumberCheck extends Check { def: { kind: "number" } }
    --- path: text.ts ---
    import type { Check } from "./base"
    export interface TextCheck extends Check { def: { kind: "text" } }
    export const kind = (check: TextCheck) => check.def.kind
"""
PROJECTS = """
    --- path: core/tsconfig.json ---
    { "compilerOptions": { "composite": true } }
    --- path: core/check.ts ---
    export interface Check { def: { kind: string } }
    --- path: app/tsconfig.json ---
    { "compilerOptions": { "composite": true }, "references": [{ "path": "../core" }] }
    --- path: app/use.ts ---
    import type { Check } from "../core/check"
    export const kind = (check: Check) => check.def.kind
"""
LISTENING = """
    --- path: server.js ---
    exports.listen = function (options = { backlog: 0, host: "" }) { return options.backlog }
    --- path: use.js ---
    const { listen } = require("./server")
    listen({ backlog: 80 })
"""


HANDED = """
    --- path: tsconfig.json ---
    { "compilerOptions": { "allowJs": true, "noEmit": true, "strict": false } }
    --- path: lib.d.ts ---
    export interface Assert { ok(value: unknown, message?: unknown): void }
    export interface Context { plan(count: number): void; assert: Assert }
    export type Run = (t: Context, done: (result?: any) => void) => void | Promise<void>
    export function test(name?: string, run?: Run): Promise<void>
    export function test(name?: string, options?: object, run?: Run): Promise<void>
    export function test(options?: object, run?: Run): Promise<void>
    export function test(run?: Run): Promise<void>
    --- path: a.js ---
    const { test } = require("./lib")
    test("one", t => {
      t.plan(2)
      class Custom { }
      const cases = [{
        schema: { body: new Custom() },
        assertions: (schema) => { t.assert.ok(schema.body, Custom) }
      }, {
        schema: { response: { 200: new Custom() } },
        assertions: (schema) => { t.assert.ok(schema.response[200], Custom) }
      }]
      cases.forEach(one => one.assertions(one.schema))
    })
"""


WHOLE = """
    --- path: package.json ---
    { "name": "app", "type": "module" }
    --- path: tsconfig.json ---
    { "compilerOptions": { "module": "nodenext", "allowJs": true, "noEmit": true } }
    --- path: tools.cjs ---
    "use strict"
    const path = require("node:path")
    const tools = { join: path.join }
    exports.join = (...parts) => tools.join(...parts)
    module.exports.version = 1
    --- path: use.js ---
    import tools from "./tools.cjs"
    export const joined = tools.join("a", "b")
"""


class Place:
    """A workspace on disk, and verifiers for it."""

    settings = CheckerSettings(typescript_path=NAMED)

    def __init__(self, root: Path, parsed: Fixture) -> None:
        self.root = root
        parsed.write(root)
        self.snapshot = snapshot_of(parsed.files)
        self.made: list[Verifier] = []

    def verifier(self) -> Verifier:
        found = find_checkers(self.settings, None, (str(self.root),))
        self.made.append(Verifier(Workspace.of([str(self.root)]), found))
        return self.made[-1]

    def complete(self) -> tuple[Verifier, Snapshot, CheckerProgress]:
        verifier, seen = self.verifier(), list[CheckerProgress]()
        background = Background(verifier, seen.append)
        background.work_on(self.snapshot)
        assert background.wait(300)
        background.stop()
        return verifier, verifier.verified(self.snapshot), seen[-1]


@pytest.fixture
def placed(tmp_path: Path) -> Iterator[Callable[[str], Place]]:
    if NAMED == "none":
        pytest.skip("npm is missing, so there is no TypeScript 7 to ask")
    found = find_typescript_checker(CheckerSettings(typescript_path=NAMED))
    if isinstance(found, NoChecker):
        pytest.fail(f"{found.problem}; or name it in GRAPHLS_TEST_TYPESCRIPT (none: leave these tests out)")
    made: list[Place] = []

    def start(text: str) -> Place:
        made.append(Place(tmp_path, fixture(text)))
        return made[-1]

    yield start
    for place in made:
        for verifier in place.made:
            verifier.close()


def case_text(case: str) -> str:
    return (FOLDER / f"{case}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_every_use_is_led_right(placed: Callable[[str], Place], case: str) -> None:
    place = placed(case_text(case))
    verifier = place.verifier()
    left = [verifier.verify_file(place.snapshot, path, LONG).left_out for path in place.snapshot.files()]
    uses = led(verifier.verified(place.snapshot), fixture(case_text(case)))
    assert not {name: found for name, found in uses.items() if not all(right for _, right in found)}
    assert sum(left) == 0


def test_two_complete_exports_are_equal(placed: Callable[[str], Place]) -> None:
    place = placed(case_text("members"))
    options = ExportOptions(mode="allow-errors", verify="complete", sites=True)
    first, second = (b"".join(export(place.complete()[1], options).lines()) for _ in range(2))
    assert first == second
    assert b"compiler_checked" in first


def test_questions_out_of_turn_leave_no_trace(placed: Callable[[str], Place]) -> None:
    """Asked about `t.assert` first, TypeScript 7.0 does not know `t`, and does not come to know it either."""
    place, path = placed(HANDED), FilePath("a.js")
    raw = place.snapshot.text(path) or b""
    wanted = [raw.index(b"plan"), *(match.start() for match in re.finditer(rb"assert\b|ok\b", raw))]
    uses = place.snapshot.facts(path).occurrences
    rows = [uses.start.index(start) for start in wanted]
    verifier = place.verifier()
    for row in sorted(rows, reverse=True):
        assert verifier.verify(place.snapshot, ((path, row),), LONG).left_out == 0
    background = Background(verifier)
    background.work_on(place.snapshot)
    assert background.wait(300)
    background.stop()
    disturbed, (other, undisturbed, _) = verifier.verified(place.snapshot), place.complete()
    for row in rows:
        names = [target.place.file for target in disturbed.targets(path, row) if target.place is not None]
        assert names == ["lib.d.ts"], raw[uses.start[row] : uses.end[row]]
    options = ExportOptions(mode="allow-errors", verify="complete", sites=True)
    assert b"".join(export(disturbed, options).lines()) == b"".join(export(undisturbed, options).lines())
    assert other.overlay().files[path].sequential


def test_python_and_typescript_each_have_their_checker(placed: Callable[[str], Place]) -> None:
    place = placed(MIXED)
    verifier, seen, progress = place.complete()
    assert (progress.phase, progress.without_answer) == ("done", 0)
    assert {status.name: status.state for status in verifier.status()} == {
        "ty": CheckerState.READY,
        "typescript": CheckerState.READY,
    }
    for path in map(FilePath, ("shop.py", "web/shop.ts")):
        offset = place.snapshot.text(path).rindex(b"pay")  # type: ignore[union-attr]
        answer = definition(seen, path, offset)
        assert [one.file for one in answer.places] == [path]  # type: ignore[union-attr]
    (problem,) = verifier.problems(seen, FilePath("web/shop.ts")) or ()
    assert (problem.code, problem.severity, problem.source) == ("2322", "error", "ts")


def test_a_package_that_is_not_installed_stays_outside(placed: Callable[[str], Place]) -> None:
    place = placed(MISSING)
    _, seen, _ = place.complete()
    pad = FilePath("a.js")
    answer = definition(seen, pad, place.snapshot.text(pad).rindex(b"pad("))  # type: ignore[union-attr]
    assert answer is not None
    assert answer.externals == ("left-pad",)
    assert [(one.file, one.start) for one in answer.places] == [(pad, 6)]


def test_what_is_installed_is_not_taken_for_missing(placed: Callable[[str], Place]) -> None:
    place = placed(MISSING)
    home = place.root / "node_modules" / "not-there"
    home.mkdir(parents=True)
    (home / "package.json").write_text('{ "name": "not-there", "version": "1.0.0", "types": "index.d.ts" }')
    (home / "index.d.ts").write_text("export declare function helper(): number\n")
    path = FilePath("b.ts")
    offset = place.snapshot.text(path).rindex(b"helper")  # type: ignore[union-attr]
    alone, (_, seen, _) = definition(place.snapshot, path, offset), place.complete()
    assert alone is not None
    assert [one.file for one in alone.places] == [path]
    found = definition(seen, path, offset)
    assert found is not None
    assert (found.places, len(found.externals)) == ((), 1)


def test_a_module_as_a_whole_is_no_binding_inside_of_it(placed: Callable[[str], Place]) -> None:
    """TypeScript says all of a file where it means the module, and `tools` is bound in there as well."""
    place, path = placed(WHOLE), FilePath("use.js")
    _, seen, _ = place.complete()
    raw = place.snapshot.text(path) or b""
    for offset in (raw.index(b"tools"), raw.rindex(b"tools")):
        answer = definition(seen, path, offset)
        assert answer is not None
        assert [(one.file, one.start, one.end) for one in answer.places] == [("tools.cjs", 0, 0)]
    answer = definition(seen, path, raw.rindex(b"join("))
    assert answer is not None
    assert [one.file for one in answer.places] == ["tools.cjs"]
    lines = [json.loads(line) for line in export(seen, ExportOptions(mode="allow-errors", verify="complete")).lines()]
    assert not [line for line in lines if line["record"] == "edge" and line["source"] == line["target"]]


def test_changed_configuration_is_asked_about_anew(placed: Callable[[str], Place]) -> None:
    use = "export const text: string = null\n"

    def texts(strict: bool) -> dict[str, str]:
        return {"tsconfig.json": json.dumps({"compilerOptions": {"strict": strict}}), "use.ts": use}

    place = placed("export {}\n")
    verifier = place.verifier()
    background = Background(verifier)
    found: list[int] = []
    for revision, strict in enumerate((False, True, False), 2):
        for name, text in texts(strict).items():
            (place.root / name).write_text(text)
        snapshot = snapshot_of(texts(strict), revision=revision)
        background.work_on(snapshot)
        assert background.wait(300)
        found.append(len(verifier.problems(snapshot, FilePath("use.ts")) or ()))
    background.stop()
    assert found == [0, 1, 0]


def test_nobody_fetches_types_from_the_net(placed: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch) -> None:
    cache = placed(MISSING).root / "cache"
    cache.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("HOME", str(cache))
    place = placed(MISSING)
    place.complete()
    assert list(cache.iterdir()) == []


def test_checker_is_ready_before_it_is_asked(placed: Callable[[str], Place]) -> None:
    place = placed(case_text("shapes"))
    verifier = place.verifier()
    verifier.observe(place.snapshot)
    assert verifier.wait_ready(300)
    (status,) = verifier.status()
    assert (status.name, status.state, status.version.split(".")[0]) == ("typescript", CheckerState.READY, "7")
    assert isinstance(verifier.checkers[1], Checker)


def listed(place: Place, path: str, name: bytes) -> list[tuple[str, bytes]]:
    """What the checker lists as uses of the first thing of that name, each with the line that it is on."""
    verifier = place.verifier()
    verifier.observe(place.snapshot)
    assert verifier.wait_ready(300)
    text = place.snapshot.text(FilePath(path))
    assert text is not None
    asked = verifier.uses(place.snapshot, UsesQuery(FilePath(path), text.index(name), False), LONG)
    assert asked is not None
    spans = [(file, place.snapshot.text(file) or b"", start, end) for file, start, end in asked.wait(lambda: None)]
    assert {raw[start:end] for _, raw, start, end in spans} == {name}
    return sorted((file, raw[raw.rfind(b"\n", 0, start) + 1 :].split(b"\n")[0]) for file, raw, start, _ in spans)


def test_members_that_narrow_one_are_uses_of_it(placed: Callable[[str], Place]) -> None:
    found = listed(placed(RELATED), "number.ts", b"def")
    assert ("text.ts", b"export const kind = (check: TextCheck) => check.def.kind") in found


def test_uses_in_projects_that_nobody_opened_are_found(placed: Callable[[str], Place]) -> None:
    found = listed(placed(PROJECTS), "core/check.ts", b"def")
    assert found == [("app/use.ts", b"export const kind = (check: Check) => check.def.kind")]


def test_keys_of_what_is_passed_are_uses_of_a_default(placed: Callable[[str], Place]) -> None:
    assert ("use.js", b"listen({ backlog: 80 })") in listed(placed(LISTENING), "server.js", b"backlog")


@pytest.fixture
def driven(placed: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Place]:
    """Workspaces whose checker is the language server that drives TypeScript 5."""
    if not SERVER:
        pytest.skip("GRAPHLS_TEST_TYPESCRIPT_SERVER names no typescript-language-server")
    chosen = CheckerSettings(typescript="typescript-language-server", typescript_path=SERVER)
    monkeypatch.setattr(Place, "settings", chosen)
    return placed


@pytest.mark.parametrize("case", CASES)
def test_the_language_server_leads_as_well(driven: Callable[[str], Place], case: str) -> None:
    place = driven(case_text(case))
    verifier, seen, progress = place.complete()
    uses = led(seen, fixture(case_text(case)))
    assert not {name: found for name, found in uses.items() if not all(right for _, right in found)}
    assert (progress.phase, progress.without_answer) == ("done", 0)
    assert [status.name for status in verifier.status()] == ["typescript-language-server"]


def test_the_language_server_says_the_same_twice(driven: Callable[[str], Place]) -> None:
    place = driven(case_text("members"))
    options = ExportOptions(mode="allow-errors", verify="complete", sites=True)
    first, second = (b"".join(export(place.complete()[1], options).lines()) for _ in range(2))
    assert first == second
    assert b"compiler_unchecked" in first


def test_the_language_server_relates_members(driven: Callable[[str], Place]) -> None:
    found = listed(driven(RELATED), "number.ts", b"def")
    assert ("text.ts", b"export const kind = (check: TextCheck) => check.def.kind") in found
