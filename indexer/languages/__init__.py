"""Languages: files, grammars and rules, one module a language. The registry finds them.

A grammar is named by module and function and loaded by `syntax.parser` on first use.
"""

from indexer.languages.base import ExportRule, Grammar, Language
from indexer.languages.registry import LANGUAGES_BY_NAME, detect

__all__ = ["LANGUAGES_BY_NAME", "ExportRule", "Grammar", "Language", "detect"]
