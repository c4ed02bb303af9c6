"""Manifests: what build files say about where Python sources lie, and what is packed of them.

Owns: pyproject.toml, setup.cfg, setup.py and the build tools' own sections.
Must not know: which files exist.
Invariant: a broken or foreign manifest says nothing; nothing in it is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

import attrs

from graphls.settings.toml_text import toml_values


@attrs.frozen
class ManifestDeclarations:
    """What one manifest says, relative to its folder."""

    folders: tuple[str, ...] = ()
    """Folders that hold top-level modules, as written."""
    packages: tuple[str, ...] = ()
    """Packages that are packed, as paths below the manifest; patterns as in `google*` among them."""


def _is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def declared(name: str, data: bytes) -> ManifestDeclarations:
    """What a manifest of this name says; nothing where it cannot be read."""
    if name == "pyproject.toml":
        document = _toml(data)
        return ManifestDeclarations(tuple(_folders(document)), tuple(_packages(document)))
    if name == "setup.cfg":
        return _setup_cfg(data)
    if name == "setup.py":
        from graphls.languages.python.setup_script import setup_arguments  # loads the grammar, and few have one

        return _setup_py(setup_arguments(data))
    return ManifestDeclarations()


def _toml(data: bytes) -> object:
    try:
        return toml_values(data.decode("utf-8-sig", "replace"))
    except ValueError:
        return None


def _folders(document: object) -> Iterator[str]:
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


def _packages(document: object) -> Iterator[str]:
    setuptools = _at(document, "tool", "setuptools")
    find = _at(setuptools, "packages", "find")
    for where in _strings(_at(find, "where")) or ("",):
        yield from _below(where, _strings(_at(find, "include")))
    yield from _below("", _strings(_at(setuptools, "packages")))
    for package in _tables(_at(document, "tool", "poetry", "packages")):
        for where in _strings(package.get("from")) or ("",):
            yield from (_joined(where, include) for include in _strings(package.get("include")))
    build = _at(document, "tool", "hatch", "build")
    for section in _sections(build):
        for key in ("packages", "only-include"):
            yield from _strings(_at(section, key))
    flit = _at(document, "tool", "flit")
    for name in (*_strings(_at(flit, "module", "name")), *_strings(_at(flit, "metadata", "module"))):
        yield from (_joined(where, name.replace(".", "/")) for where in ("", "src"))
    for name in _strings(_at(document, "tool", "uv", "build-backend", "module-name")):
        for where in _strings(_at(document, "tool", "uv", "build-backend", "module-root")) or ("src",):
            yield _joined(where, name.replace(".", "/"))
    yield from _strings(_at(document, "tool", "pdm", "build", "includes"))


def _hatch(build: object) -> Iterator[str]:
    for section in _sections(build):
        for package in _strings(_at(section, "packages")):
            yield package.rpartition("/")[0]
        sources = _at(section, "sources")
        yield from _strings(sources)
        yield from (sources if _is_table(sources) else ())
        yield from _strings(_at(section, "dev-mode-dirs"))


def _sections(build: object) -> Sequence[object]:
    """The settings of all targets of hatch, and of one of them."""
    targets = _at(build, "targets")
    return [build, *(targets.values() if _is_table(targets) else ())]


def _package_dir(value: object) -> Iterator[str]:
    """`{"": "src"}`, and `{"pkg": "src/pkg"}`, where the folder is called like the package."""
    for package, folder in value.items() if _is_table(value) else ():
        for written in _strings(folder):
            inner = package.replace(".", "/")
            plain = written.strip("/")
            if not inner or plain == inner or plain.endswith(f"/{inner}"):
                yield plain[: len(plain) - len(inner)].rstrip("/") if inner else plain


def _setup_cfg(data: bytes) -> ManifestDeclarations:
    import configparser  # workers, who read no manifests, do without it

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(data.decode("utf-8-sig", "replace"))
    except (configparser.Error, ValueError):
        return ManifestDeclarations()
    folders: list[str] = []
    mapped = (line.partition("=") for line in parser.get("options", "package_dir", fallback="").splitlines())
    folders += _package_dir({package.strip(): folder.strip() for package, equals, folder in mapped if equals})
    found = _lines(parser.get("options.packages.find", "where", fallback=""))
    folders += [*found, *_lines(parser.get("tool:pytest", "pythonpath", fallback=""))]
    packages = [
        package
        for where in found or ("",)
        for package in _below(where, _lines(parser.get("options.packages.find", "include", fallback="")))
    ]
    for key in ("packages", "namespace_packages"):
        packages += _below("", [line for line in _lines(parser.get("options", key, fallback="")) if ":" not in line])
    return ManifestDeclarations(tuple(folders), tuple(packages))


def _setup_py(arguments: object) -> ManifestDeclarations:
    where = _strings(_at(arguments, "where"))
    folders = (*where, *_package_dir(_at(arguments, "package_dir")))
    packages = [package for folder in where or ("",) for package in _below(folder, _strings(_at(arguments, "include")))]
    packages += _below("", _strings(_at(arguments, "packages")))
    packages += _below("", _strings(_at(arguments, "namespace_packages")))
    return ManifestDeclarations(folders, tuple(packages))


def _below(where: str, names: Sequence[str]) -> Sequence[str]:
    """Dotted names as paths below a folder."""
    return [_joined(where, name.replace(".", "/")) for name in names]


def _joined(where: str, path: str) -> str:
    folder = where.strip("/").removeprefix("./").removeprefix(".")
    return f"{folder}/{path}" if folder else path


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
