"""Runs with SCIP indexes against a real service: for any history, what a fresh run stores."""

import itertools
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from indexer.client.api import OpenRequest
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.pipeline.job import Job, ScipRequest, scip_request
from indexer.pipeline.report import Report
from indexer.records.runs import Requested
from scripts.local_service import Organization
from tests.e2e.histories import Branch, put
from tests.e2e.indexing import carried_out, opened
from tests.indexer.scip.indexes import PYTHON, document, index_of
from tests.property_settings import examples

MAIN: Final = "refs/heads/main"
BOX: Final = "`shop.box`/Box#"
# What a file may be: marked names are what an index says of it.
SOURCES: Final[Mapping[str, Sequence[str]]] = {
    "shop/box.py": (
        f"class [[=Box|{BOX}]]:\n    def [[=go|{BOX}go().]](self): ...\n",
        f"# moved\nclass [[=Box|{BOX}]]:\n    def [[=go|{BOX}go().]](self): ...\n",
        "",
    ),
    "shop/use.py": (
        f"from shop.box import Box\ndef main(box):\n    box.[[go|{BOX}go().]]()\n",
        f"def main(box):\n    return box.[[go|{BOX}go().]]\n",
        "def main(box):\n    box.[[stop|`shop.box`/Other#stop().]]()\n",
    ),
}
NO_SCIP: Final = ScipRequest()
_numbers = itertools.count()


def run(
    acme: Organization, branch: Branch, project: str, *, scip: ScipRequest, mode: Requested
) -> Report:
    with opened(acme, branch.path) as (repository, central):
        request = OpenRequest(acme.slug, project, MAIN, repository.commit("HEAD"), EXTRACTOR)
        job = Job(request, mode, timeout_seconds=30, scip=scip)
        return carried_out(job, repository, central)


def with_index(branch: Branch, files: Mapping[str, int]) -> ScipRequest:
    """An index that a compiler makes of the checkout, beside it."""
    documents = [
        document(path, SOURCES[path][version], PYTHON)[0]
        for path, version in files.items()
        if SOURCES[path][version]
    ]
    index = index_of(documents, str(branch.path), "scip-python")
    made = branch.path.with_name("index.scip")
    made.write_bytes(index.SerializeToString())
    return scip_request((str(made),), "", {}, branch.path)


def without_scip(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if '"type":"scip_' not in line]


_pushes = st.tuples(
    st.sampled_from(sorted(SOURCES)), st.integers(0, 2), st.booleans(), st.sampled_from(Requested)
)


@settings(
    examples(3),
    database=None,
    print_blob=True,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(_pushes, min_size=1, max_size=3))
def test_runs_with_and_without_an_index_end_where_a_full_run_with_it_does(
    acme: Organization, history: list[tuple[str, int, bool, Requested]]
) -> None:
    project = f"scip-{next(_numbers)}"
    files = dict.fromkeys(SOURCES, 0)
    with tempfile.TemporaryDirectory(prefix="aeterna-scip-") as directory:
        branch = Branch.begin(Path(directory) / "clone")
        for path in files:
            put(path, document(path, SOURCES[path][0], PYTHON)[1].encode())(branch)
        for path, version, has_index, mode in history:
            files[path] = version
            put(path, document(path, SOURCES[path][version], PYTHON)[1].encode())(branch)
            scip = with_index(branch, files) if has_index else NO_SCIP
            run(acme, branch, project, scip=scip, mode=mode)
        run(acme, branch, project, scip=with_index(branch, files), mode=Requested.AUTO)
        incremental = acme.dump(project).splitlines()
        run(acme, branch, project, scip=NO_SCIP, mode=Requested.FORCE)
        assert acme.dump(project).splitlines() == incremental, "a run without an index keeps them"
        fresh = f"{project}-afresh"
        run(acme, branch, fresh, scip=NO_SCIP, mode=Requested.AUTO)
        assert acme.dump(fresh).splitlines() == without_scip(incremental)
        run(acme, branch, fresh, scip=with_index(branch, files), mode=Requested.FORCE)
        assert acme.dump(fresh).splitlines() == incremental
        assert any('"type":"scip_' in line for line in incremental)
