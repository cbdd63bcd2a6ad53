"""Where a Python distribution's packages are, as build backends are told."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """As in `Manifest`: top-level names, the directories that they begin in, and directories that
    are packaged under a name that is not their own.
    """

    import_names: tuple[str, ...] = ()
    source_roots: tuple[str, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_directories(cls, directories: Iterable[str]) -> "Layout":
        """From packages as directories or files, such as `src/acme`."""
        places = [_clean(directory).rpartition("/") for directory in directories]
        names = [_module(name) for _, _, name in places]
        return cls(_unique(names), _unique(parent for parent, _, _ in places))

    @classmethod
    def of_setuptools(
        cls,
        *,
        directories: Mapping[str, str],
        packages: Iterable[str],
        where: Iterable[str],
        modules: Iterable[str],
    ) -> "Layout":
        """From `package_dir`, `packages` or `find`'s `include`, `find`'s `where`, `py_modules`."""
        roots = [_clean(place) for place in where]
        names = [name.partition(".")[0] for name in packages]
        entries = []
        for name, directory in directories.items():
            place = _clean(directory)
            parent, _, last = place.rpartition("/")
            if not name:
                roots.append(place)
            elif last == name:
                roots.append(parent)
                names.append(name)
            else:
                entries.append((name, place))
        names += [name.partition(".")[0] for name in modules]
        return cls(_unique(name for name in names if name != "*"), _unique(roots), tuple(entries))


def _clean(directory: str) -> str:
    parts = (part for part in directory.split("/") if part not in {"", "."})
    return "/".join(parts)


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix(".pyi")


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
