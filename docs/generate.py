"""Generate: documents that are written from the source.

Owns: which pages are generated and how each is written; `--check` tells whether they are current.
Must not know: how the program works beyond what it says about itself.
Invariant: a page is a function of the source; generating twice changes nothing.

To add a page: write a function that returns its text and name it in PAGES.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "server"))

from graphls.cli.command_reference import commands_page  # noqa: E402 - likewise
from graphls.graph.schema import schema_page, schema_text  # noqa: E402
from graphls.settings import OPTIONS, Settings  # noqa: E402 - the tree next to this file, not an installed one
from graphls.settings.folder_limits import (  # noqa: E402
    MOST_BYTES,
    MOST_LINE_BYTES,
    FolderLimits,
    FolderLimitsTable,
)
from graphls.settings.framework_rules import FORMS, YIELDS, FrameworkRule, RuleTable  # noqa: E402
from graphls.settings.health_weights import (  # noqa: E402
    HEALTH_MARKERS,
    MOST_WEIGHT,
    OverrideTable,
    WeightsTable,
)
from graphls.settings.kinds import (  # noqa: E402
    ChoiceKind,
    FlagKind,
    Kind,
    LayerKind,
    ListKind,
    NumberKind,
    TableKind,
    TextKind,
    WholeNumberKind,
    camel,
)
from graphls.settings.option import Section, SettingEntry, Trust, about_field, fields_of  # noqa: E402
from graphls.settings.policy_rules import SCOPES, SEVERITIES, PolicyRule, PolicyTable  # noqa: E402
from graphls.tables.columns import ddl, indexes, tables_page  # noqa: E402

HEADER = "<!-- Written by docs/generate.py; edit the source and run it again. -->\n"
INTRODUCTION = """# Settings

graphls reads `graphls.toml`, or the table `[tool.graphls]` of `pyproject.toml`, at the root of the workspace.
The editor's `graphls` section comes on top: what it says wins, and tables of names are joined entry by entry.
The same section is what `initializationOptions` holds.

Keys are written `files.maxBytes` in an editor; in TOML, `max-bytes` and `max_bytes` under `[files]` mean the
same. A key that does not exist is a warning, a value that does not fit is an error; both are reported with
the key, and neither stops the server: the default stays.

**Trust.** A repository that you have not trusted may not name or choose a program, the cache, or a path outside the
workspace, nor have graphls do much more work than it does by itself: numbers are lowered, lists and tables of more than
1,000 entries are left out. The last column says what it may set; what it may not is ignored and said.
`graphls --trust` trusts it.
"""


PER_FOLDER = "Each of several open folders may have its own."


def settings_page() -> str:
    parts = [HEADER, INTRODUCTION]
    for title, doc, rows in _groups():
        parts.append(f"## {title}\n\n{doc}\n")
        parts.append("| key | value | default | meaning | untrusted repository |\n|---|---|---|---|---|")
        parts.append("\n".join(_row(placed) for placed in rows) + "\n")
    return "\n".join(parts)


def _groups() -> Iterator[tuple[str, str, list[SettingEntry]]]:
    yield "general", "What applies to the whole server.", [row for row in OPTIONS.values() if len(row.path) == 1]
    for attribute in fields_of(Settings):
        about = about_field(attribute)
        if isinstance(about, Section):
            name = attribute.name
            yield camel(name), about.doc, [row for row in OPTIONS.values() if row.path[0] == name and len(row.path) > 1]


def _row(placed: SettingEntry) -> str:
    option = placed.option
    trust = {Trust.ANY: "yes", Trust.INSIDE: "inside the workspace"}.get(option.trust, "no")
    if option.harmless:
        trust = f"only {', '.join(f'`{_json(value)}`' for value in option.harmless)}"
    elif option.most is not None:
        trust = f"up to {option.most}"
    doc = f"{option.doc} {PER_FOLDER}" if option.per_folder else option.doc
    cells = (f"`{placed.key}`", option.kind.expected, f"`{_json(placed.default)}`", doc, trust)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def settings_schema() -> str:
    """JSON Schema of the `graphls` section; the editors' settings are cut from it."""
    root: dict[str, object] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "graphls settings",
        **_table(()),
    }
    return json.dumps(root, indent=2, ensure_ascii=False) + "\n"


def _table(path: tuple[str, ...]) -> dict[str, object]:
    properties: dict[str, object] = {}
    for placed in OPTIONS.values():
        if placed.path[: len(path)] != path:
            continue
        name = placed.path[len(path)]
        if len(placed.path) == len(path) + 1:
            about = {"description": placed.option.doc, "default": placed.default}
            scope = {"x-perFolder": True} if placed.option.per_folder else {}
            properties[camel(name)] = {**_shape(placed.option.kind), **about, **scope}
        else:
            properties.setdefault(camel(name), _table((*path, name)))
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _shape(kind: Kind[object]) -> dict[str, object]:
    match kind:
        case FlagKind():
            return {"type": "boolean"}
        case WholeNumberKind(low=low, high=high) | NumberKind(low=low, high=high):
            whole = isinstance(kind, WholeNumberKind)
            return {"type": "integer" if whole else "number", "minimum": low, "maximum": high}
        case ChoiceKind(words=words):
            return {"type": "string", "enum": list(words)}
        case TextKind():
            return {"type": "string"}
        case LayerKind():
            names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
            return {"anyOf": [{"type": "string"}, names]}
        case RuleTable() | PolicyTable():
            return _rule_shape(FrameworkRule if isinstance(kind, RuleTable) else PolicyRule)
        case WeightsTable():
            weight = {"type": "number", "minimum": 0, "maximum": MOST_WEIGHT}
            names = {"enum": [*HEALTH_MARKERS, "*"]}
            return {"type": "object", "propertyNames": names, "additionalProperties": weight}
        case OverrideTable():
            glob = {"type": "string", "description": "Which files: `**` is any folders, `*` stays within one."}
            parts = {"glob": glob, "weights": _shape(WeightsTable())}
            return {"type": "object", "additionalProperties": False, "properties": parts, "required": ["glob"]}
        case FolderLimitsTable():
            return _limits_shape()
        case ListKind(item=item):
            return {"type": "array", "items": _shape(item)}
        case TableKind(value=value):
            return {"type": "object", "additionalProperties": _shape(value)}
        case _:
            raise TypeError(f"{attrs.fields(type(kind))} has no shape in JSON Schema")


def _limits_shape() -> dict[str, object]:
    """JSON Schema of what counts in one of several folders."""
    properties: dict[str, object] = {}
    shapes: dict[str, dict[str, object]] = {
        "folder": {"type": "string"},
        "follow_ignore": {"type": "boolean"},
        "max_bytes": {"type": "integer", "minimum": 1, "maximum": MOST_BYTES},
        "max_line_bytes": {"type": "integer", "minimum": 1, "maximum": MOST_LINE_BYTES},
    }
    for field in attrs.fields(FolderLimits):
        properties[camel(field.name)] = {**shapes[field.name], "description": field.metadata["doc"]}
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": ["folder"]}


def _rule_shape(rule: type[FrameworkRule | PolicyRule]) -> dict[str, object]:
    """JSON Schema of a rule as a table."""
    properties: dict[str, object] = {}
    for field in attrs.fields(rule):
        words: dict[str, object] = {"description": field.metadata["doc"]}
        if isinstance(field.default, bool):
            shape: dict[str, object] = {"type": "boolean"}
        elif field.default == () or field.name == "match":
            shape = {"type": "array", "items": {"type": "string"}}
        else:
            shape = {"type": "string", **CHOICES.get(field.name, {})}
        properties[camel(field.name)] = {**shape, **words}
    required = [field.name for field in attrs.fields(rule) if field.default is attrs.NOTHING]
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": required}


CHOICES: Mapping[str, Mapping[str, object]] = {"on": {"enum": list(FORMS)}, "yields": {"enum": list(YIELDS)},
    "scope": {"enum": list(SCOPES)}, "severity": {"enum": list(SEVERITIES)},
}  # fmt: skip

GRAPH_INTRODUCTION = """# Graph schema

The graph is written as JSON lines: one object a line, UTF-8, keys in a fixed order, records in a fixed order: the
header; nodes by file, start, kind and id; edges by source, kind and target; diagnostics. What is in no file comes
before the first file. There are no time stamps: two exports of the same contents are equal byte for byte.

A reader keeps records, kinds and words that it does not know. Adding fields or kinds is a minor version, anything
else a major one. `graph-schema.json` next to this page is the same as JSON Schema, for one line.

Edges read as `source kind target`: a class `extends` its base, a function `decorates` nothing but is the source of a
`decorates` edge to its decorator, a test `tests` what it calls. Names that no rule resolves are counted in the header
(`counts.unresolved_sites`) and are no edges.

An edge that comes from a use starts at the declaration that owns its text, whatever the kind of the edge:

- the innermost function, class, interface or namespace around it, with decorators, defaults of parameters and bases;
- nearer than that, and outside of functions, the variable, field or member of an object literal in whose annotation
  or initialiser it stands: of `Page = memo(() => render())` the variable calls `memo` and `render`. Names that are
  unpacked together (`a, b = make()`) own the initialiser together, each with an edge of its own;
- the component for the statements of `<script setup>`, of a script of an instance (Svelte) and of a frontmatter;
- the module for all that is left, and for its lines of imports and exports.

**One edge for all sites.** An edge has one id however many of its sites a checker settled. Each site says where it
comes from, how its name was resolved and how sure that is; the edge says what its weakest site says: of the sites of
the lowest tier (`syntax_inferred`, `scip_imported`, `lsp_resolved`, `compiler_unchecked`, `compiler_checked`) the one
of the least confidence. So an edge is `compiler_checked` when all of its sites are. What leads outside the workspace
is no exception: the node there is `external`, the edge says how it was resolved. At most 20 sites are written;
`site_count` says how many there are.

**Ends.** Both ends of every edge are nodes of the same file. In an export of a part (`--scope`) all edges that start in
the part are written; where one ends outside of it the node there is written too, as a stub with `attributes.beyond`.
Edges that start outside are no part of it. With `--kind` an edge is written when its kind and both of its ends are.

**Sites** (`--sites`): each use of a name is a node, `call_site` or `reference_site`. `contains` leads to it from what
it stands in, `references` from it to each thing that the name means (`attributes.as`: the kind of the edge that it is
a site of); one without such an edge means a local variable (`attributes.local`), is
the name of an argument of something outside (`attributes.outside`), or is unresolved (`attributes.unresolved` says why). **Findings** (`--findings`) are nodes too: `contains` from what each is about,
`evidences` from what it cites.

**What is made from the graph, history and reports** (`--with NAME`, repeated) stands among the other records, each with
the input that it rests on; where the input is not there the export is refused. A file is its module here, or itself
where no language reads it.

| name | nodes | edges | provenance |
|---|---|---|---|
| `findings`, `decisions`, `clones` | `architecture_finding`, `decision_record` | `evidences`; `governed_by`, `rationale_for`; `similar_to` | `derived_advisory`, `manifest_declared` |
| `reports` | `diagnostic` of what logs of [other tools](findings.md#sarif) say (`attributes.input` is `report`); those of the text and of checkers are in every export | `diagnoses` | `process_observed` |
| `dispatches` | `match_dispatch` in the function that chooses (`subkind` `match`, `conditions`, `mapping`; `attributes.cases`), `dispatch_pattern` in it for each case | `dispatches_on` from the choice to what its subject names and to the class of its value (`attributes.as`), `matches_pattern` from the case to what it names | `syntax_inferred` |
| `history` | `person` (the qualified name is the address), `risk_signal` in files, and in symbols of the 50 files with the highest score (`attributes.signal`, `input`, `measures`, `window`, `caveats`) | `owned_by` from a file (`share`, at most ten people), `co_changes_with` for pairs with three common commits (`count`, `hidden`) | `process_observed` |
| `coverage` | `coverage_report`, for all reports that settings name | `covered_by` from files and functions (`lines`, `covered`, `percent`) | `process_observed` |
| `processes` | `process` (`attributes.steps`, `declared`, `communities`; confidence is the product of its steps) | `step_of` (`order`, `by`, `possible`) | `derived_advisory` |
| `communities` | `community`, named by its first file (`size`, `cohesion`, `central`, `ties`) | `member_of` from its files | `derived_advisory` |

`graphls check FILE` says whether a file keeps to all of this.

**Files.** Every text file has a node of kind `file`, also those that no language reads. A node of a text file that is
there and was not read has the attribute `skipped` with the reason (too large, not UTF-8). What is no text (a picture,
an archive, bytes with NUL) has none.

Ranges count lines and columns from 0, columns in bytes of UTF-8, as the header says, also where a file is
written in another encoding.
"""


def graph_page() -> str:
    return f"{HEADER}\n{GRAPH_INTRODUCTION}\n{schema_page()}"


def tables_document() -> str:
    return f"{HEADER}\n# Tables of the graph\n\nWhat [SQL](sql.md) asks, and exports as tables hold.\n\n{tables_page()}"


PAGES: Mapping[str, Callable[[], str]] = {
    "docs/commands.md": lambda: f"{HEADER}\n{commands_page()}",
    "docs/settings.md": settings_page,
    "docs/settings.schema.json": settings_schema,
    "docs/graph-schema.md": graph_page,
    "docs/graph-schema.json": schema_text,
    "docs/tables.md": tables_document,
    "docs/tables.sql": lambda: ddl() + indexes(),
}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    stale = [name for name, page in PAGES.items() if _current(ROOT / name) != page()]
    for name in stale:
        if arguments:
            print(f"{name} is not current: run python docs/generate.py")
        else:
            (ROOT / name).write_text(PAGES[name](), "utf-8")
            print(f"wrote {name}")
    return 1 if stale and arguments else 0


def _current(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
