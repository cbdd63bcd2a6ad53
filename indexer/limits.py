"""Bounds that several packages share; each other one stands where it is used.

docs/reference/limits.md lists them all for readers.
"""

from typing import Final

PROJECT_FILE_BYTES: Final = 65_536  # a small file can make a TOML reader take gigabytes
REQUEST_BYTES: Final = 2 * 1024 * 1024
JSON_VALUES: Final = 200_000  # parsed they take up to 24 MB
QUERY_CHARACTERS: Final = 4_000
PASTED_CHARACTERS: Final = 20_000  # of a pasted stack trace, which is no other query
QUERIES: Final = 10
REF_CHARACTERS: Final = 1_000  # of a branch's name, or of names and patterns with : between
REF_PATTERNS: Final = 16  # that a request names
RESULTS: Final = 50
PROJECTS_NAMED: Final = 1_000
MAP_LINKS: Final = 5_000  # of an answer
MAP_ROWS: Final = 500  # consumers or definitions of an answer
UNUSED_LISTED: Final = 200  # definitions of a page
IMPACT_CHANGES: Final = 1_000  # files or names in a request, and pairs of lines in a file
SIDECAR_ANSWER_BYTES: Final = 16 * 1024 * 1024
COMMITS_LISTED: Final = 100  # of a page
HISTORY_PATHS: Final = 100  # of a commit in an answer
FILES_LISTED: Final = 1_000  # of a page
GLOB_CHARACTERS: Final = 1_000
COMMENT_BYTES: Final = 60_000  # on a pull request; GitHub takes 65,536 characters
FORGE_WAIT_SECONDS: Final = 60.0  # for a forge that limits requests, before the command ends
COLOURING_CPU_SECONDS: Final = 0.3  # for one text; a hostile line of 20 KB would take ten
NODE_ID_CHARACTERS: Final = 2_000
NODE_BODY_BYTES: Final = 262_144
EDGE_TYPE_CHARACTERS: Final = 40
RULE_BYTES: Final = 16_384
CONTEXT_TOKENS: Final = 50_000
