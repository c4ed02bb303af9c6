"""Open files: documents of an editor, with the parse tree that goes with their text.

Owns: bringing a tree up to date with edits, deciding when a tree may be reused.
Must not know: the protocol, snapshots, the disk.
Invariant: `refreshed` gives what extraction of the same bytes from scratch gives, at the latest after `settle`.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from tree_sitter import Point, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import ContentHash, FilePath
from graphls.facts.surface import Surface
from graphls.languages.provider import Provider
from graphls.session.documents import ByteEdit
from graphls.session.extraction import understand

REUSE_FROM_BYTES = 48_000
"""A smaller file is parsed anew after each edit: that costs little, and no trace of an earlier text can stay."""


@attrs.frozen(eq=False)
class Understood:
    """An open file's text and what it says."""

    data: bytes = attrs.field(repr=False)
    facts: FileFacts
    surface: Surface


class OpenFile:
    """One open document. Its owner holds a lock."""

    def __init__(self, path: FilePath, data: bytes, provider: Provider | None) -> None:
        self.path = path
        self.data = data
        self.provider = provider
        self.on_disk: ContentHash | None = None
        """Contents of the file itself, None where there is none."""
        self.stale = True
        self.reused = False
        """The tree was made from an earlier one."""
        self._tree: Tree | None = None
        self._edits: list[ByteEdit] = []

    def change(self, data: bytes, edits: Sequence[ByteEdit]) -> None:
        """The document has other contents now. Without edits nothing is known of what became of the earlier ones."""
        self.data = data
        self._edits.extend(edits)
        if not edits:
            self._tree = None
        self.stale = True

    def understood(self) -> Understood | None:
        """Facts and surface of the text; None for a file of no language. Raises what extraction raises."""
        self.stale = False
        if self.provider is None:
            return None
        try:
            self._tree = self._parsed(self.provider)
            facts, surface = understand(self.provider, self.path, self.data, self._tree)
        except BaseException:
            self._tree = None
            raise
        finally:
            self._edits.clear()
        if len(self.data) < REUSE_FROM_BYTES:
            self._tree = None
        return Understood(self.data, facts, surface)

    def settle(self) -> Understood | None:
        """What a parse from scratch says, where the last one was made from an earlier tree."""
        if not self.reused or self.stale:
            return None
        self._tree, self.reused = None, False
        return self.understood()

    def _parsed(self, provider: Provider) -> Tree:
        tree = self._tree
        # Error recovery may depend on the tree before: only trees without errors are passed on, and taken.
        if tree is None or tree.root_node.has_error:
            self.reused = False
            return provider.parser(self.path).parse(self.data)
        for edit in self._edits:
            tree.edit(
                edit.start,
                edit.old_end,
                edit.new_end,
                Point(*edit.start_point),
                Point(*edit.old_end_point),
                Point(*edit.new_end_point),
            )
        made = provider.parser(self.path).parse(self.data, tree)
        self.reused = not made.root_node.has_error
        return made if self.reused else provider.parser(self.path).parse(self.data)
