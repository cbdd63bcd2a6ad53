"""What the tests of the knowledge graph's pages share: asking for pages, and reading them."""

import re
from html import unescape
from typing import Any
from urllib.parse import quote

from django.test import Client

FILE = "code:shop/src/main.rs"
START = f"{FILE}#start"


def page(client: Client, address: str, status: int = 200, **query: Any) -> str:
    response = client.get(f"/o/acme/{address}", query)
    assert response.status_code == status, response.content
    html: str = response.content.decode()
    return html


def node_page(client: Client, node: str, status: int = 200, **query: Any) -> str:
    return page(client, f"knowledge/{quote(node)}", status, **query)


def main(html: str) -> str:
    """The text of a page's own part, on one line."""
    part = html.partition("<main")[2].partition("</main>")[0].partition(">")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", part)).split())


def ids(html: str) -> list[str]:
    """Of the documents that a list has."""
    return re.findall(r'<a class="mono" href="[^"]*" data-result>([^<]*)</a>', html)
