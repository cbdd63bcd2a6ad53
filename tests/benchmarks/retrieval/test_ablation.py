from benchmarks.retrieval.ablation import settings
from central.search.ranking.rules import WEIGHTS


def test_every_setting_has_other_weights_than_the_service_and_than_the_others() -> None:
    weights = [dict(WEIGHTS), *(dict(one) for _, one in settings())]
    assert all(one not in weights[:number] for number, one in enumerate(weights))
