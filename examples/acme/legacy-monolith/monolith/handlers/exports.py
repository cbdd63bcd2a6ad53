"""The accountants' monthly export."""

import csv
import urllib.request

from acme_common import retry

from monolith import db
from vendor.tinytemplate.engine import render

FILE_NAME = "journal-{{ year }}-{{ month }}.csv"


def export_journal(connection, year, month, target):
    """Write the month's payments as CSV with the columns that the accountants' program wants."""
    rows = db.fetch_all(
        connection, "SELECT id, order_id, minor FROM payments WHERE month = ?", f"{year}-{month:02d}"
    )
    writer = csv.writer(target, delimiter=";")
    writer.writerow(["Belegnummer", "Auftrag", "Betrag"])
    writer.writerows((row["id"], row["order_id"], f"{row['minor'] / 100:.2f}") for row in rows)
    return render(FILE_NAME, {"year": year, "month": f"{month:02d}"})


def upload(url, data):
    """Send a finished export to the accountants' server, which is often away at night."""
    policy = retry.RetryPolicy(attempts=6, base_seconds=5, cap_seconds=60)
    return retry.retry_call(_put, url, data, policy=policy)


def _put(url, data):
    request = urllib.request.Request(url, data=data, method="PUT")
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.status
