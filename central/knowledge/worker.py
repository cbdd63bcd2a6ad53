"""The embedded server's thread that brings the graph up to date."""

from central.background import GRAPH, WorkerThread
from central.knowledge.services.catch_up import catch_up
from central.knowledge.services.snapshot import keep_snapshots


class GraphWorker(WorkerThread):
    """Start it once in the process that serves."""

    wake_up = GRAPH
    stop_seconds = 10

    def __init__(self) -> None:
        super().__init__("knowledge graph")

    def work(self) -> None:
        """Link what was written and indexed, and keep the files that are asked for."""
        catch_up(is_stopping=self.is_stopping)
        keep_snapshots(is_stopping=self.is_stopping)
