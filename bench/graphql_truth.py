"""How right links of GraphQL are, by the reference implementation in Python.

    python bench/graphql_truth.py WORKSPACE [FOLDER ...]      (pip install graphql-core)

Each FOLDER of WORKSPACE holds one schema and what is written against it; without one, the whole is one. `graphql-core`
makes the schema and walks the documents with `TypeInfo`. What it says of each name is compared with the edges of
graphls, by kind of use; a name that it knows nothing of (built in, of no schema) wants no edge.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    Source,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_ast_schema,
    get_named_type,
    parse,
    type_from_ast,
    visit,
)

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.session.memory import snapshot_of

ENDINGS = (".graphql", ".graphqls", ".gql")
Place = tuple[str, int]
"""A file and a character of it."""


class _Uses(Visitor):
    """Every name of a document that leads to a declaration."""

    def __init__(self, schema: GraphQLSchema, info: TypeInfo, fragments: Mapping[Any, Any], found: dict[Place, Any]) -> None:
        super().__init__()
        self.schema, self.info, self.fragments, self.found = schema, info, fragments, found

    def note(self, kind: str, node: Any, declared: Any) -> None:
        ast = getattr(declared, "ast_node", declared)
        self.found[_place(node)] = (kind, None if ast is None else _place(ast.name))

    def enter_named_type(self, node: Any, *_: Any) -> None:
        self.note("type", node.name, self.schema.type_map.get(node.name.value))

    def enter_field(self, node: Any, *_: Any) -> None:
        self.note("field", node.name, self.info.get_field_def())

    def enter_argument(self, node: Any, *_: Any) -> None:
        self.note("argument", node.name, self.info.get_argument())

    def enter_object_field(self, node: Any, *_: Any) -> None:
        parent = get_named_type(self.info.get_parent_input_type())
        self.note("input field", node.name, getattr(parent, "fields", {}).get(node.name.value))

    def enter_enum_value(self, node: Any, *_: Any) -> None:
        self.note("value", node, self.info.get_enum_value())

    def enter_directive(self, node: Any, *_: Any) -> None:
        self.note("directive", node.name, self.schema.get_directive(node.name.value))

    def enter_fragment_spread(self, node: Any, *_: Any) -> None:
        name = node.name.value
        self.note("fragment", node.name, self.fragments.get((_place(node)[0], name)) or self.fragments.get(name))

    def enter_enum_value_definition(self, *_: Any) -> None:
        pass

    def enter_input_value_definition(self, node: Any, *_: Any) -> None:
        """A default value, which `TypeInfo` knows no type of."""
        if node.default_value is not None:
            info = TypeInfo(self.schema, type_from_ast(self.schema, node.type))
            visit(node.default_value, TypeInfoVisitor(info, _Uses(self.schema, info, self.fragments, self.found)))

    def leave_input_value_definition(self, node: Any, *_: Any) -> None:
        if node.default_value is not None:
            self.enter_input_value_definition(node)


def _place(node: Any) -> Place:
    return node.loc.source.name, node.loc.start


def truth(folder: Path, root: Path) -> tuple[dict[Place, Any], int]:
    """Uses of one schema, and how many files could not be read."""
    documents: list[DocumentNode] = []
    bad = 0
    for path in sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and "node_modules" not in path.parts):
        try:
            documents.append(parse(Source(path.read_text("utf-8"), path.relative_to(root).as_posix())))
        except (GraphQLError, UnicodeDecodeError):
            bad += 1
    parts = [part for document in documents for part in document.definitions]
    typed = tuple(part for part in parts if "operation" not in part.kind and part.kind != "fragment_definition")
    fragments: dict[Any, Any] = {}
    for part in (part for part in parts if part.kind == "fragment_definition"):
        fragments[part.name.value] = fragments[_place(part)[0], part.name.value] = part
    schema = build_ast_schema(DocumentNode(definitions=typed), assume_valid=True, assume_valid_sdl=True)
    found: dict[Place, Any] = {}
    for document in documents:
        info = TypeInfo(schema)
        uses = _Uses(schema, info, fragments, found)
        visit(document, TypeInfoVisitor(info, uses))
        for part in document.definitions:
            if part.kind.endswith("_type_extension"):
                uses.note("type", part.name, schema.type_map.get(part.name.value))
    return found, bad


def answers(root: Path) -> Iterator[tuple[Place, Place]]:
    """Edges of graphls between GraphQL files."""
    texts = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*"))
             if path.is_file() and path.suffix in ENDINGS and "node_modules" not in path.parts}
    snapshot = snapshot_of(texts)
    assert snapshot.derivation is not None
    for file, text in texts.items():
        for edge in snapshot.derivation.edges_from(snapshot, FilePath(file)):
            target = edge.target
            if edge.kind != "contains" and isinstance(target, DerivedNode):
                for path, start, _ in edge.sites:
                    at = len(texts[path][:start].decode("utf-8", "replace"))
                    whole = texts[target.file]
                    yield (path, at), (str(target.file), len(whole[: target.start].decode("utf-8", "replace")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--show", type=int, default=12)
    chosen = parser.parse_args()
    given = dict(answers(chosen.workspace))
    known: dict[Place, Any] = {}
    bad = 0
    read: list[str] = []
    for folder in chosen.folders or [""]:
        try:
            found, unread = truth(chosen.workspace / folder, chosen.workspace)
        except (GraphQLError, TypeError, KeyError) as error:
            print(f"{folder} is no schema: {str(error)[:100]}")
            continue
        read.append(folder)
        known |= found
        bad += unread
    counts: Counter[tuple[str, str]] = Counter()
    shown = 0
    for place, (kind, target) in sorted(known.items()):
        answer = given.pop(place, None)
        verdict = "right" if answer == target else "silent" if answer is None else "wrong"
        counts[kind, "no edge wanted, none" if target is None and answer is None else verdict] += 1
        if verdict in ("wrong", "silent") and shown < chosen.show:
            shown += 1
            print(f"  {verdict} {kind}: {place} -> {answer}, truth {target}")
    inside = [place for place in given if any(place[0].startswith(one if one == "" else f"{one}/") for one in read)]
    for (kind, verdict), count in sorted(counts.items()):
        print(f"{kind:12} {verdict:22} {count}")
    right = sum(count for (_, verdict), count in counts.items() if verdict == "right")
    wanted = sum(1 for _, target in known.values() if target is not None)
    wrong = sum(count for (_, verdict), count in counts.items() if verdict == "wrong")
    print(f"recall {right / max(wanted, 1):.4f} of {wanted}, precision {right / max(right + wrong, 1):.4f}, "
          f"edges where the truth has no use {len(inside)} {inside[:3]}, files not read {bad}")


if __name__ == "__main__":
    main()
