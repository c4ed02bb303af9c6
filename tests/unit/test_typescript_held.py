"""Functions that something holds: calls of variables, members and parameters that run functions of other names.

Owns: samples of such calls with what they must run, and those that must run nothing.
Must not know: formats, editors.
Invariant: what one place is asked for agrees with what the whole file says; uses of names stay what they were.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from, edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.call_hierarchy import callees, callers
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.queries.trace import TraceQuery, trace
from graphls.session.memory import snapshot_of

FILES = {
    "utils.js": """function now() {}
function later() {}
class A { go() {} }
module.exports = { now, later, A, soon: later }
""",
    "use.tsx": """import * as utils from './utils'
const held = utils.now
const { later } = utils
const { now: renamed } = utils
const table = { k: utils.now, soon: utils.soon }
const Kind = utils.A
const either = Math.random() ? utils.now : utils.later
export const given = utils.now
export class K {
  f = utils.now
  constructor(private g = utils.later) {}
  field() { this.f() }
  parameter() { this.g() }
}
function variable() { held() }
function destructured() { later() }
function key() { renamed() }
function inside() { const inner = utils.now; return () => inner() }
function byDefault(run = utils.now) { run() }
function literal() { table.k(); table.soon() }
function made() { return new Kind() }
function chosen() { either() }
function changed() { let run = utils.now; run = utils.later; run() }
function bound() { const step = new utils.A().go; step() }
function shown() { const Shown = utils.now; return <Shown/> }
function handed(run) { run() }
function unknown() { handed(utils.now) }
function read() { return held }
""",
    "far.ts": """import { K, given } from './use'
import { given as other } from './use'
export { given as again } from './use'
function first() { given() }
function second() { other() }
function third() { new K().f() }
""",
    "old.js": """const utils = require('./utils')
class Old {
  constructor() { this.h = utils.now }
  assigned() { this.h() }
}
exports.shared = utils.now
module.exports.Old = Old
""",
    "older.js": """const { shared, Old } = require('./old')
function fourth() { shared() }
function fifth() { new Old().h() }
""",
    "tied.js": """const utils = require('./utils')
const tied = utils.now.bind(null, 1)
const all = { now: utils.now.bind(null), go: new utils.A().go.bind(1) }
function sixth() { tied() }
function seventh() { all.now(); all.go() }
module.exports = { tied }
""",
    "untied.js": """const { tied } = require('./tied')
function eighth() { tied() }
""",
}
SAMPLES = {
    "utils.js:now": {
        "K.field", "Old.assigned", "variable", "key", "inside", "byDefault", "literal", "chosen", "changed",
        "shown renders", "first", "second", "third", "fourth", "fifth", "handed",
        "sixth", "seventh", "eighth",
    },
    "utils.js:later": {"K.parameter", "destructured", "literal", "chosen", "changed"},
    "utils.js:A": {"made instantiates"},
    "utils.js:A.go": {"bound", "seventh"},
}  # fmt: skip


@pytest.fixture(scope="module")
def workspace() -> Snapshot:
    return snapshot_of(FILES)


def at(snapshot: Snapshot, name: str) -> SymbolRef:
    found = one_symbol(snapshot, name)
    assert isinstance(found, SymbolRef), found
    return found


def _short(snapshot: Snapshot, place: object) -> str:
    assert isinstance(place, SymbolRef)
    return symbol_name(snapshot, place).partition(":")[2]


@pytest.mark.parametrize("symbol", SAMPLES)
def test_a_call_of_what_holds_a_function_runs_it(workspace: Snapshot, symbol: str) -> None:
    edges = [edge for edge in edges_to(workspace, at(workspace, symbol)) if edge.attributes.get("implicit")]
    assert {edge.attributes["implicit"] for edge in edges} == {"call"}
    found = {_short(workspace, edge.source) + (f" {edge.kind}" if edge.kind != "calls" else "") for edge in edges}
    assert found == SAMPLES[symbol]
    whole = [edge for path in sorted(FILES) for edge in edges_from(workspace, FilePath(path))]
    assert [edge for edge in whole if edge.target == at(workspace, symbol) and edge.attributes.get("implicit")] == edges


def test_every_question_about_calls_has_them(workspace: Snapshot) -> None:
    now = at(workspace, "utils.js:now")
    answer = callers(workspace, now)
    assert SAMPLES["utils.js:now"] - {"shown renders"} <= {_short(workspace, one.place) for one in answer.calls}
    assert "passed_value" in {str(gap.cause) for gap in answer.completeness.gaps}, "who is handed it may call it"
    assert "now" in {_short(workspace, one.place) for one in callees(workspace, at(workspace, "use.tsx:variable"))}
    near = impact(workspace, ImpactQuery(target=now, depth=1)).affected
    assert {"variable", "first"} <= {_short(workspace, one.node) for one in near}
    way = trace(workspace, TraceQuery(at(workspace, "far.ts:first"), now, depth=1))
    assert way.paths


def test_names_mean_what_they_meant(workspace: Snapshot) -> None:
    """TypeScript lists uses of a variable for the variable alone."""
    text = FILES["use.tsx"]
    call = text.index("held()")
    uses = {(use.file, use.start) for use in references(workspace, at(workspace, "utils.js:now")).uses}
    assert ("use.tsx", call) not in uses
    assert ("use.tsx", call) in {
        (use.file, use.start) for use in references(workspace, at(workspace, "use.tsx:held")).uses
    }
