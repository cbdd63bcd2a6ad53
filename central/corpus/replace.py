"""Replacement of a repository's files by a run, with its term statistics."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db.models import Model

from central.corpus import rows
from central.corpus.branches.packages import others_keep_packages
from central.corpus.branches.rows import (
    change_bits,
    delete_unused,
    join_equal_of_default,
    keep_for_others,
)
from central.corpus.commits import STORED_ALREADY, put_commits, settle_commits
from central.corpus.embeddings import term_counts, unpack_terms
from central.corpus.models import (
    Chunk,
    Export,
    File,
    Import,
    Manifest,
    Module,
    Reference,
    ScipDefinition,
    ScipRelationship,
    Symbol,
    TermStat,
)
from central.corpus.packages import refresh_packages
from central.corpus.replaced_files import ReplacedFiles
from central.corpus.rows import EncodedFiles
from central.corpus.scip import put_documents, refresh_scip
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.upkeep import build_now
from central.corpus.withheld import purge_names_of_past
from central.db import copy_encoded, copy_rows, execute, fetch_rows, id_array, sql, sql_with
from indexer.records.history import Commit
from indexer.records.scip import ScipDocument

_sql = sql_with(file=File, chunk=Chunk, term_stat=TermStat)
_FOUND: Final = _sql(
    "SELECT id, path, language, skipped, generated, unparsed IS NOT NULL FROM {file}"
    " WHERE repository_id = %s::bigint AND path = ANY(%s::text[])"
)
_DELETE_CHUNKS: Final = _sql(
    "DELETE FROM {chunk} WHERE file_id = ANY(%s::bigint[]) RETURNING point, terms"
)
_OF_FILES: Final[dict[type[Model], str]] = {
    model: sql("DELETE FROM {table} WHERE file_id = ANY(%s::bigint[])", table=model)
    for model in (
        *(Symbol, Reference, Manifest, Import, Export, Module),
        *(ScipDefinition, ScipRelationship),
    )
}
_DELETE_FILES: Final = _sql("DELETE FROM {file} WHERE id = ANY(%s::bigint[])")
_TERMS: Final = _sql("SELECT terms FROM {chunk} WHERE file_id = ANY(%s::bigint[])")
_MOVE_TERMS: Final = _sql("""
                INSERT INTO {term_stat} (repository_id, term, chunks)
                SELECT %s::bigint, term, difference
                FROM unnest(%s::bigint[], %s::int[]) AS moved (term, difference)
                ON CONFLICT (repository_id, term) DO UPDATE
                SET chunks = {term_stat}.chunks + EXCLUDED.chunks
                """)
_DELETE_TERMS: Final = _sql(
    "DELETE FROM {term_stat} WHERE repository_id = %s AND term = ANY(%s::bigint[]) AND chunks <= 0"
)
_SLICE: Final = 10_000  # terms a statement: its text is made while the interpreter is held


@dataclass(slots=True)
class OtherBranches:
    """What a replacement on the default branch leaves to the others.

    `added` are its new files. Of the chunks that only other branches have, `unstored` are points
    that their collection does not have yet, and `orphans` points whose chunks are gone.
    """

    added: list[int] = field(default_factory=list)
    unstored: list[UUID] = field(default_factory=list)
    orphans: list[UUID] = field(default_factory=list)


@dataclass(slots=True)
class Replacement(ReplacedFiles):
    """A replacement of the files of a repository's default branch, and of its commits.

    Needs a transaction. `parents` are those of the commits that came, by id, `commits` are their
    keys; `removed` are the ids of those that went.

    `branch_bits` are those of the repository's other branches, which keep what they have;
    `others` is what that leaves.
    """

    repository_id: int
    branch_bits: int = 0
    terms: Counter[int] = field(default_factory=Counter)
    parents: dict[str, Sequence[str]] = field(default_factory=dict)
    commits: dict[str, int] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    others: OtherBranches = field(default_factory=OtherBranches)

    def remove_files(self, paths: Sequence[str]) -> None:
        """Delete the rows of `paths`, where they exist, with their dependent rows."""
        found = fetch_rows(_FOUND, [self.repository_id, list(paths)])
        if not found:
            return
        self.count_files([row[1:] for row in found], -1)
        if self.branch_bits:
            self.others.unstored += keep_for_others((row[0] for row in found), self.branch_bits)
        ids = [id_array(row[0] for row in found)]
        chunks = fetch_rows(_DELETE_CHUNKS, ids)
        self.chunks -= len(chunks)
        self.orphans.extend(point for point, _ in chunks)
        terms, counts = term_counts([unpack_terms(terms).ids for _, terms in chunks])
        self.terms.subtract(dict(zip(terms.tolist(), counts.tolist(), strict=True)))
        deleted = {model: execute(statement, ids) for model, statement in _OF_FILES.items()}
        self.symbols -= deleted[Symbol]
        self.references -= deleted[Reference]
        self.manifests |= deleted[Manifest] > 0
        execute(_DELETE_FILES, ids)

    def insert_files(self, parts: Sequence[EncodedFiles], vectors: Mapping[str, bytes]) -> None:
        """Insert files, whose paths must not exist in their repository, with dependent rows.

        `vectors` are those of the files by path, packed by corpus.embeddings.file_vectors.
        """
        files = [file for part in parts for file in part.files]
        copy_rows(rows.FILE_COPY, (file.copied(vectors.get(file.path)) for file in files))
        if self.branch_bits:
            self.others.added += [file.id for file in files]
            change_bits((file.id for file in files), clear=self.branch_bits)
        self.count_files(
            [
                (file.path, file.language, file.skipped, file.generated, file.unparsed is not None)
                for file in files
            ],
            1,
        )
        self.note_inserted(files)
        for part in parts:
            self.terms.update(dict(zip(part.terms, part.term_chunks, strict=True)))
        copied = {
            name: copy_encoded(copy, [part.rows[name] for part in parts])
            for name, copy in rows.COPIES.items()
        }
        self.chunks += copied["chunks"]
        self.symbols += copied["symbols"]
        self.references += copied["references"]
        self.manifests |= copied["manifests"] > 0

    def put_documents(self, documents: Sequence[ScipDocument], removed: Sequence[str]) -> None:
        """Store documents of a SCIP index, and delete those of the paths `removed`."""
        self.references += put_documents(self.repository_id, documents, removed)

    def put_commits(self, commits: Sequence[Commit], removed: Sequence[str]) -> None:
        """Store commits, and delete those of the ids `removed`."""
        keys = put_commits(self.repository_id, commits, removed)
        for commit in commits:
            self.parents[commit.sha] = commit.parents
            self.commits.setdefault(commit.sha, keys.get(commit.sha, STORED_ALREADY))
        self.removed.update(removed)

    def settle_commits(self, *, head: str, base: str) -> None:
        """Bring what the commits determine together up to date: call it once, after the last."""
        settle_commits(
            self.repository_id,
            head=head,
            base=base,
            parents=self.parents,
            is_rewritten=bool(self.removed),
        )
        if self.removed or not base:
            new = (sha for sha, key in self.commits.items() if key != STORED_ALREADY)
            purge_names_of_past(self.repository_id, [sha for sha in new if sha not in self.removed])

    def finish(self) -> None:
        """Bring what the files determine together up to date: call it once, after the last."""
        refresh_packages(
            repository_id=self.repository_id,
            manifests_changed=self.manifests,
            regular_changed=bool(self.regular),
            inserted=self.inserted,
            others=others_keep_packages(self.repository_id, self.branch_bits, self.others.unstored)
            if self.branch_bits
            else None,
        )
        if self.branch_bits:
            self._share_with_others()
        self.references += refresh_scip(self.repository_id)
        self._update_term_stats()

    def take_files(self, files: Sequence[int]) -> None:
        """Count the terms of files that were moved here from another branch, and SCIP's facts."""
        packed = fetch_rows(_TERMS, [id_array(files)])
        terms, counts = term_counts([unpack_terms(terms).ids for (terms,) in packed])
        self.terms.update(dict(zip(terms.tolist(), counts.tolist(), strict=True)))
        self._update_term_stats()
        refresh_scip(self.repository_id)

    def _share_with_others(self) -> None:
        unused = join_equal_of_default(self.others.added)
        self.others.orphans += delete_unused(unused)
        build_now(self.repository_id, Indexed.OTHER_FILES)

    def _update_term_stats(self) -> None:
        """Add the differences to the repository's counts; a count of zero has no row."""
        terms = sorted(term for term, difference in self.terms.items() if difference)
        for start in range(0, len(terms), _SLICE):
            part = terms[start : start + _SLICE]
            moved = id_array(self.terms[term] for term in part)
            execute(_MOVE_TERMS, [self.repository_id, id_array(part), moved])
        gone = id_array(term for term in terms if self.terms[term] < 0)
        execute(_DELETE_TERMS, [self.repository_id, gone])
