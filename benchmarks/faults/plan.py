"""The plan of a campaign: which part is killed when. A function of the profile and the seed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

DISK_FULL: Final = "disk full"
TARGETS: Final = {
    "several": ("server", "worker", "postgresql", "redis", "client"),
    "embedded": ("server", "store", "postgresql", "client"),
    "disk": (DISK_FULL,),
    "clock": ("worker", "clock forward", "clock back", "server"),
}
PROGRAMS: Final = {
    "several": ("redis-server",),
    "clock": ("redis-server", "cc"),
    "disk": ("mount",),
}
NEEDS_NO_APPLY: Final = {"client", DISK_FULL}
ENDS_RUNS: Final = {DISK_FULL, "clock forward"}  # runs fail, or expire: the indexer opens others
_SOON: Final = {"AETERNA_RUN_LEASE_SECONDS": "2", "AETERNA_SWEEP_SECONDS": "1"}


@dataclass(frozen=True)
class Profile:
    """The size of a campaign: kills at each target, and kills until everything is compared."""

    kills: Mapping[str, int]
    round_kills: int
    repositories: int
    files: int  # of the largest change to a repository
    searches: int  # a kill follows after fewer
    environment: Mapping[str, str] = field(default_factory=dict)


PROFILES: Final = {
    "ci": Profile(
        kills={"several": 12, "embedded": 8},
        round_kills=12,
        repositories=2,
        files=20,
        searches=10,
        environment=_SOON,
    ),
    "nightly": Profile(
        kills={"several": 125, "embedded": 80, "disk": 10, "clock": 40},
        round_kills=10,
        repositories=4,
        files=60,
        searches=20,
    ),
}


@dataclass(frozen=True)
class Kill:
    """A SIGKILL, or another fault: after so many searches, or then as soon as a run is applied."""

    victim: str
    after: int  # searches
    during_apply: bool

    def __str__(self) -> str:
        moment = ", in an apply" if self.during_apply else ""
        return f"{self.victim} after {self.after} searches{moment}"


def rounds(profile: Profile, seed: int, target: str) -> Iterator[list[Kill]]:
    """Yield the kills of each round at a target; victims have equal shares."""
    random = Random(f"{seed}/{target}")  # noqa: S311 (a seed repeats it)
    victims: list[str] = []
    left = profile.kills.get(target, 0)
    while left:
        kills = []
        for _ in range(min(left, profile.round_kills)):
            if not victims:
                victims = list(TARGETS[target])
                random.shuffle(victims)
            during_apply = victims[-1] not in NEEDS_NO_APPLY and random.random() < 0.5
            kills.append(Kill(victims.pop(), random.randrange(profile.searches), during_apply))
        left -= len(kills)
        yield kills
