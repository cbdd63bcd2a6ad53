"""The work of a worker process: a source file becomes a line, its chunks become vectors.

A file is parsed once: chunks, terms, symbols and relations come from that. No git, no network, no
secrets.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from indexer.bundle.encode import (
    ExtractedFile,
    FileLine,
    PointData,
    encode_file,
    is_readable,
    packed_floats,
    packed_terms,
    size_with_vectors,
)
from indexer.decoding import Decoded, decode_text
from indexer.ecosystems import is_manifest, read_manifest
from indexer.embedding import open_embedder
from indexer.embedding.builtin import StaticEmbedder, open_static
from indexer.languages import LANGUAGES_BY_NAME, Language, detect
from indexer.lexical import document_terms
from indexer.pipeline.host_files import Reading, read_embedded, read_examples
from indexer.pipeline.select import skip_reason_by_content
from indexer.records.files import (
    TOOL_WRITTEN,
    Chunk,
    DegradeReason,
    FileRecord,
    GeneratedBy,
    SkipReason,
    SourceFile,
    Symbol,
    TreeEntry,
    line_span,
    skipped_record,
    split_lines,
    supported_record,
)
from indexer.records.vectors import (
    EmbedderConfig,
    LocalModel,
    embedder_input,
    embedding_digest,
)
from indexer.resolution.file_relations import extract_relations, unparsed_relations
from indexer.syntax.chunking import ChunkDraft, chunk_definitions, chunk_text
from indexer.syntax.definitions import outline, symbols
from indexer.syntax.parser import parse
from indexer.words import split_words

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Extraction:
    """A file's record without vectors, and the words of each chunk's text."""

    record: FileRecord
    words: Sequence[list[str]] = ()


def extract_files(
    files: Sequence[SourceFile],
    *,
    dimensions: int,
    batch_bytes: int,
    with_points: bool,
    model: LocalModel | None = None,
    record_fields: frozenset[str] = frozenset(),
) -> list[ExtractedFile]:
    """Extract each file, in order: select by content, parse, encode, embed by `model`, if any.

    A file whose line with vectors would exceed a batch is skipped. All vectors count, so that the
    vectors known to central do not affect what is indexed. `with_points`: include the data for a
    direct upload. `record_fields`: the negotiated fields that central reads.
    """
    extracted = []
    for file in files:
        extraction = extract(file)
        line = encode_file(supported_record(extraction.record, record_fields))
        size = size_with_vectors(line, dimensions=dimensions)
        if size > batch_bytes or not is_readable(line.line):
            record = skipped_record(file.entry, SkipReason.TOO_LARGE)
            extracted.append(ExtractedFile(encode_file(record)))
        else:
            extracted.append(_with_inputs(line, extraction, model, with_points=with_points))
    return extracted


def check_model(model: LocalModel) -> None:
    """Raise EmbeddingError unless the model can be loaded and is of its spec."""
    open_embedder(model.spec, EmbedderConfig(models=model.models)).check()


@cache
def _opened(model: LocalModel) -> StaticEmbedder:
    return open_static(model.spec, model.models)


def _with_inputs(
    line: FileLine, extraction: Extraction, model: LocalModel | None, *, with_points: bool
) -> ExtractedFile:
    chunks = extraction.record.chunks
    inputs = embedder_inputs(extraction.record)
    digests = list(map(embedding_digest, inputs))
    points = list(map(_point_data, chunks)) if with_points else ()
    if model is None or not chunks:
        return ExtractedFile(line, inputs, digests, points)
    heads = {
        container: split_words(embedder_input(path=line.record.path, container=container, text=""))
        for container in {chunk.container for chunk in chunks}
    }
    words = [
        heads[chunk.container] + words
        for chunk, words in zip(chunks, extraction.words, strict=True)
    ]
    vectors = list(map(packed_floats, _opened(model).embed_words(inputs, words)))
    return ExtractedFile(line, vectors, digests, points)


def _point_data(chunk: Chunk) -> PointData:
    return PointData(chunk.type, packed_terms(chunk.terms), packed_floats(chunk.terms.weights))


def embedder_inputs(record: FileRecord) -> list[str]:
    """Return the text that is embedded for each chunk of the file."""
    lines = split_lines(record.content)
    return [
        embedder_input(
            path=record.path, container=chunk.container, text=line_span(lines, chunk.span)
        )
        for chunk in record.chunks
    ]


def make_record(file: SourceFile) -> FileRecord:
    """Return the file's record without vectors; see `extract`."""
    return extract(file).record


def extract(file: SourceFile) -> Extraction:
    """Extract a file. Never raises because of a file's content.

    A file that cannot be extracted is cut into windows; if that fails too, it is skipped.
    """
    entry = file.entry
    for attempt in (file, replace(file, degraded=DegradeReason.PARSE_FAILED)):
        try:
            return _extraction(attempt)
        except Exception:  # noqa: BLE001 (it is logged, and a file must not end the run)
            _log.exception("%s could not be extracted", entry.path)
    return Extraction(skipped_record(entry, entry.skipped or SkipReason.UNPROCESSABLE))


def _extraction(file: SourceFile) -> Extraction:
    entry = file.entry
    kept = None if entry.skipped is SkipReason.GENERATED else entry.skipped
    decoded = decode_text(entry.path, file.content, entry.declared_encoding)
    if isinstance(decoded, SkipReason):
        return Extraction(skipped_record(entry, kept or decoded))
    reason = kept or skip_reason_by_content(entry.path, decoded.source)
    if reason and reason is not SkipReason.GENERATED:
        return Extraction(_skipped_manifest(entry, reason, decoded))
    extraction = _extract_selected(file, decoded, _generated_by(entry, reason))
    record = extraction.record
    is_parsed = not record.degraded and LANGUAGES_BY_NAME[record.language].grammar is not None
    if record.generated and not is_parsed:
        return Extraction(_skipped_manifest(entry, SkipReason.GENERATED, decoded))
    return extraction


def _skipped_manifest(entry: TreeEntry, reason: SkipReason, decoded: Decoded) -> FileRecord:
    """Return a skipped file with what it declares, if it is a manifest that a tool writes."""
    record = skipped_record(entry, reason)
    if reason in TOOL_WRITTEN and is_manifest(entry.path):
        return replace(record, manifest=read_manifest(entry.path, decoded.text))
    return record


def _generated_by(entry: TreeEntry, reason: SkipReason | None) -> GeneratedBy | None:
    if entry.skipped is SkipReason.GENERATED:
        return GeneratedBy.ENTRY
    return GeneratedBy.CONTENT if reason is SkipReason.GENERATED else None


def extract_file(
    *, path: str, mode: str, blob: str, content: bytes, generated: GeneratedBy | None = None
) -> FileRecord:
    """Return the record of a selected file that is text, without vectors."""
    decoded = decode_text(path, content)
    if isinstance(decoded, SkipReason):
        raise ValueError(decoded.sentence)
    entry = TreeEntry(path, mode, blob, len(content))
    return _extract_selected(SourceFile(entry, content), decoded, generated).record


def _extract_selected(
    file: SourceFile, decoded: Decoded, generated: GeneratedBy | None
) -> Extraction:
    """Extract a selected file: a pure function of the arguments.

    A file that is too deep or too broken for its grammar is cut into windows and has the reason in
    `degraded`; if the file comes with one, no grammar is used. A generated file has no chunks.
    """
    entry, path = file.entry, file.entry.path
    text, source = decoded.text, decoded.source
    language = LANGUAGES_BY_NAME.get(entry.declared_language) or detect(path, source)
    lines = split_lines(text)
    read = _read(path, language, source, lines, file.degraded)
    drafts = [] if generated else read.drafts()
    words = [split_words(line_span(lines, draft.span)) for draft in drafts]
    record = FileRecord(
        path=path,
        mode=entry.mode,
        blob=entry.blob,
        size=len(file.content),
        language=language.name,
        degraded=read.degraded,
        content=text,
        chunks=_chunks(path, drafts, words),
        symbols=read.symbols,
        namespace=read.relations.namespace,
        imports=read.relations.imports,
        exports=read.relations.exports,
        references=read.relations.references,
        manifest=read_manifest(path, text),
        generated=generated,
        unparsed=read.relations.unparsed,
        encoding=decoded.encoding,
        language_declared=bool(entry.declared_language),
    )
    return Extraction(record, words)


def _read(
    path: str,
    language: Language,
    source: bytes,
    lines: list[str],
    degraded: DegradeReason | None,
) -> Reading:
    if language.host is not None and not (language.host.are_examples and degraded):
        if language.host.are_examples:
            return read_examples(path, language.host, source, lines)
        return read_embedded(path, language.host, source, lines, degraded)
    if language.grammar is None:
        return Reading(partial(chunk_text, lines), degraded)
    if degraded:
        return _read_degraded(language, source, lines, degraded)
    return _read_parsed(path, language, source, lines)


def _read_degraded(
    language: Language, source: bytes, lines: list[str], reason: DegradeReason
) -> Reading:
    """Cut a file whose grammar was of no use into windows: all of it is unparsed."""
    relations = unparsed_relations(language, source)
    return Reading(partial(chunk_text, lines), reason, relations=relations)


def _read_parsed(path: str, language: Language, source: bytes, lines: list[str]) -> Reading:
    """Read a file of a language with a grammar."""
    parsed = parse(language, source)
    if isinstance(parsed, DegradeReason):
        return _read_degraded(language, source, lines, parsed)
    outlined = outline(parsed)
    if isinstance(outlined, DegradeReason):
        return _read_degraded(language, source, lines, outlined)
    relations = extract_relations(path, parsed, outlined)
    return Reading(
        drafts=partial(chunk_definitions, parsed, outlined, lines),
        symbols=_with_declared_exports(symbols(parsed, outlined), relations.declared_exports),
        relations=relations,
    )


def _with_declared_exports(
    symbols: Sequence[Symbol], declared_exports: frozenset[str] | None
) -> tuple[Symbol, ...]:
    """Return the symbols, unexported unless they are in the file's own list of exports."""
    if declared_exports is None:
        return tuple(symbols)
    return tuple(
        replace(symbol, exported=False)
        if symbol.qualified_name.partition(".")[0] not in declared_exports
        else symbol
        for symbol in symbols
    )


def _chunks(
    path: str, drafts: Sequence[ChunkDraft], words: Sequence[Sequence[str]]
) -> tuple[Chunk, ...]:
    names = [
        f"{draft.container}.{draft.name}" if draft.container else draft.name for draft in drafts
    ]
    return tuple(
        Chunk(draft.span, draft.type, draft.name, draft.container, terms)
        for draft, terms in zip(
            drafts, document_terms(path=path, names=names, words=words), strict=True
        )
    )
