"""Packages of NuGet."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.namespaces import namespace_names
from indexer.ecosystems.nuget.manifests import read_central_versions, read_csproj, read_nuget_lock
from indexer.ecosystems.nuget.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

NUGET: Final = PackageEcosystem(
    ecosystem=Ecosystem.NUGET,
    formats=(
        ManifestFormat(read_csproj, paths=re.compile(r".*\.csproj")),
        ManifestFormat(read_central_versions, names=("Directory.Packages.props",)),
        ManifestFormat(read_nuget_lock, names=("packages.lock.json",), is_lock=True),
    ),
    module_names=lambda *_: namespace_names,
    parse_version=parse_version,
    allows=allows,
    shares_directories=True,
)
