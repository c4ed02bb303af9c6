"""Folders: what a build takes in as a whole leads to the files in it, and these back to the build.

Owns: paths from the folder of the document and from the top, what is left out, the bound.
Must not know: how a Dockerfile is read.
Invariant: an edge is there from both ends or from none.
"""

from __future__ import annotations

from collections.abc import Mapping

from graphls.analysis.frameworks.folder_contracts import MOST_FILES
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import SymbolRef
from graphls.queries.impact import ImpactQuery, impact
from graphls.session.memory import snapshot_of


def _links(files: Mapping[str, str]) -> list[str]:
    snapshot = snapshot_of(files)
    assert snapshot.derivation is not None
    found: list[str] = []
    for path in snapshot.shards:
        for edge in snapshot.derivation.edges_from(snapshot, path):
            if edge.attributes.get("via") == "folder":
                assert isinstance(edge.target, SymbolRef)
                assert edge in snapshot.derivation.edges_to(snapshot, edge.target)
                source = edge.source
                assert not isinstance(source, str)
                name = f"#{source.name}" if isinstance(source, DerivedNode) else ""
                found.append(f"{path}{name} -> {edge.target.file}{' ?' if edge.ambiguous else ''}")
    return sorted(found)


CODE = {"app/src/a.py": "a = 1\n", "app/src/in/b.py": "b = 1\n", "app/other.py": "c = 1\n", "lib/src.py": "d = 1\n"}


def test_a_copied_folder_leads_to_its_files() -> None:
    docker = "FROM x AS build\nCOPY src/ ./src\nCOPY --from=build /out /out\nCOPY nothing $HERE ./x/\n"
    assert _links({**CODE, "app/Dockerfile": docker}) == [
        "app/Dockerfile#build -> app/src/a.py",
        "app/Dockerfile#build -> app/src/in/b.py",
    ]
    assert _links({**CODE, "docker/Dockerfile": "FROM x\nCOPY ./app/src /src\n"}) == [
        "docker/Dockerfile -> app/src/a.py",
        "docker/Dockerfile -> app/src/in/b.py",
    ]
    both = {**CODE, "src/z.py": "z = 1\n", "app/Dockerfile": "FROM x\nCOPY src /src\n"}
    assert _links(both) == []
    both["app/Dockerfile"] = "FROM x\nCOPY src /src\nCOPY app/other.py .\n"
    assert _links(both) == ["app/Dockerfile -> src/z.py"]


def test_what_a_build_is_not_given_is_left_out() -> None:
    files = {**CODE, "app/Dockerfile": "FROM x\nCOPY src /src\n", "app/.dockerignore": "# no\nsrc/**\n!src/in\n"}
    assert _links(files) == ["app/Dockerfile -> app/src/in/b.py"]
    files = {**CODE, "app/Dockerfile": "FROM x\nCOPY other.py .\nCOPY . .\n", "app/.dockerignore": "src/**\n"}
    assert _links(files) == ["app/Dockerfile -> app/.dockerignore"]  # the other file is named by itself


def test_which_folder_a_build_is_given_follows_from_its_other_paths() -> None:
    whole = "FROM x\nCOPY . .\n"
    assert _links({**CODE, "app/Dockerfile": whole}) == []
    assert len(_links({**CODE, "Dockerfile": whole})) == 4
    assert len(_links({**CODE, "app/Dockerfile": "FROM x\nCOPY lib /lib\nCOPY . .\n"})) == 4
    assert len(_links({**CODE, "app/Dockerfile": "FROM x\nCOPY other.py lib /lib/\nCOPY . .\n"})) == 1


def test_a_folder_with_too_many_files_leads_to_none() -> None:
    files = {"Dockerfile": "FROM x\nCOPY big /big\n", **{f"big/{number}.py": "" for number in range(MOST_FILES)}}
    assert len(_links(files)) == MOST_FILES
    assert _links({**files, "big/more.py": ""}) == []


def test_a_change_below_the_folder_reaches_the_build() -> None:
    snapshot = snapshot_of({**CODE, "app/Dockerfile": "FROM x AS build\nCOPY src/ ./src\n"})
    reached = impact(snapshot, ImpactQuery(SymbolRef(FilePath("app/src/a.py"), -1)))
    assert "build" in {one.node.name for one in reached.affected if isinstance(one.node, DerivedNode)}


def test_a_file_that_a_build_names_and_takes_in_with_its_folder_has_one_edge() -> None:
    files = {**CODE, "app/Dockerfile": "FROM x\nCOPY src/a.py /src/\nCOPY src /src\n"}
    snapshot = snapshot_of(files)
    assert snapshot.derivation is not None
    edges = snapshot.derivation.edges_from(snapshot, FilePath("app/Dockerfile"))
    ends = [edge.target for edge in edges if edge.kind == "references"]
    assert len(ends) == len(set(ends)) == 2
    for edge in edges:
        assert isinstance(edge.target, SymbolRef)
        assert edge in snapshot.derivation.edges_to(snapshot, edge.target)
    (named,) = [edge for edge in edges if edge.target == SymbolRef(FilePath("app/src/a.py"), -1)]
    assert len(named.sites) == 2
