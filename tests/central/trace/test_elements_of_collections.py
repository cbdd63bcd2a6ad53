"""Elements of collections, and parameters of lambdas over them, have the type that is written."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import repository

_JAVA = {
    "pom.xml": "<project><groupId>com.acme</groupId><artifactId>shop</artifactId></project>",
    "src/main/java/com/acme/Order.java": """
package com.acme;
public class Order {
    public boolean validate() { return true; }
}
""",
    "src/main/java/com/acme/Page.java": """
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
""",
}
_CSHARP = {
    "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
    "Order.cs": """
namespace Acme;
public class Order { public bool Check() => true; }
public class Other { public bool Check() => true; }
""",
    "Page.cs": """
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
""",
}
_KOTLIN = {
    "Order.kt": """
package acme
class Order { fun check(): Boolean = true }
class Other { fun check(): Boolean = true }
""",
    "Page.kt": """
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
""",
}
_CPP = {
    "order.h": """
#include <map>
#include <memory>
#include <optional>
#include <vector>
class Order { public: bool check() { return true; } virtual Order* next() = 0; };
class Other { public: bool check() { return true; } };
std::vector<Order*>& open_orders(); // defined nowhere
""",
    "page.cpp": """
#include "order.h"
class Page {
  std::vector<Order> orders;
  std::map<int, std::shared_ptr<Order>> by_id;
  void run(std::optional<Order> maybe, std::vector<Other> others, Other* some, Box<Order> box) {
    for (auto& o : orders) { o.check(); } // yes
    for (const Order& o : orders) o.check(); // yes
    for (auto& o : others) o.check();
    for (auto* o : open_orders()) o->check();
    for (auto& [id, o] : by_id) o->check(); // yes
    for (auto& [id, o] : by_id) id->check();
    for (auto& pair : by_id) pair.second->check(); // yes
    for (auto it = orders.begin(); it != orders.end(); ++it) it->check(); // yes
    orders[0].check(); // yes
    orders.front().next()->check(); // yes
    by_id.at(1)->check(); // yes
    auto& last = orders.back();
    last.check(); // yes
    auto& first = orders[0];
    first.check(); // yes
    auto [same, also] = std::pair<Order, Other>();
    maybe->check(); // yes
    maybe.value().check(); // yes
    static_cast<const Order*>(some)->check(); // yes
    if (auto* o = dynamic_cast<Order*>(some)) o->check(); // yes
    if (Order* o = find(some)) o->check(); // yes
    auto cast = reinterpret_cast<Order*>(some);
    cast->check(); // yes
    to_cast<Other>(some)->check();
    some->check();
    orders.check();
    box.front().check();
  }
};
""",
}
_RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n',
    "src/order.rs": """
use std::sync::{Arc, Mutex, RwLock};
#[derive(Clone)]
pub struct Order;
impl Order { pub fn check(&self) -> bool { true } pub fn own(&self) -> Other { Other } }
pub struct Other;
impl Other { pub fn check(&self) -> bool { true } }
pub struct Store {
    orders: Vec<Order>,
    shared: Arc<RwLock<Vec<Order>>>,
    one: Mutex<Option<Order>>,
}
impl Store {
    pub fn all(&self) -> impl Iterator<Item = &Order> + '_ { self.orders.iter() }
    pub fn load(&self) -> Result<Vec<Order>, String> { Ok(vec![]) }
    pub fn find(&self) -> Option<&Order> { self.orders.first() }
}
""",
    "src/lib.rs": """
use std::collections::HashMap;
use crate::order::{Order, Other, Store};
pub mod order;
pub fn run(mut orders: Vec<Order>, by_id: HashMap<String, Order>, slice: &[Order],
    some: Option<Order>, others: &[Other], store: &Store) -> Result<(), String> {
    for o in &orders { o.check(); } // yes
    for o in slice.iter().rev() { o.check(); } // yes
    for (i, o) in orders.iter().enumerate() { o.check(); } // yes
    for (id, o) in &by_id { o.check(); } // yes
    for (id, o) in &by_id { id.check(); }
    for o in by_id.values() { o.check(); } // yes
    for o in others { o.check(); }
    for o in store.all() { o.check(); } // yes
    for o in store.load()? { o.check(); } // yes
    orders[0].check(); // yes
    let first = orders.get(0).unwrap();
    first.check(); // yes
    by_id.get("x").expect("none").check(); // yes
    if let Some(o) = orders.last() { o.check(); } // yes
    while let Some(o) = orders.pop() { o.check(); } // yes
    match store.find() { Some(o) if o.check() => {}, _ => {} } // yes
    match store.load() { Ok(list) => list[0].check(), Err(e) => e.check() }; // yes
    let Some(o) = store.find() else { return Ok(()) };
    o.check(); // yes
    some.as_ref().unwrap().check(); // yes
    some.unwrap().own().check();
    orders.iter().filter(|o| o.check()).for_each(|o| println!("{}", o.check())); // yes
    orders.iter().max_by_key(|o| o.check()).unwrap().check(); // yes
    orders.iter().map(|o| o.own()).for_each(|o| { o.check(); });
    others.iter().any(|o| o.check());
    let sorted: Vec<_> = orders.iter().collect();
    sorted[0].check(); // yes
    orders.check();
    Ok(())
}
""",
}


@pytest.mark.parametrize(
    ("files", "method"),
    [
        (_JAVA, "Order.validate"),
        (_CSHARP, "Order.Check"),
        (_KOTLIN, "Order.check"),
        (_CPP, "Order.check"),
        (_RUST, "Order.check"),
    ],
    ids=["java", "csharp", "kotlin", "cpp", "rust"],
)
def test_elements_have_the_type_that_the_collection_is_written_with(
    callers: Callable[..., list[str]], files: dict[str, str], method: str
) -> None:
    repository("shop", files)
    found = callers(method, project="shop")
    lines = [int(one.partition(":")[2].partition(" ")[0]) for one in found]
    uses = list(files.values())[-1].splitlines()
    expected = [at for at, line in enumerate(uses, 1) if line.endswith("// yes")]
    assert sorted(set(lines)) == expected
