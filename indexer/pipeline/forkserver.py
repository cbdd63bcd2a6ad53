"""The process that workers are forked from. It has imported what they share, and has no threads."""

import multiprocessing
from multiprocessing import forkserver
from typing import Final

_PRELOADED: Final = "indexer.pipeline.preload"


def start_forkserver() -> None:
    """Start the process, unless it runs, and return at once.

    It imports grammars and model while this process talks to git and to central: call this before
    importing the rest of the pipeline.
    """
    multiprocessing.set_forkserver_preload([_PRELOADED])
    forkserver.ensure_running()
