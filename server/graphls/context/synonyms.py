"""Synonyms: what programmers call one thing by several words.

Owns: the groups, what stands beside the words of a question that nothing has.
Must not know: files, declarations, ranking.
Invariant: a word that something has brings nothing in; a word of a group counts for less than one that was asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from graphls.context.terms import stem

_WORTH: Final = 0.6
"""Of a word that was not asked for, in parts of the one that was."""
_GROUPS: Final = (
    "delete remove erase drop purge destroy discard", "create make build construct generate produce",
    "fetch get load retrieve obtain read pull", "send emit dispatch publish post deliver transmit",
    "begin start launch boot init initialize setup bootstrap", "stop end halt terminate shutdown kill quit exit",
    "cancel abort interrupt", "throttle ratelimit limit quota bucket", "login signin authenticate auth session",
    "logout signout", "signup register enroll", "permission authorize access allow grant role acl scope",
    "user account member profile", "password credential secret passphrase", "token key jwt",
    "encrypt cipher crypt", "sign signature hmac", "hash digest checksum fingerprint", "compress gzip zip deflate",
    "cache memo memoize lru", "store save persist write keep", "queue backlog buffer fifo",
    "job task worker background", "schedule cron timer periodic interval",
    "retry backoff reattempt repeat", "timeout deadline expire ttl",
    "lock mutex semaphore guard", "thread concurrent parallel async", "error exception failure fault problem",
    "warn alert notify notification", "log trace record audit", "metric telemetry stat counter gauge",
    "parse read decode lex tokenize", "serialize encode dump marshal stringify", "deserialize decode parse unmarshal",
    "validate check verify assert sanitize", "escape quote sanitize", "format render print pretty",
    "template view layout markup", "convert transform translate map cast", "merge combine join concat unite",
    "split divide partition chunk", "sort order rank", "filter select match where", "search find lookup query seek",
    "replace substitute swap", "copy clone duplicate", "compare diff equal", "count total sum number",
    "config setting option preference", "environment env variable", "default fallback", "flag switch toggle feature",
    "path route url endpoint", "request call invoke", "response reply answer result", "header metadata",
    "middleware interceptor hook filter plugin", "plugin extension addon", "event signal message",
    "listen subscribe watch observe", "callback handler listener hook", "connect dial open", "disconnect close",
    "download fetch pull", "upload push", "email mail smtp", "picture image photo avatar", "folder directory dir",
    "file document", "row record entry tuple", "column field attribute", "table collection", "index catalog",
    "database db sql storage", "migrate upgrade schema", "rollback revert undo", "transaction atomic commit",
    "version release revision", "page paginate cursor", "language locale i18n translation", "date time timestamp",
    "currency money price", "payment billing invoice charge checkout", "cart basket", "order purchase",
    "parent ancestor base super", "child descendant nested sub", "argument parameter option flag",
    "install setup provision", "deploy release publish", "test spec", "mock stub fake", "proxy forward relay",
    "redirect forward", "circular cycle recursive", "dependency requirement import", "graph tree network",
    "edge link relation", "node vertex", "color theme style", "button widget control", "window dialog modal popup",
    "keyboard key shortcut", "mouse pointer cursor", "scroll swipe", "resize scale zoom", "backup snapshot archive",
    "restore recover", "health status ping heartbeat", "leak memory", "speed performance fast optimize",
)  # fmt: skip


@cache
def _by_word() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in _GROUPS:
        words = [stem(word) for word in group.split()]
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in words if other != word))
    return {word: tuple(others) for word, others in found.items()}


@cache
def _spelled() -> Mapping[str, str]:
    return {stem(word): word for group in reversed(_GROUPS) for word in reversed(group.split())}


def whole_word(term: str) -> str:
    """A word of a group as it is spelled."""
    return _spelled().get(term, term)


def synonyms_of_missing(words: Mapping[str, float], had: Collection[str]) -> dict[str, float]:
    """What to look for in the place of words that nothing has, each with its worth; nothing where all are had."""
    found: dict[str, float] = {}
    for word, worth in words.items():
        for other in _by_word().get(word, ()) if word not in had else ():
            if other not in words:
                found[other] = max(found.get(other, 0.0), round(worth * _WORTH, 6))
    return found
