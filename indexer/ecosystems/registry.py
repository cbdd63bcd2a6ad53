"""The ecosystems."""

from collections.abc import Mapping
from typing import Final

from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.cargo import CARGO
from indexer.ecosystems.composer import COMPOSER
from indexer.ecosystems.go import GO
from indexer.ecosystems.maven import MAVEN
from indexer.ecosystems.npm import NPM
from indexer.ecosystems.nuget import NUGET
from indexer.ecosystems.pypi import PYPI
from indexer.ecosystems.rubygems import RUBYGEMS
from indexer.ecosystems.swiftpm import SWIFTPM

ECOSYSTEMS: Final[Mapping[str, PackageEcosystem]] = {
    ecosystem.ecosystem: ecosystem
    for ecosystem in (PYPI, NPM, GO, CARGO, MAVEN, NUGET, RUBYGEMS, COMPOSER, SWIFTPM)
}
