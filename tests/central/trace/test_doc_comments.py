"""Types of PHP that doc comments tell, and others that no declaration writes."""

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_SHOP = """<?php
namespace Acme;
class Part { public function go() {} }
class Maker { public function __invoke($x): Part {} }
class Shop {
    /** @var Part|null */
    private $part;
    /** @var Part[] */
    private $parts = [];
    /** A part, but no type. */
    private $any;
    /**
     * @param Part $one
     * @param array<string, Part> $many
     */
    public function run($one, $many, $other, Maker $make) {
        %s
    }
    private function go() {}
}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "$this->part->go();",
        "$this->parts[0]->go();",
        "foreach ($this->parts as $part) { $part->go(); }",
        "foreach ($many as $key => $part) { $part->go(); }",
        "$one->go();",
        "$two = clone $one; $two->go();",
        "/** @var Part $two */ $two = $other[0]; $two->go();",
        "$make(1)->go();",
        "$two = $make(1); $two->go();",
        "if ($other instanceof Part) { $other->go(); }",
        "$other instanceof Part ? $other->go() : null;",
    ],
)
def test_the_type_is_known(callers: Callers, statement: str) -> None:
    repository("shop", {"src/Shop.php": _SHOP % statement})
    assert callers("Part.go") == ["shop/src/Shop.php:17 Shop.run high"]
    assert callers("Shop.go") == []


@pytest.mark.parametrize(
    "statement",
    [
        "$this->any->go();",
        "$other->go();",
        "$this->parts->go();",
        "foreach ($many as $key => $part) { $key->go(); }",
        "/** @var Part $one */ $two = $other[0]; $two->go();",
        "$make->go();",
        "$other instanceof Part ? null : $other->go();",
    ],
)
def test_the_type_is_unknown(callers: Callers, statement: str) -> None:
    repository("shop", {"src/Shop.php": _SHOP % statement})
    assert callers("Part.go") == callers("Shop.go") == []
