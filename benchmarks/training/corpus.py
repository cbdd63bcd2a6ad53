"""A repository as it is learnt from and judged on: its chunks without their doc comments."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path

from benchmarks.retrieval.comments import DocComment, doc_comments, without
from benchmarks.retrieval.corpus import Corpus, Row, read_corpus, read_files
from indexer.git.repository import Repository
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.records.files import Span, line_span, split_lines
from indexer.records.vectors import embedder_input
from scripts.local_git import commit_all, new_repository

_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Reading:
    """`directory` holds the files without the doc comments; `corpus` is what is indexed of them.

    `comments` are the doc comments with the number of the chunk that holds their definition.
    """

    name: str
    commit: str
    directory: Path
    corpus: Corpus
    comments: tuple[tuple[DocComment, int], ...]


def read(directory: Path, workspace: Path) -> Reading:
    """HEAD of the repository in `directory`. What is laid out in `workspace` is used again."""
    name = directory.resolve().name
    commit = _head(directory)
    bare = workspace / f"{name}-{sha256(f'{commit} {EXTRACTOR}'.encode()).hexdigest()[:12]}"
    found = bare.with_name(f"{bare.name}.comments.json")
    if not found.exists():
        shutil.rmtree(bare, ignore_errors=True)
        files = read_files(directory)
        comments = [one for path, content in files.items() for one in doc_comments(path, content)]
        _lay_out(bare, files, comments)
        found.write_text(json.dumps([astuple(one) for one in comments]), encoding="utf-8")
    comments = [_comment(*row) for row in json.loads(found.read_text(encoding="utf-8"))]
    corpus = read_corpus(name, bare, workspace / "corpora")
    return Reading(name, commit, bare, corpus, tuple(_with_chunks(comments, corpus)))


def chunk_inputs(reading: Reading) -> Iterator[str]:
    """The embedder input of each chunk, in the order of the corpus's rows."""
    path, lines = "", list[str]()
    for row in reading.corpus.rows:
        if row.path != path:
            path = row.path
            text = (reading.directory / path).read_bytes().decode()
            lines = split_lines(text.removeprefix(_BYTE_ORDER_MARK))
        text = line_span(lines, Span(row.start, row.end))
        yield embedder_input(path=path, container=row.container, text=text)


def _comment(  # a row of the file of comments
    path: str, name: str, qualified: str, definition: list[int], lines: list[int], sentence: str
) -> DocComment:
    return DocComment(path, name, qualified, Span(*definition), Span(*lines), sentence)


def _head(directory: Path) -> str:
    repository = Repository(directory)
    try:
        return repository.run("rev-parse", "HEAD").decode().strip()
    finally:
        repository.close()


def _lay_out(bare: Path, files: dict[str, bytes], comments: list[DocComment]) -> None:
    own = defaultdict(list)
    for comment in comments:
        own[comment.path].append(comment)
    for path, content in files.items():
        file = bare / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(without(content, own[path]))
    new_repository(bare)
    commit_all(bare, "Without doc comments")


def _with_chunks(comments: list[DocComment], corpus: Corpus) -> Iterator[tuple[DocComment, int]]:
    """Each with the narrowest chunk that holds the definition's first line, if there is one."""
    in_file: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(corpus.rows):
        in_file[row.path].append(number)

    def narrowness(number: int, name: str) -> tuple[bool, int]:
        row: Row = corpus.rows[number]
        return row.name != name, row.end - row.start

    for comment in comments:
        line = comment.definition.start
        holding = [
            number
            for number in in_file[comment.path]
            if corpus.rows[number].start <= line <= corpus.rows[number].end
        ]
        if holding:
            yield comment, min(holding, key=lambda number: narrowness(number, comment.name))
