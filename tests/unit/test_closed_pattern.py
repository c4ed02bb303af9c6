"""Closed patterns: the matches of one pattern, at a cost in proportion to the text.

Owns: texts of openings and signs in any order, beside the pattern of all parts itself; texts that close nothing.
Must not know: which languages have such stretches.
Invariant: what is compared is plain `re` with the same alternatives.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphls.facts.paths import FilePath
from graphls.languages.c.cpp.dialect import is_cpp
from graphls.languages.closed_pattern import ClosedPattern
from graphls.languages.config.keyed import json_tokens, read_json_text
from graphls.languages.config.markup import read_css, read_html, read_markdown
from graphls.languages.config.protobuf import read_protobuf
from graphls.languages.config.sql import read_sql
from graphls.languages.csharp.projects import project_aliases
from graphls.languages.json_text import read_json
from graphls.languages.typescript.components.scripts import scripts
from graphls.session.memory import snapshot_of

PARTS = (
    (rb"\"(?:\\.|[^\"\\])*\"", b'"'),
    (rb"//[^\n]*", b""),
    (rb"/\*.*?\*/", b"*/"),
    (rb"^(~~+)[^\n]*\n(?:.*?^\1[^\n]*$|.*)", b""),
    (rb"^---\s*$", b""),
    (rb"<s\b[^>]*>(.*?)</s", b"></s"),
    (rb"[^\s\"/~<]+", b""),
)
PIECES = (b'"', b"\\", b"//", b"/*", b"*/", b"\n", b"~~", b"~~~\n", b"---", b"<s ", b"<s>", b">", b"</s", b"a", b" ")


@given(st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join))
def test_the_matches_are_those_of_all_parts(text: bytes) -> None:
    flags = re.MULTILINE | re.DOTALL
    plain = re.compile(b"|".join(part for part, _ in PARTS), flags)
    closed = ClosedPattern(PARTS, flags)
    assert [one.span() for one in closed.finditer(text)] == [one.span() for one in plain.finditer(text)]
    assert closed.sub(lambda one: b"[%b]" % one[0], text) == plain.sub(lambda one: b"[%b]" % one[0], text)


@given(st.lists(st.sampled_from(("/*", "*/", '"', "\\", "//", "\n", ",", "}", " ")), max_size=16).map("".join))
def test_text_is_read_as_bytes_are(text: str) -> None:
    parts = ((r'"(?:\\.|[^"\\])*"', '"'), (r"//[^\n]*", ""), (r"/\*.*?\*/", "*/"), (r",(?=\s*[}])", ""))
    plain = re.compile("|".join(part for part, _ in parts), re.DOTALL)
    found = [one.span() for one in ClosedPattern(parts, re.DOTALL).finditer(text)]
    assert found == [one.span() for one in plain.finditer(text)]


TAGS = (b"<!--", b"-->", b"<script", b" a", b'="', b">", b"</script>", b" ", b'"', b"'", b"x")
TAG = re.compile(
    rb"""<!--.*?-->|<(?P<tag>script)(?P<attributes>(?:\s++[^\s"'>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>]++))?+)*+)\s*+>""",
    re.DOTALL | re.IGNORECASE,
)


def _scripts(data: bytes) -> list[tuple[int, int]]:
    """As one pattern finds them."""
    found: list[tuple[int, int]] = []
    start = 0
    while tag := TAG.search(data, start):
        start = tag.end()
        if tag["tag"] is not None:
            end = data.find(b"</script", start)
            found.append((start, end if end >= 0 else len(data)))
            start = found[-1][1]
    return found


@given(st.lists(st.sampled_from(TAGS), max_size=24).map(b"".join))
def test_scripts_are_those_of_one_pattern(data: bytes) -> None:
    assert [(one.start, one.end) for one in scripts(data)] == _scripts(data)


JSON = (
    (rb'"(?:[^"\\\n]|\\.)*"', b""),
    (rb"//[^\n]*", b""),
    (rb"/\*.*?\*/", b"*/"),
    (rb"[{}\[\],:]", b""),
    (rb'[^\s{}\[\],:"/]+', b""),
)


@given(st.lists(st.sampled_from((*PIECES, b'\\"', b'"a"', b",", b"{", b"/")), max_size=24).map(b"".join))
def test_tokens_of_json_are_those_of_one_pattern(data: bytes) -> None:
    plain = re.compile(b"|".join(part for part, _ in JSON), re.DOTALL)
    found = [one.span() for one in plain.finditer(data) if not one[0].startswith(b"/")]
    assert list(json_tokens(data)) == found


READS: dict[str, Callable[[int], object]] = {
    "comments of Markdown": lambda n: read_markdown("a.md", b"<!-- " * n),
    "comments of HTML": lambda n: read_html("a.html", b"<!-- " * n),
    "styles": lambda n: read_html("a.html", b"<style>\n" * n),
    "styles that begin": lambda n: read_html("a.html", b"<style \n" * n),
    "comments of CSS": lambda n: read_css("a.css", b"/* \n" * n),
    "comments of JSON": lambda n: read_json(b"{" + b"/* \n" * n),
    "quotes of JSON": lambda n: read_json(b'{"' + b'\\"' * n),
    "quotes of JSON with keys": lambda n: read_json_text(b'{"' + b'\\"' * n),
    "quotes of Protocol Buffers": lambda n: read_protobuf("a.proto", b'message M {}\n"' + b'\\"' * n),
    "quotes in headers": lambda n: is_cpp(FilePath("a.h"), b'class A;\n"' + b'\\"' * n),
    "quotes in macros": lambda n: snapshot_of({"a.c": '#define A "' + '\\"' * n}),
    "rows of SQL": lambda n: read_sql("a.sql", (b"COPY a FROM stdin\n" * n)[:200_000]),
    "references of projects": lambda n: project_aliases((), {FilePath("a.csproj"): b"<PackageReference " * n}),
    "comments of components": lambda n: list(scripts(b"<!-- " * n)),
    "scripts that begin": lambda n: list(scripts(b"<script " * n)),
}


@pytest.mark.parametrize("name", READS)
def test_what_is_never_closed_costs_no_square(name: str) -> None:
    """What is done inside of `re` no profile counts: of this size the square took 10 CPU-s and more."""
    begun = time.process_time()
    READS[name](11_000 if name == "rows of SQL" else 40_000)
    assert time.process_time() - begun < 3
