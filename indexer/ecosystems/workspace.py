"""All manifests of a repository: packages of files and names of their modules."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Final

from indexer.ecosystems.base import (
    Located,
    ModuleNames,
    PackageEcosystem,
    PackageRoot,
    RegularPackages,
)
from indexer.ecosystems.paths import ancestors, parent
from indexer.ecosystems.registry import ECOSYSTEMS
from indexer.ecosystems.roots import package_roots
from indexer.languages import LANGUAGES_BY_NAME, Language
from indexer.languages.base import FILE_REGIONS, ModuleName, Region
from indexer.records.manifests import Ecosystem

_MAX_NAMES: Final = 64
_MAX_NAME_CHARACTERS: Final = 1_000


def ecosystem_of(language: str) -> Ecosystem | None:
    """Return the ecosystem that names a language's modules; None if it is not traced."""
    known = LANGUAGES_BY_NAME.get(language)
    return known.ecosystem if known else None


class Workspace:
    """All manifests of a repository, as (path, manifest) in any order.

    Results depend on a file's own path, language and namespace and on the manifests; of other files
    only on `regular`, and only if `depends_on_files`.
    """

    def __init__(self, manifests: Iterable[Located], regular: RegularPackages = None) -> None:
        known = (item for item in manifests if item[1].ecosystem in ECOSYSTEMS)
        located = sorted(_completed(known), key=lambda item: item[0])
        found = package_roots(located)
        self._by_ecosystem: dict[Ecosystem | None, dict[str, PackageRoot]] = {}
        self._nearest: dict[str, PackageRoot] = {}
        for (ecosystem, directory), (root, *_) in found.items():
            self._by_ecosystem.setdefault(ecosystem, {})[directory] = root
            self._nearest.setdefault(directory, root)
        self.packages = tuple(root for roots in found.values() for root in roots)
        self._module_names = {
            key: _module_names(rules, located, self.packages, regular)
            for key, rules in ECOSYSTEMS.items()
        }

    @property
    def depends_on_files(self) -> bool:
        """Whether names may change with the directories that have an `__init__.py`."""
        return any(
            package.name and ECOSYSTEMS[package.ecosystem].module_names_by_files
            for package in self.packages
        )

    def package_of(self, *, path: str, language: str) -> PackageRoot | None:
        """Return the package of the nearest manifest of the language's ecosystem, or of its own.

        That of a document, whose examples have any, is of the nearest manifest.
        """
        known = LANGUAGES_BY_NAME.get(language)
        if known is None:
            return None
        roots = self._roots_of(known)
        return roots.get(path) or _around(roots, path)

    def provider_of(self, *, path: str, language: str) -> PackageRoot | None:
        """Return the package whose module the file is: that around a script with its own needs."""
        known = LANGUAGES_BY_NAME.get(language)
        return _around(self._roots_of(known), path) if known else None

    def _roots_of(self, language: Language) -> Mapping[str, PackageRoot]:
        """Return the packages of a language by directory."""
        if language.host is not None and language.host.are_examples:
            return self._nearest
        return self._by_ecosystem.get(language.ecosystem, {})

    def module_names(self, *, path: str, language: str, namespace: str) -> tuple[ModuleName, ...]:
        """Return the unique names of a file's module; () for a language that is not traced."""
        known = LANGUAGES_BY_NAME.get(language)
        if known is None or known.ecosystem is None:
            return ()
        if known.module_names:
            return _unique(known.module_names(path, namespace))
        root = self.provider_of(path=path, language=language)
        return _unique(self._module_names[known.ecosystem](path, namespace, root))


def _module_names(
    rules: PackageEcosystem,
    located: Sequence[Located],
    packages: Iterable[PackageRoot],
    regular: RegularPackages,
) -> ModuleNames:
    if rules.module_names_by_files:
        return rules.module_names_by_files(located, packages, regular)
    return rules.module_names(located, packages)


def _around(roots: Mapping[str, PackageRoot], path: str) -> PackageRoot | None:
    found = (roots.get(directory) for directory in ancestors(parent(path)))
    return next(filter(None, found), None)


def _completed(manifests: Iterable[Located]) -> Iterator[Located]:
    by_ecosystem: dict[str, list[Located]] = defaultdict(list)
    for path, manifest in manifests:
        by_ecosystem[manifest.ecosystem].append((path, manifest))
    for ecosystem, located in by_ecosystem.items():
        complete = ECOSYSTEMS[ecosystem].complete
        yield from complete(sorted(located, key=itemgetter(0))) if complete else located


def _unique(names: Iterable[ModuleName]) -> tuple[ModuleName, ...]:
    """Return the first names; names that differ only in visibility count as one."""
    found: dict[str, ModuleName] = {}
    for name in names:
        if 0 < len(name.name) <= _MAX_NAME_CHARACTERS and len(found) < _MAX_NAMES:
            known = found.get(name.name, name)
            found[name.name] = ModuleName(
                name.name, known.public or name.public, known.scope or name.scope
            )
    return tuple(found.values())


def ecosystem_by_line(language: str, content: str) -> Callable[[int], Ecosystem]:
    """Return the ecosystem of the code at a line, from 1, of a file."""
    starts, ecosystems = [0], [ecosystem_of(language) or Ecosystem.NONE]
    source = b""
    line, at = 1, 0
    known = LANGUAGES_BY_NAME.get(language)
    regions: Iterable[Region] = ()
    if known and known.host and known.host.are_examples:
        source = content.encode()
        regions = islice(known.host.regions(source), FILE_REGIONS)
    for region in regions:
        line += source.count(b"\n", at, region.start)
        at = region.start
        starts.append(line)
        ecosystems.append(ecosystem_of(region.language) or Ecosystem.NONE)
    return lambda line: ecosystems[bisect_right(starts, line) - 1]
