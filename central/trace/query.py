"""What a trace asks for, as records. Pure."""

from dataclasses import dataclass
from typing import Final

from central.trace.forward import Confidence

MAX_LIMIT: Final = 200
MAX_DEPTH: Final = 5


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A validated `GET /trace/callers` or `/trace/callees`, without the organisation."""

    symbol: str
    project: str = ""
    file: str = ""
    line: int = 0
    depth: int = 1
    min_confidence: Confidence = Confidence.MEDIUM
    caller_projects: tuple[str, ...] = ()
    limit: int = 50
    cursor: str = ""
