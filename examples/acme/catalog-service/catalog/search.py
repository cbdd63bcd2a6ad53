"""Finding products by the words of their titles."""

import re
from collections import Counter
from dataclasses import dataclass

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Product:
    sku: str
    title: str
    sold_last_month: int = 0


def search_products(query: str, products: list[Product], limit: int = 20) -> list[Product]:
    """Products whose title has words of the query; more words first, then what sells better.

    The last word may be incomplete, because people search while they type.
    """
    words = _WORD.findall(query.lower())
    scored = [(_matches(words, product), product) for product in products]
    found = [(score, product) for score, product in scored if score]
    found.sort(key=lambda pair: (-pair[0], -pair[1].sold_last_month, pair[1].sku))
    return [product for _, product in found[:limit]]


def _matches(words: list[str], product: Product) -> int:
    title = Counter(_WORD.findall(product.title.lower()))
    if not words:
        return 0
    whole = sum(1 for word in words if word in title)
    partial = any(word.startswith(words[-1]) for word in title) and words[-1] not in title
    return 2 * whole + partial
