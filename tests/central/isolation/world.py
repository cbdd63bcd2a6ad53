"""Two organisations in which every text says whose it is: a word that no other row has.

`acme` has a public repository and a private one, the hidden one, that use each other's code;
`globex` has nothing.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from central.alerts.models import AlertDestination, Condition, RepositoryAlert
from central.corpus.commits import derived_rows, put_derived_rows
from central.corpus.models import Commit, CommitChange, CommitPatch, WithheldPath
from central.corpus.patches import commit_text, pack_patch
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.segments import SegmentWriter
from central.github.models import GitHubDelivery, GitHubPolicy
from central.ingest.models import Batch, Delivery
from central.knowledge.models import Mention, Node, PolicyCheck
from central.knowledge.services.catch_up import KnowledgeGraph
from central.onboarding.models import Backfill, BackfillRepository
from central.repositories.models import (
    Branch,
    ForgeStatement,
    IndexProblem,
    Push,
    Repository,
    Visibility,
)
from central.saved_searches.models import SavedSearch, WatchedFile, WatchedRepository
from central.tenancy.models import AuditEntry, Organization, Scope
from indexer.records.authors import AuthorPolicy
from indexer.records.history import ChangeStatus
from tests.central.factories import (
    ApiTokenFactory,
    IndexRunFactory,
    InvitationFactory,
    MembershipFactory,
    OrganizationFactory,
    RepositoryFactory,
    UserFactory,
)
from tests.central.knowledge.graph import created, linked
from tests.central.protocol import api_of
from tests.central.search.corpus import index_repository

# The words of a repository that few see and of a public one, of an organisation's documents and
# of its settings; and numbers of rows that addresses name.
HIDDEN, OPEN, WHOLE, SETTINGS = "quince", "cherry", "medlar", "damson"
KEYS: Final = {HIDDEN: 7_000_007, OPEN: 8_000_008, SETTINGS: 9_000_009}
NUMBER: Final = 70_000_000

_SOURCES: Final = {
    "pyproject.toml": (
        '[project]\nname = "{own}-kit"\nversion = "1.{own}"\n'
        'dependencies = ["{own}-more=={own}"{uses}]\n'
    ),
    "{own}_kit/jam.py": (
        "from {imported} as {own}_alias\nfrom {own}_kit import *\n\n\n"
        "class {own}_pot:\n"
        '    """Keep {own} preserves."""\n\n'
        "    def {own}_jam(self):\n        return {own}_alias({own}_spoon())\n\n\n"
        "def {own}_jam(fruit):\n    return {own}_pot().{own}_jam()\n"
    ),
    "tests/test_{own}.py": "def test_{own}({own}_fixture):\n    {own}_fixture.{own}_stir()\n",
    "{own}_kit/__init__.py": "from {own}_kit.jam import {own}_jam\n",
    "{own}_kit/spilt.py": "class ({own}_lid {own}_scald(1\n",
    "{plain}/boiling.py": "def boil_{plain}():\n    return '{own}'\n",
    "CODEOWNERS": "* @acme/{own}-team {own}@acme.example\n/tests/\n{own}\n",
}
# What each of the two has of the other: no file of the open one holds the other's word.
_USED: Final = {
    HIDDEN: {"imported": f"{OPEN}_kit.jam import {OPEN}_jam", "uses": f', "{OPEN}-kit"'},
    OPEN: {"imported": "stove.boiling import boil_stove", "uses": ""},
}
_PLAIN: Final = {HIDDEN: "stove", OPEN: "hob"}
_RULE: Final = "rule: {kind: identifier, regex: _jam}"

# Columns that hold no text of anybody's: a state, a name of ours, a secret's beginning.
FIXED: Final = {
    *("alerts.AlertDestination.sealed_address", "corpus.Chunk.type", "corpus.Dependency.required"),
    *("corpus.Embedding.embedder", "corpus.File.degraded", "corpus.File.extractor"),
    *(
        "corpus.File.unparsed",
        "corpus.File.generated",
        "corpus.File.language",
        "corpus.File.mode",
        "corpus.File.skipped",
    ),
    *("corpus.Symbol.kind", "corpus.CommitChange.status"),
    *("ingest.Batch.path_keys", "ingest.Batch.file_vectors"),
    *("ingest.IndexRun.embedder", "ingest.IndexRun.extractor", "ingest.IndexRun.mode"),
    *("ingest.IndexRun.reason", "knowledge.Document.embedder", "knowledge.Edge.type"),
    *("knowledge.Mention.type", "knowledge.Policy.language", "onboarding.BackfillRepository.stage"),
    *("knowledge.Node.path", "knowledge.Node.qualified_name"),  # documents have none
    *("repositories.Repository.embedder", "repositories.Repository.extractor"),
    *("repositories.Branch.embedder", "repositories.Branch.extractor"),
    *("repositories.Branch.last_mode", "repositories.Branch.last_reason"),
    *("repositories.Repository.last_mode", "repositories.Repository.last_reason"),
    *("repositories.Repository.tracked_ref", "tenancy.ApiToken.prefix", "tenancy.ApiToken.scopes"),
    *("tenancy.ApiToken.visibilities", "tenancy.Invitation.prefix"),
    *("tenancy.Membership.visibilities", "tenancy.Organization.embedder"),
    *("tenancy.Organization.slug", "tenancy.AuditEntry.organization"),
    *("tenancy.ApiToken.bound_visibility", "tenancy.ApiToken.bound_project"),
    *("tenancy.ApiToken.bound_url", "tenancy.ApiToken.bound_ref", "tenancy.ApiToken.bound_commit"),
    "tenancy.AuditEntry.action",
}


def build(*, has_hidden: bool = True, has_acme: bool = True) -> None:
    """Make the rows. What the attacker has is the same in each of the worlds."""
    OrganizationFactory.create(slug="globex")
    if not has_acme:
        return
    acme = OrganizationFactory.create(
        slug="acme", author_policy=AuthorPolicy.PLAIN, branches=[SETTINGS]
    )
    words = [OPEN, HIDDEN] if has_hidden else [OPEN]
    for word in words:
        _add_repository(acme, word)
    if has_hidden:
        RepositoryFactory.create(organization=acme, name=f"{HIDDEN}-kit-announced")
    _add_own(acme)
    _add_documents(acme, words)
    _add_saved_search(acme, words)
    _fill_columns()


def _add_repository(acme: Organization, word: str) -> None:
    names = {"own": word, "plain": _PLAIN[word], **_USED[word]}
    files = {path.format(**names): text.format(**names) for path, text in _SOURCES.items()}
    repository = index_repository(acme, f"{word}-kit", files, commit=f"{word}-commit")
    key, now = KEYS[word], timezone.now()
    Repository.objects.filter(pk=repository.pk).update(
        visibility=Visibility.PUBLIC if word == OPEN else Visibility.PRIVATE,
        forge_key=key,
        trouble=IndexProblem.FAILED,
        languages={f"{word}-language": NUMBER + key},
        scip={f"{word}-indexer": NUMBER + key},
        files=NUMBER + key,
    )
    Branch.objects.create(
        repository=repository,
        ref=f"refs/heads/release/{word}",
        number=1,
        generation=1,
        default_generation=repository.generation,
        last_indexed_commit=f"{word}-branch-commit",
        embedder=repository.embedder,
        languages={f"{word}-language": NUMBER + key},
        files=NUMBER + key,
    )
    run = IndexRunFactory.create(
        id=UUID(int=key),
        repository=repository,
        event=f"{word}-event",
        stats={"files_changed": NUMBER + key, "reused": {word: 1}},
        progress={"stage": word},
    )
    commit = Commit.objects.create(
        repository=repository,
        sha=f"{word}-commit",
        parents=[f"{word}-parent"],
        authored_at=KEYS[word],
        committed_at=KEYS[word],
        subject=f"{word} boils",
        body=f"{word} had not boiled",
        reverts=[f"{word}-reverted"],
        changed=NUMBER,
        merge=f"{word}-merge",
        author=f"{word}@kit.example",
    )
    path = f"{word}_kit/jam.py"
    hunks = (
        f"@@ -1 +1 @@\n-{word} had not boiled\n+{word} boils\n"
        f"@@ -12 +12 @@\n-def {word}_jelly():\n+def {word}_jam(fruit):\n"
    )
    CommitChange.objects.create(
        repository=repository,
        commit=commit,
        path=path,
        status=ChangeStatus.RENAMED,
        old_path=f"{word}_kit/jelly.py",
        unread="",
    )
    CommitPatch.objects.create(
        repository=repository, commit=commit, data=pack_patch([(path, hunks)])
    )
    with SegmentWriter[int](Indexed.COMMITS) as texts:
        texts.add(commit.pk, commit_text(commit.subject, commit.body, [hunks]))
        texts.finish()
        texts.insert(repository.pk, {commit.pk: commit.pk})
    put_derived_rows(derived_rows([commit.pk]))
    WithheldPath.objects.create(repository=repository, path=word)
    Batch.objects.create(run=run, number=1, digest=b"", files=NUMBER, body=b"")
    Delivery.objects.create(organization=acme, webhook_id=word, digest=b"", run=run)
    Push.objects.create(repository=repository, commit_sha=word, pushed_at=now)
    ForgeStatement.objects.create(organization=acme, forge_key=key, visibility_at=now)
    Mention.objects.create(repository=repository, path=word, line=1, key=word, type="implements")
    RepositoryAlert.objects.create(
        organization=acme,
        repository=repository,
        condition=Condition.FAILED,
        since=now,
        detail=word,
    )
    backfill = Backfill.objects.create(
        id=UUID(int=key),
        organization=acme,
        selection={"include": [SETTINGS]},
        left_out={SETTINGS: 1},
    )
    BackfillRepository.objects.create(
        organization=acme,
        backfill=backfill,
        repository=repository,
        forge_key=key,
        name=repository.name,
        requested_at=now,
        due_at=now + timedelta(days=1),
    )


def _add_own(acme: Organization) -> None:
    """What is no repository's: people, tokens, settings."""
    key, now, word = KEYS[SETTINGS], timezone.now(), SETTINGS
    user = UserFactory.create(username=f"{word}-person")
    MembershipFactory.create(pk=key, user=user, organization=acme, repositories=[word])
    ApiTokenFactory.create(pk=key, organization=acme, repositories=[word])
    InvitationFactory.create(pk=key, organization=acme, name=word)
    AuditEntry.objects.create(actor=word, organization=acme.slug, detail={word: word})
    AlertDestination.objects.create(organization=acme, message={"text": word}, due_at=now)
    policy = {"events": [f"{word}_event"], "refs": [word], "job_workflow_refs": [word]}
    GitHubPolicy.objects.update_or_create(organization=acme, defaults=policy)
    GitHubDelivery.objects.create(organization=acme, waiting={"text": word})


def _add_documents(acme: Organization, words: list[str]) -> None:
    """One of the organisation, one of each repository, and a policy that both break."""
    api = api_of(acme, scopes=list(Scope))
    own = {"body": f"{WHOLE}: keep preserves", "properties": {WHOLE: WHOLE}, "status": WHOLE}
    created(api, kind="knowledge", id=f"{WHOLE}-7", title=f"Of {WHOLE}", author=WHOLE, **own)
    policy: dict[str, Any] = {"rule": _RULE, "language": "python", "message": WHOLE}
    policy |= {"include": ["*.py", WHOLE], "exclude": [f"{WHOLE}/"]}
    created(api, kind="policy", id=f"{WHOLE}-8", title=f"No {WHOLE}", policy=policy, **own)
    for word in words:
        text = {"body": f"{word} preserves", "properties": {word: word}, "status": word}
        created(api, kind="memory", id=f"{word}-7", title=word, project=f"{word}-kit", **text)
        code = f"code:{word}-kit/{word}_kit/jam.py"
        linked(api, f"{word}-kit/{word}-7", "derived_from", code, properties={word: word})
        linked(api, f"{code}#{word}_jam", "implements", f"{WHOLE}-7", properties={word: word})
    KnowledgeGraph().follow()
    PolicyCheck.objects.filter(repository__name=f"{HIDDEN}-kit").update(over_limit=[HIDDEN])
    PolicyCheck.objects.filter(repository__name=f"{OPEN}-kit").update(over_limit=[OPEN])


def _add_saved_search(acme: Organization, words: list[str]) -> None:
    """A shared one, which who sees the whole organisation sees; watched in both repositories."""
    search = SavedSearch.objects.create(
        pk=KEYS[SETTINGS],
        organization=acme,
        owner=User.objects.get(username=f"{SETTINGS}-person"),
        name=WHOLE,
        request={"query": f'"{WHOLE}"'},
        is_shared=True,
        is_watched=True,
        problem=WHOLE,
    )
    for word in words:
        repository = Repository.objects.get(name=f"{word}-kit")
        watched = WatchedRepository.objects.create(
            organization=acme, search=search, repository=repository, generation=1
        )
        WatchedFile.objects.create(watched=watched, path=word, lines=b"")


# --- Every column -------------------------------------------------------------------------------


def _fill_columns() -> None:
    """Write the row's word into columns of text that have none of it yet."""
    for model, column in text_columns():
        if not isinstance(column, models.CharField | models.TextField):
            continue
        for word, rows in _by_word(model).items():
            if not any(word in str(getattr(row, column.name)) for row in rows):
                for number, row in enumerate(rows):
                    value = f"{word}-{number}-{column.name}"[: column.max_length]
                    model._base_manager.filter(pk=row.pk).update(**{column.name: value})


def unmarked() -> set[str]:
    """The columns of rows of acme without the row's word."""
    return {
        f"{model._meta.label}.{column.name} of {word}"
        for model, column in text_columns()
        for word, rows in _by_word(model).items()
        if not any(word in str(getattr(row, column.name)) for row in rows)
    }


def text_columns() -> Iterator[tuple[type[models.Model], "models.Field[Any, Any]"]]:
    """Those that may have any text, of all models of ours."""
    kinds = (models.CharField, models.TextField, models.JSONField, ArrayField)
    for model in apps.get_models():
        for column in model._meta.concrete_fields:
            is_text = isinstance(column, kinds) and not column.choices
            label = f"{model._meta.label}.{column.name}"
            if is_text and model.__module__.startswith("central.") and label not in FIXED:
                yield model, column


def _by_word(model: type[models.Model]) -> dict[str, list[models.Model]]:
    found: dict[str, list[models.Model]] = {}
    for row in model._base_manager.order_by("pk"):
        if word := _word_of(row):
            found.setdefault(word, []).append(row)
    return found


def _word_of(row: models.Model) -> str:
    """The word of a row's repository or of the organisation; "" if it is not acme's."""
    if isinstance(row, Repository):
        return row.name.partition("-kit")[0]
    if isinstance(row, Organization | AuditEntry):
        is_acme = "acme" in {getattr(row, "slug", ""), getattr(row, "organization", "")}
        return SETTINGS if is_acme else ""
    if isinstance(row, SavedSearch) or (isinstance(row, Node) and row.repository is None):
        return WHOLE
    parents = [getattr(row, name) for name in _parents(type(row)) if getattr(row, name)]
    words = {_word_of(parent) for parent in parents}
    return next((word for word in (HIDDEN, OPEN, WHOLE, SETTINGS) if word in words), "")


@cache
def _parents(model: type[models.Model]) -> list[str]:
    return [
        column.name
        for column in model._meta.concrete_fields
        if column.is_relation and column.related_model is not User
    ]
