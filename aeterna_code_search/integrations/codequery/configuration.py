"""The user's own settings: [codequery] of a TOML file outside of any checkout.

The file is that of CODESEARCH_CONFIG, else the first one with the section of config.toml in
codesearch's user configuration directory and ~/.forge/config.toml.
"""

import os
import pwd
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError
from indexer.limits import PROJECT_FILE_BYTES
from indexer.output.terminal import first_names

CODEQUERY_CONCURRENT: Final = 20  # uploads at once
CODEQUERY_SECONDS: Final = 3_600.0  # of a call: timeout_ms
CODEQUERY_ATTEMPTS: Final = 10  # retry.max_attempts
CODEQUERY_PAUSE_SECONDS: Final = 60.0  # of retry.backoff_ms and jitter_ms
SKIP_DIRS: Final = (
    ".git", "node_modules", "target", "dist", "build",
    ".hg", ".svn", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache", ".ruff_cache",
    ".pytest_cache", ".gradle", ".idea", ".next", ".terraform", "bower_components", "vendor",
)  # fmt: skip
EXCLUDE_EXTENSIONS: Final = (
    ".md", ".png", ".jpg", ".zip", ".exe",
    # documentation
    ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".tex", ".pdf", ".doc", ".docx",
    ".odt", ".rtf", ".ppt", ".pptx", ".xls", ".xlsx",
    # media
    ".jpeg", ".gif", ".bmp", ".ico", ".webp", ".avif", ".tif", ".tiff", ".svg", ".psd", ".mp3",
    ".mp4", ".m4a", ".wav", ".ogg", ".flac", ".avi", ".mov", ".mkv", ".webm", ".ttf", ".otf",
    ".woff", ".woff2", ".eot",
    # archives and binaries
    ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".jar", ".war", ".whl", ".egg",
    ".dll", ".so", ".dylib", ".a", ".o", ".obj", ".lib", ".class", ".pyc", ".pyo", ".wasm", ".bin",
    ".dat", ".db", ".sqlite", ".sqlite3", ".parquet", ".npy", ".npz", ".pkl", ".onnx", ".pt",
    ".safetensors", ".lock", ".map",
)  # fmt: skip
_CACHE_PATH: Final = "${HOME}/.forge/codequery/stores.json"


@dataclass(frozen=True, slots=True)
class DiscoveryRules:
    """[codequery.discovery]: names of directories, and extensions in lower case with their dot."""

    respect_gitignore: bool = True
    skip_dirs: tuple[str, ...] = SKIP_DIRS
    exclude_extensions: tuple[str, ...] = EXCLUDE_EXTENSIONS


@dataclass(frozen=True, slots=True)
class RetryRules:
    """[codequery.retry]: total attempts, and the pauses between them in milliseconds."""

    max_attempts: int = 3
    backoff_ms: tuple[int, ...] = (200, 500, 1000)
    jitter_ms: int = 50


@dataclass(frozen=True, slots=True)
class Configuration:
    """[codequery]. `source`: the file of the section, or the default path of such a file."""

    source: Path
    cache_path: Path
    enabled: bool = False
    default_vector_store_name: str = ""
    default_concurrent_limit: int = 5
    default_timeout_ms: int = 60_000
    include_results: bool = False
    discovery: DiscoveryRules = field(default_factory=DiscoveryRules)
    retry: RetryRules = field(default_factory=RetryRules)

    @classmethod
    def load(cls, environ: Mapping[str, str], directory: Path) -> "Configuration":
        """Load the settings. The file must not be in the checkout of `directory`.

        Raises CodeQueryError if the file cannot be read, is invalid, or is in a checkout.
        """
        source, section = _section(environ, directory)
        table = _Table(section, "codequery", source)
        configuration = cls(
            source=source,
            cache_path=_expanded(table.text("cache_path", _CACHE_PATH), environ, source),
            enabled=table.boolean("enabled", False),
            default_vector_store_name=table.text("default_vector_store_name", ""),
            default_concurrent_limit=table.integer(
                "default_concurrent_limit", 5, 1, CODEQUERY_CONCURRENT
            ),
            default_timeout_ms=table.integer(
                "default_timeout_ms", 60_000, 1, 1000 * CODEQUERY_SECONDS
            ),
            include_results=table.boolean("include_results", False),
            discovery=_discovery(table.table("discovery")),
            retry=_retry(table.table("retry")),
        )
        table.require_known()
        return configuration


class _Table:
    """A table of the file; reading a member removes it, so that unknown ones remain."""

    def __init__(self, members: object, name: str, source: Path) -> None:
        self._name, self._source = name, source
        if not isinstance(members, Mapping):
            raise self._wrong(f"[{name}] must be a table")
        self._members = dict(members)

    def boolean(self, key: str, default: bool) -> bool:
        value = self._members.pop(key, default)
        if type(value) is not bool:
            raise self._wrong(f"{key} must be true or false")
        return value

    def text(self, key: str, default: str) -> str:
        value = self._members.pop(key, default)
        if not isinstance(value, str) or not value.isprintable():
            raise self._wrong(f"{key} must be a string")
        return value

    def integer(self, key: str, default: int, minimum: int, maximum: float) -> int:
        value = self._members.pop(key, default)
        if type(value) is not int or not minimum <= value <= maximum:
            raise self._wrong(f"{key} must be a whole number from {minimum} to {maximum:,.0f}")
        return value

    def texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        values = self._members.pop(key, default)
        if not isinstance(values, list | tuple) or not all(
            isinstance(member, str) for member in values
        ):
            raise self._wrong(f"{key} must be a list of strings")
        return tuple(values)

    def integers(self, key: str, default: tuple[int, ...], maximum: float) -> tuple[int, ...]:
        values = self._members.pop(key, default)
        are_right = isinstance(values, list | tuple) and all(
            type(member) is int and 0 <= member <= maximum for member in values
        )
        if not are_right or not values:
            raise self._wrong(f"{key} must be a list of whole numbers from 0 to {maximum:,.0f}")
        return tuple(values)

    def table(self, key: str) -> "_Table":
        return _Table(self._members.pop(key, {}), f"{self._name}.{key}", self._source)

    def require_known(self) -> None:
        """Raise CodeQueryError if unknown members remain."""
        if self._members:
            names = first_names(sorted(map(str, self._members)))
            raise self._wrong(f"unknown setting {names}: remove it")

    def _wrong(self, what: str) -> CodeQueryError:
        return CodeQueryError(Code.CONFIGURATION, f"{self._source}, [{self._name}]: {what}")


def home_directory(environ: Mapping[str, str]) -> Path:
    """Return the user's home directory."""
    home = environ.get("HOME")
    return Path(home) if home and Path(home).is_absolute() else Path.home()


def _discovery(table: _Table) -> DiscoveryRules:
    rules = DiscoveryRules(
        respect_gitignore=table.boolean("respect_gitignore", True),
        skip_dirs=table.texts("skip_dirs", SKIP_DIRS),
        exclude_extensions=tuple(
            f".{extension.lower().lstrip('.')}"
            for extension in table.texts("exclude_extensions", EXCLUDE_EXTENSIONS)
        ),
    )
    table.require_known()
    return rules


def _retry(table: _Table) -> RetryRules:
    default, maximum = RetryRules(), 1000 * CODEQUERY_PAUSE_SECONDS
    rules = RetryRules(
        max_attempts=table.integer("max_attempts", default.max_attempts, 1, CODEQUERY_ATTEMPTS),
        backoff_ms=table.integers("backoff_ms", default.backoff_ms, maximum),
        jitter_ms=table.integer("jitter_ms", default.jitter_ms, 0, maximum),
    )
    table.require_known()
    return rules


def _section(environ: Mapping[str, str], directory: Path) -> tuple[Path, object]:
    """Return the section with its file; without one, an empty section and the first candidate."""
    from platformdirs import user_config_path

    named = environ.get("CODESEARCH_CONFIG")
    home = home_directory(environ)
    own = user_config_path("codesearch", appauthor=False) / "config.toml"
    candidates = [directory / named] if named else [own, home / ".forge/config.toml"]
    # The home directory is trusted, even if it is a checkout.
    trusted = () if named or not _is_own(home) else (home.resolve(), *home.resolve().parents)
    for path in candidates:
        if not named and not path.is_file():
            continue
        _require_own(path, directory, trusted)
        section = _read(path).get("codequery")
        if section is not None:
            return path, section
    return candidates[0], {}


def _is_own(home: Path) -> bool:
    """Whether it is the account's home, or outside of checkouts; direnv could set HOME to one."""
    home = home.resolve()
    with suppress(KeyError):
        if home == Path(pwd.getpwuid(os.getuid()).pw_dir).resolve():
            return True
    return not any(os.path.lexists(parent / ".git") for parent in (home, *home.parents))


def _require_own(path: Path, directory: Path, trusted: tuple[Path, ...]) -> None:
    """Raise CodeQueryError if the file is in the working directory, or in its checkout."""
    file, here = path.resolve(), directory.resolve()
    for parent in (here, *here.parents):
        is_checkout = parent == here or os.path.lexists(parent / ".git")
        if is_checkout and parent not in trusted and file.is_relative_to(parent):
            raise CodeQueryError(
                Code.CONFIGURATION,
                f"{path} is in the checkout {parent}, but settings of CodeQuery must be the "
                "user's own: move the file out of it, and name it with CODESEARCH_CONFIG",
            )


def _read(path: Path) -> dict[str, Any]:
    problem = ""
    try:
        with path.open("rb") as file:
            content = file.read(PROJECT_FILE_BYTES + 1)
        if len(content) > PROJECT_FILE_BYTES:
            problem = f"has more than {PROJECT_FILE_BYTES:,} bytes"
        else:
            return tomllib.loads(content.decode())
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    except (ValueError, RecursionError) as error:
        problem = f"is not valid TOML ({error})"
    raise CodeQueryError(Code.CONFIGURATION, f"the settings {path}: the file {problem}")


def _expanded(text: str, environ: Mapping[str, str], source: Path) -> Path:
    path = Path(text.replace("${HOME}", str(home_directory(environ))))
    if not path.is_absolute():
        raise CodeQueryError(
            Code.CONFIGURATION,
            f"{source}, [codequery]: cache_path must be an absolute path, such as {_CACHE_PATH}",
        )
    return path
