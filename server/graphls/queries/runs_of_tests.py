"""Runs of tests: a record of which functions ran while each test ran.

Owns: the file format, what a file looked like when its functions ran, how a later record joins an earlier one.
Must not know: runners, the disk, ways from tests to code.
Invariant: a record is taken as a whole or refused as a whole; it names a function by its qualified name and by a digest
    of its text, never by its line.

The format is JSON, so that any runner's plugin can write it:

    {"format": "graphls test runs", "version": 1, "made": "2026-12-01T12:00:00Z", "tests": ["tests/a.py::test_x", ...],
     "files": {"src/a.py": {"content": CONTENT, "rest": DIGEST,
                            "functions": {"Shop.total": [DIGEST, "3"], ...}, "early": ["made", ...]}}}

`tests` are ids of the runner, without parameters. The second of a function is a number in base 16 whose bit N says that
test N ran it. `rest` is a digest of what stands outside of functions, `early` what also ran outside of any test.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Set
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.json_values import mapping_of, sequence_of, text_of
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import is_node, node_row, qualified_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.body_tokens import code_of

FORMAT: Final = "graphls test runs"
VERSION: Final = 1
_FUNCTIONS: Final = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY)
_DIGITS: Final = 16


class TestRunsRefused(ValueError):
    """Why a record cannot be taken in, in words for users."""

    __test__ = False


@attrs.frozen
class FileSketch:
    """A file as a record compares it: digests of its functions by qualified name, and of all that is outside."""

    rest: str
    functions: Mapping[str, str]


@attrs.frozen
class FileRuns:
    """One file. `functions`: by qualified name a digest and the tests that ran it, as bits."""

    content: str
    rest: str
    functions: Mapping[str, tuple[str, int]]
    early: Set[str] = frozenset()

    @property
    def tests(self) -> int:
        """Tests that ran anything in it, as bits."""
        found = 0
        for _, bits in self.functions.values():
            found |= bits
        return found


@attrs.frozen
class TestRuns:
    """A record. `made`: when, as ISO 8601 in UTC."""

    __test__ = False

    made: str
    tests: tuple[str, ...]
    files: Mapping[FilePath, FileRuns]


def sketch_of(snapshot: Snapshot, path: FilePath) -> FileSketch:
    """A file of the graph that has a language."""
    text, language = snapshot.text(path) or b"", snapshot.shards[path].language
    facts = snapshot.facts(path)
    functions: dict[str, str] = {}
    rest: list[bytes] = []
    end = 0
    for row in callable_rows(facts):
        start, stop = facts.definitions.full_start[row], facts.definitions.full_end[row]
        name = qualified_name(facts, row)
        digest = digest_of_code(text[start:stop], language)
        functions[name] = f"{functions[name]} {digest}" if name in functions else digest
        if start >= end:
            rest.append(text[end:start])
            end = stop
    rest.append(text[end:])
    return FileSketch(digest_of_code(b"\n".join(rest), language), functions)


def callable_rows(facts: FileFacts) -> Iterator[int]:
    """Functions, methods and properties that are nodes, by place, outer ones first."""
    table = facts.definitions
    for row in sorted(range(len(table)), key=lambda row: (table.full_start[row], -table.full_end[row])):
        if table.kind[row] in _FUNCTIONS and is_node(facts, row) and node_row(facts, row) == row:
            yield row


def digest_of_code(text: bytes, language: str) -> str:
    """Of what runs: comments and blank lines do not count."""
    code = code_of(text.decode("utf-8", "replace"), language)
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def runs_of_text(text: bytes) -> TestRuns:
    """A record from a file. Raises TestRunsRefused."""
    try:
        value = mapping_of(json.loads(text))
    except (ValueError, RecursionError):
        raise TestRunsRefused("it is no JSON") from None
    if value.get("format") != FORMAT:
        raise TestRunsRefused(f'it is no record of test runs: "format" has to be "{FORMAT}"')
    if value.get("version") != VERSION:
        raise TestRunsRefused(f"its version is {value.get('version')!r}, and {VERSION} is read: record it again")
    files = {FilePath(path): _file_of(path, mapping_of(one)) for path, one in mapping_of(value.get("files")).items()}
    return TestRuns(text_of(value.get("made")), tuple(map(text_of, sequence_of(value.get("tests")))), files)


def _file_of(path: str, value: Mapping[str, object]) -> FileRuns:
    functions: dict[str, tuple[str, int]] = {}
    for name, one in mapping_of(value.get("functions")).items():
        parts = [text_of(part) for part in sequence_of(one)]
        try:
            digest, bits = parts
            functions[name] = digest, int(bits, 16)
        except ValueError:
            raise TestRunsRefused(f"what it says of {name} in {path} is no digest with a number") from None
    early = frozenset(map(text_of, sequence_of(value.get("early"))))
    return FileRuns(text_of(value.get("content")), text_of(value.get("rest")), functions, early)


def text_of_runs(runs: TestRuns) -> str:
    """The file of a record: the same bytes for the same record."""
    files = {
        path: {
            "content": file.content,
            "rest": file.rest,
            "functions": {
                name: [digest, f"{bits:x}"] for name, (digest, bits) in sorted(file.functions.items()) if bits
            },
            **({"early": sorted(file.early)} if file.early else {}),
        }
        for path, file in sorted(runs.files.items())
    }
    value = {"format": FORMAT, "version": VERSION, "made": runs.made, "tests": list(runs.tests), "files": files}
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


def joined_runs(before: TestRuns, after: TestRuns, outdated: int, ran: Set[str]) -> TestRuns:
    """A record of a part of the tests, with what an earlier one says of the others. `outdated`: tests of the earlier
    one, as bits, whose code changed since: nothing is known of them any more. `ran`: all tests that were run, those
    among them of which the later record says nothing."""
    staying = [number for number, test in enumerate(before.tests) if test not in ran and not outdated >> number & 1]
    first = len(after.tests)
    places = {number: 1 << first + index for index, number in enumerate(staying)}
    files = dict(after.files)
    for path, old in before.files.items():
        moved = {name: (digest, _moved(bits, places)) for name, (digest, bits) in old.functions.items()}
        moved = {name: one for name, one in moved.items() if one[1]}
        if not moved:
            continue
        new = files.get(path)
        files[path] = attrs.evolve(old, functions=moved) if new is None else _united(moved, old, new)
    return TestRuns(after.made, (*after.tests, *(before.tests[number] for number in staying)), files)


def _united(moved: Mapping[str, tuple[str, int]], old: FileRuns, new: FileRuns) -> FileRuns:
    functions = dict(new.functions)
    for name, (digest, bits) in moved.items():
        known = functions.get(name)
        functions[name] = (digest, bits) if known is None else (known[0], known[1] | bits)
    return attrs.evolve(new, functions=functions, early=new.early | old.early)


def _moved(bits: int, places: Mapping[int, int]) -> int:
    found = 0
    while bits:
        lowest = bits & -bits
        found |= places.get(lowest.bit_length() - 1, 0)
        bits ^= lowest
    return found
