"""Which files are taken for re-exports, and so stand below what they export."""

import pytest

from aeterna_code_search.contract.search import SearchRequest
from central.search.service import search
from tests.central.search.corpus import credential_for, index_repository, organization_of

pytestmark = pytest.mark.django_db

IMPORTS = {
    "shop/orders/__init__.py": 'from shop.orders.refunds import refund\n\n__all__ = ["refund"]\n',
    "web/orders/index.ts": 'export { refund } from "./refund";\nexport * from "./orders";\n',
    "src/orders/mod.rs": "mod refund;\n\npub use self::refund::refund_order;\n",
}
CODE = {
    "shop/orders/__init__.py": "def refund(order):\n    return order.total\n",
    "web/orders/index.ts": "export function refund(order: Order) {\n  return order.total;\n}\n",
    "src/orders/mod.rs": "pub fn refund_order(order: &Order) -> u64 {\n    order.total\n}\n",
}


@pytest.mark.parametrize("path", IMPORTS)
@pytest.mark.parametrize("has_code", [False, True])
def test_file_with_code_of_its_own_is_no_re_export(path: str, has_code: bool) -> None:
    acme = organization_of("acme")
    index_repository(acme, "shop", {path: CODE[path] if has_code else IMPORTS[path]})
    request = SearchRequest(queries=("how are orders refunded",), explain=True)
    [result] = search(credential=credential_for(acme), request=request).results
    assert result.why is not None
    assert ("reexport" in {effect.rule for effect in result.why.rules}) is not has_code
