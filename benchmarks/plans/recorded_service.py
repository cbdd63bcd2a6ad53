"""The embedded service, whose statements are written to the file that STATEMENTS_FILE names."""

import os
import sys
from pathlib import Path

from django.db.backends.signals import connection_created

from benchmarks.plans.recording import Recorder

if __name__ == "__main__":
    recorder = Recorder(Path(os.environ["STATEMENTS_FILE"]))
    connection_created.connect(recorder.attach, weak=False)
    from central.serve import main

    sys.exit(main(sys.argv[1:]))
