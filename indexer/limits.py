"""Bounds on what the product takes in: bytes, lines, patterns, seconds.

One constant for each, with its unit in its name. docs/limits.md is the table for readers.
"""

from typing import Final

# Git and a checkout

# Patterns

# Uploads of a run

# Requests and pages
