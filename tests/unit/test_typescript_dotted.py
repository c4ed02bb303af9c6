"""Dotted names of TypeScript are read off the text; what they say is what their nodes say."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.registry import provider_for
from graphls.languages.typescript.syntax import expressions

ROOT = Path(__file__).parents[2]
TRICKY = """
import * as d from "a.b";
const o = { "f(a)": 1, "a[0]": 2, "(a)": 3, "1": 4, import: 5, undefined: 6, this: 7, super: 8, null: 9, b: { c: {} } };
const { a, b: { c }, ...rest } = o;
f(a).b; a[0].b; (a).b; 1..b; a.import; import.meta.b.c; a.undefined; undefined.a; a.this.b; this.a.b;
o.null; null.a; ({ undefined }).a; a.super.b; a?.b.c; a.b?.c; a!.b.c; a
  .b /* c */ .c; a . b; a.b.c.a.b.c.a.b.c.a.b.c; `a.b ${a.b.c}`; "a.b".a.b;
a.b.c = a.b; a.b.c += a.a; delete a.b.c; a.b.c++; a.b<c>(a.c); new a.b.c(a.b); (a as a.b).c.b; typeof a.b.c;
a.#b; o.\u00e9.a; \u00e9.a.\u00e9; a.b.c(a.b, ...a.c); for (a.b of a.c) a.b.c; for (const k in a.b) this.b.c = k;
class A extends a.b.c<a.b> { #b = 1; static s = this.a.b; m() { return super.a.b + this.#b.c + this.a; } }
let t: a.b.c = a.b.c; function f(this: a.b, p = a.b) { return this.a.b && p.a.b instanceof a.b.c; }
export = a.b.c;
"""
BROKEN = "a.b.c; a.b.c;\nfunction ( { a.b.\n a.b.c(a.b\n"
SCRIPT = (
    "/** @param {a.b.c} x @type {typeof a.b} */\nfunction F(x) { this.a.b = x.a; }\n"
    "F.a = F.a.b; module.exports = F.a.b;\nF.a.b.a;"
)
USING = "a.b.c; a.b.c; using x = a.b.c; a.b;"


def encoded(name: str, data: bytes) -> bytes:
    provider = provider_for(FilePath(name))
    assert provider is not None
    return encode(provider.extract(FilePath(name), data, provider.parser(FilePath(name)).parse(data)))


def sources() -> list[tuple[str, bytes]]:
    files = [file for ending in ("ts", "tsx", "js", "jsx", "vue") for file in (ROOT / "fixtures").rglob(f"*.{ending}")]
    made = [(name, TRICKY.encode()) for name in ("a.ts", "a.tsx", "a.js")]
    made += [("a.ts", BROKEN.encode()), ("a.js", SCRIPT.encode()), ("a.ts", USING.encode())]
    made += [("a.ts", 2 * line.encode()) for line in TRICKY.splitlines()]
    return made + [(file.name, file.read_bytes()) for file in sorted(files)]


def test_text_says_what_nodes_say(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = sources()
    by_text = [encoded(name, text) for name, text in texts]
    monkeypatch.setattr(expressions, "DOTS", 0)
    for (name, text), known in zip(texts, by_text, strict=True):
        assert encoded(name, text) == known, text[:200]
