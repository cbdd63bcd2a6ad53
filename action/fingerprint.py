"""Says of the Python that runs it what prepare.sh passes on, unless it will not do (status 1).

Takes the directory of the environment to be made and its requirements. Old Pythons must be able to
read this.
"""

import hashlib
import importlib.util
import platform
import sys
import sysconfig
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements"

if sys.version_info < (3, 11) or not importlib.util.find_spec("ensurepip"):
    sys.exit(1)

# What an environment depends on: all that must be equal for a kept one to be used.
made_of = [(REQUIREMENTS / name).read_text() for name in ["bootstrap.txt", *sys.argv[2:]]]
machine = [sys.version, sys.executable, sysconfig.get_platform(), *platform.libc_ver()]
digest = hashlib.sha256("\0".join([*made_of, *machine, sys.argv[1]]).encode()).hexdigest()

sys.stdout.write(f"python={sys.executable}\nkey=aeterna-code-search-{digest}\n")
