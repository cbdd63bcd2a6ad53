"""What every test shares: the hypothesis profile, time-outs, and the rule for tests that need a
tool.
"""

import gc
import os
import shutil
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, settings

from tests.database import TEMPLATE, use_template
from tests.durations import read_slow_tests

settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "fast", settings.get_profile("default"), max_examples=20, derandomize=True, database=None
)
settings.register_profile(
    "nightly", settings.get_profile("default"), max_examples=1000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Each of these is for one of several processes (scheduling.py), with tests of minutes.
LONGEST = ("tests/e2e/browser/", "tests/action/", "tests/cli/", "tests/central/isolation/")
LONG = ("tests/e2e/", "tests/action/", "tests/cli/", "tests/distribution/")
# They start services, browsers or runners, or ask a server some thousand requests.
SERVICES = (*LONG, "tests/deploy/", "tests/workflows/", "tests/central/isolation/")
SERVICE_SECONDS = 600
ENGINE = "tests/deploy/engine"
ENGINE_SECONDS = 2400  # the first test prepares the engine where it is not in its cache
# What has a run of its own (`make acceptance`): tests of minutes that kill, restore, install, crawl
# or attack what the others test as well. README.md says why, file by file.
ACCEPTANCE = (
    "tests/action/test_detached.py",
    "tests/action/test_isolation.py",
    "tests/action/test_troubles.py",
    "tests/benchmarks/load/",
    "tests/central/ingest/test_crashes.py",
    "tests/central/isolation/",
    "tests/central/maintenance/test_hostile_archive.py",
    "tests/central/maintenance/test_vector_migration.py",
    "tests/central/mcp/conformance/",
    "tests/central/runtime/test_postgres_guard.py",
    "tests/central/trace/scip/test_crate.py",
    "tests/central/trace/test_stored_edges.py",
    "tests/central/web/test_hostile_requests.py",
    "tests/central/web/test_page_isolation.py",
    "tests/cli/target/test_shutdown.py",
    "tests/deploy/test_image.py",
    "tests/distribution/",
    "tests/e2e/browser/",
    "tests/e2e/inspector/",
    "tests/e2e/test_agents_stdio.py",
    "tests/e2e/test_backfill",
    "tests/e2e/test_backup.py",
    "tests/e2e/test_cancelling.py",
    "tests/e2e/test_crash.py",
    "tests/e2e/test_direct.py",
    "tests/e2e/test_examples_knowledge.py",
    "tests/e2e/test_faults.py",
    "tests/e2e/test_histories.py",
    "tests/e2e/test_hosts.py",
    "tests/e2e/test_postgres_killed.py",
    "tests/e2e/test_qdrant.py",
    "tests/e2e/test_scip.py",
    "tests/e2e/test_several_processes.py",
    "tests/e2e/test_sidecar.py",
    "tests/e2e/test_watching.py",
    "tests/indexer/git/test_hostile_repositories.py",
    "tests/indexer/git/test_malformed_trees.py",
    "tests/indexer/scip/real/",
    "tests/indexer/store/test_properties.py",
    "tests/integrations/chunkhound/",
    "tests/integrations/codequery/test_reindex.py",
    "tests/integrations/codequery/test_retry.py",
    "tests/integrations/langchain/test_service.py",
    "tests/workflows/test_act.py",
)
# What `make check` leaves out: what has a run of its own, these folders, tests with one of these
# fixtures, and what slow.txt names (tests/durations.py).
SLOW = (
    *ACCEPTANCE,
    "tests/action/",
    "tests/cli/commands/",
    "tests/deploy/",
    "tests/distribution/",
    "tests/e2e/",
    "tests/indexer/store/pgvector/",
    "tests/indexer/store/qdrant/",
    "tests/workflows/",
)
SLOW_FIXTURES = {"browser", "examples", "live_server", "on_qdrant", "service", "transactional_db"}


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As a background shell starts it. Tests send SIGINT, and child processes inherit this.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "markers",
        "system(*tools): needs these executables (or, in capitals, environment variables); "
        "left out, and named, where one is absent",
    )
    config.addinivalue_line("markers", "slow: left out by `make check`; see is_slow")
    config.addinivalue_line("markers", "acceptance: run by `make acceptance`; see ACCEPTANCE")
    config.addinivalue_line(
        "markers",
        "engine: runs containers in an engine of its own (tests/deploy/engine); left out, and "
        "named, unless it was asked for and this machine allows one",
    )
    starts_processes = config.getoption("numprocesses", None) and not config.option.collectonly
    if starts_processes and TEMPLATE not in os.environ and not hasattr(config, "workerinput"):
        use_template()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """All that is collected stays: to look for garbage in it would take as long as collecting."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.scheduling import Scheduling  # here: xdist is not loaded in each way to run tests

    return Scheduling(config, log)


if TEMPLATE in os.environ:

    @pytest.fixture(scope="session")
    def django_db_setup(django_test_environment: None) -> None:
        """The copy has the tests' database: pytest-django's would make and migrate another."""
        connection.settings_dict["NAME"] = connection.settings_dict["TEST"]["NAME"]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Give bytes that are no text no id of their own: it may differ between processes."""
    return argname if isinstance(val, bytes) and not val.isascii() else None


def is_absent(tool: str) -> bool:
    """Whether an executable, or a variable if `tool` is in capitals, is not there."""
    return not os.environ.get(tool) if tool.isupper() else shutil.which(tool) is None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which all tests would be left out by an expression of the Makefile."""
    expression = config.option.markexpr
    if expression not in {"not slow", "acceptance", "not acceptance"}:
        return None
    path = collection_path.relative_to(config.rootpath).as_posix()
    if collection_path.is_dir():
        path += "/"  # its conftest.py is not imported either
    if expression == "not slow":
        is_ignored = path.startswith(SLOW) or path in read_slow_tests()
    elif expression == "acceptance":
        is_ignored = collection_path.is_file() and not path.startswith(ACCEPTANCE)
    else:
        is_ignored = path.startswith(ACCEPTANCE)
    return is_ignored or None


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.nodeid.startswith(ENGINE):
        item.add_marker(pytest.mark.engine)
        item.add_marker(pytest.mark.timeout(ENGINE_SECONDS))
    elif item.nodeid.startswith(SERVICES):
        item.add_marker(pytest.mark.timeout(SERVICE_SECONDS))
    if item.nodeid.startswith(ACCEPTANCE):
        item.add_marker(pytest.mark.acceptance)
    if is_slow(item):
        item.add_marker(pytest.mark.slow)


def is_slow(item: pytest.Item) -> bool:
    """Whether a test starts something, leaves its data to others, or takes long."""
    database = item.get_closest_marker("django_db")
    measured = read_slow_tests()
    return (
        item.nodeid.startswith(SLOW)
        or item.nodeid.partition("::")[0] in measured
        or item.nodeid.partition("[")[0] in measured
        or not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
        or bool(database and database.kwargs.get("transaction"))
    )


@pytest.hookimpl(trylast=True)  # after the order was made random
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=_turn)
    absent: dict[str, int] = {}
    kept, left_out = [], []
    without_engine = [f"an engine: {why}"] if (why := engine_obstacle(config, items)) else []
    for item in items:
        marker = item.get_closest_marker("system")
        missing = [tool for tool in (marker.args if marker else ()) if is_absent(tool)]
        missing += without_engine if item.get_closest_marker("engine") else []
        for tool in missing:
            absent[tool] = absent.get(tool, 0) + 1
        (left_out if missing else kept).append(item)
    if left_out:
        items[:] = kept
        config.hook.pytest_deselected(items=left_out)
        config.stash[LEFT_OUT] = ", ".join(f"{tool} ({n})" for tool, n in sorted(absent.items()))


def _turn(item: pytest.Item) -> int:
    """What takes long comes first, so that no process ends long after the others."""
    file = item.nodeid.partition("::")[0]
    if file.startswith(LONGEST):
        return 0
    if file.startswith(LONG):
        return 1
    return 2 if file.startswith(SLOW) or file in read_slow_tests() else 3


def engine_obstacle(config: pytest.Config, items: list[pytest.Item]) -> str:
    """Why the tests in an engine are left out; "" if they run, or are none of these."""
    if not any(item.get_closest_marker("engine") for item in items):
        return ""
    from tests.deploy.engine.docker_engine import is_prepared, obstacle

    named = "engine" in (config.option.markexpr or "") or any(ENGINE in a for a in config.args)
    if not named and not (os.environ.get("AETERNA_ENGINE_TESTS") and is_prepared()):
        return "AETERNA_ENGINE_TESTS is not set, or its cache is empty (.ci/run engine)"
    return obstacle()


LEFT_OUT = pytest.StashKey[str]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """One of several processes: what it left out is told by the one that the person sees."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, "")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", "")
    if error:  # which says no more than that it is gone
        code = node.gateway._io.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        sys.stderr.write(f"\nThe process {node.gateway.id} has ended: {how}\n")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if absent := terminalreporter.config.stash.get(LEFT_OUT, ""):
        terminalreporter.write_line(f"Left out, because the tool is absent here: {absent}")
