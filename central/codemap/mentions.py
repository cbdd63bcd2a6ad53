"""Where the text of the visible repositories has a name that nothing else explains.

A definition of the name, a reference that leads elsewhere and an import of something else explain
it, a comment or prose does not call. Found by the index of trigrams, then read.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from central.corpus.models import File, Reference, Symbol
from central.corpus.trigrams.candidates import candidates
from central.corpus.trigrams.tree import EVERYTHING, literal_trigrams
from central.db import fetch_rows, id_array, sql_with
from central.trace.resolve.definitions import Definition
from central.trace.resolve.engine import BatchResolver
from indexer.ecosystems import ecosystem_of
from indexer.records.languages import LANGUAGES

UNUSED_FILES: Final = 50  # that are read for a name
_PROSE: Final = frozenset({"asciidoc", "markdown", "restructuredtext", "text"})
_COMMENT: Final = re.compile(r"(?://|/\*|\*(?: |/|$)|#(?:[ :]|$)|<!--|-- )")
_sql = sql_with(file=File, symbol=Symbol, reference=Reference)
# In other repositories only of languages that may call it.
_CONTENT: Final = _sql("""SELECT f.id, f.repository_id, f.path, f.content FROM {file} f
    WHERE f.id = ANY(%s::bigint[]) AND f.repository_id = ANY(%s::bigint[])
        AND (f.repository_id = %s::bigint OR f.language = ANY(%s::text[]))
        AND NOT f.language = ANY(%s::text[]) AND position(%s::text IN f.content) > 0
    ORDER BY f.id""")
_DEFINED: Final = _sql("""SELECT s.file_id, s.start_line FROM {symbol} s
    WHERE s.name = %s::text AND s.file_id = ANY(%s::bigint[])""")
_REFERRING: Final = _sql("""SELECT r.file_id, r.line FROM unnest(%s::bigint[]) AS q (file)
    CROSS JOIN LATERAL (SELECT * FROM {reference} r WHERE r.file_id = q.file OFFSET 0) AS r
    WHERE r.name = %s::text""")


class Mention(NamedTuple):
    """The first place that nothing explains; without a file, there are too many to look at."""

    repository: int = 0
    path: str = ""
    line: int = 0

    def in_project(self, project: str) -> str:
        """Return the place with the name of its project."""
        return f"{project}/{self.path}:{self.line}"


def first_mentions(
    resolver: BatchResolver,
    repositories: Sequence[int],
    definitions: Iterable[Definition],
    explained: Collection[tuple[int, int]],
) -> Mapping[int, Mention]:
    """Return the first mention of each definition's name outside of itself, by definition id.

    No reference of such a name is unresolved. `explained` are further lines that do not mean it.
    Of a name that is in many files, UNUSED_FILES are read.
    """
    found: dict[int, Mention] = {}
    for definition in definitions:
        mention = _first_mention(resolver, repositories, definition, explained)
        if mention:
            found[definition.id] = mention
    return found


def _first_mention(
    resolver: BatchResolver,
    repositories: Sequence[int],
    definition: Definition,
    explained: Collection[tuple[int, int]],
) -> Mention | None:
    tree = literal_trigrams(definition.name)
    if tree == EVERYTHING:
        return Mention()
    where = candidates(repositories, tree, most=UNUSED_FILES)
    if where.incomplete or where.damaged:
        return Mention()
    others = chain.from_iterable(ids.tolist() for ids in where.files.values())
    files = [
        definition.file,
        *islice((file for file in others if file != definition.file), UNUSED_FILES),
    ]
    callers = sorted(languages_with(definition.language))
    asked = [id_array(files), resolver.repositories, definition.repository, callers, sorted(_PROSE)]
    rows = fetch_rows(_CONTENT, [*asked, definition.name])
    ids = id_array(file for file, *_ in rows)
    known = {*explained, *fetch_rows(_DEFINED, [definition.name, ids])}
    known.update(fetch_rows(_REFERRING, [ids, definition.name]))
    for file, repository, path, content in rows:
        for line in _lines_with(definition.name, content):
            is_inside = (
                file == definition.file and definition.start_line <= line <= definition.end_line
            )
            if not is_inside and (file, line) not in known:
                return Mention(repository, path, line)
    return Mention() if len(files) > UNUSED_FILES else None


def languages_with(language: str) -> set[str]:
    """Return the languages of the same ecosystem: their files may call its definitions."""
    own = ecosystem_of(language)
    return {language for language in LANGUAGES if ecosystem_of(language) == own}


def _lines_with(name: str, content: str) -> Iterator[int]:
    """Yield the lines that have a name as a word, unless they are comments as a whole."""
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    for number, line in enumerate(content.split("\n"), 1):
        if name in line and word.search(line) and not _COMMENT.match(line.lstrip()):
            yield number
