"""Bounds on what the product takes in: bytes, lines, patterns, seconds.

One constant for each, with its unit in its name. docs/limits.md is the table for readers.
"""

from typing import Final

# Git and a checkout

# Patterns

# Uploads of a run
TREE_BYTES: Final = 256 * 1024 * 1024  # AETERNA_TREE_MAX_BYTES; decompressed
TREE_LINE_BYTES: Final = 8_192  # a path whose every byte is escaped has 6 KiB
BATCH_BYTES: Final = 16 * 1024 * 1024  # AETERNA_BATCH_MAX_BYTES; decompressed
BATCH_FILES: Final = 500  # AETERNA_BATCH_MAX_FILES
BATCH_VALUES: Final = 1_000_000  # JSON values; parsed they take up to 120 MB
FILE_LINES: Final = 1_048_576  # of a file's content

RUNS_OPEN_OF_REPOSITORY: Final = 50
RUNS_OPEN_OF_ORGANIZATION: Final = 1_000
REPOSITORIES_OF_ORGANIZATION: Final = 20_000  # AETERNA_REPOSITORIES_MAX
WAITING_BYTES: Final = 32 * 1024**3  # AETERNA_WAITING_MAX_BYTES; uploads not applied yet

# Requests and pages
JSON_VALUES: Final = 200_000  # of a body; parsed they take up to 24 MB
ANSWER_BYTES: Final = 256 * 1024 * 1024  # of a service that the indexer asks
REQUESTS_AT_ONCE: Final = 16  # of a process; below the size of the database's pool
REQUESTS_OF_ONE_CALLER: Final = 12  # of an organisation: the others find places
REQUESTS_WAITING: Final = 1_000
UPLOADS_AT_ONCE: Final = 4  # trees and batches of a process, of some 300 MB at most each
UPLOADS_OF_ONE_CALLER: Final = 2
UPLOADS_WAITING: Final = 64  # each with up to 2.5 MB in memory, the rest on disk
