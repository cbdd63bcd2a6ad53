"""The chart: valid, hardened, without a secret in it, and what a cluster needs around it."""

import json
import re
from typing import Any

import kubernetes_validate
import pytest

from scripts.local_service import ROOT
from tests.deploy import dockerfile
from tests.deploy.chart import (
    CHART,
    KUBERNETES,
    SECRETS,
    Rendered,
    helm,
    render,
    template,
    variables,
)
from tests.workflows.files import VERSION

pytestmark = pytest.mark.system("helm")

EVERYTHING: dict[str, Any] = {
    "publicUrl": "https://code.example.com",
    "codesearch__enabled": True,
    "codesearch__store__backend": "qdrant",
    "codesearch__embedder__provider": "openai",
    "web__autoscaling__enabled": True,
    "worker__autoscaling__enabled": True,
    "ingress__enabled": True,
    "ingress__className": "nginx",
    "ingress__tlsSecretName": "certificate",
    "networkPolicy__ingressFrom": [{"namespaceSelector": {}}],
    "existingSecret__extraKeys": ["GITHUB_WEBHOOK_SECRET"],
    "metrics__enabled": True,
    "metrics__serviceMonitor__enabled": True,
    "metrics__prometheusRule__enabled": True,
    "podAnnotations": {"team": "search"},
    "backfill__enabled": True,
    "backfill__gitHosts": ["gitlab.example.com", "git.example.com:8443"],
    "backfill__gitNetworks": ["10.20.0.0/16"],
    "backfill__sshSecretName": "git-ssh",
    "backfill__egressPorts": [22],
}


@pytest.fixture(scope="module")
def plain() -> Rendered:
    return render()


@pytest.fixture(scope="module")
def everything() -> Rendered:
    return render(**EVERYTHING)


def test_helm_s_own_linter_finds_nothing() -> None:
    done = helm("lint", "--strict", "--quiet", "--kube-version", KUBERNETES, CHART)
    assert done.returncode == 0, done.stdout


def test_every_object_is_what_kubernetes_says(plain: Rendered, everything: Rendered) -> None:
    checked = [
        each
        for each in (*plain.objects, *everything.objects)
        if not each["apiVersion"].startswith(
            "monitoring.coreos.com/"
        )  # whose schemas are elsewhere
    ]
    for each in checked:
        kubernetes_validate.validate(json.loads(json.dumps(each)), "1.35", strict=True)
    assert {each["kind"] for each in checked} == {
        *("ConfigMap", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job"),
        *("NetworkPolicy", "PodDisruptionBudget", "Service", "ServiceAccount"),
    }


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"codesearch__store__backend": "sqlite"}, "codesearch/store/backend"),
        ({"codesearch__embedder__provider": "elsewhere"}, "codesearch/embedder/provider"),
        ({"codeSearch__enabled": True}, "codeSearch"),
        ({"publicUrl": "https://code.example.com/"}, "publicUrl"),
        ({"settings": {"SECRET_KEY": "in plain sight"}}, "SECRET_KEY"),
        ({"ingress__enabled": True}, "publicUrl"),
        ({"existingSecret__name": ""}, "existingSecret/name"),
        ({"backfill__space": "much"}, "backfill/space"),
    ],
)
def test_values_that_cannot_be_are_refused(values: dict[str, Any], says: str) -> None:
    done = template(**values)
    assert done.returncode
    assert says in done.stderr


def test_every_pod_is_hardened(everything: Rendered) -> None:
    (user,) = (each.rest for each in dockerfile.instructions() if each.word == "USER")
    for pod in everything.pods():
        security = pod["securityContext"]
        assert security["runAsNonRoot"] is True
        assert f"{security['runAsUser']}:{security['runAsGroup']}" == user
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert "memory" in container["resources"]["limits"]
            assert {"cpu", "memory"} <= set(container["resources"]["requests"])


def test_every_container_that_stays_is_probed(everything: Rendered) -> None:
    for component in ("web", "worker", "beat", "backfill"):
        for name, container in everything.containers(component).items():
            assert {"startupProbe", "livenessProbe"} <= set(container), name
            if component == "web":
                assert "readinessProbe" in container
            else:
                command = container["livenessProbe"]["exec"]["command"]
                process = "worker" if component == "backfill" else component
                assert command == ["entrypoint.sh", "health", process]


def test_secrets_are_mounted_and_never_written(everything: Rendered) -> None:
    assert not everything.all_of("Secret")
    data = everything.of("ConfigMap")["data"]
    files = {name: value for name, value in data.items() if name.endswith("_FILE")}
    assert set(files) == {
        *("SECRET_KEY_FILE", "DATABASE_URL_FILE", "CELERY_BROKER_URL_FILE"),
        *("QDRANT_API_KEY_FILE", "OPENAI_API_KEY_FILE", "GITHUB_WEBHOOK_SECRET_FILE"),
        "AETERNA_METRICS_TOKEN_FILE",
    }
    for pod in everything.pods():
        (volume,) = (each["secret"] for each in pod["volumes"] if each["name"] == "secrets")
        mounted = {f"{SECRETS}/{item['path']}" for item in volume["items"]}
        assert mounted == set(files.values())
        assert volume["secretName"] == "aeterna-code-search"
    assert not re.search(r"secretKeyRef", everything.text)


def test_the_migration_runs_before_everything_and_needs_nothing_of_the_chart(
    plain: Rendered,
) -> None:
    job = plain.of("Job", "-migrate")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["args"] == ["migrate"]
    assert "serviceAccountName" not in pod
    assert "envFrom" not in container
    settings = {each["name"]: each["value"] for each in container["env"]}
    assert settings == plain.of("ConfigMap")["data"]


def test_there_is_one_beat_and_never_two(everything: Rendered) -> None:
    beat = everything.of("Deployment", "-beat")["spec"]
    assert (beat["replicas"], beat["strategy"]) == (1, {"type": "Recreate"})


def test_selectors_stay_the_same_whatever_is_changed(plain: Rendered, everything: Rendered) -> None:
    """A Deployment's selector cannot be changed: an upgrade would be refused."""
    all_rendered = (plain, everything, render(image__tag="9.9.9"))
    for component in ("web", "worker", "beat"):
        selectors = [
            rendered.of("Deployment", f"-{component}")["spec"]["selector"]["matchLabels"]
            for rendered in all_rendered
        ]
        assert selectors == [
            {
                "app.kubernetes.io/name": "aeterna-code-search",
                "app.kubernetes.io/instance": "search",
                "app.kubernetes.io/component": component,
            }
        ] * len(selectors)


def test_pods_are_replaced_when_a_setting_changes(plain: Rendered) -> None:
    def checksum(rendered: Rendered) -> str:
        template = rendered.of("Deployment", "-worker")["spec"]["template"]
        return str(template["metadata"]["annotations"]["checksum/settings"])

    assert checksum(plain) == checksum(render(web__replicas=5))
    assert checksum(plain) != checksum(render(settings={"AETERNA_BEHIND_MINUTES": "30"}))


def test_a_disruption_takes_one_pod_and_autoscaling_owns_the_number(
    plain: Rendered, everything: Rendered
) -> None:
    for component in ("web", "worker"):
        deployment = plain.of("Deployment", f"-{component}")
        assert deployment["spec"]["replicas"] == 2
        assert "replicas" not in everything.of("Deployment", f"-{component}")["spec"]
        scaler = everything.of("HorizontalPodAutoscaler", f"-{component}")["spec"]
        assert scaler["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
        budget = plain.of("PodDisruptionBudget", f"-{component}")["spec"]
        assert budget["maxUnavailable"] == 1
        assert budget["selector"] == deployment["spec"]["selector"]
    assert plain.of("Deployment", "-web")["spec"]["strategy"]["rollingUpdate"] == {
        "maxUnavailable": 0,
        "maxSurge": 1,
    }


def test_only_the_web_port_and_the_workers_figures_can_be_reached(everything: Rendered) -> None:
    policies = everything.all_of("NetworkPolicy")
    whole, backfill = (each for each in policies if "Egress" in each["spec"]["policyTypes"])
    assert "ingress" not in whole["spec"]
    assert backfill["metadata"]["name"].endswith("-backfill")
    ports = {
        rule["port"]
        for each in policies
        for ingress in each["spec"].get("ingress", [])
        for rule in ingress["ports"]
    }
    assert ports == {"http", "metrics"}
    assert not render(networkPolicy__enabled=False).all_of("NetworkPolicy")


def test_a_backfill_is_a_deployment_of_its_own(plain: Rendered, everything: Rendered) -> None:
    assert not plain.all_of("Deployment", "-backfill")
    assert "AETERNA_BACKFILL_URL" not in plain.of("ConfigMap")["data"]
    container = everything.containers("backfill")["backfill"]
    assert container["args"] == ["backfill"]
    data = everything.of("ConfigMap")["data"]
    assert data["AETERNA_BACKFILL_AT_ONCE"] == "2"
    assert data["AETERNA_GIT_HOSTS"] == "gitlab.example.com,git.example.com:8443"
    assert data["AETERNA_GIT_NETWORKS"] == "10.20.0.0/16"


def test_a_backfill_runs_from_an_image_of_its_own() -> None:
    def image(**values: str) -> str:
        rendered = render(backfill__enabled=True, image__tag="9.9.9", **values)
        assert rendered.containers("web")["web"]["image"].endswith("/search:9.9.9")
        return str(rendered.containers("backfill")["backfill"]["image"])

    repository = "r.example/search"
    assert image(image__repository=repository) == "r.example/search-backfill:9.9.9"
    own = image(image__repository=repository, image__backfillRepository="r.example/clones")
    assert own == "r.example/clones:9.9.9"


def test_a_backfill_writes_to_the_space_of_its_clones_alone(everything: Rendered) -> None:
    pod = everything.of("Deployment", "-backfill")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    volumes = {each["name"]: each for each in pod["volumes"]}
    assert volumes["clones"]["emptyDir"] == {"sizeLimit": "20Gi"}
    (mount,) = (each for each in container["volumeMounts"] if each["name"] == "clones")
    assert variables(container)["AETERNA_DATA_DIR"].startswith(f"{mount['mountPath']}/")
    writable = {each["name"] for each in container["volumeMounts"] if not each.get("readOnly")}
    assert writable == {"tmp", "clones"}


def test_the_ssh_key_is_mounted_for_the_backfill_alone(everything: Rendered) -> None:
    holders = [pod for pod in everything.pods() if "git-ssh" in json.dumps(pod["volumes"])]
    assert holders == [everything.of("Deployment", "-backfill")["spec"]["template"]["spec"]]
    (volume,) = (each["secret"] for each in holders[0]["volumes"] if each["name"] == "ssh")
    (container,) = holders[0]["containers"]
    (mount,) = (each for each in container["volumeMounts"] if each["name"] == "ssh")
    found = {f"{mount['mountPath']}/{item['path']}" for item in volume["items"]}
    values = variables(container)
    assert found == {values["AETERNA_GIT_SSH_KEY_PATH"], values["AETERNA_GIT_KNOWN_HOSTS_PATH"]}
    without = render(backfill__enabled=True)
    assert "AETERNA_GIT_SSH_KEY_PATH" not in without.text


def test_a_backfill_reaches_the_web_process_and_its_git_hosts(everything: Rendered) -> None:
    policy = everything.of("NetworkPolicy", "-backfill")["spec"]
    labels = everything.of("Deployment", "-backfill")["spec"]["selector"]["matchLabels"]
    assert policy["podSelector"]["matchLabels"] == labels
    web, hosts = policy["egress"]
    (to,) = web["to"]
    of_web = everything.of("Deployment", "-web")["spec"]["selector"]["matchLabels"]
    assert to["podSelector"]["matchLabels"] == of_web
    assert web["ports"] == [{"protocol": "TCP", "port": "http"}]
    assert hosts["ports"] == [{"protocol": "TCP", "port": 22}]
    service = everything.of("Service")
    address = f"http://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}"
    assert everything.of("ConfigMap")["data"]["AETERNA_BACKFILL_URL"] == address
    redirecting = render(backfill__enabled=True, sslRedirect=True, publicUrl="https://a.example")
    assert "AETERNA_BACKFILL_URL" not in redirecting.of("ConfigMap")["data"]


def test_web_is_known_by_its_pod_s_address_and_the_service_s_names(plain: Rendered) -> None:
    (hosts,) = (
        each["value"]
        for each in plain.containers("web")["web"]["env"]
        if each["name"] == "AETERNA_ALLOWED_HOSTS"
    )
    service = plain.of("Service")["metadata"]["name"]
    assert hosts.split(",") == [service, f"{service}.code", f"{service}.code.svc", "$(POD_IP)"]


def test_the_ingress_is_of_the_public_address_s_host(everything: Rendered) -> None:
    spec = everything.of("Ingress")["spec"]
    assert spec["rules"][0]["host"] == "code.example.com"
    assert spec["tls"] == [{"hosts": ["code.example.com"], "secretName": "certificate"}]


def test_the_alerts_of_the_operator_are_the_project_s(everything: Rendered) -> None:
    groups = everything.of("PrometheusRule")["spec"]["groups"]
    text = (ROOT / "deploy" / "monitoring" / "alerts.yml").read_text()
    names = [rule["alert"] for group in groups for rule in group["rules"]]
    assert names == re.findall(r"- alert: (\w+)", text)
    for kind, endpoints in {
        "ServiceMonitor": "endpoints",
        "PodMonitor": "podMetricsEndpoints",
    }.items():
        (endpoint,) = everything.of(kind)["spec"][endpoints]
        assert endpoint["relabelings"] == [{"targetLabel": "job", "replacement": "aeterna"}]
        token = {"name": "aeterna-code-search", "key": "AETERNA_METRICS_TOKEN"}
        assert endpoint["authorization"] == {"credentials": token}


def test_metrics_are_closed_unless_the_secret_has_their_token(plain: Rendered) -> None:
    assert "AETERNA_METRICS_TOKEN_FILE" not in plain.of("ConfigMap")["data"]
    assert "AETERNA_WORKER_METRICS_BIND" not in variables(plain.containers("worker")["worker"])
    assert not plain.all_of("NetworkPolicy", "-worker")
    refused = template(metrics__serviceMonitor__enabled=True)
    assert "put AETERNA_METRICS_TOKEN into existingSecret" in refused.stderr


def test_every_setting_is_one_that_central_reads(everything: Rendered) -> None:
    read = "".join(path.read_text() for path in (ROOT / "central" / "settings").glob("*.py"))
    for name in everything.of("ConfigMap")["data"]:
        assert name.removesuffix("_FILE") in read, name


def test_the_chart_is_of_this_version() -> None:
    chart = (CHART / "Chart.yaml").read_text()
    assert f"appVersion: {VERSION}\n" in chart
    assert f"ARG VERSION={VERSION}\n" in dockerfile.DOCKERFILE.read_text()


def test_the_readme_has_every_value() -> None:
    readme = (CHART / "README.md").read_text()
    schema = json.loads((CHART / "values.schema.json").read_text())
    for name in schema["properties"]:
        assert name == "global" or f"`{name}" in readme, name
