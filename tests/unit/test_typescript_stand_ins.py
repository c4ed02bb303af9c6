"""Stand-ins: functions that run where a member is called which a type or a declaration file declares.

Owns: samples of what is given for a declared result, for a declaration file and for a type of one member.
Must not know: formats, editors.
Invariant: an edge leads from what runs to what is declared; data and values of unknown origin stand for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.graph.edges import edges_from
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import SymbolRef
from graphls.session.memory import snapshot_of

TYPES = """export interface Server {
  get(path: string): Server; close: () => void; size: number; readonly open: boolean
}
declare function make(options?: number): Server
declare namespace make { export function other(): void }
export = make
"""
SCRIPT = """module.exports = make
module.exports.other = function () {}
function make (options) {
  const server = { get: function _get (path) { return this }, close, size: 1, more () {} }
  Object.defineProperty(server, 'open', { get () { return true } })
  return server
  function close () {}
}
"""
GIVEN = frozenset(
    (
        "make -> make",
        "make.server.get -> Server.get",
        "make.server.open -> Server.open",
        "make.close -> Server.close",
        "other -> make.other",
    )
)
CASES: Mapping[str, tuple[Mapping[str, str], frozenset[str]]] = {
    "the declaration file beside a script": (
        {"make.js": SCRIPT, "make.d.ts": TYPES},
        GIVEN,
    ),
    "that of the package whose entry a script is": (
        {
            "lib/make.js": SCRIPT,
            "types/make.d.ts": TYPES,
            "package.json": '{"name": "p", "main": "lib/make.js", "types": "types/make.d.ts"}',
        },
        GIVEN,
    ),
    "no other script of the package": (
        {
            "lib/make.js": SCRIPT,
            "types/make.d.ts": TYPES,
            "package.json": '{"name": "p", "main": "lib/main.js", "types": "types/make.d.ts"}',
        },
        frozenset(),
    ),
    "what is given back for a declared result": (
        {
            "a.ts": "export interface C { new (x: number): string; init(x: number): void; size: number }\n"
            "export function make(): C {\n  function init(x: number) {}\n  function _(this: any, x: any) {}\n"
            '  Object.defineProperty(_, "init", { value: init })\n  return _ as any\n}\n'
            "export interface D { run(): void }\n"
            "export function other(): D { const made = { run() {}, stop() {} }; return made }\n"
            "export function unknown(x: any): D { return x }\n",
        },
        frozenset(("make._ -> C.new()", "make.init -> C.init", "other.made.run -> D.run")),
    ),
    "a type of one member": (
        {
            "a.ts": "export interface T { parse(x: string): number; size: number }\n"
            'const parse: T["parse"] = (x) => 1\nconst size: T["size"] = 3\n',
        },
        frozenset(("parse -> T.parse",)),
    ),
    "what a function gives on that has a type of its own": (
        {
            "a.ts": "export type Bad = { ok: false; error: Error; size: number }\n"
            "export type Ret = { ok: true } | Bad\n"
            "function handle(x: any): { ok: true } | { ok: false; error: Error; size: number } {\n"
            "  return x ? { ok: true } : { ok: false, get error() { return new Error() }, size: 1 }\n}\n"
            "export function safe(): Ret { return handle(1) }\n",
        },
        frozenset(("handle.error -> handle.error", "handle.error -> Bad.error")),
    ),
    "an accessor of a literal with a type": (
        {
            "a.ts": "export interface T { readonly error: Error; n: number }\n"
            "export function make(): T { return { get error() { return new Error() }, n: 1 } }\n",
        },
        frozenset(("make.error -> T.error",)),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_stands_for_a_declaration(case: str) -> None:
    files, wanted = CASES[case]
    snapshot = snapshot_of(files)
    edges = [edge for path in snapshot.files() for edge in edges_from(snapshot, path) if edge.kind == "implements"]
    found: set[str] = set()
    for edge in edges:
        ends = [end for end in (edge.source, edge.target) if isinstance(end, SymbolRef)]
        found.add(" -> ".join(qualified_name(snapshot.facts(end.file), end.definition) for end in ends))
    assert found == wanted
