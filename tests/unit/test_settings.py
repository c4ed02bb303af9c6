"""Settings: parsing, merging and trust, as tables.

Owns: what raw tables become, and the words of problems.
Must not know: where raw tables come from.
Invariant: no raw table makes parsing raise.
"""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphls.settings import OPTIONS, SERVICES, FilesSettings, Settings, leaves_workspace, merge, parse_settings
from graphls.settings.kinds import RejectedError, WholeNumberKind, camel, snake
from graphls.settings.option import Trust


@pytest.mark.parametrize("section", ["files", "Files"])
@pytest.mark.parametrize("key", ["maxBytes", "max-bytes", "max_bytes"])
def test_every_spelling_is_understood(section: str, key: str) -> None:
    settings, problems = parse_settings({section: {key: 7}})
    assert settings == Settings(files=FilesSettings(max_bytes=7))
    assert problems == ()


@pytest.mark.parametrize(
    ("raw", "key", "severity", "words"),
    [
        ({"files": {"maxBytes": "big"}}, "files.maxBytes", "error", ["'big'", "whole number from 1"]),
        ({"files": {"maxBytes": True}}, "files.maxBytes", "error", ["True", "whole number"]),
        ({"files": {"maxBytes": 0}}, "files.maxBytes", "error", ["found 0"]),
        ({"files": {"exclude": "*.py"}}, "files.exclude", "error", ["'*.py'", "list of globs"]),
        ({"files": {"exclude": [1]}}, "files.exclude[0]", "error", ["found 1", "a glob"]),
        ({"files": 3}, "files", "error", ["found 3", "a table"]),
        ({"preset": "full"}, "preset", "error", ["'full'", '"companion"']),
        ({"findings": {"rules": {"cycle": "P9"}}}, "findings.rules", "error", ["'P9'", '"P1"']),
        ({"findings": {"layers": [[]]}}, "findings.layers", "error", ["found []"]),
        ({"findings": {"layers": ["a||b"]}}, "findings.layers", "error", ["a||b"]),
        ({"files": {"max_byte": 1}}, "files.maxByte", "warning", ["did you mean files.maxBytes?"]),
        ({"checker": {"enabled": 1}}, "checker.enabled", "error", ["true or false"]),
        ({"log": {"level": "x" * 500}}, "log.level", "error", ["..."]),
        ({"disabledLanguageServices": {"hovr": True}}, "disabledLanguageServices.hovr", "warning", ["hover?"]),
        ({"cache": {"directory": "a\0b"}}, "cache.directory", "error", ["a folder"]),
        ({"files": {"max-bytes": 7, "maxBytes": 8}}, "files.maxBytes", "warning", ["twice"]),
    ],
)
def test_problem_names_key_value_and_expectation(
    raw: dict[str, object], key: str, severity: str, words: list[str]
) -> None:
    _, problems = parse_settings(raw)
    assert [(problem.key, problem.severity, problem.origin) for problem in problems] == [(key, severity, "client")]
    assert [word for word in words if word not in problems[0].message] == []
    assert len(problems[0].message) < 250


def test_a_bad_entry_of_a_list_leaves_the_others() -> None:
    good = {"id": "a.b", "scope": "file", "severity": "block", "when": "true", "message": "No.", "advice": "Do."}
    raw = {"policy": {"rules": [{"id": "a.a", "scope": "file"}, good, {**good, "scope": "moon"}]}}
    settings, problems = parse_settings(raw)
    assert [rule.id for rule in settings.policy.rules] == ["a.b"]
    assert [problem.key for problem in problems] == ["policy.rules[0]", "policy.rules[2]"]
    assert problems[0].message.startswith("(a.a) found")
    assert "'moon'" in problems[1].message
    settings, problems = parse_settings({"files": {"exclude": ["a/**", 1]}, "findings": {"layers": ["a", ""]}})
    assert (settings.files.exclude, settings.findings.layers) == (("a/**",), ())
    assert [problem.key for problem in problems] == ["files.exclude[1]", "findings.layers"]


def test_a_list_without_a_good_entry_leaves_that_of_the_source_below() -> None:
    settings, _ = merge({"files": {"exclude": ["a/**"]}}, {"files": {"exclude": [1]}}, trusted=False)
    assert settings.files.exclude == ("a/**",)


def test_a_bad_value_leaves_its_neighbours() -> None:
    settings, problems = parse_settings({"pack": {"budget": "much", "tests": False}, "index": {"workers": 3}})
    assert (settings.pack.budget, settings.pack.tests, settings.index.workers) == (8000, False, 3)
    assert len(problems) == 1


def test_null_is_unset() -> None:
    assert parse_settings({"files": None, "checker": {"path": None}, "preset": None}) == (Settings(), ())


def test_construction_in_code_is_checked_too() -> None:
    with pytest.raises(RejectedError):
        FilesSettings(max_bytes=-1)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Settings().preset = "companion"  # type: ignore[misc]


def test_layers_may_be_words_or_lists() -> None:
    settings, _ = parse_settings({"findings": {"layers": ["cli | lsp", "core", ["a", "b"]]}})
    assert settings.findings.layers == (("cli", "lsp"), ("core",), ("a", "b"))


@pytest.mark.parametrize(
    ("raw", "left_on"),
    [
        ({}, set(SERVICES)),
        ({"preset": "companion"}, {"codeLens", "codeAction", "diagnostics", "executeCommand"}),
        (
            {"preset": "companion", "disabledLanguageServices": {"hover": False, "codeLens": True}},
            {"codeAction", "diagnostics", "executeCommand", "hover"},
        ),
        ({"disabled-language-services": {"type-definition": True}}, set(SERVICES) - {"typeDefinition"}),
    ],
)
def test_services(raw: dict[str, object], left_on: set[str]) -> None:
    settings, problems = parse_settings(raw)
    assert set(SERVICES) - settings.disabled_services == left_on
    assert problems == ()


REFUSED: list[dict[str, object]] = [
    {"checker": {"path": "tools/ty"}},
    {"checker": {"name": "pyright"}},
    {"checker": {"typescript": "typescript-language-server"}},
    {"checker": {"budget-ms": 60_000}},
    {"checker": {"memory-limit-mb": 100_000}},
    {"checker": {"idle-seconds": 60_000}},
    {"files": {"exclude": [f"*.{number}" for number in range(1_001)]}},
    {"findings": {"rules": {f"r{number}": "off" for number in range(1_001)}}},
    {"checker": {"path": "ty"}},
    {"cache": {"directory": "cache"}},
    *({"python": {"environment": path}} for path in ("/opt/venv", "../venv", "a/../../b", "~/venv", "C:/venv")),
    *({"python": {"environment": path}} for path in ("\\\\host\\share", "a\\..\\..\\b")),
    *({"python": {"roots": ["src", path]}} for path in ("..", "src/../..", "$HOME", "%TEMP%", " /etc", "file:///etc")),
    {"findings": {"baseline": "../baseline.json"}},
]  # fmt: skip


@pytest.mark.parametrize("repository", REFUSED)
def test_untrusted_repository_is_refused(repository: dict[str, object]) -> None:
    settings, problems = merge(repository, {}, trusted=False)
    assert settings == Settings()
    assert [(problem.origin, problem.severity) for problem in problems] == [("repository", "error")]
    trusted, none = merge(repository, {}, trusted=True)
    assert trusted.checker.from_workspace
    assert none == ()
    said, nothing = merge({}, repository, trusted=False)
    assert nothing == ()
    assert said != Settings()
    assert attrs.evolve(said, checker=attrs.evolve(said.checker, from_workspace=True)) == trusted


LOWERED = [("files", "max_bytes"), ("files", "max_line_bytes"), ("pack", "budget")]


@pytest.mark.parametrize("path", LOWERED)
def test_what_costs_is_lowered_for_an_untrusted_repository(path: tuple[str, str]) -> None:
    section, name = path
    most = OPTIONS[path].option.most
    assert most is not None
    for asked in (most, most + 1):
        settings, problems = merge({section: {name: asked}}, {}, trusted=False)
        assert getattr(getattr(settings, section), name) == most
        assert [problem.severity for problem in problems] == ([] if asked == most else ["warning"])
        chosen, none = merge({section: {name: asked}}, {}, trusted=True)
        assert (getattr(getattr(chosen, section), name), none) == (asked, ())


def test_every_number_of_a_repository_has_a_bound() -> None:
    unbounded = [
        placed.key
        for placed in OPTIONS.values()
        if isinstance(placed.option.kind, WholeNumberKind)
        and placed.option.trust is Trust.ANY
        and placed.option.most is None
    ]
    assert unbounded == ["index.workers"]  # which the machine bounds, whoever asks


def test_a_checker_may_be_switched_off_by_anyone() -> None:
    settings, problems = merge({"checker": {"enabled": False, "typescript": "off"}}, {}, trusted=False)
    assert (settings.checker.enabled, settings.checker.typescript, problems) == (False, "off", ())


@pytest.mark.parametrize("key", ["path", "typescript-path"])
def test_a_client_over_a_network_names_no_program(key: str) -> None:
    settings, problems = merge({}, {"checker": {key: "/bin/sh", "name": "pyright"}}, trusted=True, programs=False)
    assert (settings.checker.path, settings.checker.typescript_path) == ("", "")
    assert settings.checker.name == "pyright"
    assert [(problem.origin, "--allow-programs" in problem.message) for problem in problems] == [("client", True)]


def test_a_workspace_that_is_not_trusted_says_nothing_of_programs_in_vscode() -> None:
    manifest = json.loads((Path(__file__).parents[2] / "editors" / "vscode" / "package.json").read_text("utf-8"))
    restricted = set(manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    wanted = {f"graphls.{placed.key}" for placed in OPTIONS.values() if placed.option.trust is not Trust.ANY}
    assert wanted - restricted == set()


@pytest.mark.parametrize("path", ["src", "a/../b", "./src", ".venv", "a/b/..", "", "."])
def test_inside_stays_allowed(path: str) -> None:
    assert not leaves_workspace(path)
    settings, problems = merge({"python": {"roots": [path]}}, {}, trusted=False)
    assert settings.python.roots == (path,)
    assert problems == ()


def test_client_wins_and_tables_are_joined() -> None:
    repository = {"pack": {"budget": 500, "tests": False}, "findings": {"rules": {"a": "P1", "b": "P2"}}}
    client = {"pack": {"budget": 900}, "findings": {"rules": {"b": "off"}}}
    settings, _ = merge(repository, client, trusted=False)
    assert (settings.pack.budget, settings.pack.tests) == (900, False)
    assert settings.findings.rules == {"a": "P1", "b": "off"}


def test_a_bad_client_value_leaves_that_of_the_repository() -> None:
    settings, problems = merge({"pack": {"budget": 500}}, {"pack": {"budget": "x"}}, trusted=False)
    assert settings.pack.budget == 500
    assert [problem.origin for problem in problems] == ["client"]


@pytest.mark.parametrize("placed", OPTIONS.values(), ids=lambda placed: placed.key)
def test_defaults_are_valid_and_names_survive_the_wire(placed) -> None:
    assert placed.option.kind.read(placed.default) == placed.default
    assert all(snake(camel(part)) == part for part in placed.path)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from([part for placed in OPTIONS.values() for part in placed.path]) | st.text(max_size=8)


@given(st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=3) | VALUES, max_size=4), st.booleans())
def test_no_table_makes_parsing_raise(raw: dict[str, object], trusted: bool) -> None:
    merge(raw, raw, trusted)
    merge(raw, {}, trusted)
