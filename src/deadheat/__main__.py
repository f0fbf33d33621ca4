"""`python -m deadheat`."""

import sys

from deadheat.cli import main

sys.exit(main())
