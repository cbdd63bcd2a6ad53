"""Packages of NuGet."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.namespaces import namespace_names
from indexer.ecosystems.nuget.manifests import read_nuget_lock, read_packages_config, read_project
from indexer.ecosystems.nuget.projects import completed_projects
from indexer.ecosystems.nuget.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

NUGET: Final = PackageEcosystem(
    ecosystem=Ecosystem.NUGET,
    formats=(
        ManifestFormat(
            read_project,
            names=("Directory.Build.targets",),
            paths=re.compile(r".*\.(?:csproj|fsproj|vbproj|props)"),
        ),
        ManifestFormat(read_packages_config, names=("packages.config",)),
        ManifestFormat(read_nuget_lock, names=("packages.lock.json",), is_lock=True),
    ),
    module_names=lambda *_: namespace_names,
    parse_version=parse_version,
    allows=allows,
    shares_directories=True,
    inherits_dependencies=False,
    locks_below=False,
    complete=completed_projects,
)
