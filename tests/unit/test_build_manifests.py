"""Packages of compiled languages, PHP and Ruby: what their manifests say of the folders they stand in."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.packages import DeclaredPackage, Requirement
from graphls.session.index.packages import declared_packages
from graphls.session.memory import snapshot_of

CARGO = """[package]
name = "shop-core"
version = "1.2.0"
[dependencies]
serde = { version = "1", features = ["derive"] }
log = "0.4"
rand8 = { package = "rand", version = "0.8" }
[dev-dependencies]
shop-test = { path = "../test" }
[target.'cfg(unix)'.dependencies]
libc = "0.2"
"""
PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><PackageId>Shop.Web</PackageId><Version>3.0.1</Version></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Serilog" Version="4.1.0" />
    <PackageReference Include="Polly"><Version>8.0</Version></PackageReference>
    <PackageReference Include="$(Computed)" />
    <ProjectReference Include="..\\Core\\Core.csproj" />
  </ItemGroup>
</Project>
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>com.shop</groupId><artifactId>parent</artifactId><version>1.0</version></parent>
  <artifactId>core</artifactId>
  <dependencies>
    <dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>2.11</version></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>${junit}</version><scope>test</scope></dependency>
  </dependencies>
</project>
"""
GRADLE = """plugins { id("java") }
version = "2.0"
dependencies {
    implementation("com.squareup.okio:okio:3.9.0")
    testImplementation 'junit:junit:4.13'
    api project(':shop:core')
    implementation(libs.kotlin)
}
"""
SWIFT = """// swift-tools-version:5.9
let package = Package(
    name: "Shop",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.5.0"),
        .package(path: "../Core"),
    ]
)
"""
GEM = """Gem::Specification.new do |spec|
  spec.name = "shop"
  spec.version = Shop::VERSION
  spec.add_dependency "rack", ">= 2"
  spec.add_development_dependency("rspec")
end
"""
COMPOSER = (
    '{"name": "acme/shop", "require": {"php": ">=8", "monolog/monolog": "^3"},'
    ' "require-dev": {"phpunit/phpunit": "^11"}}'
)


def needs(*listed: tuple[str, str, str]) -> tuple[Requirement, ...]:
    return tuple(sorted(Requirement(*one) for one in listed))


SAMPLES = {
    "core/Cargo.toml": (
        CARGO,
        DeclaredPackage(
            "shop-core",
            "1.2.0",
            needs(
                ("serde", "1", "dependencies"),
                ("log", "0.4", "dependencies"),
                ("rand", "0.8", "dependencies"),
                ("shop-test", "", "dev-dependencies"),
                ("libc", "0.2", "dependencies"),
            ),
        ),
    ),
    "web/Web.csproj": (
        PROJECT,
        DeclaredPackage(
            "Shop.Web",
            "3.0.1",
            needs(
                ("Serilog", "4.1.0", "PackageReference"),
                ("Polly", "8.0", "PackageReference"),
                ("Core", "", "ProjectReference"),
            ),
        ),
    ),
    "core/pom.xml": (
        POM,
        DeclaredPackage(
            "com.shop:core",
            "1.0",
            needs(("com.google.code.gson:gson", "2.11", "compile"), ("junit:junit", "", "test")),
        ),
    ),
    "core/build.gradle.kts": (
        GRADLE,
        DeclaredPackage(
            "core",
            "2.0",
            needs(
                ("com.squareup.okio:okio", "3.9.0", "implementation"),
                ("junit:junit", "4.13", "testImplementation"),
                ("core", "", "api"),
            ),
        ),
    ),
    "settings.gradle": ('rootProject.name = "shop"\ninclude(":core")\n', DeclaredPackage("shop")),
    "composer.json": (
        COMPOSER,
        DeclaredPackage(
            "acme/shop",
            "",
            needs(("monolog/monolog", "^3", "require"), ("phpunit/phpunit", "^11", "require-dev")),
        ),
    ),
    "Package.swift": (
        SWIFT,
        DeclaredPackage("Shop", "", needs(("swift-log", "1.5.0", "dependencies"), ("Core", "", "dependencies"))),
    ),
    "shop.gemspec": (
        GEM,
        DeclaredPackage("shop", "", needs(("rack", ">= 2", "dependency"), ("rspec", "", "development_dependency"))),
    ),
}


@pytest.mark.parametrize("path", SAMPLES)
def test_what_a_manifest_says(path: str) -> None:
    text, wanted = SAMPLES[path]
    assert declared_packages({FilePath(path): text.encode()}) == {FilePath(path.rpartition("/")[0]): wanted}


BROKEN = {
    "Cargo.toml": b"[package\nname =",
    "pom.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><project><artifactId>&b;</artifactId></project>',
    "a/pom.xml": b"<project><artifactId>",
    "b/pom.xml": b"<project><artifactId>${name}</artifactId></project>",
    "build.gradle": b"dependencies {",
    "Package.swift": b"let package = Package(name: name)",
    "shop.gemspec": b"spec.name = NAME",
    "c/Cargo.toml": b"[workspace]\nmembers = 3",
}


def test_what_cannot_be_read_declares_nothing() -> None:
    assert not declared_packages({FilePath(path): text for path, text in BROKEN.items()})


def test_members_of_a_workspace_of_cargo() -> None:
    found = declared_packages(
        {
            FilePath("Cargo.toml"): b'[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/old"]\n',
            FilePath("crates/a/Cargo.toml"): b'[package]\nname = "a"\n',
            FilePath("crates/old/Cargo.toml"): b'[package]\nname = "old"\n',
        }
    )
    assert {folder: one.member for folder, one in found.items()} == {"crates/a": True, "crates/old": False}


def test_references_to_projects_are_called_like_their_packages() -> None:
    found = declared_packages(
        {
            FilePath("Web/Web.csproj"): PROJECT.encode(),
            FilePath("Core/Core.csproj"): b"<Project><AssemblyName>Shop.Core</AssemblyName></Project>",
        }
    )
    assert Requirement("Shop.Core", "", "ProjectReference") in found[FilePath("Web")].requires


def test_files_are_of_the_package_around_them() -> None:
    snapshot = snapshot_of(
        {
            "core/pom.xml": POM,
            "core/src/main/java/com/shop/A.java": "package com.shop;\npublic class A {}\n",
            "web/Web.csproj": PROJECT,
            "web/B.cs": "class B {}\n",
        }
    )
    assert snapshot.package_of(FilePath("core/src/main/java/com/shop/A.java")) == "com.shop:core"
    assert snapshot.package_of(FilePath("web/B.cs")) == "Shop.Web"
