"""Limits that answers met, for the receipt: what a request has met is what it has asked."""

from central.trace.inquiry import Inquiry, Steps
from central.trace.questions import Limit


def met(_: Limit) -> Steps:
    """Nothing is to be found out."""
    yield ()
    return ()


def limits_met(inquiry: Inquiry) -> list[str]:
    """What was not followed to its end, of all that was asked."""
    return sorted(limit.reason for limit in inquiry.asked(Limit))
