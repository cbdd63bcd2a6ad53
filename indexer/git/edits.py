"""What a branch edits in files that were there before it, read from git."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from indexer.errors import GitError
from indexer.git.parse import storable_path
from indexer.git.patch import Hunk, Span, changed_ranges, moved, parse_patch
from indexer.git.repository import Repository

_PATHS_AT_ONCE: Final = 500  # below every limit on the length of a command
_INDENTED: Final = (".py", ".pyi")  # no line of theirs ends a block


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file of the old side and what is edited in it; no spans: all of it."""

    path: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Edits:
    """The edited files, and how many are new. Binary files and submodules are in neither."""

    files: tuple[EditedFile, ...]
    added: int


class _Changed(NamedTuple):
    path: str
    status: str
    old_mode: str
    mode: str
    old_blob: str


def branch_edits(repository: Repository, base: str, head: str) -> Edits:
    """What `head` changes of `base`'s files, by base's lines; a rename is a removal and a new file.

    A path that cannot be stored is not in the index either and is left out.
    """
    changed = _changes(repository, base, head)
    modified = [one for one in changed if one.status == "M"]
    edited = {
        one.path: EditedFile(one.path, tuple(_spans(repository, one, hunks)))
        for one, hunks in _patched(repository, base, head, modified)
        if hunks
    }
    for one in changed:
        if one.status in {"D", "T"} and _is_file(one.old_mode):
            edited[one.path] = EditedFile(one.path)
    added = sum(one.status in {"A", "T"} and _is_file(one.mode) for one in changed)
    return Edits(tuple(edited[path] for path in sorted(edited)), added)


def _spans(repository: Repository, one: _Changed, hunks: Sequence[Hunk]) -> list[Span]:
    needs_lines = one.path.endswith(_INDENTED) and any(hunk.added for hunk in hunks)
    lines = repository.blobs.read(one.old_blob).split(b"\n") if needs_lines else None
    return changed_ranges(hunks, lines)


def map_files(
    repository: Repository, files: Sequence[EditedFile], old: str, new: str
) -> tuple[EditedFile, ...]:
    """The files with their spans by the lines of `new` instead of those of `old`."""
    wanted = {one.path for one in files if one.spans}
    changed = [one for one in _changes(repository, old, new) if one.path in wanted]
    modified = [one for one in changed if one.status == "M"]
    hunks = {one.path: found for one, found in _patched(repository, old, new, modified)}
    return tuple(_moved(one, hunks.get(one.path) or ()) for one in files)


def diff_hunks(repository: Repository, path: str, base: str, head: str) -> tuple[Hunk, ...] | None:
    """What `head` changes of one file of `base`; None: it has no lines any more, or had none."""
    sections = parse_patch(_patch(repository, base, head, [path]))
    if not sections:
        return ()
    return sections[0] if len(sections) == 1 else None


def _moved(file: EditedFile, hunks: Sequence[Hunk]) -> EditedFile:
    return EditedFile(file.path, tuple(moved(span, hunks) for span in file.spans))


def _changes(repository: Repository, base: str, head: str) -> list[_Changed]:
    fields = iter(repository.raw_diff(base, head).split(b"\0")[:-1])
    return list(_parsed(zip(fields, fields, strict=True)))


def _parsed(pairs: Iterable[tuple[bytes, bytes]]) -> Iterator[_Changed]:
    for head, raw_path in pairs:
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
    """The hunks of each modified regular file; None: a binary file."""
    files = [one for one in modified if _is_file(one.mode)]
    for start in range(0, len(files), _PATHS_AT_ONCE):
        some = files[start : start + _PATHS_AT_ONCE]
        sections = parse_patch(_patch(repository, base, head, [one.path for one in some]))
        if len(sections) != len(some):
            raise GitError(f"git diff-tree reported {len(sections)} of {len(some)} changed files")
        yield from zip(some, sections, strict=True)


def _patch(repository: Repository, base: str, head: str, paths: list[str]) -> bytes:
    """A patch without context that depends on the commits alone.

    `--text`, because an attribute of `.git/info` may call any file binary.
    """
    return repository.diff(
        "-p", "-U0", "--inter-hunk-context=0", "--text", "--no-color", "--ignore-submodules=all",
        "--diff-algorithm=histogram", "--indent-heuristic", "--end-of-options",
        base, head, "--", *paths,
    )  # fmt: skip
