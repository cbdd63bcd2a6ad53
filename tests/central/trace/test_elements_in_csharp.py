"""Elements of C#'s collections, and parameters of the lambdas that are given them."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import repository

pytestmark = pytest.mark.django_db

_ORDER = """
namespace Acme;
public class Order { public bool Check() => true; }
public class Other { public bool Check() => true; }
"""
_USE = """
using System.Collections.Generic;
using System.Linq;
namespace Acme;
class Page {
    private readonly List<Order> orders = new();
    void Run(Dictionary<string, Order> byId, IEnumerable<Order> some, Order[] all,
        List<Other> others) {
        foreach (var o in orders) o.Check(); // yes
        foreach (var o in all) o.Check(); // yes
        foreach (var o in others) o.Check();
        foreach (var pair in byId) pair.Value.Check(); // yes
        foreach (var pair in byId) pair.Key.Check();
        foreach (var o in byId.Values) o.Check(); // yes
        foreach (var o in some.Where(o => o.Check())) o.Check(); // yes
        orders[0].Check(); // yes
        byId["x"].Check(); // yes
        var first = some.First();
        first.Check(); // yes
        orders.ForEach(o => o.Check()); // yes
        some.Select((o) => o.Check()); // yes
        others.Any(o => o.Check());
        some.Select(o => o.ToString()).Where(o => o.Check());
        orders.Check();
    }
}
"""


def test_elements_have_the_type_that_the_collection_is_written_with(
    callers: Callable[..., list[str]],
) -> None:
    repository(
        "shop",
        {
            "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
            "Order.cs": _ORDER,
            "Page.cs": _USE,
        },
    )
    found = callers("Order.Check", project="shop")
    lines = [int(one.partition(":")[2].partition(" ")[0]) for one in found]
    expected = [at for at, line in enumerate(_USE.splitlines(), 1) if line.endswith("// yes")]
    assert sorted(set(lines)) == expected
