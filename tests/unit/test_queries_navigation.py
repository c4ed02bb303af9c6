"""Where a name leads and who uses it, case by case.

The cursor asks; ranges labelled `target` are what definition answers, `use` what references adds to them.
"""

from __future__ import annotations

import pytest

from fixture_text import Fixture, fixture
from graphls.facts.paths import FilePath
from graphls.graph.identity import derived_id, symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.call_hierarchy import callers
from graphls.queries.declaration import declaration
from graphls.queries.definition import Destinations, definition
from graphls.queries.highlights import highlights
from graphls.queries.implementation import implementation
from graphls.queries.references import references
from graphls.queries.symbol import meaning
from graphls.queries.symbol_lookup import find_symbol
from graphls.queries.type_definition import type_definition
from graphls.session.memory import snapshot_of

Spans = set[tuple[str, int, int]]

NAMES = {
    "plain function": """
        def greet(): pass
        #   ^^^^^ target
        gre$0et()
        # ^^^ use
    """,
    "at the binding itself": """
        def gre$0et(): pass
        #   ^^^^^ target
        greet()
        # ^^^ use
    """,
    "declared below its first assignment": """
        class Mapper:
            def __init__(self, above):
                if above:
                    self.above = above
                #        ^^^^^ use
            above: "Mapper | None"
        #   ^^^^^ target
            def climb(self):
                return self.ab$0ove
                #           ^^^^^ use
    """,
    "through a re-export": """
        --- path: pkg/__init__.py ---
        from pkg.deep import tool
        #                    ^^^^ use
        --- path: pkg/deep.py ---
        def tool(): pass
        #   ^^^^ target
        --- path: main.py ---
        from pkg import tool
        #               ^^^^ use
        to$0ol()
        # ^^ use
    """,
    "renamed on the way": """
        --- path: a.py ---
        def one(): pass
        #   ^^^ target
        --- path: b.py ---
        from a import one as two
        #             ^^^ use
        #                    ^^^ use
        --- path: c.py ---
        from b import two
        #             ^^^ use
        tw$0o()
        # ^ use
    """,
    "a member of self": """
        class A:
            def go(self): pass
            #   ^^ target
            def run(self):
                self.g$0o()
                #    ^^ use
    """,
    "an attribute bound in two methods": """
        class A:
            def __init__(self):
                self.size = 0
                #    ^^^^ target
            def grow(self):
                self.size = 1
                return self.si$0ze
                #           ^^^^ use
    """,
    "a parameter stays in its file": """
        def f(value):
        #     ^^^^^ target
            return val$0ue
            #      ^^^^^ use
    """,
    "nothing of that name": """
        miss$0ing()
    """,
}


def _snapshot(case: Fixture) -> Snapshot:
    return snapshot_of(dict(case.files))


def _at(case: Fixture) -> tuple[FilePath, int]:
    assert case.cursor is not None
    return FilePath(case.cursor.path), case.cursor.offset


def _marked(case: Fixture, *names: str) -> Spans:
    """Labels point at the middle of short names: the whole name is meant."""
    return {_word(case, mark.path, mark.start) for mark in case.marks if mark.name in names}


def _word(case: Fixture, path: str, offset: int) -> tuple[str, int, int]:
    data = case.files[path]
    start = end = offset
    while start > 0 and _in_name(data[start - 1]):
        start -= 1
    while end < len(data) and _in_name(data[end]):
        end += 1
    return path, start, end


def _in_name(byte: int) -> bool:
    return chr(byte).isalnum() or byte == ord("_") or byte >= 0x80


def _shown(found: Destinations | None) -> Spans:
    return {(place.file, place.start, place.end) for place in found.places} if found else set()


@pytest.mark.parametrize("text", NAMES.values(), ids=NAMES)
def test_definition_and_references(text: str) -> None:
    case = fixture(text)
    snapshot = _snapshot(case)
    assert _shown(definition(snapshot, *_at(case))) == _marked(case, "target")
    found = meaning(snapshot, *_at(case))
    uses = {
        (use.file, use.start, use.end)
        for place in (found.places if found else ())
        for use in references(snapshot, place).uses
    }
    assert uses == _marked(case, "use")


@pytest.mark.parametrize("text", NAMES.values(), ids=NAMES)
def test_every_use_leads_back_to_its_definition(text: str) -> None:
    """Invariant 6: references and definition are inverses."""
    case = fixture(text)
    snapshot = _snapshot(case)
    for path, start, _ in _marked(case, "use"):
        assert _shown(definition(snapshot, FilePath(path), start)) == _marked(case, "target")


def test_declaration_is_the_import_of_the_file() -> None:
    case = fixture("""
        --- path: a.py ---
        def one(): pass
        --- path: b.py ---
        from a import one as two
        #                    ^^^ target
        tw$0o()
    """)
    assert _shown(declaration(_snapshot(case), *_at(case))) == _marked(case, "target")


def test_callers_of_what_a_package_shows_are_all_there() -> None:
    users = 300
    files = {
        "pkg/__init__.py": "from pkg.core import make as make\n",
        "pkg/core.py": "def make(): ...\n",
        **{f"use{number}.py": "import pkg\nfrom pkg import make\nmake()\npkg.make()\n" for number in range(users)},
    }
    snapshot = snapshot_of(files)
    (make,) = find_symbol(snapshot, "pkg.core:make")
    found = callers(snapshot, make)
    assert {calls.place.file for calls in found.calls} == {f"use{number}.py" for number in range(users)}
    assert all(len(calls.sites) == 2 for calls in found.calls)
    assert found.unresolved_sites == 0


QUERY = """
class Query:
    def chain(self): return self
class QuerySet:
    def __init__(self, model=None, query=None):
        self.query = query or Query(model)
    def all(self):
        return self.fetch()
    def fetch(self):
        return self.query.chain()
    def twice(self):
        return QuerySet().query.chain()
"""


def test_callers_through_self_and_an_attribute_without_annotation() -> None:
    snapshot = snapshot_of({"models.py": QUERY})

    def calling(name: str) -> set[str]:
        (place,) = find_symbol(snapshot, name)
        return {symbol_name(snapshot, calls.place) for calls in callers(snapshot, place).calls}

    assert calling("models:Query.chain") == {"models:QuerySet.fetch", "models:QuerySet.twice"}
    assert calling("models:QuerySet.fetch") == {"models:QuerySet.all"}


STUBBED = """
    --- path: m.py ---
    class A:
        def run(self, x): return x
        #   ^^^ source
    --- path: m.pyi ---
    class A:
        def run(self, x: int) -> int: ...
        #   ^^^ stub
    def native() -> A: ...
    #   ^^^^^^ alone
    --- path: use.py ---
    from m import A
    A().run(1)
    #   ^^^ use
"""


def test_definition_leads_to_the_source_and_declaration_to_the_stub() -> None:
    case = fixture(STUBBED)
    snapshot = _snapshot(case)
    for label in ("use", "source", "stub"):
        ((path, start, _),) = _marked(case, label)
        assert _shown(definition(snapshot, FilePath(path), start)) == _marked(case, "source")
        assert _shown(declaration(snapshot, FilePath(path), start)) == _marked(case, "stub")
    ((path, start, _),) = _marked(case, "alone")
    assert _shown(definition(snapshot, FilePath(path), start)) == _marked(case, "alone")
    found = declaration(snapshot, FilePath("use.py"), len("from "))
    assert found is not None
    assert [(place.file, place.start) for place in found.places] == [("m.pyi", 0)]


def test_implementation_of_a_member_is_what_overrides_it() -> None:
    case = fixture("""
        --- path: a.py ---
        class Base:
            def go(self): pass
        --- path: b.py ---
        from a import Base
        class Left(Base):
            def go(self): pass
            #   ^^ target
        class Deep(Left):
            def go(self): pass
            #   ^^ target
        def run(it: Base):
            it.g$0o()
    """)
    assert _shown(implementation(_snapshot(case), *_at(case))) == _marked(case, "target")


def test_implementation_of_a_class_is_what_extends_it() -> None:
    case = fixture("""
        class Ba$0se: pass
        class Left(Base): pass
        #     ^^^^ target
        class Deep(Left): pass
        #     ^^^^ target
        class Other: pass
    """)
    assert _shown(implementation(_snapshot(case), *_at(case))) == _marked(case, "target")


def test_type_definition_of_a_variable_is_the_class_of_its_value() -> None:
    case = fixture("""
        class Box: pass
        #     ^^^ target
        def f(it: Box):
            return i$0t
    """)
    assert _shown(type_definition(_snapshot(case), *_at(case))) == _marked(case, "target")


def test_names_outside_the_workspace_have_no_place_but_a_name() -> None:
    case = fixture("""
        import os.path
        os.path.jo$0in("a")
    """)
    found = definition(_snapshot(case), *_at(case))
    assert found is not None
    assert found.places == ()
    assert found.externals == ("os.path.join",)


def test_unknown_receivers_are_counted_not_guessed() -> None:
    case = fixture("""
        class A:
            def rare$0_name(self): pass
        def f(it):
            it.rare_name()
    """)
    snapshot = _snapshot(case)
    found = meaning(snapshot, *_at(case))
    assert found is not None
    answer = references(snapshot, found.places[0])
    assert answer.uses == ()
    assert answer.unresolved_sites == 1


def test_highlights_tell_writing_from_reading() -> None:
    case = fixture("""
        total = 0
        to$0tal += 1
        print(total)
    """)
    marks = highlights(_snapshot(case), *_at(case))
    assert [mark.writes for mark in marks] == [True, True, False]


@pytest.mark.parametrize("offset", [0, 3, 10_000])
def test_no_name_is_no_answer(offset: int) -> None:
    snapshot = snapshot_of({"a.py": "  \n\n\n", "notes.txt": "a name"})
    for path in ("a.py", "notes.txt", "gone.py"):
        assert definition(snapshot, FilePath(path), offset) is None


def test_a_constructor_is_called_where_its_class_is_instantiated() -> None:
    snapshot = snapshot_of({"a.py": "class Box:\n    def __init__(self): pass\n\ndef make():\n    return Box()\n"})
    path = FilePath("a.py")
    facts = snapshot.facts(path)
    row = next(row for row, name in enumerate(facts.definitions.name) if facts.strings[name] == "__init__")
    found = callers(snapshot, SymbolRef(path, row))
    assert [facts.strings[facts.definitions.name[call.place.definition]] for call in found.calls] == ["make"]


def test_a_fixture_s_parameter_and_a_string_lead_on() -> None:
    conftest = "import pytest\n@pytest.fixture\ndef client():\n    return 1\n"
    test = "from unittest import mock\ndef test_it(client, other):\n    mock.patch('shop.pay')\n    client\n"
    snapshot = snapshot_of({"shop.py": "def pay(): pass\n", "conftest.py": conftest, "test_it.py": test})
    path = FilePath("test_it.py")

    def led(text: str, at: int = 0) -> list[tuple[str, int]]:
        found = definition(snapshot, path, test.index(text) + at)
        return [(place.file, place.start) for place in found.places] if found else []

    assert led("client,") == [("conftest.py", conftest.index("client"))]
    assert led("shop.pay", 6) == [("shop.py", 4)]
    assert led("other") == [("test_it.py", test.index("other"))]
    assert led("    client", 5) == [("test_it.py", test.index("client"))]


def test_the_id_of_a_route_stands_for_what_handles_it() -> None:
    text = "import flask\napp = flask.Flask(__name__)\n@app.route('/pay')\ndef pay(): pass\n"
    snapshot = snapshot_of({"shop.py": text})
    assert snapshot.derivation is not None
    (route,) = snapshot.derivation.all_nodes(snapshot)
    (place,) = find_symbol(snapshot, derived_id(snapshot, route))
    assert symbol_name(snapshot, place) == "shop:pay"


@pytest.mark.parametrize(
    ("above", "start"),
    [("", 0), ("#!/usr/bin/env node\n// one\n\n/* two\n*/ ", 38), ("\ufeff/** a */\r\n", 13), ("// one\n" * 40, 280)],
)
def test_a_module_of_javascript_begins_with_its_first_statement(above: str, start: int) -> None:
    """Comments above it are about the file; a text of comments alone begins at its own beginning."""
    snapshot = snapshot_of({"a.js": f"{above}exports.x = 1\n", "b.js": "// nothing\n", "c.js": USING_MODULES})
    for name, place in (("all", ("a.js", start)), ("none", ("b.js", 0))):
        found = definition(snapshot, FilePath("c.js"), USING_MODULES.index(f"{name} from"))
        assert found is not None
        assert [(one.file, one.start, one.end) for one in found.places] == [(*place, place[1])]


USING_MODULES = "import * as all from './a.js'\nimport * as none from './b.js'\n"
