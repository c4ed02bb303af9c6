"""Grammars: parsers and node kinds of the languages that graphls reads.

Owns: loading grammars, the version text that recipes are made of.
Must not know: what a language's nodes mean.
Invariant: nothing is fetched at run time; a grammar that is not there raises GrammarMissing and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import cast

from tree_sitter import Language, Parser, Range, Tree

from graphls.facts.file_facts import FACTS_VERSION
from graphls.languages.extract.nesting import allow_frames
from graphls.languages.extract.scanner_stacks import has_many_open_strings, has_many_open_tags

GRAMMAR_PACKAGES = ("tree-sitter", "tree-sitter-language-pack")
_BINDINGS = "tree_sitter_language_pack.bindings"
STAND_ALONE: Mapping[str, str] = {
    "csharp": "tree_sitter_c_sharp",
    "yaml": "tree_sitter_yaml",
    "embeddedtemplate": "tree_sitter_embedded_template",
    "incan": "graphls.languages.incan.incan_grammar",
    "swift": "tree_sitter_swift",
}
"""Grammars that come as wheels of their own, or that are ours, by the names of their modules."""

_LONG, _PORTION = 200, 2_048
"""Bytes of a text that a parser reads as a whole, and of a longer one without a turn of other threads: milliseconds
where errors are mended, and an answer needs several turns."""


MOST_SECONDS, MOST_SECONDS_A_BYTE = 2.0, 10e-6
"""Of computing, for one tree, by what of the text was read. Code takes a second a megabyte at most; where thousands
of blocks are left open, mending takes time and memory by the square of them: 1.7 GB for 114,000 bytes."""
LEAST_SECONDS, SHORT_SECONDS_A_BYTE = 0.25, 100e-6
"""The same of a short text, by all of it: 1.2 seconds for 12,000 bytes, of which `/*` again and again took eleven."""


class ParserTooSlow(RuntimeError):
    """A text takes more than its time to parse: it has errors upon errors, or so many open blocks that it would."""


class _Portions:
    """A long text as a parser reads it. Calls after `end` are those of nodes whose text somebody wants.

    The binding never lets go of what a parser was given (tree-sitter 0.26.1, `parser_read_wrapper`): with new bytes for
    each portion a server kept every text that it ever parsed, twice over. So a parser gets the same buffer each time,
    and looks at none after it has asked for the next. Nodes take bytes only, of which nothing stays.
    """

    def __init__(self, data: bytes | bytearray) -> None:
        self._data = data
        self._buffer: bytearray | None = bytearray()

    def __call__(self, offset: int, _point: object) -> bytes | bytearray:
        portion, buffer = self._data[offset : offset + _PORTION], self._buffer
        if buffer is None:
            return portion
        buffer[:] = portion
        return buffer

    def end(self) -> None:
        """The tree is made."""
        if self._buffer is not None:
            self._buffer.clear()
            self._buffer = None


class GrammarMissing(RuntimeError):
    """A grammar cannot be used on this machine."""


@cache
def language(name: str) -> Language:
    """The grammar of a language, by the name the grammar package gives it. Raises GrammarMissing."""
    allow_frames()
    try:
        return Language(_binding(name)())
    except Exception as error:
        raise GrammarMissing(f"no grammar for {name}: install graphls again ({error})") from error


def _binding(name: str) -> Callable[[], object]:
    """What hands out a grammar. The package around it is not run: it loads grammars that nobody reads here."""
    if name in STAND_ALONE:
        return cast("Callable[[], object]", import_module(STAND_ALONE[name]).language)
    package, _, folder = _BINDINGS.rpartition(".")
    home = find_spec(package)
    places = [] if home is None else [f"{place}/{folder}" for place in home.submodule_search_locations or ()]
    spec = PathFinder.find_spec(f"{_BINDINGS}.{name}", places)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{_BINDINGS}.{name}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Callable[[], object]", module.language)


def parser(name: str) -> Parser:
    """A new parser. A parser belongs to one thread."""
    return Parser(language(name))


class ParserWork:
    """What a parser did for a long text, in looks that it took at the clock: the same for the same text on any machine,
    while each stands for a hundred steps."""

    def __init__(self) -> None:
        self.looks = 0


def parse(reader: Parser, data: bytes, before: Tree | None = None, work: ParserWork | None = None) -> Tree:
    """The tree of a text, made from the tree before it where there is one; `work` counts. Raises ParserTooSlow.

    A parser keeps the interpreter's lock: of a long text it gets a portion at a time, and each time another thread may
    run. No other thread may use the parser meanwhile.
    """
    stack_is_full = _full_stack(reader.language) if reader.language is not None else None
    if stack_is_full is not None and stack_is_full(data):
        raise ParserTooSlow("its blocks are nested too deeply to be parsed")
    if len(data) <= _LONG:
        return reader.parse(data) if before is None else reader.parse(data, before)
    return _parsed_in_portions(reader, data, (0, len(data)), before, work)


class PartParser:
    """A parser of parts of one text, whose offsets are those of the text. All of them have the time of one tree of the
    whole."""

    def __init__(self, reader: Parser, data: bytes | bytearray) -> None:
        self._reader = reader
        self.data = data
        self._left = MOST_SECONDS + len(data) * MOST_SECONDS_A_BYTE

    def parse(self, *ranges: Range) -> Tree:
        """The tree of what stands in some ranges, one behind the other. Raises ParserTooSlow."""
        reader, data, begun = self._reader, self.data, time.thread_time()
        reader.included_ranges = list(ranges)
        first, end = ranges[0].start_byte, ranges[0].end_byte
        if end - first <= _LONG:
            tree = reader.parse(data)
        else:
            tree = _parsed_in_portions(reader, data, (first, end), None, None)
        self._left -= time.thread_time() - begun
        if self._left < 0:
            raise ParserTooSlow("its parts take too long to parse")
        return tree


def _parsed_in_portions(
    reader: Parser, data: bytes | bytearray, part: tuple[int, int], before: Tree | None, work: ParserWork | None
) -> Tree:
    """The tree of a long text, or of a part of it. Raises ParserTooSlow."""
    first, end = part
    at_first = min(MOST_SECONDS, max(LEAST_SECONDS, (end - first) * SHORT_SECONDS_A_BYTE))
    portions = _Portions(data)
    computed, begun = time.thread_time(), time.perf_counter()
    late = False

    def is_late(offset: int, _broken: bool) -> bool:
        nonlocal late
        if work is not None:
            work.looks += 1
        seconds = at_first + max(offset - first, 0) * MOST_SECONDS_A_BYTE
        # The clock of the wall is read in a tenth of the time, and is never behind.
        late = time.perf_counter() - begun > seconds and time.thread_time() - computed > seconds
        return late

    try:
        if before is None:
            return reader.parse(portions, progress_callback=is_late)
        return reader.parse(portions, before, progress_callback=is_late)
    except ValueError:
        reader.reset()
        if late:
            raise ParserTooSlow("it takes too long to parse: thousands of blocks may be left open") from None
        raise
    finally:
        portions.end()


@cache
def _full_stack(grammar: Language) -> Callable[[bytes], bool] | None:
    """What tells that a text is too much for the stack of a grammar's scanner, where it has one that can be full. A
    parser does not say by which name its grammar goes: its nodes tell."""
    if grammar.id_for_node_kind("end_tag", True) and grammar.id_for_node_kind("tag_name", True):
        return has_many_open_tags
    return has_many_open_strings if grammar.id_for_node_kind("interpolated_identifier", True) else None


def kind(name: str, node: str, *, named: bool = True) -> int:
    """The number of a node kind in a grammar. Raises GrammarMissing when the grammar has no such kind."""
    number = language(name).id_for_node_kind(node, named)
    if number is None or (number == 0 and node != "end"):
        raise GrammarMissing(f"the grammar of {name} has no node `{node}`: its version does not fit this graphls")
    return number


@cache
def version(name: str) -> str:
    """What of the grammar facts depend on."""
    grammar = language(name)
    parts = [name, str(grammar.abi_version), repr(grammar.semantic_version), str(grammar.node_kind_count)]
    return " ".join(parts + [f"{package}={_installed(package)}" for package in GRAMMAR_PACKAGES])


@cache
def recipe(names: tuple[str, ...], extractor: int) -> str:
    """Digest of all but the bytes that facts rest on: grammars, the shape of facts, the version of the extractor."""
    parts = (*map(version, names), str(FACTS_VERSION), str(extractor))
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


@cache
def _installed(package: str) -> str:
    """The version of a package, read once: importlib takes its metadata apart as a mail each time."""
    from importlib import metadata  # workers, who are told what to read, do without it

    return metadata.version(package)
