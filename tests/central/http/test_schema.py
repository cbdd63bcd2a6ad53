"""The schema is one document for everybody, whatever a stranger adds to its address."""

import json

import yaml
from django.test import Client


def test_each_format_has_the_same_document() -> None:
    as_yaml = Client().get("/api/v1/schema")
    as_json = Client().get("/api/v1/schema", {"format": "json"})
    assert as_yaml["Content-Type"] == "application/vnd.oai.openapi; charset=utf-8"
    assert as_json["Content-Type"] == "application/vnd.oai.openapi+json"
    assert yaml.safe_load(as_yaml.content) == json.loads(as_json.content)


def test_an_address_with_fields_has_no_document_of_its_own() -> None:
    """To make one takes long: a stranger could keep a server busy."""
    asked = ({}, {"version": "9"}, {"lang": "de"}, {"q": "x"})
    answers = {Client().get("/api/v1/schema", fields).content for fields in asked}
    assert len(answers) == 1
