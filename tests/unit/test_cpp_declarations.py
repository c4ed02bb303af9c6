"""Declarations and definitions of C++: one symbol with several places, on every face.

Owns: names of what is declared outside of its class, uses through headers, constructors, names without a declaration.
Must not know: how names are resolved (the fixtures do).
Invariant: whichever place is asked about, the answer is the same; what nobody can tell from the text is said.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.graph.request_budget import RequestBudget, limited
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.call_hierarchy import callees
from graphls.queries.completeness import Cause, CoverageClaim, completeness
from graphls.queries.declaration import declaration
from graphls.queries.definition import definition
from graphls.queries.find import FindQuery, find
from graphls.queries.highlights import highlights
from graphls.queries.hover import card
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.node import node
from graphls.queries.redeclarations import redeclarations
from graphls.queries.references import references
from graphls.queries.rename import rename
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

FILES = {
    "status.h": b"""#include <string>
namespace m { class Status {
 public:
  Status(int code);
  static Status OK();
  /** Whether nothing went wrong. */
  bool ok() const;
  virtual int level();
  static int made;
 private:
  int code_;
};
class Derived : public Status {
 public:
  int level() override;
};
int total(int a);
}
""",
    "status.cc": b"""#include "status.h"
namespace m {
static int helper() { return 1; }
int Status::made = 0;
Status::Status(int code) : code_(code) { helper(); }
Status Status::OK() { return Status(helper()); }
bool Status::ok() const { return code_ == helper(); }
int Status::level() { return helper(); }
int Derived::level() { return helper() + 1; }
}
int m::total(int a) { return a; }
""",
    "user.cc": b"""#include "status.h"
using namespace m;
Status one() { return Status::OK(); }
bool two(Status* s) { return s->ok(); }
int three(Status* s) { return s->level() + total(1); }
int four() { Status s(3); return Status::made; }
Status* five() { return new Status(3); }
Status six() { return Status{3}; }
bool operator==(const Status& a, const Status& b) { return true; }
""",
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(FILES)


def _at(snapshot: Snapshot, spelled: str) -> SymbolRef:
    return one_symbol(snapshot, spelled)


def _places(snapshot: Snapshot, spelled: str) -> set[str]:
    found = references(snapshot, _at(snapshot, spelled))
    text = {path: snapshot.text(path) or b"" for path in snapshot.shards}
    spans = [(one.file, one.start) for one in (*found.bindings, *found.uses)]
    return {f"{path}:{text[path][:start].count(10) + 1}" for path, start in spans}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Status.OK", {"status.h:5", "status.cc:6", "user.cc:3"}),
        ("Status.ok", {"status.h:7", "status.cc:7", "user.cc:4"}),
        ("Status.made", {"status.h:9", "status.cc:4", "user.cc:6"}),
        ("m.total", {"status.h:17", "status.cc:11", "user.cc:5"}),
    ],
)
def test_references_are_the_same_at_declaration_and_definition(
    snapshot: Snapshot, name: str, expected: set[str]
) -> None:
    whole = name if name.startswith("m.") else f"m.{name}"
    assert _places(snapshot, f"status.h:{whole}") == expected
    assert _places(snapshot, f"status.cc:{whole}") == expected


def test_what_is_declared_outside_of_its_class_has_the_name_of_the_class(snapshot: Snapshot) -> None:
    facts = snapshot.facts(FilePath("status.cc"))
    names = {qualified_name(facts, row) for row in range(len(facts.definitions))}
    assert {"m.Status.OK", "m.Status.made", "m.Derived.level", "m.total", "m.helper"} <= names
    found = find(snapshot, FindQuery("Status.level", mode="exact"))
    assert {one.place.file for one in found.matches} == {"status.h", "status.cc"}


def test_a_name_is_written_as_the_language_writes_it_and_means_the_definition(snapshot: Snapshot) -> None:
    assert _at(snapshot, "m::Status::ok") == _at(snapshot, "status.cc:m.Status.ok")
    assert _at(snapshot, "Status.ok") == _at(snapshot, "status.cc:m.Status.ok")


def _affected(snapshot: Snapshot, spelled: str) -> dict[str, bool]:
    found = impact(snapshot, ImpactQuery(_at(snapshot, spelled)))
    return {
        qualified_name(snapshot.facts(one.node.file), one.node.definition): one.possible
        for one in found.affected
        if isinstance(one.node, SymbolRef)
    }


def test_impact_of_a_definition_is_certain_where_nothing_overrides_it(snapshot: Snapshot) -> None:
    assert _affected(snapshot, "status.cc:m.Status.OK") == {"one": False}
    assert _affected(snapshot, "status.cc:m.Derived.level") == {"three": True}
    reached = _affected(snapshot, "status.cc:m.helper")
    assert not any(reached.values())
    assert {"one", "two", "three", "m.Status.ok"} <= reached.keys()


def test_whoever_makes_an_instance_is_affected_by_its_constructor(snapshot: Snapshot) -> None:
    assert {"four", "five", "six"} <= _affected(snapshot, "status.cc:m.Status.Status").keys()


@pytest.mark.parametrize("spelled", ["status.cc:m.Status.Status", "status.h:m.Status.Status", "user.cc:operator=="])
def test_what_runs_without_being_named_is_never_complete(snapshot: Snapshot, spelled: str) -> None:
    lacking = completeness(snapshot, CoverageClaim(uses_of=(_at(snapshot, spelled),)))
    assert Cause.IMPLICIT in {gap.cause for gap in lacking.gaps}


def test_other_answers_are_complete(snapshot: Snapshot) -> None:
    for spelled in ("status.cc:m.Status.ok", "status.h:m.total"):
        assert references(snapshot, _at(snapshot, spelled)).completeness.gaps == ()


def test_definition_comes_before_declaration(snapshot: Snapshot) -> None:
    found = definition(snapshot, FilePath("user.cc"), FILES["user.cc"].index(b"ok()"))
    assert found is not None
    assert [place.file for place in found.places] == ["status.cc", "status.h"]


def test_declaration_is_where_the_symbol_is_announced(snapshot: Snapshot) -> None:
    for path in ("user.cc", "status.cc"):
        found = declaration(snapshot, FilePath(path), FILES[path].index(b"ok()"))
        assert found is not None
        assert [place.file for place in found.places] == ["status.h"]


def test_callees_are_definitions_and_overriding_ones_possible(snapshot: Snapshot) -> None:
    calls = callees(snapshot, _at(snapshot, "user.cc:three"))
    sure = {(one.place.file, one.through is None) for one in calls}
    assert ("status.cc", True) in sure
    assert {qualified_name(snapshot.facts(one.place.file), one.place.definition) for one in calls if one.through} == {
        "m.Derived.level"
    }


def test_what_is_shown_of_one_place_is_that_of_all(snapshot: Snapshot) -> None:
    shown = node(snapshot, _at(snapshot, "status.cc:m.Status.level"))
    incoming = {group.kind: group.count for group in shown.groups if group.incoming}
    assert incoming["calls"] == 1
    assert incoming["overrides"] == 1
    declared = node(snapshot, _at(snapshot, "status.h:m.Status.level"))
    assert {group.kind for group in declared.groups if not group.incoming} >= {"calls"}


def test_a_hover_at_the_definition_says_what_the_header_says(snapshot: Snapshot) -> None:
    shown = card(snapshot, _at(snapshot, "status.cc:m.Status.ok"))
    assert shown.doc == "Whether nothing went wrong."
    assert (shown.overrides, shown.overridden_by) == ((), 0)
    assert shown.use is not None
    assert shown.use.callers == 1
    assert card(snapshot, _at(snapshot, "status.h:m.Status.level")).overridden_by == 1


def test_rename_edits_every_place(snapshot: Snapshot) -> None:
    for spelled in ("status.cc:m.Status.ok", "status.h:m.Status.ok"):
        edits = rename(snapshot, _at(snapshot, spelled), "fine").edits
        assert {edit.file for edit in edits} == {"status.h", "status.cc", "user.cc"}
        assert len(edits) == 3


FORWARD = {
    "emitter.h": b"#include <vector>\nnamespace y { class Emitter { public: int Put(int a); }; }\n",
    "forward.h": b"namespace y { class Emitter; void write(Emitter& e); }\n",
    "use.cc": b'#include "forward.h"\nnamespace y { void again(Emitter& e) { write(e); } }\n',
    "other.cc": b"#include <vector>\nnamespace { class Emitter { int a; }; }\n",
}


def test_a_class_that_others_only_announce_is_one_class() -> None:
    snapshot = snapshot_of(FORWARD)
    announced = one_symbol(snapshot, "forward.h:y.Emitter")
    defined = one_symbol(snapshot, "emitter.h:y.Emitter")
    assert set(redeclarations(snapshot, announced)) == {announced, defined}
    assert one_symbol(snapshot, "y.Emitter") == defined
    assert {"forward.h:1", "emitter.h:2", "use.cc:2"} == _places(snapshot, "emitter.h:y.Emitter")


RESTING = {
    "base.h": b"#include <vector>\nint limit(int a);\nclass Given { int a; };\n",
    "resting.h": b"#include <string>\ninline int twice(int a) { return limit(a) + strlen(0); }\n",
    "main.cc": b'#include "base.h"\n#include "resting.h"\nint main() { return twice(2); }\n',
}


def test_a_header_that_rests_on_others_is_not_said_to_use_something_outside() -> None:
    snapshot = snapshot_of(RESTING)
    found = references(snapshot, one_symbol(snapshot, "limit"))
    assert found.completeness.gaps
    assert {gap.cause for gap in found.completeness.gaps} == {Cause.UNBOUND_NAME}


def test_a_namespace_of_the_library_that_code_adds_to_stays_outside() -> None:
    files = {
        "mine.h": b"#include <tuple>\nstruct Mine { int a; };\nnamespace std { template <> struct hash<Mine> {}; }\n",
        "use.cc": b'#include "mine.h"\nstd::string text() { return std::string(); }\nstd::hash<Mine> h;\n',
    }
    snapshot = snapshot_of(files)
    found = definition(snapshot, FilePath("use.cc"), files["use.cc"].index(b"std::string"))
    assert found is not None
    assert found.places == ()
    assert found.externals == ("std",)


def test_what_the_grammar_does_not_understand_makes_answers_incomplete() -> None:
    files = {
        "part.h": b"int shown(int a);\nint other(int a);\n",
        "odd.cc": b'#include "part.h"\nint g() { return other(2); }\nDECLARE(shown( x {{ ;\n',
    }
    snapshot = snapshot_of(files)
    causes = {gap.cause for gap in references(snapshot, one_symbol(snapshot, "shown")).completeness.gaps}
    assert causes == {Cause.UNREAD}
    assert references(snapshot, one_symbol(snapshot, "other")).completeness.gaps == ()


def test_a_spent_budget_is_an_answer_in_part() -> None:
    live = snapshot_of(FILES)
    with limited(RequestBudget(lambda _: "time")):
        found = references(live, SymbolRef(FilePath("status.h"), _row(live, "status.h", "m.Status.ok")))
    assert {gap.cause for gap in found.completeness.gaps} == {Cause.TIME_LIMIT}


def _row(snapshot: Snapshot, path: str, name: str) -> int:
    facts = snapshot.facts(FilePath(path))
    return next(row for row in range(len(facts.definitions)) if qualified_name(facts, row) == name)


def test_highlights_mark_declaration_and_definition_in_one_file() -> None:
    text = b"class Lamp { int lit(); };\nint Lamp::lit() { return lit(); }\n"
    live = snapshot_of({"lamp.cc": text})
    for offset in (text.index(b"lit"), text.index(b"lit()", 30), text.rindex(b"lit")):
        starts = [mark.start for mark in highlights(live, FilePath("lamp.cc"), offset)]
        assert starts == [17, 37, 52]


def test_what_one_branch_takes_from_outside_another_may_have_itself() -> None:
    text = (
        "#include <memory>\nnamespace own {\n#if CPP14\nusing std::make;\n#else\n"
        "template <class T> T *make() { return new T(); }\n#endif\ninline void all() { make<int>(); }\n}\n"
    )
    snapshot = snapshot_of({"a.hpp": text})
    found = definition(snapshot, FilePath("a.hpp"), text.index("make<int>"))
    assert found is not None
    assert found.externals == ("std.make",)
    assert [one.start for one in found.places] == [text.index("make()")]
