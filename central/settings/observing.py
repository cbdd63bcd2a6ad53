"""What others may see of the service: its log, its figures, its traces."""

from central.settings import env

_COLLECTOR = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SERVICE_NAME = "aeterna-code-search"


def has_collector() -> bool:
    """Whether OpenTelemetry's own variables, all of which its SDK obeys, name a collector."""
    is_off = env.flag("OTEL_SDK_DISABLED", default=False) or "none" in env.words(
        "OTEL_TRACES_EXPORTER"
    )
    return not is_off and any(map(env.text, _COLLECTOR))


def service_name() -> str | None:
    """What traces are of; None where OpenTelemetry's own variables say it."""
    attributes = env.text("OTEL_RESOURCE_ATTRIBUTES") or ""
    told = env.text("OTEL_SERVICE_NAME") or "service.name=" in attributes
    return None if told else SERVICE_NAME
