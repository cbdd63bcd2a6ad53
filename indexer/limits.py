"""Bounds on what the product takes in: bytes, lines, patterns, seconds.

One constant for each, with its unit in its name. docs/limits.md is the table for readers.
"""

from typing import Final

# Git and a checkout
GIT_COMMAND_SECONDS: Final = 900.0
GIT_FETCH_SECONDS: Final = 3_600.0
GIT_END_SECONDS: Final = 5.0  # for one that is asked to end, before it is killed

# Patterns
PATTERN_BYTES: Final = 1_024
PATTERN_WILDCARDS: Final = 64
PATTERNS: Final = 1_000  # of one list of .codesearch.toml, or of one .gitattributes
ATTRIBUTES_BYTES: Final = 1_048_576  # of one .gitattributes

# Uploads of a run

# Requests and pages
