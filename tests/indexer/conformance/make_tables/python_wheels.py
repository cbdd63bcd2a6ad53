"""Modules of Python projects by the wheels that their build backends write.

Needs `build` and the backends; they run in this interpreter's environment, not isolated. Arguments
are the backends of which tables are made.
"""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from tests.indexer.conformance.make_tables.python_layouts import DIFFERS, Files, projects
from tests.indexer.conformance.make_tables.writing import write

_DISTRIBUTIONS = {
    "setuptools": "setuptools", "hatchling": "hatchling", "poetry": "poetry-core",
    "flit": "flit-core", "pdm": "pdm-backend", "uv": "uv-build", "scikit": "scikit-build-core",
    "maturin": "maturin",
}  # fmt: skip
_BUILD = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check"]


def _modules(files: Files) -> dict[str, list[str]] | None:
    """Return the names of each file's module; None if the backend refuses the project."""
    with TemporaryDirectory() as directory:
        for path, text in files.items():
            target = Path(directory, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        subprocess.run([*_BUILD, directory], capture_output=True, check=False, text=True)
        wheels = list(Path(directory, "dist").glob("*.whl"))
        if not wheels:
            return None
        names: dict[str, list[str]] = {
            path: [] for path, text in files.items() if text == f"# {path}\n"
        }
        with ZipFile(wheels[0]) as wheel:
            for packed in wheel.namelist():
                if packed.endswith((".py", ".pyi")) and (name := _import_name(packed)):
                    names[wheel.read(packed).decode()[2:-1]].append(name)
        return {path: sorted(found) for path, found in names.items()}


def _import_name(packed: str) -> str:
    """Return the name by which Python imports a file of a wheel; "" if it cannot."""
    parts = packed.rpartition(".")[0].split("/")
    if packed.endswith(".pyi"):
        parts[0] = parts[0].removesuffix("-stubs")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""


def main() -> None:
    wanted = sys.argv[1:] or list(_DISTRIBUTIONS)
    rows: dict[str, list[Any]] = {backend: [] for backend in wanted}
    for backend, name, files in projects():
        if backend not in wanted:
            continue
        says = _modules(files)
        if says is not None:
            differs = {"differs": DIFFERS[name]} if name in DIFFERS else {}
            rows[backend].append({"name": name, "files": files, "says": says, **differs})
    for backend, found in rows.items():
        distribution = _DISTRIBUTIONS[backend]
        write(
            f"wheels_{backend}",
            tool=distribution,
            version=version(distribution),
            question="modules",
            ecosystem="pypi",
            rows=found,
        )


if __name__ == "__main__":
    main()
