"""Elements of Kotlin's collections, and parameters of the lambdas that are given them."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import repository

pytestmark = pytest.mark.django_db

_ORDER = """
package acme
class Order { fun check(): Boolean = true }
class Other { fun check(): Boolean = true }
"""
_USE = """
package acme
class Page(private val orders: List<Order>) {
    fun run(byId: Map<String, Order>, some: Sequence<Order>?, others: List<Other>) {
        for (o in orders) o.check() // yes
        for (o in others) o.check()
        for ((id, o) in byId) o.check() // yes
        for ((id, o) in byId) id.check()
        for (o in byId.values) o.check() // yes
        orders[0].check() // yes
        byId["x"]?.check() // yes
        val first = orders.first()
        first.check() // yes
        orders.forEach { o -> o.check() } // yes
        some?.filter { o -> o.check() } // yes
        others.any { o -> o.check() }
        orders.map { o -> o.toString() }.filter { o -> o.check() }
        orders.check()
    }
}
"""


def test_elements_have_the_type_that_the_collection_is_written_with(
    callers: Callable[..., list[str]],
) -> None:
    repository("shop", {"Order.kt": _ORDER, "Page.kt": _USE})
    found = callers("Order.check", project="shop")
    lines = [int(one.partition(":")[2].partition(" ")[0]) for one in found]
    expected = [at for at, line in enumerate(_USE.splitlines(), 1) if line.endswith("// yes")]
    assert sorted(set(lines)) == expected
