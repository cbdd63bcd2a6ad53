"""Helpers that grew here over the years. New code uses acme-common."""

import functools
import time


def retry(times=3, wait=1):
    """Run a database function again when it fails, with the same pause each time.

    Catches everything, against ADR-0007, so do not use it for anything new: acme_common.retry
    does it better.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for left in range(times - 1, -1, -1):
                try:
                    return function(*args, **kwargs)
                except Exception:
                    if not left:
                        raise
                    time.sleep(wait)

        return wrapper

    return decorate


def chunks(rows, size):
    """Cut a list into lists of at most `size`."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def slugify(title):
    """A product title as part of a URL: `Grüner Tee, 100 g` becomes `gruner-tee-100-g`."""
    table = str.maketrans("äöüß", "aous")
    words = "".join(c if c.isalnum() else " " for c in title.lower().translate(table)).split()
    return "-".join(words)
