"""Mending of scripts: what the grammar cannot read takes neither the file nor a name of it away."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.languages.bash.syntax.mending import readable
from graphls.languages.extract import grammars
from graphls.queries.definition import definition
from graphls.session.memory import snapshot_of

WAYS = [
    b'host="${line%%]*}"',
    b'host="${line##*]}"',
    b"host=${line[0]%]}",
    b"host=$((0x${line} / 256))",
    b"host=$((16#$line % 2))",
    b'if eval "(( \\${#${line}[@]} > 0 ))"; then host=$line; fi',
    b'host="${line:at++%4:1}"',
    b"[[ $line = y* && $host != x ]]",
    b"case $line in a) host=1;;& b) host=2;& esac",
    b"cat <<END\n\\$bytes = [Convert]::From('${line}')\nEND",
    b'host=${line#*{\\"name\\":\\""$line"\\",\\"ttl\\":20}',
]


@pytest.mark.parametrize("way", WAYS)
def test_names_around_what_the_grammar_cannot_read_have_a_place(way: bytes) -> None:
    text = b"before() { :; }\nwork() {\n  local line=$1 at=0 host\n  " + way + b'\n  before "$host" "$line"\n}\nwork\n'
    snapshot = snapshot_of({FilePath("a.sh"): text})
    for word, line in ((b'before "$', 1), (b'host" "', 3), (b'line"\n}', 3), (b"work\n", 2)):
        found = definition(snapshot, FilePath("a.sh"), text.rindex(word))
        lines = [text.count(b"\n", 0, place.start) + 1 for place in found.places] if found is not None else []
        assert line in lines, word


@pytest.mark.parametrize("way", WAYS)
def test_the_other_text_is_as_long_and_names_stand_where_they_stood(way: bytes) -> None:
    other = readable(way)
    assert len(other) == len(way)
    parser = grammars.parser("bash")
    assert parser.parse(way).root_node.has_error
    assert not parser.parse(other).root_node.has_error
    assert [other.find(name) for name in (b"line", b"host")] == [way.find(name) for name in (b"line", b"host")]
