"""`pyproject.toml`. `backends.py` reads which files its package has."""

from collections.abc import Iterator

from indexer.ecosystems.parsing import Table, array, read_toml, string, strings, table
from indexer.ecosystems.pypi.backends import read_layout
from indexer.ecosystems.pypi.requirements import (
    ALTERNATIVE,
    exact_pins,
    requirements,
    with_sources,
)
from indexer.records.manifests import Dependency, Ecosystem, Manifest, ManifestProblem, Pin
from indexer.records.package_names import python_name


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
