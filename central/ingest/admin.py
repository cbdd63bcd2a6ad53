"""Runs and their webhooks in the admin, read-only."""

import re
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from central.ingest.models import Delivery, IndexRun
from central.repositories.admin import NOTHING_TO_DO, state_label
from central.repositories.states import had_nothing_to_do
from central.tenancy.admin_base import ReadOnlyAdmin, when
from indexer.records.runs import Mode, Reason

_SHOWN_ERROR = 120
_COMMIT = re.compile("[0-9a-f]{7,64}")


class WordFilter(admin.SimpleListFilter):
    """A filter by known words, because collecting them would read the whole table."""

    words: tuple[str, ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return every word."""
        del request, model_admin
        return [(word, word.replace("_", " ")) for word in self.words]

    def queryset(self, request: HttpRequest, queryset: QuerySet[IndexRun]) -> Any:
        """Return the runs with the word."""
        del request
        word = self.value()
        return queryset.filter(**{self.parameter_name or "": word}) if word else queryset


class ModeFilter(WordFilter):
    """A filter by mode."""

    title = parameter_name = "mode"
    words = tuple(mode.value for mode in Mode)


class ReasonFilter(WordFilter):
    """A filter by reason."""

    title = parameter_name = "reason"
    words = tuple(reason.value for reason in Reason)


@admin.register(IndexRun)
class IndexRunAdmin(ReadOnlyAdmin):
    """Runs: their counts, stages and results."""

    list_display = [
        "opened_at",
        "of_repository",
        "run_state",
        "mode",
        "reason",
        "commit",
        "seconds",
        "beginning_of_error",
    ]
    list_display_links = ["opened_at"]
    list_filter = [when("opened_at"), "state", ModeFilter, ReasonFilter, "repository__organization"]
    list_select_related = ["repository__organization"]
    search_fields = ["repository__name"]
    search_help_text = "A repository's name, or seven or more characters of a commit"
    fieldsets = [
        (None, {"fields": ["run_state", "error", "of_repository", "mode", "reason", "progress"]}),
        ("Commit", {"fields": ["ref", "commit_sha", "base_commit", "job"]}),
        ("Timings", {"fields": ["times", "stages"]}),
        ("What it did", {"fields": ["counts", "batches", "attempts", "retries", "vectors"]}),
        ("Made with", {"fields": ["extractor", "embedder", "generation", "event", "id"]}),
    ]
    readonly_fields = [
        *("run_state", "of_repository", "job", "times", "stages", "counts", "vectors", "id")
    ]

    def view_on_site(self, obj: IndexRun) -> str:
        """Return its page, with live progress."""
        return reverse("web:run", args=[obj.repository.organization.slug, obj.pk])

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[IndexRun], search_term: str
    ) -> tuple[QuerySet[IndexRun], bool]:
        """Search commits or names: both at once would read every run and its repository."""
        if _COMMIT.fullmatch(search_term):
            return queryset.filter(commit_sha__startswith=search_term), False
        found: tuple[QuerySet[IndexRun], bool] = super().get_search_results(
            request, queryset, search_term
        )
        return found

    @state_label(description="state", ordering="state")
    def run_state(self, run: IndexRun) -> str:
        """Return a badge."""
        return NOTHING_TO_DO if had_nothing_to_do(run.state, run.reason) else run.state

    @admin.display(description="repository", ordering="repository__name")
    def of_repository(self, run: IndexRun) -> SafeString:
        """Return its name as a link."""
        address = reverse("admin:repositories_repository_change", args=[run.repository_id])
        return _link(address, str(run.repository))

    @admin.display(description="commit", ordering="commit_sha")
    def commit(self, run: IndexRun) -> str:
        """Return the short form."""
        return run.commit_sha[:10]

    @admin.display(description="seconds")
    def seconds(self, run: IndexRun) -> str:
        """Return the time from Open to the end."""
        return f"{(run.ended_at - run.opened_at).total_seconds():,.1f}" if run.ended_at else "-"

    @admin.display(description="error")
    def beginning_of_error(self, run: IndexRun) -> str:
        """Return the beginning of its last error."""
        return Truncator(run.error).chars(_SHOWN_ERROR)

    @admin.display(description="job")
    def job(self, run: IndexRun) -> SafeString | str:
        """Return the link to its job on the forge."""
        return _link(run.job_url, run.job_url) if run.job_url else "-"

    @admin.display(description="times")
    def times(self, run: IndexRun) -> SafeString:
        """Return the times of its transitions."""
        said = {
            "opened": run.opened_at,
            "last heard of its client": run.touched_at,
            "queued": run.queued_at,
            "ended": run.ended_at,
        }
        return _lines((name, f"{at:%Y-%m-%d %H:%M:%S} UTC") for name, at in said.items() if at)

    @admin.display(description="stages, in seconds")
    def stages(self, run: IndexRun) -> SafeString:
        """Return the indexer's stages, and the time from queued to ended."""
        measured = dict(run.stats.get("seconds") or {})
        if run.queued_at and run.ended_at:
            measured["queue and apply"] = (run.ended_at - run.queued_at).total_seconds()
        return _lines((name, f"{float(value):,.1f}") for name, value in measured.items())

    @admin.display(description="counts")
    def counts(self, run: IndexRun) -> SafeString:
        """Return the counts that the indexer reported."""
        return _lines(
            (name.replace("_", " "), value)
            for name, value in run.stats.items()
            if name != "seconds" and value is not None
        )


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    """Webhooks that queued runs; a repeated one changes nothing."""

    list_display = ["received_at", "organization", "webhook_id", "state_of_run"]
    list_filter = ["organization"]
    list_select_related = ["organization", "run"]
    search_fields = ["webhook_id"]
    fields = ["received_at", "organization", "webhook_id", "of_run"]
    readonly_fields = ["received_at", "of_run"]

    @state_label(description="its run is")
    def state_of_run(self, delivery: Delivery) -> str:
        """Return the state of its run."""
        return delivery.run.state

    @admin.display(description="run")
    def of_run(self, delivery: Delivery) -> SafeString:
        """Return its run as a link."""
        address = reverse("admin:ingest_indexrun_change", args=[delivery.run_id])
        return _link(address, str(delivery.run))


def _link(address: str, text: str) -> SafeString:
    return format_html('<a class="admin-link" href="{}">{}</a>', address, text)


def _lines(pairs: Any) -> SafeString:
    return format_html_join("", "<div>{}: {}</div>", pairs) or SafeString("-")
