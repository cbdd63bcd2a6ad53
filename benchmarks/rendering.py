"""`python -m benchmarks.rendering USERNAME`: how much of a page's time its templates take.

Reads {kind: [path, …]} from standard input, prints {kind: [ms, ms]}: processor time of this
process for a page and, of that, for its templates; both are medians. No server may hold the data.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import django

ROUNDS = 30


class Stopwatch:
    """Adds up the time inside the outermost call of a function that it stands for."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    def around(self, function: Any) -> Any:
        """The same function, measured."""

        def measured(*arguments: Any, **named: Any) -> Any:
            started = time.thread_time()
            self._depth += 1
            try:
                return function(*arguments, **named)
            finally:
                self._depth -= 1
                if not self._depth:
                    self.seconds += time.thread_time() - started

        return measured


def measure(username: str, asked: Mapping[str, Sequence[str]]) -> dict[str, list[float]]:
    """Medians of each kind of page."""
    from django.contrib.auth.models import User
    from django.template.backends.django import Template
    from django.test import Client

    watch = Stopwatch()
    Template.render = watch.around(Template.render)  # type: ignore[method-assign]
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.get(username=username))
    return {kind: _medians(client, watch, paths) for kind, paths in asked.items()}


def _medians(client: Any, watch: Stopwatch, paths: Sequence[str]) -> list[float]:
    samples = []
    for number in range(len(paths) + ROUNDS):
        watch.seconds = 0.0
        started = time.thread_time()
        client.get(paths[number % len(paths)])
        if number >= len(paths):
            samples.append((time.thread_time() - started, watch.seconds))
    totals, renderings = zip(*samples, strict=True)
    return [1000 * statistics.median(totals), 1000 * statistics.median(renderings)]


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")
    django.setup()
    print(json.dumps(measure(sys.argv[1], json.load(sys.stdin))))
