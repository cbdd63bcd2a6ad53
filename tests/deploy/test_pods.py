"""What the tests in an engine translate of the chart: all of it, or the unknown part is named."""

import copy
from typing import Any

import pytest

from tests.deploy.chart import Rendered, render
from tests.deploy.engine.fields import UnknownFieldError, quantity
from tests.deploy.engine.workloads import read_installation
from tests.deploy.test_chart import EVERYTHING

pytestmark = pytest.mark.system("helm")


@pytest.fixture(scope="module")
def plain() -> Rendered:
    return render()


def test_every_field_of_the_chart_is_translated(plain: Rendered) -> None:
    for rendered in (plain, render(**EVERYTHING)):
        installation = read_installation(rendered.objects)
        names = {each.name for each in installation.deployments}
        assert names == {each["metadata"]["name"] for each in rendered.all_of("Deployment")}


@pytest.mark.parametrize(
    ("where", "field", "value"),
    [
        ((), "initContainers", [{"name": "wait"}]),
        ((), "hostNetwork", True),
        (("securityContext",), "supplementalGroups", [1]),
        (("containers", 0), "workingDir", "/srv"),
        (("containers", 0, "livenessProbe"), "initialDelaySeconds", 3),
        (("containers", 0, "securityContext"), "privileged", True),
        (("containers", 0, "resources", "limits"), "ephemeral-storage", "1Gi"),
        (("volumes", 0, "emptyDir"), "medium", "Memory"),
    ],
)
def test_a_field_that_is_not_translated_is_named(
    plain: Rendered, where: tuple[Any, ...], field: str, value: Any
) -> None:
    objects = copy.deepcopy(plain.objects)
    (web,) = (
        each
        for each in objects
        if each["kind"] == "Deployment" and each["metadata"]["name"].endswith("-web")
    )
    part: Any = web["spec"]["template"]["spec"]
    for step in where:
        part = part[step]
    part[field] = value

    with pytest.raises(UnknownFieldError, match=field):
        read_installation(objects)


def test_a_job_without_a_limit_is_not_waited_for_without_end(plain: Rendered) -> None:
    objects = copy.deepcopy(plain.objects)
    (job,) = (each for each in objects if each["kind"] == "Job")
    job["spec"]["activeDeadlineSeconds"] = 70
    assert read_installation(objects).hooks[0].deadline_seconds == 70
    del job["spec"]["activeDeadlineSeconds"]
    assert 0 < read_installation(objects).hooks[0].deadline_seconds < 3600


def test_a_kind_that_nothing_runs_is_named(plain: Rendered) -> None:
    further = {"kind": "CronJob", "metadata": {"name": "backup"}, "spec": {}}
    with pytest.raises(UnknownFieldError, match="CronJob"):
        read_installation([*plain.objects, further])


def test_variables_refer_to_the_pod_s_address_and_to_each_other(plain: Rendered) -> None:
    deployments = {each.name: each.pod for each in read_installation(plain.objects).deployments}
    (web,) = deployments["search-aeterna-code-search-web"].containers
    variables = dict(each.split("=", 1) for each in web.environment("fd00::5"))
    assert variables["POD_IP"] == "fd00::5"
    assert variables["AETERNA_ALLOWED_HOSTS"].endswith(",fd00::5")


@pytest.mark.parametrize(
    ("text", "number"), [("500m", 0.5), ("768Mi", 768 * 2**20), ("2Gi", 2**31), ("2", 2), (3, 3)]
)
def test_quantities_are_kubernetes_own(text: str | int, number: float) -> None:
    assert quantity(text) == number
