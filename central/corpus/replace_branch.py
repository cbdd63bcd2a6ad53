"""Replacement of the files of a branch beside the default one, by a run of its own.

What the run does not change is shared: with the default branch, and with others. Term statistics,
SCIP documents and commits are those of the default branch alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from central.corpus import rows
from central.corpus.branches.packages import refresh_packages_of_branch
from central.corpus.branches.rows import (
    change_bits,
    delete_unused,
    hidden_files,
    join_equal,
    shown_files,
)
from central.corpus.branches.scope import ChosenBranch, choose
from central.corpus.branches.tables import IN_OTHERS, IN_VIEWS, OTHERS
from central.corpus.models import Chunk, File, Manifest, Reference, Symbol
from central.corpus.replaced_files import ReplacedFiles
from central.corpus.rows import EncodedFiles
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.upkeep import build_now
from central.db import copy_encoded, copy_into, copy_rows, fetch_rows, id_array, sql_with

_FACTS: Final = """SELECT path, language, skipped, generated, unparsed IS NOT NULL,
        EXISTS (SELECT FROM {schema}{manifest} m WHERE m.file_id = f.id),
        (SELECT count(*) FROM {schema}{chunk} c WHERE c.file_id = f.id),
        (SELECT count(*) FROM {schema}{symbol} s WHERE s.file_id = f.id),
        (SELECT count(*) FROM {schema}{reference} r WHERE r.file_id = f.id)
    FROM {schema}{file} f WHERE id = ANY(%s::bigint[])"""
_sql = sql_with(
    file=File,
    chunk=Chunk,
    symbol=Symbol,
    reference=Reference,
    manifest=Manifest,
    others=IN_OTHERS,
    views=IN_VIEWS,
    facts_of_default=_FACTS.replace("{schema}", ""),
    facts_of_others=_FACTS.replace("{schema}", "{others}"),
)
_AT_PATHS: Final = _sql(
    "SELECT id FROM {views}{file} WHERE repository_id = %s::bigint AND path = ANY(%s::text[])"
)
_ALL: Final = _sql("SELECT id FROM {views}{file} WHERE repository_id = %s")
_READ_FACTS: Final = _sql("{facts_of_default} UNION ALL {facts_of_others}")
_FILE_COPY: Final = copy_into(File, *rows.FileRow._fields, "vector", "branches", schema=OTHERS)
_COPIES: Final = rows.row_copies(OTHERS)


@dataclass(slots=True)
class BranchReplacement(ReplacedFiles):
    """A replacement of the files of a branch beside the default one.

    Needs a transaction that has the repository's row. `unstored` are points of chunks that are not
    in the store yet. `touched` are files that the branch lost or that were added: some may be of no
    branch by now.
    """

    branch: ChosenBranch
    unstored: list[UUID] = field(default_factory=list)
    added: dict[str, int] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)
    gained: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        choose([self.branch])

    @property
    def repository_id(self) -> int:
        """The key of the repository."""
        return self.branch.repository_id

    def remove_files(self, paths: Sequence[str]) -> None:
        """Take the files of `paths`, where they exist, from the branch."""
        asked = [self.repository_id, list(paths)]
        self._lose([key for (key,) in fetch_rows(_AT_PATHS, asked)])

    def share(self, files: Mapping[str, int]) -> None:
        """Let the branch have what was inserted, of other paths these files, and nothing else."""
        wanted = {*{**files, **self.added}.values()}
        present = {key for (key,) in fetch_rows(_ALL, [self.repository_id])}
        self._lose(list(present - wanted))
        gained = wanted - present
        self._count(gained, 1)
        change_bits(gained, add=self.branch.bits)
        self.gained |= gained

    def difference_from_default(self) -> "BranchReplacement":
        """Count what the branch has beside the files of the default branch, and less than it."""
        difference = BranchReplacement(self.branch)
        difference._count(hidden_files(self.repository_id, self.branch.bits), -1)
        difference._count(shown_files(self.repository_id, self.branch.bits), 1)
        return difference

    def _lose(self, files: Sequence[int]) -> None:
        if files:
            self._count(files, -1)
            change_bits(files, clear=self.branch.bits)
            self.touched.update(files)

    def insert_files(self, parts: Sequence[EncodedFiles], vectors: Mapping[str, bytes]) -> None:
        """Insert files of the branch, whose paths it must not have, with dependent rows.

        `vectors` are those of the files by path, packed by corpus.embeddings.file_vectors.
        """
        files = [file for part in parts for file in part.files]
        copy_rows(
            _FILE_COPY,
            ((*file.copied(vectors.get(file.path)), self.branch.bits) for file in files),
        )
        for name, copy in _COPIES.items():
            copy_encoded(copy, [part.rows[name] for part in parts])
        keys = [file.id for file in files]
        self._count(keys, 1)
        self.added.update((file.path, file.id) for file in files)
        self.note_inserted(files)
        self.touched.update(keys)
        self.gained.update(keys)

    def finish(self) -> None:
        """Bring what the files determine together up to date: call it once, after the last."""
        if self.gained or self.manifests or self.regular:
            self.unstored += refresh_packages_of_branch(
                self.branch,
                is_same=not self.manifests and not self.regular,
                placed=self.gained,
            )
        self.touched.update(join_equal([*self.added.values()], self.branch.bits))
        self.orphans += delete_unused(self.touched)
        build_now(self.repository_id, Indexed.OTHER_FILES)

    def _count(self, files: Collection[int], sign: int) -> None:
        """Add (`sign` 1) or subtract (-1) files with their rows."""
        keys = id_array(files)
        found = fetch_rows(_READ_FACTS, [keys, keys])
        self.count_files([row[:5] for row in found], sign)
        for manifest, chunks, symbols, references in (row[5:] for row in found):
            self.manifests |= manifest
            self.chunks += sign * chunks
            self.symbols += sign * symbols
            self.references += sign * references
