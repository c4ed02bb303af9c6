"""Images: names of container images in configuration, those that are built and those that are run.

Owns: which values are names of images, which of them the document builds, when two names mean one image.
Must not know: other documents, registries.
Invariant: what a variable stands for is unknown, unless the document or its environment says so; a name with nothing
    known in its last part means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from graphls.languages.config.commands import joined
from graphls.languages.config.document import ConfigReference, ConfigValue, KeyedText, ReferenceKind

BUILT: Final = "built"
"""In `also` of a reference: the document builds the image."""
HOLE: Final = "\0"
"""What nobody knows."""
_VARIABLE: Final = re.compile(
    r"\$\{\{[^{}]*\}\}|\{\{[^{}]*\}\}|\$\{(\w+)(?::?-([^{}]*))?[^{}]*\}|\$\((\w+)\)|\$(\w+)|<[^<>]*>"
)
_EXPRESSION: Final = re.compile(r"\$\{\{[^{}]*\}\}")
_DEEPEST: Final = 8
_PART: Final = re.compile(r"[a-z0-9\0](?:[a-z0-9._\0-]*[a-z0-9\0])?(?::\d+)?\Z", re.IGNORECASE)
_TAG: Final = re.compile(r"[\w.\0-]*\Z")
_BUILD: Final = re.compile(rb"\b(?:docker|podman|nerdctl|buildah)\s+(?:buildx\s+)?(?:build|bud)\b(?:\\\n|[^\n;&|])*")
_TAGGED: Final = re.compile(rb"\s(?:-t|--tag)[ =]\s*[\"']?([^\s\"'\\;]+)")
_FILE: Final = re.compile(rb"\s(?:-f|--file)[ =]\s*[\"']?([^\s\"'\\;]+)")
_FOLDER: Final = re.compile(rb"\s[\"']?((?:\.{0,2}/)?[\w./-]+|\.)[\"']?\s*\Z")
_IN_HCL: Final = re.compile(rb"^[ \t]*image\s*=\s*\"([^\"\n]+)\"", re.MULTILINE)


@attrs.frozen
class ImageName:
    """`registry/path/name:tag`, with a sign for each part that nobody knows."""

    parts: tuple[str, ...]
    tag: str


def image_name(text: str, known: Mapping[str, str]) -> ImageName | None:
    """What a value spells, with variables as they are known; None for what is no name of an image."""
    spelled = _filled(text.strip(), known).partition("@")[0]
    path, tag = spelled, ""
    if ":" in spelled.rpartition("/")[2]:
        path, _, tag = spelled.rpartition(":")
    parts = tuple(path.split("/"))
    if not all(map(_PART.match, parts)) or not parts[-1].strip(HOLE) or not _TAG.match(tag):
        return None
    return ImageName(parts[2:] if parts[:2] == ("docker.io", "library") else parts, tag)


def _filled(text: str, known: Mapping[str, str], depth: int = 0) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1] or found[3] or found[4]
        given = known.get(name or "")
        if given is None and found[2]:
            given = found[2]
        return HOLE if given is None or depth >= _DEEPEST else _filled(given, known, depth + 1)

    return _VARIABLE.sub(value, text)


def is_same_image(used: ImageName, built: ImageName) -> bool | None:
    """Whether one name means the image of the other; None where only their ends say so: whoever pushes an image puts
    a registry before its name."""
    if built.tag.strip(HOLE) and HOLE in built.tag and used.tag:
        pattern = ".*".join(map(re.escape, re.split(f"{HOLE}+", built.tag)))
        if not re.fullmatch(pattern, used.tag.replace(HOLE, "")) and HOLE not in used.tag:
            return False
        if HOLE in used.tag and used.tag.rpartition(HOLE)[2] != built.tag.rpartition(HOLE)[2]:
            return False
    if used.parts == built.parts:
        return True
    count = min(len(used.parts), len(built.parts))
    ends = zip(used.parts[-count:], built.parts[-count:], strict=True)
    if not all(one == other or HOLE in one + other for one, other in ends) or used.parts[-1] != built.parts[-1]:
        return False
    return None


def keyed_images(text: KeyedText) -> Iterator[ConfigReference]:
    """Images of a document of keys and values."""
    built = {key.path[:-1] for key in text.keys if key.path[-1] in ("build", "context", "docker", "jib", "buildpacks")}
    for value in text.values:
        last = value.path[-1] if value.path else ""
        if last == "image" or value.path[-2:] == ("image", "repository"):
            yield _reference(value.text, value.start, value.end, value.path[:-1] in built or "artifacts" in value.path)
        elif value.path[-2:] == ("with", "tags"):
            yield from _lines(value)
        elif value.path[-2:] == ("with", "file") and value.plain:
            file = joined("", value.text)
            if file is not None:
                yield ConfigReference(ReferenceKind.FILE, file, value.start, value.end)


def _lines(value: ConfigValue) -> Iterator[ConfigReference]:
    """Images that a step of a workflow builds, one a line; all stand where the text begins that has the lines."""
    for line in re.split(r"[\s,]+", _EXPRESSION.sub(HOLE, value.text)):
        if line:
            yield _reference(line, value.start, value.end, True)


def hcl_images(data: bytes) -> Iterator[ConfigReference]:
    """Images that Terraform runs."""
    for found in _IN_HCL.finditer(data):
        yield _reference(found[1].decode("utf-8", "replace"), *found.span(1), False)


def command_images(folder: str, data: bytes) -> Iterator[ConfigReference]:
    """Images that commands build, and the files from which they do."""
    for build in _BUILD.finditer(data) if b"build" in data else ():
        for tagged in _TAGGED.finditer(build[0]):
            start, end = (build.start() + at for at in tagged.span(1))
            yield _reference(tagged[1].decode("utf-8", "replace"), start, end, True)
        named = _FILE.search(build[0])
        place = named if named is not None else _FOLDER.search(build[0])
        if place is not None:
            path = place[1].decode("utf-8", "replace")
            path = path if named is not None else f"{path}/Dockerfile"
            start, end = (build.start() + at for at in place.span(1))
            yield ConfigReference(ReferenceKind.NEAR, path, start, end, folder, ("exact",))


def _reference(text: str, start: int, end: int, built: bool) -> ConfigReference:
    return ConfigReference(ReferenceKind.IMAGE, text, start, end, also=(BUILT,) if built else ())
