"""Manifests: what build files say about where Python sources lie.

Owns: pyproject.toml, setup.cfg and the build tools' own sections.
Must not know: which files exist.
Invariant: a broken or foreign manifest says nothing; nothing in it is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard


def _is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def source_folders(name: str, data: bytes) -> tuple[str, ...]:
    """Folders that hold top-level modules, relative to the manifest, as written."""
    if name == "pyproject.toml":
        return tuple(_pyproject(data))
    if name == "setup.cfg":
        return tuple(_setup_cfg(data))
    return ()


def _pyproject(data: bytes) -> Iterator[str]:
    import tomllib  # workers, who read no manifests, do without it

    try:
        document: object = tomllib.loads(data.decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    setuptools = _at(document, "tool", "setuptools")
    yield from _strings(_at(setuptools, "packages", "find", "where"))
    yield from _package_dir(_at(setuptools, "package-dir"))
    yield from _hatch(_at(document, "tool", "hatch", "build"))
    for package in _tables(_at(document, "tool", "poetry", "packages")):
        yield from _strings(package.get("from"))
    yield from _strings(_at(document, "tool", "pdm", "build", "package-dir"))
    yield from _strings(_at(document, "tool", "pdm", "package-dir"))
    yield from _strings(_at(document, "tool", "uv", "build-backend", "module-root"))
    yield from _strings(_at(document, "tool", "maturin", "python-source"))
    yield from _strings(_at(document, "tool", "pyright", "extraPaths"))
    yield from _strings(_at(document, "tool", "pytest", "ini_options", "pythonpath"))


def _hatch(build: object) -> Iterator[str]:
    targets = _at(build, "targets")
    sections = [build, *(targets.values() if _is_table(targets) else ())]
    for section in sections:
        for package in _strings(_at(section, "packages")):
            yield package.rpartition("/")[0]
        sources = _at(section, "sources")
        yield from _strings(sources)
        yield from (sources if _is_table(sources) else ())
        yield from _strings(_at(section, "dev-mode-dirs"))


def _package_dir(value: object) -> Iterator[str]:
    if _is_table(value):
        yield from _strings(value.get(""))


def _setup_cfg(data: bytes) -> Iterator[str]:
    import configparser  # workers, who read no manifests, do without it

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(data.decode("utf-8", "replace"))
    except (configparser.Error, ValueError):
        return
    for line in parser.get("options", "package_dir", fallback="").splitlines():
        package, equals, folder = line.partition("=")
        if equals and not package.strip():
            yield folder.strip()
    yield from _lines(parser.get("options.packages.find", "where", fallback=""))
    yield from _lines(parser.get("tool:pytest", "pythonpath", fallback=""))


def _lines(text: str) -> Sequence[str]:
    return [line.strip() for line in text.replace(",", "\n").splitlines() if line.strip()]


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if _is_table(value) else None
    return value


def _strings(value: object) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if _is_list(value) else []


def _tables(value: object) -> Sequence[dict[str, object]]:
    return [item for item in value if _is_table(item)] if _is_list(value) else []
