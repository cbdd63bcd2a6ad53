"""The terminals' server: which path runs which handler."""

from acme_common.money import parse_money

from monolith import db
from monolith.handlers import returns, stock
from monolith.handlers.login import handle_login, handle_logout
from monolith.handlers.payments import process_payment
from monolith.middleware import AuthMiddleware


def dispatch(path, form):
    """Run one handler in one transaction."""
    with db.transaction() as connection:
        if path == "/login":
            return handle_login(connection, form["terminal"], form["pin"])
        if path == "/logout":
            return handle_logout(form["session"])
        if path == "/pay":
            amount = parse_money(form["amount"], "EUR")
            return process_payment(connection, form["order"], form["voucher"], amount)
        if path == "/return":
            return returns.handle_return(connection, form["order"], form["sku"])
        return stock.levels(connection, form["skus"])


def change_shift(connection, session, terminal, pin):
    """One person leaves the terminal and the next one logs in."""
    handle_logout(session)
    return handle_login(connection, terminal, pin)


def build_server(addresses):
    """The server as the warehouse runs it."""
    return AuthMiddleware(dispatch, addresses)
