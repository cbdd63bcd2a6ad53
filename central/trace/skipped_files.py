"""Skipped files of source code, which may define what a trace does not find."""

from typing import Final

from central.corpus.models import File
from central.db import fetch_rows, sql_with
from central.sentences import Sentence
from indexer.records.files import SkipReason
from indexer.records.languages import PARSED_SUFFIXES

SKIPPED_FILES_COUNTED: Final = 10_000  # that may define a name which a trace does not find
# What is at these paths is no text of the repository.
_WITHOUT_TEXT: Final = (SkipReason.SUBMODULE, SkipReason.SYMLINK)
_sql = sql_with(file=File)
_COUNTS = _sql("""SELECT skipped, count(*) FROM (
        SELECT f.skipped FROM {file} f
        WHERE f.repository_id = ANY(%s::bigint[]) AND f.skipped <> ''
            AND NOT f.skipped = ANY(%s::text[])
            AND substring(lower(f.path) FROM '[.][^./]*$') = ANY(%s::text[])
        LIMIT %s) AS found
    GROUP BY skipped ORDER BY count(*) DESC, skipped""")

_OF_FILE = _sql("""SELECT f.skipped FROM {file} f
    WHERE f.repository_id = ANY(%s::bigint[]) AND f.path = %s::text AND f.skipped <> ''
    LIMIT 1""")


def skipped_sentence(repositories: str, path: str = "") -> Sentence | None:
    """Return that the file is skipped, or else how many files may define a name and are skipped.

    `repositories` are ids as of `id_array`; `path` is "" if no file was named.
    """
    rows = fetch_rows(_OF_FILE, [repositories, path]) if path else []
    if rows:
        reason = SkipReason(rows[0][0]).sentence
        template = "This file is skipped, so nothing in it is known. {reason}"
        return Sentence.of("skipped_file", template, reason=reason)
    return _count_sentence(repositories)


def _count_sentence(repositories: str) -> Sentence | None:
    """Return how many files may define a name and are skipped, by reason; None for none."""
    reasons = [str(reason) for reason in _WITHOUT_TEXT]
    counts = fetch_rows(
        _COUNTS, [repositories, reasons, sorted(PARSED_SUFFIXES), SKIPPED_FILES_COUNTED]
    )
    total = sum(count for _, count in counts)
    if not total:
        return None
    return Sentence.of(
        "skipped_files",
        "{least}{count} {noun} of source code {verb} skipped and may define it: {reasons}.",
        least="At least " if total == SKIPPED_FILES_COUNTED else "",
        count=f"{total:,}",
        noun="file" if total == 1 else "files",
        verb="is" if total == 1 else "are",
        reasons=", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts),
    )
