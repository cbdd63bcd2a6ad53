"""What the text index is of: files of default branches, of others alone, or commits.

The text of a commit is its message and the lines that it changed. A commit whose terms are empty
is not in a segment yet (central.corpus.messages).
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Final

from central.corpus.branches.tables import IN_OTHERS, sql_of_both
from central.corpus.models import Commit, CommitPatch, File, TrigramPosting, TrigramSegment
from central.corpus.patches import commit_text, unpack_patch
from central.db import fetch_rows, id_array, sql_with
from central.repositories.models import Repository


class Indexed(Enum):
    """What a segment is of."""

    FILES = "files"
    OTHER_FILES = "other_files"
    COMMITS = "commits"


_ROWS: Final = 128  # of a statement, whose texts are in memory together
_MODELS: Final = {
    "repository": Repository,
    "segment": TrigramSegment,
    "posting": TrigramPosting,
}
# `of`: the column of a segment; the others are of a repository `r`, and of a row.
_SQL: Final = {
    Indexed.FILES: sql_with(
        **_MODELS,
        of="repository_id",
        document=File,
        has_text="content <> ''",
        count="r.files",
        is_complete="r.text_generation = r.generation",
    ),
    # Each apply adds those that it adds.
    Indexed.OTHER_FILES: sql_with(
        repository=Repository,
        segment=IN_OTHERS + "{segments}",
        segments=TrigramSegment,
        posting=IN_OTHERS + "{postings}",
        postings=TrigramPosting,
        of="repository_id",
        document=IN_OTHERS + "{file}",
        file=File,
        has_text="content <> ''",
        count="(SELECT count(*) FROM {document} f WHERE f.repository_id = r.id)",
        is_complete="true",
    ),
    Indexed.COMMITS: sql_with(
        **_MODELS,
        commit=Commit,
        of="history_of_id",
        document=Commit,
        has_text="true",
        count="(SELECT count(*) FROM {commit} c WHERE c.repository_id = r.id)",
        is_complete="""NOT EXISTS (SELECT FROM {commit} c
            WHERE c.repository_id = r.id AND c.terms = ''::bytea)""",
    ),
}
_sql = sql_with(commit=Commit, patch=CommitPatch)
_CONTENTS: Final = sql_of_both(
    "SELECT id, content FROM {schema}{file} WHERE id = ANY(%s::bigint[]) ORDER BY id", file=File
)
_PATCHES: Final = _sql("""SELECT c.id, c.subject, c.body, p.data
    FROM {commit} c LEFT JOIN {patch} p ON p.commit_id = c.id
    WHERE c.id = ANY(%s::bigint[]) ORDER BY c.id""")


def sql_of_each(statement: str) -> Mapping[Indexed, str]:
    """Fill a statement for files, and for commits."""
    return {indexed: fill(statement) for indexed, fill in _SQL.items()}


def read_texts(indexed: Indexed, ids: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield the rows that are still there, in the order of their ids, each with its text."""
    for start in range(0, len(ids), _ROWS):
        asked = [id_array(ids[start : start + _ROWS])]
        if indexed is not Indexed.COMMITS:
            yield from fetch_rows(_CONTENTS[indexed is Indexed.OTHER_FILES], asked)
            continue
        for key, subject, body, packed in fetch_rows(_PATCHES, asked):
            yield key, commit_text(subject, body, (hunks for _, hunks in unpack_patch(packed)))
