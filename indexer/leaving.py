"""What a process clears away that ends at once, as the interpreter's end waits for threads."""

import sys


def clear_away() -> None:
    """Remove the directory in which multiprocessing has the socket of its fork server, if any.

    The fork server and its workers notice the end of this process by a pipe.
    """
    if "multiprocessing.forkserver" in sys.modules:
        import shutil
        from multiprocessing.util import get_temp_dir

        shutil.rmtree(get_temp_dir(), ignore_errors=True)
