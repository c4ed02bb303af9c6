"""Terms: text and identifiers as the words that are searched for.

Owns: splitting, stemming, stop words, reading a task.
Must not know: files, declarations, ranking.
Invariant: text of code and text of a task are split by the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final
from zlib import crc32

import attrs

IDENTIFIER: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_INFLECTIONS: Final = ("ing", "ed", "es", "s")
_ENDINGS: Final = (
    "izations", "ization", "isation", "ations", "ation", "ators", "ator", "ments", "ment", "ables", "able", "ibles",
    "ible", "ities", "ity", "ings", "ing", "ions", "ion", "izes", "ized", "izer", "ize", "ives", "ive", "ers", "er",
    "ors", "or", "als", "al", "ies", "ed", "es", "ly", "s", "e", "y",
)  # fmt: skip
_REMEMBERED: Final = 20_000
"""Words. More would be asked for again seldom, and each costs half a kilobyte for as long as the process lives."""
_ROOT: Final = 4
"""Letters that a word keeps, whatever it ends with."""
_WORD: Final = re.compile(r"[^\W\d]\w*")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_CODE: Final = re.compile(r"```[a-z]*\n(.*?)```|``([^`]+)``|`([^`\n]+)`", re.DOTALL)
_DOTTED: Final = re.compile(r"(?<![\w./])[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)+(?![\w/])")
_FILE: Final = re.compile(r"(?<![\w/])(?:[\w.@-]+/)*[\w@-][\w.@-]*\.(?:pyi?|pyw|[cm]?[jt]sx?)(?!\w)")
_FRAME: Final = re.compile(r'File "([^"\n]+)", line (\d+)(?:, in ([^\s]+))?')
_POSITION: Final = re.compile(r"(?<![\w/])((?:[\w.@-]+/)*[\w@-][\w.@-]*\.(?:pyi?|[cm]?[jt]sx?)):(\d+)")
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]|^_+[a-z]|^[A-Z][a-z]+\d")

STOP: Final = frozenset((
    "a", "an", "and", "any", "all", "also", "are", "as", "at", "be", "because", "been", "before", "after", "but",
    "by", "can", "cannot", "could", "do", "does", "doing", "done", "don", "for", "from", "had", "has", "have",
    "having", "if", "in", "into", "is", "isn", "it", "its", "just", "let", "like", "may", "might", "more", "most",
    "must", "no", "not", "of", "on", "once", "one", "only", "or", "other", "our", "out", "over", "own", "per",
    "same", "should", "since", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "upon", "us", "use", "used",
    "uses", "using", "very", "via", "was", "we", "were", "what", "when", "where", "whether", "which", "while",
    "who", "why", "will", "with", "within", "without", "would", "yet", "you", "your", "add", "added", "adding",
    "adds", "allow", "allowed", "allows", "avoid", "bug", "change", "changed", "changes", "chore", "ensure", "feat",
    "feature", "fix", "fixed", "fixes", "fixing", "handle", "implement", "improve", "improved", "instead",
    "introduce", "issue", "make", "makes", "making", "made", "move", "moved", "new", "now", "perf", "please",
    "refactor", "remove", "removed", "removes", "rename", "support", "supports", "update", "updated", "updates",
))  # fmt: skip


_CHANGES: Final = frozenset((
    "add", "added", "adding", "address", "adds", "adjust", "allow", "allows", "avoid", "avoids", "change",
    "changed", "changes", "clean", "correct", "deprecate", "deprecated", "disable", "don't", "drop", "dropped",
    "drops", "enable", "ensure", "exclude", "expose", "extend", "extract", "fix", "fixed", "fixes", "fixing",
    "handle", "ignore", "implement", "implemented", "implements", "improve", "improved", "improves", "include",
    "introduce", "make", "makes", "migrate", "move", "moved", "prevent", "prevents", "reduce", "refactor",
    "refactored", "remove", "removed", "removes", "rename", "renamed", "replace", "replaced", "restore", "revert",
    "rewrite", "simplify", "split", "stop", "support", "supports", "switch", "tweak", "update", "updated",
    "updates", "upgrade", "use", "warn",
))  # fmt: skip
"""Verbs that begin a text which wants a change, rather than one which says what something is."""
_CONVENTIONAL: Final = re.compile(r"\s*(?:[A-Za-z]+(?:\([^()\n]*\))?!?:\s|\[[^\]\n]+\]\s)")
"""`fix(scope): ` and `[scope] `, as titles of commits begin (conventionalcommits.org)."""
_VERB: Final = re.compile(r"\s*([A-Za-z']+)")


_ASKING: Final = frozenset(("how", "what", "when", "where", "which", "who", "whose", "why"))
_FILLING: Final = frozenset(("get", "gets", "got", "happen", "happens", "how", "who", "whose"))
"""Words of a question that say nothing of what it is about."""
_IRREGULAR: Final[Mapping[str, str]] = {
    "begun": "begin", "bound": "bind", "broken": "break", "brought": "bring", "built": "build", "caught": "catch",
    "chosen": "choose", "drawn": "draw", "driven": "drive", "fed": "feed", "forgotten": "forget", "found": "find",
    "frozen": "freeze", "given": "give", "grown": "grow", "held": "hold", "hidden": "hide", "kept": "keep",
    "known": "know", "left": "leave", "lost": "lose", "met": "meet", "overridden": "override",
    "overwritten": "overwrite", "ran": "run", "rebuilt": "rebuild", "rewritten": "rewrite", "seen": "see",
    "sent": "send", "shown": "show", "sought": "seek", "taken": "take", "thrown": "throw", "told": "tell",
    "undone": "undo", "understood": "understand", "woken": "wake", "won": "win", "written": "write", "wrote": "write",
}  # fmt: skip
"""Participles that share no stem with their verb, as questions have them and names do not."""


def is_asked(text: str) -> bool:
    """Whether a text asks something, by its first word."""
    first = _VERB.match(text)
    return first is not None and first[1].lower() in _ASKING


def asked_words(text: str, words: Mapping[str, float]) -> dict[str, float]:
    """The words to search for of a text that asks something: without those that every question has, and with the verb
    of a participle beside it."""
    if not is_asked(text):
        return dict(words)
    filling = {stem(word) for word in _FILLING}
    found = {word: weight for word, weight in words.items() if word not in filling}
    for word in _WORD.findall(text):
        verb, known = _IRREGULAR.get(word.lower()), words.get(stem(word.lower()))
        if verb is not None and known is not None:
            found.setdefault(stem(verb), known)
    return found or dict(words)


def wants_change(text: str) -> bool:
    """Whether a text asks for a change, as the title of a commit does: by its first word."""
    first = _VERB.match(text)
    return _CONVENTIONAL.match(text) is not None or (first is not None and first[1].lower() in _CHANGES)


@attrs.frozen(kw_only=True)
class Task:
    """What a task text says, ready to search with."""

    title: tuple[str, ...]
    """Terms of the first line."""
    body: tuple[str, ...]
    """Terms of the rest."""
    quoted: frozenset[str]
    """Terms that stand in code marks or look like identifiers."""
    identifiers: tuple[str, ...]
    """Words that are spelled as code, as written."""
    dotted: tuple[str, ...]
    """`module.name` and `module:name`, as written."""
    files: tuple[str, ...]
    """File names and paths, as written."""
    positions: tuple[tuple[str, int], ...]
    """(file, line from 1) of stack traces and `file:line`."""
    about_tests: bool
    spelled: Mapping[str, str] = attrs.field(eq=False)
    """Terms with the word of the text that each comes from first."""

    def as_written(self, term: str) -> str:
        """The task's own word for a term."""
        return self.spelled.get(term, term)


@lru_cache(_REMEMBERED)
def terms_of(identifier: str) -> tuple[str, ...]:
    """Parts of one identifier, lower case and stemmed; a compound is there as a whole too."""
    parts: list[str] = _PART.findall(identifier)
    found = [stem(part.lower()) for part in parts if len(part) > 1 and part.lower() not in STOP]
    if len(parts) > 1:
        found.append(stem(identifier.lower().strip("_")))
    return tuple(found)


def parts_of(identifier: str) -> list[str]:
    """Terms of the parts of one identifier, none of them a compound."""
    return [stem(part.lower()) for part in _PART.findall(identifier) if len(part) > 1 and part.lower() not in STOP]


@lru_cache(_REMEMBERED)
def ids_of(identifier: bytes) -> tuple[int, ...]:
    """Numbers of the terms of an identifier that has no letters beyond ASCII."""
    return tuple(term_id(term) for term in terms_of(identifier.decode("ascii")))


def _spellings(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in _WORD.findall(text):
        for part in (*_PART.findall(word), word.strip("_")):
            found.setdefault(stem(part.lower()), part)
    return found


def terms(text: str) -> list[str]:
    """Terms of a text, in order, with repetitions."""
    return [term for word in _WORD.findall(text) for term in terms_of(word)]


def term_id(term: str) -> int:
    """The number that stands for a term in an index."""
    return crc32(term.encode(errors="surrogatepass")) & 0x7FFFFFFF


@lru_cache(_REMEMBERED)
def stem(word: str) -> str:
    """The word without common English endings: what `serializing` and `serializer` share."""
    short = _without(word, _INFLECTIONS)
    root = _without(short, _ENDINGS)
    return root[:-1] if len(root) > 4 and root[-1] == root[-2] else root


def _without(word: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= _ROOT:
            return word[: -len(ending)]
    return word


def read_task(text: str) -> Task:
    """What a task says; any text is fine, an empty one says nothing."""
    text = text[:20_000]
    code = [part for match in _CODE.finditer(text) for part in match.groups() if part]
    positions = tuple(dict.fromkeys(_positions(text)))
    title, _, body = text.strip().partition("\n")
    identifiers = tuple(dict.fromkeys(_identifiers(text, code)))
    words = {word.lower() for word in _WORD.findall(text)}
    return Task(
        title=tuple(dict.fromkeys(terms(title))),
        body=tuple(dict.fromkeys(terms(body))),
        quoted=frozenset(term for name in identifiers for term in terms_of(name)),
        identifiers=identifiers,
        dotted=tuple(dict.fromkeys(match[0] for match in _DOTTED.finditer(text) if not _FILE.fullmatch(match[0]))),
        files=tuple(dict.fromkeys(_FILE.findall(text))),
        positions=positions,
        about_tests=bool(words & {"test", "tests", "testing", "pytest", "unittest", "fixture", "conftest"}),
        spelled=_spellings(text),
    )


def _identifiers(text: str, code: list[str]) -> Iterator[str]:
    for part in code:
        yield from (word for word in _WORD.findall(part) if len(word) > 1)
    yield from (word for word in _WORD.findall(text) if _CAMEL.search(word))
    yield from re.findall(r"[^\W\d]\w*(?=\()", text)


def _positions(text: str) -> Iterator[tuple[str, int]]:
    yield from ((match[1], int(match[2])) for match in _FRAME.finditer(text) if len(match[2]) < 8)
    yield from ((match[1], int(match[2])) for match in _POSITION.finditer(text) if len(match[2]) < 8)
