"""Which language a file is in, and where its grammar and queries are.

The registry is plain data: nothing here imports a grammar, so start-up costs nothing. A grammar
is named by module and function and loaded by `parsing` on first use.
"""

from indexer.languages.detection import detect
from indexer.languages.registry import ExportRule, Grammar, Language

__all__ = ["ExportRule", "Grammar", "Language", "detect"]
