"""The Helm chart as helm renders it."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from scripts.local_service import ROOT

CHART = ROOT / "deploy" / "helm" / "aeterna-code-search"
KUBERNETES = "1.33.0"
SECRETS = "/run/secrets/codesearch"


def helm(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run helm, whatever comes of it."""
    return subprocess.run(["helm", *arguments], capture_output=True, text=True, check=False)


def template(**values: object) -> subprocess.CompletedProcess[str]:
    """Render with these values: `codesearch__enabled=True` is codesearch.enabled."""
    chosen = [
        word
        for name, value in values.items()
        for word in ("--set-json", f"{name.replace('__', '.')}={json.dumps(value)}")
    ]
    return _template("search", "code", *chosen)


def _template(release: str, namespace: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    where = ("--namespace", namespace, "--kube-version", KUBERNETES)
    return helm("template", release, CHART, *where, *words)


@dataclass(frozen=True)
class Rendered:
    """Everything that an installation with some values would make."""

    text: str
    objects: list[dict[str, Any]]

    def of(self, kind: str, ending: str = "") -> dict[str, Any]:
        """The one object of this kind whose name ends so."""
        (found,) = self.all_of(kind, ending)
        return found

    def all_of(self, kind: str, ending: str = "") -> list[dict[str, Any]]:
        return [
            each
            for each in self.objects
            if each["kind"] == kind and each["metadata"]["name"].endswith(ending)
        ]

    def containers(self, component: str) -> dict[str, dict[str, Any]]:
        """The containers of a Deployment's pods, by name."""
        pod = self.of("Deployment", f"-{component}")["spec"]["template"]["spec"]
        return {container["name"]: container for container in pod["containers"]}

    def pods(self) -> Iterator[dict[str, Any]]:
        """The specification of every pod."""
        for each in self.objects:
            if each["kind"] in {"Deployment", "Job"}:
                yield each["spec"]["template"]["spec"]

    def settings(self, secrets: Path) -> dict[str, str]:
        """What every process finds in its environment, with the secrets in this directory."""
        data: dict[str, str] = self.of("ConfigMap")["data"]
        return {name: value.replace(SECRETS, str(secrets)) for name, value in data.items()}


def render(**values: object) -> Rendered:
    """Render with these values, which must do."""
    return _rendered(template(**values))


def installed(release: str, *words: str | Path) -> Rendered:
    """Render as `helm install RELEASE …` does with these further words, which must do."""
    return _rendered(_template(release, release, *words))


def _rendered(done: subprocess.CompletedProcess[str]) -> Rendered:
    assert done.returncode == 0, done.stderr
    loaded = YAML(typ="safe", pure=False).load_all(done.stdout)
    return Rendered(done.stdout, [each for each in loaded if each])


def variables(container: dict[str, Any]) -> dict[str, str]:
    """The variables that stand in a container."""
    return {each["name"]: each.get("value", "") for each in container.get("env", [])}
