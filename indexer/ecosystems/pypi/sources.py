"""Where uv gets a dependency instead of an index (`tool.uv.sources`)."""

from collections.abc import Iterable

from indexer.ecosystems.parsing import Table, string, table
from indexer.ecosystems.pypi.requirements import python_name
from indexer.records.manifests import Dependency


def with_sources(dependencies: Iterable[Dependency], sources: Table) -> tuple[Dependency, ...]:
    """Return them with the address of a repository or file as PEP 508 writes it.

    Those that also require a version keep it.
    """
    addresses = {python_name(name): _address(table(one)) for name, one in sources.items()}
    return tuple(
        one if one.required else Dependency(one.name, addresses.get(one.name, ""))
        for one in dependencies
    )


def _address(source: Table) -> str:
    repository = string(source.get("git"))
    if not repository:
        return string(source.get("url"))
    named = (string(source.get(key)) for key in ("tag", "rev", "branch"))
    version = next(filter(None, named), "")
    return f"git+{repository}@{version}" if version else f"git+{repository}"
