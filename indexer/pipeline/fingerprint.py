"""The extractor of this indexer, which a run states when it opens."""

import hashlib
from functools import cache
from importlib import metadata
from typing import Final

from indexer.pipeline.versions import SHARED, raised_parts
from indexer.records.extractors import Extractor

# The locked releases, of which the versions are. A test compares them with the lock.
RELEASES: Final = {
    "tree-sitter": "0.26.1",
    "tree-sitter-bash": "0.25.1",
    "tree-sitter-c": "0.24.2",
    "tree-sitter-c-sharp": "0.23.5",
    "tree-sitter-cpp": "0.23.4",
    "tree-sitter-elixir": "0.3.5",
    "tree-sitter-go": "0.25.0",
    "tree-sitter-java": "0.23.5",
    "tree-sitter-javascript": "0.25.0",
    "tree-sitter-kotlin": "1.1.0",
    "tree-sitter-lua": "0.5.0",
    "tree-sitter-php": "0.25.1",
    "tree-sitter-python": "0.25.0",
    "tree-sitter-ruby": "0.23.1",
    "tree-sitter-rust": "0.24.2",
    "tree-sitter-scala": "0.26.3",
    "tree-sitter-swift": "0.7.4",
    "tree-sitter-typescript": "0.23.2",
}


@cache
def extractor() -> str:
    """Return the extractor. With other releases than the locked ones it has no parts."""
    installed = [f"{name}={metadata.version(name)}" for name in RELEASES]
    raised = raised_parts()
    if installed == [f"{name}={release}" for name, release in RELEASES.items()]:
        return str(Extractor(SHARED, raised))
    state = " ".join([*installed, str(Extractor("", raised))])
    return f"{SHARED}-{hashlib.sha256(state.encode()).hexdigest()[:8]}"


EXTRACTOR: Final = extractor()
