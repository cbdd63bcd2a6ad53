"""The example alerts and the dashboard: well-formed, and of figures that the service really has."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
from prometheus_client.parser import text_string_to_metric_families
from ruamel.yaml import YAML

from tests.central.protocol import metrics

MONITORING = Path(__file__).resolve().parents[2] / "deploy" / "monitoring"
PROMETHEUS_OWN = {"up"}
SUFFIXES = {
    "counter": ("_total",),
    "histogram": ("_bucket", "_sum", "_count"),
    "gaugehistogram": ("_bucket", "_gsum", "_gcount"),
    "gauge": ("",),
}


def rules() -> list[dict[str, Any]]:
    groups = YAML(typ="safe").load(MONITORING / "alerts.yml")["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    return list(json.loads((MONITORING / "grafana-dashboard.json").read_text())["panels"])


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    yield from (target["expr"] for panel in panels() for target in panel["targets"])


def metrics_in(expression: str) -> set[str]:
    tree = promql_parser.parse(expression).prettify()
    return {
        name
        for name in re.findall(r"\b[a-z_]+(?=\s*[{\[)]|\s*$|\s+[/=<>])", tree)
        if name.startswith(("aeterna_", "process_")) or name in PROMETHEUS_OWN
    }


@pytest.mark.django_db
def test_every_figure_that_is_asked_for_is_exposed() -> None:
    text = metrics()
    exposed = {
        family.name + suffix
        for family in text_string_to_metric_families(text)
        for suffix in SUFFIXES.get(family.type, ("",))
    }
    asked = {name for expression in expressions() for name in metrics_in(expression)}
    assert len(asked) > 15
    assert asked - exposed - PROMETHEUS_OWN == set()


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_every_expression_is_promql_and_names_a_figure(expression: str) -> None:
    assert metrics_in(expression), expression


def test_every_alert_says_what_to_do() -> None:
    assert len({rule["alert"] for rule in rules()}) == len(rules()) > 10
    for rule in rules():
        assert rule["alert"].startswith("Aeterna")
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert rule["annotations"]["summary"].endswith(".")
        assert len(rule["annotations"]["description"]) > 40


def test_panels_have_titles_units_and_places_of_their_own() -> None:
    places = set()
    for panel in panels():
        assert panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"]
        box = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(box["x"], box["x"] + box["w"])
            for y in range(box["y"], box["y"] + box["h"])
        }
        assert not cells & places, panel["title"]
        assert max(x for x, _ in cells) < 24
        places |= cells
