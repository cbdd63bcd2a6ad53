"""Python packages, by the rules of pip and of the build backends."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.pypi.chains import with_chains
from indexer.ecosystems.pypi.containers import read_compose, read_dockerfile
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
from indexer.ecosystems.pypi.scripts import MARKERS, read_script_lock, read_source
from indexer.ecosystems.pypi.search_paths import (
    PATH_MARKERS,
    read_programs,
    read_search_paths,
)
from indexer.ecosystems.pypi.setuptools import read_setup_cfg, read_setup_py
from indexer.ecosystems.pypi.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

# Files that start programs, and settings of editors.
_PROGRAMS: Final = re.compile(
    r"(?:.*/)?(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Procfile[\w.-]*|[\w.-]+\.(?:mk|sh|bash)|\.env[\w.-]*"
    r"|(?:Taskfile|\.travis|\.gitlab-ci|azure-pipelines[\w.-]*)\.ya?ml|pyrightconfig\.json"
    r"|\.github/(?:.*/)?[\w.-]+\.ya?ml|\.circleci/config\.yml|[\w.-]+\.code-workspace"
    r"|\.vscode/[\w.-]+\.json|\.devcontainer/(?:.*/)?devcontainer\.json)"
)

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
            read_script_lock, paths=re.compile(r"(?:.*/)?[^/]+\.pyw?\.lock"), is_lock=True
        ),
        ManifestFormat(
            read_search_paths,
            names=("pytest.ini", ".pytest.ini", "tox.ini", "mypy.ini", ".mypy.ini", ".env"),
        ),
        ManifestFormat(
            read_dockerfile,
            paths=re.compile(
                r"(?:.*/)?(?i:(?:docker|container)file(?:\.[\w.-]+)?|[\w.-]+\.dockerfile)"
            ),
            markers=PATH_MARKERS[:1],
        ),
        ManifestFormat(
            read_compose,
            paths=re.compile(r"(?:.*/)?(?:docker-)?compose[\w.-]*\.ya?ml"),
            markers=PATH_MARKERS[:1],
        ),
        ManifestFormat(read_programs, paths=_PROGRAMS, markers=PATH_MARKERS),
        ManifestFormat(
            read_source, paths=re.compile(r"(?:.*/)?(?:[^/.]+|[^/]+\.pyw?)"), markers=MARKERS
        ),
    ),
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
