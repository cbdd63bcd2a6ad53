"""`python -m benchmarks faults`: kill parts of a working service; nothing may be lost."""

import argparse
import itertools
import os
import shutil
import signal
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

from benchmarks.arguments import positive, require_programs
from benchmarks.faults.campaign import Campaign, Recovery, run_target
from benchmarks.faults.clients import CampaignError
from benchmarks.faults.plan import PROFILES, PROGRAMS, TARGETS


def main(arguments: list[str]) -> None:
    """Run a campaign; exit 1 if something was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks faults", description=__doc__)
    parser.add_argument("--profile", choices=PROFILES, default="ci", help="default: ci")
    parser.add_argument("--seed", type=int, help="repeats a plan; default: a new one")
    parser.add_argument(
        "--kills", type=positive, metavar="N", help="at each target, instead of the profile's"
    )
    parser.add_argument(
        "--target", choices=TARGETS, action="append", help="only this one; may be given again"
    )
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # no process and no mount is left behind
    seed = SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    profile = PROFILES[options.profile]
    targets = options.target or list(profile.kills)
    if options.kills:
        profile = replace(profile, kills=dict.fromkeys(targets, options.kills))
    if without := [target for target in targets if target not in profile.kills]:
        parser.error(f"the profile {options.profile} kills nothing at {without[0]}: add --kills N")
    require_programs(parser, {program for name in targets for program in PROGRAMS.get(name, ())})
    if "disk" in targets and os.geteuid():
        parser.error("--target disk mounts a file system: run it as root, or name other targets")
    campaigns = []
    for target in targets:
        command = f"python -m benchmarks faults --profile {options.profile} --seed {seed}"
        command += f" --target {target}" + (f" --kills {options.kills}" if options.kills else "")
        print(command, flush=True)
        began = time.monotonic()
        try:
            with kept_on_failure() as workspace:
                campaigns.append(
                    run_target(target, profile=profile, seed=seed, data_dir=workspace / "data")
                )
        except CampaignError as exc:
            show(campaigns)
            notes = "\n".join(getattr(exc, "__notes__", ()))
            sys.exit(f"{notes}\n{exc}\nRepeat it: {command}")
        print(f"{target}: {time.monotonic() - began:.0f} s", flush=True)
    show(campaigns)


@contextmanager
def kept_on_failure() -> Iterator[Path]:
    """Yield a new directory, which PostgreSQL may enter, and remove it unless there is an error."""
    workspace = Path(tempfile.mkdtemp(prefix="aeterna-faults-"))
    workspace.chmod(0o711)
    is_kept = False
    try:
        yield workspace
    except Exception:
        is_kept = True
        print(f"Data, logs and repositories are kept in {workspace}", flush=True)
        raise
    finally:  # after Ctrl-C too
        if not is_kept:
            shutil.rmtree(workspace)


def show(campaigns: Iterable[Campaign]) -> None:
    """Print the table of kills."""
    table = Table("target", "killed", "kills", "lost", "next answer, median; longest", "next index")
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
        group[0].target,
        victim,
        str(len(group)),
        "nothing",
        times([one.answer_seconds for one in group]),
        times([one.index_seconds for one in group]),
    ]
