"""Balances for the partner programme."""

from collections.abc import Callable

from acme_common.retry import RetryPolicy, retry_call


def push_balances(balances: dict[str, int], send: Callable[[dict[str, int]], None]) -> int:
    """Send the customers with points to the partner and return how many there were."""
    worth_telling = {customer: points for customer, points in balances.items() if points > 0}
    retry_call(send, worth_telling, policy=RetryPolicy(attempts=3))
    return len(worth_telling)
