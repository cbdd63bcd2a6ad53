"""Registration with Django, and the system check of the forge that clones come from."""

from collections.abc import Iterator

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error

from central.checks import check
from central.settings.backfill import BackfillSettings


class OnboardingConfig(AppConfig):
    """The `onboarding` app; see central.extensions."""

    name = "central.onboarding"
    default_auto_field = "django.db.models.BigAutoField"
    collectors = ("central.onboarding.metrics.BackfillCollector",)
    deletions = ("central.onboarding.retention.DELETIONS",)
    exports = ("central.onboarding.retention.export_members",)


@check()
def check_one_forge() -> Iterator[CheckMessage]:
    """Check that backfills and id tokens are of one GitHub server.

    Each numbers owners and repositories itself: with two, an id names a stranger of the other.
    """
    configured: BackfillSettings = settings.BACKFILL
    is_used = configured.github_token or configured.app_private_key
    if not settings.PUBLIC_URL or not is_used:
        return
    from central.github.oidc import forge_of  # with its cryptography: a tenth of a second

    issuers = forge_of(settings.GITHUB_OIDC_ISSUER)
    if issuers and issuers != configured.github_url:
        yield Error(
            f"Repositories are cloned from {configured.github_url}, id tokens are of {issuers}.",
            hint="Let AETERNA_GITHUB_URL and AETERNA_GITHUB_OIDC_ISSUER name one server (the "
            "issuer is https://HOST/_services/token), and run another service for the other.",
            id="aeterna.E012",
        )
