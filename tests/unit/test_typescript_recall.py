"""Recall: a TypeScript text read with a memory of earlier texts says what it says without one."""

from __future__ import annotations

import random

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.typescript.provider import PROVIDER

NAME = FilePath("a.tsx")
FILLED = "        " + "; ".join(f"this.call({n}, 'a/b', [x => x.y, null])" for n in range(8)) + ";\n"
MEMBERS = f"""
    constructor(private a: string, readonly b = 1) {{
{FILLED}    }}

    /** Says what it does. */
    async method<T extends K>(x: T, {{ y, z: [w] }}: Q): Promise<T | undefined> {{
{FILLED}        if (!(x instanceof K)) return;
        for (const q of y) {{ switch (q) {{ case "a": break; case "b": w(q); }} }}
        method.extra = {{ n: 1, o() {{ return this; }} }};
        return x;
    }}

    field = async (x: number) => {{
{FILLED}        try {{ return await import("m"); }} catch (e) {{ throw e; }}
    }};

    static made: Record<string, K> = {{ a: new K("a"), b: new K("b"), c: new K("c"), d: new K("d"), e: new K("e"),
        f: new K("f"), g: new K("g"), h: new K("h"), i: new K("i"), j: new K("j"), k: new K("k"), l: new K("l") }};
"""
STATEMENTS = f"""
/** A component. */
export const View = ({{ a, b = 1 }}: Props) => {{
{FILLED.replace("this.", "")}    const [s, setS] = useState<Map<string, number>>(null);
    View.title = s.get("x") as unknown as string;
    return <div onClick={{() => setS(null)}}>{{a && <K b={{b}} />}}</div>;
}};

function plain(this: K, ...rest: number[]) {{
{FILLED}    const f = (k: typeof rest) => {{ type L = keyof K; return k satisfies number[]; }};
    plain.count = f(rest);
    return class extends K {{ inner() {{ return super.method(1); }} }};
}}

describe("what", () => {{
{FILLED.replace("this.", "")}    it("does", async () => {{ expect(View).toBe(plain); }});
}});
"""
WHOLE = f"import {{ Q }} from './q';\n\nexport class K extends Base<Q> {{{MEMBERS}}}\n{STATEMENTS}\nexport default K;\n"
PIECES = (
    *("x", " ", "\n", ".", "{", "}", "null", "'s'", "async ", "export ", "@d ", "<T,>", "// c\n", "/** doc */\n"),
    *("const a = () => 1;\n", "class J { m() { return this.m(); } }\n", "import r from 'r';\n", "View.x = 1;\n"),
)


def both(memory: object, text: str) -> bool:
    """Whether a text says the same with a memory and without."""
    fragments = PROVIDER.capabilities.fragments
    assert fragments is not None
    data = text.encode()
    tree = PROVIDER.parser(NAME).parse(data)
    remembered = fragments.extract_again(NAME, data, tree, memory)
    return encode(remembered) == encode(PROVIDER.extract(NAME, data, tree))


@pytest.mark.parametrize(
    "other",
    [
        f"const before = [null, 'a', 1];\nlet x: string;\n{WHOLE}",
        WHOLE.replace("class K extends Base<Q>", "abstract class K<T> implements I"),
        WHOLE.replace("/** Says what it does. */", "/** Says something else. */"),
        WHOLE.replace("export class K", "@decorated\nclass K"),
        f"namespace N {{{WHOLE}}}",
        f"function around() {{\n{WHOLE.replace('export ', '')}}}",
        f"export const made = {{ K: class {{{MEMBERS}}} }};{STATEMENTS}",
        f"class K {{{MEMBERS}{MEMBERS}}}{STATEMENTS}{STATEMENTS}",
        f"class K {{{MEMBERS}}}{STATEMENTS}let broken = (;\n",
    ],
)
def test_a_member_says_the_same_elsewhere(other: str) -> None:
    memory = FragmentCache()
    assert both(memory, WHOLE)
    assert len(memory.previous) == 7
    assert both(memory, other)
    assert both(memory, WHOLE)


def test_what_is_remembered_is_not_read_again() -> None:
    memory = FragmentCache()
    assert both(memory, WHOLE)
    first = dict(memory.previous)
    assert both(memory, "let x = 1;\n" + WHOLE.replace("return await", "await"))
    again = [key for key, piece in memory.previous.items() if first.get(key) is piece]
    assert len(again) == 6
    assert both(memory, "let y;\n")
    assert not memory.previous


@pytest.mark.parametrize("seed", range(6))
def test_random_edits(seed: int) -> None:
    chosen, text, memory = random.Random(seed), WHOLE, FragmentCache()
    for _ in range(40):
        assert both(memory, text)
        at = chosen.randrange(len(text) + 1)
        text = text[:at] + chosen.choice(PIECES) + text[at + chosen.choice((0, 0, 0, 1, 20)) :]
        if chosen.random() < 0.2:
            text = WHOLE
