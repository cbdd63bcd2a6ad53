"""Questions for the callers of a name are told from other questions."""

import pytest

from central.search.hints import called_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("who calls verify_token", "verify_token"),
        ("Who calls verify_token()?", "verify_token"),
        ("who uses `Auth.verify`", "Auth.verify"),
        ("callers of verify", "verify"),
        ("find all usages of Foo::bar", "Foo.bar"),
        ("where is verify called from?", "verify"),
        ("where is the method foo used", "foo"),
        ("which services call charge_card", "charge_card"),
        ("what depends on acme.tokens", "acme.tokens"),
        ("references to X", "X"),
        ("where is verify", ""),
        ("who uses the database", ""),
        ("usages of a b", ""),
        ("what does verify call", ""),
        ("who owns verify", ""),
        ("who calls", ""),
    ],
)
def test_the_name_whose_callers_are_asked_for(text: str, name: str) -> None:
    assert called_name(text) == name
