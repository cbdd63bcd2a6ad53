"""Packages of NuGet."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem, namespace_names
from indexer.ecosystems.nuget.manifests import completed_projects
from indexer.ecosystems.nuget.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

NUGET: Final = PackageEcosystem(
    ecosystem=Ecosystem.NUGET,
    module_names=lambda *_: namespace_names,
    parse_version=parse_version,
    allows=allows,
    shares_directories=True,
    inherits_dependencies=False,
    locks_below=False,
    complete=completed_projects,
)
