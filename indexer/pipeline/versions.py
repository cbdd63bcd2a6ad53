"""The extractor's versions. A service without any grammar knows by them what is the newest.

A change of SHARED reads every file again. A language's version, in `languages/`, reads its own
files again; `python -m tests.indexer.update_golden` says which one a change of output needs.
"""

from typing import Final

from indexer.languages.base import HOSTS_VERSION
from indexer.languages.registry import LANGUAGES_BY_NAME
from indexer.records.extractors import HOSTS, MANIFESTS, SELECTION, Extractor

# Chunks, terms, relations, the parser, which language a file is taken for and what is generated:
# what the files of all languages share. Raise its number, which says what is older.
SHARED: Final = "aeterna-5"
# Raise if `ecosystems/` reads other values from the same file, or a file of another name.
MANIFESTS_VERSION: Final = 2
# Raise if a file is no longer skipped, or for another reason; if more are, change SHARED.
SELECTION_VERSION: Final = 2

VERSIONS: Final = {
    **{
        language.name: language.version
        for language in LANGUAGES_BY_NAME.values()
        if language.host is None
    },
    HOSTS: HOSTS_VERSION,
    MANIFESTS: MANIFESTS_VERSION,
    SELECTION: SELECTION_VERSION,
}


def raised_parts() -> dict[str, str]:
    """Return the versions of the parts that have changed."""
    return {part: str(version) for part, version in VERSIONS.items() if version > 1}


NEWEST: Final = Extractor(SHARED, raised_parts())  # with the locked releases
