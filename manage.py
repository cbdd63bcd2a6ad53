#!/usr/bin/env python
"""The management commands of the central service, in a checkout: see `central.manage`."""

from central.manage import main

if __name__ == "__main__":
    main()
