"""Python packages, by the rules of pip and of the build backends."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.pypi.names import python_names
from indexer.ecosystems.pypi.pyproject import read_pyproject
from indexer.ecosystems.pypi.requirements import (
    read_pipfile_lock,
    read_requirements,
    read_toml_lock,
)
from indexer.ecosystems.pypi.setuptools import read_setup_cfg, read_setup_py
from indexer.ecosystems.pypi.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

PYPI: Final = PackageEcosystem(
    ecosystem=Ecosystem.PYPI,
    formats=(
        ManifestFormat(read_pyproject, names=("pyproject.toml",)),
        ManifestFormat(read_setup_cfg, names=("setup.cfg",)),
        ManifestFormat(read_setup_py, names=("setup.py",)),
        ManifestFormat(read_toml_lock, names=("poetry.lock", "uv.lock", "pdm.lock"), is_lock=True),
        ManifestFormat(read_pipfile_lock, names=("Pipfile.lock",), is_lock=True),
        ManifestFormat(
            read_requirements,
            paths=re.compile(
                r"(?:.*/)?(?:[\w.-]*requirements[\w.-]*|requirements/[\w.-]+)\.(?:txt|in)"
            ),
        ),
    ),
    module_names=lambda *_: python_names,
    parse_version=parse_version,
    allows=allows,
    inner_directories={"requirements": (".txt", ".in")},
    decisive=("pyproject.toml", "setup.cfg", "setup.py"),
)
