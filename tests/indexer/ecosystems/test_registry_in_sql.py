"""The names of manifests as a database compares them."""

import re

import pytest

from indexer.ecosystems import MANIFEST_NAMES, MANIFEST_PATHS, is_manifest

PATHS = [
    *("a/package.json", "package.json", "package.jsonx", "Xpom.xml", "deno.lock"),
    *("x/tsconfig.a.json", "gradle/libs.versions.toml"),
    *("requirements/dev.txt", "requirements-dev.in", "docs/readme.txt", "environment.yml"),
    *("a.csproj", "a/b.props", "b.gemspec", "pylock.toml", "pylock.a.toml"),
    *(".mvn/maven.config", "mvn/maven.config", "project/Dependencies.scala", "Dependencies.scala"),
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_names_and_pattern_agree_with_the_readers(path: str) -> None:
    is_known = path.rpartition("/")[2] in MANIFEST_NAMES or re.search(MANIFEST_PATHS, path)
    assert bool(is_known) == is_manifest(path)
