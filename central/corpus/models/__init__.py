"""The corpus: files, what is searched of them, and how they use one another."""

from central.corpus.models.content import (
    Chunk,
    Embedding,
    File,
    Symbol,
    TermStat,
    TrigramPosting,
    TrigramSegment,
)
from central.corpus.models.history import Commit, CommitChange, CommitPatch, WithheldPath
from central.corpus.models.relations import (
    Dependency,
    Export,
    Import,
    Manifest,
    Module,
    Package,
    Reference,
)
from central.corpus.models.scip import ScipDefinition, ScipDocument, ScipRelationship, ScipSymbol

__all__ = [
    "Chunk",
    "Commit",
    "CommitChange",
    "CommitPatch",
    "Dependency",
    "Embedding",
    "Export",
    "File",
    "Import",
    "Manifest",
    "Module",
    "Package",
    "Reference",
    "ScipDefinition",
    "ScipDocument",
    "ScipRelationship",
    "ScipSymbol",
    "Symbol",
    "TermStat",
    "TrigramPosting",
    "TrigramSegment",
    "WithheldPath",
]
