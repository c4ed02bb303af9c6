"""Foreign uses: functions that one language offers to others, and names by which code calls those of another.

Owns: the declared rules of bindings (JNI, P/Invoke, cgo, `extern` blocks, PyO3, methods of extension modules, cffi),
    from one file to what it offers and what it names.
Must not know: which functions there are, who asks.
Invariant: a name is one that a linker or a module looks for as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import attrs

from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.nesting import Nesting
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import shipped_table, text_pattern, words_of
from graphls.facts.kinds import DefinitionKind
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import SymbolRef

FOREIGN: Final = "ffi"
"""The kind of uses that name functions of other languages."""
MODULE: Final = "ffi module"
"""The kind of uses that declare a module for another language."""
IN_MODULE: Final = "module."
"""What stands before the name of what a module offers."""
_CALLABLE: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.CLASS))
_PACKAGE: Final = re.compile(rb"^[ \t]*package\s+([\w.]+)", re.MULTILINE)
_BRACES: Final = re.compile(rb"[{}]|\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_COMPANION: Final = "Companion"
_NODE: Final = "node:"
"""What stands before the name of what an addon of Node offers."""
_CAMEL: Final = "node:{camel}"
_LOWER: Final = re.compile(r"_+([a-z0-9])")
_REGISTERED: Final = "jni:"
"""What stands before a class and a method that a program registers at the virtual machine."""
_CLASS_PATH: Final = re.compile(rb'"(?!(?:java|javax|kotlin|android|androidx)/)([A-Za-z_]\w*(?:/[A-Za-z_][\w$]*)+)"')
_MOST_BLOCK: Final = 200_000


@attrs.frozen(eq=False)
class ForeignRule:
    """One way to offer functions to other languages, or to name theirs."""

    name: str
    endings: tuple[str, ...]
    sign: bytes
    pattern: re.Pattern[bytes]
    block: re.Pattern[bytes] | None
    receiver: re.Pattern[bytes] | None
    form: str
    offers: bool
    module: bool
    binds: bool
    """What is offered may be of another file: then the code that offers it stands for it."""
    beside: bool


@cache
def foreign_rules() -> Sequence[ForeignRule]:
    """The rules that come with the package."""
    return tuple(map(_rule, shipped_table("foreign")))


def _rule(raw: dict[str, object]) -> ForeignRule:
    pattern = text_pattern(raw, "pattern")
    if pattern is None:
        raise ValueError(f"the rule {raw['name']} does not say what is matched")
    return ForeignRule(
        name=str(raw["name"]),
        endings=words_of(raw, "endings"),
        sign=str(raw["sign"]).encode(),
        pattern=pattern,
        block=text_pattern(raw, "block"),
        receiver=text_pattern(raw, "receiver"),
        form=str(raw["form"]),
        offers=bool(raw.get("offers")),
        module=bool(raw.get("module")),
        binds=bool(raw.get("binds")),
        beside=bool(raw.get("beside")),
    )


@cache
def folder_rules() -> frozenset[str]:
    """Names of the rules by which a file names what is in its folder or below."""
    return frozenset(rule.name for rule in foreign_rules() if rule.beside)


def applicable_bindings(path: str, text: bytes) -> Sequence[ForeignRule]:
    """The rules that may say something about a file."""
    return tuple(rule for rule in foreign_rules() if path.endswith(rule.endings) and rule.sign in text)


def foreign_uses(file: FileRules, rules: Sequence[ForeignRule]) -> Iterator[ContractUse]:
    """What one file offers and names. Of several names of a use each may be it."""
    return _BindingReader(file).uses(rules) if rules else iter(())


class _BindingReader:
    """The bindings of one file."""

    def __init__(self, file: FileRules) -> None:
        self._file = file
        table = file.facts.definitions
        self._by_start = {start: row for row, start in enumerate(table.start) if table.kind[row] in _CALLABLE}
        bodies = (row for row, body in enumerate(table.body) if body >= 0)
        self._around = Nesting((table.full_start[row], table.full_end[row], row) for row in bodies)

    def uses(self, rules: Sequence[ForeignRule]) -> Iterator[ContractUse]:
        """By rule, in source order."""
        for rule in rules:
            for match in self._behind(rule) if rule.receiver is not None else self._matches(rule):
                yield from self._use(rule, match)

    def _matches(self, rule: ForeignRule) -> Iterator[re.Match[bytes]]:
        for start, end in self._stretches(rule):
            yield from rule.pattern.finditer(self._file.code.data, start, end)

    def _behind(self, rule: ForeignRule) -> Iterator[re.Match[bytes]]:
        """Matches behind the variables that the receiver of a rule finds."""
        facts, data = self._file.facts, self._file.code.data
        found = rule.receiver.finditer(data) if rule.receiver is not None else ()
        names = {match["name"].decode("ascii", "replace") for match in found}
        numbers = {number for number, text in enumerate(facts.strings) if text in names}
        for row, name in enumerate(facts.occurrences.name) if numbers else ():
            match = rule.pattern.match(data, facts.occurrences.end[row]) if name in numbers else None
            if match is not None:
                yield match

    def _stretches(self, rule: ForeignRule) -> Iterator[tuple[int, int]]:
        data = self._file.code.data
        if rule.block is None:
            yield 0, len(data)
            return
        for block in rule.block.finditer(data):
            yield block.end(), _closing(data, block)

    def _use(self, rule: ForeignRule, match: re.Match[bytes]) -> Iterator[ContractUse]:
        groups = match.groupdict()
        group = next((one for one in ("name", "name2", "as", "as2") if groups.get(one) is not None), "")
        spelled = groups.get("as") or groups.get("as2") or (groups.get(group) if group else None)
        if spelled is None:
            return
        start, end = match.span(group)
        row = self._row(rule, match, group)
        name = spelled.decode("utf-8", "replace")
        source = SymbolRef(self._file.path, row if row >= 0 else self._around.around(start))
        if rule.module:
            yield ContractUse(MODULE, name, source, start, end, 1.0, serves=True, rule=rule.name)
            return
        if rule.offers and row < 0 and not rule.binds:
            return
        names = self._names(rule, name, row)
        if names:
            yield ContractUse(FOREIGN, names, source, start, end, 1.0, serves=rule.offers, rule=rule.name)

    def _names(self, rule: ForeignRule, name: str, row: int) -> str:
        """What others may call a thing, or what it may be called there."""
        if rule.form == "{jni}":
            return " ".join(self._machine_names(name, row))
        if rule.form == "{registered}":
            return self._registered_name(name)
        if rule.form == _CAMEL and name[:1].islower():
            name = _LOWER.sub(lambda found: found[1].upper(), name)
        if rule.form.startswith("{module}"):
            return f"{IN_MODULE}{name}"
        return f"{_NODE}{name}" if rule.form.startswith(_NODE) else name

    def _registered_name(self, name: str) -> str:
        """Of the one class that the file speaks of by its path; nothing where it speaks of several."""
        found = {one[1] for one in _CLASS_PATH.finditer(self._file.code.data)}
        return f"{_REGISTERED}{found.pop().decode('utf-8', 'replace')}#{name}" if len(found) == 1 else ""

    def _row(self, rule: ForeignRule, match: re.Match[bytes], group: str) -> int:
        """The definition that a match names: at its place, or where the file uses the name of one of its own."""
        found = self._by_start.get(match.start(group), -1)
        if found >= 0 or not rule.offers or rule.module or group.startswith("as"):
            return found
        facts, wanted = self._file.facts, match[group].decode("utf-8", "replace")
        rows = [row for row in self._by_start.values() if facts.strings[facts.definitions.name[row]] == wanted]
        whole = [row for row in rows if facts.definitions.body[row] >= 0]
        return next(iter(whole or rows), -1)

    def _machine_names(self, name: str, row: int) -> Iterator[str]:
        """What the virtual machine of Java looks for. Source: JNI specification, "Resolving Native Method Names"."""
        if row < 0:
            return
        data, facts = self._file.code.data, self._file.facts
        found = _PACKAGE.search(data)
        package = found[1].decode("utf-8", "replace") if found is not None else ""
        qualified = qualified_name(facts, row).removeprefix(f"{package}.")
        classes = qualified.split(".")[:-1]
        if not classes:
            stem = self._file.path.rpartition("/")[2].partition(".")[0]
            classes = [f"{stem[:1].upper()}{stem[1:]}Kt"]
        chains = [classes, classes[:-1]] if classes[-1] == _COMPANION else [classes]
        for chain in chains:
            mangled = [_mangled(part) for part in (*package.split("."),) if part]
            yield "_".join(("Java", *mangled, "_00024".join(map(_mangled, chain)), _mangled(name)))
            yield f"{_REGISTERED}{'/'.join((*package.split('.'), '$'.join(chain))).lstrip('/')}#{name}"


def _mangled(name: str) -> str:
    return name.replace("_", "_1")


def _closing(data: bytes, block: re.Match[bytes]) -> int:
    """Where a block ends that braces or three quotes open."""
    quote = block[0][-3:]
    if quote in (b'"""', b"'''"):
        end = data.find(quote, block.end(), block.end() + _MOST_BLOCK)
        return end if end >= 0 else block.end()
    return closing_brace(data, block)


def closing_brace(data: bytes, opening: re.Match[bytes]) -> int:
    """Where the brace stands that closes the one at the end of a match; that end where none near does."""
    depth = 1
    for brace in _BRACES.finditer(data, opening.end(), opening.end() + _MOST_BLOCK):
        depth += {b"{": 1, b"}": -1}.get(brace[0], 0)
        if not depth:
            return brace.start()
    return opening.end()
