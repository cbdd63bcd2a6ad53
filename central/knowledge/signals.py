"""Waking the thread that links, in the process that has it."""

import threading

# Set when something was written that edges follow from; a lost wake-up costs SWEEP_SECONDS.
graph_changed = threading.Event()
