"""Whatever happens, in whatever order the service hears of it: no credential sees what it may not.

`world` is the truth. Each indexed line names the repository on GitHub that it is of, so that what
a credential sees can be held against what it may: nothing is asked of the service to know that.
Two things are granted to who writes: a token that is limited to a name is trusted with the row of
that name, and what came before GitHub's id was known stays under the name that it was sent for.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import assume, currently_in_test_context, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from pytest_django import Settings

from central.corpus.models import File
from central.errors import UnauthenticatedError
from central.github.models import GitHubPolicy
from central.ingest.services.claims import sweep
from central.maintenance.repository_deletion import WRITERS_SECONDS, purge_repository
from central.repositories import actions
from central.repositories.models import Repository
from central.repositories.visibility import VISIBLE, visible_parameters, visible_repositories
from central.tenancy.models import ApiToken, Organization, Scope
from central.tenancy.services.tokens import revoke_token
from central.tenancy.tokens import credential_of
from tests.central.github.job import AUDIENCE, exchange
from tests.central.github.payloads import APP_SECRET, GitHub
from tests.central.github.world import OWNER_ID, RANK, IdToken, Real, World, content
from tests.central.protocol import (
    Api,
    api_of,
    apply_queued,
    commit_of,
    file_record,
    tree_of,
)
from tests.local_github import LocalGitHub, job_claims
from tests.property_settings import examples

pytestmark = pytest.mark.django_db

NAMES = ("ash", "elm", "oak", "yew")
numbers = st.integers(0, 5)
visibilities = st.sampled_from(RANK)


def given_that(condition: object) -> None:
    """Leave the step out where it makes no sense; in an order that is written down, it does."""
    if currently_in_test_context():
        assume(condition)
    else:
        assert condition


class Reader:
    """A token that searches, and what limits it."""

    def __init__(
        self,
        organization: Organization,
        *,
        names: list[str] | None = None,
        kinds: list[str] | None = None,
    ) -> None:
        self.api = api_of(organization, scopes=[Scope.SEARCH], repositories=names)
        self.token = ApiToken.objects.latest("pk")
        ApiToken.objects.filter(pk=self.token.pk).update(visibilities=kinds)
        self.names, self.kinds = names, kinds
        self.is_revoked = False

    def __repr__(self) -> str:
        return f"Reader(names={self.names}, kinds={self.kinds})"


class Run:
    """An open run, and what its client sends."""

    def __init__(self, api: Api, opened: dict[str, Any], files: dict[str, str], sent_as: str):
        self.api, self.opened, self.files, self.sent_as = api, opened, files, sent_as


class Machine(RuleBasedStateMachine):
    """GitHub, the service, and everybody who asks it."""

    github: LocalGitHub
    webhook: GitHub

    tokens = Bundle("tokens")  # id tokens that were not exchanged
    jobs = Bundle("jobs")  # id tokens with the API tokens that they were exchanged for
    runs = Bundle("runs")

    def __init__(self) -> None:
        super().__init__()
        self.example = transaction.atomic()
        self.example.__enter__()
        self.world = World()
        self.acme = Organization.objects.create(slug="acme", github_owner_id=OWNER_ID)
        GitHubPolicy.objects.create(organization=self.acme, impact=True)
        self.whole = api_of(self.acme)
        self.by_name = {name: api_of(self.acme, repositories=[name]) for name in NAMES}
        self.readers = [
            Reader(self.acme),
            Reader(self.acme, kinds=["public"]),
            Reader(self.acme, kinds=["internal", "public"]),
            Reader(self.acme, names=["ash"]),
            Reader(self.acme, names=["elm", "oak"]),
            Reader(self.acme, names=["yew"], kinds=["public"]),
        ]
        self.sent_as: dict[str, str] = {}  # a line → the name that it was sent for
        self.paused: set[int] = set()

    def teardown(self) -> None:
        self.look_over_http()
        transaction.set_rollback(True)
        self.example.__exit__(None, None, None)

    def real(self, number: int) -> Real:
        there = self.world.there()
        given_that(there)
        return there[number % len(there)]

    # --- On GitHub --------------------------------------------------------------------------------

    @initialize(one=visibilities, other=visibilities)
    def begin(self, one: str, other: str) -> None:
        self.world.create("ash", one)
        self.world.create("elm", other)

    @rule(seconds=st.integers(1, 5))
    def wait(self, seconds: int) -> None:
        self.world.clock += seconds

    @rule(visibility=visibilities)
    def create(self, visibility: str) -> None:
        given_that(len(self.world.repositories) < 4)
        self.world.create(next(self.world.free_names()), visibility)

    @rule(number=numbers, to=numbers)
    def rename(self, number: int, to: int) -> None:
        real = self.real(number)
        free = list(self.world.free_names())
        given_that(free)
        self._rename(real, free[to % len(free)])

    @rule(number=numbers, other=numbers)
    def pass_name_on(self, number: int, other: int) -> None:
        """A repository takes another's name, which has a new one."""
        there = self.world.there()
        free = list(self.world.free_names())
        given_that(len(there) > 1 and free)
        giver = there[number % len(there)]
        taker = next(real for real in there[other % len(there) :] + there if real is not giver)
        name = giver.name
        self._rename(giver, free[0])
        self._rename(taker, name)

    def _rename(self, real: Real, name: str) -> None:
        before, real.name = real.name, name
        self.world.tell(real, "renamed", changes={"repository": {"name": {"from": before}}})

    @rule(number=numbers, visibility=visibilities)
    def change_visibility(self, number: int, visibility: str) -> None:
        real = self.real(number)
        real.visibility = visibility
        self.world.tell(real, "publicized" if visibility == "public" else "privatized")

    @rule(number=numbers, is_transfer=st.booleans())
    def remove(self, number: int, is_transfer: bool) -> None:
        real = self.real(number)
        if is_transfer:
            self.world.transfer(real)
            return
        real.exists = False
        self.world.tell(real, "deleted")

    @rule(number=numbers)
    def change_branch(self, number: int) -> None:
        real = self.real(number)
        before, real.branch = real.branch, "trunk" if real.branch == "main" else "main"
        self.world.tell(real, "edited", changes={"default_branch": {"from": before}})

    @rule(number=numbers, action=st.sampled_from(["archived", "unarchived"]))
    def archive(self, number: int, action: str) -> None:
        self.world.tell(self.real(number), action)

    @rule()
    def list_repositories(self) -> None:
        self.world.list_repositories()

    # --- What the service hears -------------------------------------------------------------------

    @rule(place=st.integers(0, 20))
    def deliver(self, place: int) -> None:
        """Any message, not the first."""
        given_that(self.world.pending)
        self._deliver(self.world.pending.pop(place % len(self.world.pending)))

    @rule(place=st.integers(0, 20))
    def deliver_again(self, place: int) -> None:
        given_that(self.world.sent)
        self._deliver(self.world.sent[place % len(self.world.sent)])

    def _deliver(self, message: Any) -> None:
        outcome = self.webhook.told(message.event, message.payload)
        assert not outcome.startswith(("waiting", "failed"))
        self.world.arrived(message)
        for real in message.about:
            if self.world.known[real.id].is_removed:
                self.paused.discard(real.id)

    # --- Jobs without a key -----------------------------------------------------------------------

    @rule(target=tokens, number=numbers)
    def begin_job(self, number: int) -> IdToken:
        return self.world.id_token(self.real(number))

    @rule(target=jobs, token=consumes(tokens))
    def exchange(self, token: IdToken) -> Any:
        job = self._exchange(token)
        return multiple(job) if job else multiple()

    def _exchange(self, token: IdToken, purpose: str = "index") -> tuple[IdToken, Api] | None:
        real = token.real
        self.github.claims = job_claims(
            repository=real.name,
            repository_id=real.id,
            visibility=real.visibility,
            sha=commit_of(token.files),
            ref=f"refs/heads/{real.branch}",
            event="push" if purpose == "index" else "pull_request",
        )
        issued_at = int(self.world.moment(token.at).timestamp())
        signed = self.github.id_token(AUDIENCE, iat=issued_at, nbf=issued_at)
        answer = exchange(signed, purpose)
        if answer.status_code != 200:
            assert answer.json()["code"] in {"oidc_repository_removed", "oidc_ref_refused"}
            return None
        self.world.known[real.id].visibilities.append((token.at, real.visibility))
        return token, Api(self.acme, answer.json()["access_token"])

    @rule(token=consumes(tokens))
    def exchange_for_impact(self, token: IdToken) -> None:
        """A pull request's job: it sees what the readers of its summary may know of."""
        found = self._exchange(token, "impact")
        if found:
            kinds = RANK[: RANK.index(token.real.visibility) + 1]
            reader = Reader(self.acme, kinds=list(kinds))
            reader.api = found[1]
            self.readers.append(reader)

    @rule(target=runs, job=jobs)
    def open_by_job(self, job: tuple[IdToken, Api]) -> Any:
        run = self._open_by_job(*job)
        return multiple(run) if run else multiple()

    @rule(target=runs, number=numbers)
    def start_job(self, number: int) -> Any:
        """All that a job does before it sends anything, at once."""
        job = self._exchange(self.world.id_token(self.real(number)))
        run = job and self._open_by_job(*job)
        return multiple(run) if run else multiple()

    def _open_by_job(self, token: IdToken, api: Api) -> Run | None:
        real = token.real
        answer = self._open(api, real, token.files)
        if answer is None:
            return None
        self.world.known[real.id].name(token.at, real.name)
        return Run(api, answer, token.files, "")

    # --- Jobs with a token of the organisation ----------------------------------------------------

    @rule(target=runs, number=numbers, says_id=st.booleans())
    def open_by_whole(self, number: int, says_id: bool) -> Any:
        """Of all of it: its id is believed."""
        real = self.real(number)
        given_that(says_id or self._is_row_s(real))
        files = self._commit(real)
        answer = self._open(self.whole, real, files, repository_id=real.id if says_id else None)
        if answer is None:
            return multiple()
        if says_id:
            self.world.known[real.id].said = real.name
        return Run(self.whole, answer, files, real.name)

    @rule(target=runs, number=numbers, claimed=st.sampled_from([None, 701, 702, 703, 9999]))
    def open_by_name(self, number: int, claimed: int | None) -> Any:
        """Limited to the repository's name: whatever id it says changes nothing."""
        run = self._open_by_name(number, claimed)
        return multiple(run) if run else multiple()

    @rule(number=numbers)
    def index_by_name(self, number: int) -> None:
        """From beginning to end, with nothing between."""
        run = self._open_by_name(number, None)
        if run:
            self._finish(run)

    def _open_by_name(self, number: int, claimed: int | None) -> Run | None:
        real = self.real(number)
        given_that(self._is_row_s(real))
        files = self._commit(real)
        before = self._identities()
        answer = self._open(self.by_name[real.name], real, files, repository_id=claimed)
        after = self._identities()
        assert {name: row for name, row in after.items() if name in before} == before
        assert after.keys() - before.keys() <= {real.name}
        if answer is None:
            return None
        return Run(self.by_name[real.name], answer, files, real.name)

    def _identities(self) -> dict[str, tuple[int, int | None, str]]:
        found = Repository.objects.filter(organization=self.acme)
        return {row.name: (row.pk, row.forge_key, row.visibility) for row in found}

    def _is_row_s(self, real: Real) -> bool:
        """Whether the row of that name is of nobody known, or of this repository.

        If it is another's, the service was not told of a rename, and such a token writes there:
        that is granted to it (docs/explanation/threat-model.md).
        """
        row = Repository.objects.filter(organization=self.acme, name=real.name).first()
        return row is None or row.forge_key in (None, real.id)

    def _commit(self, real: Real) -> dict[str, str]:
        self.world.commits += 1
        return content(real.id, self.world.commits)

    def _open(
        self, api: Api, real: Real, files: dict[str, str], **members: Any
    ) -> dict[str, Any] | None:
        ref = f"refs/heads/{real.branch}"
        answer = api.open(real.name, commit_sha=commit_of(files), ref=ref, **members)
        if answer.status_code == 201:
            row = Repository.objects.get(runs=answer.json()["run_id"])
            assert not row.paused
            assert row.forge_key not in self.paused
            opened: dict[str, Any] = answer.json()
            return opened
        assert answer.json()["code"] in {
            "repository_paused",
            "repository_mismatch",
            "ref_not_tracked",
            "token_revoked",
        }, answer.content
        return None

    # --- Any job ----------------------------------------------------------------------------------

    @rule(run=consumes(runs))
    def finish(self, run: Run) -> None:
        self._finish(run)

    def _finish(self, run: Run) -> bool:
        """Send all and apply it; false if the run was lost meanwhile."""
        self.sent_as[next(iter(run.files.values()))] = run.sent_as
        tree = run.api.put_tree(run.opened, tree_of(run.files))
        if tree.status_code != 200:
            assert tree.json()["code"] in {"token_revoked", "run_not_found", "run_not_open"}
            return False
        changed = tree.json()["changed"]
        records = [file_record(path, run.files[path]) for path in changed]
        if records:
            assert run.api.put_batch(run.opened, 1, records).status_code == 204
        body = run.api.announcement(
            run.opened, commit_sha=commit_of(run.files), batches=1 if records else 0
        )
        assert run.api.deliver(run.opened, body).status_code == 202
        return [str(state) for state in apply_queued()] == ["applied"]

    # --- Administrators ---------------------------------------------------------------------------

    @rule(number=numbers)
    def pause(self, number: int) -> None:
        row = self._row(number)
        assert row.forge_key is not None
        actions.pause(row, actor="test")
        self.paused.add(row.forge_key)

    @rule(number=numbers)
    def resume(self, number: int) -> None:
        row = self._row(number)
        actions.resume(row, actor="test")
        self.paused.discard(row.forge_key or 0)

    @rule(number=numbers)
    def purge(self, number: int) -> None:
        """Its rows are gone, and no other's."""
        row = self._row(number)
        before = self._lines()
        actions.purge(row, actor="test")
        self.paused.discard(row.forge_key or 0)
        sweep()
        long_ago = timezone.now() - timedelta(seconds=WRITERS_SECONDS)
        Repository.objects.filter(pk=row.pk).update(retired_at=long_ago)
        purge_repository(repository_id=row.pk)
        assert self._lines() == {key: lines for key, lines in before.items() if key != row.pk}
        assert not Repository.objects.filter(pk=row.pk).exists()

    def _row(self, number: int) -> Repository:
        rows = Repository.objects.filter(
            organization=self.acme, retired_at=None, forge_key__isnull=False
        ).order_by("pk")
        given_that(rows)
        return rows[number % len(rows)]

    def _lines(self) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for repository, text in File.objects.values_list("repository_id", "content"):
            found.setdefault(repository, set()).add(text)
        return found

    @rule(place=numbers)
    def revoke(self, place: int) -> None:
        reader = self.readers[1 + place % (len(self.readers) - 1)]
        given_that(reader.token.name == "" and not reader.is_revoked)
        digest = credential_of(reader.api.token).api_token_id
        revoke_token(ApiToken.objects.get(pk=digest), actor="test")
        reader.is_revoked = True

    # --- What everybody sees ----------------------------------------------------------------------

    def may_see(self, reader: Reader, line: str) -> bool:
        """By the world, and by nothing that the service says."""
        repository_id = int(line.split()[2].removeprefix("marker"))
        known = self.world.known[repository_id]
        if reader.kinds is not None and known.visibility not in reader.kinds:
            return False
        if reader.names is not None:
            return bool({*known.names_now, self.sent_as[line]} & set(reader.names))
        return True

    @invariant()
    def nobody_sees_what_they_may_not(self) -> None:
        for reader in self.readers:
            if reader.is_revoked:
                with pytest.raises(UnauthenticatedError):
                    credential_of(reader.api.token)
                continue
            credential = credential_of(reader.api.token)
            visible = set(visible_repositories(credential=credential).values_list("pk", flat=True))
            assert visible == set(_visible_by_sql(visible_parameters(credential=credential)))
            lines = File.objects.filter(repository__in=visible).values_list("content", flat=True)
            for line in lines:
                assert self.may_see(reader, line), (reader, line)

    @invariant()
    def nothing_of_a_removed_repository_is_seen(self) -> None:
        """As far as its row was known to be its."""
        removed = {real_id for real_id, known in self.world.known.items() if known.is_removed}
        rows = Repository.objects.filter(retired_at=None, forge_key__in=removed)
        assert not rows.exists()

    @rule()
    def look(self) -> None:
        self.look_over_http()

    def look_over_http(self) -> None:
        """Search and status, as the tokens' holders ask."""
        for reader in self.readers:
            query = {"org_id": "acme", "query": "recipe", "mode": "lexical", "limit": 50}
            answer = reader.api.request("POST", "/api/v1/search", query)
            if reader.is_revoked:
                assert answer.status_code == 401
                continue
            assert answer.status_code == 200, answer.content
            for result in answer.json()["results"]:
                line = _line(result["content"])
                assert self.may_see(reader, line), (reader, line)
            projects = {each["project"] for each in reader.api.status().json()["projects"]}
            rows = visible_repositories(credential=credential_of(reader.api.token))
            assert projects == set(rows.values_list("name", flat=True))

    @rule(number=numbers)
    def all_is_told_and_indexed_anew(self, number: int) -> None:
        """Then what may be seen is seen: the test does not hold because everything is hidden."""
        for message in sorted(self.world.pending, key=lambda message: message.at):
            self._deliver(message)
        self.world.pending.clear()
        real = self.real(number)
        self.world.clock += 1
        for row in Repository.objects.filter(organization=self.acme, forge_key=real.id):
            actions.resume(row, actor="test")
            Repository.objects.filter(pk=row.pk).update(tracked_ref=f"refs/heads/{real.branch}")
        self.paused.discard(real.id)
        namesake = Repository.objects.filter(organization=self.acme, forge_key=None)
        namesake.update(tracked_ref=f"refs/heads/{real.branch}")
        job = self._exchange(self.world.id_token(real))
        assert job is not None
        run = self._open_by_job(*job)
        assert run is not None
        assert self._finish(run)
        (line,) = run.files.values()
        for reader in self.readers:
            if reader.is_revoked:
                continue
            credential = credential_of(reader.api.token)
            rows = visible_repositories(credential=credential).filter(name=real.name)
            seen = File.objects.filter(repository__in=rows, content=line).exists()
            by_kind = reader.kinds is None or real.visibility in reader.kinds
            by_name = reader.names is None or real.name in reader.names
            assert seen == (by_kind and by_name), (reader, real)


def _line(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _visible_by_sql(parameters: Iterable[Any]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT r.id FROM repositories_repository r WHERE {VISIBLE}",  # noqa: S608
            list(parameters),
        )
        return [key for (key,) in cursor.fetchall()]


@pytest.fixture
def machine(github: LocalGitHub, settings: Settings) -> type[Machine]:
    settings.GITHUB_WEBHOOK_SECRET = APP_SECRET
    Machine.github, Machine.webhook = github, GitHub()
    return Machine


def test_no_credential_ever_sees_what_it_may_not(machine: type[Machine]) -> None:
    """Some examples each time; HYPOTHESIS_PROFILE=nightly tries many."""
    run_state_machine_as_test(machine, settings=settings(examples(5), stateful_step_count=20))


# --- Orders of events that did show something, or would without what stands against them ----------

ASH, ELM = 0, 1  # the first two repositories


@contextmanager
def played(machine: type[Machine], ash: str, elm: str) -> Iterator[Machine]:
    """The machine, held to its invariants at the end."""
    played = machine()
    played.begin(ash, elm)
    played.wait(1)
    try:
        yield played
        played.nobody_sees_what_they_may_not()
        played.nothing_of_a_removed_repository_is_seen()
    finally:
        played.teardown()


def test_an_index_of_the_name_s_former_repository_is_not_shown_as_the_new_one_s(
    machine: type[Machine],
) -> None:
    with played(machine, "private", "public") as github:
        github.index_by_name(ASH)
        github.pass_name_on(ASH, ELM)
        github.start_job(ELM)


def test_a_late_run_of_the_name_s_former_repository_is_not_shown_as_the_new_one_s(
    machine: type[Machine],
) -> None:
    with played(machine, "private", "public") as github:
        late = github._open_by_name(ASH, None)
        assert late is not None
        github.pass_name_on(ASH, ELM)
        github.start_job(ELM)
        assert github._finish(late)


def test_an_index_of_the_name_s_former_repository_is_not_shown_under_a_third_name(
    machine: type[Machine],
) -> None:
    with played(machine, "private", "private") as github:
        github.index_by_name(ASH)
        github.pass_name_on(ASH, ELM)
        github.start_job(ELM)
        github.wait(1)
        github.rename(ELM, 0)
        github._deliver(github.world.pending[-1])


def test_a_repository_made_private_before_it_was_known_is_not_shown(
    machine: type[Machine],
) -> None:
    with played(machine, "public", "public") as github:
        job = github._exchange(github.world.id_token(github.real(ASH)))
        assert job is not None
        github.wait(1)
        github.change_visibility(ASH, "private")
        github._deliver(github.world.pending[-1])
        run = github._open_by_job(*job)
        assert run is not None
        assert github._finish(run)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_late_job_does_not_show_a_repository_under_its_former_name(
    machine: type[Machine], is_known: bool
) -> None:
    with played(machine, "private", "private") as github:
        if is_known:
            github.all_is_told_and_indexed_anew(ASH)
        late = github._exchange(github.world.id_token(github.real(ASH)))
        assert late is not None
        github.wait(1)
        github.rename(ASH, 1)
        github._deliver(github.world.pending[-1])
        run = github._open_by_job(*late)
        assert (run is not None) == is_known
        assert run is None or github._finish(run)


def test_an_id_of_a_limited_token_does_not_bring_another_s_index_under_its_name(
    machine: type[Machine],
) -> None:
    with played(machine, "public", "private") as github:
        github.all_is_told_and_indexed_anew(ELM)
        run = github._open_by_name(ASH, 702)
        assert run is not None
        assert github._finish(run)


def test_a_paused_repository_takes_no_run_under_another_name(machine: type[Machine]) -> None:
    with played(machine, "public", "private") as github:
        github.all_is_told_and_indexed_anew(ASH)
        github.pause(ASH)
        github.rename(ASH, 0)
        assert github.start_job(ASH) == multiple()
        github._deliver(github.world.pending[-1])
        assert github.start_job(ASH) == multiple()
        assert github.open_by_whole(ASH, says_id=True) == multiple()


def test_a_purge_takes_the_right_rows_after_names_were_passed_on(machine: type[Machine]) -> None:
    with played(machine, "public", "private") as github:
        github.all_is_told_and_indexed_anew(ASH)
        github.all_is_told_and_indexed_anew(ELM)
        github.pass_name_on(ASH, ELM)
        github.start_job(ELM)
        github.purge(ASH)
        github.look()
