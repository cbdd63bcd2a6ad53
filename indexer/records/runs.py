"""Runs: mode, reason, request, indexed state and statistics."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

TREE_BYTES: Final = 256 * 1024 * 1024  # decompressed; AETERNA_TREE_MAX_BYTES
BATCH_BYTES: Final = 16 * 1024 * 1024  # decompressed; AETERNA_BATCH_MAX_BYTES
RUN_END_WAIT_SECONDS: Final = 25  # proxies end a request after 30


class Mode(StrEnum):
    """How a run was executed. `NONE` never reaches the webhook."""

    INCREMENTAL = "incremental"
    FULL = "full"
    FORCE = "force"
    NONE = "none"


class Reason(StrEnum):
    """Why a run was executed in its mode (DESIGN §4.2)."""

    FIRST_INDEX = "first_index"
    FAST_FORWARD = "fast_forward"
    DIVERGED = "diverged"
    REWOUND = "rewound"
    BASE_MISSING = "base_missing"
    EXTRACTOR_CHANGED = "extractor_changed"
    EMBEDDER_CHANGED = "embedder_changed"
    SELECTION_CHANGED = "selection_changed"
    REQUESTED = "requested"
    SCIP_CHANGED = "scip_changed"
    UP_TO_DATE = "up_to_date"
    SUPERSEDED = "superseded"
    BRANCH_NOT_WANTED = "branch_not_wanted"


class UploadMode(StrEnum):
    """How the vectors of a run travel."""

    RELAY = "relay"
    DIRECT = "direct"
    DIRECT_REFUSED = "direct_refused"

    @property
    def sentence(self) -> str:
        """How, in words."""
        return _UPLOAD_MODES[self]


_UPLOAD_MODES = {
    UploadMode.RELAY: "sent to the service",
    UploadMode.DIRECT: "written to Qdrant by the indexer",
    UploadMode.DIRECT_REFUSED: "sent to the service: QDRANT_URL asked for direct uploads, "
    "which the service refused",
}


@dataclass(frozen=True, slots=True)
class RunStats:
    """Counts of a run, for the webhook, the report and the status page."""

    files_changed: int = 0
    files_removed: int = 0
    files_skipped: int = 0
    chunks: int = 0
    symbols: int = 0
    references: int = 0
    embedded: int = 0
    reused: int = 0
    embedding_requests: int = 0
    embedding_tokens: int = 0
    embedding_cost_usd: float | None = None  # None: prices are unknown
    seconds: dict[str, float] = field(default_factory=dict)


_SENTENCES = {
    Reason.FIRST_INDEX: "this is the repository's first index",
    Reason.FAST_FORWARD: "only what changed since the indexed commit",
    Reason.DIVERGED: "history was rewritten; files that did not change were kept",
    Reason.REWOUND: "the branch was set back to an earlier commit",
    Reason.BASE_MISSING: "the indexed commit is no longer in the repository",
    Reason.EXTRACTOR_CHANGED: "this version of the indexer extracts differently",
    Reason.EMBEDDER_CHANGED: "the organisation uses another embedder",
    Reason.SELECTION_CHANGED: ".codesearch.toml, .gitattributes or .editorconfig has changed",
    Reason.REQUESTED: "as requested",
    Reason.SCIP_CHANGED: "the commit is indexed already; its SCIP index differs",
    Reason.UP_TO_DATE: "the commit is indexed already",
    Reason.SUPERSEDED: "a newer commit is indexed already",
    Reason.BRANCH_NOT_WANTED: "the branch is not among those that are indexed",
}


def reason_sentence(reason: Reason) -> str:
    """Return the sentence that is shown after the mode."""
    return _SENTENCES[reason]


class Ancestry(StrEnum):
    """The relation of the indexed commit (base) to the commit to index (head)."""

    MISSING = "missing"
    SAME = "same"
    ANCESTOR = "ancestor"
    DESCENDANT = "descendant"
    DIVERGED = "diverged"


class Requested(StrEnum):
    """The requested mode: `--mode`. `HISTORY`: as `AUTO`, and all commits are sent again."""

    AUTO = "auto"
    FULL = "full"
    FORCE = "force"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class Indexed:
    """Central's index: its commit, and whether extractor and embedder are unchanged."""

    commit: str
    same_extractor: bool
    same_embedder: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Mode and reason of a run; with `Mode.INCREMENTAL` the base of the comparison."""

    mode: Mode
    reason: Reason
    base: str | None = None
