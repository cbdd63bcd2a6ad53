"""A campaign: kills at planned moments, and after each round a comparison of everything."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.clients import Asker, CampaignError, Developer
from benchmarks.faults.plan import Kill, Profile, rounds
from benchmarks.faults.sites import Site, running
from tests.e2e.indexing import index_here

_RECOVERY_SECONDS = 300  # far above what is promised: a busy machine fails nothing
_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Recovery:
    """Seconds from a kill to the next answer, and to the next push that is indexed."""

    site: str
    victim: str
    answered: float
    indexed: float


class Campaign:
    """The rounds at one site."""

    def __init__(
        self, *, name: str, site: Site, workspace: Path, profile: Profile, seed: int
    ) -> None:
        self._name = name
        self._site = site
        self._workspace = workspace
        self._profile = profile
        self._seed = seed
        self.recoveries: list[Recovery] = []
        self.questions = self.refused = self.pushes = 0

    def round(self, number: int, kills: list[Kill]) -> None:
        """Kill what is planned while clients work, then compare. Raises CampaignError."""
        developers = [
            Developer(
                self._site.acme,
                self._workspace / f"round{number}-{at}",
                seed=self._seed,
                files=self._profile.files,
                environment=self._site.client_environment,
            )
            for at in range(self._profile.repositories)
        ]
        asker = Asker(self._site.acme, developers)
        for thread in (*developers, asker):
            thread.start()
        for kill in kills:
            print(f"{self._name}: round {number}: {kill}", flush=True)
            self._kill(kill, asker, developers)
        for developer in developers:
            developer.finish()
        asker.finish()
        self._site.settle()
        self.questions += asker.questions
        self.refused += asker.refused
        self.pushes += sum(developer.indexed for developer in developers)
        self._compare(developers)

    def _kill(self, kill: Kill, asker: Asker, developers: list[Developer]) -> None:
        def wait_until(condition: Callable[[], bool], what: str) -> None:
            deadline = time.monotonic() + _RECOVERY_SECONDS
            while not condition():
                for problem in (asker.problem, *(one.problem for one in developers)):
                    if problem:
                        raise CampaignError(problem)
                if time.monotonic() > deadline:
                    raise CampaignError(f"{what} within {_RECOVERY_SECONDS} s after: {kill}")
                time.sleep(_POLL_SECONDS)

        start = asker.questions + kill.after
        wait_until(lambda: asker.questions >= start, "no question was asked")
        if kill.during_apply:
            wait_until(lambda: self._is_applying(developers), "no run was applied")
        indexed = sum(one.indexed for one in developers)
        killed_at = time.monotonic()
        if kill.victim == "client":
            wait_until(lambda: any(one.kill_indexer() for one in developers), "nothing was indexed")
        else:
            self._site.kill(kill.victim)
        wait_until(lambda: asker.answered_at > killed_at, "no search was answered")
        answered = asker.answered_at - killed_at
        wait_until(lambda: sum(one.indexed for one in developers) > indexed, "nothing was indexed")
        self.recoveries.append(
            Recovery(self._name, kill.victim, answered, time.monotonic() - killed_at)
        )

    def _is_applying(self, developers: list[Developer]) -> bool:
        return any(self._site.acme.is_applying(one.project) for one in developers)

    def _compare(self, developers: list[Developer]) -> None:
        acme = self._site.acme
        for one in developers:
            index_here(acme, one.branch.path, f"{one.project}-afresh")
            answer = acme.search("total", include_projects=[one.project])
            [searched] = answer["receipt"]["projects"]
            if (searched["commit"], answer["receipt"]["complete"]) != (one.head, True):
                raise CampaignError(f"{one.project}: the answer is of {searched}, not {one.head}")
        names = [one.project for one in developers]
        state = self._site.state([*names, *(f"{name}-afresh" for name in names)])
        for name in names:
            if state.dumps[name] != state.dumps[f"{name}-afresh"]:
                raise CampaignError(f"{name}: its dump is not that of a fresh index")
        if lost := [row for row in state.found if row["missing"] or row["differing"]]:
            raise CampaignError(f"reconcile found something missing: {lost}")
        if left := [row for row in state.repaired if row["missing"] or row["excess"]]:
            raise CampaignError(f"reconcile --check is not clean after a repair: {left}")
        if state.live:
            raise CampaignError(f"runs have not ended: {state.live}")


def run_site(name: str, *, profile: Profile, seed: int, workspace: Path) -> Campaign:
    """Run all rounds at a site. Raises CampaignError."""
    with running(name, workspace / "data", profile.environment) as site:
        campaign = Campaign(name=name, site=site, workspace=workspace, profile=profile, seed=seed)
        for number, kills in enumerate(rounds(profile, seed, name), start=1):
            campaign.round(number, kills)
    return campaign
