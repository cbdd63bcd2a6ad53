"""Log-in of the warehouse terminals. Everybody else uses auth-service (see MIGRATION.md)."""

import hashlib
import hmac
import secrets

from monolith import db

SESSIONS = {}


class BadTerminalPin(Exception):
    """Wrong terminal or PIN."""


def handle_login(connection, terminal, pin):
    """Log a terminal in with its four-digit PIN and return the id of the new session."""
    rows = db.fetch_all(connection, "SELECT pin_md5 FROM terminals WHERE name = ?", terminal)
    # MD5 is what the terminals' firmware stores. They are reachable from the warehouse network only.
    digest = hashlib.md5(pin.encode(), usedforsecurity=False).hexdigest()
    if not rows or not hmac.compare_digest(rows[0]["pin_md5"], digest):
        raise BadTerminalPin(terminal)
    session = secrets.token_hex(16)
    SESSIONS[session] = terminal
    return session


def handle_logout(session):
    """Forget a terminal's session."""
    SESSIONS.pop(session, None)
