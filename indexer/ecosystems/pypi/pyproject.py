"""`pyproject.toml`, and the directories of its packages."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from indexer.ecosystems.parsing import Table, array, read_toml, string, strings, table
from indexer.ecosystems.pypi.requirements import exact_pins, python_name, requirements
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin


@dataclass(frozen=True, slots=True)
class PackageLayout:
    """Package directories, as in `Manifest`: `import_names`, `source_roots` and `entries`.

    `entries` are directories that are packaged under another name.
    """

    import_names: tuple[str, ...] = ()
    source_roots: tuple[str, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_directories(cls, directories: Iterable[str]) -> "PackageLayout":
        """Read packages as directories or files, such as `src/acme`."""
        paths = [_clean(directory).rpartition("/") for directory in directories]
        names = [_module(name) for _, _, name in paths]
        return cls(_unique(names), _unique(parent for parent, _, _ in paths))

    @classmethod
    def of_setuptools(
        cls,
        *,
        directories: Mapping[str, str],
        packages: Iterable[str],
        where: Iterable[str],
        modules: Iterable[str],
    ) -> "PackageLayout":
        """Read `package_dir`, `packages` or `find`'s `include`, `find`'s `where`, `py_modules`."""
        roots = [_clean(path) for path in where]
        names = [name.partition(".")[0] for name in packages]
        entries = []
        for name, directory in directories.items():
            path = _clean(directory)
            parent, _, last = path.rpartition("/")
            if not name:
                roots.append(path)
            elif last == name:
                roots.append(parent)
                names.append(name)
            else:
                entries.append((name, path))
        names += [name.partition(".")[0] for name in modules]
        return cls(_unique(name for name in names if name != "*"), _unique(roots), tuple(entries))


def _clean(directory: str) -> str:
    parts = (part for part in directory.split("/") if part not in {"", "."})
    return "/".join(parts)


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix(".pyi")


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def read_pyproject(text: str, _path: str) -> Manifest:
    """Read pyproject.toml. Raises ValueError and RecursionError."""
    document = read_toml(text)
    project = table(document, "project")
    poetry = table(document, "tool", "poetry")
    dependencies = [
        *requirements(_listed(document)),
        *_poetry_dependencies(poetry),
    ]
    layout = _layout(table(document, "tool"))
    return Manifest(
        Ecosystem.PYPI,
        name=python_name(string(project.get("name")) or string(poetry.get("name"))),
        version=string(project.get("version")) or string(poetry.get("version")),
        import_names=layout.import_names,
        source_roots=layout.source_roots,
        entries=layout.entries,
        members=tuple(strings(table(document, "tool", "uv", "workspace").get("members"))),
        dependencies=tuple(dependencies),
        pins=(*exact_pins(dependencies), *_poetry_pins(dependencies, poetry)),
    )


def _listed(document: Table) -> Iterator[str]:
    project = table(document, "project")
    yield from strings(project.get("dependencies"))
    groups = [
        table(project, "optional-dependencies"),
        table(document, "dependency-groups"),
        table(document, "tool", "pdm", "dev-dependencies"),
    ]
    for group in groups:
        for listed in group.values():
            yield from strings(listed)
    yield from strings(table(document, "tool", "uv").get("dev-dependencies"))
    yield from strings(table(document, "tool", "flit", "metadata").get("requires"))


def _poetry_dependencies(poetry: Table) -> Iterator[Dependency]:
    groups = [poetry, *(table(group) for group in table(poetry, "group").values())]
    tables = [table(group, "dependencies") for group in groups]
    for group in [*tables, table(poetry, "dev-dependencies")]:
        for name, wanted in group.items():
            if name != "python":
                first = next(iter(array(wanted)), wanted)
                required = string(first) or string(table(first).get("version"))
                yield Dependency(python_name(name), "" if required == "*" else required)


def _poetry_pins(dependencies: list[Dependency], poetry: Table) -> Iterator[Pin]:
    """Return exact pins; poetry's bare versions are exact."""
    if poetry:
        for one in dependencies:
            if one.required[:1].isdigit() and one.required.replace(".", "").isalnum():
                yield Pin(one.name, one.required)


def _layout(tool: Table) -> PackageLayout:
    """Return the layout of the first backend that declares one."""
    for read in (_setuptools, _poetry, _hatch, _flit, _pdm, _uv, _maturin):
        layout = read(tool)
        if layout != PackageLayout():
            return layout
    return PackageLayout()


def _setuptools(tool: Table) -> PackageLayout:
    settings = table(tool, "setuptools")
    find = table(settings, "packages", "find")
    return PackageLayout.of_setuptools(
        directories={key: string(value) for key, value in table(settings, "package-dir").items()},
        packages=[*strings(settings.get("packages")), *strings(find.get("include"))],
        where=strings(find.get("where")),
        modules=strings(settings.get("py-modules")),
    )


def _poetry(tool: Table) -> PackageLayout:
    listed = [table(item) for item in array(table(tool, "poetry").get("packages"))]
    return PackageLayout.of_directories(
        f"{string(item.get('from')) or '.'}/{string(item.get('include'))}" for item in listed
    )


def _hatch(tool: Table) -> PackageLayout:
    build = table(tool, "hatch", "build")
    wheel = table(build, "targets", "wheel")
    listed = strings(wheel.get("packages")) or strings(build.get("packages"))
    return PackageLayout.of_directories(listed or strings(wheel.get("only-include")))


def _flit(tool: Table) -> PackageLayout:
    name = string(table(tool, "flit", "module").get("name"))
    name = name or string(table(tool, "flit", "metadata").get("module"))
    return PackageLayout(import_names=(name.partition(".")[0],)) if name else PackageLayout()


def _pdm(tool: Table) -> PackageLayout:
    directory = string(table(tool, "pdm", "build").get("package-dir"))
    return PackageLayout(source_roots=(directory.strip("./"),)) if directory else PackageLayout()


def _uv(tool: Table) -> PackageLayout:
    backend = table(tool, "uv", "build-backend")
    if not backend:
        return PackageLayout()
    root = backend.get("module-root", "src")
    names = [name.partition(".")[0] for name in strings(backend.get("module-name"))]
    return PackageLayout(import_names=tuple(names), source_roots=(string(root).strip("./"),))


def _maturin(tool: Table) -> PackageLayout:
    directory = string(table(tool, "maturin").get("python-source"))
    return PackageLayout(source_roots=(directory.strip("./"),)) if directory else PackageLayout()
