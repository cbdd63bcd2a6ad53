"""Stock levels as the warehouse terminals see them."""

from monolith import db
from monolith.utils import chunks


def adjust_stock(connection, sku, difference):
    """Count goods in or out. Never lets the stock fall below zero: returns False instead. See ADR-0011."""
    changed = db.execute(
        connection,
        "UPDATE stock SET quantity = quantity + ? WHERE sku = ? AND quantity + ? >= 0",
        difference,
        sku,
        difference,
    )
    return changed == 1


def levels(connection, skus):
    """Quantity by SKU, asked in groups of 500 because the database takes no more parameters."""
    found = {}
    for group in chunks(skus, 500):
        marks = ",".join("?" * len(group))
        rows = db.fetch_all(connection, f"SELECT sku, quantity FROM stock WHERE sku IN ({marks})", *group)
        found.update({row["sku"]: row["quantity"] for row in rows})
    return found
