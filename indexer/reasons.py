"""Why a run was carried out in its mode, in words: for terminals, jobs and pages."""

from indexer.records import Reason

_SENTENCES = {
    Reason.FIRST_INDEX: "this is the repository's first index",
    Reason.FAST_FORWARD: "only what changed since the indexed commit",
    Reason.DIVERGED: "history was rewritten; files that did not change were kept",
    Reason.REWOUND: "the branch was set back to an earlier commit",
    Reason.BASE_MISSING: "the indexed commit is no longer in the repository",
    Reason.EXTRACTOR_CHANGED: "this version of the indexer extracts differently",
    Reason.EMBEDDER_CHANGED: "the organisation uses another embedder",
    Reason.SELECTION_CHANGED: ".codesearch.toml or .gitattributes selects other files",
    Reason.REQUESTED: "as requested",
    Reason.UP_TO_DATE: "the commit is indexed already",
    Reason.SUPERSEDED: "a newer commit is indexed already",
}


def sentence_of(reason: Reason) -> str:
    """What a person reads after the mode."""
    return _SENTENCES[reason]
