"""Elements of Java's collections, and parameters of the lambdas that are given them."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import repository

pytestmark = pytest.mark.django_db

_ORDER = """
package com.acme;
public class Order {
    public boolean validate() { return true; }
}
"""
_USE = """
package com.acme;
import java.util.*;
class Page {
    private final List<Order> orders = List.of();
    private final Box<Order> box = null;
    void run(Map<String, Order> byId, Optional<Order> maybe, Order[] all, List<Other> others) {
        for (var o : orders) { o.validate(); } // yes
        for (var o : all) { o.validate(); } // yes
        for (var o : others) { o.validate(); }
        for (var id : byId.keySet()) { id.validate(); }
        for (var o : byId.values()) { o.validate(); } // yes
        for (var entry : byId.entrySet()) { entry.getValue().validate(); } // yes
        orders.get(0).validate(); // yes
        all[0].validate(); // yes
        byId.get("x").validate(); // yes
        maybe.orElseThrow().validate(); // yes
        var first = orders.getFirst();
        first.validate(); // yes
        orders.forEach(o -> o.validate()); // yes
        orders.stream().filter(o -> o.validate()).count(); // yes
        orders.stream().filter((o) -> o.validate()).map(o -> o.validate()); // yes
        maybe.ifPresent(o -> o.validate()); // yes
        others.forEach(o -> o.validate());
        box.forEach(o -> o.validate());
        orders.stream().map(Order::toString).filter(o -> o.validate());
        byId.forEach((id, o) -> id.validate());
        orders.validate();
    }
}
class Other { public boolean validate() { return false; } }
class Box<T> { void forEach(java.util.function.Consumer<String> taken) {} }
"""


def test_elements_have_the_type_that_the_collection_is_written_with(
    callers: Callable[..., list[str]],
) -> None:
    pom = "<project><groupId>com.acme</groupId><artifactId>shop</artifactId></project>"
    repository(
        "shop",
        {
            "pom.xml": pom,
            "src/main/java/com/acme/Order.java": _ORDER,
            "src/main/java/com/acme/Page.java": _USE,
        },
    )
    found = callers("Order.validate", project="shop")
    lines = [int(one.partition(":")[2].partition(" ")[0]) for one in found]
    expected = [at for at, line in enumerate(_USE.splitlines(), 1) if line.endswith("// yes")]
    assert sorted(set(lines)) == expected
