"""Arguments split as text: what stands inside brackets, strings and comments splits nothing, however long it is."""

from __future__ import annotations

import random

import pytest

from graphls.analysis.frameworks.arguments import DASHES, HASHES, LONGEST, SLASHES, CodeText, LexicalRules

CASES: tuple[tuple[LexicalRules, bytes, tuple[str, ...]], ...] = (
    (
        SLASHES,
        b"""("a, b", () => { f(1, 2); /* ) , */ g('}') }, last)""",
        ('"a, b"', "() => { f(1, 2); /* ) , */ g('}') }", "last"),
    ),
    (SLASHES, rb"""(/[,)/]"/g, `${a(",")}`, <p>it's, 1)""", ('/[,)/]"/g', '`${a(",")}`', "<p>it's", "1")),
    (SLASHES, b"(a // , b)\n, b / c /* x */)", ("a // , b)", "b / c /* x */")),
    (
        HASHES,
        b"""(f"a, {b}", rb'c\\', d', # e, f)\n g=[1, (2, 3)], **h)""",
        ('f"a, {b}"', "rb'c\\', d'", "[1, (2, 3)]", "**h"),
    ),
    (
        DASHES,
        (
            b"('it''s, (', function(a, b) if a then a, b = {1, 2}, #x end -- end, )\n"
            b" repeat f(1, function() end) until b end, c)"
        ),
        (
            "'it''s, ('",
            "function(a, b) if a then a, b = {1, 2}, #x end -- end, )\n repeat f(1, function() end) until b end",
            "c",
        ),
    ),
    (DASHES, b"(endless, --[[ a, b ]] ifs - 1, x.do_it)", ("endless", "ifs - 1", "x.do_it")),
    (HASHES, b'("""a, "b", \'c""", d)', ('"""a, "b", \'c"""', "d")),
    (HASHES, b"(a, \\\n b, lambda: {c, d})", ("a", "b", "lambda: {c, d}")),
)


def test_lists_inside_of_each_other_are_split_as_if_alone() -> None:
    seeded = random.Random(5)
    for _ in range(300):
        words = seeded.choices((b"f(", b"([", b"{", b")", b"]", b"}", b",", b"a", b"')s'", b" /", b"x: "), k=120)
        data, longest = b"".join(words), seeded.choice((60, LONGEST))
        text = CodeText(data, SLASHES, longest)
        for at in (at for at in range(len(data)) if data[at] in b"([{"):
            alone = CodeText(data, SLASHES, longest)
            assert text.parts(at) == alone.parts(at)
            assert text.behind_bracket(at) == CodeText(data, SLASHES, longest).behind_bracket(at)


@pytest.mark.parametrize(("lexis", "data", "expected"), CASES)
def test_arguments(lexis: LexicalRules, data: bytes, expected: tuple[str, ...]) -> None:
    text = CodeText(data, lexis)
    said = [data[found.start : found.end].decode() for found in text.arguments(0)]
    assert said == list(expected)


def test_no_more_than_the_limit_is_looked_at() -> None:
    data = b"(a, { " + b"word(1, 'x'); " * (LONGEST // 8) + b"}, c)"
    given = CodeText(data, SLASHES).arguments(0)
    assert [data[found.start : found.end][:1] for found in given] == [b"a", b"{"]
    assert given[-1].end <= 1 + LONGEST
