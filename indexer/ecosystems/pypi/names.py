"""Names of a Python file: from the repository's root, and as dotted import paths."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from indexer.ecosystems.base import Located, ModuleNames, PackageRoot, RegularPackages
from indexer.ecosystems.paths import ancestors, joined, parent, relative_to
from indexer.ecosystems.pypi.layouts import PackageLayout, layout_of
from indexer.ecosystems.pypi.packed import Regular, packed_name
from indexer.ecosystems.pypi.search_paths import project_directory
from indexer.languages.base import ModuleName
from indexer.languages.python import python_module
from indexer.records.references import SEARCHED

_FILES: Final = ("pyproject.toml", "setup.cfg", "setup.py")


def python_names(
    located: Sequence[Located],
    _packages: Iterable[PackageRoot],
    regular: RegularPackages = None,
) -> ModuleNames:
    """Return the names of modules by the layouts and search paths of the manifests."""
    directories = Regular(regular)
    layouts = dict(_layouts(located))
    searched = _Searched(located)

    def names(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
        yield ModuleName(python_module(path), public=False, scope=False)
        layout = layouts.get(root.root if root else "", PackageLayout())
        if root and (name := packed_name(path, root, layout, directories)):
            yield ModuleName(name, public=bool(root.name), scope=False)
        yield from _internal(path, root)
        for directory in searched.by(path):
            if directory not in _usual_starts(root):
                yield ModuleName(SEARCHED + directory, public=False, scope=False)

    return names


def _layouts(located: Iterable[Located]) -> Iterator[tuple[str, PackageLayout]]:
    """Yield directory and layout, from the first file there that declares more than a backend."""
    found: dict[str, list[tuple[int, PackageLayout]]] = {}
    for path, manifest in located:
        directory, _, name = path.rpartition("/")
        if name in _FILES and manifest.is_read:
            layout = layout_of(manifest.source_roots, manifest.entries, manifest.settings)
            found.setdefault(directory, []).append((_FILES.index(name), layout))
    for directory, layouts in found.items():
        layouts.sort(key=lambda item: item[0])
        declaring = (
            package_layout
            for _, package_layout in layouts
            if package_layout != PackageLayout(backend="setuptools")
        )
        yield directory, next(declaring, layouts[0][1])


class _Searched:
    """The directories from which files import beside those that are usual, nearest first.

    What a file says holds for itself and for the files of its directory and below; a directory
    from which any file imports is also one for the files in it.
    """

    def __init__(self, located: Iterable[Located]) -> None:
        self._by_place: dict[str, dict[str, None]] = {}
        for path, manifest in located:
            for key, value in manifest.settings:
                directory = joined(parent(path), value) if key == "path" else None
                if directory is not None:
                    for place in (path, project_directory(path), directory):
                        self._by_place.setdefault(place, {})[directory] = None

    def by(self, path: str) -> Iterator[str]:
        """Yield those of a Python file."""
        places = [path, *ancestors(parent(path))]
        found = (name for place in places for name in self._by_place.get(place, ()))
        yield from dict.fromkeys(found)


def _internal(path: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Yield the names by which the repository's own code may import the file.

    They begin where Python is started: at the root, at the manifest's directory, in `src` of
    either, or in a directory that begins a package.
    """
    declared = (
        [joined(root.root, source_root) or "" for source_root in root.source_roots] if root else []
    )
    for directory in [*_usual_starts(root), *declared]:
        seen = relative_to(path, directory)
        if seen and (name := _dotted(seen)):
            yield ModuleName(name, public=False, scope=False)


def _usual_starts(root: PackageRoot | None) -> list[str]:
    starts = [root.root, ""] if root else [""]
    return [*starts, *(f"{start}/src" if start else "src" for start in starts)]


def _dotted(path: str) -> str:
    """Return the dotted name; "" if Python cannot import it."""
    name = python_module(path).removeprefix("/")
    return name if all(part.isidentifier() for part in name.split(".")) else ""
