"""All manifests of a repository: packages of files and names of their modules."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Final

from indexer.ecosystems.base import Located, PackageRoot
from indexer.ecosystems.paths import ancestors, parent
from indexer.ecosystems.registry import ECOSYSTEMS
from indexer.ecosystems.roots import package_roots
from indexer.languages import LANGUAGES_BY_NAME
from indexer.languages.base import ModuleName
from indexer.records.manifests import Ecosystem

_MAX_NAMES: Final = 64
_MAX_NAME_CHARACTERS: Final = 1_000


def ecosystem_of(language: str) -> Ecosystem | None:
    """Return the ecosystem that names a language's modules; None if it is not traced."""
    known = LANGUAGES_BY_NAME.get(language)
    return known.ecosystem if known else None


class Workspace:
    """All manifests of a repository, as (path, manifest) in any order.

    Results depend on a file's own path, language and namespace and on the manifests, never on other
    files.
    """

    def __init__(self, manifests: Iterable[Located]) -> None:
        known = (item for item in manifests if item[1].ecosystem in ECOSYSTEMS)
        located = sorted(_completed(known), key=lambda item: item[0])
        self._roots = package_roots(located)
        self.packages = tuple(root for roots in self._roots.values() for root in roots)
        self._module_names = {
            key: rules.module_names(located, self.packages) for key, rules in ECOSYSTEMS.items()
        }

    def package_of(self, *, path: str, language: str) -> PackageRoot | None:
        """Return the package of the nearest manifest of the language's ecosystem."""
        ecosystem = ecosystem_of(language)
        if ecosystem is None:
            return None
        for directory in ancestors(parent(path)):
            roots = self._roots.get((ecosystem, directory))
            if roots:
                return roots[0]
        return None

    def module_names(self, *, path: str, language: str, namespace: str) -> tuple[ModuleName, ...]:
        """Return the unique names of a file's module; () for a language that is not traced."""
        known = LANGUAGES_BY_NAME.get(language)
        if known is None or known.ecosystem is None:
            return ()
        if known.module_names:
            return _unique(known.module_names(path, namespace))
        root = self.package_of(path=path, language=language)
        return _unique(self._module_names[known.ecosystem](path, namespace, root))


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
