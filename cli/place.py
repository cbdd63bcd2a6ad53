"""Where the index is and who asks: a configured service, or the embedded one."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.identity import Credentials
    from indexer.transport import Transport


@dataclass(frozen=True, slots=True)
class Place:
    """One organisation of one service, as one credential sees it.

    `project` is what the service calls the repository at `root`; "" and None outside of one.
    """

    url: str
    organization: str
    project: str
    credentials: "Credentials" = field(repr=False)
    is_local: bool
    data_dir: Path
    root: Path | None

    def transport(self, retry_seconds: float = 0.0) -> "Transport":
        """HTTP to the service; `retry_seconds`: how long it is waited for while it is away."""
        from indexer.transport import Transport

        return Transport(url=self.url, credentials=self.credentials, retry_seconds=retry_seconds)
