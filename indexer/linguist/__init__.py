"""The language of a file by GitHub Linguist's rules and facts, without its classifier.

`data.json` has the facts of one release; `scripts/linguist_data.py` makes it. Names of languages
are Linguist's; `languages/` says which of them are ours.
"""

from indexer.linguist.strategies import (
    candidates,
    facts,
    interpreters,
    language_named,
    suffix_languages,
    without_versions,
)

__all__ = [
    "candidates",
    "facts",
    "interpreters",
    "language_named",
    "suffix_languages",
    "without_versions",
]
