"""Payments with vouchers. Cards have moved to payments-api."""

from acme_common.ids import new_id
from acme_common.money import Money, format_money

from monolith import db


class VoucherError(Exception):
    """The voucher does not exist, has expired, or is worth too little."""


def process_payment(connection, order_id, voucher_code, amount: Money):
    """Pay an order with a voucher and return the id of the payment."""
    rows = db.fetch_all(connection, "SELECT minor FROM vouchers WHERE code = ? AND used = 0", voucher_code)
    if not rows:
        raise VoucherError("unknown or used voucher")
    if rows[0]["minor"] < amount.minor:
        raise VoucherError(f"the voucher is worth less than {format_money(amount)}")
    redeem_voucher(connection, voucher_code)
    payment_id = new_id("vpay")
    db.execute(connection, "INSERT INTO payments VALUES (?, ?, ?)", payment_id, order_id, amount.minor)
    return payment_id


def redeem_voucher(connection, code):
    """Mark a voucher as used. Two orders at once cannot both redeem it."""
    if db.execute(connection, "UPDATE vouchers SET used = 1 WHERE code = ? AND used = 0", code) != 1:
        raise VoucherError("the voucher was just used elsewhere")
