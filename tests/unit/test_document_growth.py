"""Documents: what nothing closes, and words without an end, are gone through once.

Owns: repetitions at which a reader of documents once went through the rest of the text from each of them.
Must not know: what readers make of sound documents.
Invariant: the text of each shape takes a small part of the second that it may.
"""

from __future__ import annotations

import time

import pytest
from sqlglot.dialects.dialect import Dialect

from graphls.languages.config.build_files import MAX_INCLUDED
from graphls.languages.config.protobuf import read_protobuf
from graphls.languages.config.reading import read_document
from graphls.languages.config.sql import read_sql


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.proto", "message a " * 8_000),
        ("a.proto", "\nmessage" + " " * 60_000),
        ("a.proto", "\na" + " " * 60_000),
        ("Makefile", "ifeq :=" + "@" * 80_000),
        ("Makefile", "all:\n\trun " + "." * 80_000),
        ("Makefile", "endef" + " " * 80_000),
        ("a.sh", "$(" + "a" * 80_000),
        ("a.md", "`" * 80_000),
        ("a.md", "~" * 80_000),
    ],
)
def test_what_is_repeated_is_gone_through_once(name: str, text: str) -> None:
    begun = time.thread_time()
    read_document(name, text.encode())
    assert time.thread_time() - begun < 1.0


def test_a_keyword_of_messages_declares_what_a_brace_comes_behind() -> None:
    """Words between are no end of it, and a name that is no declaration hides none."""
    text = "message a message b { message c = 1;\n enum D { } }\nmessage e;\nmessage f {\nmessage g = 1;\n}\n"
    read = read_protobuf("a.proto", text.encode())
    assert [(one.kind, one.name) for one in read.entries] == [("message", "a"), ("enum", "a.D"), ("message", "f")]
    assert [text.encode()[one.start : one.full_end] for one in read.entries][1:] == [
        b"D { }",
        b"f {\nmessage g = 1;\n}",
    ]


def test_a_target_is_looked_for_in_a_number_of_files() -> None:
    text = b"include b.mk " * (MAX_INCLUDED + 1) + b"\nall: " + b"x " * 50
    needed = [one for one in read_document("Makefile", text).references if one.text == "x"]
    assert {len(one.also) for one in needed} == {1 + MAX_INCLUDED}
    assert len(needed) == 50


def test_bodies_of_functions_are_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands before a body is not read again with it."""
    taken: list[int] = []
    tokenize = Dialect.tokenize

    def counted(dialect: Dialect, sql: str) -> object:
        taken.append(len(sql))
        return tokenize(dialect, sql)

    monkeypatch.setattr(Dialect, "tokenize", counted)
    function = "CREATE FUNCTION f{0}() RETURNS int AS $$ SELECT a FROM t{0}; $$ LANGUAGE sql;\n"
    text = "".join(function.format(number) for number in range(40))
    read = read_sql("a.sql", text.encode())
    assert {one.text for one in read.references} >= {f"t{number}" for number in range(40)}
    assert all(text[one.start : one.end] == one.text for one in read.references)
    assert sum(taken) < 2 * len(text)
