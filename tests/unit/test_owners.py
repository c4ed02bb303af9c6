"""Owners: to which declaration a use belongs, and so where an edge starts.

Owns: samples of code with every edge that leads to `used` or `other`.
Must not know: records, formats, how edges are walked.
Invariant: each use counts for what its text belongs to; what one place is asked for agrees with the whole file.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from, edges_of
from graphls.graph.identity import symbol_name
from graphls.graph.nodes import is_node
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of

PYTHON = "def used(*a): ...\ndef other(*a): ...\n"
TYPESCRIPT = "export function used(...a: any[]): any {}\nexport function other(...a: any[]): any {}\n"
JAVASCRIPT = "function used() {}\nfunction other() {}\n"
BEFORE = {"py": PYTHON, "ts": TYPESCRIPT, "tsx": TYPESCRIPT, "js": JAVASCRIPT}

SAMPLES = {
    # ---- Python
    "initialiser": ("m.py", "x = used()\n", "x calls used"),
    "annotation": ("m.py", "class T: ...\nx: T = used(T)\n", "x calls used"),
    "a function held by a variable": ("m.py", "x = used\ny = lambda: used()\n", "x references used|y calls used"),
    "two targets": ("m.py", "x = y = used()\n", "x calls used|y calls used"),
    "a pattern of targets": ("m.py", "x, y = used()\n", "x calls used|y calls used"),
    "a pattern of values": ("m.py", "x, y = used(), other()\n", "x calls used|y calls other"),
    "added to later": ("m.py", "x = []\nx += [used]\n", "x references used"),
    "bound twice": ("m.py", "x = used()\nif x:\n    x = other()\n", "x calls used|x calls other"),
    "statement": ("m.py", "used()\nfor x in other(): ...\n", "m calls used|m calls other"),
    "variable of a function": ("m.py", "def f():\n    x = used()\n    return x\n", "f calls used"),
    "field of an instance": ("m.py", "class C:\n    def f(self):\n        self.x = used()\n", "C.f calls used"),
    "field of a class": (
        "m.py", "class C:\n    x = used()\n    other()\n", "C.x calls used|C calls used|C calls other"
    ),
    "decorator and default": (
        "m.py", "@used(other())\ndef f(a=other()): ...\n", "f decorates used|f calls other"
    ),
    "decorator of a class": ("m.py", "@used(other)\nclass C: ...\n", "C decorates used|C references other"),
    "comprehension": ("m.py", "x = [used(y) for y in other()]\n", "x calls used|x calls other"),
    # ---- TypeScript
    "const": ("m.ts", "const x = used()\n", "x calls used"),
    "two declarators": ("m.ts", "const x = used(), y = other()\n", "x calls used|y calls other"),
    "unpacked": ("m.ts", "export const { x, y: [z] } = used()\n", "x calls used|z calls used"),
    "wrapped function": (
        "m.ts", "const x = other(() => { const y = used(); return y })\n", "x calls other|x calls used"
    ),
    "component": (
        "m.tsx", "function Used() { return null }\nconst X = used(() => <Used/>)\n", "X calls used|X renders Used"
    ),
    "alias": ("m.ts", "const x = used\n", "x references used"),
    "literal": (
        "m.ts", "const x = { a: used, b: () => other(), c: { d: used() }, used }\n",
        "x.a references used|x.b calls other|x.c.d calls used|x.used references used",
    ),
    "literal inside of a function": (
        "m.ts", "function f() { const x = { a: used(), b: { c: other } }; return x }\n",
        "f calls used|f references other",
    ),
    "list": ("m.ts", "const x = [used, () => other()]\n", "x references used|x calls other"),
    "statement of a module": ("m.ts", "used(() => other())\n", "m.ts calls used|m.ts calls other"),
    "default export": ("m.ts", "export default used({ a: other })\n", "default calls used|default references other"),
    "field": (
        "m.ts", "class C { x = used(); static y = other() }\n", "C.x calls used|C.y calls other"
    ),
    "decorators": (
        "m.ts", "@used(other)\nclass C { @used() f() {} @other() x = 1 }\n",
        "C decorates used|C references other|C.f decorates used|C.x decorates other",
    ),
    "parameter's default": ("m.ts", "function f(a = used()) {}\n", "f calls used"),
    "variable of a block": ("m.ts", "if (1) { const x = used() }\n", "m.ts calls used"),
    "module.exports": (
        "m.js", "module.exports = { x: used, y() { other() } }\n", "export=.x references used|export=.y calls other"
    ),
    "named export of CommonJS": ("m.js", "exports.x = used()\n", "x calls used"),
    # ---- components
    "setup": (
        "m.vue", "<script setup>\nimport { used, other } from './lib'\nconst x = used()\nother()\n</script>\n",
        "default calls used|default calls other",
    ),
    "instance script": (
        "m.svelte", "<script>\nimport { used, other } from './lib'\nconst x = used()\n$: other(x)\n</script>\n{x}\n",
        "default calls used|default calls other",
    ),
    "module script": (
        "m.svelte", "<script module>\nimport { used } from './lib'\nexport const x = used()\n</script>\n",
        "x calls used",
    ),
    "frontmatter": (
        "m.astro", "---\nimport { used, other } from './lib'\nconst x = used()\n---\n<p>{other(x)}</p>\n",
        "default calls used|default calls other",
    ),
    "options": (
        "m.vue",
        "<script>\nimport { used } from './lib'\nexport default { computed: { x() { return used() } } }\n</script>\n",
        "default.computed.x calls used",
    ),
}  # fmt: skip


def _told(snapshot: Snapshot, edge: RawEdge) -> str:
    source = symbol_name(snapshot, edge.source) if isinstance(edge.source, SymbolRef) else ""
    target = symbol_name(snapshot, edge.target) if isinstance(edge.target, SymbolRef) else ""
    return f"{source.partition(':')[2] or source} {edge.kind} {target.partition(':')[2]}"


def _imported(edge: RawEdge) -> bool:
    """Whether a module speaks of what it imports, and no more."""
    return edge.kind == "references" and edge.resolution == "import"


def _workspace(name: str) -> tuple[Snapshot, FilePath]:
    path, code, _ = SAMPLES[name]
    files = {path: BEFORE.get(path.rpartition(".")[2], "") + code, "lib.ts": TYPESCRIPT}
    return snapshot_of(files), FilePath(path)


@pytest.mark.parametrize("name", SAMPLES)
def test_owner(name: str) -> None:
    snapshot, path = _workspace(name)
    kinds = {"calls", "references", "renders", "decorates"}
    found = [_told(snapshot, edge) for edge in edges_from(snapshot, path) if edge.kind in kinds and not _imported(edge)]
    leading = {said for said in found if said.rpartition(" ")[2] in ("used", "other", "Used")}
    assert leading == set(SAMPLES[name][2].split("|"))


@pytest.mark.parametrize("name", SAMPLES)
def test_one_place_agrees_with_its_file(name: str) -> None:
    snapshot, path = _workspace(name)
    everything = list(edges_from(snapshot, path))
    for row in range(-1, len(snapshot.facts(path).definitions)):
        if is_node(snapshot.facts(path), row):
            place = SymbolRef(path, row)
            alone = sorted(map(repr, edges_of(snapshot, place)))
            assert alone == sorted(repr(edge) for edge in everything if edge.source == place)
