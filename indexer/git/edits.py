"""Edits of a branch in files that existed before it, read from git."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from indexer.errors import BlobTooLargeError, GitError, TreeTooLargeError
from indexer.git.parse import cut_lines, storable_path
from indexer.git.patch import Hunk, Span, changed_ranges, map_range, parse_patch
from indexer.git.repository import Repository

_PATHS_AT_ONCE: Final = 500  # below every limit on the length of a command
_INDENTED: Final = (".py", ".pyi")  # blocks end by indentation alone


@dataclass(frozen=True, slots=True)
class EditedFile:
    """An edited file of the old side and its edited spans; without spans all of it is edited."""

    path: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Edits:
    """The edited files and the number of new ones, without binary files and submodules."""

    files: tuple[EditedFile, ...]
    added: int


class _Changed(NamedTuple):
    path: str
    status: str
    old_mode: str
    mode: str
    old_blob: str


def branch_edits(repository: Repository, base: str, head: str) -> Edits:
    """Return what `head` changes in `base`'s files, in base's line numbers.

    A rename is a removal and a new file. Paths that cannot be stored are omitted, as in the index.
    """
    changed = _changes(repository, base, head)
    modified = [changed_file for changed_file in changed if changed_file.status == "M"]
    edited = {
        changed_file.path: EditedFile(
            changed_file.path, tuple(_spans(repository, changed_file, hunks))
        )
        for changed_file, hunks in _patched(repository, base, head, modified)
        if hunks
    }
    for changed_file in changed:
        if changed_file.status in {"D", "T"} and _is_file(changed_file.old_mode):
            edited[changed_file.path] = EditedFile(changed_file.path)
    added = sum(
        changed_file.status in {"A", "T"} and _is_file(changed_file.mode)
        for changed_file in changed
    )
    return Edits(tuple(edited[path] for path in sorted(edited)), added)


def _spans(repository: Repository, changed_file: _Changed, hunks: Sequence[Hunk]) -> list[Span]:
    needs_lines = changed_file.path.endswith(_INDENTED) and any(hunk.added for hunk in hunks)
    return changed_ranges(hunks, _lines(repository, changed_file.old_blob) if needs_lines else None)


def _lines(repository: Repository, blob: str) -> list[bytes] | None:
    try:
        return repository.blobs.read(blob).split(b"\n")
    except BlobTooLargeError:  # no file of that size is indexed
        return None


def map_files(
    repository: Repository, files: Sequence[EditedFile], old: str, new: str
) -> tuple[EditedFile, ...]:
    """Map the files' spans from lines of `old` to lines of `new`."""
    wanted = {file.path for file in files if file.spans}
    changed = [change for change in _changes(repository, old, new) if change.path in wanted]
    modified = [changed_file for changed_file in changed if changed_file.status == "M"]
    hunks = {
        changed_file.path: found for changed_file, found in _patched(repository, old, new, modified)
    }
    return tuple(
        EditedFile(
            file.path, tuple(map_range(span, hunks.get(file.path) or ()) for span in file.spans)
        )
        for file in files
    )


def diff_hunks(repository: Repository, path: str, base: str, head: str) -> tuple[Hunk, ...] | None:
    """Return the hunks of one file from `base` to `head`; None if either side has no lines.

    None as well if the change is larger than any that is read.
    """
    try:
        sections = parse_patch(_patch(repository, base, head, [path]))
    except TreeTooLargeError:
        return None
    if not sections:
        return ()
    return sections[0] if len(sections) == 1 else None


def _changes(repository: Repository, base: str, head: str) -> list[_Changed]:
    return list(_parsed(repository.raw_diff(base, head)))


def _parsed(records: Iterable[bytes]) -> Iterator[_Changed]:
    for record in records:
        head, _, raw_path = record.partition(b"\t")
        path, unstorable = storable_path(raw_path)
        if not unstorable:
            old_mode, mode, old_blob, _, status = head[1:].decode("ascii").split()
            yield _Changed(path, status, old_mode, mode, old_blob)


def _is_file(mode: str) -> bool:
    """Whether it is a regular file: no symbolic link, no submodule."""
    return mode.startswith("100")


def _patched(
    repository: Repository, base: str, head: str, modified: Sequence[_Changed]
) -> Iterator[tuple[_Changed, tuple[Hunk, ...] | None]]:
    """Yield each modified regular file with its hunks; None: binary, or too large a change."""
    files = [changed_file for changed_file in modified if _is_file(changed_file.mode)]
    for start in range(0, len(files), _PATHS_AT_ONCE):
        batch = files[start : start + _PATHS_AT_ONCE]
        sections = _sections(repository, base, head, [changed_file.path for changed_file in batch])
        yield from zip(batch, sections, strict=True)


def _sections(
    repository: Repository, base: str, head: str, paths: list[str]
) -> list[tuple[Hunk, ...] | None]:
    try:
        sections = parse_patch(_patch(repository, base, head, paths))
    except TreeTooLargeError:
        if len(paths) == 1:
            return [None]
        half = len(paths) // 2
        parts = (paths[:half], paths[half:])
        return [section for part in parts for section in _sections(repository, base, head, part)]
    if len(sections) != len(paths):
        raise GitError(f"git diff-tree reported {len(sections)} of {len(paths)} changed files")
    return sections


def _patch(repository: Repository, base: str, head: str, paths: list[str]) -> Iterator[bytes]:
    """Yield the lines of a patch without context that depends on the commits alone.

    With `--text`, because an attribute in `.git/info` may mark any file as binary.
    """
    return repository.diff(
        "-p", "-U0", "--inter-hunk-context=0", "--text", "--no-color", "--ignore-submodules=all",
        "--diff-algorithm=histogram", "--indent-heuristic", "--end-of-options",
        base, head, "--", *paths, split=cut_lines,
    )  # fmt: skip
