"""Python packages, by the rules of pip and of the build backends."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.pypi.chains import with_chains
from indexer.ecosystems.pypi.environments import read_conda, read_pipfile
from indexer.ecosystems.pypi.locks import (
    read_pipfile_lock,
    read_pylock,
    read_toml_lock,
    read_uv_lock,
)
from indexer.ecosystems.pypi.names import python_names
from indexer.ecosystems.pypi.pyproject import read_pyproject
from indexer.ecosystems.pypi.requirements import read_constraints, read_requirements
from indexer.ecosystems.pypi.scripts import MARKER, read_script, read_script_lock
from indexer.ecosystems.pypi.search_paths import read_search_paths
from indexer.ecosystems.pypi.setuptools import read_setup_cfg, read_setup_py
from indexer.ecosystems.pypi.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

PYPI: Final = PackageEcosystem(
    ecosystem=Ecosystem.PYPI,
    formats=(
        ManifestFormat(read_pyproject, names=("pyproject.toml",)),
        ManifestFormat(read_setup_cfg, names=("setup.cfg",)),
        ManifestFormat(read_setup_py, names=("setup.py",)),
        ManifestFormat(read_uv_lock, names=("uv.lock",), is_lock=True),
        ManifestFormat(read_toml_lock, names=("poetry.lock", "pdm.lock"), is_lock=True),
        ManifestFormat(
            read_pylock, paths=re.compile(r"(?:.*/)?pylock(?:\.[\w-]+)?\.toml"), is_lock=True
        ),
        ManifestFormat(read_pipfile_lock, names=("Pipfile.lock",), is_lock=True),
        ManifestFormat(
            read_constraints, paths=re.compile(r"(?:.*/)?[\w.-]*constraints[\w.-]*\.txt")
        ),
        ManifestFormat(
            read_requirements,
            paths=re.compile(
                r"(?:.*/)?(?:[\w.-]*requirements[\w.-]*"
                r"|(?:requirements|requires|reqs|deps|dependencies)/[\w.-]+)\.(?:txt|in)"
            ),
        ),
        ManifestFormat(read_pipfile, names=("Pipfile",)),
        ManifestFormat(
            read_conda, paths=re.compile(r"(?:.*/)?(?:conda|environment)[\w.-]*\.ya?ml")
        ),
        ManifestFormat(
            read_script, paths=re.compile(r"(?:.*/)?(?:[^/.]+|[^/]+\.pyw?)"), marker=MARKER
        ),
        ManifestFormat(
            read_script_lock, paths=re.compile(r"(?:.*/)?[^/]+\.pyw?\.lock"), is_lock=True
        ),
        ManifestFormat(read_search_paths, names=("pytest.ini", "tox.ini", "mypy.ini", ".env")),
    ),
    module_names=python_names,
    parse_version=parse_version,
    allows=allows,
    complete=with_chains,
    inner_directories=dict.fromkeys(
        ("requirements", "requires", "reqs", "deps", "dependencies"), (".txt", ".in")
    ),
    decisive=("pyproject.toml", "setup.cfg", "setup.py"),
)
