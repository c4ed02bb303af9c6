"""RPC uses: code that answers or calls the methods of services, by the names that generators of code give.

Owns: the names per language, which of a file's code they speak of.
Must not know: which services are declared, files other than this one but for what its names mean.
Invariant: a name says the service and the method; whether they exist is for who compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.analysis.frameworks.arguments import Argument, choose_argument
from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.marks import use_of
from graphls.analysis.frameworks.routes import FileRules
from graphls.facts.kinds import DefinitionKind, Role
from graphls.graph.nodes import container, node_row
from graphls.graph.snapshot import SymbolRef


@attrs.frozen
class GeneratedNames:
    """How a generator calls what it makes of a service: `type` has the name of the service as its first group."""

    files: tuple[str, ...]
    """Endings of files that tools wrote; empty: of what other code extends or is typed by."""
    type: re.Pattern[str]
    serves: bool
    sign: bytes = b""
    """What such a file has somewhere."""


def _named(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern + r"\Z")


ANY_FILE: Final = ("",)
"""What every name ends in: the sign decides."""
GENERATED: Final = (
    GeneratedNames(("_pb2_grpc.py", "_pb2_grpc.pyi"), _named(r"(\w+)Servicer"), serves=True),
    GeneratedNames(("_pb2_grpc.py", "_pb2_grpc.pyi"), _named(r"(\w+)(?:Async)?Stub"), serves=False),
    GeneratedNames((".pb.go",), _named(r"(\w+)Server"), serves=True),
    GeneratedNames((".pb.go",), _named(r"(\w+)Client"), serves=False),
    GeneratedNames(("_grpc_pb.d.ts", "_grpc_pb.ts"), _named(r"I?(\w+)Server"), serves=True),
    GeneratedNames(("_grpc_pb.d.ts", "_grpc_pb.ts"), _named(r"I?(\w+)Client"), serves=False),
    GeneratedNames(ANY_FILE, _named(r"(\w+)Server"), serves=True, sign=b"handleUnaryCall"),
    GeneratedNames(ANY_FILE, _named(r"(\w+)Client"), serves=False, sign=b"makeGenericClientConstructor"),
    GeneratedNames(("Grpc.java",), _named(r"(\w+)ImplBase"), serves=True),
    GeneratedNames(("Grpc.java",), _named(r"(\w+?)(?:Blocking|BlockingV2|Future)?Stub"), serves=False),
)
BASES: Final = (
    _named(r"(?:.*\.)?(\w+)_pb2_grpc\.(?P<service>\w+)Servicer"),
    _named(r"(?:.*\.)?(?P<service>\w+)Grpc\.(?P=service)ImplBase"),
)
"""What a class that answers extends, by its dotted name."""
CALLED: Final = (
    _named(r"(?:.*\.)?\w+_pb2_grpc\.(?P<service>\w+?)(?:Async)?Stub\.(?P<method>\w+)"),
    _named(r"(?:.*\.)?(?P<service>\w+)Grpc\.(?P=service)(?:Blocking|BlockingV2|Future)?Stub\.(?P<method>\w+)"),
)
"""What code that asks calls, by its dotted name."""
_CALLABLE: Final = (DefinitionKind.FUNCTION, DefinitionKind.METHOD)
_WIRE: Final = r"[\"'/](?P<package>[\w.]+)\.{service}(?:/|[\"'])"
_ADDED: Final = "addService"
_SERVICE: Final = re.compile(rb"(?:[\w$]+\s*\.\s*)*?([A-Z]\w*)\s*\.\s*service\s*\Z")
_MADE: Final = re.compile(rb"\s*(?::[^=;\n]*)?=\s*(?:await\s+)?new\s+(?:[\w$]+\s*\.\s*)+([A-Z]\w*)\s*\(")
_BOUND: Final = re.compile(rb"\.\s*bind\s*\([^()]*\)\s*\Z")
_SURE, _LIKELY = 1.0, 0.9


def rpc_uses(file: FileRules) -> Iterator[ContractUse]:
    """Methods that one file answers or calls, in the order of rules."""
    made = [names for names in GENERATED if file.path.endswith(names.files) and names.sign in file.code.data]
    if made:
        yield from _generated(file, made)
        return
    yield from _extending(file)
    yield from _calling(file)
    yield from _added(file)
    yield from _by_client(file)


def _generated(file: FileRules, made: list[GeneratedNames]) -> Iterator[ContractUse]:
    table, strings = file.facts.definitions, file.facts.strings
    services: dict[int, tuple[str, bool]] = {}
    for row, kind in enumerate(table.kind):
        name = strings[table.name[row]]
        for names in made if kind in (DefinitionKind.CLASS, DefinitionKind.INTERFACE) else ():
            found = names.type.match(name)
            if found is not None and not name.startswith("Unimplemented"):
                services[row] = (_with_package(file, found[1]), names.serves)
                break
    for row, kind in enumerate(table.kind):
        owner = container(file.facts, row)
        if owner in services and (kind in _CALLABLE or kind == DefinitionKind.FIELD):
            yield _of_member(file, row, *services[owner])


def _with_package(file: FileRules, service: str) -> str:
    """The service as it is called on the wire, where the file spells that."""
    found = re.search(_WIRE.format(service=re.escape(service)).encode(), file.code.data)
    return service if found is None else f"{found['package'].decode('ascii', 'replace')}.{service}"


def _of_member(file: FileRules, row: int, service: str, serves: bool) -> ContractUse:
    table = file.facts.definitions
    name = file.facts.strings[table.name[row]]
    source = SymbolRef(file.path, node_row(file.facts, row))
    confidence = _SURE if "." in service else _LIKELY
    return ContractUse("rpc", f"{service}/{name}", source, table.start[row], table.end[row], confidence, serves)


def _extending(file: FileRules) -> Iterator[ContractUse]:
    """Methods of classes that extend what a generator made."""
    table, bases = file.facts.definitions, file.facts.bases
    for cls in sorted(set(bases.definition)):
        above = (found for dotted in file.naming.ancestors(SymbolRef(file.path, cls)) for found in _services(dotted))
        service = next(above, "")
        for row, kind in enumerate(table.kind) if service else ():
            if kind == DefinitionKind.METHOD and container(file.facts, row) == cls:
                yield _of_member(file, row, service, serves=True)


def _services(dotted: str) -> Iterator[str]:
    yield from (found["service"] for pattern in BASES if (found := pattern.match(dotted)) is not None)


def _calling(file: FileRules) -> Iterator[ContractUse]:
    """Calls of stubs that are not in the workspace."""
    uses = file.facts.occurrences
    rows = [row for row, role in enumerate(uses.role) if role == Role.CALL and uses.base[row] >= 0]
    file.naming.prepare(file.path, rows)
    for row in rows:
        for target in file.naming.targets(file.path, row):
            called = (pattern.match(target.external) for pattern in CALLED) if target.place is None else ()
            found = next((one for one in called if one is not None), None)
            if found is not None:
                source = SymbolRef(file.path, node_row(file.facts, uses.owner[row]))
                name = f"{found['service']}/{found['method']}"
                yield ContractUse("rpc", name, source, uses.start[row], uses.end[row], _LIKELY)


def _added(file: FileRules) -> Iterator[ContractUse]:
    """`server.addService(package.Cart.service, { addItem, getCart: handlers.get })`."""
    uses = file.facts.occurrences
    for row, role in enumerate(uses.role):
        if role != Role.CALL or file.facts.strings[uses.name[row]] != _ADDED:
            continue
        given = file.code.arguments(uses.end[row])
        first, second = choose_argument(given, ("0",)), choose_argument(given, ("1",))
        service = _SERVICE.match(file.code.data, first.start, first.end) if first is not None else None
        if service is None or second is None:
            continue
        for member in file.code.members(second):
            name = f"{service[1].decode('ascii', 'replace')}/{member.keyword}"
            source = _handler(file, member, uses.owner[row])
            yield ContractUse("rpc", name, source, member.start, member.end, _LIKELY, serves=True)


def _handler(file: FileRules, member: Argument, around: int) -> SymbolRef:
    """What answers: the function that is named, else the code around."""
    bound = _BOUND.search(file.code.data, member.start, member.end)
    use = file.use_ending(member.start, member.end if bound is None else bound.start())
    for target in file.naming.targets(file.path, use) if use >= 0 else ():
        if target.place is not None and target.place.file == file.path and target.place.definition >= 0:
            return SymbolRef(file.path, node_row(file.facts, target.place.definition))
    return SymbolRef(file.path, node_row(file.facts, around))


def _by_client(file: FileRules) -> Iterator[ContractUse]:
    """`const client = new package.Cart(...)`, then `client.addItem(...)`."""
    table, uses = file.facts.definitions, file.facts.occurrences
    clients: dict[int, str] = {}
    for row, kind in enumerate(table.kind):
        if kind in (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD):
            made = _MADE.match(file.code.data, table.end[row], table.full_end[row])
            if made is not None:
                clients[row] = made[1].decode("ascii", "replace")
    for row, role in enumerate(uses.role) if clients else ():
        held = use_of(file.facts, uses.base[row]) if role == Role.CALL and uses.base[row] >= 0 else -1
        for target in file.naming.targets(file.path, held) if held >= 0 else ():
            place = target.place
            if place is not None and place.file == file.path and place.definition in clients:
                source = SymbolRef(file.path, node_row(file.facts, uses.owner[row]))
                name = f"{clients[place.definition]}/{file.facts.strings[uses.name[row]]}"
                yield ContractUse("rpc", name, source, uses.start[row], uses.end[row], _LIKELY)
