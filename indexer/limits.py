"""Bounds on what the product takes in: bytes, lines, patterns, seconds.

One constant for each, with its unit in its name. docs/limits.md is the table for readers.
"""

from typing import Final

# Git and a checkout

# Patterns

# Uploads of a run

# Requests and pages

DECLARED_DIGITS: Final = 18  # of a Content-Length; Python converts no more than 4,300
COLOURED_CHARACTERS: Final = 100_000  # of ordinary code 0.15 s; a longer text is shown plain
COLOURING_CPU_SECONDS: Final = 0.3  # for one text; a hostile line of 20 KB would take ten
COLOURING_SECONDS: Final = 5.0  # of waiting for it, on a machine that is busy with other things
COLOURING_PAUSE_SECONDS: Final = 1.0  # after a text that had to be given up
SSO_ANSWER_BYTES: Final = 512 * 1024  # of a provider; a large one's keys are 20 kB
SSO_KEYS: Final = 100  # of a provider
SSO_NAME_CHARACTERS: Final = 150  # as of a user here
SSO_REQUEST_SECONDS: Final = 5.0  # of one request to a provider, whatever drips in
SSO_SECONDS: Final = 10.0  # of the four requests of one sign-in
