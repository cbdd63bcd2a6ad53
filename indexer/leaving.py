"""What a process clears away that ends at once, as the interpreter's end waits for threads."""

import sys


def clear_away() -> None:
    """Remove the directory in which multiprocessing has the socket of its fork server, if any.

    The fork server and its workers notice the end of this process by a pipe.
    """
    if "multiprocessing.forkserver" in sys.modules:
        import shutil
        from multiprocessing.process import current_process

        # multiprocessing.util.get_temp_dir would make one where there is none.
        made = getattr(current_process(), "_config", {}).get("tempdir")
        if made:
            shutil.rmtree(made, ignore_errors=True)
