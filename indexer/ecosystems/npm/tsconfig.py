"""tsconfig.json and jsconfig.json: what they and those that they extend say of names.

Reference: https://www.typescriptlang.org/tsconfig
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from indexer.ecosystems.base import Located, PackageRoot
from indexer.ecosystems.parsing import read_jsonc, string, strings, table
from indexer.ecosystems.paths import joined, parent
from indexer.records.manifests import Ecosystem, Manifest

_EXTENDS, _BASE, _PATHS, _ROOT, _SUFFIX = "extends", "baseUrl", "paths:", "rootDirs", "suffix:"
_DIRECT: Final = ("tsconfig.json", "jsconfig.json")  # that tools look for
_CONFIG_DIR: Final = "${configDir}"
_MAX_EXTENDED: Final = 32  # files of one configuration
_MAX_PATHS: Final = 2_000  # of all configurations of a repository that share files


def read_tsconfig(text: str, _path: str) -> Manifest:
    """Read the options. `aliases` are `paths`, then the bare names that `baseUrl` allows.

    Raises ValueError and RecursionError.
    """
    document = read_jsonc(text)
    options = table(document, "compilerOptions")
    return Manifest(
        Ecosystem.NPM,
        aliases=tuple(_aliases(options)),
        settings=(
            *((_EXTENDS, path) for path in strings(document.get("extends"))),
            *((_BASE, directory) for directory in strings(options.get("baseUrl"))),
            *(
                (_PATHS + pattern, target)
                for pattern, targets in table(options, "paths").items()
                for target in strings(targets)
            ),
            *((_ROOT, directory) for directory in strings(options.get("rootDirs"))),
            *(
                (f"{_SUFFIX}{suffix}", str(number))
                for number, suffix in enumerate(strings(options.get("moduleSuffixes")))
            ),
        ),
    )


def _aliases(options: dict[str, object]) -> Iterator[tuple[str, str]]:
    base = string(options.get("baseUrl"))
    for pattern, targets in table(options, "paths").items():
        for target in strings(targets):
            yield pattern, posixpath.normpath(posixpath.join(base, target))
    if base:
        yield "*", posixpath.normpath(posixpath.join(base, "*"))


@dataclass(frozen=True, slots=True)
class _Option:
    """A value, and the directory of the file that has it."""

    directory: str
    value: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """The options of one file, its own over those that it extends; paths from the top.

    `root_directories` are one directory to relative imports. `suffixes` may precede a file's.
    """

    directory: str
    aliases: tuple[tuple[str, str], ...]
    root_directories: tuple[str, ...]
    suffixes: tuple[str, ...]


def configurations(
    located: Iterable[Located], packages: Iterable[PackageRoot]
) -> Iterator[Configuration]:
    """Yield the configuration of each file that has any of these options."""
    known = {path: manifest.settings for path, manifest in located if is_configuration(path)}
    roots = {
        package.name: package.root
        for package in packages
        if package.ecosystem is Ecosystem.NPM and package.name
    }
    left = _MAX_PATHS
    extended = {
        path: [_found(path, value, known, roots) for key, value in settings if key == _EXTENDS]
        for path, settings in known.items()
    }
    used = {used_path for found in extended.values() for used_path in found}
    for path in known:
        if path in used and not path.endswith(_DIRECT):
            continue  # what extends it decides
        found = _configuration(path, known, extended)
        left -= len(found.aliases)
        if left < 0:
            return
        if found.aliases or found.root_directories or found.suffixes:
            yield found


def is_configuration(path: str) -> bool:
    """Whether a manifest is one of these files."""
    return path.rpartition("/")[2].startswith(("tsconfig", "jsconfig"))


_Extended = Mapping[str, list[str | None]]  # the files that each extends
_Settings = Mapping[str, tuple[tuple[str, str], ...]]


def _configuration(path: str, known: _Settings, extended: _Extended) -> Configuration:
    """Apply what a file extends, in order, then the file's own options."""
    base: list[_Option] = []
    paths: dict[str, list[_Option]] = {}
    directories: list[_Option] = []
    suffixes: list[str] = []
    for extended_path in _extended(path, extended):
        here = parent(extended_path)
        own: dict[str, list[_Option]] = {}
        own_directories, own_suffixes = list[_Option](), list[str]()
        for key, value in known[extended_path]:
            if key == _BASE:
                base = [_Option(here, value)]
            elif key.startswith(_PATHS):
                own.setdefault(key.removeprefix(_PATHS), []).append(_Option(here, value))
            elif key == _ROOT:
                own_directories.append(_Option(here, value))
            elif key.startswith(_SUFFIX):
                own_suffixes.append(key.removeprefix(_SUFFIX))
        paths = own or paths
        directories = own_directories or directories
        suffixes = own_suffixes or suffixes
    leaf = parent(path)
    from_base = next((_placed(leaf, option) for option in base), None)
    return Configuration(
        leaf,
        tuple(_targets(leaf, from_base, paths)),
        tuple(
            found for directory in directories if (found := _placed(leaf, directory)) is not None
        ),
        tuple(suffix for suffix in suffixes if suffix),
    )


def _targets(
    leaf: str, base: str | None, paths: Mapping[str, list[_Option]]
) -> Iterator[tuple[str, str]]:
    """Yield patterns and targets; `paths` begin at `baseUrl`, or else beside their own file."""
    for pattern, targets in paths.items():
        for option in targets:
            at = _Option(option.directory if base is None else base, option.value)
            target = _placed(leaf, at)
            if target is not None:
                yield pattern, target
    if base is not None:
        yield "*", f"{base}/*".lstrip("/")


def _placed(leaf: str, option: _Option) -> str | None:
    if option.value.startswith(_CONFIG_DIR):
        return joined(leaf, option.value.removeprefix(_CONFIG_DIR))
    return joined(option.directory, option.value)


def _extended(path: str, extended: _Extended) -> list[str]:
    """Return the files of a configuration, each after those that it extends."""
    order: list[str] = []
    waiting, seen = [(path, False)], set[str]()
    while waiting and len(seen) <= _MAX_EXTENDED:
        current, is_done = waiting.pop()
        if is_done:
            order.append(current)
        elif current not in seen:
            seen.add(current)
            waiting.append((current, True))
            waiting += [
                (found, False) for found in reversed(extended[current]) if found is not None
            ]
    return order


def _found(path: str, extended: str, known: _Settings, roots: Mapping[str, str]) -> str | None:
    """Return the file of the repository that `extends` names: by its path, or of a package."""
    if extended.startswith("."):
        target = joined(parent(path), extended)
    else:
        parts = extended.split("/")
        count = 2 if extended.startswith("@") else 1
        root = roots.get("/".join(parts[:count]))
        rest = "/".join(parts[count:]) or "tsconfig.json"
        target = None if root is None else joined(root, rest)
    candidates = [target, f"{target}.json", f"{target}/tsconfig.json"] if target else []
    return next((candidate for candidate in candidates if candidate in known), None)
