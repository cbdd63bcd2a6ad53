"""What each replacement of files counts, on the default branch or on another one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from central.corpus.packages import ModuleFile, regular_packages
from central.corpus.rows import FileRow

FileFacts = tuple[str, str, str, str, bool]


@dataclass(slots=True, kw_only=True)
class ReplacedFiles:
    """What a replacement changes in the counters of an index, and its leftovers.

    `orphans` are points of deleted chunks. `manifests` is true if one was added or deleted.
    `regular` are directories that have or had an `__init__.py`, which is no longer as it was.
    `inserted` are new files that are not skipped.
    """

    files: int = 0
    skipped: int = 0
    generated: int = 0
    partly_parsed: int = 0
    chunks: int = 0
    symbols: int = 0
    references: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    orphans: list[UUID] = field(default_factory=list)
    manifests: bool = False
    regular: set[str] = field(default_factory=set)
    inserted: list[ModuleFile] = field(default_factory=list)

    def count_files(self, files: Sequence[FileFacts], sign: int) -> None:
        """Add (`sign` 1) or subtract (-1) files, each as (path, language, skip reason, generated
        by, whether a part of it is unparsed).
        """
        self.regular ^= regular_packages(path for path, *_ in files)
        for _, language, skipped, generated, unparsed in files:
            if skipped:
                self.skipped += sign
                continue
            self.files += sign
            if generated:
                self.generated += sign
            if unparsed:
                self.partly_parsed += sign
            if language:
                self.languages[language] += sign

    def note_inserted(self, files: Iterable[FileRow]) -> None:
        """Note new files, whose packages and modules are to be derived."""
        self.inserted.extend(
            ModuleFile(file.id, file.path, file.language, file.namespace)
            for file in files
            if not file.skipped
        )
