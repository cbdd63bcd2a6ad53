"""The client's half of the index fingerprint: all inputs of an extraction except the file.

A change of this string re-indexes every repository in full, so raise a version only when the
output changes. Installed grammars and the query files are included automatically.
"""

import hashlib
from functools import cache
from importlib import metadata, resources

from indexer.languages.registry import PARSED

CHUNKER_VERSION = 1
LEXICAL_VERSION = 1
RELATIONS_VERSION = 2
SELECTION_VERSION = 3


def distributions() -> list[str]:
    """Return the parser and the grammars, in order of their names."""
    grammars = {one.grammar.distribution for one in PARSED if one.grammar}
    return ["tree-sitter", *sorted(grammars)]


@cache
def fingerprint() -> str:
    """Return the fingerprint, such as `aeterna-1.1.2.1-3f2a9c0d81b4`.

    It has the versions above and a digest of queries and grammars.
    """
    digest = hashlib.sha256()
    for distribution in distributions():
        digest.update(f"{distribution}={metadata.version(distribution)}\n".encode())
    folder = resources.files("indexer") / "languages" / "queries"
    for query in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if query.name.endswith(".scm"):
            digest.update(f"{query.name}\n".encode() + query.read_bytes())
    versions = f"{CHUNKER_VERSION}.{LEXICAL_VERSION}.{SELECTION_VERSION}.{RELATIONS_VERSION}"
    return f"aeterna-{versions}-{digest.hexdigest()[:12]}"


EXTRACTOR = fingerprint()
