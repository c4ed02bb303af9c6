"""Unread uses: places that may use a symbol in files that no provider reads, or that one reads as another language.

Owns: which spellings of a name may mean a symbol, by what stands around them; which names in code of
languages that run with its own may.
Must not know: how the files are listed, what an answer does with the uses.
Invariant: a function of the snapshot; an ordinary word counts only with a sign that it is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import ScopeKind
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.memo import MemoTable
from graphls.graph.nodes import qualified_name
from graphls.graph.request_budget import spend, spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef, rows_of
from graphls.graph.unread_words import starts_of_word, unread_files_with
from graphls.languages.ordinary_words import ORDINARY
from graphls.languages.registry import is_script, providers
from graphls.languages.unread import NameForm, TextPart, parts
from graphls.languages.unread_imports import TextImports, imports_of

_SPELLINGS: Final = MemoTable["tuple[FilePath, str]", "Sequence[_Spelling]"]("spellings in unread files")
_PARTS: Final = MemoTable["FilePath", "Sequence[tuple[TextPart, TextImports]]"]("parts of unread files")
_SITES: Final = MemoTable["FilePath", "Sequence[tuple[int, int]]"]("derived sites of documents")
_DISTINCT: Final = re.compile(r"_?[A-Za-z0-9]+_\w|_\w{4}|.*[a-z0-9][A-Z]")
"""No word of prose: it has two parts, or is marked as private."""
_SHOUTED: Final = re.compile(r"[A-Z0-9_]+\Z")
_SHORTEST: Final = 5
_ENDINGS: Final = rb"\.(?:pyi?|[cm]?[jt]sx?|vue|svelte|astro)\b"
_KEY: Final = re.compile(rb"[\"']?[ \t]*(?::(?=[\s\"'\[{])|:?=(?!=))")
_VALUE: Final = re.compile(rb"(?:^|\n)[ \t]*(?:- )?[\w.\"'-]+[ \t]*[:=][ \t]*[\"']?\Z")
_MODULE_FOLDERS: Final = frozenset({"index", "__init__", "mod", "main"})


@attrs.frozen
class UnreadUse:
    """A word of an unread file that may mean a symbol. Bytes."""

    file: FilePath
    start: int
    end: int


@attrs.frozen
class _Spelling:
    """One word where it may be a name, with what stands around it."""

    start: int
    form: NameForm
    language: str
    before: str
    """The sign between it and the word before, "" where there is none."""
    qualifier: str
    """The word before the sign."""
    sure: bool
    """Nothing ordinary looks like this."""
    called: bool
    quoted: bool
    file_name: bool
    """It is followed by the ending of a source file."""
    imports: TextImports


@attrs.frozen
class _UnreadTarget:
    """What is known of a symbol that decides whether a spelling may mean it."""

    name: str
    language: str
    module: bool
    member: bool
    homes: Set[str]
    """Words that qualify it: its class, or its module and the packages around that."""
    roots: Set[str]
    """Where the dotted names of its module and its package begin."""


def unread_uses(snapshot: Snapshot, place: SymbolRef, names: Iterable[str]) -> Sequence[UnreadUse]:
    """Words of unread files that may mean a place, which is visible under these names; by file and position."""
    found: list[UnreadUse] = []
    for name in names:
        files = () if _is_special(name) else unread_files_with(snapshot, name)
        target = _target_of(snapshot, place, name) if files else None
        if target is not None:
            for path in (path for path in files if snapshot.shards[path].language != target.language):
                found.extend(_in_file(snapshot, place, target, path))
        found.extend(_interop_uses(snapshot, place, name))
    return sorted(set(found), key=lambda use: (use.file, use.start))


def _interop_uses(snapshot: Snapshot, place: SymbolRef, name: str) -> Iterator[UnreadUse]:
    """Names in code of a language that runs with that of a place, where they lead to nothing of the workspace."""
    known = snapshot.capabilities(place.file)
    if known is None or not known.interop:
        return
    for other in known.interop_names(name) if known.interop_names is not None else (name,):
        for path in snapshot.files_with_name(other):
            if snapshot.shards[path].language in known.interop:
                spend()
                yield from _leading_nowhere(snapshot, path, other)


def _leading_nowhere(snapshot: Snapshot, path: FilePath, name: str) -> Iterator[UnreadUse]:
    facts = snapshot.facts(path)
    if name not in facts.strings:
        return
    rows = list(rows_with(facts.occurrences.name, facts.strings.index(name)))
    links, known = snapshot.links_at(path, rows), snapshot.capabilities(path)
    is_standard = _never if known is None or known.is_standard is None else known.is_standard
    starts, size = facts.occurrences.start, len(name.encode())
    for row in rows:
        targets = rows_of(links.targets, row)
        # What comes with the language is surely not of the workspace.
        outside = [links.externals[links.targets.file[one]] for one in targets if links.targets.symbol[one] == EXTERNAL]
        if len(outside) == len(targets) and not (outside and all(map(is_standard, outside))):
            yield UnreadUse(path, starts[row], starts[row] + size)


def _never(_dotted: str) -> bool:
    return False


def _is_special(name: str) -> bool:
    return len(name) < 2 or (name.startswith("__") and name.endswith("__"))


def _in_file(snapshot: Snapshot, place: SymbolRef, target: _UnreadTarget, path: FilePath) -> Iterator[UnreadUse]:
    known = _document_sites(snapshot, path)
    size = len(target.name.encode())
    for one in _spellings(snapshot, path, target.name):
        if one.language not in ("", target.language) or not _may_mean(one, target, path):
            continue
        if not any(start <= one.start < end for start, end in known):
            yield UnreadUse(path, one.start, one.start + size)


def _document_sites(snapshot: Snapshot, path: FilePath) -> Sequence[tuple[int, int]]:
    """Stretches of a document whose meaning is in the graph as derived edges."""
    language = snapshot.shards[path].language
    if snapshot.derivation is None or (language and not is_script(language)):
        return ()
    memo = _SITES.of(snapshot)
    known = memo.get(path)
    if known is None:
        sites = (site for edge in snapshot.derivation.edges_from(snapshot, path) for site in edge.sites)
        known = [(start, end) for file, start, end in sites if file == path]
        if not spent_reason():
            memo[path] = known
    return known


def _target_of(snapshot: Snapshot, place: SymbolRef, name: str) -> _UnreadTarget:
    language, path = snapshot.shards[place.file].language, place.file
    dotted = snapshot.module_name(path).dotted
    words = [word for word in re.split(r"[./]", dotted) if word]
    stem = path.rpartition("/")[2].partition(".")[0]
    homes = {word for word in (stem, *words[-3:]) if word not in _MODULE_FOLDERS or word == "main"}
    roots = {words[0] if words else stem, snapshot.package_of(path).replace("-", "_")}
    facts = snapshot.facts(path) if place.definition != NONE else None
    scope = NONE if facts is None else facts.definitions.scope[place.definition]
    member = facts is not None and scope >= 0 and facts.scopes.kind[scope] == ScopeKind.CLASS
    if facts is not None and member:
        owners = qualified_name(facts, place.definition).split(".")[:-1]
        homes = set(owners[-1:])
    if place.definition == NONE:
        # `pkg/mod.py`, `pkg.mod`: what is around the file qualifies it.
        homes = {*words[:-1], *path.split("/")[:-1]}
    return _UnreadTarget(name, language, place.definition == NONE, member, homes, roots)


def _may_mean(one: _Spelling, target: _UnreadTarget, path: FilePath) -> bool:
    if target.module:
        return _may_mean_module(one, target)
    if one.form == NameForm.CODE:
        return _in_code(one, target)
    # A slash is one of a path: what follows is a file.
    qualified = one.before not in ("", "/") and one.qualifier in target.homes
    if one.file_name:
        return False
    if one.form == NameForm.EXPRESSIONS:
        if target.member:
            inside = path.endswith(".component.html") and not one.before
            return one.before == "." or inside or (one.quoted and one.sure)
        return qualified or (not one.before and (one.called or one.sure)) or (one.quoted and one.sure)
    if one.form == NameForm.STRINGS:
        return qualified or (one.quoted and one.sure)
    if target.member:
        return qualified or (one.before == "." and one.called)
    return qualified or (not one.before and one.sure) or one.imports.takes(target.name, target.homes, target.roots)


def _may_mean_module(one: _Spelling, target: _UnreadTarget) -> bool:
    if one.file_name:
        return not one.qualifier or one.before != "/" or one.qualifier in target.homes
    if one.form == NameForm.CODE and one.imports.takes_module(target.name, target.homes, target.roots):
        return True
    return one.before in (".", "/") and one.qualifier in target.homes and not one.called


def _in_code(one: _Spelling, target: _UnreadTarget) -> bool:
    imports = one.imports
    if one.before == ".":
        if one.qualifier in imports.modules:
            return imports.leads_to(one.qualifier, target.homes, target.roots)
        if target.member:
            return not (one.qualifier in ("self", "cls", "this") and target.name in imports.defined)
        return one.qualifier in target.homes
    if one.quoted:
        return one.sure
    if target.member or target.name in imports.defined:
        return False
    if imports.takes(target.name, target.homes, target.roots):
        return True
    return target.name not in imports.names and (imports.everything or _is_tag(one))


def _is_tag(one: _Spelling) -> bool:
    known = providers().get(one.language)
    return one.before == "<" and (known is None or known.capabilities.markup)


def _spellings(snapshot: Snapshot, path: FilePath, name: str) -> Sequence[_Spelling]:
    memo = _SPELLINGS.of(snapshot)
    known = memo.get((path, name))
    if known is None:
        found = (one for part, imports in _parts(snapshot, path) for one in _find_spellings(part, imports, path, name))
        known = memo[path, name] = tuple(found)
    return known


def _parts(snapshot: Snapshot, path: FilePath) -> Sequence[tuple[TextPart, TextImports]]:
    memo = _PARTS.of(snapshot)
    known = memo.get(path)
    if known is None:
        text = snapshot.text(path) or b""
        found = [(part, imports_of(part)) for part in parts(path, text)]
        known = memo[path] = found
    return known


_AROUND: Final = 80
_SIGNS: Final = (b":", b".", b"#", b"/", b"$")
_QUALIFIER: Final = re.compile(rb"([\w$\x80-\xff-]*)(::|\?\.|[.:#/$])\Z")
_ASSET: Final = re.compile(_ENDINGS)
_CALL: Final = re.compile(rb"[ \t]*\(")
_PIPES: Final = (b"|", b"{%", b"{%-", b"{%+")


def _find_spellings(part: TextPart, imports: TextImports, path: FilePath, name: str) -> Iterator[_Spelling]:
    text, size = part.text, len(name.encode())
    distinct = len(name) >= _SHORTEST and _DISTINCT.match(name) is not None
    for start in starts_of_word(text, name, b"$"):
        end = start + size
        ahead, behind = text[max(start - _AROUND, 0) : start], text[end : end + _AROUND]
        before, after = ahead[-1:], behind[:1]
        qualified = _QUALIFIER.search(ahead) if ahead.endswith(_SIGNS) else None
        quoted = bool(before) and before in b"\"'`" and after == before
        file_name = _ASSET.match(behind) is not None
        called = _CALL.match(behind) is not None or ahead.rstrip(b" \t").endswith(_PIPES)
        sure = distinct
        if part.form == NameForm.SETTINGS:
            in_word = (before in (b"-", b"@", b"$", b"%")) or after == b"-" or _KEY.match(behind) is not None
            value = path.endswith((".yaml", ".yml", ".toml", ".ini", ".cfg")) and _is_value(ahead, behind)
            rare = value and len(name) >= _SHORTEST and name.lower() not in ORDINARY and not distinct
            sure = not in_word and not _SHOUTED.match(name) and (distinct or rare)
        sign = qualified[2].decode() if qualified else before.decode("latin-1") if before == b"<" else ""
        yield _Spelling(
            start=start,
            form=part.form,
            language=part.language,
            before="." if sign == "?." else sign,
            qualifier=qualified[1].decode("utf-8", "replace") if qualified else "",
            sure=sure,
            called=called,
            quoted=quoted,
            file_name=file_name,
            imports=imports,
        )


def _is_value(ahead: bytes, behind: bytes) -> bool:
    """Whether a word is all that stands at the right of a key."""
    return _VALUE.search(ahead) is not None and re.match(rb"[\"']?[ \t]*(?:\r?\n|#|\Z)", behind) is not None
