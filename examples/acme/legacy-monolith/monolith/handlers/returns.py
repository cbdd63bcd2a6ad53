"""Goods that come back. No service does this yet."""

from monolith import db
from monolith.handlers.stock import adjust_stock


def handle_return(connection, order_id, sku):
    """Take one piece back into stock, at most as many as the order had. Returns whether it was taken."""
    taken = db.execute(
        connection, "UPDATE lines SET returned = returned + 1 WHERE order_id = ? AND sku = ? AND returned < quantity",
        order_id, sku,
    )
    return taken == 1 and adjust_stock(connection, sku, 1)
