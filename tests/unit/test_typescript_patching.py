"""Patching: a text that differs in one statement or member is read by it alone, and says what it does from scratch."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.typescript import provider as typescript
from graphls.session.index.extraction import understand

NAME = FilePath("a.tsx")
TEXT = """import { join } from "path"
import * as all from "./all"

/** What there is. */
export function first(a: number = 1, ...b: string[]): string {
  let total = 0
  for (const one of b) {
    total += one.length
  }
  const found = join("p.q", String(a))
  const { start, end: last } = all.ends({ total, found })
  return found || `${total}` + start + last + "so that it is long enough to be kept, this function"
}

export class K extends Base {
  size: number = 3

  constructor(private held: all.Held, other: string) {
    super(other)
    this.size = 4
    this.late = { a: 1, b: [2, "c.d"], other, run: (x: number) => x + this.size, more: "to be kept too, long enough" }
    this.used = other
  }

  /** The second. */
  get second(): K {
    if (this.held instanceof Array && typeof this.size === "number") {
      this.held.go(function inner(q) { return q.v })
    }
    const kept = { total: 1, "a.b": null, first }
    return this.third({ kept, size: this.size }, (entry) => entry.second.third)
  }

  third<T>(key: T, back: (entry: K) => unknown) {
    switch (key) {
      case "u": one(); break
      case "v": two(); break
      case "w": three(); break
    }
    return { u: one, v: [2.0, "p.q"], "c.d": this.late, back, long: "enough to be kept, as it should" }
  }
}

export const fourth = async (q = (z: number) => z) => {
  const value = new K(q as never, "x").second
  type Local = { a: string; b(c: number): Local }
  const shown = <View on={() => value.third(1, fourth)} {...all.props}>text {value.size}</View>
  return [value.late, "c.d", 2.0, unknown, shown] as Local[]
}
first.extra = function (this: K) { return [this.size, fourth, "it is long, so that it would be kept", "it is"] }
first.extra2 = function (this: K) { return [this.size, fourth, "it is long, so that it would be kept", "it is"] }
"""


def read(memory: FragmentCache, text: str, name: FilePath = NAME) -> bool:
    """Whether only one stretch was read. All must be as from scratch."""
    data = text.encode()
    facts, surface = understand(typescript.PROVIDER, name, data, None, memory)
    fresh, shown = understand(typescript.PROVIDER, name, data)
    assert encode(facts) == encode(fresh)
    assert encode(surface) == encode(shown)
    laid = memory.layout
    return laid is not None and laid.facts.size == facts.size and laid.change is not None


INSIDE = {
    "a blank": ("return found ||", "return  found ||"),
    "a blank at the end of a member": ("entry.second.third)\n  }\n", "entry.second.third)\n  }  \n"),
    "a comment": ("one()", "one() /* so */"),
    "a new line": ("    super(other)\n", "    super(other)\n    \n"),
    "a new name": ("const value = new", "const valued = new"),
    "one name more": ("one.length", "one.length(more)"),
    "a name that is said later": ("of b)", "of value)"),
    "a name that is said earlier": ("this.held.go(", "this.total.go("),
    "a longer list": ("[2.0, ", "[2.0, 3, first, "),
    "a shorthand": ("{ kept, size", "{ kept, first, size"),
    "a pattern": ("const kept =", "const { x, y: [z = x] } = this\n    const kept ="),
    "another case": ('      case "w"', '      case "x y": break\n      case "w"'),
    "narrowing": (" && typeof this.size", " && this.size && typeof this.held"),
    "an element": ("text {value.size}", "text {value.size}<i>{first}</i>"),
    "a type": ("b(c: number): Local", "b(c: number, d: K): Local; b(): K"),
}


@pytest.mark.parametrize("name", sorted(INSIDE))
def test_an_edit_inside_reads_what_it_is_in(name: str) -> None:
    old, new = INSIDE[name]
    assert TEXT.count(old) == 1
    memory, other = FragmentCache(), TEXT.replace(old, new)
    read(memory, TEXT)
    assert read(memory, other)
    for at in (TEXT, other, "let x = 1\n" + other, other):
        read(memory, at)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  let total = 0\n", "  let total = 0\n  function inside() { return total }\n"),
        ("private held", "private kept"),
        ("this.late =", "this.later ="),
        ("this.used", "this.size"),
        ("this.held.go(", "this.late = this.held.go("),
        ("  third<T>", "  late<T>"),
        ("get second", "static second"),
        ("export const fourth", "export const first"),
        ("export const fourth", "const fourth"),
        ("const value = new", "require('./z'); const value = new"),
        ("2.0, unknown", "2, unknown"),
        ('"p.q", String', '"c.d", String'),
        ("/** What there is. */", "/** What is there. */"),
        ("/** The second. */", "// no"),
        ("entry.second.third)", "entry.second.third"),
        ("first.extra =", "first.other ="),
        ("first.extra2 =", "first.extra ="),
        ("export class K", "let y = 1; export class K"),
        ("2.0, unknown", "2.0 as infer, unknown"),
        ("import {", "// generated by x\nimport {"),
        ("of b)", "of b using c)"),
        ("  let total = 0\n", "  using total = open()\n"),
        ("kept, this function", "k"),
    ],
)
def test_other_edits_say_what_they_say_from_scratch(old: str, new: str) -> None:
    memory, other = FragmentCache(), TEXT.replace(old, new, 1)
    assert other != TEXT
    for text in (TEXT, other, TEXT, other, other.replace("value.late", "value.lates"), TEXT):
        read(memory, text)


@pytest.mark.parametrize(
    "new", ["this.held.", "this.held..go(", "x = ; this.held.go(", "this.held.go(a.]", "this.held.go(]"]
)
def test_what_is_broken_inside_one_member_is_read_alone(new: str) -> None:
    memory = FragmentCache()
    read(memory, TEXT)
    for text in (new, new + "  ", new + " /* so */", "this.held.went("):
        assert read(memory, TEXT.replace("this.held.go(", text))
    assert not read(memory, TEXT.replace("this.held.go(", new).replace('case "u"', "case )"))
    assert read(memory, TEXT)


@pytest.mark.parametrize("new", ["this.held.", "this.held.go(a.]"])
def test_what_stays_broken_in_one_member_does_not_hinder_others(new: str) -> None:
    memory = FragmentCache()
    read(memory, TEXT)
    broken = TEXT.replace("this.held.go(", new)
    assert read(memory, broken)
    later, before = broken.replace('"v"', '"vv"'), broken.replace("total += one", "total += total + one")
    for text in (later, broken, before, broken, broken.replace("this.held", "  this.held"), broken):
        assert read(memory, text)
    assert read(memory, later)
    assert not read(memory, TEXT)
    read(memory, broken)
    assert read(memory, TEXT)


_SETTING = (
    "import { give } from './give'\nexport function first(a) { return a }\n"
    "class Held {\n  go(event: Event, list: Thing[]) {\n    const target = give(event)\n"
    "    target.value = list.length\n    event.returnValue = (one) => one\n"
    "    document.title = `so long that it is kept: ${list.length + target.value}`\n"
    "    for (const one of list) {\n      one.seen = true; one.next = { title: 'a', go() { return one } }\n    }\n"
    "    return list.map((each) => { each.done = { value: target, first: event.first }; return each.done })\n  }\n"
    "  static more = 1\n}\nHeld.later = 2\nfirst.size = 3\n"
)


@pytest.mark.parametrize(
    ("old", "new", "alone"),
    [
        ("list.length\n", "list.length  \n", True),
        ("target.value = list", "target.values = other + list", True),
        ("one.seen = true; ", "", True),
        ("document.title", "documents.title", True),
        ("title: 'a'", "titles: 'a', b: [one, each]", True),
        ("event.returnValue = (one)", "event.returnValue = [one]; (one)", False),
        ("one.seen = true", "Held.seen = true", False),
        ("document.title", "first.title", False),
        ("const target = give(event)", "function target() {}", False),
    ],
)
def test_members_that_are_set_and_not_declared_are_uses(old: str, new: str, alone: bool) -> None:
    memory, text = (
        FragmentCache(),
        _SETTING.replace("    event.returnValue = (one) => one\n", "") if alone else _SETTING,
    )
    read(memory, text)
    for made in (text.replace(old, new, 1), text, text.replace(old, f"{new} ", 1)):
        assert read(memory, made) == alone


_DESCRIBING = (
    "const kState = Symbol('state')\nexport function first(a) { return a }\n"
    "const init = (inst, def) => {\n  inst.name = 'so long that it is kept, as it is what a memory keeps of a file'\n"
    "  Object.defineProperty(inst, 'issues', { value: def, enumerable: false, configurable: true })\n"
    "  if (def) {\n    Object.defineProperty(inst, 'said', { get() { return def.more }, set(value) { def.more = value }"
    " })\n"
    "    Object.defineProperty(first, 'size', { value: 3 }); first[kState] = { all: [inst, def] }\n"
    "    inst[kState] = (one) => first[kState].all.map((each) => each[kState](one, each[kState].all))\n  }\n}\n"
    "class Held {\n  [kState] = { a: 1, b: 'so long that it is kept, as it is what a memory keeps of a file, and'"
    " }\n"
    "  go() {\n    Object.defineProperty(this, 'late', { value: this[kState].b, enumerable: false })\n"
    "    this[kState].b = 'so long that it is kept, as it is what a memory keeps of a file'\n    return this[kState]\n"
    "  }\n}\n"
)


@pytest.mark.parametrize("name", ["a.ts", "a.js"])
def test_what_calls_describe_and_symbols_name_is_kept(name: str) -> None:
    memory, file = FragmentCache(), FilePath(name)
    read(memory, _DESCRIBING, file)
    for old, new in (
        ("inst.name", "inst.names"),
        ("'said'", "'told'"),
        ("'late'", "`late${1}`"),
        ("    Object.defineProperty(first", "    first.call(first"),
        ("return this[kState]", "return this.late"),
        ("first[kState] = {", "first[other] = {"),
        ("inst[kState] = (one)", "inst[kNext] = (one)"),
    ):
        for text in (_DESCRIBING.replace(old, new, 1), _DESCRIBING):
            read(memory, text, file)


_LONG = "  // so long that it is kept: " + "x" * 200 + "\n"
_GIVING = (
    "let z = 1\n"
    f"function one(a) {{\n{_LONG}  function inner(q) {{ return q }}\n  const two = a\n  return two + 1\n}}\n"
    f"function other(a: {{ b: number }}) {{\n{_LONG}  const held = a.b\n  return held\n}}\n"
    f"const thing = {{ a: 1, go() {{ return 1 }} }}\nfunction third() {{\n{_LONG}  return third.name\n}}\n"
)


@pytest.mark.parametrize(
    "text",
    [
        _GIVING,
        _GIVING.replace(": { b: number }", "").replace("const thing = { a: 1, go() { return 1 } }", "let thing = a"),
    ],
)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return two + 1", "return inner"),
        ("return two + 1", "return [inner]"),
        ("return two + 1", "return thing"),
        ("const two = a", "const two = { a }"),
        ("const two = a", "const three = a.b"),
        ("const held = a.b", "const held = thing"),
        ("return third.name", "return thing"),
    ],
)
def test_what_others_see_follows_what_functions_give_back(text: str, old: str, new: str) -> None:
    memory = FragmentCache()
    for made in (text, text.replace(old, new), text.replace(old, new).replace("return held", "return  held"), text):
        read(memory, made)


def test_the_surface_stays_beside_object_types() -> None:
    memory = FragmentCache()
    read(memory, _GIVING)
    before = memory.layout.surface if memory.layout is not None else None
    assert read(memory, _GIVING.replace("return third.name", "const q = a.b\n  return third.name"))
    assert before is not None
    assert memory.layout is not None
    assert memory.layout.surface is before


def test_what_follows_at_once_is_no_blank() -> None:
    filler = '"' + "long enough to be kept " * 10 + '"'
    text = f"function f() {{ return {filler} }}g(); function h() {{ return {filler} }};k()\n"
    memory = FragmentCache()
    for at in (text, text.replace("}g", "} g"), text, text.replace("};k", "} ;k"), text):
        read(memory, at)


def test_signatures_of_one_name() -> None:
    filler = "/* " + "long enough to be kept " * 10 + "*/"
    text = f"export function f(a: string, {filler} b: K): void;\nexport function f(a: number, {filler} b: K): void;\n"
    memory = FragmentCache()
    for at in (text, text.replace("a: number", "c: number"), text.replace("f(a: number", "g(a: number"), text):
        read(memory, at, FilePath("a.d.ts"))
        read(memory, at.replace("export", "export declare"), FilePath("a.d.ts"))


def test_random_edits() -> None:
    alone = 0
    sources = sorted(Path(__file__).parent.parent.parent.glob("editors/vscode/src/*.ts"))
    texts = [TEXT, *(path.read_text("utf-8") for path in sources[:5])]
    for number, start in enumerate(texts):
        chosen, text, memory = random.Random(number), start, FragmentCache()
        words = re.findall(r"[A-Za-z_]\w+", text)
        for _ in range(20):
            alone += read(memory, text)
            at = chosen.choice([*re.finditer(r"\w+\b(?=[.(])|(?<=\.)\w+|(?<=[({=] )\w+", text)])
            new = chosen.choice(
                (*chosen.choices(words, k=2), at[0] + " ", at[0] + "(1, 'a.b', q)", at[0] + "({a, b: c => c.d})")
            )
            other = text[: at.start()] + new + text[at.end() :]
            tree = typescript.PROVIDER.parser(NAME).parse(other.encode())
            text = text if tree.root_node.has_error else other
    assert alone > 30
