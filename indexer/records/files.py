"""Files and their parts: tree entries, records, chunks, symbols, skip reasons.

Lines are 1-based and inclusive. Paths are POSIX, relative to the repository's root.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from indexer.records.manifests import NEGOTIATED_MANIFEST_FIELDS, OWN_FILE, Manifest
from indexer.records.references import Export, Import, Reference
from indexer.records.vectors import TermVector, Vector

BLOB_BYTES: Final = 16 * 1024 * 1024  # of a file that is read; a batch is no larger
PATH_BYTES: Final = 1_024
FILE_BYTES: Final = 1_048_576  # unless max_file_bytes of .codesearch.toml says otherwise
UNPARSED_RANGES: Final = 200  # of a file's lines; the last goes to the end of what is not parsed
UNPARSED_NAMES: Final = 2_000  # different names in them
NAME_CHARACTERS: Final = 500  # of a name, a qualified name, a container, a signature
LABEL_CHARACTERS: Final = 40  # of a language or a symbol's kind


class SkipReason(StrEnum):
    """Why a tracked file is not indexed. The value is stored; the status shows `sentence`.

    The rules are in `pipeline/select.py`; `git/parse.py` has those for paths and modes.
    """

    BINARY = "binary"
    ENCODING_INVALID = "encoding_invalid"
    EXCLUDED = "excluded"
    GENERATED = "generated"
    LFS_POINTER = "lfs_pointer"
    LOCK_FILE = "lock_file"
    MINIFIED = "minified"
    NOT_UTF8 = "not_utf8"
    PATH_INVALID = "path_invalid"
    PATH_NOT_UTF8 = "path_not_utf8"
    PATH_TOO_LONG = "path_too_long"
    SUBMODULE = "submodule"
    SYMLINK = "symlink"
    TOO_LARGE = "too_large"
    UNPROCESSABLE = "unprocessable"
    VENDORED = "vendored"

    @property
    def sentence(self) -> str:
        """The sentence that the status shows."""
        return _SKIP_SENTENCES[self]


# Reasons that say who wrote a file, not whose it is: a manifest is read for all of them.
TOOL_WRITTEN: Final = frozenset(
    {
        SkipReason.GENERATED,
        SkipReason.LOCK_FILE,
        SkipReason.MINIFIED,
    }
)


class GeneratedBy(StrEnum):
    """What tells that an indexed file is generated. The value is stored.

    `ENTRY`: an attribute or the name; `CONTENT`: a comment at the beginning of the file.
    """

    ENTRY = "entry"
    CONTENT = "content"


_SKIP_SENTENCES = {
    SkipReason.BINARY: "The file holds a NUL byte, so it is taken for binary.",
    SkipReason.ENCODING_INVALID: (
        "The file is not valid in the encoding that its byte order mark, the file itself, "
        ".gitattributes or .editorconfig declares."
    ),
    SkipReason.EXCLUDED: "The include and exclude patterns of .codesearch.toml leave it out.",
    SkipReason.GENERATED: (
        "The file is marked or recognised as generated, and no parser reads its definitions."
    ),
    SkipReason.LFS_POINTER: "The file is a Git LFS pointer; its content is not in git.",
    SkipReason.LOCK_FILE: "The file is a dependency lock file.",
    SkipReason.MINIFIED: "The file's lines are too long to be written by a person.",
    SkipReason.NOT_UTF8: (
        "The file is not valid UTF-8, declares no other encoding, and none is likely enough."
    ),
    SkipReason.PATH_INVALID: (
        "Git checks out no such path: a part of it is empty, `.`, `..` or `.git`, or the tree has "
        "it twice."
    ),
    SkipReason.PATH_NOT_UTF8: "The path is not valid UTF-8.",
    SkipReason.PATH_TOO_LONG: "The path is longer than 1,024 bytes, or ends like a stand-in.",
    SkipReason.SUBMODULE: "The entry is a submodule; it is indexed as its own repository.",
    SkipReason.SYMLINK: "The entry is a symbolic link; its target is indexed by itself.",
    SkipReason.TOO_LARGE: "The file is larger than the size limit of .codesearch.toml.",
    SkipReason.UNPROCESSABLE: "Reading the file ends the process that reads it, every time.",
    SkipReason.VENDORED: "The file is third-party code kept in the repository.",
}
# Reasons that stay valid while path, mode, blob and extractor do, for files that pass the selection
# by entry. Not GENERATED: it may come from an attribute that was removed. Nor reasons of encodings:
# other files may declare them.
SKIPPED_BY_CONTENT: Final = frozenset(
    {
        SkipReason.BINARY,
        SkipReason.LFS_POINTER,
        SkipReason.MINIFIED,
        SkipReason.UNPROCESSABLE,
    }
)


class DegradeReason(StrEnum):
    """Why an indexed file was cut into line windows instead of definitions."""

    PARSE_BUDGET = "parse_budget"
    PARSE_FAILED = "parse_failed"
    TOO_DEEP = "too_deep"


class ChunkType(StrEnum):
    """What a chunk is. `MODULE` is code outside definitions; `TEXT` is a window of lines."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    COMMENT = "comment"
    MODULE = "module"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One tracked file of a commit. `size` is the blob's size in bytes.

    GENERATED as `skipped` is the verdict on the entry: a file that can be parsed is read, too.
    What other files of the commit give it, or "": `declared_encoding` is a label,
    `declared_language` the name of a language of ours.
    """

    path: str
    mode: str
    blob: str
    size: int
    skipped: SkipReason | None = None
    declared_encoding: str = ""
    declared_language: str = ""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that passes the selection by entry, a generated one, or a lock file for its manifest.

    `degraded`: cut it into line windows, without a grammar.
    """

    entry: TreeEntry
    content: bytes
    degraded: DegradeReason | None = None


class Span(NamedTuple):
    """First and last line, 1-based and inclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrievable piece of a file.

    `name` is empty if the chunk is no definition; `container` is the enclosing class, dotted when
    nested. The text is not stored here: it is the file's lines `span`, see `line_span`.
    """

    span: Span
    type: ChunkType
    name: str
    container: str
    terms: TermVector
    vector: "Vector | None" = None  # None: central holds the digest


# Kinds of symbols that hold a value: their members follow from their type, if it is known.
VALUE_KINDS: Final = frozenset({"constant", "property"})


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition. `qualified_name` is dotted from the file's top level."""

    name: str
    qualified_name: str
    kind: str
    span: Span
    signature: str
    exported: bool


# Stands for further names of what is unparsed, beyond a limit. No name is empty.
OTHER_NAMES: Final = ""


class UnparsedLines(NamedTuple):
    """First and last line of a range that the grammar does not understand, and the calls in it.

    `calls` is the number of uses like calls that only a scan without a grammar has found.
    """

    start: int
    end: int
    calls: int


@dataclass(frozen=True, slots=True)
class Unparsed:
    """What the grammar of a file's language does not understand.

    `lines` ascend and do not overlap. `names` are the different names in them that are neither
    definitions nor references which the grammar has found, sorted. `is_complete` is false if a
    limit was met, so that there may be other names and uses.
    """

    lines: tuple[UnparsedLines, ...]
    names: tuple[str, ...] = ()
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class FileRecord:
    """The stored data of one file: a function of (path, mode, blob, extractor) and selection.

    A skipped file has only a reason, with `content` and the tuples empty; a lock file may also have
    a `manifest`. A generated file has all but chunks. `namespace` is the package or namespace that
    the file declares, dotted. Bases and types are references, see indexer.records.references.
    `encoding` is the name of the Python codec that `content` was decoded by, "" for UTF-8.
    `language_declared`: the language is not the file's own, but what another file declares.
    """

    path: str
    mode: str
    blob: str
    size: int
    language: str = ""
    skipped: SkipReason | None = None
    degraded: DegradeReason | None = None
    content: str = ""
    chunks: tuple[Chunk, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    namespace: str = ""
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    references: tuple[Reference, ...] = ()
    manifest: Manifest | None = None
    generated: GeneratedBy | None = None
    unparsed: Unparsed | None = None
    encoding: str = ""
    language_declared: bool = False


# Fields that earlier services refuse, with their values in a record that does not have them. They
# are sent only if the answer to Open names them.
LANGUAGE_DECLARED: Final = "language_declared"
NEGOTIATED_FIELDS: Final[Mapping[str, Any]] = {
    "unparsed": None,
    "encoding": "",
    LANGUAGE_DECLARED: False,
}
# Names the lines of SCIP documents, which are no fields of a file's record.
SCIP: Final = "scip"
# Names the lines of commits.
COMMITS: Final = "commits"
# Names the lines that a commit changed, which are fields of its record.
COMMIT_LINES: Final = "commits.lines"
RECORD_FIELDS: Final = frozenset(
    [
        SCIP,
        COMMITS,
        COMMIT_LINES,
        *NEGOTIATED_FIELDS,
        *(f"manifest.{name}" for name in NEGOTIATED_MANIFEST_FIELDS),
    ]
)


def supported_record(record: FileRecord, fields: Container[str]) -> FileRecord:
    """Return the record without those negotiated fields that are not in `fields`."""
    if record.skipped is SkipReason.ENCODING_INVALID and "encoding" not in fields:
        record = replace(record, skipped=SkipReason.NOT_UTF8)  # which knows no such reason
    unsupported = {name: none for name, none in NEGOTIATED_FIELDS.items() if name not in fields}
    if record.manifest:
        unsupported["manifest"] = _supported_manifest(record, record.manifest, fields)
    return replace(record, **unsupported) if unsupported else record


def _supported_manifest(
    record: FileRecord, manifest: Manifest, fields: Container[str]
) -> Manifest | None:
    if "manifest.problem" not in fields and (
        not manifest.is_read or record.skipped not in {None, SkipReason.LOCK_FILE}
    ):
        return None
    if "manifest.settings" not in fields and OWN_FILE in manifest.settings:
        return None  # it would be taken for the directory's
    return replace(
        manifest,
        **{
            name: none
            for name, none in NEGOTIATED_MANIFEST_FIELDS.items()
            if f"manifest.{name}" not in fields
        },
    )


def skipped_record(entry: TreeEntry, reason: SkipReason) -> FileRecord:
    """Return the record of a file that is not indexed."""
    return FileRecord(
        entry.path,
        entry.mode,
        entry.blob,
        entry.size,
        skipped=reason,
        language_declared=bool(entry.declared_language),
    )


@dataclass(frozen=True, slots=True)
class Removal:
    """A path that is no longer in the repository."""

    path: str


def split_lines(content: str) -> list[str]:
    """Split `content` into lines as git and tree-sitter count them; each keeps its LF.

    A final LF does not start another line.
    """
    lines = content.split("\n")
    tail = lines.pop()
    kept = [line + "\n" for line in lines]
    return [*kept, tail] if tail else kept


def count_lines(content: str) -> int:
    """Return the number of lines of `split_lines`."""
    return content.count("\n") + bool(content and not content.endswith("\n"))


def line_span(lines: list[str], span: Span) -> str:
    """Return the text of `span` in the result of `split_lines`, without the last line's LF."""
    return "".join(lines[span.start - 1 : span.end]).removesuffix("\n")
