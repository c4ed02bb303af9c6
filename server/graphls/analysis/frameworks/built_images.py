"""Built images: which documents of a workspace build images of containers, and which of them a name means.

Owns: what is built by all documents, variables of the files of the environment.
Must not know: formats, who asks.
Invariant: a name means what is built under it; where only its end says so, or several are, each is possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.frameworks.document_entries import document_of, entry_nodes, is_plain_document
from graphls.analysis.frameworks.nesting import Nesting
from graphls.facts.paths import FilePath, nearest
from graphls.graph.derivation import DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.document import ConfigReference, ReferenceKind
from graphls.languages.config.environment import VARIABLE, is_environment_file
from graphls.languages.config.images import BUILT, ImageName, image_name, is_same_image
from graphls.languages.config.reading import format_of

BUILDING_FORMATS: Final = ("yaml", "json", "make", "commands", "ini")
"""Formats of documents that build images, and of those that say what variables in names stand for."""
_HINTS: Final = (b"image", b"docker", b"podman", b"buildah", b"nerdctl")
_MOST: Final = 4
_BUILDS: Final = Memo["BuiltImages"]("images that are built", rests_on_links=False)


@attrs.frozen
class _Build:
    """An image, and what builds it."""

    name: ImageName
    place: DerivedNode | SymbolRef
    start: int


class BuiltImages:
    """What all documents build."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._environments = [path for path in snapshot.shards if is_environment_file(path)]
        self._known: dict[FilePath, Mapping[str, str]] = {}
        self._builds: Sequence[_Build] = tuple(self._all())

    def built(self, path: FilePath, one: ConfigReference) -> Sequence[tuple[DerivedNode | SymbolRef, bool]]:
        """What builds the image that a reference of a document names, and whether that is sure."""
        used = image_name(one.text, self._variables(path))
        if used is None or BUILT in one.also:
            return ()
        same = [(build, is_same_image(used, build.name)) for build in self._builds]
        sure = [build for build, certain in same if certain]
        found = sure or [build for build, certain in same if certain is None]
        best = dict.fromkeys(build.place for build in nearest(path, found, lambda build: build.place.file))
        return [(place, bool(sure) and len(best) == 1) for place in best] if len(best) <= _MOST else ()

    def _all(self) -> Iterator[_Build]:
        for path in self._snapshot.shards:
            if format_of(path) not in BUILDING_FORMATS or not is_plain_document(self._snapshot, path):
                continue
            text = self._snapshot.text(path) or b""
            if any(hint in text for hint in _HINTS):
                yield from self._of_document(path)

    def _of_document(self, path: FilePath) -> Iterator[_Build]:
        references = document_of(self._snapshot, path).references
        built = [one for one in references if one.kind == ReferenceKind.IMAGE and BUILT in one.also]
        if not built:
            return
        nodes = entry_nodes(self._snapshot, path)
        nesting = Nesting((node.full_start, node.full_end, number) for number, node in enumerate(nodes))
        for one in built:
            name, number = image_name(one.text, self._variables(path)), nesting.around(one.start)
            if name is not None:
                yield _Build(name, nodes[number] if number >= 0 else SymbolRef(path, -1), one.start)

    def _variables(self, path: FilePath) -> Mapping[str, str]:
        """Variables of the files of the environment beside a document, or at the top."""
        folder = FilePath(path.rpartition("/")[0])
        known = self._known.get(folder)
        if known is None:
            known = self._known[folder] = dict(self._read_variables(folder))
        return known

    def _read_variables(self, folder: FilePath) -> Iterator[tuple[str, str]]:
        for path in self._environments:
            if path.rpartition("/")[0] in (folder, ""):
                text = self._snapshot.text(path) or b""
                for node in entry_nodes(self._snapshot, path):
                    if node.subkind == VARIABLE:
                        value = text[node.end : node.full_end].decode("utf-8", "replace").strip()
                        yield node.name, value.removeprefix("=").strip().strip("\"'")


def built_images(snapshot: Snapshot) -> BuiltImages:
    """Those of a snapshot."""
    return _BUILDS.once(snapshot, lambda: BuiltImages(snapshot))
