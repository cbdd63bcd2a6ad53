"""Parts of a working service are killed at random moments, and nothing is lost.

A failure names the command that repeats it; `python -m benchmarks faults` has longer campaigns.
"""

from dataclasses import replace
from random import SystemRandom

import pytest

from benchmarks.faults.campaign import run_target
from benchmarks.faults.clients import CampaignError
from benchmarks.faults.plan import PROFILES, TARGETS
from tests.e2e.conftest import prepared_data_directory

pytestmark = pytest.mark.system("redis-server")

CI = PROFILES["ci"]
PROFILE = replace(CI, kills={target: len(TARGETS[target]) for target in CI.kills})  # each part once


@pytest.mark.parametrize("target", PROFILE.kills)
def test_nothing_is_lost(target: str) -> None:
    seed = SystemRandom().randrange(1_000_000)
    try:
        with prepared_data_directory() as directory:
            campaign = run_target(target, profile=PROFILE, seed=seed, data_dir=directory)
    except CampaignError as exc:
        exc.add_note(f"Repeat it: python -m benchmarks faults --target {target} --seed {seed}")
        raise
    assert len(campaign.recoveries) == PROFILE.kills[target]
