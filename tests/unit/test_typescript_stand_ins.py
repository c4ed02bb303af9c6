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
from graphls.languages.typescript.types import declared_shapes
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
    "a class of a script that has members of what its package declares": (
        {
            "lib/reply.js": "function Reply (raw) { this.raw = raw }\n"
            "Reply.prototype.send = function (text) {}\nReply.prototype.code = function (code) {}\n"
            "Object.defineProperties(Reply.prototype, { sent: { get () { return true } } })\nmodule.exports = Reply\n",
            "lib/retry-handler.js": "module.exports = class {\n  done () {}\n  failed () {}\n  own () {}\n"
            "  begun () {}\n}\n",
            "lib/store.js": "class Memory {\n  get () {}\n  set () {}\n  has () {}\n  keys () {}\n  clear () {}\n"
            "  drop () {}\n  size () {}\n}\n"
            "class Options {\n  get () {}\n  set () {}\n}\n"
            "class Bag {\n  one () {}\n  two () {}\n  three () {}\n  four () {}\n  five () {}\n  six () {}\n}\n",
            "types/main.d.ts": "export { ServerReply } from './reply'\n"
            "export interface Store { get(): void; set(): void; has(): void; keys(): void; clear(): void;"
            " drop(): void }\n"
            "export interface Bags { one?: number; two?: number; three?: number; four?: number; five?: number;"
            " six?: number }\n"
            "declare namespace inner { class RetryHandler { done(): void; failed(): void; begun(): void } }\n",
            "types/reply.d.ts": "export interface ServerReply { raw: object; send(text: string): void;"
            " code(code: number): void; readonly sent: boolean; type(name: string): void }\n",
            "package.json": '{"name": "p", "main": "lib/main.js", "types": "types/main.d.ts"}',
        },
        frozenset(
            (
                "Reply.send -> ServerReply.send",
                "Reply.code -> ServerReply.code",
                "Reply.sent -> ServerReply.sent",
                "export=.done -> inner.RetryHandler.done",
                "export=.failed -> inner.RetryHandler.failed",
                "export=.begun -> inner.RetryHandler.begun",
                *(f"Memory.{name} -> Store.{name}" for name in ("get", "set", "has", "keys", "clear", "drop")),
            )
        ),
    ),
    "no class of a package without declaration files": (
        {
            "lib/reply.js": "class Reply {\n  send () {}\n  code () {}\n  type () {}\n}\nmodule.exports = Reply\n",
            "other/types/reply.d.ts": "export interface Reply { send(): void; code(): void; type(): void }\n",
            "other/package.json": '{"name": "o", "types": "types/reply.d.ts"}',
            "package.json": '{"name": "p", "main": "lib/reply.js"}',
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


def _implementing(files: Mapping[str, str]) -> frozenset[str]:
    snapshot = snapshot_of(files)
    edges = [edge for path in snapshot.files() for edge in edges_from(snapshot, path) if edge.kind == "implements"]
    found: set[str] = set()
    for edge in edges:
        ends = [end for end in (edge.source, edge.target) if isinstance(end, SymbolRef)]
        found.add(" -> ".join(qualified_name(snapshot.facts(end.file), end.definition) for end in ends))
    return frozenset(found)


@pytest.mark.parametrize("case", CASES)
def test_what_stands_for_a_declaration(case: str) -> None:
    files, wanted = CASES[case]
    assert _implementing(files) == wanted


def test_what_only_members_tell_is_less_sure() -> None:
    files, _ = CASES["a class of a script that has members of what its package declares"]
    snapshot = snapshot_of(files)
    edges = [edge for path in snapshot.files() for edge in edges_from(snapshot, path) if edge.kind == "implements"]
    assert {edge.confidence for edge in edges} == {0.8}


def test_no_class_is_compared_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "a.js": "class A {\n  one () {}\n  two () {}\n  three () {}\n}\n",
        "a.d.ts": "export interface B { other(): void }\n",
        "main.d.ts": "export interface A { one(): void; two(): void; three(): void }\n",
        "package.json": '{"name": "p", "main": "main.js", "types": "main.d.ts"}',
    }
    assert _implementing(files) == {"A.one -> A.one", "A.two -> A.two", "A.three -> A.three"}
    monkeypatch.setattr(declared_shapes, "MOST_COMPARED", 1)
    assert not _implementing(files)
