"""References of a name that stands for two things, or for something outside: neither is lost.

Owns: keys written as `{ x }`, bindings of packages.
Must not know: LSP types.
Invariant: uses of another file's binding of the same package are not mixed in.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.queries.outside_uses import outside_uses
from graphls.queries.references import references
from graphls.queries.symbol import meaning
from graphls.session.memory import snapshot_of

SHORTHAND = "const v = 1\nexport const o = { v }\no.v\nv\n"
PACKAGE = "const { once: on } = require('events')\nconst split = require('split2')\non(1)\nsplit(split)\nsplit.more\n"


def test_a_shorthand_key_is_variable_and_key() -> None:
    snapshot = snapshot_of({"a.ts": SHORTHAND})
    found = meaning(snapshot, FilePath("a.ts"), SHORTHAND.index("v }"))
    assert found is not None
    uses = [references(snapshot, place).uses for place in found.referents(snapshot)]
    assert {use.start for part in uses for use in part} == {
        SHORTHAND.index("v }"),
        SHORTHAND.index("o.v") + 2,
        SHORTHAND.rindex("v"),
    }


def test_a_plain_use_is_one_thing() -> None:
    snapshot = snapshot_of({"a.ts": SHORTHAND})
    found = meaning(snapshot, FilePath("a.ts"), SHORTHAND.rindex("v"))
    assert found is not None
    assert found.referents(snapshot) == found.places


def test_uses_of_a_package_are_those_of_the_file() -> None:
    snapshot = snapshot_of({"a.js": PACKAGE, "b.js": PACKAGE})
    path = FilePath("a.js")
    found = meaning(snapshot, path, PACKAGE.index("split ="))
    assert found is not None
    assert found.places == ()
    outside = outside_uses(snapshot, path, found.externals)
    first = PACKAGE.index("split(")
    assert outside.bindings == ((PACKAGE.index("split ="), PACKAGE.index(" = require('split2")),)
    assert [start for start, _ in outside.uses] == [first, first + 6, PACKAGE.index("split.more")]
