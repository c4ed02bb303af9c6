"""Commands: what command lines name.

Owns: the words of a shell's lines, as far as they are written out: programs, files, modules, scripts, targets.
Must not know: in which format the lines stand, what is there.
Invariant: a word with a variable or pattern in it names nothing; offsets are bytes of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import normpath
from typing import Final

import attrs

from graphls.languages.config.document import ConfigReference, ReferenceKind

_WORD: Final = re.compile(
    rb"""\\?\r?\n|&&|\|\||[;|&()<>]|(?:\\?"(?:[^"\\\n]|\\[^"\n])*\\?"|'[^'\n]*'|\$\{\{.*?\}\}|[^\s;|&()<>"'])+|#"""
)
_COMPUTED: Final = re.compile(r"[$*?`{}\[\]!%~<>|]|://|^-")
_BREAKS: Final = frozenset((b";", b"&&", b"||", b"|", b"&", b"(", b")"))
_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?\Z")
_RUNNERS: Final = frozenset(("npm", "pnpm", "yarn", "bun"))
_FOREIGN: Final = frozenset((
    "install", "add", "remove", "exec", "dlx", "create", "init", "i", "ci", "config", "cache", "publish", "link",
    "audit", "up", "update", "upgrade", "why", "list", "info", "pack", "version", "login", "dedupe", "set", "x",
    "outdated", "unlink", "workspace", "workspaces", "global", "import", "rebuild", "store", "patch", "fetch",
    "prune", "deploy", "help", "view",
))  # fmt: skip
_OF_BUN: Final = frozenset(("test", "build"))
"""What bun does itself, unless it is told to `run` it."""
_OF_FILES: Final = frozenset(("cp", "mv", "cat", "source", "."))
"""Programs whose words are files, with or without an ending."""
_FOLDER: Final = frozenset(("--cwd", "--prefix", "-C", "--dir"))
"""Options of runners with a folder whose scripts they run."""
_CHOSEN: Final = frozenset(("--filter", "-F", "--workspace", "-w"))
"""Options with a package, by its name or, as `./folder`, by its path."""
_EVERY: Final = frozenset(("-r", "--recursive", "-ws", "--workspaces"))
"""Options that run the scripts of every package."""
_BEFORE: Final = frozenset((
    "sudo", "time", "exec", "env", "cross-env", "npx", "uv", "poetry", "pipenv", "hatch", "pdm", "rye", "run", "dotenv",
    "xvfb-run", "nohup", "command", "coverage", "nice", "then", "do", "else", "if", "!", "bunx",
))  # fmt: skip
_ENDING: Final = re.compile(r"[\w@+-][\w.@+-]*\.[A-Za-z][\w-]*\Z|\.[A-Za-z][\w.-]*\Z")
_OBJECT: Final = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*:[A-Za-z_]\w*(?:\.\w+)*(?:\(\))?\Z")
_NAME: Final = re.compile(r"[\w][\w:./@-]*\Z")
_PACKAGE: Final = re.compile(r"(?:@[\w.-]+/)?\w[\w./-]*\Z")
_OUTPUT: Final = frozenset((b">", b"<"))
_MAX_WORD: Final = 4_096
"""Bytes of a word that may be a path or a name: what systems have of a path."""


@attrs.frozen
class CommandPlace:
    """Where lines are run. `folder`: "" for the workspace; `scripts`, `targets`: files whose entries they name."""

    folder: str = ""
    scripts: str = ""
    targets: str = ""


@attrs.frozen
class _Word:
    text: str
    start: int
    end: int


def joined(folder: str, text: str) -> str | None:
    """A path below a folder of the workspace; None for one that leads outside."""
    if text.startswith("/"):
        return None
    path = normpath(f"{folder}/{text}" if folder else text)
    return None if path.startswith("..") else "" if path == "." else path


def references_in(data: bytes, start: int, end: int, place: CommandPlace) -> Iterator[ConfigReference]:
    """What the lines between two offsets name."""
    for command, folder in _commands(data, start, end, place.folder):
        here = attrs.evolve(place, folder=folder) if folder != place.folder else place
        yield from _command(command, here, moved=folder != place.folder)


def _commands(data: bytes, start: int, end: int, folder: str) -> Iterator[tuple[Sequence[_Word], str]]:
    """Simple commands, with the folder that `cd` before them leads to."""
    here: str | None = folder
    for words in _simple(data, start, end):
        if words[0].text == "cd":
            target = words[1].text if len(words) == 2 else ""
            here = joined(here, target) if here is not None and target and not _COMPUTED.search(target) else None
        elif here is not None:
            yield words, here


def _simple(data: bytes, start: int, end: int) -> Iterator[Sequence[_Word]]:
    words: list[_Word] = []
    comment = False
    for token in _WORD.finditer(data, start, end):
        raw = token[0]
        if raw.endswith(b"\n"):
            comment = False
            if raw.startswith(b"\\"):
                continue
        if raw.endswith(b"\n") or raw in _BREAKS:
            if words:
                yield words
            words = []
        elif comment or raw in _OUTPUT:
            continue
        elif raw.startswith(b"#"):
            comment = True
        else:
            words.append(_word(token.start(), raw))
    if words:
        yield words


def _word(start: int, raw: bytes) -> _Word:
    end = start + len(raw)
    for quote in (b'\\"', b'"', b"'"):
        if raw.startswith(quote) and raw.endswith(quote) and len(raw) >= 2 * len(quote):
            start, end = start + len(quote), end - len(quote)
            raw = raw[len(quote) : -len(quote)]
            break
    return _Word(raw.decode("utf-8", "replace") if len(raw) <= _MAX_WORD else "", start, end)


def _command(words: Sequence[_Word], place: CommandPlace, *, moved: bool) -> Iterator[ConfigReference]:
    at = 0
    while at < len(words) and (words[at].text in _BEFORE or _is_assignment(words[at].text)):
        yield from _assigned(words[at], place)
        at += 1
    if at == len(words):
        return
    program, rest = words[at].text.rpartition("/")[2], words[at + 1 :]
    behind = next((number for number, word in enumerate(rest) if word.text == "--"), len(rest))
    if program in _RUNNERS:
        yield from _script(program, rest[:behind], place, moved=moved)
    if behind + 1 < len(rest) and rest[behind + 1].text in _RUNNERS:
        # What a script, or something that waits, is told to run.
        yield from _command(rest[behind + 1 :], place, moved=moved)
        rest = rest[:behind]
    elif program in ("make", "gmake"):
        yield from _targets(rest, place, moved=moved)
    if _PYTHON.match(program) or program == "coverage" or (at and words[at - 1].text == "coverage"):
        yield from _module(rest)
    for before, word in zip((None, words[at], *rest), (words[at], *rest), strict=False):
        named = program in _OF_FILES or (before is not None and before.text == "--env-file")
        yield from _path(word, place, named=named and before is not None)


def _is_assignment(text: str) -> bool:
    name, sign, _ = text.partition("=")
    return bool(sign) and name.isidentifier()


def _assigned(word: _Word, place: CommandPlace) -> Iterator[ConfigReference]:
    name, sign, value = word.text.partition("=")
    if sign:
        start, end = word.start + len(name.encode()) + 1, word.end
        if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
            value, start, end = value[1:-1], start + 1, end - 1
        yield from _path(_Word(value, start, end), place)


def paths_in(data: bytes, start: int, end: int, folder: str) -> Iterator[ConfigReference]:
    """Words between two offsets that are paths with an ending."""
    for words in _simple(data, start, end):
        for word in words:
            found = _path(word, CommandPlace(folder))
            yield from (one for one in found if one.kind == ReferenceKind.PROGRAM)


def _script(program: str, rest: Sequence[_Word], place: CommandPlace, *, moved: bool) -> Iterator[ConfigReference]:
    """The script of a `package.json` that a runner is told to run."""
    named: tuple[str, ...] = ()
    if program == "yarn" and len(rest) > 2 and rest[0].text == "workspace":
        named, rest = (rest[1].text,), rest[2:]
    else:
        named = tuple(_packages(rest))
    name = _script_name(program, rest)
    if name is None:
        return
    entry = f"scripts.{name.text}"
    for package in named:
        folder = joined(place.scripts.rpartition("/")[0], package) if program == "npm" else None
        also = ("scope",) if program == "pnpm" else (folder,) if folder else ()
        yield ConfigReference(ReferenceKind.SCRIPT, entry, name.start, name.end, package, also)
    if named or not place.scripts:
        return
    here = attrs.evolve(place, scripts=f"{place.folder}/package.json".lstrip("/")) if moved else place
    scripts = _manifest(rest, here)
    if scripts:
        yield ConfigReference(ReferenceKind.ENTRY, entry, name.start, name.end, scripts)


def _script_name(program: str, rest: Sequence[_Word]) -> _Word | None:
    """The word that names the script."""
    valued = {number + 1 for number, word in enumerate(rest) if word.text in ("--shell", *_FOLDER, *_CHOSEN)}
    plain = [word for number, word in enumerate(rest) if not word.text.startswith("-") and number not in valued]
    run = bool(plain) and plain[0].text in ("run", "run-script")
    name = plain[1] if run and len(plain) > 1 else plain[0] if plain and not run else None
    if name is None or name.text in _FOREIGN or not _NAME.match(name.text):
        return None
    return None if program == "bun" and not run and name.text in _OF_BUN else name


def _packages(rest: Sequence[_Word]) -> Iterator[str]:
    """Packages whose scripts a runner is told to run, by their names: of `name...` that and what it needs."""
    for number, word in enumerate(rest):
        option, sign, value = word.text.partition("=")
        if option in _CHOSEN:
            value = value if sign else rest[number + 1].text if number + 1 < len(rest) else ""
            name = value.strip("\"'").removesuffix("...").removeprefix("...")
            if _PACKAGE.match(name):
                yield name


def _manifest(rest: Sequence[_Word], place: CommandPlace) -> str:
    """The `package.json` whose script a runner is told to run; "" for one that the words do not name by its path."""
    home, every = place.scripts.rpartition("/")[0], False
    chosen: str | None = ""
    for number, word in enumerate(rest):
        option, sign, value = word.text.partition("=")
        every = every or option in _EVERY
        if option not in _FOLDER and option not in _CHOSEN:
            continue
        if not sign:
            value = rest[number + 1].text if number + 1 < len(rest) else ""
        by_path = option in _FOLDER or value.startswith("./")
        chosen = joined(home, value) if by_path and value and not _COMPUTED.search(value) and not chosen else None
        if chosen is None:
            return ""
    if not chosen:
        return "" if every else place.scripts
    return f"{chosen}/package.json"


def _targets(rest: Sequence[_Word], place: CommandPlace, *, moved: bool) -> Iterator[ConfigReference]:
    """Targets that `make` is told to make."""
    folder, skip = "" if not moved else place.folder, False
    file = place.targets
    for number, word in enumerate(rest):
        if skip:
            skip = False
        elif word.text == "-C" and number + 1 < len(rest):
            inside = joined(place.folder, rest[number + 1].text)
            file, skip = f"{inside}/Makefile".lstrip("/") if inside is not None else "", True
        elif word.text in ("-f", "-j", "-l", "-I"):
            skip = not (word.text == "-j" and number + 1 < len(rest) and not rest[number + 1].text.isdigit())
            file = file if word.text != "-f" else ""
        elif not word.text.startswith("-") and "=" not in word.text and _NAME.match(word.text):
            target = f"{folder}/Makefile" if folder else file
            if target:
                yield ConfigReference(ReferenceKind.ENTRY, word.text, word.start, word.end, target)


def _module(rest: Sequence[_Word]) -> Iterator[ConfigReference]:
    """The module that `python -m` runs."""
    for number, word in enumerate(rest[:-1]):
        if word.text == "-m":
            name = rest[number + 1]
            if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)*", name.text):
                yield ConfigReference(ReferenceKind.DOTTED, name.text, name.start, name.end, also=("module",))
            return
        if not word.text.startswith("-") and word.text != "run":
            return


def _path(word: _Word, place: CommandPlace, *, named: bool = False) -> Iterator[ConfigReference]:
    """A word, or what stands behind the equals sign of an option, that is a path with an ending, or `module:name`."""
    text, start = word.text, word.start
    if text.startswith("-"):
        name, sign, text = text.partition("=")
        if not sign:
            return
        start += len(name.encode()) + 1
        if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
            start, text = start + 1, text[1:-1]
    end = start + len(text.encode())
    if not text or _COMPUTED.search(text) or "=" in text or "," in text:
        return
    if _OBJECT.match(text):
        yield ConfigReference(ReferenceKind.DOTTED, text.removesuffix("()"), start, end)
        return
    text, _, _ = text.partition("::")  # a test of a file
    end = start + len(text.encode())
    named = named or _ENDING.search(text.rpartition("/")[2]) is not None or "/" in text
    path = joined(place.folder, text) if named else None
    if path:
        yield ConfigReference(ReferenceKind.PROGRAM, path, start, end)
