"""What answers say of projects: which answered, which lack something, and who owns files."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final

from aeterna_code_search.contract.notes import YOUNGER

OLDER_EXTRACTOR_NAMED: Final = 20  # projects that a receipt names
OWNERS_LISTED: Final = 100  # with the number of rows of each

OWNERS: Final = "Who owns the file by CODEOWNERS; empty: no owner; null: not known"
OWNER_COUNTS: Final = (
    f"By owner of their files, the first {OWNERS_LISTED}; a row whose file has two owners counts "
    "for both"
)
MISSING_MORE: Final = "How many more have no index than `missing` names"


@dataclass(frozen=True, slots=True)
class AnsweringProject:
    """A project that an answer is of."""

    project: str
    commit: str
    indexed_at: datetime | None
    ref: Annotated[str, "The branch", YOUNGER] = ""


@dataclass(frozen=True, slots=True)
class MissingProject:
    """A project in scope whose index may be incomplete."""

    project: str
    reason: str
    since: Annotated[
        datetime | None, "Since when it waits for its first index; null: it is not that", YOUNGER
    ] = None


@dataclass(frozen=True, slots=True)
class OlderExtractor:
    """Repositories that an older extractor has read, until their next run.

    The answer may lack what the newer one finds in them. That leaves it `complete`: after an
    upgrade it holds for most, and nothing is lost that was there before.
    """

    count: Annotated[int, YOUNGER] = 0
    sample: Annotated[list[str], f"The first {OLDER_EXTRACTOR_NAMED}", YOUNGER] = field(
        default_factory=list
    )


@dataclass(frozen=True, slots=True)
class OwnerCount:
    """How many rows of an answer are in files of one owner."""

    owner: Annotated[str | None, "null: the files have none, or it is not known"]
    count: int
    known: Annotated[bool, "Whether the CODEOWNERS of the repositories could be read", YOUNGER] = (
        True
    )
