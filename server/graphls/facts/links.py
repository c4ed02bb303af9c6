"""Links: one file's occurrences resolved, and what that took.

Owns: the shape of links and of targets.
Must not know: how names are resolved, where links are kept.
Invariant: valid while the file's facts and every surface named in `reads` are unchanged and every lookup
    still has the same answer.
"""

from __future__ import annotations

import attrs

from graphls.facts.columns import Column, Table
from graphls.facts.kinds import UnresolvedReason

LINKS_VERSION = 47
"""Raised whenever resolution changes what it answers; part of every cache key."""

OWN_FILE = 0
"""Value of `Targets.file` for the linked file itself; `Targets.symbol` is then a row of its Definitions."""

WHOLE_MODULE = -1
"""Value of `Targets.symbol` for a module (its file) as a target."""

EXTERNAL = -2
"""Value of `Targets.symbol` for something outside the workspace; `Targets.file` is then a row of `externals`."""

BY_SHAPE = 2
"""Value of `Overrides.edge`: it implements the member as far as the names of members tell."""


@attrs.frozen(eq=False)
class Targets(Table):
    """One row a (occurrence, target), in order of occurrence, best target first.

    `file`: row of `Links.files`. `symbol`: row of that file's Surface.symbols (or see the constants above).
    `edge`: EdgeKind. `resolution`: Resolution. `confidence`: hundredths. `ambiguous`: 1 when one of several.
    """

    occurrence: Column
    file: Column
    symbol: Column
    edge: Column
    resolution: Column
    confidence: Column
    ambiguous: Column


@attrs.frozen(eq=False)
class Unresolved(Table):
    """One row an occurrence that no rule resolves. `reason`: UnresolvedReason."""

    occurrence: Column
    reason: Column

    def open_count(self) -> int:
        """Those that may mean something of the workspace."""
        return len(self.reason) - self.reason.count(UnresolvedReason.OUTSIDE_PARAMETER)


@attrs.frozen(eq=False)
class Overrides(Table):
    """A definition of this file stands in for a member of a base class. `edge` 0 overrides, 1 implements, BY_SHAPE
    implements as far as the names of members tell.

    `definition`: row of own Definitions; `file`, `symbol` as in Targets.
    """

    definition: Column
    file: Column
    symbol: Column
    edge: Column


@attrs.frozen(eq=False)
class Links:
    """Resolution of one file. `files[0]` is the file itself."""

    files: tuple[str, ...]
    externals: tuple[str, ...]
    """Dotted names outside the workspace, as far as the text decides them."""
    targets: Targets
    unresolved: Unresolved
    overrides: Overrides
    module_targets: Targets
    """One row a row of Imports: the module imported (`occurrence` is the row of Imports)."""
    implicit: Targets
    """Methods that constructs run: `occurrence` is a row of Constructs; `len(constructs)` more than a row of
    Occurrences where a value is called."""
    implicit_rules: Column
    """One value a row of `implicit`, as `rules`."""
    rules: Column
    """One value a row of `targets`: which rule of the resolver answered (named by the language)."""
    reads: tuple[str, ...]
    """Files whose surfaces were looked at."""
    lookups: tuple[str, ...]
    """Module questions asked, `dotted<TAB>answer`; an empty answer means "not there"."""
