"""Selection of the tracked files to index: by tree entry first, then by content.

Pure functions that return a SkipReason or None. GENERATED does not end the matter: the symbols and
references of a generated file are indexed if it has a grammar (`pipeline/worker.py`). The names of
vendored and lock files follow github-linguist's vendor.yml and generated.rb where these are about
source text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from indexer.languages import LANGUAGES_BY_NAME, detect
from indexer.pipeline.generated import has_generated_path, is_marked_generated
from indexer.records.files import BLOB_BYTES, FILE_BYTES, TOOL_WRITTEN, SkipReason, TreeEntry
from indexer.records.manifests import MANIFEST_CHARACTERS

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LINE_BYTES: Final = 50_000
MEAN_LINE_BYTES: Final = 200  # written code has 30 to 45; data and documents may have more
SUBMODULE_MODE = "160000"
SYMLINK_MODE = "120000"

_VENDORED_DIRECTORIES = frozenset({
    "node_modules", "bower_components", "jspm_packages", "third_party", "third-party",
    "thirdparty", "3rdparty", "dist-packages", "site-packages", "vendored", "_vendor", "Godeps",
    "Pods", "Carthage", ".yarn", ".bundle", ".venv", ".tox", ".eggs", ".gradle", ".mvn",
})  # fmt: skip
# `vendor` means third-party code where the package manager of the language puts it there.
_VENDOR_SUFFIXES = frozenset({
    ".go", ".mod", ".sum", ".s", ".php", ".inc", ".phtml", ".rb", ".rake", ".gemspec", ".js",
    ".mjs", ".css", ".c", ".h", ".cc", ".cpp", ".hpp", ".rs", ".toml", ".md", ".json", ".yml",
    ".yaml", ".txt",
})  # fmt: skip
_VENDORED_NAME = re.compile(
    r"jquery([-.][\d.]+)?(\.slim)?(\.min)?\.js|jquery[.-]ui.*\.(js|css)|bootstrap([-.][\d.]+)?\.(js|css)"
    r"|gradlew(\.bat)?|mvnw(\.cmd)?|require\.js|modernizr.*\.js|normalize\.css|font-?awesome.*\.css"
)
_LOCK_FILES = frozenset({
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
    "bun.lockb", "deno.lock", "poetry.lock", "pipfile.lock", "pdm.lock", "uv.lock", "pixi.lock",
    "cargo.lock", "go.sum", "go.work.sum", "composer.lock", "gemfile.lock", "podfile.lock",
    "package.resolved", "packages.lock.json", "mix.lock", "pubspec.lock", "flake.lock",
    "gradle.lockfile", "buildscript-gradle.lockfile", ".terraform.lock.hcl", "chart.lock",
    "conan.lock", "paket.lock", "project.assets.json", "rebar.lock", "cabal.project.freeze",
    "module.bazel.lock", "gopkg.lock", "glide.lock", "esy.lock", "mise.lock",
})  # fmt: skip
_MINIFIED_NAME = re.compile(r".*[.-]min\.(js|mjs|cjs|css)")

_LFS_SIGNATURE = b"version https://git-lfs.github.com/spec/v1\n"
_LFS_MAX_BYTES = 1_024
_MIN_MINIFIED_BYTES = 2_000
_PROSE_SUFFIXES = frozenset({
    ".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".tex", ".html", ".htm", ".svg",
})  # fmt: skip

_TRUE, _FALSE = frozenset({"set", "true"}), frozenset({"unset", "false"})
_NOTEBOOK_SUFFIX = ".ipynb"
_CELL = b'"cell_type"'


@dataclass(frozen=True, slots=True)
class SelectionRules:
    """The selection half of `.codesearch.toml`: gitignore patterns and a size limit in bytes.

    With `include` patterns only what they match is indexed; `exclude` wins over `include`.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = FILE_BYTES


def skip_reason_by_entry(
    entry: TreeEntry, *, attributes: Mapping[str, str], rules: SelectionRules
) -> SkipReason | None:
    """Return the reason to skip the entry, as far as its content does not matter.

    `attributes` are the path's git attributes by name with the values of `git check-attr`: "set",
    "unset", "unspecified" or text.
    """
    if entry.mode == SUBMODULE_MODE:
        return SkipReason.SUBMODULE
    if entry.mode == SYMLINK_MODE:
        return SkipReason.SYMLINK
    reason = _by_rules(entry.path, rules) or _by_attributes_or_name(entry.path, attributes)
    if reason and not _is_parsed_generated(entry, reason):
        return reason
    return SkipReason.TOO_LARGE if entry.size > min(rules.max_file_bytes, BLOB_BYTES) else reason


def skip_reason_by_content(path: str, content: bytes) -> SkipReason | None:
    """Return the reason to skip a file with a selected entry because of its text, in UTF-8."""
    if len(content) <= _LFS_MAX_BYTES and content.startswith(_LFS_SIGNATURE):
        return SkipReason.LFS_POINTER
    if _is_minified(path, content):
        return SkipReason.MINIFIED
    return SkipReason.GENERATED if is_marked_generated(content) else None


def needs_content(entry: TreeEntry) -> bool:
    """Whether an entry's content is read: it may be indexed, or it is a tool's manifest."""
    if entry.skipped in TOOL_WRITTEN and _is_manifest(entry.path):
        return entry.size <= MANIFEST_CHARACTERS
    return entry.skipped is None or _is_parsed_generated(entry, entry.skipped)


def _is_manifest(path: str) -> bool:
    from indexer.ecosystems import is_manifest  # here: it takes 10 ms, and few runs ask

    return is_manifest(path)


def _is_parsed_generated(entry: TreeEntry, reason: SkipReason) -> bool:
    """Whether the file is indexed for its symbols and references, unless its content forbids it."""
    if reason is not SkipReason.GENERATED:
        return False
    language = LANGUAGES_BY_NAME.get(entry.declared_language) or detect(entry.path, b"")
    return language.grammar is not None


def _by_rules(path: str, rules: SelectionRules) -> SkipReason | None:
    if rules.include and not _patterns(rules.include).match_file(path):
        return SkipReason.EXCLUDED
    if rules.exclude and _patterns(rules.exclude).match_file(path):
        return SkipReason.EXCLUDED
    return None


@lru_cache(maxsize=16)
def _patterns(lines: tuple[str, ...]) -> "GitIgnoreSpec":
    from indexer.globs import ignore_spec

    return ignore_spec(lines)


def _by_attributes_or_name(path: str, attributes: Mapping[str, str]) -> SkipReason | None:
    """Decide by the attribute if it is set, in either direction; else by the name."""
    vendored = _flag(attributes, "linguist-vendored")
    if vendored or (vendored is None and _is_vendored(path)):
        return SkipReason.VENDORED
    name = PurePosixPath(path).name.lower()
    if name in _LOCK_FILES:
        return SkipReason.LOCK_FILE
    if _MINIFIED_NAME.fullmatch(name):
        return SkipReason.MINIFIED
    generated = _flag(attributes, "linguist-generated")
    if generated or (generated is None and has_generated_path(path)):
        return SkipReason.GENERATED
    return None


def _flag(attributes: Mapping[str, str], name: str) -> bool | None:
    value = attributes.get(name, "unspecified")
    if value in _TRUE:
        return True
    return False if value in _FALSE else None


def _is_vendored(path: str) -> bool:
    pure = PurePosixPath(path)
    directories = pure.parts[:-1]
    if not _VENDORED_DIRECTORIES.isdisjoint(directories):
        return True
    if "vendor" in directories and (pure.suffix.lower() in _VENDOR_SUFFIXES or _is_manifest(path)):
        return True
    return _VENDORED_NAME.fullmatch(pure.name.lower()) is not None


def _is_minified(path: str, content: bytes) -> bool:
    """Whether the lines are too long to be handwritten: on average, or any single one."""
    if len(content) < _MIN_MINIFIED_BYTES:
        return False
    suffix = PurePosixPath(path).suffix.lower()
    lines = content.split(b"\n")
    if suffix == _NOTEBOOK_SUFFIX:  # long lines are outputs, such as pictures
        lines = [line for line in lines if _CELL in line]
        return max(map(len, lines), default=0) > LINE_BYTES
    if max(map(len, lines)) > LINE_BYTES:
        return True
    if suffix in _PROSE_SUFFIXES:
        return False
    return len(content) / len(lines) > MEAN_LINE_BYTES
