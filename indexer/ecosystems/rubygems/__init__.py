"""Gems of Ruby."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.rubygems.manifests import read_gemfile, read_gemfile_lock, read_gemspec
from indexer.ecosystems.rubygems.names import ruby_names
from indexer.ecosystems.rubygems.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

RUBYGEMS: Final = PackageEcosystem(
    ecosystem=Ecosystem.RUBYGEMS,
    formats=(
        ManifestFormat(read_gemspec, paths=re.compile(r".*\.gemspec")),
        ManifestFormat(read_gemfile, names=("Gemfile", "gems.rb")),
        ManifestFormat(read_gemfile_lock, names=("Gemfile.lock", "gems.locked"), is_lock=True),
    ),
    module_names=lambda *_: ruby_names,
    parse_version=parse_version,
    allows=allows,
    shares_directories=True,
)
