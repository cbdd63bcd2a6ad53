"""The bodies of the indexing API: types are strict, unknown members are tolerated."""

import re
from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from central.http.parameters import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
)
from central.ingest.services.batches import RUN_BATCHES
from central.ingest.services.known_embeddings import LOOKUP_DIGESTS
from central.repositories.states import NOTHING_TO_DO
from indexer.forge.repositories import LARGEST_FORGE_ID
from indexer.records.authors import AuthorPolicy
from indexer.records.runs import RUN_END_WAIT_SECONDS, Mode, Reason, UploadMode

BIGINT = 2**63 - 1
is_commit = RegexValidator(
    r"^(?:[0-9a-f]{40}|[0-9a-f]{64})\Z", "Give 40 or 64 lower-case hexadecimal digits."
)
# As GitHub names repositories: what was called otherwise may be "-" there.
is_project = RegexValidator(
    r"^[A-Za-z0-9_.-]{1,100}\Z", "Use 1 to 100 of A-Z, a-z, 0-9, '_', '.' and '-'."
)
# git check-ref-format
is_ref = RegexValidator(
    r"^refs/(?!.*(?:\.\.|@\{|//|/\.))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])(?<!\.lock)\Z",
    "Give the full name of a ref, such as refs/heads/main.",
)
is_branch = RegexValidator(
    r"^(?!.*(?:\.\.|@\{|//|/\.))(?![/.-])[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])(?<!\.lock)\Z",
    "Give a branch's name, such as main or refs/heads/main.",
)
_DIGEST = re.compile(r"^[0-9a-f]{64}\Z")
is_digest = RegexValidator(_DIGEST, "Give a SHA-256 in lower-case hexadecimal.")

_MODES = [Mode.INCREMENTAL.value, Mode.FULL.value, Mode.FORCE.value]
_REASONS = [reason.value for reason in Reason if reason not in NOTHING_TO_DO]


def _optional_text(**kwargs: Any) -> StrictCharField:
    return StrictCharField(required=False, allow_null=True, allow_blank=True, **kwargs)


class OpenRunRequest(serializers.Serializer[Any]):
    """`POST /api/v1/index/runs`."""

    org_id = StrictCharField()
    project_id = StrictCharField(validators=[is_project])
    ref = StrictCharField(max_length=255, validators=[is_ref])
    commit_sha = StrictCharField(validators=[is_commit])
    extractor = StrictCharField(max_length=200)
    repository_id = StrictIntegerField(
        required=False, allow_null=True, min_value=1, max_value=LARGEST_FORGE_ID
    )
    owner_id = StrictIntegerField(required=False, allow_null=True, min_value=1, max_value=BIGINT)
    default_branch = _optional_text(max_length=244, validators=[is_branch])
    event = _optional_text(max_length=40)
    run_url = serializers.URLField(
        required=False, allow_null=True, allow_blank=True, max_length=500
    )
    repository_url = serializers.URLField(
        required=False, allow_null=True, allow_blank=True, max_length=500
    )
    vectors = StrictChoiceField(
        choices=[UploadMode.RELAY.value, UploadMode.DIRECT.value],
        default=UploadMode.RELAY.value,
        allow_null=True,
        help_text="relay: in the batches; direct: the client writes them to the vector store",
    )
    own_secret = StrictBooleanField(
        default=False,
        allow_null=True,
        help_text="With direct: the client has a secret and wants no token",
    )
    direct_refused = StrictBooleanField(
        default=False,
        allow_null=True,
        help_text="With relay: the client asked for direct first, and was refused",
    )


class Embedder(serializers.Serializer[Any]):
    """Which vectors central wants."""

    provider = serializers.CharField()
    model = serializers.CharField()
    dimensions = serializers.IntegerField()


class Limits(serializers.Serializer[Any]):
    """Of one batch: decompressed bytes, and lines; of one question: digests."""

    batch_bytes = serializers.IntegerField()
    batch_files = serializers.IntegerField()
    digests = serializers.IntegerField()


class VectorStoreAccess(serializers.Serializer[Any]):
    """Where the client of a direct run writes its points, and with what."""

    url = serializers.CharField()
    collection = serializers.CharField()
    token = serializers.CharField(allow_null=True, help_text="null: with the client's own secret")
    expires_at = serializers.DateTimeField(allow_null=True)
    repository = serializers.IntegerField(help_text="The key that every point carries")


class AuthorsOfCommits(serializers.Serializer[Any]):
    """What the client sends of the authors of commits."""

    policy = serializers.ChoiceField(
        choices=[policy.value for policy in AuthorPolicy],
        help_text="off: nothing; hashed: digests of their addresses; plain: addresses",
    )
    key = serializers.CharField(
        allow_blank=True,
        help_text="Of digests, in hexadecimal: HMAC-SHA256 of the address in lower case, its first "
        "32 hexadecimal digits; empty unless the policy is hashed",
    )


class OpenedRun(serializers.Serializer[Any]):
    """The answer to Open: facts, on which the client decides."""

    run_id = serializers.UUIDField()
    webhook_secret = serializers.CharField()
    base_commit = serializers.CharField(allow_null=True)
    base_extractor = serializers.CharField(allow_null=True)
    base_embedder = serializers.CharField(allow_null=True)
    reindex = serializers.BooleanField(
        help_text="An administrator requested that every file is processed"
    )
    generation = serializers.IntegerField()
    embedder = Embedder()
    limits = Limits()
    record_fields = serializers.ListField(
        child=serializers.CharField(),
        help_text="Fields of a file's line that this service reads and earlier ones refuse",
    )
    authors = AuthorsOfCommits()
    vector_store = VectorStoreAccess(allow_null=True)


class TreeAnswerSerializer(serializers.Serializer[Any]):
    """What a full run must send, and how many stored files it removes."""

    changed = serializers.ListField(child=serializers.CharField())
    removed = serializers.IntegerField()


class CommitsAnswer(serializers.Serializer[Any]):
    """The commits that are stored of the run's repository."""

    commits = serializers.ListField(child=serializers.CharField())


class ScipAnswer(serializers.Serializer[Any]):
    """The SCIP documents that are stored of the run's repository."""

    documents = serializers.ListField(
        child=serializers.ListField(),
        help_text="Path, blob, digest, and how many occurrences its client left out",
    )


class DigestsField(serializers.ListField):
    """SHA-256 in hexadecimal by the thousand: a field for each takes longer than the answer."""

    child = StrictCharField(validators=[is_digest])

    def to_internal_value(self, data: Any) -> list[Any]:
        """Look at all of them at once; where one is wrong, REST framework says which."""
        if isinstance(data, list) and all(
            isinstance(digest, str) and _DIGEST.match(digest) for digest in data
        ):
            return data
        return list(super().to_internal_value(data))


class DigestsRequest(serializers.Serializer[Any]):
    """`POST …/embeddings`."""

    digests = DigestsField(max_length=LOOKUP_DIGESTS)


class DigestsAnswer(serializers.Serializer[Any]):
    """Those that need not be embedded."""

    known = serializers.ListField(child=serializers.CharField())
    vectors = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="In a direct run, by digest: little-endian float32 in base64",
    )


def _is_stage_name(name: str) -> bool:
    return len(name) <= 50 and name.isascii() and name.isprintable()


class Stats(serializers.Serializer[Any]):
    """Figures of a run; one that is left out is zero."""

    files_changed = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    files_removed = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    files_skipped = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    chunks = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    symbols = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    references = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    embedded = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    reused = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    embedding_requests = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    embedding_tokens = StrictIntegerField(default=0, min_value=0, max_value=BIGINT)
    embedding_cost_usd = StrictFloatField(
        default=None, allow_null=True, min_value=0, max_value=1e9, help_text="null: no price known"
    )
    seconds = serializers.DictField(
        child=StrictFloatField(min_value=0, max_value=1e9), required=False
    )

    def validate_seconds(self, value: dict[str, float]) -> dict[str, float]:
        """Stage names are stored as JSON and shown: short, and printable."""
        if len(value) > 50 or not all(map(_is_stage_name, value)):
            raise serializers.ValidationError("Give at most 50 stages with short ASCII names.")
        return value


class WebhookRequest(serializers.Serializer[Any]):
    """`POST /api/v1/index/updated`."""

    org_id = StrictCharField()
    project_id = StrictCharField(validators=[is_project])
    run_id = serializers.UUIDField()
    commit_sha = StrictCharField(validators=[is_commit])
    base_commit = StrictCharField(allow_null=True, validators=[is_commit])
    mode = StrictChoiceField(choices=_MODES)
    reason = StrictChoiceField(choices=_REASONS)
    batches = StrictIntegerField(min_value=0, max_value=RUN_BATCHES)
    stats = Stats()
    indexed_at = serializers.DateTimeField()


class WebhookAnswer(serializers.Serializer[Any]):
    """Where to follow the run."""

    job_id = serializers.CharField()
    status_url = serializers.CharField()
    page_url = serializers.CharField(help_text="For people, who must sign in")


class RunQuery(serializers.Serializer[Any]):
    """`GET /api/v1/index/runs/{id}`."""

    wait = StrictIntegerField(
        default=0,
        min_value=0,
        help_text="Seconds: while the run is queued or being applied, the answer comes when that "
        f"ends, or after this time ({RUN_END_WAIT_SECONDS} at most). It comes sooner, with the "
        "present state, where too many wait and when the service shuts down",
    )


class Run(serializers.Serializer[Any]):
    """A run's state."""

    run_id = serializers.UUIDField(source="pk")
    project = serializers.CharField(source="repository.name")
    state = serializers.CharField()
    progress = serializers.DictField()
    error = serializers.SerializerMethodField()
    ref = serializers.CharField()
    commit_sha = serializers.CharField()
    base_commit = serializers.SerializerMethodField()
    generation = serializers.IntegerField()
    mode = serializers.CharField()
    reason = serializers.CharField()
    vectors = serializers.CharField(
        help_text="relay, direct, or direct_refused: relayed, because direct was refused"
    )
    stats = serializers.DictField()
    opened_at = serializers.DateTimeField()
    queued_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    def get_error(self, run: Any) -> str | None:
        """What went wrong, or null."""
        return run.error or None

    def get_base_commit(self, run: Any) -> str | None:
        """The commit that the index was of at Open, or null."""
        return run.base_commit or None
