"""The follower: it brings stored edges up to what resolution says of the corpus now.

One process at a time follows an organisation. A step compares a repository with what was followed,
asks the questions again that its changes touch, and marks the files as due of which an answer
differs. Another resolves a portion of the due files. Each step is one transaction.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db import transaction

from central.corpus.models import File, Module, Package, Reference
from central.db import copy_into, copy_rows, execute, fetch_rows, id_array, sql_with
from central.repositories.models import Repository
from central.tenancy.models import Organization
from central.trace.constructors import constructor_edges
from central.trace.edges import Edge, edges_to
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.library_models import library_models
from central.trace.resolve.references import ReferenceSite, files_numbered, sites_of_files
from central.trace.resolve.resolve import Resolution, resolve, with_unresolved
from central.trace.resolve.rules import RULES, RULES_WITH_MODELS
from central.trace.resolve.statements import SPLIT_CLASSES
from central.trace.stored import models
from central.trace.stored.changes import changed_files, packages_of, touched_keys
from central.trace.stored.recording import (
    Recorded,
    Surroundings,
    asked,
    digest_of,
    number,
    path_in,
    recorded,
)

PORTION_REFERENCES: Final = 5_000
PORTION_FILES: Final = 100
_RULES: Final = 1  # raised when a rule of resolution changes

_sql = sql_with(
    path=models.Path,
    source=models.Source,
    question=models.Question,
    edge=models.Edge,
    followed=models.Followed,
    file=File,
    module=Module,
    package=Package,
    reference=Reference,
    repository=Repository,
    split_classes=SPLIT_CLASSES,
)
_LOCK: Final = "SELECT pg_try_advisory_xact_lock(hashtextextended('central.edges', %s))"
_BEHIND: Final = _sql("""SELECT r.id FROM {repository} r
    LEFT JOIN {followed} f ON f.repository_id = r.id
    WHERE r.organization_id = %s AND (
        (r.retired_at IS NULL AND r.generation > 0
            AND (r.generation <> coalesce(f.generation, 0) OR f.rules <> %s::bigint))
        OR (r.retired_at IS NOT NULL AND f.generation > 0))
    ORDER BY r.id LIMIT 1""")
_NEW_PATHS: Final = _sql("""INSERT INTO {path} (repository_id, path)
    SELECT %s::bigint, path FROM unnest(%s::text[]) AS path
    ON CONFLICT (repository_id, path) DO UPDATE SET path = EXCLUDED.path
    RETURNING path, id""")
_PUT_SOURCES: Final = _sql("""INSERT INTO {source}
        (path_id, repository_id, file_id, context, modules, due, questions, repositories)
    SELECT path, %s::bigint, file, context, '{}', true, '{}', '{}'
    FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS now (path, file, context)
    ON CONFLICT (path_id) DO UPDATE
    SET file_id = EXCLUDED.file_id, context = EXCLUDED.context, due = true""")
_DROP: Final = (
    _sql("DELETE FROM {source} WHERE path_id = ANY(%s::bigint[])"),
    _sql("DELETE FROM {edge} WHERE source_id = ANY(%s::bigint[])"),
)
_WATCHING: Final = _sql("""SELECT id, kind, fields, digest FROM {question}
    WHERE organization_id = %s::bigint AND watches && %s::bigint[]""")
_DEPENDENT: Final = _sql("""UPDATE {source} SET due = true
    WHERE NOT due AND questions && %s::bigint[]""")
_ALL_DUE: Final = _sql("UPDATE {source} SET due = true WHERE repository_id = %s::bigint AND NOT due")
_DUE: Final = _sql("""SELECT s.path_id, s.file_id, f.path,
        (SELECT count(*) FROM {reference} r WHERE r.file_id = s.file_id)
    FROM {source} s JOIN {repository} o ON o.id = s.repository_id AND o.organization_id = %s::bigint
    JOIN {file} f ON f.id = s.file_id
    WHERE s.due ORDER BY s.repository_id, f.path LIMIT %s""")
_PATHS_OF: Final = _sql("""SELECT f.id, f.repository_id, f.path, p.id
    FROM {file} f LEFT JOIN {path} p ON p.repository_id = f.repository_id AND p.path = f.path
    WHERE f.id = ANY(%s::bigint[])""")
_SCOPES_OF: Final = _sql("""SELECT m.file_id, array_agg(m.name) FROM {module} m
    WHERE m.file_id = ANY(%s::bigint[]) AND m.scope AND m.ecosystem IN {split_classes}
    GROUP BY m.file_id""")
_OF_C: Final = _sql("""SELECT DISTINCT m.file_id, m.repository_id FROM {module} m
    WHERE m.file_id = ANY(%s::bigint[]) AND m.ecosystem = 'none' AND starts_with(m.name, '/')""")
_OF_PACKAGES: Final = _sql("SELECT id, repository_id FROM {package} WHERE id = ANY(%s::bigint[])")
_FILES_AT: Final = _sql("""SELECT p.id, f.id
    FROM {path} p JOIN {file} f ON f.repository_id = p.repository_id AND f.path = p.path
    WHERE p.id = ANY(%s::bigint[])""")
_PUT_QUESTIONS: Final = _sql("""INSERT INTO {question}
        (id, organization_id, kind, fields, digest, watches)
    SELECT q.id, %s::bigint, q.kind, q.fields, q.digest, q.watches::bigint[]
    FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::text[])
        AS q (id, kind, fields, digest, watches)
    ON CONFLICT (id) DO UPDATE SET digest = EXCLUDED.digest, watches = EXCLUDED.watches
    WHERE {question}.digest <> EXCLUDED.digest
    RETURNING id""")
_KNOWN: Final = _sql("SELECT id, digest FROM {question} WHERE id = ANY(%s::bigint[])")
_DONE: Final = _sql("""UPDATE {source} SET due = false, questions = now.questions::bigint[],
        repositories = now.repositories::bigint[]
    FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS now (path, questions, repositories)
    WHERE path_id = now.path""")
_EDGE_COPY: Final = copy_into(
    models.Edge,
    "source",
    "repository",
    "references",
    "target",
    "name",
    "kind",
    "rule",
    "confidence",
    "candidates",
    "is_alias",
    "via",
    "receiver",
    "receiver_name",
    "written",
    "written_name",
    "model",
)


def follow(organization: Organization) -> bool:
    """Do one step; return whether there may be another."""
    with transaction.atomic():
        ((locked,),) = fetch_rows(_LOCK, [organization.pk])
        if not locked:
            return False
        step = _Step(organization)
        behind = fetch_rows(_BEHIND, [organization.pk, step.rules])
        if behind:
            step.compare(Repository.objects.get(pk=behind[0][0]))
            return True
        return step.resolve_due()


class _Step:
    def __init__(self, organization: Organization) -> None:
        self._organization = organization
        self.rules = _rules_digest(organization)
        repositories = Repository.objects.filter(
            organization=organization, retired_at=None, generation__gt=0
        ).values_list("id", flat=True)
        rules = RULES_WITH_MODELS if organization.uses_models else RULES
        self._resolver = BatchResolver(rules, repositories=repositories, is_recorded=True)

    def compare(self, repository: Repository) -> None:
        """Mark the files as due that a repository's changes concern."""
        followed, _ = models.Followed.objects.get_or_create(repository=repository)
        files = [] if repository.retired_at else changed_files(repository.pk)
        packages = packages_of(repository.pk)
        known = {one.path: one.path_id for one in files if one.path_id is not None}
        new = [one.path for one in files if one.path_id is None]
        known |= dict(fetch_rows(_NEW_PATHS, [repository.pk, new]))
        present = [one for one in files if one.id is not None]
        execute(
            _PUT_SOURCES,
            [
                repository.pk,
                id_array(known[one.path] or 0 for one in present),
                id_array(one.id or 0 for one in present),
                id_array(one.context or 0 for one in present),
            ],
        )
        for one in present:
            models.Source.objects.filter(path_id=known[one.path]).update(modules=one.modules)
        gone = id_array(known[one.path] or 0 for one in files if one.id is None)
        for statement in _DROP:
            execute(statement, [gone])
        paths = [path for path in known.values() if path]
        self._ask_again(touched_keys(followed, files, paths, packages))
        if followed.rules != self.rules:
            execute(_ALL_DUE, [repository.pk])
        followed.generation = 0 if repository.retired_at else repository.generation
        followed.rules = self.rules
        followed.packages, followed.distributions = packages.digest, packages.keys
        followed.save()

    def _ask_again(self, keys: Iterable[int]) -> None:
        """Ask what watches these keys; mark the files of which an answer differs as due."""
        stored = fetch_rows(_WATCHING, [self._organization.pk, id_array(keys)])
        paths = {path_in(kind, fields) for _, kind, fields, _ in stored} - {0}
        files = dict(fetch_rows(_FILES_AT, [id_array(paths)]))
        questions = [asked(kind, fields, files) for _, kind, fields, _ in stored]
        answers = self._resolver.resolve_all(questions)
        found = {
            (type(question), question): answer
            for question, answer in zip(questions, answers, strict=True)
        }
        around = self._surroundings(found)
        changed = []
        for (id_, kind, fields, digest), question, answer in zip(
            stored, questions, answers, strict=True
        ):
            if digest_of(answer, around.paths) != digest:
                again = recorded(self._organization.pk, question, answer, around)
                changed.append(again._replace(id=id_, kind=kind, fields=fields))
        self._put_questions(changed)
        execute(_DEPENDENT, [id_array(one.id for one in changed)])

    def resolve_due(self) -> bool:
        """Resolve a portion of the due files; return whether there were any."""
        due = _portion(fetch_rows(_DUE, [self._organization.pk, PORTION_FILES]))
        if not due:
            return False
        sites = _sites(self._resolver, [one[1] for one in due])
        self._resolved([site for several in sites.values() for site in several])
        self._resolver.taken_rows()
        parts = {}
        found: dict[Any, Any] = {}
        for path, file, *_ in due:
            made = self._resolved(sites.get(file, []))
            rows = {
                key: answer
                for key, answer in self._resolver.taken_rows().items()
                if getattr(key[1], "file", 0) != file
            }
            parts[path, file] = (made, rows)
            found |= rows
        files = {edge.target[0] for made, _ in parts.values() for edge in made.edges}
        around = self._surroundings(found, self._files_of(parts) | files)
        questions = {
            key: recorded(self._organization.pk, key[1], answer, around)
            for key, answer in found.items()
        }
        self._put_questions(list(questions.values()))
        execute(_DROP[1], [id_array(path for path, _ in parts)])
        copy_rows(_EDGE_COPY, _edge_rows(parts, around.paths))
        execute(
            _DONE,
            [
                id_array(path for path, _ in parts),
                [id_array({questions[key].id for key in rows}) for _, rows in parts.values()],
                [id_array(sorted(_repositories(rows, around))) for _, rows in parts.values()],
            ],
        )
        return True

    def _files_of(self, parts: Mapping[Any, Any]) -> set[int]:
        found = set()
        for made, _ in parts.values():
            for edge in made.edges:
                if edge.definition:
                    found |= {edge.definition.file, *edge.definition.via_files}
                    if edge.definition.receiver:
                        found.add(edge.definition.receiver[0])
        return found

    def _resolved(self, sites: Sequence[ReferenceSite]) -> "_Made":
        resolutions = with_unresolved(
            self._resolver, sites, resolve(self._resolver, sites)
        )
        edges = [
            edge
            for site, one in zip(sites, resolutions, strict=True)
            for edge in edges_to(site, one)
        ]
        edges += constructor_edges(self._resolver, edges)
        return _Made(edges, list(zip(sites, resolutions, strict=True)))

    def _put_questions(self, questions: Sequence[Recorded]) -> None:
        """Store questions; whoever depends on an answer that was another is due."""
        ids = id_array(one.id for one in questions)
        before = dict(fetch_rows(_KNOWN, [ids]))
        other = [one.id for one in questions if before.get(one.id, one.digest) != one.digest]
        execute(_DEPENDENT, [id_array(other)])
        fetch_rows(
            _PUT_QUESTIONS,
            [
                self._organization.pk,
                ids,
                [one.kind for one in questions],
                [one.fields for one in questions],
                id_array(one.digest for one in questions),
                [id_array(one.watches) for one in questions],
            ],
        )

    def _surroundings(
        self, found: Mapping[Any, Sequence[Any]], further: Iterable[int] = ()
    ) -> Surroundings:
        files = {
            file
            for (_, question), answer in found.items()
            for row in (question, *answer)
            if (file := getattr(row, "file", 0))
        }
        packages = {getattr(question, "package", 0) for _, question in found}
        ids = id_array(sorted(files | set(further)))
        rows = fetch_rows(_PATHS_OF, [ids])
        paths = {file: path for file, _, _, path in rows if path}
        missing: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for file, repository, text, path in rows:
            if not path:
                missing[repository].append((file, text))
        for repository, several in missing.items():
            made = dict(fetch_rows(_NEW_PATHS, [repository, [text for _, text in several]]))
            paths |= {file: made[text] for file, text in several}
        return Surroundings(
            paths,
            {file: tuple(names) for file, names in fetch_rows(_SCOPES_OF, [ids])},
            dict(fetch_rows(_OF_PACKAGES, [id_array(packages)])),
            dict(fetch_rows(_OF_C, [ids])),
        )


class _Made(NamedTuple):
    edges: list[Edge]
    resolutions: list[tuple[ReferenceSite, Resolution]]


def _rules_digest(organization: Organization) -> int:
    models_ = library_models().version if organization.uses_models else ""
    return number("rules", f"{_RULES}:{models_}")


def _portion(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    taken: list[tuple[Any, ...]] = []
    room = PORTION_REFERENCES
    for row in rows:
        if taken and row[3] > room:
            break
        taken.append(row)
        room -= row[3]
    return taken


def _sites(resolver: BatchResolver, files: Sequence[int]) -> Mapping[int, list[ReferenceSite]]:
    found: dict[int, list[ReferenceSite]] = defaultdict(list)
    counted = files_numbered(files)
    for site in sites_of_files(resolver, counted, after=("", 0), limit=10_000_000):
        found[site.file].append(site)
    return found


def _repositories(rows: Mapping[Any, Sequence[Any]], around: Surroundings) -> set[int]:
    return {
        repository
        for answer in rows.values()
        for row in answer
        if (repository := getattr(row, "repository", 0))
    }


def _edge_rows(parts: Mapping[Any, Any], paths: Mapping[int, int]) -> Iterator[tuple[Any, ...]]:
    for (path, _), (made, _) in parts.items():
        grouped: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        repository = 0
        for edge in made.edges:
            repository = edge.site.repository
            one = edge.definition
            written = one.key if one and edge.is_to_constructor else None
            receiver = one.receiver if one else None
            key = (
                paths[edge.target[0]],
                edge.target[1],
                one.kind if one else "",
                edge.rule,
                int(edge.confidence),
                edge.candidates,
                bool(one and one.is_alias),
                tuple(paths[file] for file in (one.via_files if one else ())),
                paths[receiver[0]] if receiver else None,
                receiver[1] if receiver else "",
                paths[written[0]] if written else None,
                written[1] if written else "",
                one.model if one else "",
            )
            grouped[key].append(edge.site.id)
        for site, resolution in made.resolutions:
            repository = site.repository
            if not resolution.targets:
                rule = "unresolved" if resolution.is_unresolved else "elsewhere"
                key = (None, site.name, "", rule, 0, 0, False, (), None, "", None, "", "")
                grouped[key].append(site.id)
        for key, references in grouped.items():
            via = list(key[7])
            yield (path, repository, references, *key[:7], via, *key[8:])
