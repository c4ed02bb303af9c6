"""Schemas: what values of known files of configuration mean, as declared rules.

Owns: the table of files, keys and meanings.
Must not know: how values are read, what is there.
Invariant: a rule speaks of one key; what no rule speaks of is judged by its spelling alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Final

import attrs


class Meaning(Enum):
    """What a value is."""

    FILE = "a file, from the folder of the document"
    ROOT = "a file, from the folder of the project"
    COMMAND = "lines of a shell"
    SCRIPT = "lines of a shell in the folder of the project"
    NAME = "a dotted name of code"
    ENTRY = "the name of another entry"
    STAGE = "a stage of the Dockerfile that is built"
    VOLUME = "a file, from the folder of the document, or the name of a volume"
    POINTER = "`$ref`: a file and a path in it"
    DOCUMENT = "a file below the folder of documents"
    NOTHING = "never a file"


@attrs.frozen
class SchemaRule:
    """`keys`: parts with dots between them, `*` for one, `**` for any number of them."""

    keys: str
    meaning: Meaning
    also: tuple[str, ...] = ()
    """What may stand behind a path: endings, files that stand for a folder. Of an entry: what is before its name."""


@attrs.frozen
class Schema:
    """Files of one kind."""

    files: str
    """A pattern of their paths."""
    rules: tuple[SchemaRule, ...] = ()
    depth: int = 2
    """Keys so deep are entries."""
    project: str = ""
    """The folders above the document, up to that of the project: `../..`."""
    prefix: tuple[str, ...] = ()
    """Of keys of an ini file that stand for a section."""


_JS: Final = (
    "",
    ".js",
    ".ts",
    ".mjs",
    ".cjs",
    ".tsx",
    ".jsx",
    ".json",
    "/index.js",
    "/index.ts",
    "/index.mjs",
    "/index.tsx",
)
_MANIFEST: Final = ("/package.json",)
_CONFIG: Final = ("", ".json", "/tsconfig.json")
_ACTION: Final = ("", "/action.yml", "/action.yaml", "/Dockerfile")
_RULE = SchemaRule
_F, _R, _C, _N, _E = Meaning.FILE, Meaning.ROOT, Meaning.COMMAND, Meaning.NAME, Meaning.ENTRY

_ACTION_RULES: Final = (
    _RULE("runs.steps.*.uses", _R, _ACTION),
    _RULE("runs.steps.*.run", Meaning.SCRIPT),
    *(_RULE(f"runs.{key}", _F) for key in ("main", "pre", "post", "image", "entrypoint")),
)
SCHEMAS: Final[Sequence[Schema]] = (
    Schema(
        r"(?:.*/)?package\.json",
        (
            *(
                _RULE(key, _F, _JS)
                for key in (
                    "main",
                    "module",
                    "browser",
                    "types",
                    "typings",
                    "unpkg",
                    "source",
                    "bin",
                    "bin.*",
                    "react-native",
                )
            ),
            _RULE("exports", _F, _JS),
            _RULE("exports.**", _F, _JS),
            _RULE("imports.**", _F, _JS),
            _RULE("typesVersions.**", _F, _JS),
            _RULE("browser.*", _F, _JS),
            _RULE("files.*", _F),
            _RULE("man", _F),
            _RULE("man.*", _F),
            _RULE("scripts.*", _C),
            _RULE("prisma.seed", _C),
            _RULE("prisma.schema", _F),
            _RULE("lint-staged.**", _C),
            _RULE("husky.hooks.*", _C),
            _RULE("simple-git-hooks.*", _C),
            _RULE("workspaces.*", _F, _MANIFEST),
            _RULE("workspaces.packages.*", _F, _MANIFEST),
            _RULE("sideEffects.*", _F),
            *(
                _RULE(f"{table}.*", Meaning.NOTHING)
                for table in ("dependencies", "devDependencies", "engines", "overrides", "resolutions")
            ),
            _RULE("repository.**", Meaning.NOTHING),
        ),
    ),
    Schema(
        r"(?:.*/)?(?:tsconfig|jsconfig)[^/]*\.json",
        (
            _RULE("extends", _F, _CONFIG),
            _RULE("extends.*", _F, _CONFIG),
            _RULE("references.*.path", _F, ("/tsconfig.json", "", ".json")),
            _RULE("files.*", _F),
            _RULE("include.*", _F),
            _RULE("compilerOptions.paths.*.*", _F, _JS),
            _RULE("compilerOptions.types.*", _F, (".d.ts", "")),
            _RULE("exclude.*", Meaning.NOTHING),
        ),
    ),
    Schema(
        r"(?:.*/)?pyproject\.toml",
        (
            # Scripts and entry points are tools: rules about frameworks read these.
            _RULE("project.scripts.*", Meaning.NOTHING),
            _RULE("project.gui-scripts.*", Meaning.NOTHING),
            _RULE("project.entry-points.**", Meaning.NOTHING),
            _RULE("tool.poetry.scripts.**", Meaning.NOTHING),
            _RULE("tool.poetry.plugins.**", Meaning.NOTHING),
            *(
                _RULE(key, _F)
                for key in (
                    "project.readme",
                    "project.readme.file",
                    "project.license",
                    "project.license.file",
                    "project.license-files.*",
                    "project.license-files.paths.*",
                    "tool.poetry.readme",
                    "tool.poetry.readme.*",
                )
            ),
            *(
                _RULE(key, _F)
                for key in (
                    "tool.hatch.version.path",
                    "tool.hatch.build.hooks.*.path",
                    "tool.hatch.metadata.hooks.*.path",
                    "tool.pdm.version.path",
                    "tool.setuptools.dynamic.*.file",
                    "tool.setuptools.dynamic.*.file.*",
                    "tool.hatch.build.hooks.vcs.version-file",
                    "tool.setuptools_scm.write_to",
                    "tool.flit.metadata.description-file",
                    "tool.towncrier.filename",
                    "tool.towncrier.template",
                )
            ),
            _RULE("tool.setuptools.license-files.*", _F),
            _RULE("tool.setuptools.dynamic.*.attr", _N),
            _RULE("tool.setuptools.cmdclass.*", _N),
            _RULE("tool.hatch.build.**", _F),
            _RULE("tool.flit.sdist.include.*", _F),
            _RULE("tool.hatch.envs.*.scripts.**", _C),
            _RULE("tool.poe.tasks.**", _C),
            _RULE("tool.pdm.scripts.**", _C),
            _RULE("tool.taskipy.tasks.*", _C),
            _RULE("tool.rye.scripts.**", _C),
            _RULE("tool.tox.**.commands.**", _C),
            _RULE("tool.tox.legacy_tox_ini", _C),
            _RULE("tool.cibuildwheel.**", _C),
            _RULE("build-system.requires.*", Meaning.NOTHING),
            _RULE("project.dependencies.*", Meaning.NOTHING),
            _RULE("project.urls.*", Meaning.NOTHING),
            _RULE("dependency-groups.**", Meaning.NOTHING),
            _RULE("tool.**.exclude", Meaning.NOTHING),
        ),
    ),
    Schema(
        r"(?:.*/)?\.github/workflows/[^/]+\.ya?ml",
        (
            _RULE("jobs.*.steps.*.uses", _R, _ACTION),
            _RULE("jobs.*.uses", _R),
            _RULE("jobs.*.steps.*.run", Meaning.SCRIPT),
            _RULE("jobs.*.needs", _E, ("jobs.",)),
            _RULE("jobs.*.needs.*", _E, ("jobs.",)),
            _RULE("jobs.*.steps.*.with.*", _R),
            _RULE("jobs.*.steps.*.name", Meaning.NOTHING),
            _RULE("on.*.paths-ignore.*", _R),
            _RULE("on.*.paths.*", _R),
            _RULE("**.if", Meaning.NOTHING),
        ),
        project="../..",
    ),
    # What an action of the repository itself runs, it runs in the folder of that.
    Schema(r"(?:.*/)?\.github/actions/[^/]+/action\.ya?ml", _ACTION_RULES, project="../../.."),
    Schema(r"(?:.*/)?action\.ya?ml", _ACTION_RULES),
    Schema(
        r"(?:.*/)?(?:(?:docker-)?compose|docker-stack)[^/]*\.ya?ml",
        (
            _RULE("services.*.build", _F, ("/Dockerfile",)),
            _RULE("services.*.build.context", _F, ("/Dockerfile",)),
            _RULE("services.*.build.dockerfile", _F),
            _RULE("services.*.build.target", Meaning.STAGE),
            _RULE("services.*.depends_on.*", _E, ("services.",)),
            _RULE("services.*.extends", _E, ("services.",)),
            _RULE("services.*.extends.service", _E, ("services.",)),
            _RULE("services.*.extends.file", _F),
            _RULE("services.*.env_file", _F),
            _RULE("services.*.env_file.*", _F),
            _RULE("services.*.env_file.*.path", _F),
            _RULE("services.*.volumes.*", Meaning.VOLUME, ("volumes.",)),
            _RULE("services.*.volumes.*.source", Meaning.VOLUME, ("volumes.",)),
            *(
                rule
                for part in ("networks", "configs", "secrets")
                for rule in (
                    _RULE(f"services.*.{part}.*", _E, (f"{part}.",)),
                    _RULE(f"services.*.{part}.*.source", _E, (f"{part}.",)),
                )
            ),
            _RULE("services.*.command", _C),
            _RULE("services.*.entrypoint", _C),
            _RULE("services.*.image", Meaning.NOTHING),
            _RULE("configs.*.file", _F),
            _RULE("secrets.*.file", _F),
            _RULE("include.*", _F),
        ),
    ),
    Schema(
        r"(?:.*/)?\.gitlab-ci[^/]*\.ya?ml",
        (
            _RULE("*.script.*", _C),
            _RULE("*.before_script.*", _C),
            _RULE("*.after_script.*", _C),
            _RULE("*.needs.*", _E, ("",)),
            _RULE("*.dependencies.*", _E, ("",)),
            _RULE("*.extends", _E, ("",)),
            _RULE("include.*", _R),
            _RULE("include.*.local", _R),
        ),
    ),
    Schema(r"(?:.*/)?\.pre-commit-config\.ya?ml", (_RULE("repos.*.hooks.*.entry", _C),)),
    Schema(
        r"(?:.*/)?\.?readthedocs\.ya?ml",
        (
            _RULE("sphinx.configuration", _F),
            _RULE("mkdocs.configuration", _F),
            _RULE("python.install.*.requirements", _F),
            _RULE("conda.environment", _F),
            _RULE("build.commands.*", _C),
            _RULE("build.jobs.**", _C),
        ),
    ),
    Schema(
        r"(?:.*/)?mkdocs\.ya?ml",
        (
            _RULE("nav.**", Meaning.DOCUMENT),
            _RULE("extra_css.*", Meaning.DOCUMENT),
            _RULE("extra_javascript.*", Meaning.DOCUMENT),
            _RULE("hooks.*", _F),
        ),
    ),
    Schema(
        r"(?:.*/)?kustomization\.ya?ml",
        (
            *(
                _RULE(f"{key}.*", _F, ("", "/kustomization.yaml", "/kustomization.yml"))
                for key in (
                    "resources",
                    "bases",
                    "components",
                    "crds",
                    "patchesStrategicMerge",
                    "generators",
                    "transformers",
                )
            ),
            _RULE("patches.*.path", _F),
            _RULE("patchesJson6902.*.path", _F),
            _RULE("configMapGenerator.*.files.*", _F),
            _RULE("configMapGenerator.*.envs.*", _F),
            _RULE("secretGenerator.*.files.*", _F),
        ),
    ),
    Schema(
        r"(?:.*/)?skaffold[^/]*\.ya?ml",
        (
            _RULE("**.artifacts.*.context", _F, ("/Dockerfile",)),
            _RULE("**.artifacts.*.docker.dockerfile", _F),
            _RULE("**.manifests.*", _F),
            _RULE("**.rawYaml.*", _F),
            _RULE("**.dependencies.paths.*", _F),
            _RULE("**.releases.*.chartPath", _F, ("/Chart.yaml",)),
            _RULE("**.releases.*.valuesFiles.*", _F),
            _RULE("**.kustomize.paths.*", _F, ("/kustomization.yaml", "/kustomization.yml")),
            _RULE("**.requires.*.path", _F, ("", "/skaffold.yaml")),
        ),
    ),
    Schema(
        r"(?:.*/)?pnpm-workspace\.ya?ml",
        (_RULE("packages.*", _F, _MANIFEST), _RULE("catalog.**", Meaning.NOTHING)),
    ),
    Schema(r"(?:.*/)?lerna\.json", (_RULE("packages.*", _F, _MANIFEST),)),
    Schema(
        r"(?:.*/)?turbo\.json",
        (
            _RULE("tasks.*.dependsOn.*", _E, ("tasks.",)),
            _RULE("pipeline.*.dependsOn.*", _E, ("pipeline.",)),
            _RULE("globalDependencies.*", _F),
            _RULE("extends.*", Meaning.NOTHING),
        ),
    ),
    Schema(
        r"(?:.*/)?(?:tox\.ini|setup\.cfg)",
        (
            _RULE("*.commands.*", _C),
            _RULE("*.commands_pre.*", _C),
            _RULE("*.commands_post.*", _C),
            _RULE("*.allowlist_externals.*", _C),
            _RULE("*.deps.*", _C),
            _RULE("options.entry_points.*.*", _N, ("=",)),
            _RULE("metadata.license_files.*", _F),
            _RULE("metadata.license_file.*", _F),
            _RULE("metadata.*.0", _N, ("attr:", "file:")),
        ),
        depth=1,
    ),
    Schema(
        r"(?:.*/)?(?:vercel|netlify|nest-cli|angular|deno|biome|\.eslintrc|\.prettierrc|\.babelrc|renovate|components|wrangler|composer|app|lerna|nx|project)\.(?:jsonc?|ya?ml|toml)"
        r"|(?:.*/)?\.(?:eslintrc|prettierrc|babelrc|swcrc|mocharc|nycrc|c8rc|lintstagedrc|releaserc|stylelintrc)",
        (
            _RULE("buildCommand", _C),
            _RULE("build.command", _C),
            _RULE("targets.*.options.command", _C),
            _RULE("extends", _F, ("", ".json", ".js", ".cjs")),
            _RULE("extends.*", _F, ("", ".json", ".js", ".cjs")),
            _RULE("tasks.*", _C),
        ),
    ),
    Schema(
        r"(?:.*/)?(?:openapi|swagger|asyncapi)[^/]*\.(?:json|ya?ml)",
        depth=3,
    ),
)
ANY: Final = Schema(r".*")
POINTER: Final = SchemaRule("**.$ref", Meaning.POINTER)


@lru_cache(maxsize=4096)
def schema_for(path: str) -> Schema | None:
    """The schema of a file, by its path; None for one that nobody knows."""
    return next((schema for schema in SCHEMAS if re.fullmatch(schema.files, path)), None)


def rule_for(schema: Schema | None, path: tuple[str, ...]) -> SchemaRule | None:
    """What is declared of a key."""
    if path[-1] == "$ref":
        return POINTER
    if schema is None:
        return None
    return next((rule for rule in schema.rules if _matches(rule.keys, path)), None)


def _matches(keys: str, path: tuple[str, ...]) -> bool:
    return _parts_match(tuple(keys.split(".")), path)


def _parts_match(keys: tuple[str, ...], path: tuple[str, ...]) -> bool:
    if not keys:
        return not path
    if keys[0] == "**":
        return any(_parts_match(keys[1:], path[cut:]) for cut in range(len(path) + 1))
    return bool(path) and keys[0] in ("*", path[0]) and _parts_match(keys[1:], path[1:])
