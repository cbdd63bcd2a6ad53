"""The suppliers' product feeds."""

import csv
import io
from collections.abc import Callable

from acme_common.retry import RetryPolicy, retry_call

from catalog.search import Product

FEED_POLICY = RetryPolicy(attempts=3, base_seconds=30, cap_seconds=120)


class FeedError(ValueError):
    """A line of the feed cannot be used; the message names the line."""


def import_feed(download: Callable[[], str]) -> list[Product]:
    """Download and read a supplier's CSV. One bad line refuses the whole feed."""
    text = retry_call(download, policy=FEED_POLICY)
    products = []
    for number, row in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        if not row.get("sku") or not row.get("title"):
            raise FeedError(f"line {number}: sku and title are required")
        products.append(Product(row["sku"].strip(), row["title"].strip()))
    return products
