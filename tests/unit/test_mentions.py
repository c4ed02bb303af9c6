"""Mentions: uses are found under whatever name they have, whether or not their files are linked.

Owns: the comparison of answers from files that are linked with answers from files that are not.
Must not know: faces.
Invariant: the same contents give the same edges, references and causes in both states.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.fixture_text import fixture

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_to
from graphls.graph.nodes import is_node
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.completeness import CoverageClaim, completeness
from graphls.queries.references import references
from graphls.session.memory import snapshot_of
from graphls.session.session import Session, SessionOptions
from graphls.sources.workspace import Workspace

PATIENCE = 60
MANY = "\n".join(
    f"--- path: src/many/u{n}.ts ---\nimport {{ prisma }} from '../prisma'\nimport own{n} from '../prisma'\n"
    f"export const f{n} = () => [prisma(), own{n}()]"
    for n in range(22)
)
"""So many files that not all of them are linked for one question."""
CASES = {
    "exports under other names": f"""
--- path: src/prisma.ts ---
function withReplicas() {{ return 1 }}
function inner() {{ return 2 }}
class Model {{ run() {{}} }}
export {{ withReplicas as prisma }}
export default inner
export {{ Model as Db }}
--- path: src/index.ts ---
export {{ prisma as client, default as dflt, Db }} from "./prisma"
export * as everything from "./prisma"
--- path: src/again.ts ---
import X from './prisma'
export default X
--- path: src/default.ts ---
export {{ default }} from './again'
--- path: src/v.ts ---
import {{ client, dflt, everything, Db }} from '.'
import Again from './again'
import Chosen from './default'
import * as all from './prisma'
export function g() {{ client(); dflt(); everything.prisma(); everything.default(); Again(); Chosen(); all.default() }}
export class Sub extends Db {{}}
--- path: src/w.js ---
const {{ prisma: p2, default: d2 }} = require('./prisma'); p2(); d2()
import('./prisma').then(m => m.prisma() + m.default())
{MANY}""",
    "modules of CommonJS": f"""
--- path: lib/one.js ---
function hidden() {{}}
module.exports = {{ shown: hidden }}
--- path: lib/whole.js ---
module.exports = function make() {{}}
--- path: lib/named.js ---
function built() {{}}
module.exports = built
--- path: lib/both.js ---
class Both {{}}
exports = module.exports = Both
--- path: lib/member.js ---
function inside() {{}}
exports.outside = inside
module.exports.further = inside
--- path: lib/use.js ---
const {{ shown }} = require('./one'); shown()
const anything = require('./whole'); anything()
const make = require('./named'); make()
const Two = require('./both'); new Two()
const {{ outside, further: more }} = require('./member'); outside(); more()
--- path: src/prisma.ts ---
export function prisma() {{}}
{MANY}""",
    "a package and its index": f"""
--- path: packages/ui/package.json ---
{{"name": "@acme/ui", "main": "src/index.ts"}}
--- path: packages/ui/src/index.ts ---
export {{ default as Button }} from './button'
export default function theme() {{}}
--- path: packages/ui/src/button.tsx ---
export default function Knob() {{ return null }}
--- path: apps/web/page.tsx ---
import theme, {{ Button }} from '@acme/ui'
export default () => [theme(), <Button/>]
--- path: src/prisma.ts ---
export function prisma() {{}}
{MANY}""",
    "names with a dollar": f"""
--- path: src/prisma.ts ---
export const user$ = 1
export function prisma() {{}}
--- path: src/x.ts ---
import {{ user$ }} from './prisma'
export const y = user$
{MANY}""",
    "functions that something holds": f"""
--- path: held/utils.js ---
function now() {{}}
function later() {{}}
module.exports = {{ now, later, soon: later }}
--- path: held/use.js ---
const utils = require('./utils')
const held = utils.now
const {{ later }} = utils
module.exports.x = utils.now
class K {{ constructor(run = utils.later) {{ this.f = utils.now; run(); held(); later(); this.f() }} }}
module.exports.K = K
--- path: held/esm.ts ---
import * as utils from './utils'
export const f = utils.now
export {{ now as renamed }} from './utils'
export default utils.later
--- path: held/far.tsx ---
import {{ x, K }} from './use'
import chosen, {{ f, f as other, renamed }} from './esm'
const last = f
export function all() {{ x(); new K().f(); f(); other(); chosen(); last() }}
export function again() {{ renamed() }}
export function shown() {{ const Shown = renamed; return <Shown/> }}
--- path: src/prisma.ts ---
export function prisma() {{}}
{MANY}""",
    "Python": "\n".join([
        "--- path: pk/__init__.py ---",
        "--- path: pk/a.py ---\ndef real(): ...\nalias = real",
        "class K:\n    def __init__(self): ...\n    def m(self): ...",
        "--- path: pk/b.py ---\nfrom pk.a import real as other, K as Kind\n__all__ = ['other']",
        "--- path: pk/c.py ---\nfrom pk.b import other, Kind\nfrom . import a as mod\nother()\nmod.real()\nKind().m()",
        "--- path: pk/d.py ---\nimport pk.b as b\nb.other()\ndef f(k):\n    k.Kind()",
        "--- path: pk/e.py ---\nfrom pk import a\nRUN = a.real",
        "class H:\n    step = a.real\n    def m(self): self.step()",
        "def go(): RUN()\nrun = a.alias\ndef far(): run()",
        *(f"--- path: pk/u{n}.py ---\nfrom pk.b import other\ndef f{n}(): other()" for n in range(22)),
    ]),
    "members of any name": "\n".join([
        "--- path: pk/__init__.py ---\ndef __getattr__(name): ...",
        "--- path: pk/open.py ---\nclass Open:\n    def __getattr__(self, name): ...",
        "    def __setattr__(self, name, value): ...\ndef make():\n    return Open()",
        "--- path: pk/use.py ---\nfrom pk.open import make\nimport pk\ndef f():\n    make().made = pk.version",
        "--- path: pk/far.py ---\nfrom pk.open import make as other\ndef g():\n    return other().first",
        "--- path: pk/calls.py ---\nclass Maker:\n    def __call__(self): ...\nMAKE = Maker()",
        "--- path: pk/held.py ---\nfrom pk.calls import MAKE as own\ndef h(): own()",
        "--- path: pk/deco.py ---\ndef before(f): return f\ndef after(f): return f",
        "--- path: pk/test_deco.py ---\nimport pytest\nfrom pk.deco import before, after",
        "@pytest.mark.parametrize('put', [before, after])\ndef test_put(put):\n    class In:\n        @put",
        "        def m(self): ...\n    return In",
        *(f"--- path: pk/u{n}.py ---\nfrom pk.use import f\ndef f{n}(): f()" for n in range(22)),
    ]),
}  # fmt: skip


def uses(snapshot: Snapshot, place: SymbolRef) -> tuple[object, ...]:
    edges = {(edge.kind, str(edge.source), str(edge.target), edge.sites) for edge in edges_to(snapshot, place)}
    found = references(snapshot, place)
    sites = {(use.file, use.start, use.edge) for use in found.uses}
    return edges, sites, completeness(snapshot, CoverageClaim(uses_of=(place,))).gaps


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_files_that_are_not_linked_give_what_linked_ones_give(text: str, tmp_path: Path) -> None:
    """A cold command line found one of 1,378 uses of `export { prismaWithReplicas as prisma }` and said complete."""
    case = fixture(text)
    case.write(tmp_path)
    linked = snapshot_of({FilePath(path): data for path, data in case.files.items()}, name=tmp_path.name)
    files = [path for path in linked.files() if not re.search(r"/u\d+\.", path)]
    for path in files:
        facts = linked.facts(path)
        own = [row for row, kind in enumerate(facts.definitions.kind) if kind != DefinitionKind.IMPORT]
        for row in (-1, *(row for row in own if is_node(facts, row))):
            place = SymbolRef(path, row)
            with cold(tmp_path) as snapshot:
                assert uses(snapshot, place) == uses(linked, place), place


@contextmanager
def cold(root: Path) -> Generator[Snapshot]:
    """A session in which nothing is linked before somebody asks."""
    session = Session(Workspace.of([str(root)]), options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", PATIENCE)
        snapshot = session.snapshot()
        assert snapshot.not_linked()
        yield snapshot
    finally:
        session.close()
