"""Folder settings: what one of several open folders says of itself, and what of it counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from graphls.analysis.engine import run, why_silent
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of
from graphls.session.reports import file_text
from graphls.settings import PythonSettings, Settings, in_first, of_folders, overlaid, parse_settings, without_own
from graphls.settings.folder_limits import FolderLimits
from graphls.settings.tree import FindingsSettings
from graphls.sources.ignore_index import IgnoreIndex
from graphls.sources.limits import SourceLimits
from graphls.sources.read import read_source
from graphls.sources.walk import walk
from graphls.sources.workspace import Workspace


@pytest.mark.parametrize(
    ("glob", "written"),
    [
        ("gen", "//two/**/gen"),
        ("gen/", "//two/**/gen/"),
        ("/gen", "//two/gen"),
        ("a/gen/", "//two/a/gen/"),
        ("!gen/keep.py", "!//two/gen/keep.py"),
    ],
)
def test_globs_of_a_folder_are_written_for_the_workspace(glob: str, written: str) -> None:
    table, left = of_folders({}, {"one": {}, "two": {"files": {"exclude": [glob]}}})
    assert table == {"files": {"exclude": [written]}}
    assert not left


def test_what_a_client_says_of_all_folders_is_not_said_again_for_each() -> None:
    general = {"files": {"exclude": ["gen"], "maxBytes": 5}, "python": {"roots": ["lib"]}}
    own = {"files": {"exclude": ["old"], "maxBytes": 5}, "python": {"roots": ["lib"]}}
    table, left = of_folders(general, {"one": general, "two": own})
    assert table == {"files": {"exclude": ["gen", "//two/**/old"], "maxBytes": 5}, "python": {"roots": ["lib"]}}
    assert not left


def test_what_cannot_count_for_one_folder_is_named() -> None:
    first = {"findings": {"baseline": "a.json"}, "files": {"exclude": ["x"]}}
    table, left = of_folders(without_own(first), {"one": first, "two": {"findings": {"baseline": "b.json"}}})
    assert table == {"findings": {"baseline": "a.json"}, "files": {"exclude": ["//one/**/x"]}}
    assert left == {"two": ("findings.baseline",)}


def test_globs_leave_files_out_of_their_folder_alone(tmp_path: Path) -> None:
    for name in ("one/gen/a.py", "one/b.py", "two/gen/a.py", "two/sub/gen/c.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", "utf-8")
    workspace = Workspace.of([str(tmp_path / "one"), str(tmp_path / "two")])
    table, _ = of_folders({}, {"one": {}, "two": {"files": {"exclude": ["gen/"]}}})
    limits = SourceLimits.of(parse_settings(table)[0].files)
    assert [file.path for file in walk(workspace, limits).files] == ["one/b.py", "one/gen/a.py"]
    index = IgnoreIndex(workspace, limits)
    assert [index.leaves_out(FilePath(path)) for path in ("one/gen/a.py", "two/sub/gen/c.py")] == [False, True]


def test_a_folder_that_chooses_no_roots_has_those_that_are_found() -> None:
    files = {"one/lib/a.py": "", "one/main.py": "import a\n", "two/src/b.py": "", "two/use.py": "import b\n"}
    settings = Settings(python=PythonSettings(roots=("one/lib",)))
    names = snapshot_of(files, settings, folders=("one", "two")).modules["python"].names
    assert names[FilePath("one/lib/a.py")].dotted == "a"
    assert names[FilePath("two/use.py")].dotted == "use"


def test_what_a_folder_says_is_written_for_it_alone() -> None:
    two = {
        "files": {"follow-ignore": False, "maxBytes": 50_000_000, "max-line-bytes": 10},
        "findings": {
            "rules": {"arch.import_cycle": "P1"}, "reports": ["lint.sarif"], "coverage": ["./out/lcov.info"],
            "generated": True,
        },
        "health": {"weights": {"large_file": 0}, "overrides": [{"glob": "gen/**", "weights": {"*": 0}}]},
        "python": {"roots": ["lib/"]},
    }  # fmt: skip
    three = {"findings": {"enabled": False, "rules": {"arch.import_cycle": "P2"}}}
    general = {"findings": {"rules": {"arch.import_cycle": "P3"}}, "health": {"overrides": [{"glob": "*.min.js"}]}}
    table, left = of_folders(general, {"one": {}, "two": two, "three": three})
    settings, problems = parse_settings(table)
    assert not problems
    assert settings.files.folders == (FolderLimits("two", False, 10_000_000, 10),)
    assert settings.files.max_bytes == Settings().files.max_bytes
    assert settings.findings.rules == {
        "arch.import_cycle": "P3", "//two/arch.import_cycle": "P1", "//three/*": "off"
    }  # fmt: skip
    assert settings.findings.reports == ("two/lint.sarif",)
    assert settings.findings.coverage == ("two/out/lcov.info",)
    assert [(one.glob, sorted(set(one.weights.values()))) for one in settings.health.overrides] == [
        ("*.min.js", []), ("two/**", [0.0]), ("two/gen/**", [0.0])
    ]  # fmt: skip
    assert settings.python.roots == ("two/lib",)
    assert left == {"two": ("findings.generated",)}


def test_what_two_places_say_of_a_folder_leaves_others_as_they_are() -> None:
    files = {"one": {"files": {"exclude": ["gen"]}}, "two": {"files": {"exclude": ["old"], "maxBytes": 9}}}
    client = {"findings": {"enabled": True}}
    scoped = {"two": {"files": {"exclude": ["new"]}}}
    shown = {name: overlaid(own, scoped.get(name, {}), client) for name, own in files.items()}
    settings, _ = parse_settings(of_folders(client, shown)[0])
    assert settings.files.exclude == ("//one/**/gen", "//two/**/new")
    assert settings.files.folders == (FolderLimits("two", max_bytes=9),)
    above = {"files": {"exclude": ["all"]}}
    shown = {name: overlaid(own, {}, above) for name, own in files.items()}
    assert parse_settings(of_folders(above, shown)[0])[0].files.exclude == ("all",)


def test_limits_and_ignore_files_of_one_folder_count_there_alone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".gitignore").write_text("made.py\n")
        for file, text in {"made.py": "x = 1\n", "long.py": f"x = '{'y' * 300}'\n", "a.py": "x = 1\n"}.items():
            (tmp_path / name / file).write_text(text)
    workspace = Workspace.of([str(tmp_path / "one"), str(tmp_path / "two")])
    table, _ = of_folders({}, {"one": {"files": {"maxBytes": 200}}, "two": {"files": {"followIgnore": False}}})
    limits = SourceLimits.of(parse_settings(table)[0].files)
    found = [file.path for file in walk(workspace, limits).files if file.path.endswith(".py")]
    assert found == ["one/a.py", "one/long.py", "two/a.py", "two/long.py", "two/made.py"]
    index = IgnoreIndex(workspace, limits)
    assert [index.leaves_out(FilePath(f"{name}/made.py")) for name in ("one", "two")] == [True, False]
    read = [read_source(workspace, FilePath(f"{name}/long.py"), limits) for name in ("one", "two")]
    assert [getattr(one, "reason", "") for one in read] == ["larger than 200 bytes (307)", ""]


def test_rules_of_one_folder_count_there_alone() -> None:
    names = ("one", "two", "three")
    files = {f"{name}/{name}_{a}.py": f"import {name}_{b}\n" for name in names for a, b in ("ab", "ba")}
    said = {"one": {"findings": {"enabled": False}}, "two": {"findings": {"rules": {"arch.import_cycle": "P1"}}}}
    settings, _ = parse_settings(of_folders({}, said)[0])
    snapshot = snapshot_of(files, settings, folders=names)
    found = run(Views(snapshot), settings.findings.rules).findings
    cycles = [(one.at.file.partition("/")[0], one.priority) for one in found if one.rule == "arch.import_cycle"]
    usual = {one.at.file: one.priority for one in run(Views(snapshot), {}).findings if one.rule == "arch.import_cycle"}
    assert len(usual) == len(names)
    assert sorted(cycles) == [("three", usual[FilePath("three/three_a.py")]), ("two", "P1")]
    off, _ = parse_settings(of_folders({"findings": {"rules": {"arch.import_cycle": "off"}}}, said)[0])
    found = run(Views(snapshot), off.findings.rules).findings
    assert {one.at.file.partition("/")[0] for one in found if one.rule == "arch.import_cycle"} == {"two"}
    assert why_silent(["arch.import_cycle"], off.findings.rules) == ""


def test_the_first_of_several_folders_has_the_baseline_and_the_reviews(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / ".graphls").mkdir(parents=True)
        (tmp_path / name / ".graphls/baseline.json").write_text(name)
    workspace = Workspace.of([str(tmp_path / "one"), str(tmp_path / "two")])
    chosen = in_first(Settings(), [folder.name for folder in workspace.folders])
    assert file_text(workspace, chosen.findings.baseline) == b"one"
    assert workspace.absolute(workspace.contained(chosen.findings.reviews)).endswith("one/.graphls/reviews.json")
    other = Settings(findings=FindingsSettings(baseline="two/.graphls/baseline.json"))
    assert file_text(workspace, in_first(other, ["one", "two"]).findings.baseline) == b"two"
    assert in_first(Settings(), ["one"]) == Settings()


@pytest.mark.parametrize("raw", [{}, {"folder": ""}, {"folder": "a", "exclude": ["x"]}, {"folder": "a", "maxBytes": 0}])
def test_a_table_of_a_folder_that_does_not_fit_is_refused(raw: Mapping[str, object]) -> None:
    settings, problems = parse_settings({"files": {"folders": [raw]}})
    assert settings.files.folders == ()
    assert [problem.key for problem in problems] == ["files.folders[0]"]
