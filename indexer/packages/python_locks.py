"""Lock files of Python: poetry, uv, pdm (TOML, written by machines and read by line), Pipfile."""

from indexer.packages.locked_blocks import locked_packages
from indexer.packages.python_requirements import python_name
from indexer.packages.values import read_json, string, table
from indexer.relations import Ecosystem, Manifest, Pin


def read_toml_lock(text: str) -> Manifest:
    """poetry.lock, uv.lock and pdm.lock."""
    pins = (Pin(python_name(name), version) for name, version in locked_packages(text))
    return Manifest(Ecosystem.PYPI, pins=tuple(pins))


def read_pipfile_lock(text: str) -> Manifest:
    """Raises ValueError and RecursionError."""
    document = read_json(text)
    pins = [
        Pin(python_name(name), string(table(entry).get("version")).removeprefix("=="))
        for section in ("default", "develop")
        for name, entry in table(document, section).items()
    ]
    return Manifest(Ecosystem.PYPI, pins=tuple(pins))
