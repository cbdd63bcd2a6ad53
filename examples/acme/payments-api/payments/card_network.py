"""The client of the card network's gateway."""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass

from acme_common.money import Money
from acme_common.retry import RetryPolicy, retry_call

# The gateway drops connections when it is busy and recovers within two seconds.
GATEWAY_POLICY = RetryPolicy(attempts=4, base_seconds=0.2, cap_seconds=2.0)
TIMEOUT_SECONDS = 5


class CardDeclinedError(Exception):
    """The issuer said no. Asking again does not help and costs a fee: ADR-0007 of common-utils."""

    def __init__(self, code: str) -> None:
        super().__init__(f"declined: {code}")
        self.code = code


@dataclass(frozen=True, slots=True)
class Authorisation:
    reference: str
    amount: Money


class CardNetwork:
    """Authorises and reverses amounts. Safe to repeat: every call carries our own reference."""

    def __init__(self, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        self._api_key = api_key

    def authorise(self, reference: str, card_token: str, amount: Money) -> Authorisation:
        """Reserve the amount on the card. Raises CardDeclinedError or RetriesExhaustedError."""
        body = {"card": card_token, "minor": amount.minor, "currency": amount.currency}
        answer = retry_call(self._post, f"/authorisations/{reference}", body, policy=GATEWAY_POLICY)
        if answer["result"] != "approved":
            raise CardDeclinedError(answer["result"])
        return Authorisation(answer["network_reference"], amount)

    def reverse(self, network_reference: str, amount: Money) -> str:
        """Send money back to the card. Returns the network's reference of the reversal."""
        body = {"minor": amount.minor, "currency": amount.currency}
        answer = retry_call(
            self._post, f"/authorisations/{network_reference}/reversals", body, policy=GATEWAY_POLICY
        )
        return answer["reversal_reference"]

    def _post(self, path: str, body: dict[str, object]) -> dict[str, str]:
        request = urllib.request.Request(
            self._base_url + path,
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Key {self._api_key}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError as exc:
            raise ConnectionError(str(exc.reason)) from exc
