"""How long the webhook takes to be acknowledged, alone and while another run is applied."""

import hashlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpora import python_repository
from benchmarks.tables import Figure, percentile
from indexer.bundle.encode import encode_records, encode_tree
from indexer.client.api import IndexingClient, OpenRequest
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.records.files import FileRecord, TreeEntry
from indexer.records.runs import Mode, Plan, Reason, RunStats
from scripts.local_service import Organization, running_service

ALONE = 100


def measure(workspace: Path) -> Iterator[Figure]:
    """Acknowledgements in an idle service, and beside a full run of 12 MB that is applied."""
    large = python_repository(workspace / "large", megabytes=12)
    with running_service(workspace / "data") as service:
        acme = Organization(service, "acme", service.create_organization("acme"))
        sender = Sender(acme)
        sender.acknowledge("warm-up")
        alone = [sender.acknowledge(f"alone-{number}") for number in range(ALONE)]
        yield Figure("webhook p99, service idle", percentile(alone, 99), "ms", 50)

        indexing = threading.Thread(target=acme.index, args=(large, "large"))
        indexing.start()
        beside: list[float] = []
        while indexing.is_alive():
            if acme.is_applying("large"):
                beside.append(sender.acknowledge(f"beside-{len(beside)}"))
            else:
                time.sleep(0.05)
        yield Figure("webhooks sent while a run was applied", len(beside), "")
        yield Figure("webhook p50 while applying", percentile(beside, 50), "ms")
        yield Figure("webhook p99 while applying", percentile(beside, 99), "ms", 50)


class Sender:
    """Carries a run of one file to its webhook and times that."""

    def __init__(self, acme: Organization) -> None:
        self.central = IndexingClient(
            Transport(url=acme.service.url, credentials=StaticToken(acme.token))
        )
        self.organization = acme.slug

    def acknowledge(self, project: str) -> float:
        """Milliseconds until the webhook of a new project's first run was answered."""
        blob = hashlib.sha1(project.encode(), usedforsecurity=False).hexdigest()
        request = OpenRequest(
            org_id=self.organization,
            project_id=project,
            ref="refs/heads/main",
            commit_sha=blob,
            extractor=EXTRACTOR,
        )
        run = self.central.open_run(request)
        entry = TreeEntry("empty.txt", "100644", blob, 0)
        self.central.put_tree(run.run_id, encode_tree([entry]))
        record = FileRecord(entry.path, entry.mode, entry.blob, entry.size, language="text")
        self.central.put_batch(run.run_id, 1, encode_records([record]))
        plan = Plan(Mode.FULL, Reason.FIRST_INDEX, None)
        started = time.perf_counter()
        self.central.send_webhook(request, run, plan, batches=1, stats=RunStats(files_changed=1))
        return 1000 * (time.perf_counter() - started)
