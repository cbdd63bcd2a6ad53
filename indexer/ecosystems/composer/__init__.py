"""Packages of Composer."""

from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.composer.constraints import allows
from indexer.ecosystems.composer.manifests import read_composer_json, read_composer_lock
from indexer.ecosystems.composer.versions import parse_version
from indexer.ecosystems.namespaces import namespace_names
from indexer.records.manifests import Ecosystem

COMPOSER: Final = PackageEcosystem(
    ecosystem=Ecosystem.COMPOSER,
    formats=(
        ManifestFormat(read_composer_json, names=("composer.json",)),
        ManifestFormat(read_composer_lock, names=("composer.lock",), is_lock=True),
    ),
    module_names=lambda *_: namespace_names,
    parse_version=parse_version,
    allows=allows,
)
