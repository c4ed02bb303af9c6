"""Tree: every setting, its default and what it means.

Owns: the settings classes; docs/settings.md and the editors' settings are generated from them.
Must not know: where raw values come from, who reads a setting.
Invariant: `Settings()` is valid and is what a user with no configuration gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from graphls.settings.folder_limits import MOST_BYTES, MOST_LINE_BYTES, FolderLimits, FolderLimitsTable
from graphls.settings.framework_rules import FrameworkRule, RuleTable
from graphls.settings.health_weights import HealthOverride, OverrideTable, WeightsTable
from graphls.settings.kinds import (
    ChoiceKind,
    FlagKind,
    LayerKind,
    ListKind,
    PathKind,
    TableKind,
    TextKind,
    WholeNumberKind,
)
from graphls.settings.option import Trust, option, section
from graphls.settings.policy_rules import PolicyRule, PolicyTable
from graphls.settings.services import PRESETS, SERVICES, disabled
from graphls.settings.similarity import SimilaritySettings

_LARGEST: Final = 2**31 - 1
LEVELS: Final = ("off", "info", "P3", "P2", "P1")


@attrs.frozen
class FilesSettings:
    """Which files are indexed."""

    exclude: tuple[str, ...] = option(
        (),
        ListKind(TextKind("a glob"), "globs"),
        """Globs of files and folders that stay out of the graph, relative to the workspace, written as in .gitignore.
        Of several open folders, one that begins with //NAME/ counts in the folder of that name alone.""",
        per_folder=True,
    )
    follow_ignore: bool = option(True, FlagKind(), "Leave out what .gitignore and .ignore files name.", per_folder=True)
    max_bytes: int = option(
        2_000_000,
        WholeNumberKind(1, _LARGEST),
        "A file larger than this many bytes is listed as skipped, not indexed.",
        most=MOST_BYTES,
        per_folder=True,
    )
    max_line_bytes: int = option(
        200_000,
        WholeNumberKind(1, _LARGEST),
        "A file with a line of more bytes than this is listed as skipped: such files are generated or minified.",
        most=MOST_LINE_BYTES,
        per_folder=True,
    )
    folders: tuple[FolderLimits, ...] = option(
        (),
        ListKind(FolderLimitsTable(), "tables"),
        """Other values of followIgnore, maxBytes and maxLineBytes in single ones of several open folders, by their
        names. What a folder says of itself is put here.""",
    )


@attrs.frozen
class PythonSettings:
    """How Python code is laid out."""

    roots: tuple[str, ...] = option(
        (),
        ListKind(PathKind("a folder"), "folders"),
        "Folders that absolute imports start from. Empty: found from the layout and from pyproject.toml.",
        Trust.INSIDE,
        per_folder=True,
    )
    environment: str = option(
        "",
        PathKind("a folder"),
        "Folder of the virtual environment whose packages imports may name. Empty: .venv or venv of the workspace.",
        Trust.INSIDE,
    )


@attrs.frozen
class IndexSettings:
    """How files are indexed."""

    workers: int = option(
        0,
        WholeNumberKind(0, 256),
        """Number of processes that extract facts: at most two for each core, and no more than memory allows. 0: as many
        as the machine has cores, within reason.""",
    )


@attrs.frozen
class CacheSettings:
    """What is kept between runs."""

    enabled: bool = option(True, FlagKind(), "Keep facts and links on disk, so that a second start is quick.")
    directory: str = option(
        "",
        PathKind("a folder"),
        """Where the cache lives. Empty: the cache folder of the user. A repository may not choose it: it could plant
        entries.""",
        Trust.PROGRAM,
    )
    remote: str = option(
        "",
        TextKind(),
        """An object store behind this cache (`s3://`, `gs://`, `az://`, `https://`, `file://`), read when much is
        missed here, for packs that `graphls cache push` wrote and signed with GRAPHLS_CACHE_KEY. Empty: what
        GRAPHLS_CACHE_REMOTE says.""",
        Trust.PROGRAM,
    )
    remote_name: str = option(
        "", TextKind(), "What was pushed there for this workspace is called so. Empty: GRAPHLS_CACHE_REMOTE_NAME."
    )


@attrs.frozen
class TypeCheckerSettings:
    """The type checker that settles what names alone leave open."""

    enabled: bool = option(True, FlagKind(), "Ask a checker about uncertain references.")
    name: str = option(
        "ty",
        ChoiceKind(("ty", "basedpyright", "pyright")),
        "Which checker to ask about Python. Only ty is installed with graphls.",
        Trust.NOTHING,
    )
    path: str = option(
        "",
        PathKind("the path of an executable"),
        "The executable of the checker for Python. Empty: the one installed with graphls.",
        Trust.PROGRAM,
    )
    typescript: str = option(
        "typescript",
        ChoiceKind(("typescript", "typescript-language-server", "off")),
        """Which checker to ask about TypeScript and JavaScript: the native server of TypeScript 7,
        typescript-language-server with TypeScript 5, which finds no errors for graphls, or none (off).""",
        Trust.NOTHING,
        harmless=("off",),
    )
    typescript_path: str = option(
        "",
        PathKind("the path of an executable"),
        "The tsc of TypeScript 7 or newer, or the typescript-language-server. Empty: the one on the PATH.",
        Trust.PROGRAM,
    )
    from_workspace: bool = option(
        False,
        FlagKind(),
        """Let checkers run that are installed in the workspace: the TypeScript or typescript-language-server in
        node_modules before the one on the PATH, a checker in the Python environment where there is no other. They are
        programs of the repository, so only for a workspace that you trust.""",
        Trust.PROGRAM,
    )
    budget_ms: int = option(
        150,
        WholeNumberKind(0, 60_000),
        """How long one request waits for the checker, in milliseconds. 0: never waits. References in TypeScript, for
        which the checker looks through whole projects, wait up to sixty times as long.""",
        Trust.NOTHING,
    )
    memory_limit_mb: int = option(
        2000,
        WholeNumberKind(100, 1_000_000),
        "A checker that uses more memory than this, in megabytes, is stopped and named.",
        Trust.NOTHING,
    )
    idle_seconds: int = option(
        600,
        WholeNumberKind(1, 86_400),
        "A checker that nobody asked for this many seconds is stopped.",
        Trust.NOTHING,
    )


@attrs.frozen
class CallSettings:
    """What counts as a call."""

    implicit: bool = option(
        True,
        FlagKind(),
        """Call hierarchies, code lenses and hovers count constructs that run a method without naming it (`with x:`,
        `len(x)`), apart from the calls by name.""",
    )


@attrs.frozen
class TestsSettings:
    """How tests to run are chosen."""

    __test__ = False

    runs: str = option(
        ".graphls/cache/test-runs.json",
        PathKind("a file"),
        """Record of which functions ran while each test ran, as `pytest -p graphls.pytest --graphls-record` writes it.
        A record that is not there is no problem.""",
        Trust.INSIDE,
    )


@attrs.frozen
class FindingsSettings:
    """Architecture findings: advisory records about the graph."""

    enabled: bool = option(True, FlagKind(), "Compute findings and show them as diagnostics.", per_folder=True)
    rules: Mapping[str, str] = option(
        {},
        TableKind(ChoiceKind(LEVELS), "names of rules"),
        """Priority of each rule, or off. A rule that is not named keeps its own priority. Of several open folders,
        //NAME/RULE counts in the folder of that name alone, and //NAME/* stands for all rules there.""",
        per_folder=True,
    )
    generated: bool = option(
        False,
        FlagKind(),
        """Findings in files that tools made or others wrote as well: generated, minified, vendored, or marked as
        linguist-generated or linguist-vendored in .gitattributes.""",
    )
    layers: tuple[tuple[str, ...], ...] = option(
        (),
        ListKind(LayerKind(), "layers", apart=False),
        """Packages from the highest layer to the lowest: a module may import from lower layers only. Packages joined
        by "|", or given as a list, share a layer and may not import each other.""",
    )
    reports: tuple[str, ...] = option(
        (),
        ListKind(PathKind("a file"), "files"),
        """SARIF logs of other tools, such as linters: their results are findings of the symbols that they are in. A log
        that is not there is no problem.""",
        Trust.INSIDE,
        per_folder=True,
    )
    coverage: tuple[str, ...] = option(
        (),
        ListKind(PathKind("a file"), "files"),
        """Reports of coverage (LCOV, the JSON of coverage.py, Cobertura XML): how much of each function tests ran. A
        report that is not there is no problem.""",
        Trust.INSIDE,
        per_folder=True,
    )
    baseline: str = option(
        ".graphls/baseline.json",
        PathKind("a file"),
        "File with the findings that are known and no longer shown.",
        Trust.INSIDE,
    )
    reviews: str = option(
        ".graphls/reviews.json",
        PathKind("a file"),
        "File with what people decided about findings: accepted, rejected or deferred, with reason and author.",
        Trust.INSIDE,
    )


@attrs.frozen
class HealthSettings:
    """How much each marker of health counts."""

    weights: Mapping[str, float] = option(
        {},
        WeightsTable(),
        """What the delta of a marker is multiplied by, for example `large_file = 0.5`; 0 switches it off, `*` means
        all. Markers that are not named count as they are.""",
        per_folder=True,
    )
    overrides: tuple[HealthOverride, ...] = option(
        (),
        ListKind(OverrideTable(), "overrides"),
        "Other weights for files that `glob` names; of several for one file and marker the last counts.",
        per_folder=True,
    )


@attrs.frozen
class FrameworkSettings:
    """What frameworks do with code: routes, commands, tools, fixtures, strings that name code."""

    enabled: bool = option(True, FlagKind(), "Derive routes, tools, fixtures and strings that name code.")
    strings: bool = option(True, FlagKind(), "Strings that spell a module or declaration of the workspace refer to it.")
    disabled: tuple[str, ...] = option(
        (),
        ListKind(TextKind("a name"), "names"),
        "Rules that are switched off, or whole frameworks: `flask.verb`, `celery`.",
    )
    rules: tuple[FrameworkRule, ...] = option(
        (), ListKind(RuleTable(), "rules"), "Rules of your own, asked before those of graphls; see docs/frameworks.md."
    )


@attrs.frozen
class PolicySettings:
    """Rules of a team, as expressions over facts."""

    rules: tuple[PolicyRule, ...] = option(
        (),
        ListKind(PolicyTable(), "rules"),
        """Rules of your own as expressions in CEL; what breaks them is a finding. Needs the package
        common-expression-language; see docs/policy.md.""",
    )


@attrs.frozen
class PackSettings:
    """Context packs for a task."""

    budget: int = option(
        8000,
        WholeNumberKind(100, 1_000_000),
        "Tokens that a pack may use when the request names no budget.",
        most=100_000,
    )
    tests: bool = option(True, FlagKind(), "Let packs hold tests.")


@attrs.frozen
class AgentsSettings:
    """What agents are offered."""

    tools: str = option(
        "full",
        ChoiceKind(("full", "minimal")),
        "`minimal`: one tool with a request for each of the others, in 3 kB, for clients with many servers.",
    )
    journal: bool = option(
        True,
        FlagKind(),
        """Note which questions agents asked, on this machine alone, for 90 days: the arguments cut short, how many
        results there were and the names of the first, no source. `graphls journal` lists and erases them.""",
    )


@attrs.frozen
class ServerSettings:
    """What the server may use for itself."""

    memory_limit_mb: int = option(
        2000,
        WholeNumberKind(0, 1_000_000),
        """Memory of the server's own process, in megabytes, workers and checkers apart. Near it the server drops what
        it can make again; where that is not enough, answers are partial and say so. 0: no limit.""",
        Trust.NOTHING,
    )
    request_ms: int = option(
        1700,
        WholeNumberKind(0, 600_000),
        """Time that one request may take, in milliseconds; on a busy machine an eighth of it is computing all the same.
        Beyond it an answer is partial and says so. 0: as much as it takes. Exports and commands have no limit; a
        comparison in a process of its own goes on, and whoever asks again has what it found.""",
        Trust.NOTHING,
    )


@attrs.frozen
class LogSettings:
    """What the server writes to its log."""

    level: str = option(
        "warning", ChoiceKind(("off", "error", "warning", "info", "debug")), "The least serious message that is logged."
    )


@attrs.frozen
class Settings:
    """Everything that a user may choose."""

    preset: str = option(
        "",
        ChoiceKind(tuple(PRESETS)),
        """A starting point. `companion` is for use beside a main language server: it switches off what that one does
        and keeps code lenses, code actions, findings as diagnostics and the custom requests.""",
    )
    disabled_language_services: Mapping[str, bool] = option(
        {},
        TableKind(FlagKind(), "names of services", camel_names=True),
        f"""Services that are switched off (true) or, against the preset, left on (false). A service that is off is not
        advertised. Names: {", ".join(SERVICES)}.""",
    )
    files: FilesSettings = section(FilesSettings, "Which files are indexed.")
    python: PythonSettings = section(PythonSettings, "How Python code is laid out.")
    index: IndexSettings = section(IndexSettings, "How files are indexed.")
    cache: CacheSettings = section(CacheSettings, "What is kept between runs.")
    checker: TypeCheckerSettings = section(
        TypeCheckerSettings, "The type checker that settles what names alone leave open."
    )
    calls: CallSettings = section(CallSettings, "What counts as a call in the editor.")
    tests: TestsSettings = section(TestsSettings, "How tests to run are chosen.")
    findings: FindingsSettings = section(FindingsSettings, "Architecture findings: advisory records about the graph.")
    health: HealthSettings = section(HealthSettings, "How much each marker of health counts.")
    similarity: SimilaritySettings = section(SimilaritySettings, "How bodies of functions are compared.")
    frameworks: FrameworkSettings = section(
        FrameworkSettings, "What frameworks do with code: routes, commands, tools, fixtures, strings that name code."
    )
    policy: PolicySettings = section(PolicySettings, "Rules of a team, as expressions over facts.")
    pack: PackSettings = section(PackSettings, "Context packs for a task.")
    agents: AgentsSettings = section(AgentsSettings, "What agents are offered.")
    server: ServerSettings = section(ServerSettings, "What the server may use for itself.")
    log: LogSettings = section(LogSettings, "What the server writes to its log.")

    @property
    def disabled_services(self) -> frozenset[str]:
        """The services that must not be advertised: the preset, corrected by the explicit map."""
        return disabled(self.preset, self.disabled_language_services)
