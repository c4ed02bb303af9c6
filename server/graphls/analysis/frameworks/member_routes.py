"""Member routes: methods of a class that answer for the route which the class handles, or below it.

Owns: which methods those are, reading path and HTTP methods off their decorators.
Must not know: any particular framework, where the class is registered.
Invariant: a route for a method that such a decorator resolves on; the nearest method of a name counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.analysis.frameworks.arguments import CodeText
from graphls.analysis.frameworks.declared_nodes import DeclaredNode, Handler
from graphls.analysis.frameworks.marks import use_of
from graphls.analysis.frameworks.naming import UseNames
from graphls.analysis.frameworks.texts import code_of
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.graph.nodes import container, node_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.settings.framework_rules import FrameworkRule

ACTION: Final = "action"
"""Subkind of such a route."""
_TRUE: Final = b"True"
_LIKELY: Final = 0.95


@attrs.frozen
class _Answer:
    """A method, the path below that of the class, and what it answers."""

    row: int
    path: str
    methods: tuple[str, ...]


def member_handlers(
    snapshot: Snapshot, naming: UseNames, rule: FrameworkRule, handlers: Sequence[Handler]
) -> Iterator[tuple[str, Handler]]:
    """Methods that run where a class handles a route, or functions of a module that does, with their names; of each
    name the nearest."""
    wanted = set(rule.member_handlers)
    for handler in handlers if wanted else ():
        for cls in naming.line(handler.place):
            facts = snapshot.facts(cls.file)
            table = facts.definitions
            held = DefinitionKind.METHOD if cls.definition >= 0 else DefinitionKind.FUNCTION
            for row, kind in enumerate(table.kind):
                name = facts.strings[table.name[row]]
                if name in wanted and kind == held and container(facts, row) == cls.definition:
                    wanted.discard(name)
                    yield name, _running(handler, SymbolRef(cls.file, node_row(facts, row)))


def _running(handler: Handler, method: SymbolRef) -> Handler:
    """The method that runs, written where its class is."""
    confidence = round(handler.confidence * _LIKELY, 4)
    return attrs.evolve(handler, place=method, resolution="member", confidence=confidence)


def member_routes(
    snapshot: Snapshot, naming: UseNames, rule: FrameworkRule, declared: DeclaredNode
) -> Iterator[DeclaredNode]:
    """Routes of the methods of the class that handles a route."""
    about = dict(declared.attributes)
    path, handler = about.get("path"), next(iter(declared.handlers), None)
    if not isinstance(path, str) or handler is None or "computed" in about:
        return
    seen: set[str] = set()
    for cls in naming.line(handler.place):
        facts = snapshot.facts(cls.file)
        for answer in _answers(snapshot, naming, rule, cls):
            name = facts.strings[facts.definitions.name[answer.row]]
            if name in seen:
                continue
            seen.add(name)
            whole, methods = f"{path.rstrip('/')}/{answer.path}", answer.methods
            attributes = {**about, "path": whole, "method": "|".join(methods), "methods": methods}
            place = SymbolRef(cls.file, node_row(facts, answer.row))
            runs = _running(handler, place)
            label = f"{'|'.join(methods)} {whole}"
            yield attrs.evolve(
                declared, subkind=ACTION, name=label, attributes=tuple(attributes.items()), handlers=(runs,)
            )


def _answers(snapshot: Snapshot, naming: UseNames, rule: FrameworkRule, cls: SymbolRef) -> Iterator[_Answer]:
    facts, code = snapshot.facts(cls.file), code_of(snapshot, cls.file)
    for row, definition in enumerate(facts.decorators.definition):
        use = use_of(facts, facts.decorators.expression[row]) if container(facts, definition) == cls.definition else -1
        if use >= 0 and any(named.dotted in rule.member_decorators for named in naming.names(cls.file, use)):
            yield _answer(facts, code, rule, definition, facts.occurrences.end[use])


def _answer(facts: FileFacts, code: CodeText, rule: FrameworkRule, definition: int, end: int) -> _Answer:
    given = code.arguments(end)
    single, listed, spelled = (code.place(given, (name,)) for name in ("detail", "methods", "url_path"))
    methods = tuple(text.upper() for text, _, _ in code.strings(listed.start, listed.end)) if listed else ()
    written = code.literal(spelled.start, spelled.end) if spelled else None
    parts = [*rule.below[:1]] if single is not None and code.data[single.start : single.end].endswith(_TRUE) else []
    parts.append(written or facts.strings[facts.definitions.name[definition]])
    return _Answer(definition, "/".join(parts), methods or ("GET",))
