"""Layers: which module imports which, folded to packages until the picture can be read.

Owns: folding, counting imports between the folds.
Must not know: HTML, arguments.
Invariant: the picture is a function of the snapshot and the limit; an import inside one fold is no link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from graphls.cli.viewing.pictures import Picture, ViewEdge, ViewNode, picture_status
from graphls.facts.paths import FilePath
from graphls.graph.edges import imports_of
from graphls.graph.snapshot import Snapshot, SymbolRef


def layers_picture(snapshot: Snapshot, files: Sequence[FilePath], limit: int) -> Picture:
    """The modules of some files, each at most as deep as lets no more than `limit` be drawn."""
    modules = {path: snapshot.module_name(path).dotted for path in files}
    folds = _folds(sorted(set(modules.values())), limit)
    imports: Counter[tuple[str, str]] = Counter()
    for path, module in modules.items():
        for edge in imports_of(snapshot, path):
            target = edge.target
            if isinstance(target, SymbolRef) and target.file in modules:
                imports[folds[module], folds[modules[target.file]]] += 1
    return Picture(
        kind="layers",
        title="Modules",
        nodes=tuple(_node(fold, modules, folds) for fold in sorted(set(folds.values()))),
        edges=tuple(_edge(*pair, count) for pair, count in sorted(imports.items()) if pair[0] != pair[1]),
        standing=picture_status(snapshot),
    )


def _folds(modules: Sequence[str], limit: int) -> Mapping[str, str]:
    deepest = max((module.count(".") for module in modules), default=0) + 1
    for depth in range(deepest, 0, -1):
        found = {module: ".".join(module.split(".")[:depth]) for module in modules}
        if depth == 1 or len(set(found.values())) <= limit:
            return found
    return {}


def _node(fold: str, modules: Mapping[FilePath, str], folds: Mapping[str, str]) -> ViewNode:
    files = sorted(path for path, module in modules.items() if folds[module] == fold)
    whole = len(files) == 1
    return ViewNode(
        id=f"m:{fold}",
        kind="module" if whole else "package",
        name=fold or ".",
        symbol=fold or ".",
        file=files[0] if whole else files[0].rpartition("/")[0] or ".",
        doc=None if whole else f"{len(files)} modules",
    )


def _edge(source: str, target: str, count: int) -> ViewEdge:
    return ViewEdge(
        id=f"{source} {target}",
        kind="imports",
        source=f"m:{source}",
        target=f"m:{target}",
        provenance="syntax_inferred",
        resolution="import",
        site_count=count,
    )
