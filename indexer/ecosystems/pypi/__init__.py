"""Python packages, by the rules of pip and of the build backends."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.pypi.names import python_names
from indexer.ecosystems.pypi.requirements import with_chains
from indexer.ecosystems.pypi.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

PYPI: Final = PackageEcosystem(
    ecosystem=Ecosystem.PYPI,
    module_names=python_names,
    module_names_by_files=python_names,
    parse_version=parse_version,
    allows=allows,
    complete=with_chains,
    inner_directories=dict.fromkeys(
        ("requirements", "requires", "reqs", "deps", "dependencies"), (".txt", ".in")
    ),
    decisive=("pyproject.toml", "setup.cfg", "setup.py"),
)
