"""A campaign: kills at planned moments, and after each round a comparison of everything."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.clients import CampaignError, Client, Developer, Searcher
from benchmarks.faults.last_state import last_state
from benchmarks.faults.plan import DISK_FULL, ENDS_RUNS, Kill, Profile, rounds
from benchmarks.faults.targets import IndexState, Target, running
from tests.e2e.indexing import index_here

_RECOVERY_SECONDS = 300  # far above what is promised: a busy machine fails nothing
_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Recovery:
    """Seconds from a kill to the answer of a search and the end of an index that began after it."""

    target: str
    victim: str
    answer_seconds: float
    index_seconds: float


@dataclass
class Clients:
    """The developers of a round and the searcher."""

    developers: list[Developer]
    searcher: Searcher
    target: Target

    @property
    def indexed(self) -> int:
        """Pushes that are indexed."""
        return sum(one.indexed for one in self.developers)

    @property
    def index_began(self) -> float:
        """When the newest of the indexes that succeeded began."""
        return max(one.index_began for one in self.developers)

    @property
    def failures(self) -> int:
        """Indexers that failed where they may."""
        return sum(one.failures for one in self.developers)

    def start(self) -> None:
        """Let them work."""
        for one in self._all():
            one.start()

    def finish(self) -> None:
        """Let them end what they are at. Raises CampaignError."""
        for one in self._all():
            one.finish()
        self.wait_until(
            lambda: not any(one.is_alive() for one in self._all()), "a client did not end"
        )
        self._check()

    def wait_until(self, condition: Callable[[], bool], complaint: str) -> None:
        """Wait. Raises CampaignError, also for what happened meanwhile."""
        deadline = time.monotonic() + _RECOVERY_SECONDS
        while not condition():
            self._check()
            if time.monotonic() > deadline:
                raise CampaignError(f"{complaint} within {_RECOVERY_SECONDS} s")
            time.sleep(_POLL_SECONDS)

    def _check(self) -> None:
        """Raise CampaignError for a part that has ended unasked, or a client's problem."""
        problems = [self.target.ended(), *(one.problem for one in self._all())]
        if problem := next(filter(None, problems), ""):
            raise CampaignError(problem)

    def _all(self) -> list[Client]:
        return [*self.developers, self.searcher]


class Campaign:
    """The rounds at one target."""

    def __init__(
        self, *, name: str, target: Target, workspace: Path, profile: Profile, seed: int
    ) -> None:
        self._name = name
        self._target = target
        self._workspace = workspace
        self._profile = profile
        self._seed = seed
        self.recoveries: list[Recovery] = []
        self.questions = self.refused = self.pushes = 0

    def round(self, number: int, kills: list[Kill]) -> None:
        """Kill what is planned while clients work, then compare. Raises CampaignError."""
        clients = self._clients(number, may_fail=any(kill.victim in ENDS_RUNS for kill in kills))
        clients.start()
        for kill in kills:
            print(f"{self._name}: round {number}: {kill}", flush=True)
            self._kill(kill, clients)
        clients.finish()
        self._target.settle()
        self.questions += clients.searcher.questions
        self.refused += clients.searcher.refused
        self.pushes += clients.indexed
        self._compare(clients.developers)

    def _clients(self, number: int, *, may_fail: bool) -> Clients:
        """Clients with repositories of their own, which no earlier round knows."""
        developers = [
            Developer(
                self._target.acme,
                self._workspace / f"round{number}-{at}",
                seed=self._seed,
                files=self._profile.files,
                environment=self._target.client_environment,
                may_fail=may_fail,
            )
            for at in range(self._profile.repositories)
        ]
        return Clients(developers, Searcher(self._target.acme, developers), self._target)

    def _kill(self, kill: Kill, clients: Clients) -> None:
        searcher = clients.searcher
        start = searcher.questions + kill.after
        clients.wait_until(lambda: searcher.questions >= start, "no question was asked")
        if kill.during_apply:
            clients.wait_until(lambda: self._is_applying(clients), "no run was applied")
        killed_at = self._do(kill.victim, clients)
        if kill.victim == DISK_FULL:
            failures = clients.failures
            clients.wait_until(lambda: clients.failures > failures, "nothing failed")
            self._target.settle()
            killed_at = time.monotonic()
        clients.wait_until(lambda: searcher.answered_at > killed_at, f"{kill}: no answer")
        answered = searcher.answered_at - killed_at
        clients.wait_until(
            lambda: clients.index_began > killed_at, f"{kill}: no index that began after it"
        )
        seconds = time.monotonic() - killed_at
        self.recoveries.append(Recovery(self._name, kill.victim, answered, seconds))

    def _do(self, victim: str, clients: Clients) -> float:
        """Kill, as soon as there is something to kill; return the moment just before."""
        killed_at = 0.0

        def kills() -> bool:
            nonlocal killed_at
            killed_at = time.monotonic()
            if victim == "client":
                return any(one.kill_indexer() for one in clients.developers)
            return self._target.kill(victim)

        clients.wait_until(kills, f"there was no {victim} to kill")
        return killed_at

    def _is_applying(self, clients: Clients) -> bool:
        return any(self._target.acme.is_applying(one.project) for one in clients.developers)

    def _compare(self, developers: list[Developer]) -> None:
        acme = self._target.acme
        for one in developers:
            index_here(acme, one.branch.path, f"{one.project}-afresh")
            answer = acme.search("total", include_projects=[one.project])
            [searched] = answer["receipt"]["projects"]
            if (searched["commit"], answer["receipt"]["complete"]) != (one.head, True):
                raise CampaignError(f"{one.project}: the answer is of {searched}, not {one.head}")
        names = [one.project for one in developers]
        state = self._target.state([*names, *(f"{name}-afresh" for name in names)])
        check_state(state, names)


def check_state(state: IndexState, projects: list[str]) -> None:
    """Compare each project with a fresh index of it. Raises CampaignError."""
    for name in projects:
        if state.dumps[name] != state.dumps[f"{name}-afresh"]:
            raise CampaignError(f"{name}: its dump is not that of a fresh index")
    if lost := [row for row in state.found if row["missing"] or row["differing"]]:
        raise CampaignError(f"reconcile found something missing: {lost}")
    if left := [row for row in state.repaired if row["missing"] or row["excess"]]:
        raise CampaignError(f"reconcile --check is not clean after a repair: {left}")
    if state.live:
        raise CampaignError(f"runs have not ended: {state.live}")


def run_target(name: str, *, profile: Profile, seed: int, data_dir: Path) -> Campaign:
    """Run all rounds at a target; repositories are beside its data.

    Raises CampaignError; any error has a note of what the processes did.
    """
    workspace = data_dir.parent
    with running(name, data_dir, profile.environment) as target:
        campaign = Campaign(
            name=name, target=target, workspace=workspace, profile=profile, seed=seed
        )
        try:
            for number, kills in enumerate(rounds(profile, seed, name), start=1):
                campaign.round(number, kills)
        except Exception as exc:
            exc.add_note(last_state(target.acme.service))
            raise
    return campaign
