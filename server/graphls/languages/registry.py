"""Registry: which languages there are, and which one a file is in.

Owns: discovery of language folders, choice by file name.
Must not know: any particular language.
Invariant: a folder with a `provider` module that offers `PROVIDER` is a language; nothing else is.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import graphls.languages
from graphls.facts.paths import FilePath, ending_of
from graphls.languages.capabilities import Capabilities, FileType
from graphls.languages.provider import Provider


@cache
def providers() -> Mapping[str, Provider]:
    """Every language by name, in order of name."""
    found: dict[str, Provider] = {}
    for entry in sorted(pkgutil.iter_modules(graphls.languages.__path__), key=lambda entry: entry.name):
        if entry.ispkg and find_spec(f"graphls.languages.{entry.name}.provider"):
            provider: Provider = import_module(f"graphls.languages.{entry.name}.provider").PROVIDER
            found[provider.capabilities.name] = provider
    return found


@cache
def _by_extension() -> Mapping[str, Provider]:
    return {ending: provider for provider in providers().values() for ending in provider.capabilities.files}


def language_of(path: FilePath) -> str:
    """Name of the language of a file by its name, "" for a plain file."""
    provider = provider_for(path)
    return "" if provider is None else provider.capabilities.name


def capabilities_for(path: FilePath) -> Capabilities | None:
    """What the language of a file can do, by the name of the file; None for a plain file."""
    provider = provider_for(path)
    return None if provider is None else provider.capabilities


def file_type_of(path: FilePath) -> FileType | None:
    """What is known of a file by the ending of its name; None for a plain file."""
    known = capabilities_for(path)
    return None if known is None else known.file_type(path)


def fence_of(path: FilePath) -> str:
    """The info string of a block of Markdown that holds code of a file; "" for a plain file."""
    found = file_type_of(path)
    return "" if found is None else found.fence


def is_stub(path: FilePath) -> bool:
    """Whether a file only declares what another one defines."""
    known = capabilities_for(path)
    return known is not None and ending_of(path) in known.stubs


def is_script(path: FilePath) -> bool:
    """Whether words of a file may name programs, files and code of other languages."""
    known = capabilities_for(path)
    return known is not None and known.script


def is_component(path: FilePath) -> bool:
    """Whether a file holds a template beside its code."""
    found = file_type_of(path)
    return found is not None and found.component


@cache
def imported_endings() -> frozenset[str]:
    """Endings, without the dot, that names of modules outside may have, in any language."""
    return frozenset(name for provider in providers().values() for name in provider.capabilities.imported_endings)


@cache
def package_files() -> frozenset[str]:
    """Names, without endings, of files that stand for their folder, in any language."""
    return frozenset(name for provider in providers().values() for name in provider.capabilities.package_files)


@cache
def constructors() -> frozenset[str]:
    """Names that methods have which run when an instance is made, in any language."""
    return frozenset(name for provider in providers().values() for name in provider.capabilities.constructors)


def provider_for(path: FilePath) -> Provider | None:
    """The language of a file by its name, or None for a plain file."""
    return _by_extension().get(ending_of(path))
