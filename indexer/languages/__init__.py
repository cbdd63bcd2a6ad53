"""Languages: files, grammars and rules, one module per language. The registry collects them.

A grammar is given by module and function; `syntax.parser` loads it on first use.
"""

from indexer.languages.base import ONE_ITEM, PAIRS, ExportRule, Grammar, ItemShape, Language
from indexer.languages.registry import LANGUAGES_BY_NAME, detect, named

__all__ = [
    "LANGUAGES_BY_NAME",
    "ONE_ITEM",
    "PAIRS",
    "ExportRule",
    "Grammar",
    "ItemShape",
    "Language",
    "detect",
    "named",
]
