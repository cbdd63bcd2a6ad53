"""Paths of Rust's modules, from the crate's root and from other crates."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from indexer.ecosystems.base import Located, ModuleNames, PackageRoot
from indexer.ecosystems.paths import joined, parent, relative_to
from indexer.languages.base import ModuleName
from indexer.languages.rust import is_rust_root, rust_module, rust_modules, rust_source

_ASIDE: Final = ("tests/", "examples/", "benches/", "src/bin/")
_LIBRARY: Final = "src/lib.rs"


def rust_names(manifests: Sequence[Located]) -> ModuleNames:
    """Return the names of files: paths from their crate's root, and public ones of libraries.

    The root of a crate that a manifest declares gives its directory's modules names of its own.
    """
    declared: dict[str, list[str]] = defaultdict(list)
    for path, manifest in manifests:
        for file in _targets(manifest.settings):
            declared[parent(path)].append(file)

    def named(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
        own = [*rust_modules(path)]
        public = ""
        if root is not None:
            targets = declared.get(root.root, [])
            library = next((file for _, file in root.entries), _LIBRARY)
            own += [
                name for target in [*targets, library] for name in _in_crate(path, root, target)
            ]
            public = _public(path, root, library, targets)
        yield from (ModuleName(name, public=False, scope=False) for name in own)
        if public:
            yield ModuleName(public, public=True, scope=False)

    return named


def _targets(settings: Sequence[tuple[str, str]]) -> Iterator[str]:
    return (value for key, value in settings if key == "target")


def _in_crate(path: str, root: PackageRoot, file: str) -> Iterator[str]:
    """Yield a file's names in the crate with the root `file`, if that is one by the manifest alone.

    Other files take such a root for a module like any other.
    """
    target = joined(root.root, file) or ""
    if is_rust_root(target) and rust_source(target) == "/" + parent(target):
        return
    if path == target:
        yield rust_source(target)
        return
    inner = relative_to(path, parent(target))
    if inner:
        names = _names(inner)
        yield ".".join([rust_module(target), *names])
        yield ".".join([rust_source(target), *names])


def _public(path: str, root: PackageRoot, library: str, targets: Sequence[str]) -> str:
    """Return the path from other crates; "" if the file is of no library."""
    if not root.name:
        return ""
    crate = next(iter(root.import_names), root.name).replace("-", "_")
    seen = relative_to(path, root.root) or ""
    if seen == library:
        return crate
    inner = relative_to(seen, parent(library))
    if not inner or inner == "main.rs" or seen == "build.rs" or seen.startswith(_ASIDE):
        return ""
    if any(_is_of(seen, target, parent(library)) for target in targets):
        return ""
    return ".".join([crate, *_names(inner)])


def _is_of(path: str, target: str, library: str) -> bool:
    """Whether a file is of another target: its root, or below a root's own directory."""
    directory = parent(target)
    is_apart = directory != library and relative_to(directory, library) is not None
    return path == target or (is_apart and relative_to(path, directory) is not None)


def _names(inner: str) -> list[str]:
    parts = inner.removesuffix(".rs").split("/")
    return parts[:-1] if parts[-1] in {"mod", "lib"} else parts
