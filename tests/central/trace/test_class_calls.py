"""What a call of a class gives: its object's `apply` or `invoke` may give another type."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_SCALA = """
    package acme
    class Item { def total(): Int = 1 }
    class Receipt { def total(): Int = 1; def item(): Item = new Item }
    class Order(x: Int) { def total(): Int = 2; def item(): Order = this }
    object Order { def apply(x: Int): Receipt = new Receipt }
    case class Plain(x: Int) { def total(): Int = 3 }
    object Plain { def empty: Plain = Plain(0) }
"""
_SCALA_USE = """
    package acme
    object Use {
      val order = Order(1)
      def run() = {
        Order(2).total()
        new Order(3).total()
        order.total()
        Order(4).item().total()
        Plain(5).total()
      }
    }
"""
_KOTLIN = """
    package acme
    class Receipt {
        fun total(): Int = 1
    }
    interface Shape {
        fun total(): Int
        companion object {
            operator fun invoke(x: Int): Receipt = Receipt()
        }
    }
    class Order(val x: Int) {
        fun total(): Int = 2
        companion object {
            operator fun invoke(x: String) = Receipt()
        }
    }
    class Same(val x: Int) {
        fun total(): Int = 3
        companion object {
            operator fun invoke(x: String): Same = Same(1)
        }
    }
"""
_KOTLIN_USE = """
    package acme
    fun run() {
        Shape(1).total()
        Order("2").total()
        Same("3").total()
    }
"""


def test_an_object_decides_what_a_call_of_a_class_of_scala_gives(callers: Callers) -> None:
    repository("shop", {"Order.scala": _SCALA, "Use.scala": _SCALA_USE})
    use = "shop/Use.scala"
    assert callers("Receipt.total") == [f"{use}:{line} Use.run high" for line in (6, 8)]
    assert callers("Order.total") == [f"{use}:7 Use.run high"]
    assert callers("Item.total") == [f"{use}:9 Use.run high"]
    assert callers("Plain.total") == [f"{use}:10 Use.run high"]


def test_a_companion_of_kotlin_decides_where_the_class_has_no_constructor(callers: Callers) -> None:
    repository("shop", {"Order.kt": _KOTLIN, "Use.kt": _KOTLIN_USE})
    use = "shop/Use.kt"
    assert callers("Receipt.total") == [f"{use}:4 run high", f"{use}:5 run medium"]
    assert callers("Shape.total") == []
    assert callers("Order.total") == [f"{use}:5 run medium"]
    assert callers("Same.total") == [f"{use}:6 run high"]
