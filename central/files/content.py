"""Lines of an indexed file, as many as fit into an answer."""

import time
from typing import Final, NamedTuple

from aeterna_code_search.contract.files import ContentRequest
from central.corpus.branches.of_project import reading_branch
from central.corpus.files import file_not_found, why_skipped
from central.corpus.models import File
from central.db import one_moment
from central.errors import InvalidError
from central.files.answers import FileContent, UnparsedRange, files_receipt
from central.owners.reading import owners_reader
from central.repositories.visibility import RepositorySnapshot, repository_snapshot
from central.tenancy.credentials import Credential
from indexer.decoding import has_mark

FILE_ANSWER_BYTES: Final = 200_000  # of content


class Lines(NamedTuple):
    """Lines of a text: `first` to `last` of `total`; `is_cut` if the asked ones did not fit."""

    content: str
    first: int
    last: int
    total: int
    is_cut: bool


def read_lines(*, credential: Credential, request: ContentRequest) -> FileContent:
    """Return the lines that are asked for; of a skipped file the reason.

    Raises NotFoundError for an unknown project, branch or file, and InvalidError for a line
    behind the last.
    """
    started = time.perf_counter()
    branch = reading_branch(credential, project=request.project, ref=request.ref)
    with branch, one_moment():
        repository = repository_snapshot(credential=credential, project=request.project)
        file = File.objects.filter(repository_id=repository.id, path=request.path).first()
        if file is None:
            raise file_not_found(repository.id, request.path)
        owners = owners_reader(credential).listed(repository, file.path)
    found = lines_of(file.content, request.start_line, request.end_line)
    url = repository.url(file.path, found.first, found.last) if found.first else None
    return FileContent(
        project=repository.name,
        path=file.path,
        commit=repository.commit,
        language=file.language or None,
        size=file.size,
        total_lines=found.total,
        start_line=found.first,
        end_line=found.last,
        content=None if file.skipped else found.content,
        truncated=found.is_cut,
        skipped=file.skipped or None,
        url=url or repository.url(file.path, 1),
        receipt=files_receipt(repository, started=started),
        hint=_skipped_hint(repository, file) if file.skipped else _hint(found),
        generated=bool(file.generated),
        unparsed=[UnparsedRange(*span) for span in file.unparsed or ()],
        encoding=file.encoding or None,
        byte_order_mark=not file.skipped
        and has_mark(text=file.content, encoding=file.encoding, size=file.size),
        owners=owners,
    )


def lines_of(text: str, start_line: int, end_line: int) -> Lines:
    """Return the lines from `start_line` to `end_line` (0: the last), at most FILE_ANSWER_BYTES.

    Whole lines, unless the first alone is too long. Raises InvalidError if there are fewer.
    """
    lines = text.split("\n")
    ending = "\n" if lines[-1] == "" else ""
    if ending or not text:
        lines.pop()
    total = len(lines)
    if start_line > max(total, 1):
        message = f"The file has {total:,} lines; start_line is behind the last."
        raise InvalidError(message, errors={"start_line": [message]})
    if not total:
        return Lines("", 0, 0, 0, is_cut=False)
    last = min(end_line or total, total)
    asked = "\n".join(lines[start_line - 1 : last]) + ("\n" if last < total else ending)
    data = asked.encode()
    if len(data) <= FILE_ANSWER_BYTES:
        return Lines(asked, start_line, last, total, is_cut=False)
    beginning = data[:FILE_ANSWER_BYTES]
    whole = beginning[: beginning.rfind(b"\n") + 1] or beginning
    content = whole.decode(errors="ignore")
    end_line = start_line + max(content.count("\n"), 1) - 1
    return Lines(content, start_line, end_line, total, is_cut=True)


def _hint(found: Lines) -> str | None:
    if not found.is_cut:
        return None
    if not found.content.endswith("\n"):
        return (
            f"Line {found.first} is longer than an answer, which ends inside of it; the next "
            f"line is start_line={found.first + 1}."
        )
    return f"The answer ends after line {found.last}; ask again with start_line={found.last + 1}."


def _skipped_hint(repository: RepositorySnapshot, file: File) -> str:
    where = "at url" if repository.web_url else "in a clone"
    return f"{why_skipped(file.skipped)} The index has no content of it; read it {where}."
