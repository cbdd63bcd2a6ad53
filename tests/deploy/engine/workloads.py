"""The objects of an installation: hooks, Deployments, and the Service in front of web."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.deploy.engine.fields import UnknownFieldError, fields_of
from tests.deploy.engine.pods import NOT_RUN, Pod, read_pod

_JOB_SECONDS = 1800  # of a Job without a limit, for which Kubernetes would wait without end


@dataclass(frozen=True)
class Deployment:
    name: str
    replicas: int
    is_recreated: bool  # the old pods end before new ones start
    pod: Pod
    template: Mapping[str, Any]  # as it was written: an equal one is not rolled out


@dataclass(frozen=True)
class Job:
    """A hook before an installation or upgrade."""

    name: str
    attempts: int
    deadline_seconds: int  # for all attempts together
    pod: Pod


@dataclass(frozen=True)
class Service:
    name: str
    labels: Mapping[str, str]
    port: str  # its name in the pods


@dataclass(frozen=True)
class Installation:
    """What helm would send to a cluster."""

    hooks: tuple[Job, ...]
    deployments: tuple[Deployment, ...]
    service: Service


def read_installation(objects: Sequence[Mapping[str, Any]]) -> Installation:
    """Read every rendered object. Raises UnknownFieldError for what is not translated."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for each in objects:
        kinds.setdefault(each["kind"], []).append(each)
    for kind in NOT_RUN:
        kinds.pop(kind, None)
    maps = {each["metadata"]["name"]: each["data"] for each in kinds.pop("ConfigMap", [])}
    accounts = {each["metadata"]["name"] for each in kinds.pop("ServiceAccount", [])}
    hooks = tuple(_read_job(each, maps) for each in kinds.pop("Job", []))
    deployments = tuple(_read_deployment(each, maps, accounts) for each in kinds.pop("Deployment"))
    (service,) = (_read_service(each) for each in kinds.pop("Service"))
    if kinds:
        raise UnknownFieldError(f"kind: {', '.join(sorted(kinds))}")
    return Installation(hooks, deployments, service)


def _read_deployment(
    found: Mapping[str, Any], maps: Mapping[str, Mapping[str, str]], accounts: set[str]
) -> Deployment:
    name = found["metadata"]["name"]
    with fields_of(found["spec"], f"Deployment {name}") as spec:
        template = spec.take("template")
        selected = spec.take("selector")["matchLabels"]
        assert selected.items() <= template["metadata"]["labels"].items()
        account = template["spec"].get("serviceAccountName", "default")
        assert account in accounts | {"default"}
        with fields_of(spec.take("strategy"), f"{name}.strategy") as strategy:
            kind = strategy.take("type", "RollingUpdate")
            strategy.expect("rollingUpdate", None, {"maxUnavailable": 0, "maxSurge": 1})
        return Deployment(
            name=name,
            replicas=spec.take("replicas", 1),
            is_recreated=kind == "Recreate",
            pod=read_pod(template, maps),
            template=template,
        )


def _read_job(found: Mapping[str, Any], maps: Mapping[str, Mapping[str, str]]) -> Job:
    name = found["metadata"]["name"]
    assert found["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    with fields_of(found["spec"], f"Job {name}") as spec:
        return Job(
            name=name,
            attempts=1 + spec.take("backoffLimit", 6),
            deadline_seconds=spec.take("activeDeadlineSeconds", _JOB_SECONDS),
            pod=read_pod(spec.take("template"), maps),
        )


def _read_service(found: Mapping[str, Any]) -> Service:
    name = found["metadata"]["name"]
    with fields_of(found["spec"], f"Service {name}") as spec:
        spec.take("type")
        (port,) = spec.take("ports")
        return Service(name=name, labels=spec.take("selector"), port=port["targetPort"])
