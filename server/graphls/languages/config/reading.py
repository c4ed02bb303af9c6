"""Reading: which reader a file has, and what its values mean by schema and spelling.

Owns: the choice of reader by name, bounds on entries, from values to references.
Must not know: the workspace beyond the path of the file, what is there.
Invariant: a value that no schema speaks of is a reference only where its spelling leaves no doubt that it is a path or
    a qualified name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.languages.config.build_files import read_dockerfile, read_hcl, read_makefile
from graphls.languages.config.commands import CommandPlace, joined, references_in
from graphls.languages.config.dbt import (
    described_models,
    described_sources,
    macros_called,
    macros_of,
    refs_in,
    sources_in,
)
from graphls.languages.config.document import (
    ConfigDocument,
    ConfigEntry,
    ConfigReference,
    ConfigValue,
    KeyedText,
    ReferenceKind,
)
from graphls.languages.config.environment import variables
from graphls.languages.config.graphql import read_graphql
from graphls.languages.config.images import command_images, keyed_images
from graphls.languages.config.keyed import read_ini, read_json_text, read_toml, read_yaml
from graphls.languages.config.markup import read_css, read_html, read_markdown, read_rst
from graphls.languages.config.prisma import read_prisma
from graphls.languages.config.protobuf import read_protobuf
from graphls.languages.config.schemas import Meaning, SchemaRule, rule_for, schema_for

READING_VERSION: Final = 14
"""Raised whenever reading says something else about the same bytes."""
MAX_ENTRIES: Final = 400
"""A document with more is one thing: a table of data rather than configuration."""
MAX_DECLARED: Final[Mapping[str, int]] = {"sql": 4_000, "graphql": 40_000, "protobuf": 4_000, "prisma": 10_000}
"""Of formats whose entries are declarations, which are named elsewhere, however many."""
MAX_BYTES: Final = 400_000
MAX_SCHEMA: Final = 2_000_000
"""Bytes of a document of GraphQL: services print their whole schema into one file."""
MAX_DATA: Final = 20_000
"""Bytes of a document of a kind that no schema knows, of a format that data often has."""
_LOCKS: Final = re.compile(
    r"(?:.*/)?(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|[^/]*\.lock(?:\.json)?)"
)
_NAMES: Final[Mapping[str, str]] = {
    "dockerfile": "docker", "containerfile": "docker", "makefile": "make", "gnumakefile": "make",
    "pipfile": "toml", ".env": "ini", ".flake8": "ini", ".coveragerc": "ini", ".pylintrc": "ini",
    ".editorconfig": "ini", ".prettierrc": "yaml", ".eslintrc": "yaml", ".babelrc": "json", ".swcrc": "json",
    ".mocharc": "yaml", ".nycrc": "json", ".lintstagedrc": "yaml", ".releaserc": "yaml", ".stylelintrc": "yaml",
    ".c8rc": "json", "procfile": "commands",
}  # fmt: skip
_ENDINGS: Final[Mapping[str, str]] = {
    ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json", ".jsonc": "json", ".json5": "json",
    ".ini": "ini", ".cfg": "ini", ".env": "ini", ".dockerfile": "docker", ".mk": "make", ".tf": "hcl",
    ".hcl": "hcl", ".md": "markdown", ".mdx": "markdown", ".markdown": "markdown", ".rst": "rst", ".html": "html",
    ".htm": "html", ".css": "css", ".scss": "css", ".sh": "commands", ".bash": "commands",
    ".code-workspace": "json", ".proto": "protobuf", ".sql": "sql", ".graphql": "graphql", ".gql": "graphql",
    ".graphqls": "graphql", ".prisma": "prisma", ".psql": "sql", ".pgsql": "sql", ".ddl": "sql",
}  # fmt: skip
_REQUIREMENTS: Final = re.compile(
    r"(?:.*/)?(?:requirements|constraints)[^/]*\.(?:txt|in)|(?:.*/)?requirements/[^/]+\.(?:txt|in)"
)
_FOR_DATABASE: Final = re.compile(r"\.sql\.(?:postgres|postgresql|pg|mysql|mariadb|sqlite|sqlite3|tmpl|template)\Z")
_REST: Final = re.compile(rb"^(?:=|-|~|\*){4,}[ \t]*$|^\.\. _|:(?:doc|ref|class|func|mod):`", re.MULTILINE)
_DATA: Final = frozenset(("json", "html", "css"))
_SPELLED_PATH: Final = re.compile(
    r"(?:\.{1,2}/)+[\w@.+/()\[\]-]+\Z|(?:[\w@.+()\[\]-]+/)+[\w@.+()\[\]-]*\.[A-Za-z]\w*\Z"
)
_SPELLED_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+\Z|[A-Za-z_][\w.]*:[A-Za-z_][\w.]*(?:\(\))?\Z")
_VOLUME: Final = re.compile(r"[A-Za-z0-9][\w.-]*\Z")
_PROCESS: Final = re.compile(rb"^\w+:", re.MULTILINE)
_HASHED: Final = re.compile(rb"hashFiles\(([^)\n]*)\)")
_LITERAL: Final = re.compile(rb"'([^'*\n]+)'")
_DEPENDENCY: Final = re.compile(r"(?:file|link|portal):(.+)")


def format_of(path: str) -> str:
    """The format of a file by its name; "" for what is not read."""
    name = path.rpartition("/")[2].lower()
    if _LOCKS.fullmatch(path):
        return ""
    known = _NAMES.get(name)
    if known is None:
        stem, dot, _ = name.partition(".")
        known = _NAMES.get(stem) if stem in ("dockerfile", "makefile") and dot else None
    if known is None and name.startswith(".env"):
        known = "ini"
    if known is None and _REQUIREMENTS.fullmatch(path):
        return "requirements"
    if known is None and name.endswith(".txt"):
        return "text"
    if known is None and _FOR_DATABASE.search(name):
        return "sql"
    return known or _ENDINGS.get(name[name.rfind(".") :], "") if "." in name or known else ""


def is_document(path: str) -> bool:
    """Whether a file of this name is read as configuration or as a document."""
    return bool(format_of(path))


def read_document(path: str, data: bytes, *, script: bool = False) -> ConfigDocument:
    """What a file says. `script`: it is known to be one of a shell, whatever its name is."""
    form = format_of(path) or ("commands" if script else "")
    if not form or len(data) > (MAX_SCHEMA if form == "graphql" else MAX_BYTES):
        return ConfigDocument(cut=bool(form))
    if form == "text":
        form = "rst" if _REST.search(data) else ""
    reader = _READERS.get(form)
    found = reader(path, data) if reader is not None else ConfigDocument()
    if len(found.entries) > MAX_DECLARED.get(form, MAX_ENTRIES):
        return attrs.evolve(found, entries=(), cut=True)
    return found


def _keyed(read: Callable[[bytes], KeyedText], path: str, data: bytes) -> ConfigDocument:
    schema, pointers = schema_for(path), b'$ref"' in data or b"$ref:" in data or b"$ref'" in data
    form = format_of(path)
    if schema is None and not pointers and form in _DATA and len(data) > MAX_DATA:
        return ConfigDocument(cut=True)
    text = read(data)
    reading = _KeyedReading(path, data, text)
    commands = (*command_images("", data), *described_models(data)) if form == "yaml" else ()
    listed = form not in _DATA or schema is not None or pointers
    entries = reading.entries() if listed else ()
    return ConfigDocument(entries, sorted((*reading.references(), *commands), key=lambda one: one.start))


class _KeyedReading:
    """Entries and references of one document of keys and values."""

    def __init__(self, path: str, data: bytes, text: KeyedText) -> None:
        self._path, self._data, self._text = path, data, text
        self._schema = schema_for(path)
        self._folder = path.rpartition("/")[0]
        above = self._schema.project if self._schema is not None else ""
        self._project = joined(self._folder, above) or "" if above else self._folder
        self._known = {value.path: value.text for value in text.values if value.plain}

    def entries(self) -> Sequence[ConfigEntry]:
        """Keys from the top, as deep as the schema says, those of schemas that references point at, anchors."""
        depth = self._schema.depth if self._schema is not None else 2
        pointed = {
            value.text.partition("#")[2].strip("/")
            for value in self._text.values
            if value.path and value.path[-1] == "$ref"
        }
        found: list[ConfigEntry] = []
        known: set[tuple[str, ...]] = set()
        for key in self._text.keys:
            deep = len(key.path) <= depth or "/".join(key.path) in pointed
            if deep and not any(part.isdigit() for part in key.path) and key.path not in known:
                known.add(key.path)
                found.append(ConfigEntry("key", ".".join(key.path), key.start, key.end, key.full_start, key.full_end))
        for name, start, end in self._text.anchors:
            found.append(ConfigEntry("anchor", f"&{name}", start + 1, end, start, end))
        given = {variable.start: variable for variable in variables(self._path, self._text)}
        found = [given.pop(entry.start, entry) for entry in found]
        found += given.values()
        found += described_sources(value for value in self._text.values if value.plain)
        return sorted(found, key=lambda one: (one.start, one.end))

    def references(self) -> Iterator[ConfigReference]:
        """What values name."""
        for name, start, end in self._text.aliases:
            yield ConfigReference(ReferenceKind.ENTRY, f"&{name}", start + 1, end, also=("before",))
        yield from keyed_images(self._text)
        for value in self._text.values:
            if value.path and value.text:
                yield from self._value(value)
        for key in self._text.keys:
            # `depends_on: {db: {condition: ...}}`
            rule = rule_for(self._schema, key.path) if self._schema is not None else None
            is_name = rule is not None and rule.meaning == Meaning.ENTRY and rule.keys.endswith(".*")
            if rule is not None and is_name and key.path[-2:-1] != ("needs",):
                name = rule.also[0] + key.path[-1]
                if name != ".".join(key.path):
                    yield ConfigReference(ReferenceKind.ENTRY, name, key.start, key.end)

    def _value(self, value: ConfigValue) -> Iterator[ConfigReference]:
        if "hashFiles(" in value.text:
            yield from self._hashed(value)
            return
        rule = rule_for(self._schema, value.path)
        if rule is not None:
            yield from _BY_MEANING[rule.meaning](self, value, rule)
        elif value.plain:
            yield from self._spelled(value)

    def _hashed(self, value: ConfigValue) -> Iterator[ConfigReference]:
        """Files whose digest a workflow takes."""
        for call in _HASHED.finditer(self._data, value.start, value.end):
            for literal in _LITERAL.finditer(self._data, *call.span(1)):
                where = joined(self._project, literal[1].decode("utf-8", "replace"))
                if where:
                    yield ConfigReference(ReferenceKind.FILE, where, *literal.span(1))

    def file(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """A path from the folder of the document, or of what the schema says."""
        base = self._project if rule.meaning == Meaning.ROOT else self._folder
        if value.path[-1] == "dockerfile":
            around = value.path[:-2] if value.path[-2] == "docker" else value.path[:-1]
            base = joined(base, self._known.get((*around, "context"), ".")) or ""
        if value.path[-3:-1] == ("dependencies", "paths") and "artifacts" in value.path:
            artifact = value.path[: value.path.index("artifacts") + 2]
            base = joined(base, self._known.get((*artifact, "context"), ".")) or ""
        if value.path[-1] == "path" and "artifacts" in value.path:
            base = joined(base, self._known.get((*value.path[:-2], "context"), ".")) or ""
        if value.path[-1] == "context" and (*value.path[:-1], "dockerfile") in self._known:
            return
        if value.path[-1] == "context" and (*value.path[:-1], "docker", "dockerfile") in self._known:
            return
        yield from self._located(value.text, value, base, rule.also)

    def volume(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """`./data:/data` is a path, `data:/data` the name of a volume; in the long form both stand alone."""
        text, colon, _ = value.text.partition(":")
        if text.startswith("."):
            yield from self._located(text, value, self._folder, ())
        elif value.plain and (colon or value.path[-1] == "source") and _VOLUME.match(text):
            end = value.start + len(text.encode())
            yield ConfigReference(ReferenceKind.ENTRY, rule.also[0] + text, value.start, end)

    def stage(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """A stage of the Dockerfile that the keys around it name."""
        around = value.path[:-1]
        context = joined(self._folder, self._known.get((*around, "context"), "."))
        file = self._known.get((*around, "dockerfile"), "Dockerfile")
        where = joined(context, file) if context is not None else None
        if value.plain and where:
            yield ConfigReference(ReferenceKind.ENTRY, value.text, value.start, value.end, where)

    def _located(self, text: str, value: ConfigValue, base: str, also: tuple[str, ...]) -> Iterator[ConfigReference]:
        if not value.plain or re.search(r"[*{}$<>|]|://", text):
            return
        file = joined(base, text)
        if file is not None:
            end = value.start + len(text.encode())
            yield ConfigReference(ReferenceKind.FILE, file, value.start, end, also=also)

    def document(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """A path below the folder of documents."""
        folder = joined(self._folder, self._known.get(("docs_dir",), "docs")) or ""
        yield from self._located(value.text, value, folder, rule.also)

    def commands(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """Lines of a shell."""
        folder = self._project if rule.meaning == Meaning.SCRIPT else self._folder
        if rule.meaning == Meaning.SCRIPT:
            folder = joined(folder, self._working_directory(value.path)) or ""
        scripts = self._path if self._path.endswith("package.json") else f"{folder}/package.json".lstrip("/")
        place = CommandPlace(folder, scripts, f"{folder}/Makefile".lstrip("/"))
        yield from references_in(self._data, value.start, value.end, place)

    def _working_directory(self, path: tuple[str, ...]) -> str:
        job = path[:2]
        for where in (
            (*path[:-1], "working-directory"),
            (*job, "defaults", "run", "working-directory"),
            ("defaults", "run", "working-directory"),
        ):
            if where in self._known:
                return "../.." if "$" in self._known[where] else self._known[where]
        return "."

    def name(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """A dotted name, perhaps behind a sign."""
        text, start = value.text, value.start
        for sign in rule.also:
            before, found, behind = text.partition(sign)
            if found:
                if sign == "file:":
                    path = behind.strip()
                    at = value.end - len(path.encode())
                    where = joined(self._folder, path)
                    if where:
                        yield ConfigReference(ReferenceKind.FILE, where, at, value.end)
                    return
                start += len(f"{before}{found}".encode()) + len(behind) - len(behind.lstrip())
                text = behind.strip()
                break
        text = text.partition("[")[0].strip()
        if _SPELLED_NAME.match(text):
            yield ConfigReference(ReferenceKind.DOTTED, text, start, start + len(text.encode()))

    def entry(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """The name of another entry of the document."""
        text, start = value.text.lstrip("^"), value.start + len(value.text) - len(value.text.lstrip("^"))
        if value.plain and not value.text.startswith("^"):
            yield ConfigReference(ReferenceKind.ENTRY, rule.also[0] + text, start, value.end)

    def pointer(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """`#/components/schemas/Pet`, `other.yaml#/Pet`, `other.json`."""
        file, sign, inside = value.text.partition("#")
        if re.match(r"[a-z]+:", file):
            return
        where = joined(self._folder, file) if file else self._path
        if where is None:
            return
        if sign and inside.strip("/"):
            name = inside.strip("/").replace("/", ".").replace("~1", "/").replace("~0", "~")
            yield ConfigReference(ReferenceKind.ENTRY, name, value.start, value.end, where)
        elif file:
            yield ConfigReference(ReferenceKind.FILE, where, value.start, value.end)

    def nothing(self, value: ConfigValue, rule: SchemaRule) -> Iterator[ConfigReference]:
        """No path; but a package may be that of a folder."""
        found = _DEPENDENCY.match(value.text)
        where = joined(self._folder, found[1]) if found is not None and value.plain else None
        if found is not None and where is not None:
            yield ConfigReference(
                ReferenceKind.FILE, where, value.start + found.start(1), value.end, also=("", "/package.json")
            )

    def _spelled(self, value: ConfigValue) -> Iterator[ConfigReference]:
        """What nobody declares: a path with a folder and an ending, a name with a module."""
        text = value.text
        if _SPELLED_PATH.match(text):
            yield ConfigReference(ReferenceKind.NEAR, text, value.start, value.end, self._folder, ("exact",))
        elif _SPELLED_NAME.match(text) and format_of(self._path) != "json":
            yield ConfigReference(
                ReferenceKind.DOTTED, text.removesuffix("()"), value.start, value.end, also=("value",)
            )


_BY_MEANING: Final[Mapping[Meaning, Callable[[_KeyedReading, ConfigValue, SchemaRule], Iterator[ConfigReference]]]] = {
    Meaning.FILE: _KeyedReading.file,
    Meaning.ROOT: _KeyedReading.file,
    Meaning.COMMAND: _KeyedReading.commands,
    Meaning.SCRIPT: _KeyedReading.commands,
    Meaning.NAME: _KeyedReading.name,
    Meaning.ENTRY: _KeyedReading.entry,
    Meaning.STAGE: _KeyedReading.stage,
    Meaning.VOLUME: _KeyedReading.volume,
    Meaning.POINTER: _KeyedReading.pointer,
    Meaning.DOCUMENT: _KeyedReading.document,
    Meaning.NOTHING: _KeyedReading.nothing,
}


def _requirements(path: str, data: bytes) -> ConfigDocument:
    """Further files that a list of packages brings in."""
    folder = path.rpartition("/")[0]
    references: list[ConfigReference] = []
    pattern = re.compile(rb"^[ \t]*(?:-r|-c|--requirement|--constraint)[ \t=]*([^\s#]+)", re.MULTILINE)
    for found in pattern.finditer(data):
        file = joined(folder, found[1].decode("utf-8", "replace"))
        if file:
            references.append(ConfigReference(ReferenceKind.FILE, file, *found.span(1)))
    return ConfigDocument((), references)


def _script(path: str, data: bytes) -> ConfigDocument:
    """A script of a shell: nothing says where it is run, so a path counts from its folder or from the top."""
    folder = path.rpartition("/")[0]
    process = path.rpartition("/")[2].lower() == "procfile"
    scripts = f"{folder}/package.json".lstrip("/") if process else ""
    text = _PROCESS.sub(lambda name: b" " * len(name[0]), data) if process else data
    found = references_in(text, 0, len(data), CommandPlace("", scripts))
    near = (
        attrs.evolve(one, kind=ReferenceKind.NEAR, base=folder, also=("exact",))
        if one.kind == ReferenceKind.PROGRAM
        else one
        for one in found
        if process or one.kind != ReferenceKind.ENTRY
    )
    return ConfigDocument((), (*near, *command_images(folder, data)))


def _sql(path: str, data: bytes) -> ConfigDocument:
    from graphls.languages.config.sql import read_sql  # its parser costs a quarter of a second, and few need it

    document = read_sql(path, data)
    if b"{{" not in data and b"{%" not in data:
        return document
    named = (*document.references, *refs_in(data), *sources_in(data), *macros_called(data))
    entries = sorted((*document.entries, *macros_of(data)), key=lambda one: (one.start, one.end))
    return attrs.evolve(document, entries=entries, references=sorted(named, key=lambda one: one.start))


_READERS: Final[Mapping[str, Callable[[str, bytes], ConfigDocument]]] = {
    "yaml": lambda path, data: _keyed(read_yaml, path, data),
    "toml": lambda path, data: _keyed(read_toml, path, data),
    "json": lambda path, data: _keyed(read_json_text, path, data),
    "ini": lambda path, data: _keyed(read_ini, path, data),
    "docker": read_dockerfile,
    "make": read_makefile,
    "hcl": read_hcl,
    "markdown": read_markdown,
    "rst": read_rst,
    "html": read_html,
    "css": read_css,
    "protobuf": read_protobuf,
    "sql": _sql,
    "prisma": read_prisma,
    "graphql": read_graphql,
    "requirements": _requirements,
    "commands": _script,
}
