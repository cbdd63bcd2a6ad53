"""Workspaces of manifests that are written out."""

from indexer.ecosystems import Workspace, read_manifest

PROJECT = '[project]\nname = "acme-auth"\n'


def workspace(files: dict[str, str]) -> Workspace:
    """Of the texts by path."""
    read = {path: read_manifest(path, text) for path, text in files.items()}
    assert all(read.values())
    return Workspace((path, manifest) for path, manifest in read.items() if manifest)


def named(name: str) -> str:
    """A package.json or composer.json that says nothing else."""
    return f'{{"name": "{name}"}}'
