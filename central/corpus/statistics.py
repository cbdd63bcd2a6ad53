"""Document frequencies of terms per repository, moved by differences. Needs a transaction."""

from collections.abc import Mapping

from django.db import connection

_SLICE = 10_000  # terms a statement: its text is made while the interpreter is held


def move_term_stats(*, repository_id: int, differences: Mapping[int, int]) -> None:
    """Add `differences` (by term) to the repository's counts; a count of zero has no row."""
    terms = sorted(term for term, difference in differences.items() if difference)
    with connection.cursor() as cursor:
        for start in range(0, len(terms), _SLICE):
            part = terms[start : start + _SLICE]
            cursor.execute(
                """
                INSERT INTO corpus_termstat (repository_id, term, chunks)
                SELECT %s, term, difference
                FROM unnest(%s::bigint[], %s::int[]) AS moved (term, difference)
                ON CONFLICT (repository_id, term) DO UPDATE
                SET chunks = corpus_termstat.chunks + EXCLUDED.chunks
                """,
                [repository_id, part, [differences[term] for term in part]],
            )
        cursor.execute(
            "DELETE FROM corpus_termstat WHERE repository_id = %s AND term = ANY(%s)"
            " AND chunks <= 0",
            [repository_id, [term for term in terms if differences[term] < 0]],
        )
