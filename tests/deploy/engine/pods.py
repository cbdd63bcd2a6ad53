"""What the chart renders, read as pods, and each container as Docker's API takes it.

Only what the chart uses is read: any other field or kind is an error that names it, so the chart
cannot outgrow these tests.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.deploy.engine.fields import fields_of, quantity

# One engine has nothing that would act on these.
NOT_RUN = {
    *("HorizontalPodAutoscaler", "Ingress", "NetworkPolicy", "PodDisruptionBudget"),
    *("PodMonitor", "PrometheusRule", "ServiceMonitor"),
}
_REFERENCE = re.compile(r"\$\((\w+)\)")


@dataclass(frozen=True)
class Probe:
    """A command, or a path and port over HTTP; times in seconds."""

    command: tuple[str, ...]
    path: str
    port: int
    period: float
    timeout: float
    failures: int


@dataclass(frozen=True)
class Container:
    name: str
    image: str
    arguments: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    ports: Mapping[str, int]
    probes: Mapping[str, Probe]  # startup, liveness, readiness
    pre_stop: tuple[str, ...]
    mounts: tuple[tuple[str, str, bool], ...]  # volume, path, read-only
    resources: Mapping[str, int]  # as Docker's API names them
    security: Mapping[str, Any]

    def environment(self, address: str) -> list[str]:
        """Its variables in a pod of this address."""
        known: dict[str, str] = {}
        for name, value in self.variables:
            given = address if value == "status.podIP" else value
            known[name] = _REFERENCE.sub(lambda match: known.get(match[1], match[0]), given)
        return [f"{name}={value}" for name, value in known.items()]


@dataclass(frozen=True)
class Volume:
    """An empty directory, or files of a Secret with their mode."""

    name: str
    secret: str
    items: tuple[tuple[str, str], ...]  # key, path
    mode: int


@dataclass(frozen=True)
class Pod:
    """A template of a pod."""

    labels: Mapping[str, str]
    containers: tuple[Container, ...]
    volumes: tuple[Volume, ...]
    user: str
    group: int  # owns its volumes
    grace_seconds: int

    def port(self, name: str) -> int:
        """The number of a port of one of its containers."""
        (number,) = (each.ports[name] for each in self.containers if name in each.ports)
        return number

    def body(
        self, container: Container, *, pause: str, address: str, where: Path
    ) -> dict[str, Any]:
        """What Docker makes the container of, in the pod whose network `pause` has.

        The pod's volumes are directories below `where`.
        """
        return {
            "Image": container.image,
            "Cmd": list(container.arguments),
            "Env": container.environment(address),
            "User": self.user,
            "Healthcheck": {"Test": ["NONE"]},  # the image's is for Docker alone
            "HostConfig": {
                "NetworkMode": f"container:{pause}",
                "GroupAdd": [str(self.group)],
                "Binds": [
                    f"{where / volume}:{path}:{'ro' if is_read_only else 'rw'}"
                    for volume, path, is_read_only in container.mounts
                ],
                **container.resources,
                **container.security,
            },
        }


def read_pod(template: Mapping[str, Any], maps: Mapping[str, Mapping[str, str]]) -> Pod:
    """Read a template of a Deployment or Job; `maps` are the ConfigMaps by name."""
    with fields_of(template, "template") as fields:
        with fields_of(fields.take("metadata"), "template.metadata") as metadata:
            labels = metadata.take("labels")
            metadata.take("annotations")
        with fields_of(fields.take("spec"), "pod") as spec:
            spec.expect("automountServiceAccountToken", False)
            spec.expect("enableServiceLinks", False)
            spec.expect("restartPolicy", None, "Always", "Never")
            spec.take("serviceAccountName")
            for scheduling in ("imagePullSecrets", "nodeSelector", "tolerations", "affinity"):
                spec.take(scheduling)  # there is one node, and it has the image
            _read_spread(spec.take("topologySpreadConstraints", []), labels)
            user, group = _read_pod_security(spec.take("securityContext"))
            return Pod(
                labels=labels,
                containers=tuple(_read_container(each, maps) for each in spec.take("containers")),
                volumes=tuple(_read_volume(each) for each in spec.take("volumes", [])),
                user=user,
                group=group,
                grace_seconds=spec.take("terminationGracePeriodSeconds", 30),
            )


def _read_spread(constraints: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> None:
    for each in constraints:
        with fields_of(each, "topologySpreadConstraints") as fields:
            fields.take("maxSkew")
            fields.take("topologyKey")
            fields.expect("whenUnsatisfiable", "ScheduleAnyway")  # one node is enough
            assert fields.take("labelSelector")["matchLabels"].items() <= labels.items()


def _read_pod_security(context: Mapping[str, Any]) -> tuple[str, int]:
    with fields_of(context, "pod.securityContext") as fields:
        user, group = fields.take("runAsUser"), fields.take("runAsGroup")
        assert fields.take("runAsNonRoot") is True
        assert user != 0
        fields.expect("seccompProfile", {"type": "RuntimeDefault"})  # Docker's default, too
        return f"{user}:{group}", fields.take("fsGroup")


def _read_container(
    container: Mapping[str, Any], maps: Mapping[str, Mapping[str, str]]
) -> Container:
    name = container["name"]
    with fields_of(container, f"container {name}") as fields:
        fields.take("name")
        fields.take("imagePullPolicy")
        ports = {}
        for each in fields.take("ports", []):
            with fields_of(each, f"{name}.ports") as port:
                ports[port.take("name")] = port.take("containerPort")
        kinds = ("startup", "liveness", "readiness")
        probes = {kind: fields.take(f"{kind}Probe") for kind in kinds}
        with fields_of(fields.take("lifecycle"), f"{name}.lifecycle") as lifecycle:
            pre_stop = lifecycle.take("preStop", {"exec": {"command": []}})["exec"]["command"]
        return Container(
            name=name,
            image=fields.take("image"),
            arguments=tuple(fields.take("args")),
            variables=(
                *_read_maps(fields.take("envFrom", []), maps),
                *(_read_variable(each) for each in fields.take("env", [])),
            ),
            ports=ports,
            probes={kind: _read_probe(each, ports) for kind, each in probes.items() if each},
            pre_stop=tuple(pre_stop),
            mounts=tuple(_read_mount(each) for each in fields.take("volumeMounts", [])),
            resources=_read_resources(fields.take("resources"), name),
            security=_read_security(fields.take("securityContext"), name),
        )


def _read_maps(
    sources: Sequence[Mapping[str, Any]], maps: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    for each in sources:
        with fields_of(each, "envFrom") as fields:
            yield from maps[fields.take("configMapRef")["name"]].items()


def _read_variable(variable: Mapping[str, Any]) -> tuple[str, str]:
    with fields_of(variable, f"env {variable['name']}") as fields:
        value, source = fields.take("value", ""), fields.take("valueFrom")
        if source:
            with fields_of(source, fields.where) as reference:
                reference.expect("fieldRef", {"fieldPath": "status.podIP"})
            value = "status.podIP"
        return fields.take("name"), value


def _read_probe(probe: Mapping[str, Any], ports: Mapping[str, int]) -> Probe:
    with fields_of(probe, "probe") as fields:
        command = fields.take("exec", {"command": []})["command"]
        path, port = "", 0
        if get := fields.take("httpGet"):
            with fields_of(get, "probe.httpGet") as http:
                path, port = http.take("path"), ports[http.take("port")]
        return Probe(
            command=tuple(command),
            path=path,
            port=port,
            period=fields.take("periodSeconds", 10),
            timeout=fields.take("timeoutSeconds", 1),
            failures=fields.take("failureThreshold", 3),
        )


def _read_mount(mount: Mapping[str, Any]) -> tuple[str, str, bool]:
    with fields_of(mount, "volumeMount") as fields:
        return fields.take("name"), fields.take("mountPath"), fields.take("readOnly", False)


def _read_resources(resources: Mapping[str, Any], name: str) -> dict[str, int]:
    found: dict[str, int] = {}
    with fields_of(resources, f"{name}.resources") as fields:
        with fields_of(fields.take("requests"), f"{name}.requests") as requests:
            found["CpuShares"] = int(1024 * quantity(requests.take("cpu", 1)))
            found["MemoryReservation"] = int(quantity(requests.take("memory", 0)))
        with fields_of(fields.take("limits"), f"{name}.limits") as limits:
            found["Memory"] = int(quantity(limits.take("memory", 0)))
            found["NanoCpus"] = int(1e9 * quantity(limits.take("cpu", 0)))
    return found


def _read_security(context: Mapping[str, Any], name: str) -> dict[str, Any]:
    with fields_of(context, f"{name}.securityContext") as fields:
        may_gain = fields.take("allowPrivilegeEscalation", True)
        with fields_of(fields.take("capabilities"), f"{name}.capabilities") as capabilities:
            dropped = capabilities.take("drop", [])
        return {
            "ReadonlyRootfs": fields.take("readOnlyRootFilesystem", False),
            "CapDrop": dropped,
            "SecurityOpt": [] if may_gain else ["no-new-privileges:true"],
        }


def _read_volume(volume: Mapping[str, Any]) -> Volume:
    with fields_of(volume, f"volume {volume['name']}") as fields:
        secret, directory = fields.take("secret"), fields.take("emptyDir")
        if secret is None:
            with fields_of(directory, f"{fields.where}.emptyDir") as empty:
                empty.take("sizeLimit")  # the kubelet ends a pod that has written more
            return Volume(fields.take("name"), "", (), 0)
        with fields_of(secret, f"{fields.where}.secret") as source:
            items = tuple((item["key"], item["path"]) for item in source.take("items"))
            # 0440 is octal in YAML 1.1, which Kubernetes reads, and decimal in 1.2.
            name, mode = source.take("secretName"), int(str(source.take("defaultMode")), 8)
        return Volume(fields.take("name"), name, items, mode)
