"""The extractor of this indexer, which a run states when it opens.

A change of SHARED reads every file again. A language's version, in `languages/`, reads its own
files again; `python -m tests.indexer.update_golden` says which one a change of output needs.
"""

from typing import Final

from indexer.languages.registry import LANGUAGES_BY_NAME
from indexer.records.extractors import MANIFESTS, SELECTION, Extractor

# Chunks, terms, relations and the parser: what the files of all languages share. It is the last
# text without parts, so that no file was read again when they came.
SHARED: Final = "aeterna-1.1.4.2-00b53edc57fa"
# Raise if `manifests/` reads other values from the same file.
MANIFESTS_VERSION: Final = 1
# Raise if a file is no longer skipped, or for another reason; if more are, change SHARED.
SELECTION_VERSION: Final = 1

_VERSIONS: Final = {
    **{one.name: one.version for one in LANGUAGES_BY_NAME.values()},
    MANIFESTS: MANIFESTS_VERSION,
    SELECTION: SELECTION_VERSION,
}
EXTRACTOR: Final = str(
    Extractor(SHARED, {part: str(version) for part, version in _VERSIONS.items() if version > 1})
)
