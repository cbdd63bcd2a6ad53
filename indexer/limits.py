"""Bounds on what the product takes in: bytes, lines, patterns, seconds.

One constant for each, with its unit in its name. docs/limits.md is the table for readers.
"""

from typing import Final

# Git and a checkout

# Patterns

# Uploads of a run

# Requests and pages

# The knowledge graph

MAX_NODE_ID_CHARACTERS: Final = 2_000
MAX_TITLE_CHARACTERS: Final = 300
MAX_BODY_BYTES: Final = 262_144
MAX_PROPERTIES_BYTES: Final = 16_384
MAX_EDGE_TYPE_CHARACTERS: Final = 40
MAX_TRAVERSAL_DEPTH: Final = 5
MAX_TRAVERSED_NODES: Final = 1_000
MAX_LISTED_NODES: Final = 200  # of a page
MAX_RULE_BYTES: Final = 16_384
MAX_RULE_DEPTH: Final = 20
MAX_PATTERNS: Final = 100
MATCH_CPU_SECONDS: Final = 2.0  # of one file, all policies together
MATCH_SECONDS: Final = 20.0  # of waiting for it
MAX_MATCHES: Final = 50  # of a policy in a file, kept
MAX_MATCH_CHARACTERS: Final = 300
MAX_POLICIES: Final = 200  # of an organisation
MAX_SEMANTIC_LINKS: Final = 20  # of a document
MAX_COMPARED_DOCUMENTS: Final = 10_000
MAX_QUERY_TEXT: Final = 4_000  # characters of a node that are searched by
MAX_CONTEXT_TOKENS: Final = 50_000
