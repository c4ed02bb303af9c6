"""Build files: Dockerfile, Makefile and HCL.

Owns: stages, targets, what their lines copy, include and run.
Must not know: the workspace, schemas of keyed formats.
Invariant: paths are those of the folder around the file, or of what a build of it is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from graphls.languages.config.commands import CommandPlace, joined, paths_in, references_in
from graphls.languages.config.document import ConfigDocument, ConfigEntry, ConfigReference, ReferenceKind
from graphls.languages.config.environment import dockerfile_variables
from graphls.languages.config.images import command_images, hcl_images

_INSTRUCTION: Final = re.compile(
    rb"^[ \t]*([A-Za-z]+)[ \t]+((?:[^\\\n]|\\[^\n]|\\\r?\n(?:[ \t]*#[^\n]*\n)*)*)", re.MULTILINE
)
_FROM: Final = re.compile(rb"(?:--platform=\S+[ \t]+)?(\S+)(?:[ \t]+[Aa][Ss][ \t]+(\S+))?")
_COPIED: Final = re.compile(rb"--from=(\S+)")
_ARGUMENT: Final = re.compile(rb"[^\s\"',\[\]\\]+")
_RUN: Final = frozenset((b"RUN", b"CMD", b"ENTRYPOINT", b"HEALTHCHECK"))


def read_dockerfile(path: str, data: bytes) -> ConfigDocument:
    """Stages, and what is copied and run. A build is given the folder of the file, or the whole workspace."""
    folder = path.rpartition("/")[0]
    stages: list[ConfigEntry] = []
    references: list[ConfigReference] = []
    place = CommandPlace(folder, scripts=f"{folder}/package.json".lstrip("/"))
    for line in _INSTRUCTION.finditer(data):
        word = line[1].upper()
        if word == b"FROM":
            references += _from(line, stages)
        elif word in (b"COPY", b"ADD"):
            references += _copied(line, stages, folder)
        elif word in _RUN:
            found = references_in(_unlisted(data, *line.span(2)), *line.span(2), place)
            references += (_near(one, folder) for one in found)
    entries = [*_until_next(stages, len(data)), *dockerfile_variables(data)]
    return ConfigDocument(sorted(entries, key=lambda one: (one.start, one.end)), references)


def _from(line: re.Match[bytes], stages: list[ConfigEntry]) -> Iterator[ConfigReference]:
    found = _FROM.match(line[2])
    if found is None:
        return
    yield from _stage(found[1], line.start(2) + found.start(1), stages)
    if found[2] is not None:
        start = line.start(2) + found.start(2)
        name = found[2].decode("utf-8", "replace")
        stages.append(ConfigEntry("stage", name, start, start + len(found[2]), line.start(), line.end()))


def _stage(raw: bytes, start: int, stages: list[ConfigEntry]) -> Iterator[ConfigReference]:
    name = raw.decode("utf-8", "replace")
    if any(stage.name == name for stage in stages):
        yield ConfigReference(ReferenceKind.ENTRY, name, start, start + len(raw))


def _copied(line: re.Match[bytes], stages: list[ConfigEntry], folder: str) -> Iterator[ConfigReference]:
    other = _COPIED.search(line[2])
    if other is not None:
        yield from _stage(other[1], line.start(2) + other.start(1), stages)
        return
    words = [word for word in _ARGUMENT.finditer(line[2]) if not word[0].startswith(b"--")]
    for word in words[:-1]:
        text, start = word[0].decode("utf-8", "replace"), line.start(2) + word.start()
        if not re.search(r"[$*?{]|://", text):
            path = text.lstrip("/").removeprefix("./").rstrip("/")
            path = "" if path == "." else path
            if path:
                yield ConfigReference(ReferenceKind.NEAR, path, start, start + len(word[0]), folder)
            yield ConfigReference(ReferenceKind.FOLDER, path, start, start + len(word[0]), folder)


def _unlisted(data: bytes, start: int, end: int) -> bytes:
    """The text with `["a", "b"]` between two offsets as the words of a line."""
    raw = data[start:end]
    if not (raw.startswith(b"[") and raw.rstrip().endswith(b"]")):
        return data
    plain = raw.replace(b'",', b'" ').replace(b"[", b" ", 1)
    last = plain.rindex(b"]")
    return data[:start] + plain[:last] + b" " + plain[last + 1 :] + data[end:]


def _near(one: ConfigReference, folder: str) -> ConfigReference:
    """A path in an image is that of the folder of the build, where there is one."""
    if one.kind != ReferenceKind.PROGRAM:
        return one
    text = one.text[len(folder) + 1 :] if folder and one.text.startswith(f"{folder}/") else one.text
    return ConfigReference(ReferenceKind.NEAR, text, one.start, one.end, folder)


def _until_next(entries: list[ConfigEntry], size: int) -> list[ConfigEntry]:
    ends = [*(entry.full_start for entry in entries[1:]), size]
    return [
        ConfigEntry(one.kind, one.name, one.start, one.end, one.full_start, end)
        for one, end in zip(entries, ends, strict=False)
    ]


_TARGET: Final = re.compile(
    rb"^([\w.%/][^\n:=#$\t ]*+(?: ++[^\n:=#$\t ]++)*+)[ \t]*+::?(?![:=])([^\n;#]*)", re.MULTILINE
)
_RECIPE: Final = re.compile(rb"(?:\r?\n(?:\t[^\n]*|[ \t]*(?:#[^\n]*)?(?=\r?\n\t)))+")
_VARIABLE: Final = re.compile(
    rb"^(?:(?:export|override)[ \t]+)?[\w.-]+[ \t]*(?:[:?+]|::)?=[ \t]*([^\n#]*)"
    rb"|^[ \t]+[\w.-]+[ \t]*(?:[:?]|::)=[ \t]*([^\n#]*)",
    re.MULTILINE,
)
"""Behind a tab the sign must be one that no shell has: else it is a line of a recipe."""
INCLUDED: Final = "included:"
MAX_INCLUDED: Final = 100
"""Files that are brought in, in which a target is looked for."""
_INCLUDE: Final = re.compile(rb"^-?include[ \t]+([^\n#]+)", re.MULTILINE)
_SPECIAL: Final = re.compile(r"\.[A-Z_]+\Z")
_NAMED: Final = re.compile(rb"[^\s|]+")


def read_makefile(path: str, data: bytes) -> ConfigDocument:
    """Targets, what they need, what their recipes run."""
    folder = path.rpartition("/")[0]
    targets: dict[str, ConfigEntry] = {}
    references = list(_included(data, folder))
    brought = tuple(f"{INCLUDED}{one.text}" for one in references[:MAX_INCLUDED])
    for line in _VARIABLE.finditer(data):
        references += paths_in(data, *line.span(1 if line[1] is not None else 2), folder)
    for rule in _TARGET.finditer(data):
        recipe = _RECIPE.match(data, _end_of_line(data, rule.end()))
        end = recipe.end() if recipe else rule.end()
        for word in _NAMED.finditer(rule[1]):
            name = word[0].decode("utf-8", "replace")
            if not _SPECIAL.match(name) and "%" not in name:
                start = rule.start(1) + word.start()
                entry = ConfigEntry("target", name, start, start + len(word[0]), rule.start(), end)
                targets.setdefault(name, entry)
        references += _needed(rule, folder, brought)
        if recipe is not None:
            place = CommandPlace(folder, scripts=f"{folder}/package.json".lstrip("/"), targets=path)
            for line in _recipe_lines(data, *recipe.span()):
                references += references_in(data, *line, place)
    references += command_images(folder, data)
    entries = sorted(targets.values(), key=lambda one: one.start)
    return ConfigDocument(entries, sorted(references, key=lambda one: one.start))


def _included(data: bytes, folder: str) -> Iterator[ConfigReference]:
    for line in _INCLUDE.finditer(data):
        for word in _NAMED.finditer(line[1]):
            file = joined(folder, word[0].decode("utf-8", "replace"))
            if file and "$" not in file and "*" not in file:
                start = line.start(1) + word.start()
                yield ConfigReference(ReferenceKind.FILE, file, start, start + len(word[0]))


def _end_of_line(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _needed(rule: re.Match[bytes], folder: str, brought: tuple[str, ...]) -> Iterator[ConfigReference]:
    """What a target needs: another target, also of a file that is brought in, else a file."""
    for word in _NAMED.finditer(rule[2]):
        text, start = word[0].decode("utf-8", "replace"), rule.start(2) + word.start()
        if not re.search(r"[$%*=]", text):
            file = joined(folder, text) or ""
            yield ConfigReference(ReferenceKind.ENTRY, text, start, start + len(word[0]), also=(file, *brought))


def _recipe_lines(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Lines of a recipe, those that a backslash joins as one, without the signs in front."""
    for line in re.finditer(rb"\t[@+-]*((?:[^\\\n]|\\\r?\n|\\.)*)", data[start:end]):
        yield start + line.start(1), start + line.end(1)


_HCL_BLOCK: Final = re.compile(rb"^(\w+)((?:[ \t]+\"[^\"\n]*\")+)[ \t]*\{", re.MULTILINE)
_HCL_SOURCE: Final = re.compile(rb"^[ \t]*source[ \t]*=[ \t]*\"(\.{1,2}/[^\"\n$]*)\"", re.MULTILINE)
_HCL_FILE: Final = re.compile(
    rb"\b(?:file|templatefile|filebase64|filemd5|filesha256)\([ \t]*\"(?:\$\{path\.module\}/)?([^\"\n$]+)\""
)
_FOR_FOLDER: Final = ("/main.tf",)


def read_hcl(path: str, data: bytes) -> ConfigDocument:
    """Blocks by their labels, sources of modules, files that are read."""
    folder = path.rpartition("/")[0]
    entries: list[ConfigEntry] = []
    for block in _HCL_BLOCK.finditer(data):
        labels = [label.decode("utf-8", "replace") for label in re.findall(rb"\"([^\"\n]*)\"", block[2])]
        first = block.start(2) + block[2].rindex(b'"', 0, -1) + 1
        name = ".".join((block[1].decode(), *labels))
        entries.append(ConfigEntry("block", name, first, block.end(2) - 1, block.start(), block.end()))
    references: list[ConfigReference] = []
    patterns: Mapping[re.Pattern[bytes], tuple[str, ...]] = {_HCL_SOURCE: _FOR_FOLDER, _HCL_FILE: ()}
    for pattern, also in patterns.items():
        for found in pattern.finditer(data):
            file = joined(folder, found[1].decode("utf-8", "replace"))
            if file is not None:
                references.append(ConfigReference(ReferenceKind.FILE, file, *found.span(1), also=also))
    references += hcl_images(data)
    return ConfigDocument(_until_next(entries, len(data)), sorted(references, key=lambda one: one.start))
