"""All of them, each in a directory of its own."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.integrations import chunkhound, chunkhound_export, codequery, langchain
from benchmarks.tables import Figure

MEASURED = {
    "chunkhound": chunkhound.measure,
    "chunkhound export": chunkhound_export.measure,
    "langchain": langchain.measure,
    "codequery": codequery.measure,
}


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of every integration."""
    for name, figures in MEASURED.items():
        directory = workspace / name.replace(" ", "-")
        directory.mkdir()
        yield from figures(directory)
