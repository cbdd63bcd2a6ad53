"""`python -m benchmarks faults`: kill parts of a working service; nothing may be lost."""

import argparse
import itertools
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import SystemRandom

from rich.console import Console
from rich.table import Table

from benchmarks.faults.campaign import Campaign, Recovery, run_site
from benchmarks.faults.clients import CampaignError
from benchmarks.faults.plan import PROFILES, SITES


def main(arguments: list[str]) -> None:
    """Run a campaign; exit 1 if something was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks faults", description=__doc__)
    parser.add_argument("--profile", choices=PROFILES, default="ci")
    parser.add_argument("--seed", type=int, help="repeats a plan; a new one by default")
    parser.add_argument("--kills", type=int, help="at each site, instead of the profile's")
    parser.add_argument("--site", choices=SITES, action="append", help="only this one")
    options = parser.parse_args(arguments)
    seed = SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    profile = PROFILES[options.profile]
    if options.kills:
        profile = replace(profile, kills=dict.fromkeys(SITES, options.kills))
    campaigns = []
    for site in options.site or profile.kills:
        command = f"python -m benchmarks faults --profile {options.profile} --seed {seed}"
        command += f" --site {site}" + (f" --kills {options.kills}" if options.kills else "")
        print(command, flush=True)
        began = time.monotonic()
        try:
            with kept_on_failure() as workspace:
                campaigns.append(
                    run_site(site, profile=profile, seed=seed, data_dir=workspace / "data")
                )
        except CampaignError as exc:
            notes = "\n".join(getattr(exc, "__notes__", ()))
            sys.exit(f"{notes}\n{exc}\nRepeat it: {command}")
        print(f"{site}: {time.monotonic() - began:.0f} s", flush=True)
    show(campaigns)


@contextmanager
def kept_on_failure() -> Iterator[Path]:
    """Yield a new directory, which PostgreSQL may enter, and remove it unless there is an error."""
    workspace = Path(tempfile.mkdtemp(prefix="aeterna-faults-"))
    workspace.chmod(0o711)
    try:
        yield workspace
    except BaseException:
        print(f"Data, logs and repositories are kept in {workspace}", flush=True)
        raise
    shutil.rmtree(workspace)


def show(campaigns: Iterable[Campaign]) -> None:
    """Print the table of kills."""
    table = Table("site", "killed", "kills", "lost", "next answer, median; longest", "next index")
    for campaign in campaigns:
        by_victim = sorted(campaign.recoveries, key=lambda one: one.victim)
        for victim, group in itertools.groupby(by_victim, key=lambda one: one.victim):
            table.add_row(*_row(victim, list(group)))
    Console(width=120).print(table)
    for campaign in campaigns:
        print(
            f"{campaign.pushes} pushes indexed, {campaign.questions} questions, of which "
            f"{campaign.refused} while something was unavailable"
        )


def _row(victim: str, group: list[Recovery]) -> list[str]:
    def times(values: list[float]) -> str:
        return f"{statistics.median(values):.1f} s; {max(values):.1f} s"

    return [
        group[0].site,
        victim,
        str(len(group)),
        "nothing",
        times([one.answered for one in group]),
        times([one.indexed for one in group]),
    ]
