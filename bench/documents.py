"""How right links of configuration are: precision and recall against labels that were read off files by hand.

    python bench/documents.py FOLDER [--labels bench/documents/held_out.tsv] [--show 20]

FOLDER holds clones of the repositories that the labels name (`skaffold-examples`: the folder `examples` of skaffold).
In files, or lines of them, that the labels cover a link that is not among them counts as wrong.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.session.memory import snapshot_of

LABELS = Path(__file__).parent / "documents" / "labels.tsv"
LARGEST = 2_000_000
Link = tuple[str, str, int, str, str]


def labels(path: Path) -> tuple[Counter[Link], dict[tuple[str, str], list[range]]]:
    """Links, and the lines that they cover."""
    links: Counter[Link] = Counter()
    covered: dict[tuple[str, str], list[range]] = {}
    for line in path.read_text("utf-8").splitlines():
        parts = line.split("\t")
        if len(parts) == 5:
            repository, file, number, text, target = parts
            links[repository, file.partition(":")[0], int(number), text, target] += 1
        elif found := re.fullmatch(r"# ([^\s@]+)(?:@\w+)? ([^\s:]+)(?::(\d+)-(\d+))?", line):
            first, last = int(found[3] or 1), int(found[4] or LARGEST)
            covered.setdefault((found[1], found[2]), []).append(range(first, last + 1))
    return links, covered


def answers(root: Path, repository: str, covered: dict[tuple[str, str], list[range]]) -> Counter[Link]:
    """Links that graphls gives in the covered lines of one repository."""
    texts: dict[str, bytes] = {}
    for path in sorted((root / repository).rglob("*")):
        inside = path.relative_to(root / repository).as_posix()
        if path.is_file() and not path.is_symlink() and not inside.startswith((".git/", "node_modules/")):
            data = path.read_bytes()
            if len(data) <= LARGEST and b"\0" not in data:
                texts[inside] = data.decode("utf-8", "replace").encode()
    snapshot = snapshot_of(texts)
    assert snapshot.derivation is not None
    found: Counter[Link] = Counter()
    for (name, file), lines in covered.items():
        if name != repository:
            continue
        edges = tuple(snapshot.derivation.edges_from(snapshot, FilePath(file)))
        # A folder that is named has an edge to each file in it: the labels name what is written.
        folders = {site for edge in edges if edge.attributes.get("via") == "folder" for site in edge.sites}
        for edge in edges:
            target = edge.target
            if edge.kind == "contains" or isinstance(target, str):
                continue
            spelled = f"{target.file}#{target.name}" if isinstance(target, DerivedNode) else str(target.file)
            for path, start, end in (site for site in edge.sites if site not in folders):
                number = texts[path].count(b"\n", 0, start) + 1
                if any(number in some for some in lines):
                    found[repository, file, number, texts[path][start:end].decode(), spelled] += 1
    return found


def main() -> None:
    """Prints both figures and what is wrong or missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", type=Path, default=LABELS)
    parser.add_argument("--show", type=int, default=20)
    chosen = parser.parse_args()
    known, covered = labels(chosen.labels)
    found: Counter[Link] = Counter()
    for repository in sorted({name for name, _ in covered}):
        found += answers(chosen.folder, repository, covered)
    right = sum((known & found).values())
    print(f"{sum(known.values())} labels, {sum(found.values())} answers, {right} right")
    print(f"precision {right / max(sum(found.values()), 1):.3f}, recall {right / max(sum(known.values()), 1):.3f}")
    for title, links in (("wrong", found - known), ("missing", known - found)):
        for link in sorted(links)[: chosen.show]:
            print(f"  {title}: {' '.join(map(str, link))}")


if __name__ == "__main__":
    main()
