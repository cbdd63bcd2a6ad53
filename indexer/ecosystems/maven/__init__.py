"""Artifacts of the JVM, by the rules of Maven and Gradle."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.maven.gradle import (
    read_build_gradle,
    read_gradle_lockfile,
    read_settings_gradle,
    read_version_catalog,
)
from indexer.ecosystems.maven.pom import read_pom
from indexer.ecosystems.maven.versions import allows, parse_version
from indexer.ecosystems.namespaces import namespace_names
from indexer.records.manifests import Ecosystem

MAVEN: Final = PackageEcosystem(
    ecosystem=Ecosystem.MAVEN,
    formats=(
        ManifestFormat(read_pom, names=("pom.xml",)),
        ManifestFormat(read_build_gradle, names=("build.gradle", "build.gradle.kts")),
        ManifestFormat(read_settings_gradle, names=("settings.gradle", "settings.gradle.kts")),
        ManifestFormat(
            read_version_catalog, paths=re.compile(r"(?:.*/)?gradle/[\w.-]+\.versions\.toml")
        ),
        ManifestFormat(read_gradle_lockfile, names=("gradle.lockfile",), is_lock=True),
    ),
    module_names=lambda *_: namespace_names,
    parse_version=parse_version,
    allows=allows,
    inner_directories={"gradle": (".versions.toml",)},
    decisive=(
        "pom.xml",
        "settings.gradle.kts",
        "settings.gradle",
        "build.gradle.kts",
        "build.gradle",
    ),
    inherits_version=True,
    has_groups=True,
)
