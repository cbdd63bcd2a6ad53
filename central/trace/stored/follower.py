"""The follower: it brings the stored edges up to what resolution says of the corpus now.

Each step of an organisation is one transaction. A step compares a
repository with what was followed, asks the questions again that its changes touch, and marks the
files as due of which an answer differs. Another resolves a portion of the due files.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from central.corpus.models import Reference
from central.db import (
    Row,
    columns_of,
    execute,
    fetch_rows,
    id_array,
    one_moment,
    sql_with,
    written_from_one_moment,
)
from central.projections import Difference, Projection
from central.repositories.models import Repository
from central.tenancy.models import Organization
from central.trace.resolve.engine import BatchResolver, TakenRows
from central.trace.resolve.questions import Limit
from central.trace.resolve.rules import rules_of
from central.trace.stored.changes import Packages, changed_files, packages_of, touched_keys
from central.trace.stored.models import (
    Edge,
    FollowedRepository,
    Inheritance,
    PackageImport,
    Path,
    Question,
    Source,
)
from central.trace.stored.package_imports import (
    import_rows,
    imported_by,
    imports_in,
    write_package_imports,
)
from central.trace.stored.recording import (
    Recorded,
    Surroundings,
    WatchedKind,
    asked,
    files_at,
    is_of_file_alone,
    path_in,
    paths_for,
    recorded,
    surroundings,
)
from central.trace.stored.rows import (
    base_rows,
    edge_rows,
    resolved_files,
    write_edges,
)
from central.trace.stored.state import behind, live_files, organizations_with_work, rules_digest

EDGES_REFERENCES: Final = 5_000  # of several files, resolved in one transaction of the follower
EDGES_FILES: Final = 100  # of which these are
_sql = sql_with(
    source=Source,
    question=Question,
    edge=Edge,
    inheritance=Inheritance,
    imported=PackageImport,
    reference=Reference,
    repository=Repository,
    followed=FollowedRepository,
)
_PUT_SOURCES: Final = _sql("""INSERT INTO {source}
        (path_id, repository_id, file_id, context, scip, modules, due, is_cut, questions,
            repositories)
    SELECT path, %s::bigint, file, context, scip, modules::bigint[], true, false, '{}', '{}'
    FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[])
        AS now (path, file, context, scip, modules)
    ON CONFLICT (path_id) DO UPDATE SET file_id = EXCLUDED.file_id, due = true, questions = '{}',
        context = EXCLUDED.context, scip = EXCLUDED.scip, modules = EXCLUDED.modules""")
_DELETE_SOURCES: Final = _sql("DELETE FROM {source} WHERE path_id = ANY(%s::bigint[])")
_DELETE_EDGES: Final = _sql("DELETE FROM {edge} WHERE source = ANY(%s::bigint[])")
_DELETE_BASES: Final = _sql("DELETE FROM {inheritance} WHERE source = ANY(%s::bigint[])")
_DELETE_IMPORTS: Final = _sql("DELETE FROM {imported} WHERE source = ANY(%s::bigint[])")
_WATCHING: Final = _sql("""SELECT id, kind, fields, digest, watches FROM {question}
    WHERE organization_id = %s::bigint AND watches && %s::bigint[]""")
_DEPENDENT: Final = _sql("""UPDATE {source} SET due = true
    WHERE NOT due AND questions && %s::bigint[]""")
_ALL_DUE: Final = _sql(
    "UPDATE {source} SET due = true WHERE repository_id = %s::bigint AND NOT due"
)
# Of the repository that was indexed last; what changed before what depends on it.
_DUE: Final = _sql("""WITH next AS MATERIALIZED (
        SELECT r.id FROM {repository} r
        WHERE r.organization_id = %s::bigint
            AND EXISTS (SELECT FROM {source} s WHERE s.repository_id = r.id AND s.due)
        ORDER BY r.indexed_at DESC NULLS LAST LIMIT 1)
    SELECT s.path_id, s.file_id,
        (SELECT count(*) FROM {reference} r WHERE r.file_id = s.file_id)
    FROM next JOIN {source} s ON s.repository_id = next.id
    WHERE s.due ORDER BY s.questions <> '{}', s.path_id LIMIT %s""")
_PUT_QUESTIONS: Final = _sql("""INSERT INTO {question}
        (id, organization_id, kind, fields, digest, watches)
    SELECT q.id, %s::bigint, q.kind, q.fields, q.digest, q.watches::bigint[]
    FROM unnest(%s::bigint[], %s::smallint[], %s::text[], %s::bigint[], %s::text[])
        AS q (id, kind, fields, digest, watches)
    ON CONFLICT (id) DO UPDATE SET digest = EXCLUDED.digest, watches = EXCLUDED.watches
    WHERE {question}.digest <> EXCLUDED.digest OR {question}.watches <> EXCLUDED.watches""")
_DELETE_UNUSED: Final = _sql("""WITH deleted AS (DELETE FROM {question} q
    WHERE q.organization_id = %s::bigint AND NOT EXISTS (
        SELECT FROM (SELECT unnest(s.questions) AS id FROM {source} s
            JOIN {followed} f ON f.repository_id = s.repository_id
            WHERE f.organization_id = %s::bigint) AS used
        WHERE used.id = q.id) RETURNING 1)
    SELECT count(*) FROM deleted""")
_DIGESTS: Final = _sql("SELECT id, digest FROM {question} WHERE id = ANY(%s::bigint[])")
_RESOLVED: Final = _sql("""UPDATE {source} SET due = false, is_cut = now.is_cut,
        disagreements = now.disagreements, questions = now.questions::bigint[],
        repositories = now.repositories::bigint[]
    FROM unnest(%s::bigint[], %s::bool[], %s::bigint[], %s::text[], %s::text[])
        AS now (path, is_cut, disagreements, questions, repositories)
    WHERE path_id = now.path""")


class CallEdges(Projection):
    """The stored edges of organisations."""

    lock = 0x65646765

    def behind(self) -> list[int]:
        """Return organisations with a repository to compare, or with due files."""
        return organizations_with_work()

    def update(self, subject: int) -> bool:
        """Compare a repository or resolve a portion of the due files of an organisation."""
        with written_from_one_moment():
            organization = Organization.objects.get(pk=subject)
            step = _Step(organization)
            repository = behind(organization)
            if repository is not None:
                step.compare(repository)
                return True
            return step.resolve_due()

    def rebuild(self, repository: Repository, *, repair: bool) -> Difference:
        """Compare the edges of some files; with `repair`, those that differ are due."""
        return compare_edges(repository, repair=repair)


def delete_unused_questions() -> int:
    """Delete the questions that no file depends on any more; return how many there were."""
    count = 0
    for key in Organization.objects.order_by("pk").values_list("pk", flat=True):
        with CallEdges().held(key) as has_lock:  # else the follower may just ask them
            if has_lock:
                [row] = fetch_rows(_DELETE_UNUSED, [key, key])
                count += row[0]
    return count


class _Due(NamedTuple):
    path: int
    file: int
    references: int


class _Source(NamedTuple):
    """What a file's edges depend on; `repositories` are others than its own."""

    path: int
    is_cut: bool
    questions: set[int]
    repositories: set[int]


def _source(
    due: _Due, taken: TakenRows, questions: Mapping[Any, Recorded], around: Surroundings
) -> _Source:
    own = {key: questions[key] for key in taken if key in questions}
    read = {repository for question in own.values() for repository in question.repositories}
    return _Source(
        due.path,
        len(own) < len(taken),
        {
            put.id
            for (_, question), put in own.items()
            if not is_of_file_alone(question, due.file, around)
        },
        read - {0, around.repositories.get(due.file, 0)},
    )


class _Step:
    def __init__(self, organization: Organization) -> None:
        self._organization = organization
        present = Repository.objects.filter(organization=organization, retired_at=None)
        self._present = dict(present.values_list("id", "generation"))
        self._resolver = BatchResolver(
            rules_of(organization), repositories=self._present, is_recorded=True
        )

    def compare(self, repository: int) -> None:
        """Mark the files as due that the changes of a repository concern."""
        followed, _ = FollowedRepository.objects.get_or_create(
            repository_id=repository, defaults={"organization": self._organization}
        )
        is_present = repository in self._present
        files = changed_files(repository, is_present=is_present)
        packages = packages_of(repository) if is_present else Packages([], 0)
        paths = {file.path: file.path_id for file in files if file.path_id is not None}
        paths |= paths_for(repository, [file.path for file in files if file.path_id is None])
        present = [file for file in files if file.id is not None]
        execute(
            _PUT_SOURCES,
            [
                repository,
                id_array(paths[file.path] for file in present),
                id_array(file.id or 0 for file in present),
                id_array(file.context or 0 for file in present),
                id_array(file.scip or 0 for file in present),
                [id_array(file.modules) for file in present],
            ],
        )
        gone = [paths[file.path] for file in files if file.id is None]
        execute(_DELETE_SOURCES, [id_array(gone)])
        self._delete_edges(gone)
        self._ask_again(touched_keys(followed, files, paths, packages))
        rules = rules_digest(uses_models=self._organization.uses_models)
        if followed.rules != rules:
            execute(_ALL_DUE, [repository])
        if not is_present:  # and what led there is due
            Path.objects.filter(repository_id=repository).delete()
            followed.delete()
            return
        followed.generation = self._present[repository]
        followed.rules = rules
        followed.packages, followed.distributions = packages.digest, packages.keys
        followed.save()

    def _ask_again(self, keys: Iterable[int]) -> None:
        """Ask what watches these keys again; the files of which an answer differs are due.

        What may change an answer can be other than before, although the answer is the same.
        """
        stored = fetch_rows(_WATCHING, [self._organization.pk, id_array(keys)])
        files = files_at(path_in(kind, fields) for _, kind, fields, *_ in stored)
        questions = [asked(kind, fields, files) for _, kind, fields, *_ in stored]
        answers = self._resolver.resolve_all(questions)
        around = surroundings(zip(questions, answers, strict=True))
        changed = []
        for (number, kind, fields, digest, watches), question, answer in zip(
            stored, questions, answers, strict=True
        ):
            now = recorded(self._organization.pk, question, answer, around)
            if path := path_in(kind, fields):  # also where no file is at the moment
                now = now._replace(
                    watches=tuple(sorted({*now.watches, WatchedKind.PATH.key(path)}))
                )
            if (now.digest, now.watches) != (digest, tuple(watches)):
                changed.append(now._replace(id=number))
        self._put_questions(changed)

    def resolve_due(self) -> bool:
        """Resolve a portion of the due files; return whether there were any."""
        due = _portion(_Due(*row) for row in fetch_rows(_DUE, [self._organization.pk, EDGES_FILES]))
        if not due:
            return False
        files = {due_file.path: due_file.file for due_file in due}
        imports = imports_in(self._resolver, files.values())
        self._resolver.resolve_all(
            [statement for several in imports.values() for statement in several]
        )
        parts = {  # each with the rows that it took
            path: (
                part,
                imported_by(self._resolver, imports[files[path]]),
                self._resolver.taken_rows(),
            )
            for path, part in resolved_files(self._resolver, files)
        }
        rows = {key: answer for *_, taken in parts.values() for key, answer in taken.items()}
        named = {file for part, *_ in parts.values() for file in part.files()}
        around = surroundings(((key[1], answer) for key, answer in rows.items()), named)
        questions = {
            key: recorded(self._organization.pk, key[1], answer, around)
            for key, answer in rows.items()
            if key[0] is not Limit
        }
        sources = [
            _source(due_file, parts[due_file.path][2], questions, around) for due_file in due
        ]
        asked_by = {number for source in sources for number in source.questions}
        self._put_questions(question for question in questions.values() if question.id in asked_by)
        self._delete_edges(due_file.path for due_file in due)
        write_edges({path: part for path, (part, _, _) in parts.items()}, around)
        write_package_imports({path: found for path, (_, found, _) in parts.items()})
        execute(
            _RESOLVED,
            [
                id_array(source.path for source in sources),
                [source.is_cut for source in sources],
                id_array(parts[source.path][0].disagreements for source in sources),
                [id_array(source.questions) for source in sources],
                [id_array(source.repositories) for source in sources],
            ],
        )
        return True

    def _delete_edges(self, sources: Iterable[int]) -> None:
        ids = id_array(sources)
        for statement in (_DELETE_EDGES, _DELETE_BASES, _DELETE_IMPORTS):
            execute(statement, [ids])

    def _put_questions(self, questions: Iterable[Recorded]) -> None:
        """Store questions; the files that had another answer are due."""
        new = {question.id: question for question in questions}
        digests = dict(fetch_rows(_DIGESTS, [id_array(new)]))
        other = [
            key
            for key, question in new.items()
            if digests.get(key, question.digest) != question.digest
        ]
        execute(_DEPENDENT, [id_array(other)])
        ordered = list(new.values())
        execute(
            _PUT_QUESTIONS,
            [
                self._organization.pk,
                id_array(question.id for question in ordered),
                [question.kind for question in ordered],
                [question.fields for question in ordered],
                id_array(question.digest for question in ordered),
                [id_array(question.watches) for question in ordered],
            ],
        )


def _portion(due: Iterable[_Due]) -> list[_Due]:
    """Return the first files whose references fit; at least one."""
    taken: list[_Due] = []
    room = EDGES_REFERENCES
    for file in due:
        if taken and file.references > room:
            break
        taken.append(file)
        room -= file.references
    return taken


_SAMPLED_FILES: Final = 200


def compare_edges(repository: Repository, *, repair: bool) -> Difference:
    """Return of how many files the edges differ; with `repair`, these are resolved again.

    While the follower has work, nothing can be said: that is `due`.
    """
    organization = repository.organization
    sources = Source.objects.filter(repository_id=repository.pk)
    with one_moment():
        present = Repository.objects.filter(organization=organization, retired_at=None)
        live = live_files(organization, id_array(present.values_list("id", flat=True))).files
        if live is None:
            return Difference(due=1, differing=0)
        paths = sources.exclude(file_id__in=live).order_by("?")
        sample = paths.values_list("path_id", flat=True)[:_SAMPLED_FILES]
        wrong = different(organization, list(sample))
        due = sources.filter(due=True).count()
    if repair:
        Source.objects.filter(path_id__in=wrong).update(due=True)
    return Difference(due=due, differing=len(wrong))


def different(organization: Organization, paths: Sequence[int]) -> list[int]:
    """Return those of the paths of which what is stored is not what resolution says now."""
    present = Repository.objects.filter(organization=organization, retired_at=None)
    resolver = BatchResolver(
        rules_of(organization), repositories=present.values_list("id", flat=True)
    )
    files = dict(Source.objects.filter(path_id__in=paths).values_list("path_id", "file_id"))
    parts = dict(resolved_files(resolver, files))
    around = surroundings((), {file for part in parts.values() for file in part.files()})
    imports = imports_in(resolver, files.values())
    imported = {path: imported_by(resolver, imports[file]) for path, file in files.items()}
    live = _by_source(edge_rows(parts, around), base_rows(parts, around), import_rows(imported))
    stored = _by_source(
        *(
            model._default_manager.filter(source__in=paths).values_list(*columns_of(model))
            for model in (Edge, Inheritance, PackageImport)
        )
    )
    return [path for path in paths if live.get(path) != stored.get(path)]


def _by_source(
    edges: Iterable[Row], bases: Iterable[Row], imports: Iterable[Row]
) -> dict[int, set[Any]]:
    found: dict[int, set[Any]] = {}
    for source, repository, references, *fields in edges:
        comparable = (tuple(field) if isinstance(field, list) else field for field in fields)
        found.setdefault(source, set()).add((repository, *sorted(references), *comparable))
    for source, *names in (*bases, *imports):
        found.setdefault(source, set()).add(tuple(names))
    return found
