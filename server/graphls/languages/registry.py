"""Registry: which languages there are, and which one a file is in.

Owns: discovery of language folders, choice by file name and first line.
Must not know: any particular language.
Invariant: a folder with a `provider` module that offers `PROVIDER` is a language; nothing else is. The first line of a
    text counts only where no language knows the name: who has a snapshot asks it, who has neither asks by name.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import graphls.languages
from graphls.facts.paths import FilePath, ending_of
from graphls.languages.capabilities import Capabilities
from graphls.languages.first_lines import interpreters, is_program_name
from graphls.languages.provider import Provider


def providers() -> Mapping[str, Provider]:
    """Every language by name, in order of name, but for those whose grammar was not built."""
    return _split()[0]


def unbuilt() -> Sequence[str]:
    """Languages that cannot be read since the install could not build their grammar."""
    return _split()[1]


@cache
def _split() -> tuple[Mapping[str, Provider], Sequence[str]]:
    found: dict[str, Provider] = {}
    missing: list[str] = []
    for entry in sorted(pkgutil.iter_modules(graphls.languages.__path__), key=lambda entry: entry.name):
        if entry.ispkg and find_spec(f"graphls.languages.{entry.name}.provider"):
            provider: Provider = import_module(f"graphls.languages.{entry.name}.provider").PROVIDER
            grammar = provider.capabilities.own_grammar
            if grammar and find_spec(grammar) is None:
                missing.append(provider.capabilities.name)
            else:
                found[provider.capabilities.name] = provider
    return found, missing


@cache
def _by_extension() -> Mapping[str, Provider]:
    return {ending: provider for provider in providers().values() for ending in provider.capabilities.files}


@cache
def _by_base_name() -> Mapping[str, Provider]:
    return {name: provider for provider in providers().values() for name in provider.capabilities.file_names}


@cache
def _by_interpreter() -> Mapping[str, Provider]:
    return {name: provider for provider in providers().values() for name in provider.capabilities.interpreters}


def choices() -> Sequence[str]:
    """How languages are chosen, as text: two programs that agree on it choose the same one for any file."""
    known = (provider.capabilities for provider in providers().values())
    return [f"{one.name} {sorted((*one.files, *one.file_names, *one.interpreters))}" for one in known]


def language_of(path: FilePath) -> str:
    """Name of the language of a file by its name, "" for a plain file."""
    provider = provider_for(path)
    return "" if provider is None else provider.capabilities.name


@cache
def capabilities_of(language: str) -> Capabilities | None:
    """What a language can do, by its name; None for a plain file."""
    provider = providers().get(language)
    return None if provider is None else provider.capabilities


def capabilities_for(path: FilePath) -> Capabilities | None:
    """What the language of a file can do, by the name of the file; None for a plain file."""
    provider = provider_for(path)
    return None if provider is None else provider.capabilities


def fence_of(path: FilePath) -> str:
    """The info string of a block of Markdown that holds code of a file; "" for a plain file."""
    known = capabilities_for(path)
    return "" if known is None else known.file_type(path).fence


def is_stub(path: FilePath) -> bool:
    """Whether a file only declares what another one defines."""
    known = capabilities_for(path)
    return known is not None and ending_of(path) in known.stubs


@cache
def is_script(language: str) -> bool:
    """Whether words of files of a language may name programs, files and code of other languages."""
    known = capabilities_of(language)
    return known is not None and known.script


def linkage_of(path: FilePath) -> str:
    """How a linker knows the functions of a file, see `FileType`; "" where it knows none."""
    known = capabilities_for(path)
    return "" if known is None else known.file_type(path).linkage


def is_component(path: FilePath) -> bool:
    """Whether a file holds a template beside its code."""
    known = capabilities_for(path)
    return known is not None and known.file_type(path).component


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
    """The language of a file by its name, or None for a file of which the name does not tell."""
    return _by_extension().get(ending_of(path)) or _by_base_name().get(path[path.rfind("/") + 1 :])


def provider_of(path: FilePath, data: bytes) -> Provider | None:
    """The language of a file by its name, else by its first line; None for a plain file."""
    known = provider_for(path)
    if known is not None or not data.startswith(b"#!") or not is_program_name(path):
        return known
    return next(filter(None, map(_by_interpreter().get, interpreters(data))), None)
