"""Tests run what is in `src/`, also in every process that they start; with DEADHEAT_INSTALLED=1 not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if os.environ.get("DEADHEAT_INSTALLED") != "1":
    SOURCES = str(Path(__file__).parent / "src")
    sys.path.insert(0, SOURCES)
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in (SOURCES, os.environ.get("PYTHONPATH")) if path)
