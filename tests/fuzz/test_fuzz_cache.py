"""Fuzz cache: values whose digest is right and whose shape is that of a value, and which refer to what is not there.

Owns: changes within valid encodings of all that a session stores.
Must not know: what columns mean.
Invariant: a value that cannot be used is lost, and what is lost is made again: no question fails.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import zlib
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import attrs
import msgpack
import pytest

from e2e.cli_runs import graphls
from graphls.context.lexical import check_terms, index_file
from graphls.facts.codec import CodecError
from graphls.facts.columns import column
from graphls.facts.kinds import ExpressionKind
from graphls.facts.paths import FilePath
from graphls.facts.validity import check_facts, check_range
from graphls.languages.registry import providers
from graphls.session.index.extraction import understand
from graphls.session.session import Session, SessionOptions
from graphls.sources.workspace import Workspace
from graphls.store.blobs import KINDS, BlobStore, Kind, StoreOptions
from increment.session_folder import PATIENCE, write

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROUNDS = int(os.environ.get("GRAPHLS_FUZZ_ROUNDS", "2"))
CODE = b"import os\n\n\nclass A:\n    def f(self, x: int = os.n(1)) -> A:\n        return [self.f(x).g]\n"
Values = Mapping[Kind, Mapping[str, bytes]]


class Recording(BlobStore):
    """Remembers what it is given."""

    def __init__(self, folder: Path) -> None:
        super().__init__(StoreOptions(str(folder)))
        self.given: dict[Kind, dict[str, bytes]] = {}

    def put_many(self, kind: Kind, values: Mapping[str, bytes]) -> bool:
        self.given.setdefault(kind, {}).update(values)
        return super().put_many(kind, values)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("cache") / "space"
    chosen = [*sorted(FIXTURES.glob("*/facts/*.py"))[:12], *sorted(FIXTURES.glob("*/facts/*.ts*"))[:10]]
    write(root, {path.relative_to(FIXTURES).as_posix(): path.read_bytes() for path in chosen})
    return root


def _filled(root: Path, store: BlobStore) -> None:
    options = SessionOptions(libraries=True, upgrade=False)
    with closing(Session(Workspace.of([str(root)]), store=store, options=options)) as session:
        session.start()
        assert session.wait("complete", PATIENCE), session.problems


def _asked(root: Path, cache: Path) -> str:
    """What the command line says, which never fails."""
    done = graphls("export", "--mode", "allow-errors", "--sites", "--locals", cwd=root, GRAPHLS_CACHE_DIR=str(cache))
    assert done.code == 0, done.err
    assert "fault" not in done.err
    return done.out


def _changed(value: object, chance: random.Random) -> object:
    """One leaf of it is another one of its type."""
    if isinstance(value, list) and value:
        items = cast("list[object]", value)
        at = chance.randrange(len(items))
        return [_changed(item, chance) if place == at else item for place, item in enumerate(items)]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice((value + 1, -value, 0, 1 << 40))
    if isinstance(value, str):
        return chance.choice(("", "\0".join(value.split("\0")[:-1]), f"{value}\0more"))
    if isinstance(value, bytes) and value:
        return _other_bytes(value, chance)
    return cast("object", value)


def _other_bytes(value: bytes, chance: random.Random) -> bytes:
    if value[:2] == b"\x78\x01":
        with contextlib.suppress(zlib.error):  # or a number that looks like it
            return zlib.compress(_other_value(zlib.decompress(value), chance), 1)
    inside = _other_value(value, chance)
    if inside != value or len(value) % 4:
        return inside
    numbers = column()
    numbers.frombytes(value)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(numbers))
        numbers[at] = chance.choice((-1, -2, -7, at, len(numbers), 9, 1 << 20, (1 << 31) - 1, -(1 << 31)))
    return numbers.tobytes()


def _other_value(value: bytes, chance: random.Random) -> bytes:
    if value[:2] == b"\x78\x01":
        return _other_bytes(value, chance)
    try:
        unpacked: Any = msgpack.unpackb(value, raw=False, unicode_errors="surrogatepass")
    except ValueError:
        return value
    if not isinstance(unpacked, list):
        return value
    changed = cast("object", unpacked)
    for _ in range(3):
        changed = _changed(changed, chance)
    return msgpack.packb(changed, use_bin_type=True, unicode_errors="surrogatepass")


def forged(values: Mapping[str, bytes], chance: random.Random) -> Iterable[tuple[str, bytes]]:
    return ((key, _other_value(value, chance)) for key, value in sorted(values.items()))


def test_forged_values_are_made_again(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "store"
    with closing(Recording(cache)) as store:
        _filled(root, store)
        honest: Values = {kind: dict(values) for kind, values in store.given.items()}
    expected = _asked(root, cache)
    assert {"facts", "surface", "links", "manifest"} <= honest.keys()
    for seed in range(ROUNDS):
        chance, changed = random.Random(seed), 0
        with closing(BlobStore(StoreOptions(str(cache)))) as store:
            for kind, values in honest.items():
                planted = dict(forged(values, chance))
                changed += sum(planted[key] != value for key, value in values.items())
                store.put_many(kind, planted)
        assert changed > 20
        _asked(root, cache)
    with closing(BlobStore(StoreOptions(str(cache)))) as store:
        store.clear()
    assert _asked(root, cache) == expected


SMALL = {
    "shop.py": b"""
import json
from web import page

class Order:
    def __iter__(self):
        return iter(page())

def test_all():
    for one in Order():
        json.dumps(one)
""",
    "web.py": b"def page() -> list[int]:\n    return [unknown(1)]\n",
    "a.ts": b"import { b } from './b';\nexport class A { run() { return b(this.run()); } }\n",
    "b.ts": b"export function b(value) { return value.other; }\n",
    "README.md": b"# Shop\nSee `Order` and `A.run`.\n",
}
COMMANDS = (
    ("export", "--mode", "allow-errors", "--sites", "--locals"),
    ("pack", "how is an order made"),
    ("find", "pages of an order"),
    ("findings",),
)


def _values(cache: Path) -> dict[Kind, dict[str, bytes]]:
    with closing(BlobStore(StoreOptions(str(cache)))) as store:
        made = {kind: dict(store.get_many(kind, store.names(kind))) for kind in KINDS}
    return {kind: values for kind, values in made.items() if values}


def _wrong(value: bytes, chance: random.Random) -> bytes:
    """No value at all, a part of one, or one that says something else."""
    junk = (b"", bytes(len(value)), value[: len(value) // 2], chance.randbytes(40), value + value[:9])
    return chance.choice(junk) if chance.random() < 0.6 else _other_value(value, chance)


def test_a_forged_value_of_any_kind_fails_no_command(tmp_path: Path) -> None:
    root, cache = tmp_path / "small", tmp_path / "store"
    write(root, SMALL)

    def run(*arguments: str) -> tuple[int, str]:
        done = graphls(*arguments, cwd=root, GRAPHLS_CACHE_DIR=str(cache))
        assert "fault" not in done.err, done.err
        assert "Traceback" not in done.err, done.err
        return done.code, done.out

    expected = [run(*command) for command in COMMANDS]
    honest, chance = _values(cache), random.Random(7)
    assert {"facts", "links", "surface", "edges", "terms"} <= honest.keys()
    for kind in honest:
        with closing(BlobStore(StoreOptions(str(cache)))) as store:
            store.clear()
            for other, values in honest.items():
                planted = {key: _wrong(value, chance) for key, value in values.items()} if other == kind else values
                store.put_many(other, planted)
        for command, (code, _) in zip(COMMANDS, expected, strict=True):
            assert run(*command)[0] == code, (kind, command)
    with closing(BlobStore(StoreOptions(str(cache)))) as store:
        for kind, values in honest.items():
            store.put_many(kind, dict.fromkeys(values, b"\x00\x01no value"))
    assert run(*COMMANDS[0]) == expected[0]


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        ("definitions", "name", 1 << 20), ("definitions", "body", -9), ("definitions", "kind", 200),
        ("occurrences", "scope", 1 << 20), ("scopes", "parent", 0), ("imports", "module", 1 << 20),
        ("expressions", "a", 1 << 20), ("expressions", "kind", 99), ("lists", "end", 1 << 20),
    ],
)  # fmt: skip
def test_facts_that_refer_to_what_is_not_there_are_none(table: str, name: str, value: int) -> None:
    facts, _ = understand(providers()["python"], FilePath("a.py"), CODE)
    check_facts(facts)
    whole = getattr(facts, table)
    numbers = column(getattr(whole, name))
    numbers[0] = value
    with pytest.raises(CodecError):
        check_facts(attrs.evolve(facts, **{table: whole.with_column(name, numbers)}))


def test_operands_go_round_in_no_circle() -> None:
    facts, _ = understand(providers()["python"], FilePath("a.py"), b"a.b.c.d\n")
    check_facts(facts)
    rows = [row for row, kind in enumerate(facts.expressions.kind) if kind == ExpressionKind.MEMBER]
    for operand in rows:  # a member of itself, and of what is a member of it
        numbers = column(facts.expressions.a)
        numbers[rows[0]] = operand
        with pytest.raises(CodecError):
            check_facts(attrs.evolve(facts, expressions=facts.expressions.with_column("a", numbers)))


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("starts", 0, 1 << 20), ("starts", 0, -1), ("ends", 0, -1), ("rows", 0, -9), ("parents", 1, 1 << 20),
        ("symbols", 0, 1 << 20), ("unit", 0, 1 << 20), ("count", 0, 0), ("named", 0, 7), ("sizes", 0, -3),
        ("names", 0, -1), ("first", 0, 1), ("first", -1, 1 << 20), ("terms", 0, (1 << 31) - 1),
    ],
)  # fmt: skip
def test_terms_that_refer_to_what_is_not_there_are_none(name: str, at: int, value: int) -> None:
    facts, _ = understand(providers()["python"], FilePath("a.py"), CODE)
    known = index_file(FilePath("a.py"), facts, CODE)
    check_terms(known)
    numbers = column(getattr(known, name))
    numbers[at] = value
    with pytest.raises(CodecError):
        check_terms(attrs.evolve(known, **{name: numbers}))


def test_ranges_of_every_width_are_seen() -> None:
    """Columns are checked as one number: odd and even counts, each place in it, both ends, other columns beside it."""
    beside = ((column([-1, 99, 0]).tobytes(), -1, 100), (column([0, 7]).tobytes(), 0, 8))
    for count, low, high in itertools.product(range(1, 6), (-1, 0), (0, 1, 7, 1 << 30)):
        for at, value in itertools.product(range(count), (-2, -1, 0, 6, 7, (1 << 30) - 1, 1 << 30, -(1 << 31))):
            fits = low <= value < max(high, low + 1)
            numbers = column([low] * count)
            numbers[at] = value
            part = (numbers.tobytes(), low, high)
            for parts in ((part,), (part, *beside), (*beside, part), (beside[0], part, beside[1])):
                if fits:
                    check_range("it", parts)
                    continue
                with pytest.raises(CodecError):
                    check_range("it", parts)
