"""Modules of Swift: what a manifest says of targets, read as text."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.facts.paths import FilePath
from graphls.languages.swift.modules import HOMES, TARGETS, module_aliases, module_of

MANIFEST = b"""// swift-tools-version:5.9
import PackageDescription
let package = Package(
    name: "Shop",
    targets: [
        .target(name: "Store", exclude: ["Docs"]),
        // .target(name: "Gone", path: "Sources/Other"),
        .target(
            name: "App", // the program
            dependencies: [.product(name: "Log", package: "log", condition: .when(platforms: [.linux])), "Store"],
            path: "Application/Main"
        ),
        .executableTarget(name: "tool"),
        .testTarget(name: "StoreTests", dependencies: [.target(name: "Store")]),
        .target(name: "Outside", path: "../elsewhere"),
        .target(name: "Missing"),
    ]
)
"""
FILES = (
    "Sources/Store/Item.swift",
    "Sources/Store/Deep/More.swift",
    "Sources/tool/main.swift",
    "Sources/Computed/Made.swift",
    "Application/Main/App.swift",
    "Tests/StoreTests/ItemTests.swift",
    "Snippets/Try.swift",
)


def told(files: tuple[str, ...], manifests: Mapping[str, bytes]) -> dict[str, tuple[str, ...]]:
    paths = [FilePath(path) for path in files]
    return dict(module_aliases(paths, {FilePath(path): data for path, data in manifests.items()}))


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("Sources/Store/Deep/More.swift", ("Sources/Store", "Store")),
        ("Sources/tool/main.swift", ("Sources/tool", "tool")),
        ("Sources/Computed/Made.swift", ("Sources/Computed", "Computed")),
        ("Application/Main/App.swift", ("Application/Main", "App")),
        ("Tests/StoreTests/ItemTests.swift", ("Tests/StoreTests", "StoreTests")),
        ("Snippets/Try.swift", ("", "")),
    ],
)
def test_targets_of_a_package(path: str, module: tuple[str, str]) -> None:
    known = told(FILES, {"Package.swift": MANIFEST})
    assert module_of(path, known[TARGETS], known[HOMES]) == module


def test_a_target_that_is_commented_out_or_elsewhere_is_none() -> None:
    known = told((*FILES, "Sources/Other/x.swift"), {"Package.swift": MANIFEST})
    names = {entry.partition("\t")[2] for entry in known[TARGETS]}
    assert names == {"Store", "App", "tool", "StoreTests", "Computed", "Other"}


def test_the_innermost_package_goes_first() -> None:
    files = ("Sources/A/a.swift", "Inner/Sources/A/b.swift")
    manifests: dict[str, bytes] = dict.fromkeys(("Package.swift", "Inner/Package.swift"), b'.target(name: "A")')
    known = told(files, manifests)
    assert module_of("Inner/Sources/A/b.swift", known[TARGETS], known[HOMES]) == ("Inner/Sources/A", "A")
    assert module_of("Sources/A/a.swift", known[TARGETS], known[HOMES]) == ("Sources/A", "A")


def test_a_project_without_a_package_is_one_module_and_its_tests_are_others() -> None:
    files = ("iOS/App/Main.swift", "iOS/AppTests/MainTests.swift")
    known = told(files, {"iOS/App.xcodeproj/project.pbxproj": b"// !$*UTF8*$!"})
    assert TARGETS not in known
    assert module_of(files[0], (), known[HOMES]) == ("iOS", "")
    assert module_of(files[1], (), known[HOMES]) == ("iOS/AppTests", "AppTests")


TEXTS = (b"", b".target(", b'.target(name: "A', b'.target(name: "A"' + b"(" * 3000, b"\xff\xfe.target(name:")


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_read(text: bytes) -> None:
    told(FILES, {"Package.swift": text})
