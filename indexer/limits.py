"""Bounds on what the product takes in: bytes, lines, patterns, seconds.

One constant for each, with its unit in its name. docs/limits.md is the table for readers.
"""

from typing import Final

# Git and a checkout

# Patterns

# Uploads of a run

# Requests and pages

# Where a search's filter leaves no more files, the vector store is given their paths.
NAMED_FILES: Final = 2_000
# So many files are looked at for it: in many repositories they may have few paths.
FILES_LOOKED_AT: Final = 20_000
# As many of the most similar chunks are read, once, where a lexical search asks for a similarity.
SIMILAR_CHUNKS: Final = 1_600
# What an issuer of id tokens answers: GitHub has a handful of keys, in some kilobytes.
ISSUER_KEY_SET_MAX_BYTES: Final = 512 * 1024
ISSUER_MAX_KEYS: Final = 100
ISSUER_KEY_ID_MAX_CHARACTERS: Final = 200
ISSUER_KEY_MIN_BITS: Final = 2048
ISSUER_KEY_MAX_BITS: Final = 8192
