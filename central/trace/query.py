"""What a trace asks for, as records. Pure."""

from dataclasses import dataclass

from central.trace.forward import Confidence


@dataclass(frozen=True, slots=True)
class Choice:
    """Which definitions a symbol means; "" and 0 choose nothing."""

    symbol: str
    project: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A validated `GET /trace/callers` or `/trace/callees`, without the organisation."""

    choice: Choice
    depth: int = 1
    min_confidence: Confidence = Confidence.MEDIUM
    caller_projects: tuple[str, ...] = ()
    limit: int = 50
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """A validated `GET /trace/graph`."""

    choice: Choice
    depth: int = 2
    min_confidence: Confidence = Confidence.MEDIUM
    limit: int = 200


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file and the first and last lines of what changed in it; no lines: all of it."""

    path: str
    lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ImpactRequest:
    """A validated `POST /trace/impact`."""

    project: str
    symbols: tuple[str, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    depth: int = 1
    min_confidence: Confidence = Confidence.MEDIUM
    limit: int = 50
