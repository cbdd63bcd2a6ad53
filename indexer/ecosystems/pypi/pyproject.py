"""`pyproject.toml`: a package's dependencies, and its layout as each build backend reads it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from indexer.ecosystems.parsing import Table, array, read_toml, string, strings, table
from indexer.ecosystems.pypi.layouts import (
    REGULAR,
    PackageLayout,
    clean,
    setuptools_layout,
)
from indexer.ecosystems.pypi.requirements import (
    ALTERNATIVE,
    pins_of,
    requirements,
    with_sources,
)
from indexer.records.manifests import (
    Dependency,
    Ecosystem,
    Manifest,
    ManifestProblem,
    Pin,
    python_name,
)


def read_pyproject(text: str, _path: str) -> Manifest:
    """Read pyproject.toml. Raises ValueError and RecursionError."""
    document = read_toml(text)
    project = table(document, "project")
    poetry = table(document, "tool", "poetry")
    dependencies = [
        *with_sources(requirements(_listed(document)), table(document, "tool", "uv", "sources")),
        *_poetry_dependencies(poetry),
    ]
    written = string(project.get("name")) or string(poetry.get("name"))
    layout = read_layout(document, written)
    return Manifest(
        Ecosystem.PYPI,
        name=python_name(written),
        version=string(project.get("version")) or string(poetry.get("version")),
        import_names=layout.import_names,
        source_roots=layout.source_roots,
        entries=layout.entries,
        members=tuple(strings(table(document, "tool", "uv", "workspace").get("members"))),
        dependencies=tuple(dependencies),
        settings=(*layout.settings, *_search_paths(table(document, "tool"))),
        problem=None if layout.backend else ManifestProblem.PARTIAL,
        pins=(*pins_of(dependencies), *_poetry_pins(dependencies, poetry)),
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
                ranges = (_poetry_range(requirement) for requirement in array(wanted) or [wanted])
                required = ALTERNATIVE.join(dict.fromkeys(filter(None, ranges)))
                yield Dependency(python_name(name), required)


def _poetry_range(wanted: object) -> str:
    required = string(wanted) or string(table(wanted).get("version"))
    return "" if required == "*" else required


def _poetry_pins(dependencies: list[Dependency], poetry: Table) -> Iterator[Pin]:
    """Return exact pins; poetry's bare versions are exact."""
    if poetry:
        for dependency in dependencies:
            for part in dependency.required.split(ALTERNATIVE):
                if part[:1].isdigit() and part.replace(".", "").isalnum():
                    yield Pin(dependency.name, part)


def _search_paths(tool: Table) -> Iterator[tuple[str, str]]:
    """Yield the directories from which tests and type checkers import, as settings."""
    options = [
        table(tool, "pytest", "ini_options").get("pythonpath"),
        table(tool, "mypy").get("mypy_path"),
        table(tool, "pyright").get("extraPaths"),
    ]
    return (("path", path) for listed in options for path in strings(listed))


def read_layout(document: Table, name: str) -> PackageLayout:
    """Return the layout by the backend of pyproject.toml; `name` is the package's as written.

    Without a backend it is that of the first tool with settings, or else setuptools.
    """
    tool = table(document, "tool")
    backend = _backend(document, tool)
    return _READERS[backend](tool, name.replace("-", "_")) if backend else PackageLayout()


def _backend(document: Table, tool: Table) -> str:
    """Return the key of the backend, "" for one that is not known."""
    system = table(document, "build-system")
    hook = string(system.get("build-backend"))
    if hook:
        return next((key for prefix, key in _HOOKS.items() if hook.startswith(prefix)), "")
    found = (key for key in _READERS if table(tool, *_TABLES.get(key, (key,))))
    return next(found, "setuptools")


def _setuptools(tool: Table, _name: str) -> PackageLayout:
    settings = table(tool, "setuptools")
    packages = settings.get("packages")
    found = table(packages).get("find")
    return setuptools_layout(
        directories={key: string(value) for key, value in table(settings, "package-dir").items()},
        packages=strings(packages) if isinstance(packages, list) else None,
        find=found if isinstance(found, dict) else None,
        modules=strings(settings.get("py-modules")),
        finds_regular=table(found).get("namespaces") is False,
    )


def _poetry(tool: Table, name: str) -> PackageLayout:
    settings = table(tool, "poetry")
    listed = [table(item) for item in array(settings.get("packages"))]
    packed = [item for item in listed if "wheel" in (strings(item.get("format")) or ["wheel"])]
    exclude = tuple(f"/{clean(pattern)}" for pattern in strings(settings.get("exclude")))
    if not listed:
        name = (string(settings.get("name")) or name).replace("-", "_").replace(".", "_").lower()
        found = list(_named(name, ["", "src"]))
        usual = tuple(f"/{place}" for _, place in found)
        return PackageLayout(backend="poetry", mounts=tuple(found), exclude=exclude, usual=usual)
    mounts, include = [], []
    for item in packed:
        base = clean(string(item.get("from")))
        mounts.append((_dotted(clean(string(item.get("to")))), base))
        include.append(f"/{clean(base + '/' + string(item.get('include')))}")
    beside = list(_included(settings))
    if beside:
        mounts.append(("", ""))
    return PackageLayout(
        backend="poetry",
        mounts=tuple(mounts),
        include=(*include, *beside),
        exclude=exclude,
    )


def _included(settings: Table) -> Iterator[str]:
    """Yield poetry's additional files that come into the wheel."""
    for item in array(settings.get("include")):
        if "wheel" in strings(table(item).get("format")):
            yield f"/{clean(string(table(item).get('path')))}"


def _hatch(tool: Table, name: str) -> PackageLayout:
    build = table(tool, "hatch", "build")
    wheel = {**build, **table(build, "targets", "wheel")}
    packages = [clean(package) for package in strings(wheel.get("packages"))]
    only = [clean(pattern) for pattern in strings(wheel.get("only-include"))] or packages
    forced = {clean(key): string(path) for key, path in table(wheel, "force-include").items()}
    mounts = [(_module(clean(path)), source) for source, path in forced.items()]
    mounts += _hatch_sources(wheel.get("sources"))
    mounts += [("", package.rpartition("/")[0]) for package in packages]
    include = [f"/{pattern}" for pattern in only] or strings(wheel.get("include"))
    usual: list[str] = []
    if not include:
        names = dict.fromkeys((name, name.lower()))  # of a project `Scrapy` too
        found = [place for pattern in names for place in _named(pattern, ["", "src", "*"])]
        include = [f"/{directory}" for _, directory in found]
        usual = include.copy()
        mounts += [
            ("", directory.rpartition("/")[0]) for _, directory in found if "*" not in directory
        ]
    elif ("", "") not in mounts:
        mounts.append(("", ""))
    include += [f"/{source}" for source in forced]
    return PackageLayout(
        backend="hatchling",
        mounts=tuple(dict.fromkeys(mounts)),
        include=tuple(include),
        exclude=tuple(strings(wheel.get("exclude"))),
        usual=tuple(usual),
    )


def _hatch_sources(sources: object) -> list[tuple[str, str]]:
    if isinstance(sources, dict):
        return [(_dotted(clean(string(new))), clean(old)) for old, new in sources.items()]
    return [("", clean(old)) for old in strings(sources)]


def _flit(tool: Table, name: str) -> PackageLayout:
    settings = table(tool, "flit")
    declared = string(table(settings, "module").get("name"))
    name = declared or string(table(settings, "metadata").get("module")) or name
    return PackageLayout(backend="flit", mounts=tuple(_named(name, ["", "src"])))


def _pdm(tool: Table, _name: str) -> PackageLayout:
    build = table(tool, "pdm", "build")
    directory = string(build.get("package-dir"))
    only_source = strings(build.get("source-includes")) or ["tests"]
    return PackageLayout(
        backend="pdm",
        mounts=tuple(("", root) for root in ([clean(directory)] if directory else ["", "src"])),
        include=tuple(f"/{clean(pattern)}" for pattern in strings(build.get("includes"))),
        exclude=tuple(
            f"/{clean(pattern)}" for pattern in [*strings(build.get("excludes")), *only_source]
        ),
        packages=() if build.get("includes") else (REGULAR,),
    )


def _uv(tool: Table, name: str) -> PackageLayout:
    settings = table(tool, "uv", "build-backend")
    root = clean(string(settings.get("module-root", "src")))
    names = strings(settings.get("module-name")) or [name.lower().replace(".", "_")]
    exclude = [*strings(settings.get("source-exclude")), *strings(settings.get("wheel-exclude"))]
    return PackageLayout(
        backend="uv",
        mounts=tuple((pattern, clean(f"{root}/{pattern.replace('.', '/')}")) for pattern in names),
        exclude=tuple(exclude),
    )


def _scikit(tool: Table, name: str) -> PackageLayout:
    wheel = table(tool, "scikit-build", "wheel")
    packages = wheel.get("packages")
    if isinstance(packages, dict):
        mounts = [(_dotted(clean(to)), clean(string(source))) for to, source in packages.items()]
    elif packages is None:
        mounts = [(name, clean(f"{root}/{name}")) for root in ("src", "python", "")]
    else:
        mounts = [
            (clean(package).rpartition("/")[2], clean(package)) for package in strings(packages)
        ]
    return PackageLayout(
        backend="scikit",
        mounts=tuple(mounts),
        exclude=tuple(strings(wheel.get("exclude"))),
        packages=(REGULAR,) if packages is None else (),
        usual=tuple(f"/{place}" for _, place in mounts) if packages is None else (),
    )


def _maturin(tool: Table, name: str) -> PackageLayout:
    settings = table(tool, "maturin")
    source = clean(string(settings.get("python-source")))
    declared = string(settings.get("module-name"))
    has_module = declared or settings.get("bindings") != "bin" or "_" not in name
    usual = [(declared or name).partition(".")[0]] if has_module else []
    packages = strings(settings.get("python-packages")) or usual
    mounts = [(package, clean(f"{source}/{package}")) for package in packages]
    beside = tuple(f"/{clean(pattern)}" for pattern in _of_wheels(settings.get("include")))
    return PackageLayout(
        backend="maturin",
        mounts=(*mounts, *([("", "")] if beside else [])),
        include=(*(f"/{place}" for _, place in mounts), *beside) if beside else (),
        exclude=tuple(f"/{clean(pattern)}" for pattern in _of_wheels(settings.get("exclude"))),
    )


def _of_wheels(listed: object) -> Iterator[str]:
    """Yield maturin's patterns of files of the wheel."""
    for item in array(listed):
        if isinstance(item, str) or "wheel" in (strings(table(item).get("format")) or ["wheel"]):
            yield string(item) or string(table(item).get("path"))


def _named(name: str, roots: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the places where a package or a module of a name is looked for."""
    path = name.replace(".", "/")
    for root in roots:
        yield name, clean(f"{root}/{path}")
        yield name, clean(f"{root}/{path}.py")


def _dotted(path: str) -> str:
    return path.replace("/", ".")


def _module(path: str) -> str:
    return _dotted(path.removesuffix(".pyi").removesuffix(".py"))


_READERS: Final[Mapping[str, Callable[[Table, str], PackageLayout]]] = {
    "setuptools": _setuptools,
    "poetry": _poetry,
    "hatchling": _hatch,
    "flit": _flit,
    "pdm": _pdm,
    "uv": _uv,
    "scikit": _scikit,
    "maturin": _maturin,
}
_TABLES: Final = {
    "hatchling": ("hatch", "build"),
    "pdm": ("pdm", "build"),
    "uv": ("uv", "build-backend"),
    "scikit": ("scikit-build",),
}
_HOOKS: Final = {
    "setuptools": "setuptools", "poetry": "poetry", "hatchling": "hatchling", "flit": "flit",
    "pdm": "pdm", "uv_build": "uv", "scikit_build_core": "scikit", "maturin": "maturin",
}  # fmt: skip
