"""Bounds on what the product takes in: bytes, lines, patterns, seconds.

One constant for each, with its unit in its name. docs/limits.md is the table for readers.
"""

from typing import Final

# Git and a checkout

# Patterns

# Uploads of a run

# Requests and pages

# Backups

BACKUP_STATEMENT_MAX_BYTES: Final = 65_536
BACKUP_MIGRATIONS_MAX: Final = 10_000
BACKUP_READER_MAX_BYTES: Final = 1_073_741_824  # of memory, of the program that unpacks one
BACKUP_SPACE_ASKED_BYTES: Final = 4_194_304  # so much is written between looks at the disk
