"""Plain-text log lines for the old log server, which does not understand JSON."""

import logging

FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


def setup(debug=False):
    """Log to the file that the log server reads."""
    logging.basicConfig(filename="/var/log/shop.log", format=FORMAT, level=logging.DEBUG if debug else logging.INFO)
