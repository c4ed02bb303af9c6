"""Open files: documents of an editor, with the parse tree that goes with their text.

Owns: bringing a tree up to date with edits, deciding when a tree and what was read before may be reused.
Must not know: the protocol, snapshots, the disk.
Invariant: `understood` gives what extraction of the same bytes from scratch gives, at the latest after `settle`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

import attrs
from tree_sitter import Point, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import ContentHash, FilePath
from graphls.facts.surface import Surface
from graphls.languages.extract.grammars import parse
from graphls.languages.provider import Provider
from graphls.languages.registry import provider_for, provider_of
from graphls.session.documents.document import ByteEdit
from graphls.session.index.extraction import understand, understand_edited
from graphls.sources.content import content_hash

_log = logging.getLogger(__name__)
REUSE_FROM_BYTES = 48_000
"""A smaller file is parsed anew after each edit: that costs little, and no trace of an earlier text can stay."""
REMEMBER_FROM_BYTES = 16_000
"""A smaller file is read anew after each edit: a memory of it would cost more than it saves."""
MOST_REMEMBERED = 8
"""Open files, those that were read last, of which a tree and what was read are kept for the next text: of a thousand
documents of 16,000 bytes that nobody edits they took ten gigabytes."""
MOST_BYTES_AT_ONCE = 200_000
"""Where open files that were not read have more bytes together, each of them is read as a slow one is."""
SLOW_FROM_BYTES = 100_000
SLOW_SECONDS = 0.1
"""A file that once took so much time of computing to read, and one of so many bytes that was never read, is read while
nobody is kept from what is not about it."""


@attrs.frozen(eq=False)
class ParsedFile:
    """An open file's text and what it says."""

    data: bytes = attrs.field(repr=False)
    facts: FileFacts
    surface: Surface
    tree: Tree = attrs.field(repr=False)
    memory: object = attrs.field(repr=False)
    """What the language keeps for the next text."""


class RememberedFiles:
    """Open files of which something is kept for the next text, those that were read last. Its owner holds a lock."""

    def __init__(self) -> None:
        self._files: list[OpenFile] = []

    def note(self, file: OpenFile) -> None:
        """A file was read: of the one that was not read for the longest time nothing is kept any more."""
        files = [one for one in self._files if one is not file and one.remembers]
        if file.remembers:
            files.append(file)
        for one in files[:-MOST_REMEMBERED]:
            one.forget()
        self._files = files[-MOST_REMEMBERED:]

    def forget(self) -> None:
        """Nothing is kept of any."""
        for one in self._files:
            one.forget()
        self._files = []


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
        """The tree was made from an earlier one, or some of what it says was read before."""
        self.reading = False
        """Somebody reads a copy of it."""
        self.begun = self.ended = 0
        """Readings of copies, by number: a text is read once a reading has ended that began after it."""
        self._seconds = 0.0
        """Of computing, for the last reading."""
        self._longest: float | None = None
        """The same of the longest one: after edits that are read at once comes one for which all is read anew."""
        self._replaced = False
        """Edits do not lead from the text of that copy to the text of now."""
        self._content: tuple[bytes, ContentHash] | None = None
        self._tree: Tree | None = None
        self._edits: list[ByteEdit] = []
        self._memory: object = None
        self._unconfined = False
        """The last text was broken beyond one known piece of it: the next one is parsed from scratch at once, as a tree
        by the one before would most likely be of no use again."""

    def change(self, data: bytes, edits: Sequence[ByteEdit]) -> None:
        """The document has other contents now. Without edits nothing is known of what became of the earlier ones."""
        self.data = data
        if provider_for(self.path) is None and (provider := provider_of(self.path, data)) is not self.provider:
            # Its first line is another: nothing that was read in the language before is of use.
            self.provider, self._memory, edits = provider, None, ()
        self._edits.extend(edits)
        if not edits:
            self._tree, self._replaced = None, True
        self.stale = True

    @property
    def content(self) -> ContentHash:
        """Names the text."""
        if self._content is None or self._content[0] is not self.data:
            self._content = self.data, content_hash(self.data)
        return self._content[1]

    @property
    def is_slow(self) -> bool:
        """Whoever asks about something else does not wait until this is read."""
        return len(self.data) >= SLOW_FROM_BYTES if self._longest is None else self._longest > SLOW_SECONDS

    @property
    def was_slow(self) -> bool:
        """The last reading took long."""
        return self._seconds > SLOW_SECONDS

    def copy_to_read(self) -> OpenFile:
        """A copy that may be read without the lock, while this one takes further edits and nobody reads it."""
        copy = OpenFile(self.path, self.data, self.provider)
        copy.on_disk, copy.reused, copy._unconfined = self.on_disk, self.reused, self._unconfined
        copy._tree, copy._edits, copy._memory = self._tree, self._edits, self._memory
        copy._longest = self._longest
        self._edits, self.stale, self.reading, self._replaced = [], False, True, False
        self.begun += 1
        return copy

    def take_back(self, copy: OpenFile) -> None:
        """The copy was read: what it keeps for the next text is kept here."""
        self.ended = self.begun
        self.reading, self._seconds, self._longest = False, copy._seconds, copy._longest
        if not self.stale:  # else it may be gone, or another one
            self.on_disk = copy.on_disk
        self.reused, self._unconfined = copy.reused, copy._unconfined
        self._memory = copy._memory if copy.provider is self.provider else None
        self._tree = None if self._replaced else copy._tree

    @property
    def remembers(self) -> bool:
        """Something is kept for the next text."""
        return self._tree is not None or self._memory is not None

    def forget(self) -> None:
        """The next text is read as the first one is."""
        self._tree = self._memory = None
        self._edits.clear()
        self._replaced = True

    def parse(self) -> ParsedFile | None:
        """Facts and surface of the text; None for a file of no language. Raises what extraction raises."""
        self.stale = False
        if self.provider is None:
            return None
        remembers, begun = self._memory is not None, time.thread_time()
        made: ParsedFile | None = None
        try:
            made = self._edited(self.provider) or self._read(self.provider)
        except BaseException as error:
            keeps = self._memory is not None
            self._tree = self._memory = None
            if not isinstance(error, Exception) or not (keeps or self.reused):
                raise
            # What is kept for the next text, or was of an earlier one, must not cost the answers about this one.
            _log.error("%s is read from scratch: %s", self.path, type(error).__name__, exc_info=error)
            fresh = self.reparse(remembers=False)
            if fresh is not None:
                self._reset_to(fresh)
            return fresh
        finally:
            self._seconds = time.thread_time() - begun
            if made is not None or self._seconds > SLOW_SECONDS:
                # What is refused at once tells nothing of the next text, which may take long.
                self._longest = max(self._longest or 0.0, self._seconds)
        self.reused = self.reused or remembers
        return made

    @property
    def needs_reparse(self) -> bool:
        """The last answer rests on an earlier text."""
        return self.reused and not self.stale and not self.reading

    def reparse(self, *, remembers: bool = True) -> ParsedFile | None:
        """What a parse and a reading of the text from scratch say. Needs no lock, changes nothing. `remembers`: what is
        read is kept for the next text."""
        provider, data = self.provider, self.data
        if provider is None:
            return None
        tree, memory = parse(provider.parser(self.path), data), _memory(provider, data) if remembers else None
        return ParsedFile(data, *understand(provider, self.path, data, tree, memory), tree, memory)

    def accept_reparse(self, fresh: ParsedFile, *, same: bool) -> bool:
        """From now on what was made from scratch counts, unless the text is another meanwhile. `same`: it says what the
        last answer said."""
        if not self.needs_reparse or fresh.data is not self.data:
            return False
        if same and fresh.tree.root_node.has_error:
            # Nothing can rest on a broken tree, while what is kept of an earlier text has been proved right.
            self.reused = False
        else:
            self._reset_to(fresh)
        return True

    def _reset_to(self, fresh: ParsedFile) -> None:
        self._edits.clear()
        self._tree = None
        self._retain_tree(fresh.tree)
        self._memory, self.reused = fresh.memory, False

    def _retain_tree(self, tree: Tree) -> None:
        """Later trees are made from the last one without errors: error recovery may depend on the tree before."""
        if len(self.data) < REUSE_FROM_BYTES:
            self._tree = None
        elif not tree.root_node.has_error:
            self._tree = tree

    def _edited(self, provider: Provider) -> ParsedFile | None:
        """By the tree before. What that says of a broken text counts where all else is known to stay as it is."""
        before = self._tree
        if before is None:
            self._unconfined = False
            return None
        before = self._tree = before.copy()  # what was read by the tree is compared with its nodes where they were
        for edit in self._edits:
            before.edit(
                edit.start,
                edit.old_end,
                edit.new_end,
                Point(*edit.start_point),
                Point(*edit.old_end_point),
                Point(*edit.new_end_point),
            )
        self._edits.clear()
        fresh = self._unconfined
        tree = parse(provider.parser(self.path), self.data, None if fresh else before)
        if not tree.root_node.has_error:
            self._unconfined = False
            self.reused = not fresh
            return self._parsed_file(provider, tree)
        found = understand_edited(provider, self.path, self.data, tree, self._memory)
        self._unconfined = found is None
        if found is None:
            return self._parsed_file(provider, tree) if fresh else None
        self.reused = True
        return ParsedFile(self.data, *found, tree, self._memory)

    def _read(self, provider: Provider) -> ParsedFile:
        """By a tree from scratch."""
        self.reused = False
        self._edits.clear()
        return self._parsed_file(provider, parse(provider.parser(self.path), self.data))

    def _parsed_file(self, provider: Provider, tree: Tree) -> ParsedFile:
        self._retain_tree(tree)
        if self._memory is None:
            self._memory = _memory(provider, self.data)
        facts, surface = understand(provider, self.path, self.data, tree, self._memory)
        return ParsedFile(self.data, facts, surface, tree, self._memory)


def _memory(provider: Provider, data: bytes) -> object:
    """An empty memory for a text that is worth one."""
    fragments = provider.capabilities.fragments
    return None if fragments is None or len(data) < REMEMBER_FROM_BYTES else fragments.new_cache()
